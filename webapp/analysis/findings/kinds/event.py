"""Words of a time: those that may stand for a topic, and come or go."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csc_matrix

from inference.answers import spans, trivial
from inference.answers.outcome import AmountTable
from inference.answers.spans import SpanKind
from inference.explore.naming import alike
from inference.findings.divergence import divergence
from webapp.analysis.answers import spans as answers_over_time
from webapp.analysis.answers.spans import SpansOfSet
from webapp.analysis.findings import (
    over_time,
    sentence_thresholds,
    sentences,
    time_sentences,
    trivial_words,
)
from webapp.analysis.findings.claim import Claim
from webapp.analysis.findings.document_set import DocumentSet
from webapp.analysis.findings.finding import EarlierFindings, OnPage, PageFindings, RatioFinding
from webapp.analysis.findings.interval_shapes import RatioBetween
from webapp.analysis.findings.kinds.change import Change
from webapp.analysis.findings.over_time import AcceptedSpan, SpanAsker
from webapp.analysis.findings.sentence_writer import (
    MOST_NAMED,
    WORD,
    Sentence,
    SentenceWriter,
)
from webapp.analysis.findings.spans_and_groups import Shaped
from webapp.analysis.findings.stored_answers import StoredAnswer, finite, stored_answer
from webapp.core.results import links
from webapp.core.results.links import TopicLink

CANDIDATES = 1_500  # words that are looked at, those of most documents
LEAST_DOCUMENTS = 6  # of an event, at least
MOST_POSTINGS = 20_000_000  # of words, in all, that are counted; of more an even sample
SHARED_BY_WORDS = 0.5  # of the periods, and of the documents, that two words of one event share
MOST_WORDS = 3  # of an event
FURTHER_EVENT_FACTOR = 0.5  # by which the score of a further event of a topic is taken
FADING = 0.5  # by which that of a word is taken that goes, or came all along
# Of the years of all documents: steps of one time are apart by so much at most
NEAR_YEARS_PART = 0.05
OVERLAP = 0.5  # of the time of two windows together, that both cover: then they are of one time


@dataclass(frozen=True, kw_only=True)
class Event(Shaped, RatioFinding):
    """Words that come or go. topic: that has most of the first. here, rest: shares of the
    documents, or of their sections, that have the first one, within and outside. answer, whose: see
    Change."""

    ON_PAGE = OnPage("Words of a time", 120, {"less": 5, "": 14, "more": 120})
    SUBJECTS = ("topic",)

    kind: Literal["event"] = "event"
    shape: SpanKind = "window"
    more: bool = True
    topic: int
    words: list[str]
    here: float
    rest: float
    sections: bool = False
    answer: StoredAnswer | None = None
    whose: str = ""

    @property
    def years(self) -> tuple[float, float]:
        """When it begins and ends."""
        return sentences.years_of_span(self.first, self.last)

    @property
    def _times_as_many(self) -> float:
        """How many times as many documents have it, on the side that has more."""
        return _times_as_many(self.here, self.rest, self.more)

    def is_comparably_strong(self, stronger: Event) -> bool:
        """Whether it comes, or goes, at least half as much as a stronger event does, as logarithms
        of how many times as many documents have it."""
        return self._times_as_many**2 >= stronger._times_as_many

    @classmethod
    def find(cls, document_set: DocumentSet, earlier: EarlierFindings) -> list[Event]:
        """Words that may stand for a topic, by the share of documents, or of their sections, that
        have them: short windows, and lines and steps where the topic's own are not told."""
        if not document_set.periods:
            return []
        changes = earlier.of(Change) or []
        return find_events(document_set, {(change.topic, change.more) for change in changes})

    @classmethod
    def arrange(cls, findings: Sequence[Event], page: PageFindings) -> list[Event]:
        """The best word of each time, then all others."""
        near = 0.0
        if page.ends:
            begin, end = sentences.years_of_span(*page.ends)
            near = NEAR_YEARS_PART * (end - begin)
        first: list[Event] = []
        further: list[Event] = []
        for event in sorted(findings, key=lambda event: -event.score):
            if any(are_at_one_time(earlier_event, event, near) for earlier_event in first):
                further.append(event)
            else:
                first.append(event)
        return [*first, *further]

    @property
    def searched(self) -> list[str]:
        """The word whose shares its sentence says."""
        return self.words[:1]

    def say(self, writer: SentenceWriter) -> Sentence:
        """Its words, the shares of the first, and when."""
        parts = time_sentences.changed(
            self,
            sentences.with_others(self.words, MOST_NAMED),
            (self.here, self.rest),
            time_sentences.SECTIONS if self.sections else time_sentences.DOCUMENTS,
            self.whose,
            writer.span,
            self.line,
        )
        if self.shape == "window" and not self.more:
            # It is rare then: its documents would be those of all other times
            url = links.word_url(writer.run, self.words[0], writer.selection.address())
            return Sentence(parts, url, self.topic, opens=WORD)
        search = writer.search_with(self.words[0])
        with_most = writer.selection_with_most(self).with_search(search)
        return Sentence(parts, writer.documents_of(with_most), self.topic)

    def claims(self, writer: SentenceWriter) -> list[Claim]:
        """That its words changed so."""
        return [
            Claim(
                name=", ".join(self.words),
                parts=self.words,
                above_all=[],
                more=self.more,
                steady=self.shape == "line",
                ratio=self.ratio_claimed,
                first=self.turn or self.first,
                last=self.last if self.shape == "window" else "",
                early=self.early,
                answer=self.answer,
            )
        ]

    def items(self, writer: SentenceWriter) -> list[EventItem]:
        """Its shares and their ratio."""
        return [
            EventItem(
                kind="event",
                word=self.words[0],
                also=self.words[1:],
                topic=writer.topic(self.topic),
                shape=self.shape,
                more=self.more,
                first=self.first,
                last=self.last,
                until=self.until,
                here=self.here,
                rest=self.rest,
                sections=self.sections,
                counted_shares=self.shares_said((self.here, self.rest)),
                times=self.ratio_between,
            )
        ]


@dataclass(frozen=True)
class EventItem:
    """Shares of the documents, or of their sections, with a word. also: words of the same documents.
    here, rest, counted_shares: as ChangeItem has them."""

    kind: Literal["event"]
    word: str
    also: list[str]
    topic: TopicLink
    shape: SpanKind
    more: bool
    first: str
    last: str
    until: str
    here: float
    rest: float
    sections: bool
    counted_shares: tuple[float, float]
    times: RatioBetween


def find_events(document_set: DocumentSet, told_changes: set[tuple[int, bool]]) -> list[Event]:
    """The events of a set with periods. told_changes: (topic, whether it rose) of changes of whole
    topics, which lines and steps of their words would only repeat."""
    topic_of_word = document_set.name_counts.eventful
    documents_with = np.diff(document_set.evidence.postings.indptr)
    candidates = sorted(topic_of_word, key=lambda word: -int(documents_with[word]))[:CANDIDATES]
    if not candidates:
        return []
    outcome = _documents_with(document_set, candidates)
    spans_of_set = answers_over_time.look_through(
        document_set.selection, outcome, spans.SHORT_SPAN_SHARE, left_out=document_set.repeated
    )
    if spans_of_set is None:
        return []
    asker = SpanAsker(spans_of_set, document_set.unit_name)
    spelling = document_set.name_counts.spelling
    untold = _untold_words(document_set, outcome, [spelling[word] for word in candidates])
    events_of_words: list[EventOfWord] = []
    for column, word in enumerate(candidates):
        if column in untold:
            continue
        topic = topic_of_word[word]
        for span in asker.accepted(column, one_topic_only=True):
            if span.shape != "window" and (topic, span.more) in told_changes:
                continue
            event_of_word = _event_of_word(
                document_set, spans_of_set, _Candidate(word, topic, column), span
            )
            if event_of_word is not None:
                events_of_words.append(event_of_word)
                break
    return _join_events(events_of_words)


class _Candidate(NamedTuple):
    """A word: its number, the topic that has most of it, its column among those looked through."""

    word: int
    topic: int
    column: int


class EventOfWord(NamedTuple):
    """periods: a bit for each period that the event covers; documents: that have its first word
    when there is more of it."""

    event: Event
    periods: int
    documents: np.ndarray


def _documents_with(document_set: DocumentSet, words: list[int]) -> AmountTable:
    """How many sections of each document have each word, and how many it has; of whole documents 0
    or 1."""
    evidence = document_set.evidence
    rows = evidence.section_bow
    documents = len(document_set.times.group)
    document = np.where(rows.lengths > 0, rows.documents_of(np.arange(rows.D)), -1)
    sizes = np.bincount(document[document >= 0], minlength=documents).astype(float)
    postings = evidence.postings
    in_all = sum(int(postings.indptr[word + 1] - postings.indptr[word]) for word in words)
    step = max(1, in_all // MOST_POSTINGS)
    having = [document[evidence.word_topics.rows_of_word(word)[0][::step]] for word in words]
    having = [rows_of_document[rows_of_document >= 0] for rows_of_document in having]
    column = np.repeat(
        np.arange(len(words)), [len(rows_of_document) for rows_of_document in having]
    )
    amounts = np.full(len(column), float(step))
    shape = (documents, len(words))
    return AmountTable(csc_matrix((amounts, (np.concatenate(having), column)), shape=shape), sizes)


def _untold_words(document_set: DocumentSet, outcome: AmountTable, words: list[str]) -> set[int]:
    """Columns of words that are never told: signatures and forms; and where dates are of less than
    two years, so that nothing can be seen to come again, the names of months and days."""
    untold: set[int] = set()
    if document_set.unit is not None:
        unit = np.where(outcome.sizes > 0, document_set.unit, -1)
        untold = trivial_words.of_who_speaks(outcome.amounts, unit, document_set.dates)
    if not trivial.may_come_again(document_set.dates):
        untold |= trivial_words.of_the_calendar(document_set.run.version, words)
    return untold


def _event_of_word(
    document_set: DocumentSet, spans_of_set: SpansOfSet, candidate: _Candidate, span: AcceptedSpan
) -> EventOfWord | None:
    """None where it comes again every year, is too small, or is somebody's own name."""
    spelled = document_set.name_counts.spelling[candidate.word]
    if over_time.comes_again(spans_of_set, span, candidate.column):
        return None
    if span.whose and not trivial.telling_words([spelled], span.whose):
        return None
    with_more = _documents_with_more(spans_of_set, span)
    outcome = spans_of_set.spans.outcome
    amount = outcome.only(candidate.column).summed(np.where(with_more, 0, -1), 1)[0, 0]
    if amount < LEAST_DOCUMENTS:
        return None
    evidence = document_set.evidence
    event = Event(
        **vars(over_time.shape_of(document_set, span)),
        score=_score(spans_of_set, span),
        estimate=finite(span.answers.ratio[span.column]),
        low=finite(span.answers.ratio_low[span.column]),
        high=finite(span.answers.ratio_high[span.column]),
        topic=candidate.topic,
        words=[spelled],
        here=span.here,
        rest=span.rest,
        sections=evidence.section_bow.first_row is not None,
        answer=stored_answer(span.answers, span.column, spans_of_set.unit),
        whose=span.whose,
    )
    documents = np.unique(
        evidence.section_bow.documents_of(evidence.word_topics.rows_of_word(candidate.word)[0])
    )
    periods_with_more = np.unique(spans_of_set.calendar.group[with_more])
    periods = sum(1 << int(period) for period in periods_with_more if period >= 0)
    return EventOfWord(event, periods, documents[with_more[documents]])


def _documents_with_more(spans_of_set: SpansOfSet, span: AcceptedSpan) -> np.ndarray:
    """bool[D]: the documents of the side that has more."""
    if span.more:
        return span.on_a
    if span.on_b is not None:
        return span.on_b
    return ~span.on_a & (spans_of_set.calendar.group >= 0)


def _score(spans_of_set: SpansOfSet, span: AcceptedSpan) -> float:
    """What the two shares tell, times how sure that is and how many times as many they are."""
    sizes = spans_of_set.spans.outcome.sizes
    compared = span.on_b
    if compared is None:
        compared = (spans_of_set.calendar.group >= 0) & ~span.on_a
    part = float(sizes[span.on_a].sum() / max(sizes[span.on_a | compared].sum(), 1.0))
    times = _times_as_many(span.here, span.rest, span.more)
    weight = 1.0 if span.more and span.shape != "line" else FADING
    root_divergence = math.sqrt(divergence(span.here, span.rest, part))
    return root_divergence * span.certainty * math.log(times) * weight


def _times_as_many(share_then: float, share_otherwise: float, has_grown: bool) -> float:
    if has_grown:
        return sentence_thresholds.times_as_many(share_then, share_otherwise)
    return sentence_thresholds.times_as_many(share_otherwise, share_then)


def _join_events(events_of_words: list[EventOfWord]) -> list[Event]:
    """Words that come, or go, at the same time in the same documents are one event, named by its
    strongest."""
    strongest: list[EventOfWord] = []
    for event_of_word in sorted(
        events_of_words, key=lambda event_of_word: -event_of_word.event.score
    ):
        event = event_of_word.event
        places_alike = [
            row
            for row, stronger_event in enumerate(strongest)
            if _is_same(event_of_word, stronger_event)
        ]
        if not places_alike:
            again = any(stronger_event.event.topic == event.topic for stronger_event in strongest)
            score = event.score * (
                FURTHER_EVENT_FACTOR if again else 1.0
            )  # of each topic one event first
            strongest.append(event_of_word._replace(event=replace(event, score=score)))
            continue
        stronger = strongest[places_alike[0]]
        words = stronger.event.words
        is_new = not any(alike(event.words[0], word) for word in words)
        if len(words) < MOST_WORDS and is_new:
            joined = replace(stronger.event, words=[*words, *event.words])
            strongest[places_alike[0]] = stronger._replace(event=joined)
    return [event_of_word.event for event_of_word in strongest]


def _is_same(event_of_word: EventOfWord, stronger: EventOfWord) -> bool:
    if event_of_word.event.more != stronger.event.more:
        return False
    common = (event_of_word.periods & stronger.periods).bit_count()
    if common < SHARED_BY_WORDS * (event_of_word.periods | stronger.periods).bit_count():
        return False
    shared_documents = len(
        np.intersect1d(stronger.documents, event_of_word.documents, assume_unique=True)
    )
    if shared_documents < SHARED_BY_WORDS * min(
        len(stronger.documents), len(event_of_word.documents)
    ):
        return False
    return event_of_word.event.is_comparably_strong(stronger.event)


def are_at_one_time(a: Event, b: Event, near: float) -> bool:
    """Whether two events are one: both have one shape, steps at most `near` years apart, windows
    with much time in common."""
    if (a.shape, a.more) != (b.shape, b.more):
        return False
    a_begins, a_ends = a.years
    b_begins, b_ends = b.years
    if a.shape == "step":
        return abs(a_begins - b_begins) <= near
    common = min(a_ends, b_ends) - max(a_begins, b_begins)
    return common >= OVERLAP * (max(a_ends, b_ends) - min(a_begins, b_begins))
