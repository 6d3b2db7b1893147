"""Arrays that are filled in place: a run's remembered topics of its tokens, in memory or in a file,
and files that are mapped."""

import math
import os
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
import numpy.typing as npt

LARGE = 1 << 28  # bytes: what is larger is kept on disk


def room(
    shape: tuple[int, ...], scratch: Path | None = None, dtype: npt.DTypeLike = np.uint16
) -> np.ndarray:
    """An array to be filled; where there is a folder `scratch` and it is large, a mapped file that
    ends with the process."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if scratch is None or not size or size < LARGE:
        return np.empty(shape, dtype)
    scratch.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=scratch) as file:  # the mapping holds it open
        reserve(file.fileno(), size)
        return np.memmap(file, np.dtype(dtype), "w+", shape=shape)


def physical() -> int | None:
    """Bytes of memory that this machine has; None where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        return None


def mapped(path: Path, dtype: npt.DTypeLike, size: int) -> np.memmap:
    """A new file of an array of that size, mapped to be filled: as numpy's own where its name ends
    in .npy, else the bytes alone.

    Raises OSError where the disk has no room for it.
    """
    opened = np.lib.format.open_memmap if Path(path).suffix == ".npy" else np.memmap
    array = opened(path, mode="w+", dtype=np.dtype(dtype), shape=(size,))
    with Path(path).open("r+b") as file:
        reserve(file.fileno(), os.fstat(file.fileno()).st_size)
    return array


def reserve(file: int, size: int) -> None:
    """Have the disk set room aside: a mapped file with holes in it ends the process where there is
    none left to fill them."""
    if size and hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
