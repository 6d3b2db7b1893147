"""Words whose use changed from the first third of the texts to the last: which topics their
documents give them to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from inference.answers.acceptance import accept
from inference.findings import senses
from inference.findings.senses import Held, Shift
from webapp.analysis.findings import sentences
from webapp.analysis.findings.document_set import DocumentSet
from webapp.analysis.findings.finding import BaseFinding, EarlierFindings, OnPage
from webapp.analysis.findings.periods import Periods
from webapp.analysis.findings.phrasing import fill
from webapp.analysis.findings.sentence_writer import WORD, Sentence, SentenceWriter
from webapp.analysis.findings.spans_and_groups import Span
from webapp.core.results import links
from webapp.core.results.links import TopicLink
from webapp.models import Word
from webapp.platform.drawing.numbers import USUAL_LEVEL, percent
from webapp.platform.storage.sql import rows

SENTENCE = (
    "“{word}” belongs to {lost} in {before} of its documents {early}, to {gained} in {after} {late}"
)
CERTAINTY = "the smaller of the two changes is {points} points, interval {low} to {high}"

CANDIDATES = 1_500  # words, those in most documents
# documents of each, evenly over the collection: the standard error of a share is below 0.4% then
MOST_SAMPLED_DOCUMENTS = 20_000
LEAST_SHIFT = 0.15  # change of a sense's share that the interval must lie above
RANK = 60  # among whose first words the word must be in both topics, so that it tells of them


@dataclass(frozen=True, kw_only=True)
class Sense(BaseFinding):
    """A word whose documents changed their topic. gained_shares, lost_shares: before and after.
    estimate: the smaller of the two changes; level: of its interval, which all words share. until,
    since: the last period before and the first after, as addresses and readers have them; begins,
    ends: the first before and the last after, as addresses have them, where the word was used
    otherwise in earlier or later texts."""

    ON_PAGE = OnPage("Words that changed their use", 12, {"less": 1, "": 3, "more": 12})
    SUBJECTS = ("gained", "lost")

    kind: Literal["sense"] = "sense"
    estimate: float
    low: float
    high: float
    word: str
    gained: int
    lost: int
    gained_shares: tuple[float, float]
    lost_shares: tuple[float, float]
    documents_counted: tuple[int, int]
    until: tuple[str, str]
    since: tuple[str, str]
    begins: str = ""
    ends: str = ""
    level: float = USUAL_LEVEL  # of findings that an older program stored

    @property
    def claimed(self) -> Sequence[int]:
        """Both topics: another seed may change either."""
        return self.subjects

    @property
    def interval_level(self) -> float:
        """That of all words."""
        return self.level

    @classmethod
    def find(cls, document_set: DocumentSet, earlier: EarlierFindings) -> list[Sense]:
        """The words by how much of their use changed, most first; [] for a set without periods."""
        if not document_set.periods:
            return []
        times = document_set.times
        early, late = _thirds(times.group, document_set.evidence.lengths, times.G)
        if not 0 < early < late < times.G:
            return []
        changed = [
            _sense_of(word, use, times, early, late, level)
            for word, use, level in _shifted_words(document_set, early, late)
        ]
        # Of each pair of topics the word that changed most: "tax" and "taxes" tell the same
        changed.sort(key=lambda sense: -sense.score)
        best_senses: dict[tuple[int, int], Sense] = {}
        for sense in changed:
            best_senses.setdefault((sense.lost, sense.gained), sense)
        return list(best_senses.values())

    def say(self, writer: SentenceWriter) -> Sentence:
        """The shift as a sentence: the word's first topic, the one that gained, and the change in
        percentage points with its interval."""
        parts = fill(
            SENTENCE,
            word=self.word,
            early=self._early,
            late=self._late,
            before=percent(self.lost_shares[0]),
            lost=writer.topic(self.lost),
            after=percent(self.gained_shares[1]),
            gained=writer.topic(self.gained),
        )
        points, low, high = (f"{100 * share:.0f}" for share in (self.estimate, self.low, self.high))
        certainty = CERTAINTY.format(points=points, low=low, high=high)
        url = links.word_url(writer.run, self.word, writer.selection.address())
        return Sentence(parts, url, self.gained, certainty, opens=WORD)

    @property
    def _early(self) -> str:
        """The time before, in words."""
        if self.begins:
            return sentences.spanned(Span(first=self.begins, last=self.until[0]))
        return sentences.UNTIL.format(last=self.until[1])

    @property
    def _late(self) -> str:
        """The time after, in words."""
        if self.ends:
            return sentences.spanned(Span(first=self.since[0], last=self.ends))
        return sentences.SINCE.format(first=self.since[1])

    def items(self, writer: SentenceWriter) -> list[SenseItem]:
        """Its shares before and after."""
        return [
            SenseItem(
                kind="sense",
                word=self.word,
                lost=writer.topic(self.lost),
                lost_shares=self.lost_shares,
                until=self.until[1],
                gained=writer.topic(self.gained),
                gained_shares=self.gained_shares,
                since=self.since[1],
                begins=self.begins,
                ends=self.ends,
            )
        ]


@dataclass(frozen=True)
class SenseItem:
    """Shares of a word's documents that use it in a topic, up to a period and since another.
    begins, ends: the first and the last period of that, as addresses have them, empty where it
    reaches to the first or the last of all."""

    kind: Literal["sense"]
    word: str
    lost: TopicLink
    lost_shares: tuple[float, float]
    until: str
    gained: TopicLink
    gained_shares: tuple[float, float]
    since: str
    begins: str
    ends: str


def _sense_of(word: str, use: Held, times: Periods, early: int, late: int, level: float) -> Sense:
    """What is told of a word whose use changed between the periods before `early` and those from
    `late` on. level: of the interval."""
    shift = use.shift
    return Sense(
        score=shift.low * math.log(sum(shift.documents)),
        estimate=shift.difference,
        low=shift.low,
        high=shift.high,
        word=word,
        begins="" if use.begin is None else times.names[use.begin],
        ends="" if use.end is None else times.ends[use.end],
        gained=shift.gained,
        lost=shift.lost,
        gained_shares=shift.gained_shares,
        lost_shares=shift.lost_shares,
        documents_counted=shift.documents,
        until=(times.ends[early - 1], sentences.period(times.ends[early - 1])),
        since=(times.names[late], times.said[late]),
        level=level,
    )


class _Uses(NamedTuple):
    """The documents of a word: of each its topic, as readers fold them, its period, and who speaks,
    None where documents are independent of each other."""

    topics: np.ndarray
    period: np.ndarray
    unit: np.ndarray | None

    def shift(self, early: int, late: int, level: float = USUAL_LEVEL) -> Shift | None:
        """How the topics changed; level: of the interval."""
        return senses.shift(self.topics, self.period, early, late, self.unit, level)

    def held(self, found: Shift, early: int, late: int, level: float) -> Held | None:
        """The time for which a shift holds."""
        return senses.held(found, self.topics, self.period, early, late, self.unit, level)


class _Candidate(NamedTuple):
    number: int
    word: str
    shift: Shift


def _shifted_words(
    document_set: DocumentSet, early: int, late: int
) -> list[tuple[str, Held, float]]:
    """Words whose use changed by more than chance, and that are among the first of both topics.
    early, late: the period behind the first third, and the one that begins the last. With the level
    of all intervals."""
    run = document_set.run
    words = Word.objects.filter(version=run.version_id, documents__gte=2 * senses.LEAST_DOCUMENTS)
    words = words.exclude(word__in=run.dropped)  # the run does not have them
    most_frequent = words.order_by("-documents", "number").values_list("number", "word")
    candidates: list[_Candidate] = []
    for number, word in most_frequent[:CANDIDATES]:
        shift = uses_of_word(document_set, number).shift(early, late)
        if shift is not None:
            candidates.append(_Candidate(number, word, shift))
    acceptance = accept(np.array([candidate.shift.p for candidate in candidates]))
    changed: list[_Candidate] = []
    for candidate in candidates:
        if candidate.shift.p <= 1 - acceptance.level:
            uses = uses_of_word(document_set, candidate.number)
            shift = uses.shift(early, late, acceptance.level)
            assert shift is not None, "it was one at another level"
            changed.append(candidate._replace(shift=shift))
    large = [
        candidate
        for candidate in changed
        if candidate.shift.low >= LEAST_SHIFT
        and document_set.subjects[[candidate.shift.gained, candidate.shift.lost]].all()
    ]
    first = _first_words(document_set, [candidate.number for candidate in large])
    shifted: list[tuple[str, Held, float]] = []
    for candidate in large:
        of_topics = {
            (topic, candidate.number) for topic in (candidate.shift.gained, candidate.shift.lost)
        }
        if not of_topics <= first:
            continue
        uses = uses_of_word(document_set, candidate.number)
        held = uses.held(candidate.shift, early, late, acceptance.level)
        if held is not None and held.shift.low >= LEAST_SHIFT:
            shifted.append((candidate.word, held, acceptance.level))
    return shifted


def _thirds(group: np.ndarray, lengths: np.ndarray, G: int) -> tuple[int, int]:
    """The period behind the first third of the words, and the one that begins the last."""
    tokens = np.bincount(group[group >= 0], weights=lengths[group >= 0], minlength=G)
    part = np.cumsum(tokens) / max(tokens.sum(), 1)
    return int(np.searchsorted(part, 1 / 3)) + 1, int(np.searchsorted(part, 2 / 3)) + 1


def uses_of_word(document_set: DocumentSet, number: int) -> _Uses:
    """The documents of a word, or an even sample of them. number: the word's."""
    documents, counts, topics, _ = document_set.evidence.word_topics.of_word(number)
    sample = sample_evenly(documents, document_set.evidence.section_bow.first_row is not None)
    sampled_topics = document_set.into[topics[sample]]
    numbers, main = senses.main_topics(documents[sample], counts[sample], sampled_topics)
    unit = None if document_set.unit is None else document_set.unit[numbers]
    return _Uses(main, document_set.times.group[numbers], unit)


def sample_evenly(documents: np.ndarray, has_sections: bool) -> slice | np.ndarray:
    """Which pairs of a word are those of MOST_SAMPLED_DOCUMENTS of its documents at most.
    documents: of each pair, ascending; has_sections: whether a document may have several. Nothing
    is sorted: a list may be as long as the corpus."""
    if not has_sections:
        return slice(None, None, max(1, -(-len(documents) // MOST_SAMPLED_DOCUMENTS)))
    is_new = np.append(True, documents[1:] != documents[:-1])[: len(documents)]
    step = max(1, -(-np.count_nonzero(is_new) // MOST_SAMPLED_DOCUMENTS))
    return (np.cumsum(is_new) - 1) % step == 0


def _first_words(document_set: DocumentSet, words: list[int]) -> set[tuple[int, int]]:
    """(topic, word) of words that are among the first of topics."""
    first_rows = rows(
        "SELECT topic, word FROM topic_word WHERE snapshot_id = %s AND word = ANY(%s) AND rank"
        " < %s",
        [document_set.run.snapshot_id, words, RANK],
    )
    return {(int(document_set.into[row["topic"]]), row["word"]) for row in first_rows}
