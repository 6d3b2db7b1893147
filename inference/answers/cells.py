"""What is exchanged where something may have changed over time: what a unit says in a period among
its own periods; documents, where nobody speaks in several; whole units, where they follow one
another in time (presidents)."""

from typing import NamedTuple

import numpy as np

from inference.answers.outcome import Outcome
from inference.bow import ranges
from inference.documents import even_step
from inference.kernels import rng, spans as kernels
from inference.runtime.arrays import ABOVE_ZERO

MOST_AMOUNTS = 12_000_000  # cells x columns: 48 MB, and about a minute's thousand exchanges at most
SHORT_LIFE = 1 / 8  # of all time, that the usual unit's dates span where units follow one another
LEAST_CORRELATION = 1e-3


class Cells(NamedTuple):
    """C cells of documents, in the order of their pools. amounts: float32[C, T]; sizes: float64[C];
    period: int64[C]; starts: int64[P + 1], where the cells of each pool begin: within it periods
    are exchanged."""

    amounts: np.ndarray
    sizes: np.ndarray
    period: np.ndarray
    starts: np.ndarray

    @property
    def pool(self) -> np.ndarray:
        """int64[C]."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


class Mix(NamedTuple):
    """Who speaks, which is held constant. pool: int32[D], of each document whose unit it is, -1 for
    one that is left out; code: int64[U], what the question calls each unit; sizes: float64[U],
    words; amounts: float64[U, T]. trust: float64[U], how far a unit's own share is known; own:
    float64[U, T], what it always says, drawn towards the mean as its words say too little; mean:
    float64[T], what that leaves of all words."""

    pool: np.ndarray
    code: np.ndarray
    sizes: np.ndarray
    amounts: np.ndarray
    trust: np.ndarray
    own: np.ndarray
    mean: np.ndarray


def follow_each_other(unit: np.ndarray, days: np.ndarray) -> bool:
    """Whether units follow one another in time: the usual document's unit spans less than
    SHORT_LIFE of all dates. unit: int[D], below 0 for none; days: int[D], 0 for none."""
    valued = (unit >= 0) & (days > 0)
    if not valued.any():
        return False
    code = unit[valued]
    units = int(code.max()) + 1
    earliest = np.full(units, np.iinfo(np.int64).max)
    latest = np.zeros(units, np.int64)
    np.minimum.at(earliest, code, days[valued])
    np.maximum.at(latest, code, days[valued])
    span = (latest - earliest)[code]
    return bool(np.median(span) < SHORT_LIFE * np.ptp(days[valued]))


def in_order(unit: np.ndarray, days: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """int64[D]: the rank of each document's unit by its mean day, -1 for none. unit: int[D], below
    0 for none; days: int[D], 0 for none; sizes: float64[D], words."""
    valued = (unit >= 0) & (days > 0) & (sizes > 0)
    units = int(unit[valued].max(initial=-1)) + 1
    words = np.bincount(unit[valued], sizes[valued], minlength=units)
    mean = np.bincount(unit[valued], sizes[valued] * days[valued], minlength=units)
    mean = np.where(words > 0, mean / np.maximum(words, ABOVE_ZERO), np.inf)
    rank = np.empty(units, np.int64)
    rank[np.argsort(mean, kind="stable")] = np.arange(units)
    return np.where(valued, rank[np.where(valued, unit, 0)], -1)


def codes_in_order(unit: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """int64[U]: the code of the unit of each rank."""
    valued = np.flatnonzero(rank >= 0)
    codes = np.full(int(rank.max(initial=-1)) + 1, -1, np.int64)
    codes[rank[valued]] = unit[valued]
    return codes


def of_whole_units(outcome: Outcome, rank: np.ndarray, position: np.ndarray) -> Cells:
    """Each unit is a cell, in the place where it has most words. rank, position: int64[D], -1
    for none."""
    sizes = outcome.sizes
    present = np.flatnonzero((rank >= 0) & (position >= 0) & (sizes > 0))
    positions = int(position.max()) + 1
    pairs, pair = np.unique(rank[present] * positions + position[present], return_inverse=True)
    words = np.bincount(pair, sizes[present])
    by_words = np.lexsort((-words, pairs // positions))
    is_first = np.diff(pairs[by_words] // positions, prepend=-1) > 0
    of_unit = pairs[by_words][is_first] % positions
    cell = np.full(len(rank), -1, np.int64)
    cell[present] = np.unique(rank[present], return_inverse=True)[1]
    return _cells(outcome, cell, of_unit, np.array([0, len(of_unit)]))


def in_places(cells: Cells, mix: Mix | None, positions: int) -> tuple[np.ndarray, np.ndarray]:
    """The residuals of each place as a part of all words, float64[G, T], and its part of the words,
    float64[G]."""
    columns = np.arange(cells.amounts.shape[1])
    rows = residuals(cells, mix, columns)
    sums = np.empty((positions, len(columns)))
    weight = np.empty(positions)
    kernels.place_cells(rows, cells.sizes, cells.period, sums, weight)
    words = weight.sum()
    return sums / words, weight / words


def of_documents(outcome: Outcome, period: np.ndarray) -> Cells:
    """Documents, in one pool; of very many some of one period, drawn, are one cell: sums of
    documents that can be exchanged can be exchanged, too. period: int64[D], -1 for none."""
    present = np.flatnonzero((period >= 0) & (outcome.sizes > 0))
    documents_of_cell = even_step(len(present) * outcome.columns, MOST_AMOUNTS)
    if documents_of_cell > 1:
        present = present[rng.shuffled(len(present), rng.stream(rng.CELLS))]
    by_period = present[np.argsort(period[present], kind="stable")]
    of_period = np.bincount(period[by_period])
    position = ranges(np.zeros_like(of_period), of_period)
    is_first = position % documents_of_cell == 0
    cell = np.full(len(period), -1, np.int64)
    cell[by_period] = np.cumsum(is_first) - 1
    first = by_period[is_first]
    return _cells(outcome, cell, period[first], np.array([0, len(first)]))


def of_units(
    outcome: Outcome, period: np.ndarray, unit: np.ndarray, correlation: float
) -> tuple[Cells, Mix]:
    """Each unit's documents in a period; of very many units some, drawn. A document without a unit
    is one of a unit that all these make. period: int64[D], -1 for none; unit: int64[D], below 0 for
    none. correlation: of documents of one unit."""
    sizes = outcome.sizes
    present = np.flatnonzero((period >= 0) & (sizes > 0))
    periods = int(period[present].max(initial=0)) + 1
    code = np.where(unit[present] >= 0, unit[present], unit.max(initial=-1) + 1)
    pairs = np.unique(code * periods + period[present])
    most_pairs = max(MOST_AMOUNTS // outcome.columns, 1)
    if len(pairs) > most_pairs:
        of_unit = np.bincount(pairs // periods)
        order = rng.shuffled(len(of_unit), rng.stream(rng.UNITS_DRAWN))
        units_that_fit = int((np.cumsum(of_unit[order]) <= most_pairs).sum())
        drawn = np.zeros(len(of_unit), bool)
        drawn[order[: max(units_that_fit, 1)]] = True
        present = present[drawn[code]]
        code = code[drawn[code]]
    codes, pool = np.unique(code, return_inverse=True)
    pool_of_document = np.full(len(period), -1, np.int32)
    pool_of_document[present] = pool
    pairs, cell = np.unique(pool * periods + period[present], return_inverse=True)
    cell_of_document = np.full(len(period), -1, np.int64)
    cell_of_document[present] = cell
    starts = np.searchsorted(pairs // periods, np.arange(len(codes) + 1))
    cells = _cells(outcome, cell_of_document, pairs % periods, starts)
    typical = float((sizes[present] ** 2).sum() / max(sizes[present].sum(), ABOVE_ZERO))
    codes = np.where(codes <= unit.max(initial=-1), codes, -1)
    return cells, _mix(cells, pool_of_document, codes, typical, correlation)


def _mix(
    cells: Cells, pool: np.ndarray, code: np.ndarray, typical: float, correlation: float
) -> Mix:
    """typical: words of a document."""
    amounts = np.add.reduceat(cells.amounts, cells.starts[:-1], axis=0, dtype=np.float64)
    sizes = np.add.reduceat(cells.sizes, cells.starts[:-1])
    mean = amounts.sum(axis=0) / sizes.sum()
    unlike = typical * (1 - correlation) / max(correlation, LEAST_CORRELATION)
    trust = sizes / (sizes + unlike)
    weighted_amounts = trust[:, None] * amounts / sizes[:, None] + (1 - trust)[:, None] * mean
    left = (amounts - sizes[:, None] * weighted_amounts).sum(axis=0) / sizes.sum()
    return Mix(
        pool=pool,
        code=code,
        sizes=sizes,
        amounts=amounts,
        trust=trust,
        own=weighted_amounts,
        mean=left,
    )


def _cells(outcome: Outcome, cell: np.ndarray, period: np.ndarray, starts: np.ndarray) -> Cells:
    """cell: int64[D], -1 for none."""
    inside = cell >= 0
    sizes = np.bincount(cell[inside], outcome.sizes[inside], minlength=len(period))
    amounts = outcome.summed(cell, len(period)).astype(np.float32)
    return Cells(amounts, sizes, period.astype(np.int64), starts.astype(np.int64))


def residuals(cells: Cells, mix: Mix | None, columns: np.ndarray) -> np.ndarray:
    """float32[C, t]: of some columns (int64[t]) what cells have beyond what their units always say,
    or beyond the mean; 0 in all."""
    amounts = cells.amounts[:, columns].astype(np.float64)
    if mix is None:
        mean = amounts.sum(axis=0) / cells.sizes.sum()
        return (amounts - cells.sizes[:, None] * mean).astype(np.float32)
    usual = mix.own[:, columns][cells.pool] + mix.mean[columns]
    return (amounts - cells.sizes[:, None] * usual).astype(np.float32)
