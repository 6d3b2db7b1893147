"""What engines with sparse posteriors (lsparse, clusters) share: lam - eta as rows by word in float64, and batches."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, gammaln

from inference.bow import Bow
from inference.kernels import blend, rows
from inference.topics import Topics

UNITS = 65_535  # shares that are remembered are whole numbers of 1 / UNITS, and so are their sums: exact in any order
LISTED_TOKENS = 0.5  # a word is listed in a topic that holds at least half a token of it; the rest is the floor
NOTHING = np.empty((0, 1), np.uint16), np.empty((0, 1))  # to be taken away


@dataclass
class Rows:
    """(lam - eta) / unit by word. start, length, capacity: int64[V], each word's row in the arena. arena_topics:
    int32[A], ascending in a row; arena_values: float64[A]. used: the arena's end. totals: float64[K], sums by topic."""

    start: np.ndarray
    length: np.ndarray
    capacity: np.ndarray
    arena_topics: np.ndarray
    arena_values: np.ndarray
    used: int
    totals: np.ndarray

    @property
    def nonzero(self) -> int:
        """How many of the K x V parameters are above eta."""
        return int(self.length.sum())


def empty(V: int, K: int) -> dict:
    """The fields of Rows without an entry."""
    return {
        "start": np.zeros(V, np.int64), "length": np.zeros(V, np.int64), "capacity": np.zeros(V, np.int64),
        "arena_topics": np.empty(1 << 12, np.int32), "arena_values": np.empty(1 << 12), "used": 0, "totals": np.zeros(K),
    }  # fmt: skip


def clear(state: Rows) -> None:
    """Rows without an entry."""
    state.length[:], state.capacity[:], state.totals[:], state.used = 0, 0, 0.0, 0


class Batch(NamedTuple):
    """Documents as `rows.expand` has them. words: int64[n], the distinct ones. doc_ptr: int64[documents + 1]; places:
    int32[P], of each pair's word among them; counts: float64[P]; token_ptr: int64[P + 1]; pairs: int64[P], in the bag."""

    words: np.ndarray
    doc_ptr: np.ndarray
    places: np.ndarray
    counts: np.ndarray
    token_ptr: np.ndarray
    pairs: np.ndarray


def expand(bow: Bow, documents: np.ndarray) -> Batch:
    slot, distinct = np.full(bow.V, -1, np.int32), np.empty(bow.V, np.int64)
    documents = np.asarray(documents, np.int64)
    doc_ptr, places, token_ptr, n = rows.expand(documents, bow.indptr, bow.words, bow.counts, slot, distinct)
    pairs = np.repeat(bow.indptr[documents] - doc_ptr[:-1], np.diff(doc_ptr)) + np.arange(len(places))
    return Batch(distinct[:n], doc_ptr, places, np.diff(token_ptr).astype(np.float64), token_ptr, pairs)


def add(
    state: Rows, batch: Batch, new_topics: np.ndarray, new: np.ndarray, old_topics: np.ndarray, old: np.ndarray, *,
    unit: float = 1.0, drop_below: float = 0.5,
) -> None:  # fmt: skip
    """Put counts times `new` into the rows and take counts times `old` out; see `blend.blend`."""
    word_ptr, pairs, _ = rows.by_word(batch.places, batch.token_ptr, len(batch.words))
    indptr, sizes, topics, values = blend.blend(
        batch.words, word_ptr, pairs, batch.counts, new_topics, new, old_topics, old, unit, drop_below, len(state.totals),
        state.start, state.length, state.arena_topics, state.arena_values, state.totals,
    )  # fmt: skip
    needed = rows.room_needed(batch.words, sizes, state.capacity)
    if state.used + needed > len(state.arena_topics):
        compact(state, 1.0, 0.0)
        wanted = state.used + rows.room_needed(batch.words, sizes, state.capacity)
        if 2 * wanted > len(state.arena_topics):  # half full at the least, so that this does not come again at once
            state.arena_topics = np.resize(state.arena_topics, 2 * wanted)
            state.arena_values = np.resize(state.arena_values, 2 * wanted)
    state.used = rows.put(
        batch.words, indptr, sizes, topics, values, state.start, state.length, state.capacity, state.arena_topics,
        state.arena_values, state.used,
    )  # fmt: skip


def compact(state: Rows, scale: float, drop_below: float) -> None:
    """Rewrite the rows behind one another, times `scale`, without what is below `drop_below` then."""
    size = len(state.arena_topics)
    topics, values = np.empty(size, np.int32), np.empty(size)
    state.used = rows.compact(
        state.start,
        state.length,
        state.capacity,
        state.arena_topics,
        state.arena_values,
        scale,
        drop_below,
        topics,
        values,
    )
    state.arena_topics, state.arena_values = topics, values


def topics(state: Rows, unit: float, eta: float, used: np.ndarray | None = None) -> Topics:
    """E[beta] = lam_kw / sum_w lam_kw, words with less than LISTED_TOKENS in the floor."""
    V, K = len(state.start), len(state.totals)
    indptr, words, values = rows.transpose(
        state.start, state.length, state.arena_topics, state.arena_values, unit, LISTED_TOKENS, K
    )
    rows.sort_rows(indptr, words, values)
    totals = np.maximum(unit * state.totals, 0.0)
    topic = np.repeat(np.arange(K), np.diff(indptr))
    weights = ((eta + values) / (V * eta + totals)[topic]).astype(np.float32)
    floor_mass = np.maximum(1.0 - np.bincount(topic, weights=weights, minlength=K), 0.0)
    floor = floor_mass / np.maximum(V - np.diff(indptr), 1)
    share = totals / totals.sum() if totals.sum() else np.full(K, 1.0 / K)
    return Topics(indptr, words, weights, floor, floor_mass, share, V, used)


def topics_bound(state: Rows, unit: float, eta: float) -> float:
    """E[log p(beta)] - E[log q(beta)] in nats (003, eq. 35, for any lam): an entry at eta gives nothing."""
    V = len(state.start)
    here = np.repeat(state.start - np.cumsum(state.length) + state.length, state.length) + np.arange(state.length.sum())
    values, topic = unit * state.arena_values[here], state.arena_topics[here]
    totals = np.maximum(unit * state.totals, 0.0)
    rise = digamma(eta + values) - digamma(V * eta + totals)[topic]
    listed = gammaln(eta + values) - gammaln(eta) - values * rise
    return float(listed.sum() + (gammaln(V * eta) - gammaln(V * eta + totals)).sum())
