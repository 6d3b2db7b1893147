"""Makes .venv from the lock, and goes on inside it. The standard library alone: it runs before
anything is installed.

The lock names versions and hashes, no addresses: packages come from the index that pip is
configured for.
"""

from __future__ import annotations  # an older Python, too, is told what it lacks

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from webapp.platform import system
from webapp.platform.local import needs
from webapp.platform.local.package import INSTALLED, ROOT, resource

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOCKS = {kind: resource("requirements") / f"{kind}.lock" for kind in ("runtime", "test")}
INSTALLER = resource("requirements") / "installer.lock"


def enter(argv: list[str]) -> None:
    """Return when this process runs inside an environment that fits the lock; else make it, and
    start again inside.

    An installed wheel uses the Python that runs, as it is; so does a clone with
    TOPOGRAPH_ENVIRONMENT=current (the Docker image).
    """
    is_ready = INSTALLED or os.environ.get("TOPOGRAPH_ENVIRONMENT") == "current"
    refusal = system.refusal(packages_are_installed=is_ready)
    if refusal is not None:
        sys.exit(refusal)
    if is_ready:
        return
    lock_name = "test" if argv[1:2] == ["test"] else "runtime"
    if not fits(lock_name):
        make(lock_name)
    if Path(sys.prefix).resolve() != VENV.resolve():
        os.execv(PYTHON, [str(PYTHON), *argv])


def digest(kind: str) -> str:
    """What an environment of this kind is made from: the lock, and the Python that runs it."""
    return hashlib.sha256(LOCKS[kind].read_bytes() + sys.version.encode()).hexdigest()


def fits(kind: str) -> bool:
    """Whether .venv holds this lock, or a larger one that does. Its marker is written last."""
    try:
        marker = (VENV / "topograph-lock").read_text().split()
    except OSError:
        return False
    return os.access(PYTHON, os.X_OK) and any(marker == [k, digest(k)] for k in (kind, "test"))


def make(kind: str) -> None:
    """Build the environment; an interrupted build leaves no marker, and is built again."""
    if (VENV / "topograph-lock").exists() and (VENV / "topograph-lock").read_text().startswith(
        "test"
    ):
        kind = "test"  # what the tests need is not taken away again
    refusal = needs.refusal_of_packages(ROOT)
    if refusal is not None:
        sys.exit(refusal)
    say(f"Setting up Python packages in {VENV} (once; takes about a minute) …")
    (VENV / "topograph-lock").unlink(missing_ok=True)
    try:
        shutil.rmtree(VENV, ignore_errors=True)
        # Not the one inside the .venv that was just removed
        base = getattr(sys, "_base_executable", sys.executable)
        _run([base, "-m", "venv", str(VENV)], _NO_VENV)
        _install(kind)
    except OSError as error:
        sys.exit(
            f"The folder {ROOT} can't be written to: {error}. Move the project to a folder of"
            " yours."
        )
    (VENV / "topograph-lock").write_text(f"{kind} {digest(kind)}\n")
    say("Packages are in place.")


_NO_VENV = (
    "Python's venv module does not work here. On Debian, Ubuntu and WSL: sudo apt update && sudo"
    " apt install python3-venv"
)
_NO_PACKAGES = (
    "The packages could not be installed. Is there a way to a package index from here? See the"
    " lines above."
)


def _install(kind: str) -> None:
    """By uv, which takes seconds; by pip where uv can't be had."""
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "-q"]
    if subprocess.run([*pip, "install", "--require-hashes", "-r", str(INSTALLER)]).returncode == 0:
        uv = [
            str(VENV / "bin" / "uv"),
            "pip",
            "install",
            "-q",
            "--require-hashes",
            "--compile-bytecode",
            "-p",
            str(PYTHON),
        ]
        if subprocess.run([*uv, "-r", str(LOCKS[kind])], env=uv_env(pip)).returncode == 0:
            return
        say("uv could not install the packages; pip tries.")
    _run([*pip, "install", "--require-hashes", "-r", str(LOCKS[kind])], _NO_PACKAGES)


def uv_env(pip: list[str]) -> dict[str, str]:
    """uv does not read pip's configuration: tell it which index pip is told to use."""
    env = dict(os.environ)
    index = (
        env.get("PIP_INDEX_URL")
        or subprocess.run(
            [*pip, "config", "get", "global.index-url"], capture_output=True, text=True
        ).stdout.strip()
    )
    if index:
        env.setdefault("UV_DEFAULT_INDEX", index)
    return env


def _run(argv: list[str], sentence: str) -> None:
    if subprocess.run(argv).returncode:
        sys.exit(sentence)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
