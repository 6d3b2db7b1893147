"""Arrays that are filled in place: a run's memory of its tokens, in the machine's own or in a file, and files that are mapped."""

import math
import os
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
        reserve(file.fileno(), 2 * math.prod(shape))
        return np.memmap(file, np.uint16, "w+", shape=shape)


def mapped(path: Path, dtype: type, size: int) -> np.ndarray:
    """A new file of an array of that size, mapped to be filled: as numpy's own where its name ends in .npy, else the bytes alone.

    Raises OSError where the disk has no room for it.
    """
    path = Path(path)
    if path.suffix == ".npy":
        array = np.lib.format.open_memmap(path, "w+", dtype, (size,))
    else:
        array = np.memmap(path, dtype, "w+", shape=(size,))
    with path.open("r+b") as file:
        reserve(file.fileno(), path.stat().st_size)
    return array


def reserve(file: int, size: int) -> None:
    """Have the disk set room aside: a mapped file with holes in it ends the process where there is none left to fill them."""
    if size and hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
