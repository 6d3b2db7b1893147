"""The senses of a word: the topics that its tokens are assigned to, in a set of documents, over
time, and beside another word's."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.core.exceptions import BadRequest

from inference.senses import Near, Uses, distinguishing
from webapp.core.documents import fields
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, topics
from webapp.core.results.view import RunView
from webapp.models import Run, Word
from webapp.platform.storage.sql import rows, tuples

# tokens: a sense with fewer, or with less than RARE of the word, is folded under "other senses";
FEW = 5
RARE = 0.02
LIKELY = 0.6  # and one whose tokens are less certain on average, as its lines would be guesses
SHADES = 3  # paler ones of a colour: static/css/words.css
MOST = 16  # senses that are unfolded
APART = 12  # of the other topics, those that a chart shows one by one where it is asked to
# of the other topics, the largest, that are listed; a frequent word is in nearly all of 2,000
# topics
LISTED = 50
NAMED = 6  # words that name a sense
CANDIDATES = 40  # words from which those are chosen
TELLING = 12  # words that tell the documents of two words apart
THIN = 10  # tokens: a period or value with fewer is marked
MOST_BINS = 80  # of a chart; more are too thin to point at
MOST_VALUES = 30  # of a category, those that use the word most


@dataclass(frozen=True)
class Tally:
    """A topic of a word in some documents. share: of the word's tokens there. certainty: mean over
    its tokens."""

    topic: int
    tokens: int
    documents: int
    share: float
    certainty: float

    @property
    def clear(self) -> bool:
        """Whether it is clear enough to be called a sense; the largest topic is shown though it
        isn't."""
        return self.tokens >= FEW and self.share >= RARE and self.certainty >= LIKELY


def asked_topic(view: RunView, asked: int | str | None) -> int | None:
    """The topic that an address asks for, that into which it was merged; None for all of a
    word's."""
    if not isinstance(asked, int):
        return None
    if not 0 <= asked < view.run.topics:
        raise BadRequest(
            f"A topic in the address must be “all” or one of this run, 0 to {view.run.topics - 1}."
        )
    return int(view.labels.into[asked])


def uses(view: RunView, word: Word, selection: RunSelection) -> Uses:
    return Uses(evidence.of(view.run), word.number, view.labels.into, selection.mask)


def tallied(word: Uses) -> tuple[list[Tally], list[Tally]]:
    """The topics of a word, most frequent first: (those that are senses, the others). Their shares
    sum to 1."""
    tokens, documents = (array[0] for array in word.tally())
    certainty, total = word.certainties(), int(tokens.sum())
    order = [int(k) for k in np.lexsort((np.arange(len(tokens)), -tokens)) if tokens[k]]
    tallies = [
        Tally(k, int(tokens[k]), int(documents[k]), int(tokens[k]) / total, float(certainty[k]))
        for k in order
    ]
    named = [tally for i, tally in enumerate(tallies) if i == 0 or tally.clear][:MOST]
    numbers = {tally.topic for tally in named}
    return named, [tally for tally in tallies if tally.topic not in numbers]


def shades(hues: Sequence[int]) -> list[int]:
    """Of senses of one family, which have one colour: 1, 2 … makes paler what a larger one of the
    same strip has the colour of."""
    return [min(hues[:i].count(hue), SHADES) for i, hue in enumerate(hues)]


def names(
    view: RunView, word: Uses, named: list[Tally], others: list[Tally]
) -> dict[int, list[str]]:
    """topic -> words that name it: of a sense those that tell it from the others, of other topics
    their first words."""
    near = word.near([tally.topic for tally in named], CANDIDATES)
    owned = _owned(view, near, [tally.topic for tally in named])
    first = topics.top_words(view, [tally.topic for tally in (*named, *others)], NAMED)
    for tally, candidates in zip(named, near, strict=True):
        own = {
            number: (text, parts.get(tally.topic, 0.0)) for number, (text, parts) in owned.items()
        }
        first[tally.topic] = (
            _chosen(candidates, own) or first[tally.topic]
        )  # of too few documents to tell
    return first


def _owned(
    view: RunView, near: list[list[Near]], numbers: list[int]
) -> dict[int, tuple[str, dict[int, float]]]:
    """word -> (as text, topic -> the part of all its tokens that the topic holds, merged ones
    included)."""
    into = view.labels.into
    owned: dict[int, tuple[str, dict[int, float]]] = {}
    for row in rows(
        "SELECT w.number, w.word, r.topic, r.tokens::float8 / w.tokens AS part FROM word w"
        " LEFT JOIN topic_word r ON r.snapshot_id = %s AND r.word = w.number AND r.topic = ANY(%s)"
        " WHERE w.version_id = %s AND w.number = ANY(%s)",
        [
            view.run.snapshot_id,
            np.flatnonzero(np.isin(into, numbers)).tolist(),
            view.run.version_id,
            sorted({n.word for candidates in near for n in candidates}),
        ],
    ):
        parts = owned.setdefault(row["number"], (row["word"], {}))[1]
        if row["topic"] is not None:
            parts[int(into[row["topic"]])] = parts.get(int(into[row["topic"]]), 0.0) + row["part"]
    return owned


def _chosen(candidates: list[Near], owned: dict[int, tuple[str, float]]) -> list[str]:
    """The words whose likelihood ratio is high and that belong to this topic wherever they stand:
    the product of the two."""
    return [
        owned[n.word][0]
        for n in sorted(candidates, key=lambda n: -n.score * owned[n.word][1])[:NAMED]
    ]


def groupings(run: Run) -> list[str]:
    """What the chart of a word's senses can be by: periods that are neither one nor too many, the
    best first; then categories."""
    periods, span = [], fields.dated(run.version)
    if span:
        years = span[1].year - span[0].year + 1
        if fields.period(run.version) == "month":
            periods = ["month"]
        periods += ["year"] * (1 < years <= MOST_BINS) + ["decade"] * (years > 10)
    return periods + [
        category.name for category in fields.categories(run.version) if len(category.values) > 1
    ]


@dataclass(frozen=True)
class Bin:
    """A group of documents, and how many tokens the word has there: of each topic, and last of all
    others."""

    group: int
    label: str
    counts: list[int]

    @property
    def tokens(self) -> int:
        return sum(self.counts)

    @property
    def thin(self) -> bool:
        return self.tokens < THIN

    @property
    def shares(self) -> list[float]:
        return [count / self.tokens if self.tokens else 0.0 for count in self.counts]


@dataclass(frozen=True)
class Mix:
    """How the tokens of a word are divided among topics from bin to bin. offered: names that these
    may be by. left_out: values that are not shown. outside: tokens in documents of no group."""

    groups: fields.Groups
    offered: list[str]
    bins: list[Bin]
    left_out: int
    outside: int

    @property
    def tallest(self) -> float:
        """The largest share in any bin, so that no bar is cut off."""
        return max((share for bin in self.bins for share in bin.shares), default=1.0) or 1.0


def mix(run: Run, word: Uses, numbers: list[int], wanted: str) -> Mix | None:
    """How the shares of some topics change over time or from value to value of a category. None
    where nothing is known to go by.

    wanted: the name of a grouping, of several the best unless it is one of these.
    """
    offered = groupings(run)
    if not offered:
        return None
    groups = fields.groups(run.version, wanted if wanted in offered else offered[0])
    tokens, _ = word.tally(groups.group, len(groups.labels))
    totals = tokens.sum(1)
    counted = np.column_stack([tokens[:, numbers], totals - tokens[:, numbers].sum(1)])
    known = np.flatnonzero(totals)
    if groups.in_time:
        shown = list(range(known[0], known[-1] + 1)) if len(known) else []
    else:
        largest = known[np.argsort(-totals[known], kind="stable")][:MOST_VALUES]
        shown = fields.in_order(run.version, groups, largest.tolist())
    bins = [Bin(int(g), groups.labels[g], counted[g].tolist()) for g in shown]
    left_out = 0 if groups.in_time else len(known) - len(shown)
    return Mix(groups, offered, bins, left_out, int(word.counts.sum()) - int(totals.sum()))


@dataclass(frozen=True)
class Pair:
    """Two words. tokens, documents: int64[2, K], of each word in each topic. in_documents: of each
    word. together: documents that have both. apart: words that tell them apart, of each. spelling:
    number -> word."""

    tokens: np.ndarray
    documents: np.ndarray
    in_documents: list[int]
    together: int
    apart: tuple[list[Near], list[Near]]
    spelling: dict[int, str]

    @property
    def shares(self) -> np.ndarray:
        """float64[2, K]: of each word's tokens."""
        return self.tokens / np.maximum(1, self.tokens.sum(1, keepdims=True))

    @property
    def common(self) -> np.ndarray:
        """float64[K]: the part of each topic that both words have."""
        return self.shares.min(0)

    @property
    def topics(self) -> list[int]:
        """Those of which either word has a part, the ones that both have first."""
        shares, common = self.shares, self.common
        listed = np.flatnonzero((shares >= RARE).any(0))
        return listed[np.lexsort((listed, -shares.sum(0)[listed], -common[listed]))].tolist()


def beside(view: RunView, a: Word, b: Word, selection: RunSelection) -> Pair:
    """Two words in a set of documents: the topics of each, and the words that tell their documents
    apart."""
    both = [uses(view, word, selection) for word in (a, b)]
    tokens, documents = (
        np.concatenate(arrays) for arrays in zip(*(word.tally() for word in both), strict=True)
    )
    apart = distinguishing(evidence.of(view.run), both[0], both[1], TELLING)
    spelling = tuples(
        "SELECT number, word FROM word WHERE version_id = %s AND number = ANY(%s)",
        [view.run.version_id, [near.word for side in apart for near in side]],
    )
    together = len(np.intersect1d(both[0].documents, both[1].documents))
    return Pair(
        tokens, documents, [word.in_documents for word in both], together, apart, dict(spelling)
    )
