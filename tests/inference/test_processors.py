"""The same bits on processors with vectors of another width, for every engine and each of its
kernels."""

import json
import os
import platform
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

from inference import engines, fold_in_corpus, train
from tests.conftest import ROOT
from tests.inference.corpora import planted

OLDER = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}  # no AVX-512
K = 37  # of no width of vectors a multiple


def digest(name: str) -> str:
    """Of all that a training of this engine gives, with each of the settings that its kernels are
    compiled for."""
    engine = engines.get(name)
    documents = 5 * K  # more than a start from joined topics asks for, which is 4 * K
    bow = planted(5, 90, documents, 30, seed=1)[0]
    whole = sha256()
    for config in engine.compiling_configs():
        config = replace(config, topics=K, minibatch=40)
        *_, last = train(engine, config, bow, seed=3)
        theta = list(fold_in_corpus(engine, config, last.state, bow))
        for array in (
            *last.topics,
            *(part for block in theta for part in block),
            last.objective,
            last.held_out,
        ):
            whole.update(b"none" if array is None else np.asarray(array).tobytes())
    return whole.hexdigest()


@pytest.fixture(scope="module")
def digests_elsewhere() -> dict[str, str]:
    """Of each engine on a processor without such vectors. One process has them all: to begin one
    takes longer than most trainings."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.inference.test_processors"],
        cwd=ROOT,
        env=os.environ | OLDER,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="names a processor of another family"
)
@pytest.mark.parametrize("name", engines.ENGINES)
def test_the_width_of_vectors_changes_no_bit(name, digests_elsewhere):
    assert digests_elsewhere[name] == digest(name)


if __name__ == "__main__":
    print(json.dumps({name: digest(name) for name in engines.ENGINES}))
