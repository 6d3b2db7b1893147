"""Sparse rows that grow, one for each word: what the states of engines with such rows have in common.

A row's topics ascend. Rows lie in an arena: two arrays as long as each other, in which a row that outgrows its room moves
to the end (SSI, Appendix A). `kernels/rows.py` has the loops.
"""

from typing import Protocol

import numpy as np

from inference.kernels import rows


class Arena(Protocol):
    """start, length, capacity: int64[V], each word's row. arena_topics: int32[A]; arena_values: float32[A]. used: the
    arena's end."""

    start: np.ndarray
    length: np.ndarray
    capacity: np.ndarray
    arena_topics: np.ndarray
    arena_values: np.ndarray
    used: int


def put(
    arena: Arena, words: np.ndarray, indptr: np.ndarray, sizes: np.ndarray, topics: np.ndarray, values: np.ndarray
) -> None:
    """Write rows of some words, in the place of those they had. Row i: sizes[i] entries from indptr[i] on."""
    _make_room(arena, words, sizes)
    arena.used = rows.put(
        words, indptr, sizes, topics, values, arena.start, arena.length, arena.capacity, arena.arena_topics, arena.arena_values,
        arena.used,
    )  # fmt: skip


def _make_room(arena: Arena, words: np.ndarray, sizes: np.ndarray) -> None:
    """Let the arena hold what `put` will append: first without what moved rows left behind, then larger."""
    if arena.used + rows.room_needed(words, sizes, arena.capacity) <= len(arena.arena_topics):
        return
    compact(arena, 1.0, 0.0)
    wanted = arena.used + rows.room_needed(words, sizes, arena.capacity)
    if 2 * wanted > len(arena.arena_topics):  # half full at the least, so that this does not come again at once
        arena.arena_topics = np.resize(arena.arena_topics, 2 * wanted)
        arena.arena_values = np.resize(arena.arena_values, 2 * wanted)


def compact(arena: Arena, scale: float, drop_below: float) -> None:
    """Rewrite the rows behind one another, times `scale`, without what is below `drop_below` then."""
    size = len(arena.arena_topics)
    topics, values = np.empty(size, np.int32), np.empty(size, np.float32)
    arena.used = rows.compact(
        arena.start, arena.length, arena.capacity, arena.arena_topics, arena.arena_values, scale, drop_below, topics, values
    )  # fmt: skip
    arena.arena_topics, arena.arena_values = topics, values
