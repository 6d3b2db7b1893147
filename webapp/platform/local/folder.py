"""The state folder: all that Topograph keeps. Only its owner can read it."""

import fcntl
import json
import os
import secrets
from contextlib import contextmanager
from pathlib import Path

from webapp.platform.local.package import INSTALLED, ROOT

# Rights: for its owner alone
PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
SECRET = 48  # bytes of a secret that is made here


class Busy(Exception):
    """Another Topograph works in this state folder."""


def state_folder() -> Path:
    """Where the state folder is, or will be: TOPOGRAPH_DATA, or topograph-data beside manage.py, of
    an installed wheel in the folder where it is started."""
    return Path(
        os.environ.get("TOPOGRAPH_DATA") or Path("." if INSTALLED else ROOT, "topograph-data")
    ).resolve()


def data() -> Path:
    """The state folder, made where it is missing."""
    path = state_folder()
    path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    return path


def working() -> Path:
    """Where child processes run: `python -m` looks there for modules, which an installed wheel has
    elsewhere."""
    return data() if INSTALLED else ROOT


def secret(name: str) -> str:
    """A random secret that is made once and kept in the file `name`, readable by its owner
    alone."""
    path = data() / name
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    except FileExistsError:
        if text := path.read_text().strip():
            return text
        fd = os.open(path, os.O_WRONLY | os.O_TRUNC)  # a crash came between making and writing it
    with os.fdopen(fd, "w") as file:
        file.write(text := secrets.token_urlsafe(SECRET))
    return text


@contextmanager
def lock():
    """Hold the folder against a second Topograph; the kernel lets go when this process ends,
    however it ends."""
    with open(data() / "lock", "a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            running = servers()
            where = f" at {running['url']}" if running.get("url") else ""
            raise Busy(
                f"Topograph is running already{where}, with the state folder {data()}."
            ) from None
        yield


def locked() -> bool:
    """Whether a Topograph works in this folder."""
    try:
        with lock():
            return False
    except Busy:
        return True


def servers() -> dict[str, str]:
    """What the Topograph that works here told about itself: database_url, redis_url, url."""
    try:
        return json.loads((data() / "servers.json").read_text())
    except (FileNotFoundError, ValueError):
        return {}


def tell(**values: str) -> None:
    """Write servers.json, whole or not at all; it holds passwords."""
    temporary = data() / "servers.new"
    with os.fdopen(
        os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE), "w"
    ) as file:
        json.dump(values, file)
    temporary.replace(data() / "servers.json")
