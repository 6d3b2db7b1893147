"""Agreement against published examples and slow, obvious twins."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from inference.evaluate.agreement import MISSING, alpha, kappa

# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", C: four observers, twelve units; nominal alpha is
# 0.743.
FOUR = """1 2 3 3 2 1 4 1 2 . . .
          1 2 3 3 2 2 4 1 2 5 . 3
          . 3 3 3 2 3 4 2 2 5 1 .
          1 2 3 3 2 4 4 1 2 5 1 ."""


def table(text: str) -> np.ndarray:
    return np.array([[MISSING if cell == "." else int(cell) for cell in line.split()] for line in text.splitlines()])


def naive_alpha(answers: np.ndarray) -> float:
    """From the coincidence matrix, pair by pair."""
    coincidences = Counter()
    for unit in answers.T:
        values = [v for v in unit if v != MISSING]
        for a, b in permutations(range(len(values)), 2):
            coincidences[values[a], values[b]] += 1 / (len(values) - 1)
    totals = Counter()
    for (a, _), c in coincidences.items():
        totals[a] += c
    n = sum(totals.values())
    observed = sum(c for (a, b), c in coincidences.items() if a != b) / n
    expected = sum(totals[a] * totals[b] for a in totals for b in totals if a != b) / (n * (n - 1))
    return 1 - observed / expected


def test_published_example():
    assert alpha(table(FOUR)) == pytest.approx(0.743, abs=5e-4)


def test_textbook_kappa():
    """Two readers of 50 items: both yes 20, only the first 5, only the second 10, neither 15; kappa is 0.4."""
    first = np.repeat([1, 1, 0, 0], [20, 5, 10, 15])
    second = np.repeat([1, 0, 1, 0], [20, 5, 10, 15])
    assert kappa(first, second) == pytest.approx(0.4) == kappa(second, first)


@pytest.mark.parametrize("seed", range(5))
def test_alpha_is_its_twin(seed):
    rng = np.random.default_rng(seed)
    answers = rng.integers(-1, 3, (rng.integers(2, 6), 30))
    assert alpha(answers) == pytest.approx(naive_alpha(answers))


def test_ends_of_the_scale():
    same = np.array([[0, 1, 2, 0], [0, 1, 2, 0]])
    assert alpha(same) == 1 == kappa(*same)
    opposite = np.array([[0, 1, 0, 1], [1, 0, 1, 0]])
    assert kappa(*opposite) == -1 and alpha(opposite) < 0
    rng = np.random.default_rng(0)
    assert abs(alpha(rng.integers(0, 2, (2, 20_000)))) < 0.03


@pytest.mark.parametrize("answers", [[[0, 0], [0, 0]], [[0, -1], [-1, 1]], [[-1, -1], [-1, -1]], [[], []], [[0, 1]]])
def test_nothing_to_compare_is_nan(answers):
    answers = np.array(answers, dtype=int)
    assert np.isnan(alpha(answers))
    if len(answers) == 2:
        assert np.isnan(kappa(*answers))


def test_items_of_one_reader_do_not_count():
    answers = np.array([[0, 1, 0, 1, -1], [0, 1, 1, -1, 0]])
    assert kappa(*answers) == kappa(*answers[:, :3])
    assert alpha(answers) == alpha(answers[:, :3])
