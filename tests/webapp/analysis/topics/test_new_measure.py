"""The measure that CONTRIBUTING.md adds is one, and it names all places of a measure."""

import subprocess

import numpy as np
import pytest

from inference.evaluate import diagnostics
from inference.topics import Topics
from tests.conftest import ROOT
from tests.contributing import CONTRIBUTING, examples
from webapp.analysis.topics import topic_measures
from webapp.core.results import measures
from webapp.models import Run

SECTION = "Add a measure of a topic"
THERE = "corpus_distance"  # a measure of which the recipe must name all places


@pytest.fixture
def first_word_weights():
    code, _ = examples(SECTION, "python")
    namespace = dict(vars(diagnostics))
    exec(code, namespace)
    return namespace["first_word_weights"]


def test_the_measure_of_contributing(first_word_weights):
    indptr = np.array([0, 2, 2, 3])
    words = np.array([1, 0, 4], np.int32)
    weights = np.array([0.6, 0.2, 0.3], np.float32)
    topics = Topics.of_listed(indptr, words, weights, np.array([3.0, 0.0, 1.0]), 5)
    found = first_word_weights(topics)
    assert np.isnan(found[1]) and found[[0, 2]] == pytest.approx([0.6, 0.3])
    assert found[[0, 2]] == pytest.approx(topics.dense().max(axis=1)[[0, 2]])


def test_its_line_shows_it_on_the_page(monkeypatch):
    _, line = examples(SECTION, "python")
    namespace = {"MEASURES": dict(topic_measures.MEASURES)}
    exec(line, namespace)
    columns = {name: np.array([0.1, 0.4]) for name in namespace["MEASURES"]}
    monkeypatch.setattr(topic_measures, "MEASURES", namespace["MEASURES"])
    monkeypatch.setattr(measures, "of", lambda run: columns)
    shown = {measure.name: measure for measure in topic_measures.list_measures(Run(), 1)}
    assert shown["first_word"].value == 0.4 and shown["first_word"].below == 1


def test_the_recipe_names_every_place_of_a_measure():
    command = ["git", "grep", "-lw", THERE, "--", "*.py", "*.md"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    places = {name for name in found.split() if "/migrations/" not in name}
    places.discard("tests/webapp/analysis/topics/test_new_measure.py")
    section = CONTRIBUTING.read_text(encoding="utf-8").partition(f"## {SECTION}\n")[2]
    recipe = section.partition("\n## ")[0]
    assert len(places) > 5
    assert not [name for name in sorted(places) if name not in recipe]
