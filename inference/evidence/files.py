"""The arrays of the evidence on disk: a file for each, of its type, without a header. Where each
row of them begins is in `.npy` files beside them."""

from pathlib import Path

import numpy as np

# The topic of each pair of a document and a word: as the bag of words has the pairs, and as its
# postings have them
PAIRS = {
    "topics": np.uint16,
    "certainty": np.uint8,
    "word_topics": np.uint16,
    "word_certainty": np.uint8,
}
# The topics of each document, in rows of doc_ptr.npy
ROWS = {"doc_topics": np.uint16, "doc_tokens": np.int32}
# The documents of each topic, the first of an order first, in rows of topic_ptr.npy
ORDERS = {
    "by_share": np.int32,
    "by_tokens": np.int32,
}
# What each word's topics hold, in rows of held_ptr.npy
HELD = {
    "held_topics": np.uint16,
    "held_tokens": np.int64,
    "held_documents": np.int32,
}


def open_mapped(path: Path, dtype: type, is_empty: bool) -> np.ndarray:
    """An array of a file: read-only, mapped. An empty file can't be."""
    return np.zeros(0, dtype) if is_empty else np.memmap(path, dtype, "r")
