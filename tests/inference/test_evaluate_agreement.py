"""Agreement against published examples and slow, obvious twins."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from inference.evaluate.agreement import MISSING, ac1, alpha, interval, kappa

# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", C: four observers, twelve units;
# nominal alpha is
# 0.743.
FOUR = """1 2 3 3 2 1 4 1 2 . . .
          1 2 3 3 2 2 4 1 2 5 . 3
          . 3 3 3 2 3 4 2 2 5 1 .
          1 2 3 3 2 4 4 1 2 5 1 ."""


def table(text: str) -> np.ndarray:
    return np.array(
        [
            [MISSING if cell == "." else int(cell) for cell in line.split()]
            for line in text.splitlines()
        ]
    )


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


def test_published_example_on_a_scale():
    """Krippendorff 2011, D: interval alpha of the same data is 0.849."""
    assert alpha(table(FOUR), values=np.arange(6.0)) == pytest.approx(0.849, abs=5e-4)
    assert alpha(table(FOUR), values=3 * np.arange(6.0) - 7) == pytest.approx(0.849, abs=5e-4)


def test_published_ac1():
    """Of the same data, Gwet's own irrCAC (cac.raw4raters) tells 0.77544; of cont3x3abstractors
    0.8493305."""
    assert ac1(table(FOUR) - (table(FOUR) > 0), 5) == pytest.approx(0.77544, abs=5e-6)
    both = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
    pairs = [(a, b) for a in range(3) for b in range(3) for _ in range(both[a][b])]
    assert ac1(np.array(pairs).T, 3) == pytest.approx(0.8493305, abs=5e-8)


def naive_ac1(answers: np.ndarray, C: int, weights: np.ndarray) -> float:
    pairs = 0.0
    agree = 0.0
    total = 0.0
    share = [0.0] * C
    for unit, w in zip(answers.T, weights, strict=True):
        values = [v for v in unit if v != MISSING]
        if values:
            total += w
            for v in values:
                share[v] += w / len(values)
        if len(values) > 1:
            both = [a == b for a, b in permutations(values, 2)]
            pairs = pairs + w
            agree = agree + w * sum(both) / len(both)
    chance = sum(p / total * (1 - p / total) for p in share) / (C - 1)
    return (agree / pairs - chance) / (1 - chance)


@pytest.mark.parametrize("seed", range(4))
def test_weights_are_repetitions(seed):
    rng = np.random.default_rng(seed)
    answers = rng.integers(-1, 3, (3, 40))
    weights = rng.integers(1, 4, 40)
    repeated = np.repeat(answers, weights, axis=1)
    values = np.array([0.0, 1.0, 5.0])
    for categories in (3, 5):
        assert (
            ac1(answers, categories, weights)
            == pytest.approx(naive_ac1(answers, categories, weights))
            == pytest.approx(ac1(repeated, categories))
        )
    judged = (answers >= 0).sum(axis=0)
    several = judged >= 2
    n = (weights * judged)[several].sum()
    mean = weights[several].mean()
    # But for chance, which takes no answer twice: of n / mean answers, not of n
    for scale in (
        None,
        values,
    ):
        weighted = 1 - alpha(answers, weights, scale)
        plain = 1 - alpha(repeated, values=scale)
        assert weighted / (n - mean) == pytest.approx(plain / (n - 1))
    assert alpha(answers, np.full(40, 7.0)) == pytest.approx(alpha(answers))
    halved = np.where(np.arange(40) < 20, 1.0, 0.0)
    assert alpha(answers, halved) == pytest.approx(alpha(answers[:, :20]))
    assert ac1(answers, 3, halved) == pytest.approx(ac1(answers[:, :20], 3))


def test_a_rare_category_does_not_make_ac1_small():
    answers = np.zeros((2, 100), int)
    answers[0, :5] = 1
    answers[1, 3:8] = 1
    assert ac1(answers, 2) > 0.9 > 0.5 > alpha(answers) > 0
    assert ac1(np.zeros((2, 5), int), 2) == 1


def test_ac1_is_of_the_categories_that_could_be_chosen_however_they_are_numbered():
    """In a scale of three of which one was never used, whichever that is."""
    answers = np.array([[0, 0, 1, 0, 0, 1, 0, 0], [0, 1, 1, 0, 0, 1, 0, 0]])
    of_three = [ac1(np.array(codes)[answers], 3) for codes in ((0, 1), (0, 2), (1, 2), (2, 0))]
    assert of_three == pytest.approx([of_three[0]] * 4)
    assert of_three[0] > ac1(answers, 2), "of more categories fewer agree by chance"
    with pytest.raises(ValueError, match="below their number: 2"):
        ac1(answers + 1, 2)


def test_intervals_hold_most_often():
    """Of 40 samples of a population with a known measure; the same seed gives the same interval."""
    rng = np.random.default_rng(5)
    truth = rng.random(20_000) < 0.3
    answers = np.where(rng.random((2, 20_000)) < 0.85, truth, ~truth).astype(int)
    for measure in (alpha, lambda codes, weights=None: ac1(codes, 2, weights)):
        known = measure(answers)
        held = 0
        for i in range(40):
            drawn = answers[:, rng.integers(0, 20_000, 120)]
            low, high = interval(measure, drawn, seed=i, draws=200)
            held += low <= known <= high
            assert low < measure(drawn) < high
        assert held >= 34
    assert (
        interval(alpha, drawn, seed=1)
        == interval(alpha, drawn, np.ones(120), seed=1)
        != interval(alpha, drawn, seed=2)
    )
    assert (
        np.isnan(interval(alpha, np.zeros((2, 0), int))).all()
        and np.isnan(interval(alpha, drawn * 0)).all()
    )


def test_textbook_kappa():
    """Two readers of 50 items: both yes 20, only the first 5, only the second 10, neither 15; kappa
    is 0.4."""
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


@pytest.mark.parametrize(
    "answers", [[[0, 0], [0, 0]], [[0, -1], [-1, 1]], [[-1, -1], [-1, -1]], [[], []], [[0, 1]]]
)
def test_nothing_to_compare_is_nan(answers):
    answers = np.array(answers, dtype=int)
    assert np.isnan(alpha(answers)) and np.isnan(alpha(answers, np.ones(answers.shape[1])))
    assert np.isnan(ac1(answers, 2)) or (answers == 0).all()
    if len(answers) == 2:
        assert np.isnan(kappa(*answers))


def test_items_of_one_reader_do_not_count():
    answers = np.array([[0, 1, 0, 1, -1], [0, 1, 1, -1, 0]])
    assert kappa(*answers) == kappa(*answers[:, :3])
    assert alpha(answers) == alpha(answers[:, :3])
