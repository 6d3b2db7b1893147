"""The type checker: mypy finds no error, and nothing that a system lacks which Topograph is made or
prepared for.

python -m tests.test_types            # the errors, in seconds where mypy has run before
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

SYSTEMS = ("darwin", "linux")  # which Topograph is made or prepared for
# Of the system that the tests run on, the test of type errors finds what it lacks
OTHER_SYSTEMS = [system for system in SYSTEMS if system != sys.platform]
NO_ATTRIBUTE = "error: Module has no attribute"

ROOT = Path(__file__).resolve().parent.parent
# How mypy looks for what a system lacks: at our own modules and at types of the standard library,
# which is all that this takes. Without the libraries and Django's plugin it takes a third of the
# time. numba has types, which are read although it is skipped, unless it is said once more.
OUR_MODULES_ALONE = """
[mypy]
python_version = 3.11
exclude = ^webapp/migrations/
follow_imports = skip
ignore_missing_imports = True
check_untyped_defs = True

[mypy-numba.*]
follow_imports = skip
follow_imports_for_stubs = True
"""
CHECKED = ("benchmarks", "inference", "tasks", "webapp")
STARTED = ("inference", "tasks", "webapp")  # what runs on a reader's machine


def run_mypy(packages: Sequence[str], *options: str) -> list[str]:
    """The lines of errors in some packages. Raises RuntimeError where mypy itself fails."""
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--no-color-output"]
    # mypy's Django plugin imports the settings, which make the state folder.
    with tempfile.TemporaryDirectory() as data:
        done = subprocess.run(
            [*command, "--hide-error-context", *options, *packages],
            cwd=ROOT,
            env=os.environ | {"TOPOGRAPH_DATA": data},
            capture_output=True,
            text=True,
        )
    if done.returncode > 1 or done.stderr:
        raise RuntimeError(f"mypy failed:\n{done.stderr or done.stdout}")
    return [line for line in done.stdout.splitlines() if ": error: " in line]


def lacking(system: str) -> list[str]:
    """The lines of mypy about attributes of modules that a system lacks, as `os.fdatasync` on
    darwin; in functions without types, too."""
    with tempfile.NamedTemporaryFile("w", suffix=".ini") as config:
        config.write(OUR_MODULES_ALONE)
        config.flush()
        # A cache serves one system
        options = ("--platform", system, "--cache-dir", f".mypy_cache/{system}")
        found = run_mypy(STARTED, "--config-file", config.name, *options)
    return [line for line in found if NO_ATTRIBUTE in line]


def test_there_is_no_type_error():
    lines = run_mypy(CHECKED)
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize("system", OTHER_SYSTEMS)
def test_no_module_asks_for_what_a_system_lacks(system):
    lines = lacking(system)
    assert not lines, "\n".join(lines)


if __name__ == "__main__":
    sys.exit("\n".join(run_mypy(CHECKED)) or None)
