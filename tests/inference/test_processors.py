"""The same bits on processors with vectors of another width, of engines that have no such test beside their others."""

import os
import platform
import subprocess
import sys

import pytest

from tests.conftest import ROOT

# Steps alone, without the measures of a training, which would be compiled for the other processor as well.
PROGRAM = """
import hashlib, sys
from inference import engines
from inference.training import Schedule, held_out_documents
from tests.inference.corpora import planted
bow, _ = planted(5, 100, 120, 40, seed=1)
for name in sys.argv[1:]:
    engine = engines.get(name)
    config = engines.config(name, topics=37, passes=3, minibatch=40).resolve(bow.D, bow.tokens)
    schedule = Schedule(bow, config, held_out_documents(bow, 3))
    state = engine.init(config, schedule.shape, 3)
    while state.t < schedule.steps:
        engine.step(config, state, bow, schedule.batch(state.t, 3), schedule.shape)
    topics = engine.topics(config, state)
    print(name, hashlib.sha256(topics.words.tobytes() + topics.weights.tobytes() + topics.floor.tobytes()).hexdigest())
"""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names a processor of another family")
def test_the_width_of_vectors_changes_no_bit():
    answers = set()
    for processor in ({}, {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, "ssi", "smc", "lsparse", "clusters"],
            cwd=ROOT, env=os.environ | processor, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        answers.add(done.stdout)
    assert len(answers) == 1, answers
