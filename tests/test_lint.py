"""Format and lint are as `make lint` wants them."""

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize("arguments", [("format", "--check"), ("check",)], ids=["format", "lint"])
def test_ruff(arguments):
    done = subprocess.run([sys.executable, "-m", "ruff", *arguments, "."], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"Run `make format`.\n{done.stdout}{done.stderr}"


WIDE = 95  # lower it whenever it can be lower
ONE_TAG = re.compile(r"\s*(?:\{%[^%]*%\}|<[^<>]*>)\s*")  # Django's tags can't span lines


def test_lines_of_templates_fit_a_screen():
    """Lines of more than 160 characters, but for single tags, get no more."""
    wide = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > 160 and not ONE_TAG.fullmatch(line)
    ]
    assert len(wide) <= WIDE, f"{len(wide)} lines are too long; break those that you changed: {wide}"
