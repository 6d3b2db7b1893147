"""Format and lint are as `make lint` wants them."""

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize("arguments", [("format", "--check"), ("check",)], ids=["format", "lint"])
def test_ruff(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *arguments, "."], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, f"Run `make format`.\n{done.stdout}{done.stderr}"


SIZED = re.compile(
    r"(?<![\w-])(?:font|font-size|gap|(?:row|column)-gap|(?:margin|padding)(?:-\w+)*)\s*:([^;}]+)"
)
LENGTH = re.compile(r"(?<![\w.-])-?(\d*\.?\d+)rem(?! \+)")  # not the "1.2rem + 2.4vw" of a clamp


def test_spaces_and_sizes_are_on_the_scale():
    """A margin, padding, gap or size of type below 6rem is one of the properties at the top of
    static/css/base.css."""
    loose = [
        f"{path.name}: {declaration[0].strip()}"
        for path in sorted((ROOT / "static" / "css").glob("*.css"))
        for declaration in SIZED.finditer(path.read_text())
        if any(float(number) < 6 for number in LENGTH.findall(declaration[1]))
        and "1.0625rem" not in declaration[1]
    ]
    assert not loose, f"Use var(--space-…) or var(--text-…): {loose}"
