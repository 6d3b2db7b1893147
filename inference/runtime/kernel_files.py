"""Files of compiled kernels: one for each, in a folder that only this user can write.

The files hold pickles (numba's own form of compiled code), and loading one runs what is in it. So
the folder must belong to this user, with nobody else able to write to it, and a file is read only
where it still has the hash that it was written with. Whatever is wrong with the folder or a file is
logged, and the kernel is compiled: nothing fails by it.

A wheel carries kernels, too (inference/shipping.py), in a folder that is only read. They
are as trusted as the code beside them, and are loaded only with the hash that the wheel lists for
them.

The folder is TOPOGRAPH_KERNELS, or `topograph/kernels` in the user's cache folder (XDG_CACHE_HOME,
~/.cache), or, where that can't be written, one in the system's folder of temporary files. It serves
every checkout, process and version.
"""

import logging
import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

MOST_BYTES = 512 << 20  # beyond it, the files that were used least recently are deleted
PATIENCE = 60.0  # seconds that a process waits for another one that compiles the same kernel
ENDING = ".kernel"
CLAIM = ".claim"
# of a wheel
SHIPPED = Path(__file__).with_name("shipped")
HASHES = "hashes.txt"
used: set[str] = set()  # the names that this process has read or written
_HASH_BYTES = 32
_log = logging.getLogger(__name__)

try:
    import fcntl
except ImportError:  # not on Windows, where several processes may compile the same
    fcntl = None  # type: ignore[assignment]


class Unsafe(Exception):
    """A folder that others could write to."""


@cache
def folder() -> Path | None:
    """The folder of this process, made where it is missing; None, with a warning, where no folder
    can be used."""
    for path in _candidates():
        try:
            return _private(path)
        except (OSError, Unsafe) as error:
            _log.warning("Compiled kernels can't be kept in %s: %s", path, error)
    return None


def _candidates() -> list[Path]:
    if named_folder := os.environ.get("TOPOGRAPH_KERNELS"):
        return [Path(named_folder).absolute()]
    user = os.geteuid() if hasattr(os, "geteuid") else "user"
    last = Path(tempfile.gettempdir()) / f"topograph-kernels-{user}"
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    except RuntimeError:  # no home folder is known
        return [last]
    return [home / "topograph" / "kernels", last] if home.is_absolute() else [last]


def _private(path: Path) -> Path:
    """The folder, made where it is missing. Raises Unsafe, or OSError where it can't be written."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.name == "posix":
        info = path.lstat()
        if not stat.S_ISDIR(info.st_mode):
            raise Unsafe("it is a link, not a folder")
        if info.st_uid != os.geteuid():
            raise Unsafe("it belongs to another user")
        if info.st_mode & 0o022:
            raise Unsafe(
                "other users can write to it: delete it, or delete its files and take away that"
                " right"
            )
        if info.st_mode & 0o055:
            path.chmod(0o700)
    tempfile.TemporaryFile(dir=path).close()
    return path


def read(name: str) -> bytes | None:
    """What was written under a name; None where nothing was, or what is there is damaged (it is
    deleted)."""
    at = folder()
    if at is None:
        return None
    path = at / f"{name}{ENDING}"
    try:
        content = path.read_bytes()
        # When a file was used last is known to a day
        if time.time() - path.stat().st_mtime > 86_400.0:
            os.utime(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        _log.warning("The compiled kernel %s can't be read, and is compiled again: %s", path, error)
        return None
    if sha256(content[_HASH_BYTES:]).digest() != content[:_HASH_BYTES]:
        drop(name, "it does not have the hash that it was written with")
        return None
    used.add(name)
    return content[_HASH_BYTES:]


def read_shipped(name: str) -> bytes | None:
    """What the wheel carries under a name; None where it carries nothing, or something else than it
    lists."""
    if (expected := _shipped().get(name)) is None:
        return None
    try:
        content = (SHIPPED / f"{name}{ENDING}").read_bytes()
    except OSError as error:
        _log.warning("The shipped kernel %s can't be read, and is compiled: %s", name, error)
        return None
    if sha256(content).hexdigest() != expected:
        _log.warning(
            "The shipped kernel %s does not have the hash that is listed for it, and is compiled",
            name,
        )
        return None
    return content[_HASH_BYTES:]


@cache
def _shipped() -> dict[str, str]:
    """name -> hash of the kernels that came with this code."""
    try:
        lines = (SHIPPED / HASHES).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:  # a checkout
        return {}
    return {name: expected for expected, _, name in (line.partition("  ") for line in lines)}


def ship(names: set[str], *, add: bool = False) -> int:
    """Copy kernels that are kept into the folder that a wheel carries, in place of what is there,
    or with `add` beside it. Returns their bytes."""
    at = folder()
    sizes = 0
    _shipped.cache_clear()
    hashes = dict(_shipped()) if add else {}
    if at is None:
        raise OSError("There is no folder of kernels to ship from.")
    if not add:
        shutil.rmtree(SHIPPED, ignore_errors=True)
    SHIPPED.mkdir(exist_ok=True)
    for name in sorted(names):
        content = (at / f"{name}{ENDING}").read_bytes()
        (SHIPPED / f"{name}{ENDING}").write_bytes(content)
        hashes[name] = sha256(content).hexdigest()
        sizes += len(content)
    lines = [f"{hashes[name]}  {name}\n" for name in sorted(hashes)]
    (SHIPPED / HASHES).write_text("".join(lines), encoding="utf-8")
    _shipped.cache_clear()
    return sizes


def write(name: str, content: bytes) -> None:
    """Store something under a name, whole or not at all, though other processes may write it too. A
    failure is logged."""
    at = folder()
    if at is None:
        return
    _make_room(at)
    try:
        handle, unfinished = tempfile.mkstemp(dir=at)  # which only its owner can read
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(sha256(content).digest() + content)
            os.replace(unfinished, at / f"{name}{ENDING}")
            used.add(name)
        except BaseException:
            os.unlink(unfinished)
            raise
    except OSError as error:
        _log.warning("The compiled kernel %s can't be kept in %s: %s", name, at, error)


def claim(name: str) -> int | None:
    """Say that this process compiles a kernel, once no other process does: a descriptor for
    `release`. None where that can't be said, or another process takes longer than PATIENCE."""
    at = folder()
    if at is None or fcntl is None:
        return None
    deadline = time.monotonic() + PATIENCE
    try:
        handle = os.open(at / f"{name}{CLAIM}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    while time.monotonic() < deadline:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except OSError:
            time.sleep(0.02)
    os.close(handle)
    return None


def release(name: str, handle: int | None) -> None:
    """End a claim. The end of the process ends it, too."""
    if handle is not None and (at := folder()):
        with suppress(OSError):
            (at / f"{name}{CLAIM}").unlink()
        os.close(handle)


def drop(name: str, why: str) -> None:
    """Delete what is kept under a name, and say why in the log."""
    _log.warning("The kept kernel %s is deleted, and compiled again: %s", name, why)
    if at := folder():
        with suppress(OSError):
            (at / f"{name}{ENDING}").unlink()


def forget() -> None:
    """Find out again, as a new process does, where kernels are kept, whether there is room for
    more, and what is shipped."""
    folder.cache_clear()
    _make_room.cache_clear()
    _shipped.cache_clear()


@cache
def _make_room(at: Path) -> None:
    """Once in a process that writes: delete what was left unfinished, and the oldest files beyond
    MOST_BYTES."""
    files_to_keep = []
    try:
        with os.scandir(at) as entries:
            for entry in entries:
                with suppress(OSError):  # another process deleted it
                    info = entry.stat(follow_symlinks=False)
                    if entry.name.endswith(ENDING):
                        files_to_keep.append((info.st_mtime, info.st_size, entry.path))
                    # A file that is still being written after an hour was left behind
                    elif stat.S_ISREG(info.st_mode) and time.time() - info.st_mtime > 3_600.0:
                        os.unlink(entry.path)
        excess = sum(size for _, size, _ in files_to_keep) - MOST_BYTES
        for _, size, path in sorted(files_to_keep):
            if excess <= 0:
                return
            with suppress(OSError):
                os.unlink(path)
            excess -= size
    except OSError as error:
        _log.warning("Old kernels in %s can't be deleted: %s", at, error)
