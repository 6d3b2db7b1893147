"""Sparse rows that grow, one for each word: what the states of engines with such rows have in
common.

A row's topics ascend. Rows are stored in an arena: two arrays of equal length, in which a row that
outgrows its room moves to the end (SSI, Appendix A). `kernels/rows.py` has the loops.
"""

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from scipy.sparse import csr_array

from inference.bow import Bow, ranges
from inference.engines.batch import is_trained
from inference.engines.contract import State, TrainingCorpus
from inference.engines.step_sizes import Fading
from inference.kernels import rng, rows
from inference.topics import LISTED_TOKENS, Topics

FIRST_ENTRIES = 1 << 12  # that an arena has room for when it begins
# Of `usual_entries`: powers of K and of a word's tokens, fitted by hand to what engines needed, and
# where each engine's own number was read
ENTRIES_POWER = 0.3
TOKENS_POWER = 0.5
USUAL_TOPICS = 100
USUAL_TOKENS = 100


def usual_entries(at_usual: float, topics: int, corpus: TrainingCorpus) -> float:
    """Topics with an entry in a word's row, in the mean, before each topic has one. at_usual: of
    USUAL_TOPICS topics and USUAL_TOKENS tokens a word."""
    tokens_of_word = corpus.tokens / (USUAL_TOKENS * corpus.V)
    by_topics = (topics / USUAL_TOPICS) ** ENTRIES_POWER
    return at_usual * by_topics * tokens_of_word**TOKENS_POWER


@dataclass(kw_only=True)
class Rows(State):
    """lambda - eta by word, in some unit. start, length, capacity: int64[V], each word's row in the
    arena. arena_topics: int32[A]; arena_values: float32[A] or float64[A]. used: the arena's end.
    totals: float64[K], sums by topic."""

    start: np.ndarray
    length: np.ndarray
    capacity: np.ndarray
    arena_topics: np.ndarray
    arena_values: np.ndarray
    used: int
    totals: np.ndarray

    @property
    def V(self) -> int:
        """Words, each of which has a row."""
        return len(self.start)

    @property
    def arena(self) -> rows.Arena:
        """The rows as kernels take them."""
        return rows.Arena(self.start, self.length, self.arena_topics, self.arena_values)

    def entries(self) -> tuple[np.ndarray, np.ndarray]:
        """(topics int32[n], values[n], in the state's unit) of all entries, word after word: word w
        has length[w] of them."""
        in_rows = ranges(self.start, self.length)
        return self.arena_topics[in_rows], self.arena_values[in_rows]

    def count_parameters(self) -> int:
        """How many of the K x V parameters hold tokens: each entry of a row does."""
        return int(self.length.sum())

    def clear(self) -> None:
        """Let no row have an entry."""
        self.length[:] = 0
        self.capacity[:] = 0
        self.totals[:] = 0.0
        self.used = 0


@dataclass(kw_only=True)
class Scaled(Rows, Fading):
    """Rows of values times `pi`, which fade by it."""

    pi: float = 1.0


R = TypeVar("R", bound=Rows)


def empty(V: int, K: int, dtype: type = np.float32) -> dict:
    """The fields of Rows without an entry. dtype: of the values."""
    return {
        "start": np.zeros(V, np.int64),
        "length": np.zeros(V, np.int64),
        "capacity": np.zeros(V, np.int64),
        "arena_topics": np.zeros(FIRST_ENTRIES, np.int32),
        "arena_values": np.zeros(FIRST_ENTRIES, dtype),
        "used": 0,
        "totals": np.zeros(K),
    }


def fill(state: Rows, words: np.ndarray, topics: np.ndarray, counts: np.ndarray) -> None:
    """Let the rows, of which there were none, be the sums of counts by word and topic. words,
    topics: int[n]; counts: [n], of each pair of both."""
    sums = csr_array(
        (counts.astype(np.float64), (words, topics)), shape=(state.V, len(state.totals))
    )
    sums.sort_indices()
    indptr = sums.indptr.astype(np.int64)
    state.start = indptr[:-1].copy()
    state.length = np.diff(indptr)
    state.capacity = state.length.copy()
    state.used = int(indptr[-1])
    size = max(FIRST_ENTRIES, 2 * state.used)
    state.arena_topics = np.zeros(size, np.int32)
    state.arena_values = np.zeros(size, np.float32)
    state.arena_topics[: state.used] = sums.indices
    state.arena_values[: state.used] = sums.data
    state.totals = rows.sum_topics(state.arena, len(state.totals))


def candidates(bow: Bow, corpus: TrainingCorpus, key: int) -> np.ndarray:
    """int64[n]: the documents that are trained on and have words, in a random order. key: a random
    stream."""
    documents = rng.permutation_shared(0, bow.D, bow.D, np.uint64(key))
    suits = is_trained(bow.D, corpus.held_out_documents) & (np.diff(bow.indptr) > 0)
    return documents[suits[documents]]


def from_documents(
    state: Rows,
    bow: Bow,
    documents: np.ndarray,
    weights: np.ndarray | None = None,
    tokens: float | None = None,
    numbers: np.ndarray | None = None,
) -> None:
    """The rows as the words of a document for each topic, while there are documents.

    documents: int64[n], with words, K at the most. weights: float64[V], above 0: a document's
    tokens are shared out among its words by their counts times these; None: by their counts.
    tokens: that each topic begins with; None: as many as its document has. numbers: int64[K], the
    topics that begin so; None: 0 … K - 1.
    """
    sizes = np.diff(bow.indptr)[documents]
    pairs = ranges(bow.indptr[documents], sizes)
    topics = np.repeat(np.arange(len(documents)), sizes)
    words = np.asarray(bow.words)[pairs]
    counts = np.asarray(bow.counts)[pairs].astype(np.float64)
    totals = np.bincount(topics, counts) if tokens is None else np.full(len(documents), tokens)
    if weights is not None:
        counts = weighted(topics, counts * weights[words], totals)
    fill(state, words, topics if numbers is None else numbers[topics], counts)


def add(state: Rows, words: np.ndarray, topics: np.ndarray, values: np.ndarray) -> None:
    """Add some entries to the rows. words, topics: int64[n], no pair of both twice; values:
    float64[n]. For few of them, as seeds are."""
    changed = np.unique(words)
    sizes = state.length[changed]
    entries = ranges(state.start[changed], sizes)
    row = np.concatenate(
        (np.repeat(np.arange(len(changed)), sizes), np.searchsorted(changed, words))
    )
    column = np.concatenate((state.arena_topics[entries], topics))
    value = np.concatenate((state.arena_values[entries].astype(np.float64), values))
    sums = csr_array((value, (row, column)), shape=(len(changed), len(state.totals)))
    sums.sum_duplicates()
    sums.sort_indices()
    indptr = sums.indptr.astype(np.int64)
    put(
        state,
        changed,
        indptr,
        np.diff(indptr),
        sums.indices.astype(state.arena_topics.dtype),
        sums.data.astype(state.arena_values.dtype),
    )
    state.totals += np.bincount(topics, values, len(state.totals))


def weighted(documents: np.ndarray, counts: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """counts, float64[P], times a number for each document, so that it has its total. documents:
    int64[P], of each. totals: float64, by document."""
    return counts * (totals / np.bincount(documents, counts))[documents]


def put_all(state: Rows, indptr: np.ndarray, topics: np.ndarray, values: np.ndarray) -> None:
    """Rows of all words, one behind the other, in place of those that there were. indptr: int64[V +
    1], where each begins; topics: int32[n], values: float32[n] or float64[n], their entries, which
    the state takes without a copy. Totals stay."""
    state.start = indptr[:-1]
    state.length = np.diff(indptr)
    state.capacity = state.length.copy()
    state.used = len(topics)
    state.arena_topics = topics
    state.arena_values = values


def put(
    state: Rows,
    words: np.ndarray,
    indptr: np.ndarray,
    sizes: np.ndarray,
    topics: np.ndarray,
    values: np.ndarray,
) -> None:
    """Write rows of some words, replacing those they had. Row i: sizes[i] entries from indptr[i]
    on. words: int64[n], distinct; indptr, sizes: int64[n]; topics, values: of the types of the
    rows."""
    make_room(state, words, sizes)
    state.used = rows.put(
        words, indptr, sizes, topics, values, state.arena, state.capacity, state.used
    )


def make_room(state: Rows, words: np.ndarray, sizes: np.ndarray) -> None:
    """Let the arena hold rows that outgrow their room, sizes[i] entries of words[i], at its end:
    first without what moved rows left behind, then larger."""
    if state.used + rows.room_needed(words, sizes, state.capacity) <= len(state.arena_topics):
        return
    compact(state, 1.0, 0.0)
    size_needed = state.used + rows.room_needed(words, sizes, state.capacity)
    # Half full at the least, so that this does not come again at once
    if 2 * size_needed > len(state.arena_topics):
        state.arena_topics = _longer(state.arena_topics, state.used, 2 * size_needed)
        state.arena_values = _longer(state.arena_values, state.used, 2 * size_needed)


def _longer(array: np.ndarray, used: int, size: int) -> np.ndarray:
    """Its first `used` numbers, and room behind them that takes no memory yet."""
    longer = np.zeros(size, array.dtype)
    longer[:used] = array[:used]
    return longer


def compact(state: Rows, scale: float, drop_below: float, room: int | None = None) -> None:
    """Rewrite the rows behind one another, times `scale`, without what is below `drop_below` then.
    room: entries that the arena has then; None: as many as before."""
    size = len(state.arena_topics) if room is None else room
    topics = np.empty(size, state.arena_topics.dtype)
    values = np.empty(size, state.arena_values.dtype)
    state.used = rows.compact(state.arena, state.capacity, scale, drop_below, topics, values)
    state.arena_topics = topics
    state.arena_values = values


def compacted(state: R) -> R:
    """A state whose rows are in arrays without room to grow; all else is shared with it."""
    copy = replace(
        state, start=state.start.copy(), length=state.length.copy(), capacity=state.capacity.copy()
    )
    compact(copy, 1.0, -np.inf, int(state.length.sum()))
    return copy


def topics(
    state: Rows,
    unit: float,
    eta: float,
    used: np.ndarray | None = None,
    listed: float = LISTED_TOKENS,
) -> Topics:
    """E[beta] = (eta + N_kw) / (V eta + N_k), words with less than `listed` tokens in the floor.
    unit: of the values, in tokens. used: bool[K], as in Topics; None: all."""
    V = state.V
    K = len(state.totals)
    indptr, words, values = rows.transpose(state.arena, unit, listed, K)
    rows.sort_rows(indptr, words, values)
    totals = np.maximum(unit * state.totals, 0.0)
    topic_of_entry = np.repeat(np.arange(K), np.diff(indptr))
    weights = ((eta + values) / (V * eta + totals)[topic_of_entry]).astype(np.float32)
    return Topics.of_listed(indptr, words, weights, totals, V, used)
