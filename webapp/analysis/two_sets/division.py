"""Which documents are on either side of a comparison."""

from typing import NamedTuple

import numpy as np

from inference.documents import numbers_of_mask
from inference.errors import Invalid, number_of
from webapp.analysis.two_sets.compared_sets import Side, nothing_on
from webapp.core.documents import document_days, sums
from webapp.core.documents.selection import RunSelection


class Division(NamedTuple):
    """The documents of both sides. days: of each, where days alone say what is on it; else numbers:
    int32, ascending, of each, None for all that are not on the first. key: what names the division
    among those of the documents that both are parts of."""

    documents: list[int]
    days: list[sums.Spans] | None
    numbers: tuple[np.ndarray, np.ndarray | None] | None
    key: tuple

    def of_both(self, base: RunSelection) -> tuple[np.ndarray, np.ndarray | None]:
        """int32, ascending: the documents of either side; None for all that are not on the first.
        Those of days are looked for, which takes a pass over all documents."""
        if self.numbers:
            return self.numbers
        assert self.days is not None
        days = document_days.read_days(base.version)
        first, second = (_numbers_within(spans, days) for spans in self.days)
        return first, second


def _numbers_within(spans: sums.Spans, days: np.ndarray) -> np.ndarray:
    """int32, ascending: the documents whose day is within one of the spans."""
    return numbers_of_mask(
        np.logical_or.reduce([(days >= start) & (days < end) for start, end in spans])
    )


def divide(base: RunSelection, side_a: Side, side_b: Side) -> Division:
    """Raises Invalid where a side has no documents, or where one document is on both."""
    days = None
    numbers = None
    if all(documents.is_only_days for documents in (base, side_a.documents, side_b.documents)):
        span = base.day_range
        span_a = side_a.documents.day_range
        span_b = side_b.documents.day_range
        span_of_a = sums.within([span], [span_a])
        of_b = sums.without(span, span_of_a) if side_b.complement else sums.within([span], [span_b])
        days = [span_of_a, of_b]
        *counts, shared = sums.counts_of_days(
            base, [span_of_a, of_b, sums.within(span_of_a, of_b)]
        ).tolist()
    else:
        numbers, counts, shared = _divided_by_numbers(base, side_a, side_b)
    if shared:
        raise Invalid(
            "from_b",
            f"{number_of(shared, 'document is', 'documents are')} on both sides. Choose two sets that have no document in"
            " common, such as 1930–1939 and 1990–1999.",
        )
    for side, count in zip((side_a, side_b), counts, strict=True):
        if not count:
            raise Invalid("from_a", nothing_on(side.name))
    key = (*side_a.documents.parameters, "and", *side_b.documents.parameters, side_b.complement)
    return Division(counts, days, numbers, key)


def _divided_by_numbers(
    base: RunSelection, side_a: Side, side_b: Side
) -> tuple[tuple[np.ndarray, np.ndarray | None], list[int], int]:
    """Numbers of either side's documents, None for all that are not on the first; how many each
    has, and how many are on both."""
    first = _within(side_a.documents, base)
    second = _within(side_b.documents, base)
    assert first is not None, "a side is what conditions choose"
    in_first = np.zeros(base.version.documents, bool)
    in_first[first] = True
    shared = 0
    if not side_b.complement:
        shared = int(np.count_nonzero(in_first[second]))
    elif second is not None:
        second = second[~in_first[second]]
    other_documents = base.version.documents - len(first) if second is None else len(second)
    return (first, second), [len(first), other_documents], shared


def _within(selection: RunSelection, base: RunSelection) -> np.ndarray | None:
    """int32, ascending: the documents of a set that are also in another; None for all."""
    numbers = selection.numbers
    if base.mask is None or numbers is None:
        return numbers
    return numbers[base.mask[numbers]]


def side_of_documents(base: RunSelection, sides: Division) -> np.ndarray:
    """int32[D]: 0 or 1, the side of each document; -1 for neither."""
    first, second = sides.of_both(base)
    if second is None:
        side = np.ones(base.version.documents, np.int32)
    else:
        side = np.full(base.version.documents, -1, np.int32)
        side[second] = 1
    side[first] = 0
    return side
