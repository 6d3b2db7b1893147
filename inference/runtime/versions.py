"""The versions that a training ran with: the same versions, settings, seed and corpus give bitwise
the same topics."""

import platform
import re
import tomllib
from functools import cache
from importlib.metadata import version
from pathlib import Path

ENGINES = 3  # raised when an engine gives other bits than before; its REVISION is then this number
PACKAGES = ("numpy", "numba", "llvmlite", "scipy")
_PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


@cache
def topograph() -> str:
    """The version of Topograph, from pyproject.toml; the metadata of an installed wheel repeats
    it."""
    clone = _PROJECT.with_name("manage.py").exists()
    return (
        tomllib.loads(_PROJECT.read_text("utf-8"))["project"]["version"]
        if clone
        else version("topograph")
    )


@cache
def _package(name: str) -> str:
    return version(name)  # which reads the package's files


def versions() -> dict[str, str]:
    """The versions of Topograph, its engines, Python, the packages that compute, and the kind of
    machine."""
    return (
        {"topograph": topograph(), "engines": str(ENGINES), "python": platform.python_version()}
        | {name: _package(name) for name in PACKAGES}
        | {"machine": f"{platform.system()} {platform.machine()}"}
    )


def in_file_names() -> str:
    """The program with its version, as names of files say it: topograph0.4.0."""
    version = re.sub("[^0-9A-Za-z.]+", "-", topograph())
    return f"topograph{version}"
