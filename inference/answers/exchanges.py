"""Which differences chance would make: units exchanged between the sides.

Where units are few, or a few of them have most of the words, Student's t does not hold. Then as
many units as side A has are drawn again and again, and |difference| / error is computed of each
draw. That depends on how many units side A has and on nothing else, so all questions of a family
with as many share it.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from inference.answers import sides

EXCHANGES = 4_999
SURELY = 0.95  # the level from which on the largest of the exchanges are kept
AT_ONCE = 250  # exchanges: of 5,000 units 10 MB
ROUNDING = 1e-9  # by which sizes that are the same may differ
_SEED = 60


class Exchanged(NamedTuple):
    """Of Q questions and T columns: reached: int64[Q, T], exchanges with at least the |difference| /
    error that was seen. largest: float64[n, T], ascending, the largest of all exchanges, as many as
    lie above SURELY. exchanges: how many were made."""

    reached: np.ndarray
    largest: np.ndarray
    exchanges: int

    def critical(self, level: float) -> tuple[np.ndarray, bool]:
        """float64[T]: what |difference| / error must exceed, at SURELY or more; and whether so high
        a level lies beyond all exchanges, of which then the largest is given. Of few units an
        exchange may be the sides as they are: then rounding must not decide."""
        allowed = int(np.floor((1 - level) * (self.exchanges + 1) + 1e-6))
        reached = (
            self.largest[-1] if allowed < 1 else self.largest[-min(allowed, len(self.largest))]
        )
        return reached * (1 + ROUNDING), allowed < 1


def collect(sizes: Iterator[np.ndarray], seen: np.ndarray, exchanges: int = EXCHANGES) -> Exchanged:
    """sizes: float64[n, T] of some exchanges at a time, |difference| / error; seen: float64[Q, T]."""
    keep = int(np.ceil((1 - SURELY) * (exchanges + 1)))
    reached = np.zeros(seen.shape, np.int64)
    largest = np.zeros((0, seen.shape[1]))
    for size in sizes:
        for question, of_question in enumerate(seen):
            reached[question] += (size >= of_question * (1 - ROUNDING)).sum(axis=0)
        largest = np.sort(np.concatenate([largest, size]), axis=0)[-keep:]
    return Exchanged(reached, largest, exchanges)


def exchange(
    units: sides.Prepared, units_on_a: int, seen: np.ndarray, exchanges: int = EXCHANGES
) -> Exchanged:
    """units_on_a: how many are drawn for side A; seen: float64[Q, T], |difference| / error."""
    chance = np.random.default_rng((_SEED, len(units.sizes), units_on_a))

    def sizes() -> Iterator[np.ndarray]:
        for done in range(0, exchanges, AT_ONCE):
            draws = min(AT_ONCE, exchanges - done)
            drawn = chance.random((draws, len(units.sizes)))
            order = np.argpartition(drawn, units_on_a - 1, axis=1)
            on_a = np.zeros(order.shape, bool)
            np.put_along_axis(on_a, order[:, :units_on_a], True, axis=1)
            made = sides.of_nested(units, on_a)
            yield np.abs(made.difference) / made.error

    return collect(sizes(), seen, exchanges)
