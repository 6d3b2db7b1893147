"""Arrays in the one form for which a kernel is compiled: a memory map is read-only, so all are."""

import numpy as np


def frozen(array: np.ndarray, dtype: type) -> np.ndarray:
    """A read-only view of an array as `dtype`, contiguous, of the same shape; copied only where it
    has to be."""
    # A slice is a view of its own: the caller's array stays as it was
    view = np.ascontiguousarray(array, dtype).view(np.ndarray)[:]
    view.flags.writeable = False
    return view
