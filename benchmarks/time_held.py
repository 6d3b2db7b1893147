"""Two sides of documents in the same periods, compared with time held constant: what benchmarks of
questions and of conclusions ask."""

import numpy as np

from inference.answers import held
from inference.effects import time_curve


def settings_of_two_sides(
    side: np.ndarray, words: np.ndarray, time: np.ndarray
) -> held.ComparedSettings:
    """Side A beside B at the times of A. side: int[2 P], 0 for A and 1 for B, of the cells: all
    periods of one side, then of the other; words: float64[2 P], of each cell; time: float64[D], of
    each document."""
    periods = len(side) // 2
    trend = time_curve.spline(np.tile(np.arange(periods), 2), words)
    words_of_a = np.where(side == 0, words, 0.0)
    at_times_of_a = words_of_a @ trend / words_of_a.sum()
    return held.ComparedSettings(
        rows=np.column_stack([trend, side == 0]).astype(float),
        compared=np.array([[*at_times_of_a, 1.0], [*at_times_of_a, 0.0]]),
        side=side,
        held=trend,
        time=time,
    )
