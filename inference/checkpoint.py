"""A training's state in one file: what a killed run goes on from."""

import json
import os
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np

from inference.bow import Bow
from inference.durable import settle_names
from inference.engines import ssi
from inference.errors import Invalid
from inference.memory import room

FORMAT = 2  # raised when the file changes its meaning
_BLOCK = 1 << 24  # bytes read at a time


def save(path: Path, state: ssi.State, *, config: ssi.Config, bow: Bow) -> None:
    """Write the state, whole or not at all: a new file takes the old one's place in one step."""
    path = Path(path)
    kept = {f.name: getattr(state, f.name) for f in fields(state) if not f.metadata.get("scratch")}
    arrays = {name: value for name, value in kept.items() if isinstance(value, np.ndarray)}
    numbers = {name: value for name, value in kept.items() if name not in arrays}
    meta = {"format": FORMAT, "config": asdict(config), "corpus": bow.digest, "numbers": numbers}
    temporary = path.with_name(path.name + ".new")
    try:
        with temporary.open("wb") as file:
            np.savez(file, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), **arrays)
            file.flush()
            os.fsync(file.fileno())
    except OSError:  # the disk is full: what would stay there would keep it so
        temporary.unlink(missing_ok=True)
        raise
    temporary.replace(path)
    settle_names([path.parent, path.parent.parent])


def load(path: Path, *, config: ssi.Config, bow: Bow, scratch: Path | None = None) -> ssi.State:
    """The state that was saved. Raises Invalid when it belongs to other settings, another corpus or another format.

    scratch: as for `train`.
    """
    with np.load(path, allow_pickle=False) as file:
        meta = json.loads(bytes(file["meta"]).decode())
        if meta["format"] != FORMAT:
            raise Invalid("checkpoint", f"The checkpoint has format {meta['format']}; this version reads {FORMAT}.")
        if meta["corpus"] != bow.digest:
            raise Invalid("checkpoint", "The checkpoint was made on another corpus.")
        if meta["config"] != asdict(config):
            changed = sorted(k for k, v in asdict(config).items() if meta["config"].get(k) != v)
            raise Invalid("checkpoint", f"The checkpoint was made with other settings: {', '.join(changed)} differ.")
        arrays = {name: file[name] for name in file.files if name not in ("meta", "memory")}
        arrays["memory"] = _memory(file, scratch)
    return ssi.State(**arrays, **meta["numbers"])


def _memory(file, scratch: Path | None) -> np.ndarray:
    """The state's memory, a block at a time to where `room` puts it: it may be larger than the machine's."""
    with file.zip.open("memory.npy") as saved:
        np.lib.format.read_magic(saved)
        shape, _, _ = np.lib.format.read_array_header_1_0(saved)
        memory = room(shape, scratch)
        flat = memory.reshape(-1).view(np.uint8)
        for first in range(0, len(flat), _BLOCK):
            block = saved.read(min(_BLOCK, len(flat) - first))
            flat[first : first + len(block)] = np.frombuffer(block, np.uint8)
    return memory


def priors(path: Path) -> tuple[np.ndarray, float]:
    """(alpha float64[K], eta) as the training left them: learned, or as they were set. Reads nothing else of the file."""
    with np.load(path, allow_pickle=False) as file:
        return file["alpha"], float(json.loads(bytes(file["meta"]).decode())["numbers"]["eta"])
