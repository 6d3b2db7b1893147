"""Zip archives, and numpy's archives of arrays, that are written as they are sent."""

import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from webapp.service.exports.table_formats import Sink

PIECE_BYTES = 1 << 18  # bytes that are gathered before they are sent
BLOCK = 1 << 20  # elements of an array that are converted at a time
_DATE = (1980, 1, 1, 0, 0, 0)  # of every member: the same content gives the same archive


class Member(NamedTuple):
    """A file of an archive. stored: not compressed, as numpy writes its arrays."""

    name: str
    pieces: Iterable[bytes]
    stored: bool = False


def zipped(members: Iterable[Member]) -> Iterator[bytes]:
    """A zip, in pieces."""
    sink = Sink()
    with ZipFile(sink, "w") as archive:
        for member in members:
            info = ZipInfo(member.name, _DATE)
            info.compress_type = ZIP_STORED if member.stored else ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            with archive.open(info, "w", force_zip64=True) as file:
                for block in member.pieces:
                    file.write(block)
                    if sum(map(len, sink.pieces)) >= PIECE_BYTES:
                        yield sink.take()
    yield sink.take()


class Array(NamedTuple):
    """An array that is made a block at a time. shape is known beforehand; blocks follow each other
    along the first axis."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    blocks: Iterable[np.ndarray]


def ready_array(name: str, array: np.ndarray) -> Array:
    """An array that is there already, in memory or mapped."""
    array = np.asanyarray(array)
    if array.ndim == 0:
        return Array(name, (), array.dtype, [array])
    step = max(1, BLOCK // max(1, int(np.prod(array.shape[1:]))))
    return Array(
        name, array.shape, array.dtype, (array[i : i + step] for i in range(0, len(array), step))
    )


def text(name: str, words: list[str]) -> Array:
    """Words as an array of numpy's fixed-width text: read without pickle."""
    return ready_array(name, np.array(words, dtype=f"<U{max([1, *map(len, words)])}"))


def npy(array: Array) -> Iterator[bytes]:
    """An array as numpy saves it."""
    head = io.BytesIO()
    descr = np.lib.format.dtype_to_descr(np.dtype(array.dtype))
    np.lib.format.write_array_header_1_0(
        head, {"descr": descr, "fortran_order": False, "shape": array.shape}
    )
    yield head.getvalue()
    for block in array.blocks:
        yield np.ascontiguousarray(block, array.dtype).tobytes()


def npz(arrays: Iterable[Array]) -> Iterator[bytes]:
    """What numpy.load opens: a zip of arrays, not compressed."""
    return zipped(Member(f"{array.name}.npy", npy(array), stored=True) for array in arrays)
