"""What changed over time: topics, words, and who speaks when. Each is a question to the spans of
time that webapp.analysis.answers looks through; pages of two sets ask the same ones."""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csc_matrix

from inference.answers import Answers, spans, trivial
from inference.answers.outcome import Table
from inference.answers.spans import Candidate
from inference.explore.naming import alike
from webapp.analysis.answers import spans as answers_over_time
from webapp.analysis.answers.spans import SpansOfSet
from webapp.analysis.findings import kinds, trivial_words
from webapp.analysis.findings.keywords import finite, stored
from webapp.core.documents import fields, units

if TYPE_CHECKING:
    from webapp.analysis.findings.compute import Context

LEAST_SHARE = 0.005  # of the side that has more
LEAST_RATIO = 1.5  # of the two shares
# tokens of a topic, and documents that have it, on the side that has more
WORDS = 50
HOLDING = 10
TRIED = 6  # spans of a topic that may be told
SPEAKERS = 40  # values of the unit of which it is told when they speak
MOST_DOCUMENTS = 0.5  # of a span, that are of one who speaks
EVENT_WORDS = 1_500  # words that are looked at, those of most documents in their topic
EVENT_DOCUMENTS = 6  # of an event, at least
MOST_POSTINGS = 20_000_000  # of words, in all, that are counted; of more an even sample
TOGETHER = 0.5  # of the periods, and of the documents, that two words of one event share
WORDS_OF_EVENT = 3
AGAIN = 0.5  # by which the score of a further event of a topic is taken
FADING = 0.5  # by which that of a word is taken that goes, or came all along
CERTAIN = 3.0  # errors from which a difference is half as telling as a sure one


class Told(NamedTuple):
    """A span that may be told. on_a, on_b: bool[D], what is compared; column: of `found`, which is
    the answer; first, last: the places of the periods that have more, or of a step those since it;
    whose: the unit that has most of it, "" where it is not one unit's."""

    shape: kinds.Shape
    on_a: np.ndarray
    on_b: np.ndarray | None
    more: bool
    first: int
    last: int
    found: Answers
    column: int
    whose: str

    @property
    def here(self) -> float:
        """The topic's share of the words of `on_a`, 0 to 1."""
        return float(self.found.a[self.column])

    @property
    def rest(self) -> float:
        """The topic's share of the words that those are compared with, 0 to 1."""
        return float(self.found.b[self.column])

    @property
    def certainty(self) -> float:
        """0 to 1."""
        size = abs(float(self.found.difference[self.column] / self.found.error[self.column]))
        return size / (size + CERTAIN)


class Asker:
    """Asks for the spans of one table of topics or words, each once."""

    def __init__(self, context: Context, looked: SpansOfSet):
        self.context = context
        self.looked = looked
        self._found: dict[tuple[int, int, bool], Answers] = {}

    def told(self, column: int, alone: bool) -> list[Told]:
        """Spans of a column that are beyond chance and worth a sentence, the clearest first. alone:
        whether to compute the answers of this column alone."""
        several = []
        tried = self.looked.looked.candidates(column)
        for candidate, _ in zip(tried, range(TRIED), strict=False):
            one = self._asked(candidate, column, alone)
            if one is not None and _worth_telling(one):
                several.append(one)
        return several

    def _asked(self, candidate: Candidate, column: int, alone: bool) -> Told | None:
        """The question of a span, and its answer; None where it is not accepted, or one unit's that
        has no name."""
        shape = candidate.shape
        on_b = None
        if shape == "line":
            thirds = self.looked.thirds()
            if thirds is None:
                return None
            on_a, on_b = thirds
            first, last = self._ends_of(on_a)
            more = candidate.more
        else:
            first, last = self._ends_of(candidate.inside)
            shape, first, last, more = self._opened(first, last, candidate.more)
            group = self.looked.calendar.group
            on_a = (group >= first) & (group <= last)
        found, place = self._answer(column, alone, (on_a, on_b), (first, last))
        if not found.accepted[place] or (found.difference[place] > 0) != more:
            return None
        whose = ""
        if found.verdict_of(place) == "one unit":
            whose = self.context.unit_name(int(found.largest[place])) if more else ""
            if not whose:
                return None
        return Told(shape, on_a, on_b, more, first, last, found, place, whose)

    def _answer(
        self,
        column: int,
        alone: bool,
        sides: tuple[np.ndarray, np.ndarray | None],
        ends: tuple[int, int],
    ) -> tuple[Answers, int]:
        """The answer, and the column in it."""
        if alone:
            return self.looked.looked.of_column(column).answer(*sides), 0
        key = (*ends, sides[1] is None)
        if key not in self._found:
            self._found[key] = self.looked.answer(*sides)
        return self._found[key], column

    def _ends_of(self, inside: np.ndarray) -> tuple[int, int]:
        group = self.looked.calendar.group[inside]
        return int(group.min()), int(group.max())

    def _opened(self, first: int, last: int, more: bool) -> tuple[kinds.Shape, int, int, bool]:
        """A span that ends with the last period is a step, "since"; so is one that begins with the
        first, of what came after it, "until". What the last period alone has more is a window."""
        end = self._last_period
        begins = first <= self._first_period
        ends = last >= end
        if begins == ends or (first == last == end and more):
            return "window", first, last, more
        if ends:
            return "step", first, end, more
        return "step", last + 1, end, not more

    @cached_property
    def _periods_with_words(self) -> np.ndarray:
        known = self.looked.looked.position >= 0
        return np.unique(self.looked.calendar.group[known])

    @property
    def _first_period(self) -> int:
        return int(self._periods_with_words[0])

    @property
    def _last_period(self) -> int:
        return int(self._periods_with_words[-1])


def _worth_telling(told: Told) -> bool:
    here = told.here
    rest = told.rest
    return max(here, rest) >= LEAST_RATIO * min(here, rest)


# Topics


def changed(context: Context) -> list[kinds.Change]:
    """Topics whose share changed, as far as that is not a change of who speaks."""
    spans_asked = context.spans
    if spans_asked is None:
        return []
    asker = Asker(context, spans_asked.spans)
    rows = []
    for column, topic in enumerate(spans_asked.topics):
        if not context.subjects[topic]:
            continue
        for told in asker.told(column, alone=False):
            row = _change(context, spans_asked.spans, topic, told)
            if row is not None:
                rows.append(row)
                break
    return rows


def _change(context: Context, looked: SpansOfSet, topic: int, told: Told) -> kinds.Change | None:
    """A change as it is stored; None where it is too small, comes again every year, or where no word
    of the topic moves so."""
    sums_by_period = context.by_period
    assert sums_by_period is not None
    group = context.times.group
    periods = np.arange(context.times.G)
    inside = (periods >= told.first) & (periods <= told.last)
    outside = ~inside
    if told.on_b is not None:
        outside = periods <= int(group[told.on_b].max())
    here = told.here
    rest = told.rest
    with_more = inside if here > rest else outside
    if sums_by_period.x[with_more, topic].sum() < WORDS or max(here, rest) < LEAST_SHARE:
        return None
    if sums_by_period.holding[with_more, topic].sum() < HOLDING:
        return None
    if told.shape == "window" and told.more and _comes_again(looked, told, told.column):
        return None
    log_ratio = math.log(max(here, 1e-6) / max(rest, 1e-6))
    called = context.names.checked(topic, group, inside, outside, log_ratio)
    if called is None:
        return None
    part = float(
        sums_by_period.tokens[inside].sum() / max(sums_by_period.tokens[inside | outside].sum(), 1)
    )
    return kinds.Change(
        **vars(_shaped(context, told)),
        score=math.sqrt(information(here, rest, part)) * told.certainty,
        estimate=finite(told.found.ratio[told.column]),
        low=finite(told.found.ratio_low[told.column]),
        high=finite(told.found.ratio_high[told.column]),
        line=context.times.line(sums_by_period.x[:, topic], sums_by_period.tokens),
        topic=topic,
        above_all=called,
        here=_share(told, 0),
        rest=_share(told, 1),
        answer=stored(told.found, told.column, looked.unit),
        whose=told.whose,
    )


def _comes_again(looked: SpansOfSet, told: Told, column: int) -> bool:
    """Whether the same months of other years have nearly as much."""
    days = np.where(looked.looked.position >= 0, looked.calendar.days, 0)
    outcome = looked.looked.outcome.only(column)
    return bool(trivial.comes_again(outcome, days, told.on_a)[0])


def _share(told: Told, side: int) -> kinds.ShareInterval:
    low, high = told.found.ends(side)
    share = told.found.b if side else told.found.a
    return float(share[told.column]), float(low[told.column]), float(high[told.column])


def _shaped(context: Context, told: Told) -> kinds.Shaped:
    """Where a change lies, and how, as addresses have it. A step that rises has no end, one that
    falls is told by what was until then."""
    times = context.times
    is_line = told.shape == "line"
    early = ""
    if told.on_b is not None:
        early = times.ends[int(times.group[told.on_b].max())]
    return kinds.Shaped(
        first=times.names[0] if is_line else times.names[told.first],
        last=times.ends[-1] if is_line else times.ends[told.last],
        shape=told.shape,
        more=told.more,
        until=times.ends[told.first - 1] if told.shape == "step" else "",
        turn=times.names[told.first] if is_line else "",
        early=early,
    )


def information(a: float, b: float, part: float) -> float:
    """Nats for each word that two shares tell more than one: `part` of the words has share a, the
    rest b."""
    mean = part * a + (1 - part) * b
    if not 0 < mean < 1:
        return 0.0

    def nats(x: float) -> float:
        more = x * math.log(max(x, 1e-12) / mean)
        return more + (1 - x) * math.log(max(1 - x, 1e-12) / (1 - mean))

    return max(part * nats(a) + (1 - part) * nats(b), 0.0)


# Words over time


class Burst(NamedTuple):
    """periods: a bit for each period that the event covers; documents: that have its first word when
    there is more of it."""

    event: kinds.Event
    periods: int
    documents: np.ndarray


def events(context: Context, told: Container[tuple[int, bool]]) -> list[kinds.Event]:
    """Words that may stand for a topic, by the share of documents, or of their sections, that have
    them: short bursts, and lines and steps where the topic's own are not `told`, (topic, whether it
    rose)."""
    topic_of_word = context.names.eventful
    postings = context.counted.postings
    candidates = sorted(
        topic_of_word, key=lambda word: int(postings.indptr[word] - postings.indptr[word + 1])
    )[:EVENT_WORDS]
    if not candidates:
        return []
    outcome = _documents_with(context, candidates)
    longest = spans.SHORT
    looked = answers_over_time.look_through(
        context.selection, outcome, longest, left_out=context.repeated
    )
    if looked is None:
        return []
    asker = Asker(context, looked)
    untold = _untold(context, outcome, [context.names.spelling[word] for word in candidates])
    bursts = []
    for column, word in enumerate(candidates):
        if column in untold:
            continue
        topic = topic_of_word[word]
        for span in asker.told(column, alone=True):
            if span.shape != "window" and (topic, span.more) in told:
                continue
            burst = _burst(context, looked, word, topic, column, span)
            if burst is not None:
                bursts.append(burst)
                break
    return _joined(bursts)


def _documents_with(context: Context, listed: list[int]) -> Table:
    """How many sections of each document have each word, and how many it has; of whole documents 0
    or 1."""
    counted = context.counted
    rows = counted.rows
    documents = len(context.times.group)
    document = np.where(rows.lengths > 0, rows.documents_of(np.arange(rows.D)), -1)
    sizes = np.bincount(document[document >= 0], minlength=documents).astype(float)
    postings = counted.postings
    in_all = sum(int(postings.indptr[word + 1] - postings.indptr[word]) for word in listed)
    step = max(1, in_all // MOST_POSTINGS)
    having = [document[counted.word_rows(word)[0][::step]] for word in listed]
    having = [several[several >= 0] for several in having]
    column = np.repeat(np.arange(len(listed)), [len(several) for several in having])
    amounts = np.full(len(column), float(step))
    shape = (documents, len(listed))
    return Table(csc_matrix((amounts, (np.concatenate(having), column)), shape=shape), sizes)


def _untold(context: Context, outcome: Table, words: list[str]) -> set[int]:
    """Columns of words that are never told: signatures and forms; and where dates are of less than
    two years, so that nothing can be seen to come again, the names of months and days."""
    untold: set[int] = set()
    if context.unit is not None:
        unit = np.where(outcome.sizes > 0, context.unit, -1)
        untold = trivial_words.of_who_speaks(outcome.amounts, unit, context.dates)
    if not trivial.may_come_again(context.dates):
        untold |= trivial_words.of_the_calendar(context.run.version, words)
    return untold


def _burst(
    context: Context, looked: SpansOfSet, word: int, topic: int, column: int, told: Told
) -> Burst | None:
    """None where it comes again every year, is too small, or is somebody's own name."""
    here = told.here
    rest = told.rest
    spelled = context.names.spelling[word]
    if told.shape == "window" and told.more and _comes_again(looked, told, column):
        return None
    if told.whose and not trivial.telling_words([spelled], told.whose):
        return None
    group = looked.calendar.group
    with_more = told.on_a if told.more else ~told.on_a & (group >= 0)
    if told.on_b is not None and not told.more:
        with_more = told.on_b
    amounts = looked.looked.outcome.only(column).summed(np.where(with_more, 0, -1), 1)[0, 0]
    if amounts < EVENT_DOCUMENTS:
        return None
    sizes = looked.looked.outcome.sizes
    compared = told.on_b if told.on_b is not None else (group >= 0) & ~told.on_a
    part = float(sizes[told.on_a].sum() / max(sizes[told.on_a | compared].sum(), 1.0))
    times = _times_as_many(here, rest, told.more)
    weight = 1.0 if told.more and told.shape != "line" else FADING
    event = kinds.Event(
        **vars(_shaped(context, told)),
        score=math.sqrt(information(here, rest, part)) * told.certainty * math.log(times) * weight,
        estimate=finite(told.found.ratio[told.column]),
        low=finite(told.found.ratio_low[told.column]),
        high=finite(told.found.ratio_high[told.column]),
        topic=topic,
        words=[spelled],
        here=here,
        rest=rest,
        sections=context.counted.rows.first_row is not None,
        answer=stored(told.found, told.column, looked.unit),
        whose=told.whose,
    )
    documents = context.counted.rows.documents_of(context.counted.word_rows(word)[0])
    documents = np.unique(documents)
    periods = sum(1 << int(place) for place in np.unique(group[with_more]) if place >= 0)
    return Burst(event, periods, documents[with_more[documents]])


def _joined(bursts: list[Burst]) -> list[kinds.Event]:
    """Words that come, or go, at the same time in the same documents are one event, named by its
    strongest."""
    kept = list[Burst]()
    for burst in sorted(bursts, key=lambda burst: -burst.event.score):
        strongest = next((other for other in kept if _is_same(burst, other)), None)
        if strongest is None:
            again = any(other.event.topic == burst.event.topic for other in kept)
            score = burst.event.score * (AGAIN if again else 1.0)  # of each topic one event first
            kept.append(burst._replace(event=replace(burst.event, score=score)))
            continue
        words = strongest.event.words
        is_new = not any(alike(burst.event.words[0], word) for word in words)
        if len(words) < WORDS_OF_EVENT and is_new:
            words += burst.event.words
    return [burst.event for burst in kept]


def _is_same(burst: Burst, other: Burst) -> bool:
    if burst.event.more != other.event.more:
        return False
    common = (burst.periods & other.periods).bit_count()
    if common < TOGETHER * (burst.periods | other.periods).bit_count():
        return False
    both = len(np.intersect1d(other.documents, burst.documents, assume_unique=True))
    if both < TOGETHER * min(len(other.documents), len(burst.documents)):
        return False
    return _ratio(burst.event) ** 2 >= _ratio(other.event)


def _ratio(event: kinds.Event) -> float:
    return _times_as_many(event.here, event.rest, event.more)


def _times_as_many(here: float, rest: float, more: bool) -> float:
    return here / max(rest, 1e-4) if more else rest / max(here, 1e-4)


# Who speaks when


def who_speaks(context: Context) -> list[kinds.Speaker]:
    """Who has most documents of a span: what else would be told as a change of subject."""
    field = units.unit_of(context.run.version).field
    categories = [] if field is None else fields.categories(context.run.version)
    categories_named = [
        category for category in categories if field and category.name in field.names
    ]
    if not categories_named or len(categories_named[0].values) > SPEAKERS:
        return []
    category = categories_named[0]
    codes = fields.values(context.run.version, category)
    is_counted = (codes >= 0) & (context.counted.lengths > 0)
    counted_documents = np.flatnonzero(is_counted)
    shape = (len(codes), len(category.values))
    outcome = Table(
        csc_matrix(
            (np.ones(len(counted_documents)), (counted_documents, codes[counted_documents])),
            shape=shape,
        ),
        is_counted.astype(float),
    )
    looked = answers_over_time.of_documents(context.selection, outcome)
    if looked is None:
        return []
    asker = Asker(context, looked)
    rows = []
    for column, value in enumerate(category.values):
        for told in asker.told(column, alone=False):
            if told.shape == "line" or not told.more or told.here < MOST_DOCUMENTS:
                continue
            rows.append(
                kinds.Speaker(
                    **vars(_shaped(context, told)),
                    field=category.name,
                    value=value,
                    score=(told.here - told.rest) * told.certainty,
                    estimate=told.here,
                    here=told.here,
                    rest=told.rest,
                )
            )
            break
    return rows
