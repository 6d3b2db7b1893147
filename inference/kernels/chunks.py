"""How work is divided among threads: into as many chunks, whatever the threads, so that results
don't depend on them."""

import numpy as np

from inference.runtime.jit import njit

CHUNKS = 64  # of a minibatch's documents or words; a kernel gives each a workspace of its own


@njit(cache=True, nogil=True)
def cumulated(sizes):
    """Where parts of these sizes begin that stand behind one another, and the end: int64[n + 1].
    `inference.runtime.arrays.offsets_of_parts` is for callers that are not compiled."""
    begins = np.zeros(len(sizes) + 1, np.int64)
    for i in range(len(sizes)):
        begins[i + 1] = begins[i] + sizes[i]
    return begins


@njit(cache=True)
def chunk_bounds(indptr):
    """Bounds of CHUNKS runs of rows with about as many entries each: int64[CHUNKS + 1]; indptr:
    int64[n + 1], of the rows."""
    n = len(indptr) - 1
    bounds = np.zeros(CHUNKS + 1, np.int64)
    i = 0
    for chunk in range(CHUNKS):
        while i < n and indptr[i] * CHUNKS < (chunk + 1) * indptr[n]:
            i += 1
        bounds[chunk + 1] = i
    bounds[CHUNKS] = n
    return bounds
