"""Documents' topics as kernels take them."""

import numpy as np

from inference.errors import Invalid


def arrays(doc_ptr, doc_topics, doc_tokens, lengths) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """int64[D + 1], uint16[m], int32[m] and int64[D], all read-only, as memory maps are: a kernel is then compiled only
    once.

    Raises Invalid where they are not of the same documents.
    """
    if (
        len(doc_ptr) != len(lengths) + 1
        or len(doc_topics) != len(doc_tokens)
        or (len(doc_ptr) and doc_ptr[-1] != len(doc_topics))
    ):
        raise Invalid(
            "documents",
            f"Arrays of the same documents were expected, got {len(doc_ptr) - 1:,} rows and {len(lengths):,} lengths, "
            f"{len(doc_topics):,} topics and {len(doc_tokens):,} tokens.",
        )
    return (
        frozen(doc_ptr, np.int64),
        frozen(doc_topics, np.uint16),
        frozen(doc_tokens, np.int32),
        frozen(lengths, np.int64),
    )


def frozen(array: np.ndarray, dtype: type) -> np.ndarray:
    view = np.ascontiguousarray(array, dtype).view(np.ndarray)[:]  # its own view: the caller's array stays as it was
    view.flags.writeable = False
    return view
