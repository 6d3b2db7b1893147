"""How large an excess chance gives some span of time: periods exchanged again and again, and each
kind of span measured by its own exchanges, so that all kinds can be looked through at once."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from inference.answers.cells import Cells, Mix, residuals
from inference.kernels import rng, spans as kernels

# exchanges of all columns, and more of those that may be beyond chance
FIRST_EXCHANGES = 199
MORE = 800
MAY_PASS = 0.1  # p of the first exchanges up to which a column gets more
TAIL = 0.1  # part of the exchanges whose mean excess says how rare what they never reached is
STEPS = 45  # between TAIL and 1, in which p of what is not beyond chance is told
ROUNDING = 1e-6
BLOCK = 128  # columns that are exchanged together: their rows stay in the processor's caches
# of windows, from one period on
GROWTH = 1.3
LENGTHS = 30
THIRD = 1 / 3
FEWEST_OF_LINE = 3  # periods above which a third of the time says something
NEVER_MOVES = 1e-5  # spread over mean of an excess that exchanges can't change

Series = tuple[np.ndarray, np.ndarray]  # float64[G, T] sums of periods, and float64[G] their weight


class Kinds(NamedTuple):
    """The kinds of spans that are looked through, in the order of their rows: windows of `lengths`
    periods (int64[L]); from a step on, which may begin at the places cuts[0] … cuts[1]; the last
    third of the weight above the first: thirds: the end of the first and the begin of the last."""

    lengths: np.ndarray
    cuts: np.ndarray
    thirds: np.ndarray

    @property
    def step(self) -> int:
        """The row of what begins with a step."""
        return len(self.lengths)

    @property
    def line(self) -> int:
        """The row of the last third above the first."""
        return len(self.lengths) + 1

    @property
    def rows(self) -> int:
        """How many kinds there are."""
        return len(self.lengths) + 2

    def possible(self) -> np.ndarray:
        """bool[rows]."""
        possible = np.ones(self.rows, bool)
        possible[self.step] = self.cuts[0] <= self.cuts[1]
        possible[self.line] = self.thirds[0] < self.thirds[1]
        return possible


class Chance(NamedTuple):
    """What chance gives in T columns, to more (0) and to less (1). mean, spread: float64[2, rows,
    T], of the largest excess of each kind of span; spread is inf where exchanges can't move it.
    largest: float64[2, n, T], descending, of the exchanges the largest (excess - mean) / spread of
    all kinds, -inf where fewer are kept. threshold, beyond: float64[2, T], what TAIL of the
    exchanges reach, and by how much these exceed it on average. usual: float64[2, STEPS, T], what
    larger parts of them reach. exchanges: int64[T], how many were made."""

    mean: np.ndarray
    spread: np.ndarray
    largest: np.ndarray
    threshold: np.ndarray
    beyond: np.ndarray
    usual: np.ndarray
    exchanges: np.ndarray

    def only(self, columns: slice) -> "Chance":
        """What chance does in some of the columns."""
        return Chance(*(array[..., columns] for array in self))

    def scores(self, excess: np.ndarray) -> np.ndarray:
        """float64[2, rows, T]: of the largest excess of each kind of span; NaN of a kind that there
        is not, whose spread is infinite."""
        with np.errstate(invalid="ignore"):
            return (excess - self.mean) / self.spread

    def p(self, score: np.ndarray) -> np.ndarray:
        """float64[2, T]: of the largest score of all kinds of spans. The larger of the part of the
        exchanges that reach it and of an exponential tail, which says it beyond all of them
        (Knijnenburg and others 2009); of what is not beyond chance in steps."""
        reached = (self.largest >= score[:, None] - ROUNDING).sum(axis=1)
        by_exchange = (1 + reached) / (1 + self.exchanges)
        by_tail = TAIL * np.exp(np.minimum((self.threshold - score) / self.beyond, 0.0))
        p = np.where(reached == 0, by_tail, np.maximum(by_exchange, by_tail))
        steps = (self.usual >= score[:, None] - ROUNDING).sum(axis=1)
        return np.where(score <= self.threshold, TAIL + (1 - TAIL) * steps / STEPS, p)

    def critical(self, level: float) -> np.ndarray:
        """float64[2, T]: the score above which p is at most 1 - level, of a level above 1 -
        TAIL."""
        by_tail = self.threshold + self.beyond * np.log(TAIL / (1 - level))
        allowed = np.floor((1 - level) * (1 + self.exchanges) + ROUNDING).astype(np.int64)
        columns = np.arange(len(self.exchanges))
        return np.maximum(by_tail, self.largest[:, np.maximum(allowed - 1, 0), columns])


Drawn = Callable[[np.ndarray, int], Iterator[Series]]  # of some columns, so many exchanges


def kinds_of(weight: np.ndarray, longest: float, edge: float) -> Kinds:
    """weight: float64[G], words of each period that has some. longest: part of the periods that a
    window has at most; edge: part of the words that lie on either side of a step."""
    periods = len(weight)
    passed = np.cumsum(weight) / weight.sum()
    most_periods = max(int(periods * longest), 1)
    lengths = np.unique([min(most_periods, round(GROWTH**power)) for power in range(LENGTHS)])
    cuts = np.flatnonzero((passed >= edge) & (passed <= 1 - edge)) + 1
    if not len(cuts):
        cuts = np.array([1, 0])
    first_third = int(np.count_nonzero(passed <= max(THIRD, passed[0])))
    last_third = int(np.count_nonzero(passed <= 2 * THIRD))
    thirds = np.array([first_third, last_third])
    if periods <= FEWEST_OF_LINE or not first_third < last_third < periods:
        thirds = np.zeros(2, np.int64)
    return Kinds(lengths.astype(np.int64), cuts[[0, -1]].astype(np.int64), thirds.astype(np.int64))


def largest_excess(sums: np.ndarray, weight: np.ndarray, kinds: Kinds) -> np.ndarray:
    """float64[2, rows, T]: of more and of less. sums: float64[G, T], 0 in all; weight: float64[G],
    sums to 1."""
    excesses = np.empty((2, kinds.rows, sums.shape[1]), np.float32)
    kernels.largest(np.ascontiguousarray(sums, float), np.asarray(weight, float), *kinds, excesses)
    return excesses.astype(float)


def of_cells(cells: Cells, mix: Mix | None, periods: int, seen: np.ndarray, kinds: Kinds) -> Chance:
    """Periods of cells exchanged within their pools. periods: G; seen: as largest_excess has it."""
    words = cells.sizes.sum()

    def drawn(columns: np.ndarray, exchanges: int) -> Iterator[Series]:
        rows = residuals(cells, mix, columns)
        placed = np.empty_like(cells.period)
        sums = np.empty((periods, rows.shape[1]))
        weight = np.empty(periods)
        for number in range(exchanges):
            of_exchange = rng.stream(rng.PERIODS_OF_CELLS, number)
            kernels.exchange(cells.period, cells.starts, of_exchange, placed)
            kernels.place_cells(rows, cells.sizes, placed, sums, weight)
            yield sums / words, weight / words

    return _in_two_steps(drawn, seen, kinds, kinds.possible())


def of_periods(
    sums: np.ndarray, weight: np.ndarray, seen: np.ndarray, kinds: Kinds, is_asked: np.ndarray
) -> Chance:
    """Whole periods exchanged. sums, weight, seen: see largest_excess. is_asked: bool[rows], the
    kinds of spans that are looked through."""

    def drawn(columns: np.ndarray, exchanges: int) -> Iterator[Series]:
        of_columns = sums[:, columns]
        for number in range(exchanges):
            order = rng.shuffled(len(weight), rng.stream(rng.PERIODS, number))
            yield of_columns[order], weight[order]

    return _in_two_steps(drawn, seen, kinds, is_asked & kinds.possible())


def _in_two_steps(drawn: Drawn, seen: np.ndarray, kinds: Kinds, is_asked: np.ndarray) -> Chance:
    """The first exchanges of all columns; more of those that may be beyond chance."""
    chance = _of_columns(drawn, np.arange(seen.shape[2]), FIRST_EXCHANGES, kinds, is_asked)
    score = chance.scores(seen)[:, is_asked].max(axis=1, initial=-np.inf)
    again = np.flatnonzero((chance.p(score) <= MAY_PASS).any(axis=0))
    if not len(again):
        return chance
    further = _of_columns(drawn, again, FIRST_EXCHANGES + MORE, kinds, is_asked)
    padding = further.largest.shape[1] - chance.largest.shape[1]
    padded = np.pad(chance.largest, ((0, 0), (0, padding), (0, 0)), constant_values=-np.inf)
    chance = chance._replace(largest=padded)
    for array, part in zip(chance, further, strict=True):
        array[..., again] = part
    return chance


def _of_columns(
    drawn: Drawn, columns: np.ndarray, exchanges: int, kinds: Kinds, is_asked: np.ndarray
) -> Chance:
    blocks = []
    # Without a column, of topics that have no words, one block says what no column has.
    for begin in range(0, max(len(columns), 1), BLOCK):
        block = columns[begin : begin + BLOCK]
        excesses = np.empty((exchanges, 2, kinds.rows, len(block)), np.float32)
        for excess, (sums, weight) in zip(excesses, drawn(block, exchanges), strict=True):
            kernels.largest(sums, weight, *kinds, excess)
        blocks.append(_summed_up(excesses, is_asked))
    return Chance(*(np.concatenate(arrays, axis=-1) for arrays in zip(*blocks, strict=True)))


def _summed_up(excesses: np.ndarray, is_asked: np.ndarray) -> Chance:
    """excesses: float32[R, 2, rows, T]; is_asked: bool[rows], the rows that count."""
    exchanges, _, rows, width = excesses.shape
    mean = np.zeros((2, rows, width))
    spread = np.full((2, rows, width), np.inf)
    mean[:, is_asked] = excesses[:, :, is_asked].mean(axis=0, dtype=np.float64)
    spread[:, is_asked] = excesses[:, :, is_asked].std(axis=0, dtype=np.float64)
    spread = np.where(spread <= NEVER_MOVES * np.abs(mean), np.inf, spread)
    scores = np.full((exchanges, 2, width), -np.inf)
    for row in np.flatnonzero(is_asked):
        np.maximum(scores, (excesses[:, :, row] - mean[:, row]) / spread[:, row], out=scores)
    scores = -np.sort(-scores, axis=0)
    largest = scores[: int(np.ceil(TAIL * (exchanges + 1)))]
    threshold = largest[-1]
    parts = TAIL + (1 - TAIL) * np.arange(STEPS) / STEPS
    usual = scores[np.minimum((parts * exchanges).astype(np.int64), exchanges - 1)]
    return Chance(
        mean=mean,
        spread=spread,
        largest=largest.transpose(1, 0, 2),
        threshold=threshold,
        beyond=np.maximum((largest - threshold).mean(axis=0), ROUNDING),
        usual=usual.transpose(1, 0, 2),
        exchanges=np.full(width, exchanges),
    )
