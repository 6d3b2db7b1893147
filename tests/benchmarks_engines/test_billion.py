"""The benchmark of very many words, on a few."""

import re
import subprocess
import sys

import numpy as np

from benchmarks import billion
from benchmarks.origin import ROOT
from inference.engines import ssi
from inference.schedule import Schedule


def test_texts_are_written_in_blocks_and_trained_on_mapped(tmp_path, monkeypatch):
    monkeypatch.setattr(billion, "BLOCK", 100)
    billion.write_texts(tmp_path, 20_000, 500)
    bow = billion.open_texts(tmp_path, 500)
    assert isinstance(bow.words, np.memmap)
    assert 20_000 <= bow.tokens < 20_500 and bow.D > 200
    assert bow.words.max() < 500 and bow.indptr[-1] == len(bow.words) == len(bow.counts)


def test_a_training_takes_the_memory_that_was_estimated(tmp_path):
    """What ten thousand topics take more than ten do, against what is estimated."""
    words = 5_000
    billion.write_texts(tmp_path, 100_000, words)
    bow = billion.open_texts(tmp_path, words)
    measured = []
    estimated = []
    for topics in (10, 10_000):
        config = ssi.Config(topics=topics, passes=3).resolve(bow.D, bow.tokens)
        corpus = Schedule(bow, config, np.zeros(0, np.int64)).corpus
        estimated.append(ssi.memory_bytes(config, corpus))
        measured.append(billion.measure(tmp_path, topics, words, passes=3).memory)
    more = measured[1] - measured[0]
    assert more / 1.5 < estimated[1] - estimated[0] < 1.5 * more


def test_the_last_line_says_what_a_training_took():
    options = ["--tokens", "20000", "--topics", "20", "--words", "500"]
    command = [sys.executable, "-m", "benchmarks.billion", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    last = done.stdout.splitlines()[-1]
    said = re.fullmatch(
        r"tokens: (\d+) topics: 20 minutes: ([\d.]+) gib: ([\d.]+) completion: (-[\d.]+)", last
    )
    assert said
    assert 20_000 <= int(said[1]) < 20_500
    assert 0.05 < float(said[3]) < 2
    assert -np.log(500) - 1 < float(said[4]) < -3
