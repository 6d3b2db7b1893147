"""How far readers agree beyond chance, on unordered answers (yes, no, unsure) or a scale's. It
needs the answers alone."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from inference.kernels import rng
from inference.runtime.arrays import ABOVE_ZERO

MISSING = -1
INTERVAL = (0.025, 0.975)  # quantiles: an interval of 95%
Reader = TypeVar("Reader")
Item = TypeVar("Item")


def tabled(
    codes: Iterable[tuple[Reader, Item, int]],
) -> tuple[list[Reader], list[Item], np.ndarray]:
    """(readers, items, answers int[readers, items], MISSING where a reader said nothing) of
    (reader, item, answer) rows; readers and items in the order in which they first stand there."""
    rows = list(codes)
    row = {reader: i for i, reader in enumerate(dict.fromkeys(reader for reader, _, _ in rows))}
    column = {item: i for i, item in enumerate(dict.fromkeys(item for _, item, _ in rows))}
    answers = np.full((len(row), len(column)), MISSING)
    for reader, item, answer in rows:
        answers[row[reader], column[item]] = answer
    return list(row), list(column), answers


def kappa(first: np.ndarray, second: np.ndarray) -> float:
    """Cohen's kappa of two readers: (p_observed - p_chance) / (1 - p_chance), Cohen 1960.

    first, second: int[n], categories from 0 on, MISSING where a reader said nothing; items that
    only one of the two judged don't count. NaN where nothing is left to compare, or both gave one
    and the same category throughout: chance alone would then agree as well.
    """
    coded_twice = (first != MISSING) & (second != MISSING)
    a = first[coded_twice]
    b = second[coded_twice]
    if not len(a):
        return float("nan")
    C = int(max(a.max(), b.max())) + 1
    chance = float(np.bincount(a, minlength=C) @ np.bincount(b, minlength=C)) / len(a) ** 2
    return float("nan") if chance == 1 else (float((a == b).mean()) - chance) / (1 - chance)


def alpha(
    answers: np.ndarray, weights: np.ndarray | None = None, values: np.ndarray | None = None
) -> float:
    """Krippendorff's alpha: 1 - observed / expected disagreement, Krippendorff 2011, "Computing".

    answers: int[readers, items], categories from 0 on, MISSING where a reader said nothing. Any
    number of readers; an item counts when two or more judged it. weights: float[items], such as 1 /
    pi of drawn items. values: float[C], of the categories on a scale, which disagree by the squares
    of their differences; None: any two disagree alike. NaN where no such item is there, or all its
    answers are of one category.
    """
    counts, weight = _counted(answers, weights, 2)
    C = counts.shape[1]
    distances = (
        1.0 - np.eye(C) if values is None else np.subtract.outer(values[:C], values[:C]) ** 2.0
    )
    judged = counts.sum(axis=1)
    totals = weight @ counts
    expected = totals @ distances @ totals
    if not expected > 0:
        return float("nan")
    observed = weight @ (((counts @ distances) * counts).sum(axis=1) / (judged - 1))
    return float(1 - (totals.sum() - 1) * observed / expected)


def ac1(answers: np.ndarray, categories: int, weights: np.ndarray | None = None) -> float:
    """Gwet's AC1 (Gwet 2008, "Computing inter-rater reliability", any number of readers), which
    rare categories don't make small: chance is the mean of p (1 - p) over the categories, by C - 1.
    categories: C, all that readers could choose from, used or not, at least 2. answers, weights: as
    of `alpha`; items of one reader count for p. NaN where no item has two."""
    if categories < 2 or answers.max(initial=MISSING) >= categories:
        raise ValueError(
            f"Answers are of 2 categories or more, and below their number: {categories}"
        )
    counts, weight = _counted(answers, weights, 1)
    judged = counts.sum(axis=1)
    has_two = judged >= 2
    if not weight[has_two].any():
        return float("nan")
    share = weight @ (counts / judged[:, None]) / weight.sum()
    chance = share @ (1 - share) / (categories - 1)
    pairs = (counts * (counts - 1)).sum(axis=1)[has_two] / (judged * (judged - 1))[has_two]
    return float((weight[has_two] @ pairs / weight[has_two].sum() - chance) / (1 - chance))


def interval(
    measure: Callable[[np.ndarray, np.ndarray], float],
    answers: np.ndarray,
    weights: np.ndarray | None = None,
    seed: int = 0,
    draws: int = 1_000,
    advance: Callable[[float], None] = lambda done: None,
) -> tuple[float, float]:
    """95% confidence interval of a measure of answers and weights (alpha, ac1), by the bootstrap
    over items, percentiles: NaN where less than half of the draws have a value. It holds for these
    readers, not for others. advance: learns the share of the draws that is done, from 0 to 1, a
    hundred times."""
    n = answers.shape[1]
    if not n:
        return float("nan"), float("nan")
    base = 1 if weights is None else weights
    again = []
    for number in range(draws):
        if number % max(draws // 100, 1) == 0:
            advance(number / draws)
        drawn = rng.uniforms(rng.streams(rng.BOOTSTRAP, range(number, number + 1), seed=seed), n)
        times = np.bincount((drawn[0] * n).astype(np.int64), minlength=n)
        again.append(measure(answers, base * times))
    if np.isnan(again).sum() * 2 >= len(again):
        return float("nan"), float("nan")
    low, high = np.nanquantile(again, INTERVAL)
    return float(low), float(high)


def _counted(
    answers: np.ndarray, weights: np.ndarray | None, least: int
) -> tuple[np.ndarray, np.ndarray]:
    """Answers of each category, float64[items, C], and weights, float64[items], 1 in the mean, of
    items with `least` answers."""
    counts = np.stack(
        [(answers == c).sum(axis=0) for c in range(int(answers.max(initial=0)) + 1)], axis=1
    ).astype(float)
    weight = np.ones(len(counts)) if weights is None else np.asarray(weights, float)
    is_counted = (counts.sum(axis=1) >= least) & (weight > 0)
    mean_weight = weight[is_counted].mean() if is_counted.any() else 0.0
    return counts[is_counted], weight[is_counted] / max(mean_weight, ABOVE_ZERO)
