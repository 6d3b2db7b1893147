"""Arrays that are filled in place: a run's remembered topics of its tokens, in memory or in a file,
and files that are mapped."""

import math
import os
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
import numpy.typing as npt

LARGE_BYTES = 1 << 28  # bytes: what is larger is kept on disk
SINGLE = 4  # bytes of a float32 or an int32
DOUBLE = 8  # bytes of a float64 or an int64
# Where Linux says which control groups a process is in, and what these allow (cgroups(7))
PROCESS_GROUPS = Path("/proc/self/cgroup")
CONTROL_GROUPS = Path("/sys/fs/cgroup")


def large_array(
    shape: tuple[int, ...], scratch: Path | None, dtype: npt.DTypeLike = np.uint16
) -> np.ndarray:
    """An array to be filled; where there is a folder `scratch` and it is large, a mapped file that
    ends with the process."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if scratch is None or not size or size < LARGE_BYTES:
        return np.empty(shape, dtype)
    scratch.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=scratch) as file:  # the mapping holds it open
        reserve(file.fileno(), size)
        return np.memmap(file, np.dtype(dtype), "w+", shape=shape)


def usable_memory() -> int | None:
    """Bytes of memory that this process may use: what the machine has, or less where a container or
    a service has a limit; None where the system does not say."""
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        return None
    return min([physical, *control_limits(PROCESS_GROUPS, CONTROL_GROUPS)])


def control_limits(process_groups: Path, control_groups: Path) -> list[int]:
    """Limits of the control groups that this process is in, and of those above them; empty where
    there are none. process_groups: which groups, a line each, "number:controllers:/path";
    control_groups: where they are mounted. In a container its own group is the root."""
    try:
        lines = process_groups.read_text().splitlines()
    except OSError:
        return []
    limits = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:  # the second version: one tree for all controllers
            limits += _limits_above(control_groups, path, "memory.max")
        elif "memory" in controllers.split(","):
            limits += _limits_above(control_groups / "memory", path, "memory.limit_in_bytes")
    return limits


def _limits_above(tree: Path, path: str, name: str) -> list[int]:
    """The limits in a group and in those above it, up to the root of its tree."""
    folder = tree / path.lstrip("/")
    limits = []
    for group in (folder, *folder.parents):
        if not group.is_relative_to(tree):
            break
        try:
            limits.append(int((group / name).read_text()))
        except (OSError, ValueError):  # not there, or "max"
            continue
    return limits


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
