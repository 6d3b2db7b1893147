import numpy as np
import pytest

from inference.kernels.chunks import cumulated
from inference.runtime.arrays import offsets_of_parts


@pytest.mark.parametrize("dtype", [bool, np.uint16, np.int32, np.int64, np.uint64])
def test_offsets_are_the_same_in_and_outside_of_kernels(dtype) -> None:
    sizes = np.array([1, 0, 1, 1], dtype)
    offsets = offsets_of_parts(sizes)
    assert offsets.dtype == np.int64 and offsets.tolist() == [0, 1, 1, 2, 3]
    assert offsets.tolist() == cumulated(sizes.astype(np.int64)).tolist()


def test_offsets_of_no_parts_are_whole_numbers() -> None:
    offsets = offsets_of_parts(len(row) for row in [])
    assert offsets.dtype == np.int64 and offsets.tolist() == [0]
