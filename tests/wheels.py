"""Whether every locked package can be had as a wheel on every system and Python that is promised.

    .venv/bin/python -m tests.wheels [LOCK …]

Without LOCK it looks at the runtime, the installer and the two extras. It asks the package index
that pip is configured for, by uv, and downloads none of the packages. A line for each lock, system and Python; it exits with 1
where a wheel is missing, and with 2 where no index answers, because then nothing was checked. Part
of the release (CONTRIBUTING.md).
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.conftest import ROOT
from webapp.platform import system
from webapp.platform.local import environment

# What README promises, as uv calls it
SYSTEMS = {
    "macOS 14, Apple silicon": "aarch64-apple-darwin",
    "Linux x86-64": "x86_64-manylinux_2_28",
    "Linux arm64": "aarch64-manylinux_2_28",
}
MACOS = "14.0"  # the oldest that is promised
LOCKS = ("runtime", "installer", "cluster", "s3")
MISSING = re.compile(r"Because ([\w.-]+==[\w.+-]+) has no (?:usable wheels|wheels)")
SECONDS = 300


class NotAnswered(Exception):
    """No index answered, or not as one does: nothing was checked."""


def pythons() -> list[str]:
    """The versions that are promised: "3.11", …"""
    (major, oldest), (_, latest) = system.OLDEST_PYTHON, system.LATEST_PYTHON
    return [f"{major}.{minor}" for minor in range(oldest, latest + 1)]


def missing_wheel(lock: Path, target: str, python: str) -> str | None:
    """The first package of a lock, with its version, that has no wheel for a system and a Python;
    None where each has one. Raises NotAnswered."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    env = environment.uv_env(pip) | {"MACOSX_DEPLOYMENT_TARGET": MACOS}
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            [
                sys.executable,
                *("-m", "uv", "pip", "install", "--dry-run", "--no-deps"),
                *("--only-binary", ":all:", "--require-hashes", "--target", empty),
                *("--python-platform", target, "--python-version", python),
                *("-r", str(lock)),
            ],
            env=env,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    if done.returncode == 0:
        if "Would install" not in done.stderr:
            raise NotAnswered(f"uv listed no package: {done.stderr[-200:]}")
        return None
    found = MISSING.search(" ".join(done.stderr.split()))
    if found is None:
        lines = done.stderr.strip().splitlines() or ["uv said nothing"]
        raise NotAnswered(lines[-1].strip())
    return found[1]


def main(names: list[str]) -> int:
    locks = [Path(name) for name in names]
    if not locks:
        locks = [ROOT / "requirements" / f"{name}.lock" for name in LOCKS]
    is_complete = True
    for lock in locks:
        for name, target in SYSTEMS.items():
            for python in pythons():
                try:
                    missing = missing_wheel(lock, target, python)
                except (NotAnswered, subprocess.TimeoutExpired) as error:
                    print(f"No package index answered, so nothing more was checked: {error}")
                    return 2
                if missing is None:
                    said = "every package has a wheel"
                else:
                    said = f"{missing} has NO wheel"
                    is_complete = False
                print(f"{lock.name}, {name}, Python {python}: {said}", flush=True)
    return 0 if is_complete else 1


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main(sys.argv[1:]))
