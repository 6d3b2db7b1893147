"""The remembered topics of a shared training, in files: each process writes what its own documents
changed.

`T.json` in the folder lists the files that together hold the remembered topics after step T, oldest
first; a file is
- whole: uint16[tokens, M], of the documents first ... end - 1;
- visited: `documents`, int64[n], of that range, and `samples`, uint16[tokens, M], of these
  documents alone.
"""

import json
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from inference.bow import Bow
from inference.engines.contract import AnyEngine, Divisible, Remembering, TrainingCorpus
from inference.errors import Invalid
from inference.runtime.arrays import offsets_of_parts
from inference.runtime.durable import rewrite, settle
from inference.runtime.memory import large_array

BLOCK = 1 << 22  # rows of memory that are read at a time


class PartFile(NamedTuple):
    """A file: its name, which no other process gives a file, not even one that was lost and still
    writes; and the documents that it may tell of."""

    name: str
    first: int
    end: int


def folder_of(checkpoint: Path) -> Path:
    """The folder of the parts of the memory that belongs to a checkpoint."""
    return checkpoint.with_name(checkpoint.name + ".parts")


def write_whole(folder: Path, t: int, first: int, end: int, memory: np.ndarray) -> PartFile:
    """memory: uint16[tokens, M], of the documents first ... end - 1, after step t."""
    part = PartFile(f"whole-{t}-{first}-{end}-{secrets.token_hex(4)}.npy", first, end)
    folder.mkdir(parents=True, exist_ok=True)
    with _written(folder / part.name) as file:
        np.save(file, memory)
    return part


def write_visited_samples(
    folder: Path, t: int, first: int, end: int, documents: np.ndarray, samples: np.ndarray
) -> PartFile:
    """What a range's documents (int64[n], numbers in the corpus) that were visited since the last
    part have now."""
    part = PartFile(f"visited-{t}-{first}-{end}-{secrets.token_hex(4)}.npz", first, end)
    with _written(folder / part.name) as file:
        np.savez(file, documents=documents, samples=samples)
    return part


@contextmanager
def _written(path: Path) -> Iterator[BinaryIO]:
    """A new file, which is on the disk then, or not there at all: half a file would keep a full
    disk full."""
    try:
        with path.open("wb") as file:
            yield file
        settle(path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def commit(folder: Path, t: int, parts: Sequence[PartFile]) -> None:
    """Say which files hold the memory after step t: they are on the disk by now."""
    path = folder / f"{t}.json"
    rewrite(path, json.dumps([part._asdict() for part in parts]).encode())
    settle(path)


def drop_others(folder: Path, t: int) -> None:
    """Remove what does not belong to step t. What can't be removed now (a shared folder may keep a
    file that a worker still has open) is removed after the next checkpoint."""
    names_to_keep = {f"{t}.json", *(part.name for part in list_parts(folder, t))}
    for path in folder.iterdir():
        if path.name not in names_to_keep:
            with suppress(OSError):
                path.unlink()


def gather(
    checkpoint: Path,
    state: Any,
    bow: Bow,
    *,
    engine: AnyEngine,
    config: Any,
    scratch: Path | None = None,
) -> None:
    """Give a state that continues in one process the remembered topics of the parts, where the
    checkpoint is without them. Raises Invalid where they are not there, either: no document may be
    taken for one that was never visited."""
    if (
        not isinstance(engine, Divisible)
        or not isinstance(engine, Remembering)
        or len(state.memory)
    ):
        return
    if engine.remembered_bytes(config, TrainingCorpus.of_bow(bow)):
        memory = large_array((bow.tokens, state.memory.shape[1]), scratch)
        read(folder_of(checkpoint), state.t, bow, 0, bow.D, memory)
        state.memory = memory


def drop(checkpoint: Path) -> None:
    """Remove all parts: the checkpoint holds the memory itself."""
    shutil.rmtree(folder_of(checkpoint), ignore_errors=True)


def list_parts(folder: Path, t: int) -> list[PartFile]:
    """Raises Invalid where the memory after step t is not there."""
    try:
        return [
            PartFile(**part_fields)
            for part_fields in json.loads((folder / f"{t}.json").read_text())
        ]
    except FileNotFoundError:
        raise Invalid(
            "checkpoint", f"The memory of topics after step {t} is not in {folder}."
        ) from None


def read(folder: Path, t: int, bow: Bow, first: int, end: int, memory: np.ndarray) -> None:
    """Fill memory, uint16[tokens, M], of the documents first ... end - 1, with what it was after
    step t. bow: the corpus.

    Raises Invalid where no file tells of some that have tokens.
    """
    first_token = bow.first_token
    base = bow.first_token[first]
    tokens_read = 0
    for part in list_parts(folder, t):
        a = max(part.first, first)
        b = min(part.end, end)
        if a >= b:
            continue
        if part.name.startswith("whole"):
            tokens_read += first_token[b] - first_token[a]
            saved = (
                np.load(folder / part.name, mmap_mode="r")
                if first_token[part.end] > first_token[part.first]
                else memory[:0]
            )
            for at in range(first_token[a], first_token[b], BLOCK):
                to = min(at + BLOCK, first_token[b])
                memory[at - base : to - base] = saved[
                    at - first_token[part.first] : to - first_token[part.first]
                ]
            continue
        with np.load(folder / part.name) as file:
            documents = file["documents"]
            samples = file["samples"]
        ends = offsets_of_parts(first_token[documents + 1] - first_token[documents])
        for i in np.flatnonzero((documents >= a) & (documents < b)):
            d = documents[i]
            memory[first_token[d] - base : first_token[d + 1] - base] = samples[
                ends[i] : ends[i + 1]
            ]
    if tokens_read != first_token[end] - base:
        raise Invalid(
            "checkpoint",
            f"The memory of topics of some documents is not in {folder}, for step {t}.",
        )
