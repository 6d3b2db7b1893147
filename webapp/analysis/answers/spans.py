"""What changed over time in a set of documents, answered once: the overview's changes, and a span
of time compared with all other time, are questions to the same spans."""

from typing import NamedTuple

import numpy as np

from inference.answers import Answers, periods, spans
from inference.answers.outcome import Outcome
from inference.answers.spans import Spans, Speakers
from webapp.core.documents import corpus_unit, document_days
from webapp.core.documents.selection import Selection
from webapp.models import Version


class Calendar(NamedTuple):
    """length: of the periods. numbers: int64[G], ascending, of those with documents, as
    inference.answers.periods has them; group: int32[D], the place of each document's period, -1 for
    a document outside the set or without a date. days: int64[D], date.toordinal(), 0 for none."""

    length: periods.Length
    numbers: np.ndarray
    group: np.ndarray
    days: np.ndarray


def calendar_of(days: np.ndarray, mask: np.ndarray | None) -> Calendar | None:
    """The finest periods that are not too many; None where documents have fewer than two of them.
    days: int[D], date.toordinal(), 0 for none; mask: bool[D], the documents of a set; None: all."""
    dated = np.flatnonzero((days > 0) if mask is None else (days > 0) & mask)
    if not len(dated):
        return None
    length = periods.finest_length(days[dated])
    numbers, period_of_document = np.unique(
        periods.numbers_of(days[dated], length), return_inverse=True
    )
    if len(numbers) < 2:
        return None
    group = np.full(len(days), -1, np.int32)
    group[dated] = period_of_document
    return Calendar(length, numbers, group, np.asarray(days, np.int64))


class SpansOfSet(NamedTuple):
    """All spans of time of a set of documents. unit: whose texts count as one."""

    calendar: Calendar
    spans: Spans
    unit: corpus_unit.Unit

    @property
    def too_few_in_order(self) -> int:
        """See inference.answers.spans.Spans."""
        return self.spans.too_few_in_order

    def thirds(self) -> tuple[np.ndarray, np.ndarray] | None:
        """bool[D] each: the documents of the last and of the first third, as dates divide them;
        None where they can't."""
        thirds = self.spans.thirds()
        if thirds is None:
            return None
        group = self.calendar.group
        late, early = thirds
        begin = int(group[late & (group >= 0)].min())
        end = int(group[early & (group >= 0)].max())
        if begin <= end:
            return None
        return group >= begin, (group >= 0) & (group <= end)

    def answer(self, on_a: np.ndarray, on_b: np.ndarray | None = None) -> Answers:
        """See inference.answers.spans."""
        return self.spans.answer(on_a, on_b)


def look_through(
    selection: Selection,
    outcome: Outcome,
    longest: float = spans.LONGEST_WINDOW_SHARE,
    left_out: np.ndarray | None = None,
) -> SpansOfSet | None:
    """All spans of a set; None without two periods that have words. left_out: bool[D], documents
    that do not count."""
    unit = corpus_unit.unit_of(selection.version)
    speakers = _speakers(selection.version, unit)
    return _look_through(selection, outcome, unit, speakers, longest, left_out)


def of_documents(selection: Selection, outcome: Outcome) -> SpansOfSet | None:
    """All spans of a set, with documents as units, whoever speaks: for the question who speaks
    when."""
    unit = corpus_unit.Unit(None, corpus_unit.DOCUMENTS_UNSAID)
    return _look_through(selection, outcome, unit, None, spans.LONGEST_WINDOW_SHARE, None)


def _look_through(
    selection: Selection,
    outcome: Outcome,
    unit: corpus_unit.Unit,
    speakers: Speakers | None,
    longest: float,
    left_out: np.ndarray | None,
) -> SpansOfSet | None:
    calendar = calendar_of(document_days.read_days(selection.version), selection.mask)
    if calendar is None:
        return None
    period_of_document = calendar.group.astype(np.int64)
    if left_out is not None:
        period_of_document[left_out] = -1
    with_words = period_of_document[(period_of_document >= 0) & (outcome.sizes > 0)]
    if len(np.unique(with_words)) < 2:
        return None
    periods_of_set = spans.Periods(period_of_document, calendar.days)
    return SpansOfSet(
        calendar, spans.look_through(outcome, periods_of_set, speakers, longest), unit
    )


def _speakers(version: Version, unit: corpus_unit.Unit) -> Speakers | None:
    """Who speaks; None where documents are independent of each other."""
    if unit.field is None:
        return None
    codes = corpus_unit.codes(version, unit.field).astype(np.int64)
    return Speakers(codes, unit.field.correlation)
