"""The type checker's ratchet: no error in inference/, and in each other package no more than
tests/type-errors.toml says.

python -m tests.test_types            # the errors of packages that have too many, in seconds where
mypy has run before python -m tests.test_types --write    # lower the numbers of packages that have
fewer errors; begin them where there is no file
"""

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

SYSTEMS = ("darwin", "linux")  # which Topograph is made or prepared for
STUBS_LACK = {"InvalidHeaderError"}  # of tarfile: every system has it, the types of mypy do not
NO_ATTRIBUTE = re.compile(r'error: Module has no attribute "(\w+)"')

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = ROOT / "tests" / "type-errors.toml"
CHECKED = ("benchmarks", "inference", "tasks", "webapp")
STARTED = ("inference", "tasks", "webapp")  # what runs on a reader's machine
HEAD = """# Type errors that mypy finds in each package. A package that is not here has none, and new ones have none.
# The numbers may only fall: `python -m tests.test_types --write` lowers them.
"""


def package(path: str) -> str:
    """Of a file: the package in a wing of webapp/ that holds it, or the wing; or inference, tasks,
    webapp."""
    parts = Path(path).parts
    if parts[0] != "webapp":
        return parts[0]
    folders = parts[:-1]
    return "/".join(folders[:3])


def run_mypy(packages: Sequence[str], *options: str) -> list[str]:
    """The lines of errors in some packages. Raises RuntimeError where mypy itself fails."""
    with (
        tempfile.TemporaryDirectory() as data
    ):  # its Django plugin imports the settings, which make the state folder
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "mypy",
                "--no-error-summary",
                "--no-color-output",
                "--hide-error-context",
                *options,
                *packages,
            ],
            cwd=ROOT,
            env=os.environ | {"TOPOGRAPH_DATA": data},
            capture_output=True,
            text=True,
        )
    if done.returncode > 1 or done.stderr:
        raise RuntimeError(f"mypy failed:\n{done.stderr or done.stdout}")
    return [line for line in done.stdout.splitlines() if ": error: " in line]


def errors() -> dict[str, list[str]]:
    """The lines that mypy writes about each package."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in run_mypy(CHECKED):
        found[package(line.partition(":")[0])].append(line)
    return found


def lacking(system: str) -> list[str]:
    """The lines of mypy about attributes of modules that a system lacks, as `os.fdatasync` on
    darwin; in functions without types, too."""
    options = (
        *("--platform", system, "--check-untyped-defs"),
        *("--cache-dir", f".mypy_cache/{system}"),  # a cache serves one system
    )
    lines = []
    for line in run_mypy(STARTED, *options):
        named = NO_ATTRIBUTE.search(line)
        if named is not None and named[1] not in STUBS_LACK:
            lines.append(line)
    return lines


def begun(found: dict[str, list[str]]) -> dict[str, int]:
    """What is allowed where there are no numbers yet: as many as there are, but none in
    inference/."""
    return {name: len(lines) for name, lines in sorted(found.items()) if name != "inference"}


def allowed() -> dict[str, int]:
    return tomllib.loads(ALLOWED.read_text(encoding="utf-8"))


def judged(found: dict[str, list[str]], allowed: dict[str, int]) -> list[str]:
    """A sentence for each package whose number is not the one that is allowed."""
    sentences = []
    for name in sorted(found.keys() | allowed.keys()):
        now = len(found.get(name, []))
        most = allowed.get(name, 0)
        if now > most:
            lines = "\n    ".join(found[name])
            sentences.append(
                f"{name} has {now} type errors, {most} are allowed. Mend the new ones:\n    {lines}"
            )
        elif now < most:
            sentences.append(
                f"{name} has {now} type errors, fewer than the {most} allowed: run python -m"
                " tests.test_types --write."
            )
    return sentences


def lowered(found: dict[str, list[str]], allowed: dict[str, int]) -> dict[str, int]:
    """The numbers that are allowed from now on: never more than before."""
    least = {name: min(most, len(found.get(name, []))) for name, most in allowed.items()}
    return {name: most for name, most in sorted(least.items()) if most}


def test_no_package_has_more_type_errors():
    sentences = judged(errors(), allowed())
    assert not sentences, "\n".join(sentences)


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_module_asks_for_what_a_system_lacks(system):
    lines = lacking(system)
    assert not lines, "\n".join(lines)


def test_inference_has_none():
    assert not [name for name in allowed() if name.startswith("inference")]


def test_what_is_judged():
    found = {
        "webapp/analysis/time": ["webapp/analysis/time/pages.py:1: error: a"],
        "webapp": ["webapp/urls.py:1: error: b"],
    }
    assert judged(found, {"webapp/analysis/time": 1, "webapp": 1}) == []
    (sentence,) = judged(found, {"webapp": 1})
    assert (
        sentence.startswith("webapp/analysis/time has 1 type errors, 0 are allowed")
        and "pages.py:1" in sentence
    )
    (sentence,) = judged(found, {"webapp/analysis/time": 1, "webapp": 1, "tasks": 2})
    assert sentence.startswith("tasks has 0 type errors, fewer than the 2 allowed")
    assert lowered(found, {"webapp/analysis/time": 5, "tasks": 2}) == {"webapp/analysis/time": 1}
    assert [
        package(path)
        for path in ("webapp/analysis/time/pages.py", "webapp/urls.py", "inference/text/stops.py")
    ] == [
        "webapp/analysis/time",
        "webapp",
        "inference",
    ]


if __name__ == "__main__":
    found = errors()
    if "--write" in sys.argv:
        numbers = lowered(found, allowed()) if ALLOWED.exists() else begun(found)
        ALLOWED.write_text(
            HEAD + "".join(f'"{name}" = {most}\n' for name, most in numbers.items()),
            encoding="utf-8",
        )
    sys.exit("\n".join(judged(found, allowed())) or None)
