"""Documents' topics, in the form that kernels take."""

from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from inference.runtime.arrays import frozen
from inference.runtime.jit import njit

_ALL = np.zeros(0, np.bool_)


class DocumentTopics(NamedTuple):
    """Each document's topics, and how many of its tokens they have, one document behind another.

    doc_ptr: int64[D + 1], where each document's topics begin; doc_topics: uint16[m]; doc_tokens:
    int32[m]. lengths: int64[D], all tokens of each document.
    """

    doc_ptr: np.ndarray
    doc_topics: np.ndarray
    doc_tokens: np.ndarray
    lengths: np.ndarray


def arrays(doc_ptr, doc_topics, doc_tokens, lengths) -> DocumentTopics:
    """All read-only, as memory maps are: a kernel is then compiled only once.

    Raises Invalid where they are not of the same documents.
    """
    documents = len(doc_ptr) - 1
    fits_documents = documents == len(lengths)
    fits_topics = len(doc_topics) == len(doc_tokens)
    ends_with_topics = not len(doc_ptr) or doc_ptr[-1] == len(doc_topics)
    if not (fits_documents and fits_topics and ends_with_topics):
        sizes = f"{documents:,} rows and {len(lengths):,} lengths"
        sizes += f", {len(doc_topics):,} topics and {len(doc_tokens):,} tokens"
        raise Invalid("documents", f"Arrays of the same documents were expected, got {sizes}.")
    return DocumentTopics(
        frozen(doc_ptr, np.int64),
        frozen(doc_topics, np.uint16),
        frozen(doc_tokens, np.int32),
        frozen(lengths, np.int64),
    )


def count(group: np.ndarray, G: int, mask: np.ndarray | None = None) -> np.ndarray:
    """int64[G]: documents of each group, of those in a mask, bool[D], if there is one. group:
    int32[D], others than 0 … G - 1 for none."""
    return _count(frozen(group, np.int32), G, frozen(_ALL if mask is None else mask, np.bool_))


@njit(cache=True, nogil=True)
def _count(group, G, mask):
    """int64[G]: documents of each group. group: int32[D], others than 0 … G - 1 for none. mask:
    bool[D], those that are counted, or without elements for all."""
    documents_of_group = np.zeros(G, np.int64)
    for d in range(len(group)):
        if 0 <= group[d] < G and (len(mask) == 0 or mask[d]):
            documents_of_group[group[d]] += 1
    return documents_of_group


def looked_at(documents: np.ndarray | None) -> tuple[np.ndarray, bool]:
    """(int32, the documents that a kernel looks at; whether it is all of them, whatever these are).
    documents: int32[n], None for all."""
    return (
        frozen(np.zeros(0, np.int32) if documents is None else documents, np.int32),
        documents is None,
    )


def take_evenly(documents: np.ndarray, limit: int) -> np.ndarray:
    """At most `limit` of these documents, int[n], spread evenly over them."""
    if len(documents) <= limit:
        return documents
    return documents[np.arange(limit) * len(documents) // limit]


def even_step(count: int, limit: int) -> int:
    """Every so manyth of `count` items is taken, from the first on, so that they are at most
    `limit`: 1 where they are that few already."""
    return max(1, -(-count // limit))


def take_evenly_outside(documents: np.ndarray, D: int, limit: int) -> np.ndarray:
    """At most `limit` of all other documents, spread evenly over them: int32, ascending. documents:
    int32[n], ascending, of D."""
    ranks = take_evenly(np.arange(D - len(documents)), limit)
    # How many of `documents` are below the one outside of them with each rank
    documents_below = np.searchsorted(documents - np.arange(len(documents)), ranks, "right")
    return (ranks + documents_below).astype(np.int32)


def numbers_of_mask(mask: np.ndarray) -> np.ndarray:
    """int32, ascending: where a mask, bool, is set."""
    return np.flatnonzero(mask).astype(np.int32)
