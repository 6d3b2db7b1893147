"""The same bits on processors with vectors of another width."""

import os
import platform
import subprocess
import sys

import pytest

from tests.conftest import ROOT

PROGRAM = """
import hashlib
from inference import engines, train
from tests.inference.corpora import planted
bow, _ = planted(5, 100, 120, 40, seed=1)
for name in ("svi", "vb"):
    config = engines.config(name, topics=37, passes=4, minibatch=40)
    *_, last = train(engines.get(name), config, bow, seed=3)
    print(name, hashlib.sha256(last.state.values.tobytes() + last.state.gamma.tobytes()).hexdigest())
"""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names a processor of another family")
def test_the_width_of_vectors_changes_no_bit():
    answers = set()
    for processor in ({}, {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=ROOT, env=os.environ | processor, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        answers.add(done.stdout)
    assert len(answers) == 1, answers
