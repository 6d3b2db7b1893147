"""A step that several processes share, for engines whose rows lie in an arena: what they tell each other, and the rows that
follow from it, bitwise those of one process.

Each process samples its own documents and counts what changed, as whole numbers by word and topic. Then the words are
divided: each process merges some words' counts, by all, into their rows, and tells all the others these rows.
"""

from typing import NamedTuple

import numpy as np

from inference.bow import Bow
from inference.engines import arena
from inference.engines.batch import Batch
from inference.engines.contract import Message, Site
from inference.kernels import rows, tally
from inference.kernels.gibbs import CHUNKS, shares

ENTRIES = 64  # topics of a word's row, at the most, as they weigh when words are divided


class Counts(NamedTuple):
    """Changes by word and topic. words: int32[n], ascending. tokens: int64[n], of the minibatch. indptr: int64[n + 1];
    topics: uint16; changes: int32."""

    words: np.ndarray
    tokens: np.ndarray
    indptr: np.ndarray
    topics: np.ndarray
    changes: np.ndarray


class Merged(NamedTuple):
    """Rows of some words. words: int32[n]. sizes: int64[n], entries of each. topics: uint16; values: as in the arena.
    added: float64[runs, K], what the rows of each run of words have more than before."""

    words: np.ndarray
    sizes: np.ndarray
    topics: np.ndarray
    values: np.ndarray
    added: np.ndarray


def count(batch: Batch, new: np.ndarray, old: np.ndarray, K: int) -> Counts:
    """Of a batch's samples: uint16[N, M], as for `rows.merge`."""
    word_ptr, pairs, tokens = rows.by_word(batch.places, batch.token_ptr, len(batch.words))
    return Counts(batch.words.astype(np.int32), tokens, *tally.count(word_ptr, pairs, batch.token_ptr, new, old, K))


def counted(state: arena.Rows) -> Counts:
    """The rows themselves, which hold whole numbers."""
    here = np.repeat(state.start - np.cumsum(state.length) + state.length, state.length) + np.arange(state.length.sum())
    indptr = np.append(0, np.cumsum(state.length))
    topics, changes = state.arena_topics[here].astype(np.uint16), state.arena_values[here].astype(np.int32)
    return Counts(np.arange(len(state.length), dtype=np.int32), np.zeros_like(state.length), indptr, topics, changes)


def owners(bow: Bow, ranks: int, K: int) -> np.ndarray:
    """int64[ranks + 1]: process r has the words from owners[r] to owners[r + 1] - 1. Frequent words have longer rows."""
    work = np.cumsum(np.minimum(np.sqrt(bow.word_tokens), min(ENTRIES, K)) + 1.0)
    return np.append(np.searchsorted(work, work[-1] * np.arange(ranks) / ranks), bow.V)


def by_owner(counts: Counts, bounds: np.ndarray) -> list[Message]:
    """For each process what concerns its words, as small as the numbers allow. Words without a change are left out."""
    sizes = np.diff(counts.indptr)
    kept = np.flatnonzero(sizes)
    words, ends = counts.words[kept], np.append(0, np.cumsum(sizes[kept]))
    at = np.searchsorted(words, bounds)
    return [
        _small(
            Counts(
                words[a:b], np.zeros(b - a, np.int64), ends[a : b + 1] - ends[a], counts.topics[ends[a] : ends[b]],
                counts.changes[ends[a] : ends[b]],
            )
        )
        for a, b in zip(at[:-1], at[1:], strict=True)
    ]  # fmt: skip


def to_all(counts: Counts, ranks: int) -> list[Message]:
    return [_small(counts)] * ranks


def _small(counts: Counts) -> Message:
    return tuple(_narrow(array) for array in counts)


def _narrow(array: np.ndarray) -> np.ndarray:
    """The same whole numbers in the smallest signed type that holds them."""
    if array.dtype == np.uint16 or not len(array):
        return array
    most = max(int(array.max()), -int(array.min()))
    return array.astype(next(t for t in (np.int8, np.int16, np.int32, np.int64) if most <= np.iinfo(t).max))


class Sums(NamedTuple):
    """Counts of several processes, by word. words: int64[n], ascending. tokens: int64[n]. entries: int64[n], of all of
    them. The rest: of `tally.merge`."""

    words: np.ndarray
    tokens: np.ndarray
    entries: np.ndarray
    pieces: np.ndarray
    first: np.ndarray
    end: np.ndarray
    topics: np.ndarray
    changes: np.ndarray


def sum_up(messages: list[Message]) -> Sums:
    parts = [Counts(*message) for message in messages]
    offsets = np.cumsum([0, *(len(part.topics) for part in parts)])
    each = np.concatenate([part.words for part in parts]).astype(np.int64)
    order = np.argsort(each, kind="stable")
    indptrs = [part.indptr.astype(np.int64) + offset for part, offset in zip(parts, offsets[:-1], strict=True)]
    first, end = (np.concatenate([p[cut] for p in indptrs])[order] for cut in (slice(-1), slice(1, None)))
    words, at = np.unique(each[order], return_index=True)
    pieces = np.append(at, len(each))
    tokens = np.concatenate([part.tokens for part in parts]).astype(np.int64)[order]
    tokens, entries = (np.add.reduceat(array, at) if len(at) else array for array in (tokens, end - first))
    topics, changes = (np.concatenate([getattr(part, name) for part in parts]) for name in ("topics", "changes"))
    return Sums(words, tokens, entries, pieces, first, end, topics, changes.astype(np.int32))


def merge_own(state: arena.Rows, counts: Sums, unit: float, drop_below: float) -> Merged:
    """Rows of words that are all this process's own. What they have more than before are whole numbers: exact in any
    order."""
    return _merge(state, counts, state.length[counts.words] + counts.entries, 0, CHUNKS, unit, drop_below)


def merge_run(state: arena.Rows, counts: Sums, M: int, site: Site, unit: float, drop_below: float) -> Merged:
    """Rows of some of a minibatch's words, in the runs of words in which `rows.merge` sums totals of real numbers. M:
    samples of a token."""
    room = state.length[counts.words] + counts.tokens * M
    return _merge(state, counts, room, *runs(site), unit, drop_below)


def runs(site: Site) -> tuple[int, int]:
    """Which of the CHUNKS runs of a minibatch's words this process merges: from the first to before the second."""
    return site.rank * CHUNKS // site.ranks, (site.rank + 1) * CHUNKS // site.ranks


def _merge(
    state: arena.Rows, counts: Sums, room: np.ndarray, first: int, end: int, unit: float, drop_below: float
) -> Merged:
    K = len(state.totals)
    indptr = np.append(0, np.cumsum(np.minimum(K, room)))
    bounds = shares(indptr)[first : end + 1]
    a, b = bounds[0], bounds[-1]
    words, indptr = counts.words[a:b], indptr[a : b + 1] - indptr[a]
    sizes, topics, values, added = tally.merge(
        bounds - a, words, indptr, counts.pieces[a : b + 1], counts.first, counts.end, counts.topics, counts.changes, unit,
        drop_below, K, state.start, state.length, state.arena_topics, state.arena_values,
    )  # fmt: skip
    return packed(words, indptr, sizes, topics, values, added)


def packed(
    words: np.ndarray, indptr: np.ndarray, sizes: np.ndarray, topics: np.ndarray, values: np.ndarray, added: np.ndarray
) -> Merged:
    """Without the room that rows did not need. Row i: sizes[i] entries from indptr[i] on."""
    here = np.repeat(indptr[:-1] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    return Merged(words.astype(np.int32), sizes, topics[here].astype(np.uint16), values[here], added)


def put(state: arena.Rows, messages: list[Message]) -> None:
    """The rows that all processes merged, in the order of their runs."""
    merged = [Merged(*message) for message in messages]
    for part in merged:
        for added in part.added:
            state.totals += added
    words = np.concatenate([part.words for part in merged]).astype(np.int64)
    sizes = np.concatenate([part.sizes for part in merged])
    topics = np.concatenate([part.topics for part in merged]).astype(np.int32)
    values = np.concatenate([part.values for part in merged])
    arena.put(state, words, np.append(0, np.cumsum(sizes)), sizes, topics, values)
