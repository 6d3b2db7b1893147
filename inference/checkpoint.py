"""A training's state in one file, from which a killed run continues."""

import json
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import IO, Any

import numpy as np

from inference import engines
from inference.bow import Bow
from inference.engines.contract import AnyEngine, Config, Priors, ResolvedConfig, State
from inference.errors import Invalid
from inference.runtime.durable import settle_names, sync
from inference.runtime.memory import large_array

FORMAT = 3  # raised when the file changes its meaning
_BLOCK = 1 << 24  # bytes read at a time
_PRIOR = "prior:alpha"  # beside the state's own arrays, whose names are those of its fields


def save(path: Path, state: State, *, engine: AnyEngine, config: ResolvedConfig, bow: Bow) -> None:
    """Write a state, whole or not at all: a new file takes the old one's place in one step.

    engine, config (resolved), bow: that the state belongs to. Raises OSError where the disk is
    full; the old file is still there then.
    """
    path = Path(path)
    state.refresh()
    saved_fields = {
        f.name: getattr(state, f.name) for f in fields(state) if not f.metadata.get("scratch")
    }
    arrays = {name: value for name, value in saved_fields.items() if isinstance(value, np.ndarray)}
    numbers = {name: value for name, value in saved_fields.items() if name not in arrays}
    priors = engine.priors(config, state)
    meta = {
        "format": FORMAT,
        "engine": engine.NAME,
        "config": asdict(config),
        "corpus": bow.digest,
        "numbers": numbers,
        "eta": float(priors.eta),
    }
    _write(
        path,
        arrays | {_PRIOR: priors.alpha, "meta": np.frombuffer(json.dumps(meta).encode(), np.uint8)},
    )


def _write(path: Path, arrays: dict[str, np.ndarray], save: Callable[..., None] = np.savez) -> None:
    """In one step: the old file stays until the new one is on the disk."""
    temporary = path.with_name(path.name + ".new")
    try:
        with temporary.open("wb") as file:
            save(file, allow_pickle=False, **arrays)
        sync(temporary)
    except OSError:  # the disk is full: what would stay there would keep it so
        temporary.unlink(missing_ok=True)
        raise
    temporary.replace(path)
    settle_names([path.parent, path.parent.parent])


def load(
    path: Path, *, engine: AnyEngine, config: Config, bow: Bow, scratch: Path | None = None
) -> Any:
    """The engine's State that was saved.

    config: that the state belongs to, as `save` had it, or as it was before what it leaves open was
    chosen from the corpus. scratch: as for `train`. Raises Invalid when it belongs to another
    engine, other settings, another corpus or another format.
    """
    with np.load(path, allow_pickle=False) as file:
        meta = _meta(file)
        if meta["engine"] != engine.NAME:
            raise Invalid(
                "checkpoint",
                f"The checkpoint was made by the engine {meta['engine']}, and can't be continued by"
                f" {engine.NAME}.",
            )
        if meta["corpus"] != bow.digest:
            raise Invalid("checkpoint", "The checkpoint was made on another corpus.")
        changed = _changed_settings(meta["config"], config, bow)
        if changed:  # a setting that came after the checkpoint was made is not compared
            raise Invalid(
                "checkpoint",
                f"The checkpoint was made with other settings: {', '.join(changed)} differ.",
            )
        mapped = {f.name for f in fields(engine.State) if f.metadata.get("mapped")}
        stored = {f.name for f in fields(engine.State)}.intersection(file.files)
        arrays = {
            name: _mapped(file, name, scratch) if name in mapped else file[name]
            for name in sorted(stored)
        }
    return engine.State(**arrays, **meta["numbers"])


def _changed_settings(stored: dict[str, Any], config: Config, bow: Bow) -> list[str]:
    """Names of stored settings that a config doesn't have, neither as it is nor as it is resolved
    for the corpus."""
    as_it_is = asdict(config)
    resolved = asdict(config.resolve(bow.D, bow.tokens))
    return sorted(
        name
        for name, value in stored.items()
        if value not in (as_it_is.get(name), resolved.get(name))
    )


def finish(path: Path, *, engine: AnyEngine) -> None:
    """Take out of the checkpoint of a training that is done what it remembers of each document,
    which is most of the file: only a training that continues needs it; and compress the rest.
    Topics, priors and what reads new texts can still be had from it.

    Raises OSError where the disk is full; the old file is still there then.
    """
    path = Path(path)
    mapped = {f.name for f in fields(engine.State) if f.metadata.get("mapped")}
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: _empty(file, name) if name in mapped else file[name] for name in file.files}
    _write(path, arrays, np.savez_compressed)  # it is read seldom now, and never in a hurry


def _empty(file: Any, name: str) -> np.ndarray:
    """An array of the type of the stored one, without rows; the stored one is not read."""
    with file.zip.open(f"{name}.npy") as saved:
        shape, dtype = _header(saved)
        return np.empty((0, *shape[1:]), dtype)


def _header(saved: IO[bytes]) -> tuple[tuple[int, ...], np.dtype]:
    """Shape and type of a stored array, of which nothing was read yet; its numbers follow."""
    np.lib.format.read_magic(saved)
    shape, _, dtype = np.lib.format.read_array_header_1_0(saved)
    return shape, dtype


def _meta(file: Any) -> dict[str, Any]:
    """The checkpoint's record of engine, settings and numbers, older formats brought to this
    one."""
    meta = json.loads(bytes(file["meta"]).decode())
    # Before checkpoints carried their engine's name; they are those of engines.UNNAMED
    if meta["format"] == 2:
        return meta | {"engine": engines.UNNAMED, "eta": meta["numbers"]["eta"]}
    if meta["format"] != FORMAT:
        raise Invalid(
            "checkpoint",
            f"The checkpoint has format {meta['format']}; this version reads {FORMAT}.",
        )
    return meta


def _mapped(file: Any, name: str, scratch: Path | None) -> np.ndarray:
    """An array of the state, a block at a time to where `large_array` puts it: it may be larger
    than the machine's memory."""
    with file.zip.open(f"{name}.npy") as saved:
        shape, dtype = _header(saved)
        array = large_array(shape, scratch, dtype)
        flat = array.reshape(-1).view(np.uint8)
        for first in range(0, len(flat), _BLOCK):
            block = saved.read(min(_BLOCK, len(flat) - first))
            flat[first : first + len(block)] = np.frombuffer(block, np.uint8)
    return array


def priors(path: Path) -> Priors:
    """The priors as the training left them: learned, or as they were set. Reads nothing else of the
    file."""
    with np.load(path, allow_pickle=False) as file:
        return Priors(file[_PRIOR if _PRIOR in file.files else "alpha"], float(_meta(file)["eta"]))
