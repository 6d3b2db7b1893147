"""Arrays in the one form for which a kernel is compiled: a memory map is read-only, so all are; and
rows of different lengths, some at a time."""

from collections.abc import Iterable, Iterator

import numpy as np

# In place of a divisor that may be 0, or of a number that a logarithm is taken of: far below what
# is computed anywhere, so that no result changes, and far enough above 0 that 1 / ABOVE_ZERO is
# finite. Where the number above is 0 too, the quotient is 0
ABOVE_ZERO = 1e-300


def frozen(array: np.ndarray, dtype: type) -> np.ndarray:
    """A read-only view of an array as `dtype`, contiguous, of the same shape; copied only where it
    has to be."""
    # A slice is a view of its own: the caller's array stays as it was
    view = np.ascontiguousarray(array, dtype).view(np.ndarray)[:]
    view.flags.writeable = False
    return view


def offsets_of_parts(sizes: Iterable[int] | np.ndarray) -> np.ndarray:
    """Where parts of these sizes begin that stand behind one another, and the end: int64[n + 1].
    sizes: whole numbers, n of them."""
    part_sizes = sizes if isinstance(sizes, np.ndarray) else np.array(list(sizes), np.int64)
    begins = np.zeros(len(part_sizes) + 1, np.int64)
    np.cumsum(part_sizes, dtype=np.int64, out=begins[1:])
    return begins


def row_blocks(starts: np.ndarray, most: int) -> Iterator[tuple[int, int]]:
    """(first, end) of rows one after the other: as many as have `most` entries together, and one
    where a single row has more. starts: int64[n + 1], where each row's entries begin."""
    first = 0
    while first < len(starts) - 1:
        within = int(np.searchsorted(starts, starts[first] + most, side="right")) - 1
        end = max(first + 1, within)
        yield first, end
        first = end
