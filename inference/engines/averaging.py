"""A running mean of a training's states, from which its topics are published: a single state has
the noise of its last draws, and the mean has less of it."""

from dataclasses import dataclass, field

import numpy as np

from inference.engines import arena
from inference.kernels import rows

# Tokens of a word in a topic of the mean, from which on it is listed; 0.5 would leave out many
# words, of which a mean of states has less
LISTED_OF_MEAN = 0.1
LEAST_OF_MEAN = 1 / 16  # tokens: an entry of the mean with less is left out


@dataclass(kw_only=True)
class Averaged(arena.Scaled):
    """Rows, and the mean of what they were at some steps, in tokens.

    means: how many states are in it. mean_t: the step of the last of them. mean_ptr: int64[V + 1],
    each word's row in mean_topics (int32, ascending) and mean_values (float32). mean_totals:
    float64[K], sums by topic.
    """

    means: int = 0
    mean_t: int = 0
    mean_ptr: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int64))
    mean_topics: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    mean_values: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))
    mean_totals: np.ndarray = field(default_factory=lambda: np.zeros(0))


def weight_of_newest(means: int, most: int) -> float:
    """The weight of one more state in a mean of `means` states: each state weighs more than the one
    before, as topics still become better, and from `most` states on the newest weighs 2 / (most +
    1)."""
    return 2.0 / (min(means, most - 1) + 2.0)


def add(state: Averaged, unit: float, t: int, most: int) -> None:
    """Take the present rows into the mean. unit: of their values, in tokens. t: the step that was
    just done. most: as of `weight_of_newest`."""
    words = np.arange(state.V)
    weight = weight_of_newest(state.means, most) if state.means else 1.0
    state.mean_ptr, state.mean_topics, state.mean_values = _mixed(state, unit, weight, words)
    state.mean_totals = _totals(state, unit, weight)
    state.means = state.means + 1
    state.mean_t = t


def averaged_rows(state: Averaged, unit: float, t: int, most: int, words: np.ndarray) -> arena.Rows:
    """The rows of some words in tokens, in the order of the words, and all totals: of the mean with
    the present state in it.

    unit, most: as of `add`. t: the steps that were done; where the last of them ended in `add`, the
    present state is in the mean already. words: int64[n].
    """
    weight = weight_of_newest(state.means, most) if state.mean_t != t else 0.0
    ptr, topics, values = _mixed(state, unit, weight, words)
    sizes = np.diff(ptr)
    return arena.Rows(
        seed=state.seed,
        start=ptr[:-1],
        length=sizes,
        capacity=sizes,
        arena_topics=topics,
        arena_values=values,
        used=len(topics),
        totals=_totals(state, unit, weight),
    )


def _mixed(
    state: Averaged, unit: float, weight: float, words: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ptr = state.mean_ptr if state.means else np.zeros(state.V + 1, np.int64)
    mean = rows.Arena(ptr[:-1], np.diff(ptr), state.mean_topics, state.mean_values)
    now = state.arena if weight else state.arena._replace(length=np.zeros_like(state.length))
    return rows.mixed(words, mean, 1.0 - weight, now, weight * unit, LEAST_OF_MEAN)


def _totals(state: Averaged, unit: float, weight: float) -> np.ndarray:
    before = state.mean_totals if state.means else np.zeros_like(state.totals)
    return (1.0 - weight) * before + weight * unit * state.totals
