"""Where a run's memory of its tokens lies: in the machine's own, or in a file where it is large."""

import math
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np

LARGE = 1 << 28  # bytes: what is larger is kept on disk


def room(shape: tuple[int, int], scratch: Path | None = None) -> np.ndarray:
    """A uint16 array to be filled; where there is a folder `scratch` and it is large, a mapped file that ends with the process."""
    if scratch is None or not math.prod(shape) or 2 * math.prod(shape) < LARGE:
        return np.empty(shape, np.uint16)
    scratch.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=scratch) as file:  # the mapping holds it open
        return np.memmap(file, np.uint16, "w+", shape=shape)
