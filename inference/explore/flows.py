"""How two trainings share out the same tokens: which topics stay, which are parts of another one,
and which are made of several."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array

from inference.errors import Invalid

MAJORITY = 0.5  # of a topic's tokens, above which one topic of the other training has most of them
BLOCK = 1 << 24  # pairs of documents and words that are counted at once: 400 MB


class Flows(NamedTuple):
    """Tokens of topic fine[i] of one training that the other assigns to coarse[i]; pairs without
    tokens are left out, the others are ordered by fine, then by coarse.

    fine, coarse: int32[n]; tokens: int64[n]; of_fine: int64[Kf] and of_coarse: int64[Kc], tokens of
    each topic.
    """

    fine: np.ndarray
    coarse: np.ndarray
    tokens: np.ndarray
    of_fine: np.ndarray
    of_coarse: np.ndarray


class Descent(NamedTuple):
    """Where each topic of the finer training comes from.

    parent: int32[Kf], the coarse topic that has most of its tokens, the least of equals, -1 without
    tokens. part: float64[Kf], the part of its tokens that the parent has. stays: bool[Kf], the
    parent has more than MAJORITY of its tokens, and it more than MAJORITY of the parent's: they are the
    same topic. inside: bool[Kf], the parent has more than MAJORITY of it, but it is a part of the
    parent alone. Of the others no coarse topic has more than MAJORITY.
    """

    parent: np.ndarray
    part: np.ndarray
    stays: np.ndarray
    inside: np.ndarray


def count(
    fine: np.ndarray, coarse: np.ndarray, counts: np.ndarray, K_fine: int, K_coarse: int
) -> Flows:
    """fine, coarse: uint16[nnz], the topics that two trainings assign to the pairs of one bag of
    words; counts: [nnz], tokens of each pair. K_fine, K_coarse: topics of each training. Memory:
    BLOCK pairs, and the pairs of topics that share tokens. Raises Invalid where they are not of one
    bag."""
    pairs_of_each = {len(fine), len(coarse), len(counts)}
    if len(pairs_of_each) > 1:
        raise Invalid("run", f"Topics of the same words were expected, got {pairs_of_each} pairs.")
    shape = (K_fine, K_coarse)
    table = csr_array(shape, dtype=np.int64)
    for first in range(0, len(counts), BLOCK):
        block = slice(first, first + BLOCK)
        pairs = fine[block].astype(np.int32), coarse[block].astype(np.int32)
        tokens = np.asarray(counts[block], np.int64)
        table = table + coo_array((tokens, pairs), shape).tocsr()
    table.sort_indices()
    summed = table.tocoo()
    return Flows(
        fine=summed.row.astype(np.int32),
        coarse=summed.col.astype(np.int32),
        tokens=summed.data.astype(np.int64),
        of_fine=np.asarray(table.sum(axis=1), np.int64),
        of_coarse=np.asarray(table.sum(axis=0), np.int64),
    )


def descent(flows: Flows) -> Descent:
    """Where the topics of the finer training come from."""
    size = len(flows.of_fine)
    parent = np.full(size, -1, np.int32)
    shared = np.zeros(size, np.int64)
    most_first = np.lexsort((flows.coarse, -flows.tokens, flows.fine))
    topics, first = np.unique(flows.fine[most_first], return_index=True)
    largest = most_first[first]
    parent[topics] = flows.coarse[largest]
    shared[topics] = flows.tokens[largest]
    part = shared / np.maximum(flows.of_fine, 1)
    part_of_parent = np.zeros(size)
    tokens_of_parents = flows.of_coarse[parent[topics]]
    part_of_parent[topics] = shared[topics] / np.maximum(tokens_of_parents, 1)
    has_most = part > MAJORITY
    stays = has_most & (part_of_parent > MAJORITY)
    return Descent(parent, part, stays, has_most & ~stays)
