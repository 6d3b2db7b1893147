"""A training's state in one file: what a killed run goes on from."""

import io
import json
import os
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np

from inference.bow import Bow
from inference.engines import ssi
from inference.errors import Invalid

FORMAT = 1  # raised when the file changes its meaning


def save(path: Path, state: ssi.State, *, config: ssi.Config, bow: Bow) -> None:
    """Write the state, whole or not at all: a new file takes the old one's place in one step."""
    path = Path(path)
    arrays = {f.name: getattr(state, f.name) for f in fields(state) if isinstance(getattr(state, f.name), np.ndarray)}
    numbers = {f.name: getattr(state, f.name) for f in fields(state) if f.name not in arrays}
    meta = {"format": FORMAT, "config": asdict(config), "corpus": bow.digest, "numbers": numbers}
    temporary = path.with_name(path.name + ".new")
    with temporary.open("wb") as file:
        np.savez(file, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), **arrays)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def load(path: Path, *, config: ssi.Config, bow: Bow) -> ssi.State:
    """The state that was saved. Raises Invalid when it belongs to other settings, another corpus or another format."""
    with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as file:
        meta = json.loads(bytes(file["meta"]).decode())
        if meta["format"] != FORMAT:
            raise Invalid("checkpoint", f"The checkpoint has format {meta['format']}; this version reads {FORMAT}.")
        if meta["corpus"] != bow.digest:
            raise Invalid("checkpoint", "The checkpoint was made on another corpus.")
        if meta["config"] != asdict(config):
            changed = sorted(k for k, v in asdict(config).items() if meta["config"].get(k) != v)
            raise Invalid("checkpoint", f"The checkpoint was made with other settings: {', '.join(changed)} differ.")
        arrays = {name: file[name] for name in file.files if name != "meta"}
    return ssi.State(**arrays, **meta["numbers"])
