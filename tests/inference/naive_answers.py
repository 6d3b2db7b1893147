"""Slow twins of inference.answers: the textbook's matrices, loops over units, every exchange."""

from itertools import combinations

import numpy as np

from tests.inference import naive_effects


def difference(amounts, sizes, on_a, unit):
    """(a, b, CR2 variance of a - b, its degrees of freedom, pooled variance) of one topic, by a
    regression of documents on the side. amounts, sizes, on_a, unit: [D]."""
    design = np.stack([on_a, 1 - on_a], axis=1).astype(float)
    share = amounts / sizes
    contrasts = [[1, 0], [0, 1], [1, -1]]
    fit = naive_effects.regression(share, sizes, design, unit, contrasts)
    a = fit[0, 0]
    b = fit[1, 0]
    spread = 0.0
    for side, mean in ((on_a == 1, a), (on_a == 0, b)):
        words = sizes[side].sum()
        for code in set(unit[side]):
            own = side & (unit == code)
            residual = amounts[own].sum() - mean * sizes[own].sum()
            spread += residual**2 / (1 - sizes[own].sum() / words)
    spread /= sizes.sum()
    pooled = spread / sizes[on_a == 1].sum() + spread / sizes[on_a == 0].sum()
    return a, b, fit[2, 1], fit[2, 2], pooled


def larger(amounts, sizes, design, contrasts, fitted):
    """The larger of both errors of each contrast, where documents are units. fitted: what
    naive_effects.regression says of them."""
    inverse = np.linalg.inv(design.T @ (sizes[:, None] * design))
    residual = amounts - sizes * (design @ inverse @ design.T @ amounts)
    spread = (residual**2 / (1 - sizes / sizes.sum())).sum() / sizes.sum()
    pooled = spread * np.array([c @ inverse @ c for c in np.asarray(contrasts, float)])
    return np.sqrt(np.maximum(fitted[:, 1], pooled))


def error(amounts, sizes, on_a):
    """(a - b, the larger of both errors) where every unit is one row."""
    a, b, robust, _, pooled = difference(amounts, sizes, on_a, np.arange(len(sizes)))
    return a - b, np.sqrt(max(robust, pooled))


def every_exchange(amounts, sizes, on_a):
    """Of all ways to draw as many units for side A, the |a - b| / error."""
    found = []
    for chosen in combinations(range(len(sizes)), int(on_a.sum())):
        drawn = np.isin(np.arange(len(sizes)), chosen).astype(int)
        apart, spread = error(amounts, sizes, drawn)
        found.append(abs(apart) / spread)
    return np.array(found)


def in_ratio(r, a, b, variance_a, variance_b, covariance, critical):
    """Whether a test of a = r b is passed."""
    variance = variance_a + r * r * variance_b - 2 * r * covariance
    return (a - r * b) ** 2 <= critical**2 * variance
