"""How far readers agree beyond chance, on unordered answers (yes, no, unsure). It needs the answers alone."""

import numpy as np

MISSING = -1


def kappa(first: np.ndarray, second: np.ndarray) -> float:
    """Cohen's kappa of two readers: (p_observed - p_chance) / (1 - p_chance), Cohen 1960.

    first, second: int[n], categories from 0 on, MISSING where a reader said nothing; items that only one of the two
    judged don't count. NaN where nothing is left to compare, or both gave one and the same category throughout: chance
    alone would then agree as well.
    """
    both = (first != MISSING) & (second != MISSING)
    a, b = first[both], second[both]
    if not len(a):
        return float("nan")
    C = int(max(a.max(), b.max())) + 1
    chance = float(np.bincount(a, minlength=C) @ np.bincount(b, minlength=C)) / len(a) ** 2
    return float("nan") if chance == 1 else (float((a == b).mean()) - chance) / (1 - chance)


def alpha(answers: np.ndarray) -> float:
    """Krippendorff's alpha for nominal data: 1 - observed / expected disagreement, Krippendorff 2011, "Computing".

    answers: int[readers, items], categories from 0 on, MISSING where a reader said nothing. Any number of readers; an
    item counts when two or more judged it. NaN where no such item is there, or all its answers are of one category.
    """
    C = int(answers.max(initial=0)) + 1
    counts = np.stack([(answers == c).sum(axis=0) for c in range(C)], axis=1).astype(float)  # [items, C]
    counts = counts[counts.sum(axis=1) >= 2]
    judged, totals = counts.sum(axis=1), counts.sum(axis=0)
    n = totals.sum()
    expected = n**2 - (totals**2).sum()
    if not expected:
        return float("nan")
    observed = ((judged**2 - (counts**2).sum(axis=1)) / (judged - 1)).sum()
    return float(1 - (n - 1) * observed / expected)
