"""Spans of time in which topics, words, or those who speak changed. Each is a question to the spans
that webapp.analysis.answers looks through; pages of two sets ask the same ones."""

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np

from inference.answers import Answers, Verdict, trivial
from inference.answers.spans import Candidate, SpanKind
from webapp.analysis.answers.spans import SpansOfSet
from webapp.analysis.findings import sentence_thresholds
from webapp.analysis.findings.document_set import DocumentSet
from webapp.analysis.findings.spans_and_groups import Shaped

TRIED = 6  # spans of a topic that may be told
SIDES = 3  # of a window: before it, within, after it
# Where texts of the same speakers are compared, the share of one side is what these say then. A
# sentence says it beside the counted share where it is clearly another: a tenth of the larger one
# apart, as a reader divides the shares of a sentence, and more than 0.1% of the words. With a quarter
# “24% since July, 4.0% before” was said to be 4.5 times as much, as the same packages had 5.3%.
NEARLY_COUNTED = 0.1
LEAST_TOLD = 0.001


class AcceptedSpan(NamedTuple):
    """A span whose difference is more than chance. on_a, on_b: bool[D], what is compared, on_b None
    for all other time; column: of `answers`, which is the answer; first, last: the places of the
    periods that have more, or of a step those since it; whose: the unit that has most of it, ""
    where it is not one unit's; counted_shares: of all texts, the share within the span and the one that it
    is compared with, 0 to 1; same: the field whose values both shares of the answer have alike, ""
    where these are nearly the counted ones."""

    shape: SpanKind
    on_a: np.ndarray
    on_b: np.ndarray | None
    more: bool
    first: int
    last: int
    answers: Answers
    column: int
    whose: str
    counted_shares: tuple[float, float]
    same: str

    @property
    def here(self) -> float:
        """The share within the span, 0 to 1, as the answer has it."""
        return float(self.answers.a[self.column])

    @property
    def rest(self) -> float:
        """The share that it is compared with, 0 to 1."""
        return float(self.answers.b[self.column])

    @property
    def certainty(self) -> float:
        """0 to 1."""
        return sentence_thresholds.certainty(self.answers, self.column)

    @property
    def is_large(self) -> bool:
        """Whether the larger share is so many times the smaller one that it is worth a sentence."""
        return sentence_thresholds.is_large(self.here, self.rest)

    def periods_with_more(self, group: np.ndarray, G: int) -> np.ndarray:
        """bool[G]: of the two sides that are compared the periods of the one that has more. group:
        int32[D], the period of each document."""
        inside, outside = self.periods_of_sides(group, G)
        return inside if self.here > self.rest else outside

    def periods_of_sides(self, group: np.ndarray, G: int) -> tuple[np.ndarray, np.ndarray]:
        """bool[G] each: the periods of both sides. group: int32[D], of each document."""
        periods = np.arange(G)
        inside = (periods >= self.first) & (periods <= self.last)
        if self.on_b is None:
            return inside, ~inside
        return inside, periods <= int(group[self.on_b].max())


class SpanAsker:
    """Asks for the spans of one table of topics or words, each once. unit_name: what documents say
    of one who speaks, by the code of the unit; "" where no field names it."""

    def __init__(self, spans_of_set: SpansOfSet, unit_name: Callable[[int], str]):
        self.spans_of_set = spans_of_set
        self.unit_name = unit_name
        self._found: dict[tuple[int, int, bool], Answers] = {}

    def accepted(self, column: int, one_topic_only: bool) -> Iterator[AcceptedSpan]:
        """Spans of a column that are beyond chance and worth a sentence, the clearest first.
        one_topic_only: whether to compute the answers of this column alone."""
        for candidate in islice(self.spans_of_set.spans.candidates(column), TRIED):
            span = self._ask(candidate, column, one_topic_only)
            if span is not None and span.is_large:
                yield span

    def _ask(self, candidate: Candidate, column: int, one_topic_only: bool) -> AcceptedSpan | None:
        """The question of a span, and its answer; None where it is not accepted, or one unit's that
        has no name."""
        shape = candidate.shape
        on_b = None
        if shape == "line":
            thirds = self.spans_of_set.thirds()
            if thirds is None:
                return None
            on_a, on_b = thirds
            first, last = self._ends_of(on_a)
            is_more = candidate.more
        else:
            first, last = self._ends_of(candidate.inside)
            shape, first, last, is_more = self._opened(first, last, candidate.more)
            if shape == "window" and not is_more:
                shape, first, last, is_more = self.reaching_to_none(column, first, last)
            if shape == "window" and is_more:
                first, last = self.without_empty_ends(column, first, last)
            group = self.spans_of_set.calendar.group
            on_a = (group >= first) & (group <= last)
        answers, column_of_answer = self._answer(
            column, one_topic_only, (on_a, on_b), (first, last)
        )
        if (
            not answers.accepted[column_of_answer]
            or (answers.difference[column_of_answer] > 0) != is_more
        ):
            return None
        if shape == "window" and not self.is_apart(column, first, last, is_more):
            return None
        counted_shares = self.shares_as_counted(column, on_a, on_b)
        if (counted_shares[0] > counted_shares[1]) != is_more:
            return None  # its own picture would deny it
        whose = ""
        if answers.verdict_of(column_of_answer) is Verdict.ONE_UNIT:
            whose = self.unit_name(int(answers.largest[column_of_answer])) if is_more else ""
            if not whose:
                return None
        shares = (float(answers.a[column_of_answer]), float(answers.b[column_of_answer]))
        return AcceptedSpan(
            shape=shape,
            on_a=on_a,
            on_b=on_b,
            more=is_more,
            first=first,
            last=last,
            answers=answers,
            column=column_of_answer,
            whose=whose,
            counted_shares=counted_shares,
            same="" if is_nearly_counted(counted_shares, shares) else self.spans_of_set.unit.name,
        )

    def shares_as_counted(
        self, column: int, on_a: np.ndarray, on_b: np.ndarray | None
    ) -> tuple[float, float]:
        """The column's share of all words of each side, 0 to 1, whoever speaks there: what a curve
        of the share shows. on_a, on_b: as in AcceptedSpan."""
        is_other_side = ~on_a if on_b is None else on_b
        has_period = self.spans_of_set.spans.position >= 0
        side = np.select([~has_period, on_a, is_other_side], [-1, 0, 1], -1)
        shares, _ = self._counted_shares(column, side, 2)
        within, outside = shares.tolist()
        return within, outside

    def is_apart(self, column: int, first: int, last: int, has_more: bool) -> bool:
        """Whether a window has more, or less, than the time before it and than the time after it, each
        by itself. Of both together a window would be told where the times before it were alike, and a
        step is what happened."""
        group = self.spans_of_set.calendar.group
        is_counted = (self.spans_of_set.spans.position >= 0) & (group >= 0)
        side = np.select([~is_counted, group < first, group > last], [-1, 0, 2], 1)
        shares, sizes = self._counted_shares(column, side, SIDES)
        before, within, after = shares.tolist()
        shares_outside = []
        if sizes[0]:
            shares_outside.append(before)
        if sizes[2]:
            shares_outside.append(after)
        return all(
            (within > share) == has_more and sentence_thresholds.is_large(within, share)
            for share in shares_outside
        )

    def _counted_shares(
        self, column: int, side: np.ndarray, sides: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """float64[sides] each: the column's share of all words of each side, whoever speaks there,
        0 of a side without words; and the words. side: int[D], -1 for documents on none."""
        outcome = self.spans_of_set.spans.outcome.only(column)
        amounts = outcome.summed(side, sides)[:, 0]
        is_on_side = side >= 0
        sizes = np.bincount(side[is_on_side], outcome.sizes[is_on_side], sides)
        return amounts / np.maximum(sizes, 1.0), sizes

    def reaching_to_none(
        self, column: int, first: int, last: int
    ) -> tuple[SpanKind, int, int, bool]:
        """A window with less as it is told: shape, first, last and whether there is more. Where it
        has none, and no time before it has any, or none after it, it is the step that happened: a
        window would say that there was some in that time, too."""
        with_some = self._periods_with_some(column)
        end = int(self._periods_with_words[-1])
        has_some = (with_some >= first) & (with_some <= last)
        if not len(with_some) or has_some.any():
            return "window", first, last, False
        if with_some[0] > last:
            return self._opened(int(with_some[0]), end, True)
        if with_some[-1] < first:
            return self._opened(int(with_some[-1]) + 1, end, False)
        return "window", first, last, False

    def without_empty_ends(self, column: int, first: int, last: int) -> tuple[int, int]:
        """A window with more as it is told: its first and last period that have any of it. A few
        texts of a period before it hardly change the share, and the sentence would say that it began
        when there was none."""
        with_some = self._periods_with_some(column)
        with_some = with_some[(with_some >= first) & (with_some <= last)]
        if not len(with_some):
            return first, last
        return int(with_some[0]), int(with_some[-1])

    def _periods_with_some(self, column: int) -> np.ndarray:
        """int64[n], ascending: the periods that have any of a column."""
        group = self.spans_of_set.calendar.group
        is_counted = (self.spans_of_set.spans.position >= 0) & (group >= 0)
        amounts = self.spans_of_set.spans.outcome.only(column).summed(
            np.where(is_counted, group, -1), int(group.max()) + 1
        )
        return np.flatnonzero(amounts[:, 0] > 0)

    def _answer(
        self,
        column: int,
        one_topic_only: bool,
        sides: tuple[np.ndarray, np.ndarray | None],
        ends: tuple[int, int],
    ) -> tuple[Answers, int]:
        """The answer, and the column in it."""
        if one_topic_only:
            return self.spans_of_set.spans.of_column(column).answer(*sides), 0
        key = (*ends, sides[1] is None)
        if key not in self._found:
            self._found[key] = self.spans_of_set.answer(*sides)
        return self._found[key], column

    def _ends_of(self, inside: np.ndarray) -> tuple[int, int]:
        group = self.spans_of_set.calendar.group[inside]
        return int(group.min()), int(group.max())

    def _opened(self, first: int, last: int, is_more: bool) -> tuple[SpanKind, int, int, bool]:
        """A span that ends with the last period is a step, "since"; so is one that begins with the
        first, of what came after it, "until". What the last period alone has more is a window."""
        end = int(self._periods_with_words[-1])
        begins = first <= int(self._periods_with_words[0])
        ends = last >= end
        if begins == ends or (first == last == end and is_more):
            return "window", first, last, is_more
        if ends:
            return "step", first, end, is_more
        return "step", last + 1, end, not is_more

    @cached_property
    def _periods_with_words(self) -> np.ndarray:
        has_period = self.spans_of_set.spans.position >= 0
        return np.unique(self.spans_of_set.calendar.group[has_period])


def is_nearly_counted(counted_shares: tuple[float, float], shares: tuple[float, float]) -> bool:
    """Whether both shares of an answer are nearly the counted ones. counted_shares, shares: within a span
    and outside, 0 to 1."""
    pairs = zip(counted_shares, shares, strict=True)
    return all(is_nearly(counted, share) for counted, share in pairs)


def is_nearly(counted: float, share: float) -> bool:
    """Whether a share, such as that of the same speakers, is nearly the counted one."""
    return abs(counted - share) <= max(NEARLY_COUNTED * max(counted, share), LEAST_TOLD)


def comes_again(spans_of_set: SpansOfSet, span: AcceptedSpan, column: int) -> bool:
    """Whether it is a window that has more, and the same months of other years have nearly as
    much. column: of what was looked through."""
    if span.shape != "window" or not span.more:
        return False
    days = np.where(spans_of_set.spans.position >= 0, spans_of_set.calendar.days, 0)
    outcome = spans_of_set.spans.outcome.only(column)
    return bool(trivial.comes_again(outcome, days, span.on_a)[0])


def shape_of(document_set: DocumentSet, span: AcceptedSpan) -> Shaped:
    """Where a change lies, and how, as addresses have it. A step that rises has no end, one that
    falls is told by what was until then."""
    times = document_set.times
    is_line = span.shape == "line"
    early = ""
    if span.on_b is not None:
        early = times.ends[int(times.group[span.on_b].max())]
    return Shaped(
        first=times.names[0] if is_line else times.names[span.first],
        last=times.ends[-1] if is_line else times.ends[span.last],
        shape=span.shape,
        more=span.more,
        until=times.ends[span.first - 1] if span.shape == "step" else "",
        turn=times.names[span.first] if is_line else "",
        early=early,
        counted_shares=span.counted_shares,
        same=span.same,
    )
