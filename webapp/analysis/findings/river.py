"""Words of each topic over time, in bins that are long enough to be compared: what the river of the
overview is drawn from."""

from dataclasses import dataclass
from datetime import date

import numpy as np

from webapp.analysis.findings.sentences import briefly
from webapp.core.documents import sums
from webapp.core.documents.selection import RunSelection

BINS = 58  # at most
# words that so many of the bins have
BIN_WORDS = 1_000
OF_BINS = 0.9
# A bin with fewer than BIN_WORDS words, and fewer than this of what half of the bins have, says little
FEW_OF_MEDIAN = 0.25
THIN_END = 0.12  # of the mean: a last bin with fewer words joins its neighbour
FEWEST_RIVER_BINS = 8  # bins below which there is no river, but a row for each
# Of the words, that documents with dates have: where they have fewer, an overview that began with
# time would be about a handful of documents
LEAST_DATED = 0.1
LEAST_UNDATED = 0.0005  # of the words: a smaller share without a date is not told


@dataclass(frozen=True)
class RiverTopic:
    """tokens: of each bin."""

    number: int
    tokens: list[int]


@dataclass(frozen=True)
class River:
    """bins: in words, "1790–1793". starts: years with fractions, end: behind the last. totals:
    words of each bin. topics: all that have words, as a family's share is the sum of its topics',
    however small they are."""

    bins: list[str]
    starts: list[float]
    end: float
    totals: list[int]
    topics: list[RiverTopic]

    @property
    def is_drawn(self) -> bool:
        """Whether it has so many bins that it makes a picture."""
        return len(self.totals) >= FEWEST_RIVER_BINS

    @property
    def few_words(self) -> list[bool]:
        """Of each bin, whether it has so few words that shares of them say little."""
        least_words = self.least_words
        return [words < least_words for words in self.totals]

    @property
    def least_words(self) -> int:
        """Of a bin that has not few words."""
        return round(min(BIN_WORDS, FEW_OF_MEDIAN * float(np.median(self.totals))))


def say_few_words(river: River) -> str:
    """What a pale time of the picture is, as a sentence; "" where none is."""
    if not any(river.few_words):
        return ""
    return f"Pale: times with fewer than {river.least_words:,} counted words."


def river(selection: RunSelection, period: str) -> River | None:
    """The words of topics over time in a set of documents, each of whose periods is a
    `period` ("year"); None where it has none, and `period` is ""."""
    if not period:
        return None
    by = period if period in ("year", "month", "decade") else "month"
    sums_by_time = sums.of_selection(selection, by)
    groups = sums_by_time.groups
    if groups is None or groups.starts is None or not sums_by_time.all_tokens.any():
        return None
    periods_with_words = np.flatnonzero(sums_by_time.all_tokens)
    first = int(periods_with_words[0])
    behind = int(periods_with_words[-1]) + 1
    totals = sums_by_time.all_tokens[first:behind].astype(np.float64)
    edges = edges_of_bins(totals)
    tokens = np.add.reduceat(sums_by_time.topic_tokens[first:behind], edges[:-1], axis=0)
    starts = [_year(int(groups.starts[first + i])) for i in edges]
    return River(
        bins=[
            _label(groups.labels[first + left_edge], groups.labels[first + right_edge - 1])
            for left_edge, right_edge in zip(edges, edges[1:], strict=False)
        ],
        starts=starts[:-1],
        end=starts[-1],
        totals=np.add.reduceat(totals, edges[:-1]).astype(int).tolist(),
        topics=[
            RiverTopic(k, tokens[:, k].astype(int).tolist())
            for k in np.flatnonzero(tokens.any(axis=0)).tolist()
        ],
    )


def river_of_overview(selection: RunSelection, period: str) -> River | None:
    """The river of a set as its overview has it: None also where hardly any of the words are in
    documents with a date."""
    all_dated = river(selection, period)
    if all_dated is None:
        return None
    words = int(sums.of_selection(selection).all_tokens[0])
    return all_dated if sum(all_dated.totals) >= LEAST_DATED * words else None


def say_undated(words: int, river: River) -> str:
    """The share of a set's words that are in documents without a date, and so in no bin, as a
    sentence has it: "52%"; "" where it is too small to be told. words: of all documents of the set.
    river: of the set."""
    share = 1.0 - sum(river.totals) / max(words, 1)
    return briefly(share) if share > LEAST_UNDATED else ""


def shares_of_topics(river: River) -> dict[int, np.ndarray]:
    """Each topic's share of each bin's words: float64[bins], 0 in a bin without words."""
    totals = np.maximum(np.array(river.totals, np.float64), 1.0)
    return {topic.number: np.array(topic.tokens, np.float64) / totals for topic in river.topics}


def edges_of_bins(totals: np.ndarray) -> list[int]:
    """Where bins of equally many periods begin, and the end: the shortest of which OF_BINS have
    BIN_WORDS words, or as long as leaves FEWEST_RIVER_BINS of them."""
    G = len(totals)
    length = -(-G // BINS)
    while G // (length + 1) >= FEWEST_RIVER_BINS:
        words = np.add.reduceat(totals, np.arange(0, G, length))
        if np.mean(words >= BIN_WORDS) >= OF_BINS:
            break
        length += 1
    edges = [*range(0, G, length), G]
    words = np.add.reduceat(totals, edges[:-1])
    if len(edges) > 3 and words[-1] < THIN_END * words.mean():
        del edges[-2]
    return edges


def _year(day: int) -> float:
    """A day, as date.toordinal, as a year with its fraction."""
    when = date.fromordinal(max(1, day))
    return round(when.year + (when.timetuple().tm_yday - 1) / 366, 3)


def _label(first: str, last: str) -> str:
    return first if first == last else f"{first}–{last}"
