"""Format and lint are as `make lint` wants them."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize("arguments", [("format", "--check"), ("check",)], ids=["format", "lint"])
def test_ruff(arguments):
    done = subprocess.run([sys.executable, "-m", "ruff", *arguments, "."], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"Run `make format`.\n{done.stdout}{done.stderr}"
