"""The senses of a word: the topics that its tokens are assigned to, in a set of documents, over
time, and beside another word's."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inference.senses import NearWord, SenseUses, distinguishing
from webapp.core.documents import document_days, document_groups, fields
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, topic_numbers, topics
from webapp.core.results.view import RunView
from webapp.core.runs.names import spelling
from webapp.intake.metadata.groups import Groups
from webapp.models import Run, Word
from webapp.platform.storage.sql import rows

# A sense with fewer tokens, or with less than RARE_SENSE_SHARE of the word, is folded under "other
# senses", and one whose tokens are less certain on average than LIKELY, as its lines would be guesses
FEWEST_SENSE_TOKENS = 5
RARE_SENSE_SHARE = 0.02
LIKELY = 0.6
SHADES = 3  # paler ones of a colour: static/css/words.css
MOST_SENSES = 16  # senses that are unfolded
TOPICS_APART = 12  # of the other topics, those that a chart shows one by one where it is asked to
# Of the other topics, the largest, that are listed; a frequent word is in nearly all of 2,000
# topics
TOPICS_LISTED = 50
WORDS_OF_SENSE = 6  # words that name a sense
CANDIDATES = 40  # words from which those are chosen
TELLING = 12  # words that tell the documents of two words apart
THIN_TOKENS = 10  # tokens: a period or value with fewer is marked
MOST_BINS = 80  # of a chart; more are too thin to point at
MOST_VALUES = 30  # of a category, those that use the word most
DECADE = 10  # years


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
        return (
            self.tokens >= FEWEST_SENSE_TOKENS
            and self.share >= RARE_SENSE_SHARE
            and self.certainty >= LIKELY
        )


def asked_topic(view: RunView, topic: int | str | None) -> int | None:
    """The topic that an address asks for, that into which it was merged; None for all of a
    word's."""
    if not isinstance(topic, int):
        return None
    return int(view.labels.into[topic_numbers.check(topic, view.run, "topic")])


def uses(view: RunView, word: Word, selection: RunSelection) -> SenseUses:
    return SenseUses(evidence.of(view.run), word.number, view.labels.into, selection.mask)


def tallied(word: SenseUses) -> tuple[list[Tally], list[Tally]]:
    """The topics of a word, most frequent first: (those that are senses, the others). Their shares
    sum to 1."""
    tokens, documents = (in_groups[0] for in_groups in word.tally())  # the only group: all
    certainty = word.certainties()
    total = int(tokens.sum())
    largest_first = np.lexsort((np.arange(len(tokens)), -tokens)).tolist()
    tallies = [
        Tally(
            topic=k,
            tokens=int(tokens[k]),
            documents=int(documents[k]),
            share=int(tokens[k]) / total,
            certainty=float(certainty[k]),
        )
        for k in largest_first
        if tokens[k]
    ]
    clear = [tally for tally in tallies[1:] if tally.clear]
    senses_named = [*tallies[:1], *clear][:MOST_SENSES]
    numbers = {tally.topic for tally in senses_named}
    return senses_named, [tally for tally in tallies if tally.topic not in numbers]


def shades(hues: Sequence[int]) -> list[int]:
    """How much paler each sense is drawn than the colour of its family: 0 for the first one of a
    colour, then 1, 2 … up to SHADES. hues: of the senses, the largest first."""
    return [min(hues[:i].count(hue), SHADES) for i, hue in enumerate(hues)]


def names(
    view: RunView, word: SenseUses, named_tallies: list[Tally], rare_tallies: list[Tally]
) -> dict[int, list[str]]:
    """topic -> at most WORDS_OF_SENSE words that name it, the best first.

    named_tallies: the word's senses, and rare_tallies: its other topics, as `tallied` returns both;
    topics that were merged count as one. A sense has the words that tell it from the word's other
    senses (inference.senses.SenseUses.near, CANDIDATES of each); a topic that is no sense, and a sense
    of too few documents to tell, the first words of its topic (topics.top_words).
    """
    near = word.near([tally.topic for tally in named_tallies], CANDIDATES)
    owned = _owned_parts(view, near, [tally.topic for tally in named_tallies])
    first = topics.top_words(
        view, [tally.topic for tally in (*named_tallies, *rare_tallies)], WORDS_OF_SENSE
    )
    for tally, candidates in zip(named_tallies, near, strict=True):
        own_words = {
            number: (text, parts.get(tally.topic, 0.0)) for number, (text, parts) in owned.items()
        }
        telling = _telling(candidates, own_words)
        if telling:  # else it has too few documents to tell
            first[tally.topic] = telling
    return first


def _owned_parts(
    view: RunView, near: list[list[NearWord]], numbers: list[int]
) -> dict[int, tuple[str, dict[int, float]]]:
    """word -> (as text, topic -> the part of all its tokens that the topic holds, merged ones
    included)."""
    targets = view.labels.into
    with_merged = np.flatnonzero(np.isin(targets, numbers)).tolist()
    words = sorted({candidate.word for candidates in near for candidate in candidates})
    parts_of_words = rows(
        "SELECT w.number, w.word, r.topic, r.tokens::float8 / w.tokens AS part FROM word w"
        " LEFT JOIN topic_word r ON r.snapshot_id = %s AND r.word = w.number AND r.topic = ANY(%s)"
        " WHERE w.version_id = %s AND w.number = ANY(%s)",
        [view.run.snapshot_id, with_merged, view.run.version_id, words],
    )
    owned: dict[int, tuple[str, dict[int, float]]] = {}
    for row in parts_of_words:
        _, part_of_topic = owned.setdefault(row["number"], (row["word"], {}))
        if row["topic"] is not None:
            topic = int(targets[row["topic"]])
            part_of_topic[topic] = part_of_topic.get(topic, 0.0) + row["part"]
    return owned


def _telling(candidates: list[NearWord], owned: dict[int, tuple[str, float]]) -> list[str]:
    """At most WORDS_OF_SENSE candidates, as text, the best first: by the product of their
    log-likelihood ratio (nats) and the part of all their tokens that is in this topic. [] for no
    candidates.

    owned: word -> (as text, that part, from 0 to 1), of all candidates.
    """

    def score(candidate: NearWord) -> float:
        _, part = owned[candidate.word]
        return candidate.score * part

    best_first = sorted(candidates, key=lambda candidate: -score(candidate))
    return [owned[candidate.word][0] for candidate in best_first[:WORDS_OF_SENSE]]


def groupings(run: Run) -> list[str]:
    """What the chart of a word's senses can be by: periods that are neither one nor too many, the
    best first; then categories."""
    names = []
    span = document_days.first_and_last(run.version)
    if span:
        first, last = span
        years = last.year - first.year + 1
        if document_groups.best_period(run.version) == "month":
            names.append("month")
        if 1 < years <= MOST_BINS:
            names.append("year")
        if years > DECADE:
            names.append("decade")
    for category in fields.categories(run.version):
        if len(category.values) > 1:
            names.append(category.name)
    return names


@dataclass(frozen=True)
class Bin:
    """A group of documents, and how many tokens the word has there: of each topic, and last of all
    others. unsure: tokens that are less than LIKELY to be of their topic, which count in none."""

    group: int
    label: str
    counts: list[int]
    unsure: int

    @property
    def tokens(self) -> int:
        """Of the word in the bin, in all topics."""
        return sum(self.counts) + self.unsure

    @property
    def thin(self) -> bool:
        """Whether the word is so rare here that its shares say little."""
        return self.tokens < THIN_TOKENS

    @property
    def shares(self) -> list[float]:
        """Of each topic in the word's tokens of the bin, from 0 to 1; all 0 where it has none."""
        return [count / self.tokens if self.tokens else 0.0 for count in self.counts]

    @property
    def unsure_share(self) -> float:
        """Of the word's tokens of the bin, from 0 to 1."""
        return self.unsure / self.tokens if self.tokens else 0.0


@dataclass(frozen=True)
class Mix:
    """How the tokens of a word are divided among topics from bin to bin. offered: names that these
    may be by. left_out: values that are not shown. outside: tokens in documents of no group."""

    groups: Groups
    offered: list[str]
    bins: list[Bin]
    left_out: int
    outside: int

    @property
    def tallest(self) -> float:
        """The largest share in any bin, so that no bar is cut off."""
        shares = [share for bin in self.bins for share in (*bin.shares, bin.unsure_share)]
        return max(shares, default=1.0) or 1.0


def mix(run: Run, word: SenseUses, numbers: list[int], asked_field: str) -> Mix | None:
    """How the shares of some topics change over time or from value to value of a category. None
    where nothing is known to go by. Tokens that are less than LIKELY to be of their topic are
    counted apart: what is a guess in a period is no share of a sense there.

    asked_field: the name of a grouping, of several the best unless it is one of these.
    """
    offered = groupings(run)
    if not offered:
        return None
    groups = document_groups.read_groups(
        run.version, asked_field if asked_field in offered else offered[0]
    )
    tokens, _ = word.tally(groups.group, len(groups.labels))
    totals = tokens.sum(1)
    sure_uses = word.of_certainty(LIKELY, surer=True)
    sure_tokens, _ = sure_uses.tally(groups.group, len(groups.labels))
    sure_totals = sure_tokens.sum(1)
    in_other_topics = sure_totals - sure_tokens[:, numbers].sum(1)
    tokens_counted = np.column_stack([sure_tokens[:, numbers], in_other_topics])
    unsure = totals - sure_totals
    groups_with_uses = np.flatnonzero(totals)
    if groups.in_time:
        groups_shown = (
            list(range(groups_with_uses[0], groups_with_uses[-1] + 1))
            if len(groups_with_uses)
            else []
        )
    else:
        largest = groups_with_uses[np.argsort(-totals[groups_with_uses], kind="stable")][
            :MOST_VALUES
        ]
        groups_shown = document_groups.order_groups(run.version, groups, largest.tolist())
    bins = [
        Bin(int(g), groups.labels[g], tokens_counted[g].tolist(), int(unsure[g]))
        for g in groups_shown
    ]
    left_out = 0 if groups.in_time else len(groups_with_uses) - len(groups_shown)
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
    apart: tuple[list[NearWord], list[NearWord]]
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
        shares = self.shares
        topics = np.flatnonzero((shares >= RARE_SENSE_SHARE).any(0))
        share_of_both = shares.sum(0)[topics]
        order = np.lexsort((topics, -share_of_both, -self.common[topics]))
        return topics[order].tolist()


def compare_words(view: RunView, word_a: Word, word_b: Word, selection: RunSelection) -> Pair:
    """Two words in a set of documents: the topics of each, and the words that tell their documents
    apart."""
    uses_of_a = uses(view, word_a, selection)
    uses_of_b = uses(view, word_b, selection)
    tokens_of_a, documents_of_a = uses_of_a.tally()
    tokens_of_b, documents_of_b = uses_of_b.tally()
    telling_words = distinguishing(evidence.of(view.run), uses_of_a, uses_of_b, TELLING)
    numbers = [near.word for side in telling_words for near in side]
    return Pair(
        tokens=np.concatenate([tokens_of_a, tokens_of_b]),
        documents=np.concatenate([documents_of_a, documents_of_b]),
        in_documents=[uses_of_a.in_documents, uses_of_b.in_documents],
        together=len(np.intersect1d(uses_of_a.documents, uses_of_b.documents)),
        apart=telling_words,
        spelling=spelling(view.run.version_id, numbers),
    )
