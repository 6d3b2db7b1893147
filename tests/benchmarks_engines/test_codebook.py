"""The benchmark of estimates from codes, on a few documents."""

import types

import numpy as np
import pytest

from benchmarks import codebook
from tests.inference.corpora import planted

D = 400
DRAWS = 8


@pytest.fixture(scope="module")
def tokens():
    """Of two topics: the first has the words below 15."""
    bow, _ = planted(4, 60, D, 30, seed=1)
    spans = zip(bow.indptr, bow.indptr[1:], strict=False)
    first = np.array([bow.counts[a:b][bow.words[a:b] < 15].sum() for a, b in spans])
    tokens = np.stack([first, 30 - first], axis=1)
    mixtures = types.SimpleNamespace(
        doc_ptr=np.concatenate([[0], np.cumsum((tokens > 0).sum(axis=1))]),
        doc_topics=np.nonzero(tokens)[1].astype(np.uint16),
        doc_tokens=tokens[tokens > 0],
        tokens_held=lambda topics: tokens[:, topics].sum(axis=1),
    )
    return types.SimpleNamespace(
        document_bow=bow, K=2, lengths=tokens.sum(axis=1), mixtures=mixtures
    )


@pytest.fixture
def y(tokens) -> np.ndarray:
    noise = np.random.default_rng(2).normal(0, 3, D)
    return (tokens.mixtures.tokens_held([0]) + noise > 8).astype(float)


@pytest.fixture
def groupings() -> list[codebook.Grouping]:
    number = np.arange(D)
    return [
        codebook.Grouping(["all"], np.zeros(D, int)),
        codebook.Grouping(["1987", "1992"], number % 2),
        codebook.Grouping(["Conservatives", "Labour"], number // 2 % 2),
    ]


def rows(printed: str, name: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in printed.splitlines()
        if line.startswith(f"| {name} |")
    ]


@pytest.mark.parametrize("planted_prediction", [False, True], ids=["predicted", "planted"])
def test_a_concept_has_a_line_of_each_cell_and_effect(
    tokens, y, groupings, planted_prediction, capsys, monkeypatch
):
    monkeypatch.setattr(codebook, "CODES", 120)
    prediction = (
        codebook.plant_prediction(y, np.random.default_rng(0)) if planted_prediction else None
    )
    unit = np.arange(D) // 20
    result = codebook.measure_concept("common", y, tokens, unit, groupings, DRAWS, prediction)
    lines = rows(capsys.readouterr().out, "common")
    labels = [line[1] for line in lines]
    assert labels == ["all", "1987", "1992", "Conservatives", "Labour", *codebook.EFFECTS]
    overall = lines[0]
    assert overall[2] == f"{100 * y.mean():.1f}"
    assert overall[3] == "120.0"
    assert 0.5 < result.coverage <= 1
    assert float(overall[-1]) == pytest.approx(result.width, abs=5e-4)


def test_a_planted_prediction_explains_what_it_says():
    y = (np.arange(50_000) % 3 == 0).astype(float)
    g = codebook.plant_prediction(y, np.random.default_rng(1))
    assert np.corrcoef(y, g)[0, 1] ** 2 == pytest.approx(codebook.R2, abs=0.01)


def test_the_design_has_the_constant_time_and_parties(groupings):
    design = codebook.design_of_groups(*groupings[1:])
    assert design.rows.tolist() == [[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
    assert design.row[:4].tolist() == [0, 2, 1, 3]
    assert design.contrasts.tolist() == [[0, 0, 1], [0, 1, 0]]
