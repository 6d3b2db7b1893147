"""Sums over units: what is independent of each other."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix

from inference.answers.outcome import Outcome
from inference.answers.question import Question
from inference.kernels import rng
from inference.runtime.arrays import ABOVE_ZERO

# Of more units, random ones are added up to so many sums: those of independent units are independent
# of each other, too, so shares stay exact, and errors lose next to nothing
MOST_UNITS = 20_000
MOST_CELLS = 10_000_000  # rows x columns: 80 MB
LEAST_SUMS = 25  # as few as they get in the largest collections: the degrees of freedom tell it
LARGEST_TABLE = 8  # entries of a table for each number that is looked up


@dataclass(frozen=True)
class UnitSums:
    """Cells: the documents of one unit in one group.

    amounts: float64[C, T]; sizes: float64[C], above 0; unit, group: int64[C], of each cell. units:
    U. code: int64[U], of each unit, what the question calls it, or -1 for a document that stands
    for itself and for several that were added up. apart: whether every unit, before some were added
    up, is in one group only; of_group: int64[G], units in each group then; independent: how many
    there were; effective: (sum of sizes)^2 / sum of squares, of the same.
    """

    amounts: np.ndarray
    sizes: np.ndarray
    unit: np.ndarray
    group: np.ndarray
    units: int
    code: np.ndarray
    apart: bool
    of_group: np.ndarray
    independent: int
    effective: float

    @property
    def nested(self) -> bool:
        """Whether every unit is in one group only, and none was added to others."""
        return len(self.unit) == self.units

    @cached_property
    def totals(self) -> tuple[np.ndarray, np.ndarray]:
        """Amounts and sizes of each unit, in whatever group: float64[U, T] and [U]."""
        if self.nested:
            return self.amounts, self.sizes
        member = csr_matrix(
            (np.ones(len(self.unit)), (self.unit, np.arange(len(self.unit)))),
            shape=(self.units, len(self.unit)),
        )
        return member @ self.amounts, np.asarray(member @ self.sizes)

    def of_sides(self, group: int) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """Amounts and sizes of each unit within a group, and elsewhere: float64[U, T] and [U]."""
        cells = np.flatnonzero(self.group == group)
        amounts, sizes = self.totals
        own_amounts = np.zeros_like(amounts)
        own_sizes = np.zeros_like(sizes)
        own_amounts[self.unit[cells]] = self.amounts[cells]
        own_sizes[self.unit[cells]] = self.sizes[cells]
        return (own_amounts, own_sizes), (amounts - own_amounts, sizes - own_sizes)


def sum_units(outcome: Outcome, question: Question) -> UnitSums:
    """One pass over the documents. Those of no group, or without size, are left out."""
    sizes = outcome.sizes
    documents_in = np.flatnonzero((question.group >= 0) & (sizes > 0))
    unit, code = _number_units(question.unit, documents_in)
    units = len(code)
    group = question.group[documents_in].astype(np.int64)
    of_units = np.bincount(unit, weights=sizes[documents_in], minlength=units)
    effective = float(of_units.sum() ** 2 / max((of_units**2).sum(), ABOVE_ZERO))

    pairs, cell = number_codes(unit * question.groups + group)
    of_group = np.bincount(pairs % question.groups, minlength=question.groups)
    are_documents = len(pairs) == units
    cells = pairs
    most_units = _most_sums(outcome.columns, int(np.count_nonzero(of_group)))
    if units > MOST_UNITS or len(pairs) * outcome.columns > MOST_CELLS:
        most_units = min(most_units, units)
        unit = (rng.shuffled(units, rng.stream(rng.UNITS_ADDED)) % most_units)[unit]
        code = np.full(most_units, -1)
        cells, cell = number_codes(unit * question.groups + group)

    of_document = np.full(len(sizes), -1, np.int64)
    of_document[documents_in] = cell
    return UnitSums(
        amounts=outcome.summed(of_document, len(cells)),
        sizes=np.bincount(cell, weights=sizes[documents_in], minlength=len(cells)),
        unit=cells // question.groups,
        group=cells % question.groups,
        units=len(code),
        code=code,
        apart=are_documents,
        of_group=of_group,
        independent=units,
        effective=effective,
    )


def _number_units(
    unit: np.ndarray | None, documents_in: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Units of some documents, numbered without gaps, and the code of each."""
    if unit is None:
        return np.arange(len(documents_in)), np.full(len(documents_in), -1, np.int64)
    codes = unit[documents_in].astype(np.int64)
    alone = codes < 0
    first_alone = codes.max(initial=-1) + 1
    codes[alone] = first_alone + np.arange(np.count_nonzero(alone))
    code, place = number_codes(codes)
    return place, np.where(code >= first_alone, -1, code)


def number_codes(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the different codes, ascending; int64[n]: the place of each among them). codes: int64[n], 0
    or more. As numpy.unique, which sorts, but by a table where codes are no larger than that."""
    largest = int(codes.max(initial=-1))
    if largest >= LARGEST_TABLE * max(len(codes), 1):
        return np.unique(codes, return_inverse=True)
    present = np.zeros(largest + 1, bool)
    present[codes] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[codes]


def _most_sums(columns: int, groups: int) -> int:
    """Each may be in every group."""
    return max(min(MOST_UNITS, MOST_CELLS // max(columns * groups, 1)), LEAST_SUMS)
