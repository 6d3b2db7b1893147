"""Sparse rows as rows of their columns."""

import numpy as np

from inference.runtime.jit import njit


@njit(cache=True, nogil=True)
def transpose(ptr, columns, values, n, rows_out, values_out):
    """Entries of rows in the order of their n columns, of a column in that of their rows: fills
    rows_out and values_out, one for each entry, and returns where each column's begin, int64[n +
    1]. ptr: where each row's begin."""
    begins = np.zeros(n + 1, np.int64)
    for column in columns:
        begins[column + 1] += 1
    begins = np.cumsum(begins)
    write_place = begins.copy()
    for row in range(len(ptr) - 1):
        for j in range(ptr[row], ptr[row + 1]):
            at = write_place[columns[j]]
            rows_out[at] = row
            values_out[at] = values[j]
            write_place[columns[j]] = at + 1
    return begins
