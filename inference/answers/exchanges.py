"""Which differences chance would make: units exchanged between the sides.

Where units are few, or a few of them have most of the words, Student's t does not hold. Then as
many units as side A has are drawn again and again, and |difference| / error is computed of each
draw. That depends on how many units side A has and on nothing else, so all questions of a family
with as many share it. Of so few units that all divisions can be made, each is made once: the sides
as they are would be among the draws, once, twice or not at all, and so decide a clear difference.
"""

from collections.abc import Iterator
from itertools import combinations, islice
from math import comb
from typing import NamedTuple

import numpy as np

from inference.answers import sides
from inference.kernels import rng

EXCHANGES = 4_999
SURELY = 0.95  # the level from which on the largest of the exchanges are kept
# Divisions of units into two sides, up to which all are made: 6 of 18 units have 18,564, which takes
# four times as long as to draw
MOST_DIVISIONS = 20_000
# Divisions times columns, up to which all are made: of 300 topics; 1,500 words would take 8 seconds
MOST_SIZES = 6_000_000
AT_ONCE = 250  # exchanges: of 5,000 units 10 MB
ROUNDING_OF_LEVEL = 1e-6  # exchanges
ROUNDING = 1e-9  # by which sizes that are the same may differ


class Exchanged(NamedTuple):
    """What exchanges of units gave for Q questions and T columns. reached: int64[Q, T], exchanges
    with at least the |difference| / error that was seen. largest: float64[n, T], ascending, the
    largest of all exchanges, one more than lie above SURELY. exchanges: how many were made.
    complete: whether they are all that there are, with the sides as they were seen among them."""

    reached: np.ndarray
    largest: np.ndarray
    exchanges: int
    complete: bool = False

    def p(self, reached: np.ndarray) -> np.ndarray:
        """The part of the exchanges that reach as much. Of drawn ones what was seen counts as one
        more (Phipson and Smyth 2010). reached: int64[T]."""
        if self.complete:
            return reached / self.exchanges
        return (1 + reached) / (1 + self.exchanges)

    def critical(self, level: float) -> tuple[np.ndarray, bool]:
        """float64[T]: what |difference| / error must exceed, at SURELY or more; and whether so high
        a level lies beyond all exchanges, of which then the largest is given. Of few units an
        exchange may be the sides as they are: then rounding must not decide."""
        total = self.exchanges if self.complete else self.exchanges + 1
        allowed = int(np.floor((1 - level) * total + ROUNDING_OF_LEVEL))
        # Of all exchanges what was seen is one that reaches itself
        rank = allowed + 1 if self.complete else max(allowed, 1)
        reached = self.largest[-min(rank, len(self.largest))]
        return reached * (1 + ROUNDING), allowed < 1


def collect(
    sizes: Iterator[np.ndarray],
    seen: np.ndarray,
    exchanges: int = EXCHANGES,
    complete: bool = False,
) -> Exchanged:
    """sizes: float64[n, T] of some exchanges at a time, |difference| / error; seen: float64[Q, T].
    complete: see Exchanged."""
    keep = int(np.ceil((1 - SURELY) * (exchanges + 1))) + 1
    reached = np.zeros(seen.shape, np.int64)
    largest = np.zeros((0, seen.shape[1]))
    for size in sizes:
        for question, of_question in enumerate(seen):
            reached[question] += (size >= of_question * (1 - ROUNDING)).sum(axis=0)
        largest = np.concatenate([largest, size])
        if len(largest) > keep:
            largest = np.partition(largest, len(largest) - keep, axis=0)[-keep:]
    return Exchanged(reached, np.sort(largest, axis=0), exchanges, complete)


def exchange(
    units: sides.Prepared, units_on_a: int, seen: np.ndarray, exchanges: int = EXCHANGES
) -> Exchanged:
    """units_on_a: how many are drawn for side A, as many as one of the sides that were seen has.
    seen: float64[Q, T], |difference| / error."""
    divisions = comb(len(units.sizes), units_on_a)
    complete = divisions <= MOST_DIVISIONS and divisions * seen.shape[1] <= MOST_SIZES
    if complete:
        sides_made = _all_divisions(len(units.sizes), units_on_a)
    else:
        sides_made = _drawn_divisions(len(units.sizes), units_on_a, exchanges)

    def sizes() -> Iterator[np.ndarray]:
        for on_a in sides_made:
            test_of_sides = sides.of_nested(units, on_a)
            yield np.abs(test_of_sides.difference) / test_of_sides.error

    return collect(sizes(), seen, divisions if complete else exchanges, complete)


def _all_divisions(units: int, units_on_a: int) -> Iterator[np.ndarray]:
    """bool[n, U], some at a time: every way to put so many units on side A."""
    divisions = combinations(range(units), units_on_a)
    while members := list(islice(divisions, AT_ONCE)):
        on_a = np.zeros((len(members), units), bool)
        np.put_along_axis(on_a, np.array(members), True, axis=1)
        yield on_a


def _drawn_divisions(units: int, units_on_a: int, exchanges: int) -> Iterator[np.ndarray]:
    """bool[n, U], some at a time: so many of them."""
    for done in range(0, exchanges, AT_ONCE):
        draws = range(done, min(done + AT_ONCE, exchanges))
        drawn = rng.uniforms(rng.streams(rng.SIDES, draws, units_on_a), units)
        order = np.argpartition(drawn, units_on_a - 1, axis=1)
        on_a = np.zeros(order.shape, bool)
        np.put_along_axis(on_a, order[:, :units_on_a], True, axis=1)
        yield on_a
