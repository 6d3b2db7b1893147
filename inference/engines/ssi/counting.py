"""Where lambda - eta is held, and how it is counted.

Counts that are replaced, not faded, are whole numbers: they are in a table of all words by topics
(gibbs.CountTable), unless it would be too large. What fades is in the rows of the state
(engines/arena.py). After a warm-up, and where a training begins with topics, all is counted anew
from what is remembered.
"""

from typing import NamedTuple

import numba
import numpy as np

from inference.bow import Bow
from inference.engines import arena, together
from inference.engines.batch import RECOUNTED, expand
from inference.engines.ssi.settings import Resolved
from inference.engines.ssi.state import State, Store
from inference.kernels import counts, gibbs, rows
from inference.kernels.minibatch import Minibatch

EXACT = 1 << 24  # the most up to which float32 holds all whole numbers
# Of a table of counts by word and topic, at the most: 2 GiB, or 4; beyond, rows are kept
TABLE_ENTRIES = 1 << 31
# A word with fewer tokens, each counted once a draw, has counts of one byte; of two; or of four
TINY = 1 << 8
NARROW = 1 << 16
WIDE = 1 << 31
LEAST_WHOLE = 0.5  # what is remembered is counted in whole numbers: below this is none


class EntryTypes(NamedTuple):
    """Types of a table's counts. limit: from so many draws on a word is in the wide part.
    wide, narrow: dtypes of the two parts."""

    limit: int
    wide: type[np.generic]
    narrow: type[np.generic]


def entry_types(most_draws: float) -> EntryTypes:
    """The types of a table in which no word has more than so many draws."""
    if most_draws < NARROW:
        return EntryTypes(TINY, np.uint16, np.uint8)
    return EntryTypes(NARROW, np.int32, np.uint16)


def table_fits(config: Resolved, V: int) -> bool:
    """Whether a table of all words has room, and its counts are what weights are made of. Weights
    by the mean logarithm are no multiples of counts."""
    return V * gibbs.table_width(config.topics) <= TABLE_ENTRIES and not config.weighs_by_logarithm


def has_table(config: Resolved, state: State, bow: Bow) -> bool:
    """Whether counts that are replaced, not faded, are kept in a table. bow: of all documents."""
    most_draws = state.most_tokens(bow).max(initial=0.0) * config.draws_of_token
    return table_fits(config, bow.V) and most_draws < WIDE


def open_table(config: Resolved, state: State, bow: Bow) -> None:
    """Let the table have the counts of the rows, if it has older ones. bow: of all documents."""
    if state.is_in_table:
        return
    most_draws = state.most_tokens(bow) * config.draws_of_token
    types = entry_types(most_draws.max(initial=0.0))
    F = wide_words(most_draws, types.limit)
    width = gibbs.table_width(config.topics)
    table = gibbs.CountTable(
        np.zeros((F, width), types.wide), np.zeros((bow.V - F, width), types.narrow)
    )
    counts.fill(state.arena, table)
    state.enter_table(table)


def wide_words(most_draws: np.ndarray, limit: int) -> int:
    """F: how many words are in the wide part: those up to the last one with so many draws. They are
    few where frequent words come first. most_draws: float64[V]."""
    frequent = np.flatnonzero(most_draws >= limit)
    return int(frequent[-1]) + 1 if len(frequent) else 0


def hold_whole_numbers(state: State, bow: Bow) -> None:
    """Let the rows hold whole numbers as large as they may become: rounded, they would never be
    exact again. bow: of all documents."""
    if len(bow.words) and state.most_tokens(bow).max() * state.memory.shape[1] > EXACT:
        state.arena_values = state.arena_values.astype(np.float64)


def apply_changes(state: State, changed: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> None:
    """Let the table and totals follow what was sampled in this step: changed, begins and ends, as
    `gibbs.sample` lists it."""
    counts.apply(changed, begins, ends, state.table, state.totals, numba.get_num_threads())
    state.lambda_in = Store.TABLE


def add_counts(state: State, other: together.CountChanges) -> None:
    """Add what another process counted, or topics have beforehand, to the table and totals."""
    counts.add(*other, state.table, state.totals)
    state.lambda_in = Store.TABLE


def add_samples(
    state: State, batch: Minibatch, new: np.ndarray, old: np.ndarray, unit: float, drop_below: float
) -> None:
    """Put a batch's samples into the rows, and take its old ones out.

    new, old: uint16[N, M], topics of the batch's tokens; old perhaps without columns. unit: what a
    sample adds, in the scale of the rows; drop_below: the least entry that is kept, in the same.
    """
    by_word = rows.by_word(batch.places, batch.token_ptr, len(batch.words))
    merged_rows = rows.merge(
        batch.words,
        *by_word,
        batch.token_ptr,
        new,
        old,
        unit,
        drop_below,
        state.arena,
        state.totals,
    )
    arena.put(state, batch.words, *merged_rows)


def recount(config: Resolved, state: State, bow: Bow, own: Bow) -> None:
    """lambda - eta as the sum of all that is remembered. own: of the documents that the state
    remembers; bow: of all."""
    clear_counts(config, state, bow)
    if config.remembers and has_table(config, state, bow):
        open_table(config, state, bow)
        counts.recount(
            own.words, own.counts, state.memory, state.table, state.totals, numba.get_num_threads()
        )
    else:
        _recount_rows(state, own)


def clear_counts(config: Resolved, state: State, bow: Bow) -> None:
    """No entry in lambda - eta, which is to be a sum of what is remembered. bow: of all
    documents."""
    state.leave_table()
    state.clear()
    state.pi = 1.0 / state.memory.shape[1]
    state.eta = config.eta
    hold_whole_numbers(state, bow)


def _recount_rows(state: State, own: Bow) -> None:
    """Add all that is remembered to the rows. own: of the documents that the state remembers."""
    for first in range(0, own.D, RECOUNTED):
        documents = np.arange(first, min(first + RECOUNTED, own.D))
        batch = expand(own, documents)
        new = rows.recall(documents, own.first_token, state.memory, batch.doc_ptr, batch.token_ptr)
        add_samples(state, batch, new, np.empty((len(new), 0), np.uint16), 1.0, LEAST_WHOLE)
