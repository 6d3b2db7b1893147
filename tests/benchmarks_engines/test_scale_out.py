"""The benchmark of trainings that several processes share, on a few documents."""

import re
import subprocess
import sys

import pytest

from benchmarks.origin import ROOT

pytest.importorskip("distributed")


def test_two_workers_are_compared_with_one_process():
    options = ["--quick", "--documents", "300", "--minibatch", "100", "--topics", "20"]
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.scale_out", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    passes = [line for line in lines if re.match(r"\| \d \|", line)]
    assert len(passes) == 4
    assert re.fullmatch(r"by the processor's seconds: \d\.\d\d", lines[-2])
    assert re.fullmatch(r"bitwise: yes efficiency: \d\.\d\d", lines[-1])
