"""A step that several processes share, for engines that count words by topic: what they send each
other, and the rows that follow from it, bitwise those of one process.

Each process samples its own documents and counts what changed, as whole numbers by word and topic.
A few processes send all others their counts. With more, the words are divided: each process adds up
all counts of its words, and sends the others the sums. Either way each adds what it received to its
own.

Statistics that fade are real numbers, which must be added in one order: each process merges the
rows of some words, and sends these rows to all the others.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from inference.bow import Bow
from inference.engines import arena
from inference.engines.sharing import Exchange, Message, Messages, Site, narrow_topics
from inference.kernels import rows, tally
from inference.kernels.chunks import CHUNKS, chunk_bounds
from inference.kernels.minibatch import Minibatch
from inference.runtime.arrays import offsets_of_parts

ENTRIES = 64  # topics of a word's row, at the most, as they weigh when words are divided
LARGE_CHANGE = np.int8(-128)  # instead of a change that one byte does not hold


class CountChanges(NamedTuple):
    """Changes by word and topic. words: int32[n], ascending. indptr: int64[n + 1]; topics: uint16,
    ascending within a word; changes: int32."""

    words: np.ndarray
    indptr: np.ndarray
    topics: np.ndarray
    changes: np.ndarray


class Merged(NamedTuple):
    """Rows of some words. words: int32[n]. sizes: uint16[n], entries of each. topics: as narrow as
    K allows; values: as in the arena. added: float64[runs, K], what the rows of each run of words
    have more than before."""

    words: np.ndarray
    sizes: np.ndarray
    topics: np.ndarray
    values: np.ndarray
    added: np.ndarray


class Laid(NamedTuple):
    """A process's part of a step, as far as it does not depend on topics: it can be laid out while
    others are waited for.

    documents: int64[n], of the whole step; owner: int64[n], the process of each. own: numbers in
    the corpus of this process's; places: the same, counted from its first document.
    """

    documents: np.ndarray
    owner: np.ndarray
    own: np.ndarray
    places: np.ndarray


def lay_out(site: Site, documents: np.ndarray) -> Laid:
    """documents: int64[n], of a step."""
    if site.ranks == 1:
        return Laid(documents, np.zeros_like(documents), documents, documents)
    owner = np.searchsorted(site.bounds, documents, side="right") - 1
    own = documents[owner == site.rank]
    return Laid(documents, owner, own, own - site.bounds[site.rank])


def count(batch: Minibatch, new: np.ndarray, old: np.ndarray, K: int) -> CountChanges:
    """By how much the samples of a batch change the counts. new, old: uint16[N, M], as for
    `rows.merge`. All words of the batch are there, changed or not."""
    word_ptr, pairs, tokens = rows.by_word(batch.places, batch.token_ptr, len(batch.words))
    return CountChanges(
        batch.words.astype(np.int32),
        *tally.count(word_ptr, pairs, tokens, batch.token_ptr, new, old, K),
    )


def changed(
    listed: np.ndarray, begins: np.ndarray, ends: np.ndarray, V: int, K: int
) -> CountChanges:
    """What changed in a step of V words. listed, begins, ends: of gibbs.sample."""
    return CountChanges(np.arange(V, dtype=np.int32), *tally.changes(listed, begins, ends, V, K))


def counts_of_rows(state: arena.Rows) -> CountChanges:
    """The rows themselves, which hold whole numbers."""
    topics, values = state.entries()
    indptr = offsets_of_parts(state.length)
    words = np.arange(state.V, dtype=np.int32)
    return CountChanges(words, indptr, topics.astype(np.uint16), values.astype(np.int32))


def add(
    site: Site,
    K: int,
    counted: Callable[[], CountChanges],
    own: Callable[[], None],
    change: Callable[[CountChanges], None],
) -> Exchange:
    """Add up what all processes counted, whole numbers. counted: what this one did, by word; own:
    adds that here, and change what another one did."""
    if site.ranks == 1:
        own()
        return
    counts = counted()
    # Two processes tell each other their counts as they are: more of them would add up the same
    # words
    if site.ranks > 2:
        parts = [
            heard_counts(message)
            for message in (yield by_owner(counts, divided_words(site.bow, site.ranks, K)))
        ]
        counts = added_up(parts, K)
        own = partial(change, counts)
    messages = Messages([message_of_counts(counts)] * site.ranks, own)
    heard = yield messages
    messages.work()
    for rank, message in enumerate(heard):
        if rank != site.rank:
            change(heard_counts(message))


def divided_words(bow: Bow, ranks: int, K: int) -> np.ndarray:
    """int64[ranks + 1]: process r has the words from the r-th to before the next. Frequent words
    have longer rows."""
    work = np.cumsum(np.minimum(np.sqrt(bow.word_tokens), min(ENTRIES, K)) + 1.0)
    return np.append(np.searchsorted(work, work[-1] * np.arange(ranks) / ranks), bow.V)


def added_up(parts: list[CountChanges], K: int) -> CountChanges:
    """Sums of what several processes counted of the words of one of them."""
    sums = sum_up(parts)
    return CountChanges(sums.words.astype(np.int32), *tally.add_up(*sums[1:], K))


def by_owner(counts: CountChanges, bounds: np.ndarray) -> list[Message]:
    """For each process what concerns its words. bounds: int64[ranks + 1], of `divided_words`."""
    at = np.searchsorted(counts.words, bounds)
    ends = counts.indptr
    messages = []
    for first, end in pairwise(at.tolist()):
        entries = slice(ends[first], ends[end])
        indptr = ends[first : end + 1] - ends[first]
        words = counts.words[first:end]
        part = CountChanges(words, indptr, counts.topics[entries], counts.changes[entries])
        messages.append(message_of_counts(part))
    return messages


def message_of_counts(counts: CountChanges) -> Message:
    """Changes as they travel: words without a change are left out, numbers are as small as they can
    be."""
    sizes = np.diff(counts.indptr)
    changed_words = np.flatnonzero(sizes)
    steps = np.diff(counts.words[changed_words], prepend=np.int32(0))
    large = np.abs(counts.changes) > -int(LARGE_CHANGE) - 1
    changes = np.where(large, LARGE_CHANGE, counts.changes).astype(np.int8)
    topics = (
        counts.topics
        if len(counts.topics) and counts.topics.max() > 255
        else counts.topics.astype(np.uint8)
    )
    return _narrow(steps), _narrow(sizes[changed_words]), topics, changes, counts.changes[large]


def heard_counts(message: Message) -> CountChanges:
    """The changes from a message of `message_of_counts`."""
    steps, sizes, topics, small, large = message
    changes = small.astype(np.int32)
    changes[small == LARGE_CHANGE] = large
    words = np.cumsum(steps, dtype=np.int32)
    return CountChanges(words, offsets_of_parts(sizes), topics.astype(np.uint16), changes)


def _narrow(array: np.ndarray) -> np.ndarray:
    """Whole numbers, none below 0, in the smallest type that holds them."""
    largest = int(array.max()) if len(array) else 0
    return array.astype(
        next(t for t in (np.uint8, np.uint16, np.uint32, np.int64) if largest <= np.iinfo(t).max)
    )


class GatheredChanges(NamedTuple):
    """Changes of several processes, by word. words: int64[n], ascending. The rest: as for
    `tally.add_up`."""

    words: np.ndarray
    pieces: np.ndarray
    first: np.ndarray
    end: np.ndarray
    topics: np.ndarray
    changes: np.ndarray


def sum_up(parts: list[CountChanges]) -> GatheredChanges:
    """The changes of all parts by word."""
    first_entries = offsets_of_parts(len(part.topics) for part in parts)
    words_of_parts = np.concatenate([part.words for part in parts]).astype(np.int64)
    order = np.argsort(words_of_parts, kind="stable")  # of each part they ascend
    starts = np.flatnonzero(np.diff(words_of_parts[order], prepend=-1))
    ends = [part.indptr + first for part, first in zip(parts, first_entries[:-1], strict=True)]
    return GatheredChanges(
        words=words_of_parts[order[starts]],
        pieces=np.append(starts, len(words_of_parts)),
        first=np.concatenate([indptr[:-1] for indptr in ends])[order],
        end=np.concatenate([indptr[1:] for indptr in ends])[order],
        topics=np.concatenate([part.topics for part in parts]),
        changes=np.concatenate([part.changes for part in parts]),
    )


def merge(
    state: arena.Rows, site: Site, counts: CountChanges, unit: float, drop_below: float
) -> Exchange:
    """Add up what all processes counted of new samples, times `unit`, in rows of real numbers: each
    process those of some of the runs of words in which `rows.merge` sums up totals."""
    K = len(state.totals)
    sums = sum_up(
        [heard_counts(message) for message in (yield [message_of_counts(counts)] * site.ranks)]
    )
    before = offsets_of_parts(np.abs(sums.changes))
    samples = before[sums.end] - before[sums.first]
    samples = np.add.reduceat(samples, sums.pieces[:-1]) if len(samples) else samples
    indptr = offsets_of_parts(np.minimum(K, state.length[sums.words] + samples))
    first, end = runs(site)
    bounds = chunk_bounds(indptr)[first : end + 1]
    a = bounds[0]
    b = bounds[-1]
    words = sums.words[a:b]
    indptr = indptr[a : b + 1] - indptr[a]
    sizes, topics, values, added = tally.merge(
        bounds - a,
        words,
        indptr,
        sums.pieces[a : b + 1],
        sums.first,
        sums.end,
        sums.topics,
        sums.changes,
        unit,
        drop_below,
        K,
        state.arena,
    )
    put(state, (yield [packed(words, indptr, sizes, topics, values, added)] * site.ranks))


def runs(site: Site) -> tuple[int, int]:
    """Which of the CHUNKS runs of a minibatch's words this process merges: from the first to before
    the second."""
    return site.rank * CHUNKS // site.ranks, (site.rank + 1) * CHUNKS // site.ranks


def packed(
    words: np.ndarray,
    row_starts: np.ndarray,
    sizes: np.ndarray,
    topics: np.ndarray,
    values: np.ndarray,
    added: np.ndarray,
) -> Merged:
    """Rows of words without the room that they did not need. Row i: sizes[i] entries of topics and
    values from row_starts[i] on. added: float64[m, K], of Merged."""
    _, topics, values = rows.close(row_starts, sizes, topics, values)
    topics = narrow_topics(topics, added.shape[1])
    return Merged(
        words=words.astype(np.int32),
        sizes=sizes.astype(np.uint16),
        topics=topics,
        values=values,
        added=added,
    )


def put(state: arena.Rows, messages: list[Message]) -> None:
    """The rows that all processes merged, in the order of their runs."""
    merged = [Merged(*message) for message in messages]
    words, sizes = ([part[i].astype(np.int64) for part in merged] for i in (0, 1))
    arena.make_room(state, np.concatenate(words), np.concatenate(sizes))
    for part, words_of_part, size in zip(merged, words, sizes, strict=True):
        for added in part.added:
            state.totals += added
        arena.put(
            state,
            words_of_part,
            offsets_of_parts(size),
            size,
            part.topics.astype(np.int32),
            part.values,
        )
