"""Effects as stm's estimateEffect has them: each document counts the same, and a share is theta,
not words that were counted.

theta_d = (n_d + alpha) / (N_d + sum alpha), the mean of a Dirichlet distribution, of n_d tokens of
topics in N_d. Ordinary least squares; classical variances where documents are units, else
sandwiches over units, CR1 (Liang and Zeger 1986). The method of composition (Treier and Jackman
2008) draws thetas, regresses each and pools: T = mean W + (1 + 1/m) B (Rubin 1987). Documents'
distributions are independent, so what both are on average is known without draws: they add a
weighted sum of v_dk = theta (1 - theta) / (N_d + sum alpha + 1) to the variance of the mean theta.
It is for comparisons; regression.py is this program's own estimate.

Theta is sparse but for alpha, so a block of documents at a time is kept, and sums.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from inference.effects import regression
from inference.runtime.arrays import offsets_of_parts, row_blocks

DRAWS = 25  # as stm makes where nothing else is asked for
BLOCK = 1 << 14  # documents, and what is left of the last one's unit


class _Solution(NamedTuple):
    """What the design alone says. rows: float64[C, P], the design; gram: X'X; root, inverse:
    inverse = root root' of it. weight: float64[C, Q], how much a document of a cell counts in each
    contrast. n: documents; left: degrees of freedom. scale: float64[Q], the variance of a contrast
    by the sum of squared residuals."""

    rows: np.ndarray
    contrasts: np.ndarray
    gram: np.ndarray
    root: np.ndarray
    inverse: np.ndarray
    weight: np.ndarray
    n: float
    left: float
    scale: np.ndarray


ThetaParts = tuple[csr_matrix, np.ndarray, np.ndarray]  # S, r and alpha of theta = S + r alpha'


def fit(
    data: regression.Data,
    alpha: np.ndarray,
    design: np.ndarray,
    contrasts: np.ndarray,
    draws: int = DRAWS,
) -> regression.Fit:
    """Fits a regression as regression.fit does, with the normal distribution. alpha: float64[K],
    the prior; draws: how many are pooled; 0: theta is taken as known. design: float64[C, P];
    contrasts: float64[Q, P]."""
    solution = _solve(data, design, contrasts)
    if data.units.U < len(data.cell):
        beta, variance = _by_units(data, alpha, solution, draws)
    else:
        beta, variance = _by_documents(data, alpha, solution, draws)
    is_known = regression.estimable(contrasts, solution.root, solution.gram)[:, None]
    estimate = np.where(is_known, contrasts @ beta, np.nan)
    variance = np.where(is_known, np.maximum(variance, 0.0), np.nan)
    pooled = np.zeros_like(variance)  # stm has none
    Q = len(contrasts)
    return regression.Fit(
        estimate=estimate,
        variance=variance,
        pooled=pooled,
        df=np.full(Q, np.inf),
        alone=np.zeros(Q, bool),
    )


def _solve(data: regression.Data, design: np.ndarray, contrasts: np.ndarray) -> _Solution:
    documents = np.bincount(data.cell[data.cell >= 0], minlength=len(design)).astype(float)
    gram = design.T @ (documents[:, None] * design)
    root = regression.half_inverse(gram)
    inverse = root @ root.T
    n = documents.sum()
    left = max(n - root.shape[1], 1)
    weight = design @ inverse @ contrasts.T
    scale = ((contrasts @ root) ** 2).sum(axis=1) / left
    return _Solution(
        rows=design,
        contrasts=contrasts,
        gram=gram,
        root=root,
        inverse=inverse,
        weight=weight,
        n=n,
        left=left,
        scale=scale,
    )


def _by_documents(
    data: regression.Data, alpha: np.ndarray, solution: _Solution, draws: int
) -> tuple[np.ndarray, np.ndarray]:
    """beta, float64[P, T], and float64[Q, T], the classical variance of each contrast."""
    leverage = ((solution.rows @ solution.root) ** 2).sum(axis=1)
    noise = (1 - leverage)[:, None] * solution.scale
    noise += _noise_of_drawing(solution.weight, draws)
    cross = np.zeros((data.T, solution.rows.shape[1]))
    squares = np.zeros((len(solution.contrasts), data.T))
    added = np.zeros((data.T, len(solution.contrasts)))
    for rows, _ in _blocks(data):
        cell = data.cell[rows]
        theta = _theta(data, rows, alpha)
        cross += _sums(*theta, solution.rows[cell])
        squares += _squares(*theta, np.ones((len(rows), 1))).T
        if draws:
            added += _variance_of_theta(theta, noise[cell], data.lengths[rows], alpha)
    beta = solution.inverse @ cross.T
    explained = (beta * cross.T).sum(axis=0)
    return beta, added.T + (squares - explained) * solution.scale[:, None]


def _by_units(
    data: regression.Data, alpha: np.ndarray, solution: _Solution, draws: int
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and their variance, by sandwiches over units."""
    design = solution.rows
    inverse = solution.inverse
    weight = solution.weight
    Q, P = solution.contrasts.shape
    units, moment = _moments(data, design, weight)
    factor = units / max(units - 1, 1) * (solution.n - 1) / solution.left
    sandwich = np.einsum("cp,qpr,cr->cq", design, inverse @ moment @ inverse, design)
    noise = factor * (weight**2 + sandwich)
    noise += _noise_of_drawing(weight, draws)
    cross = np.zeros((data.T, P))
    squares = np.zeros((Q, data.T))
    added = np.zeros((data.T, Q))
    products = np.zeros((Q, data.T, P))
    for rows, starts in _blocks(data):
        cell = data.cell[rows]
        x = design[cell]
        weight_of_rows = weight[cell]
        noise_of_rows = noise[cell]
        theta = _theta(data, rows, alpha)
        cross += _sums(*theta, x)
        for q in range(Q):
            summed = _by_unit(weight_of_rows[:, q], starts)
            moved = summed @ x
            of_units = (summed @ theta[0], summed @ theta[1], theta[2])
            squares[q] += _squares(*of_units, np.ones((len(moved), 1)))[:, 0]
            products[q] += _sums(*of_units, moved)
            moved_of_rows = np.repeat(moved, np.diff(starts), axis=0)
            with_unit = (x @ inverse * moved_of_rows).sum(axis=1)
            noise_of_rows[:, q] -= 2 * factor * weight_of_rows[:, q] * with_unit
        if draws:
            added += _variance_of_theta(theta, noise_of_rows, data.lengths[rows], alpha)
    beta = inverse @ cross.T
    of_fitted = np.einsum("pt,qpr,rt->qt", beta, moment, beta)
    explained = np.einsum("qtp,pt->qt", products, beta)
    return beta, added.T + factor * (squares + of_fitted - 2 * explained)


def _noise_of_drawing(weight: np.ndarray, draws: int) -> np.ndarray:
    """float64[C, Q]: how much of a document's own variance the pooled draws have between them."""
    return (1 + 1 / max(draws, 1)) * weight**2


def _variance_of_theta(
    theta: ThetaParts, noise: np.ndarray, lengths: np.ndarray, alpha: np.ndarray
) -> np.ndarray:
    """float64[T, Q]: what documents add whose theta is not known, but drawn. noise: float64[n, Q],
    how much the variance of each counts."""
    per_document = noise / (lengths + alpha.sum() + 1)[:, None]
    return _sums(*theta, per_document) - _squares(*theta, per_document)


def _moments(
    data: regression.Data, design: np.ndarray, weight: np.ndarray
) -> tuple[int, np.ndarray]:
    """How many units have documents, and float64[Q, P, P]: sums over units of what each has of the
    design, weighed, times itself. weight: float64[C, Q]."""
    Q = weight.shape[1]
    P = design.shape[1]
    moment = np.zeros((Q, P, P))
    units = 0
    for rows, starts in _blocks(data):
        units += len(starts) - 1
        cell = data.cell[rows]
        for q in range(Q):
            moved = _by_unit(weight[cell, q], starts) @ design[cell]
            moment[q] += moved.T @ moved
    return units, moment


def _blocks(data: regression.Data) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Documents of the regression, whole units of them: int32[n], and where each unit's begin,
    int64[G + 1]."""
    order, starts = data.units
    for first, last in row_blocks(starts, BLOCK):
        rows = order[starts[first] : starts[last]]
        is_counted = data.cell[rows] >= 0
        counted_before = offsets_of_parts(is_counted)
        ends = counted_before[starts[first : last + 1] - starts[first]]
        if ends[-1]:
            yield rows[is_counted], np.unique(ends)


def _by_unit(weight: np.ndarray, starts: np.ndarray) -> csr_matrix:
    """[G, n], which sums documents in units, times their weights, float64[n]."""
    return csr_matrix((weight, np.arange(len(weight)), starts))


def _theta(data: regression.Data, rows: np.ndarray, alpha: np.ndarray) -> ThetaParts:
    """S, r and alpha of S + r alpha': [n, T], float64[n], float64[T]."""
    sizes = data.doc_ptr[rows + 1] - data.doc_ptr[rows]
    has_column = data.column_of_topic >= 0
    row_of_entry = np.repeat(np.arange(len(rows)), sizes)
    r = 1 / (data.lengths[rows] + alpha.sum())
    at = (
        np.arange(len(row_of_entry))
        + (data.doc_ptr[rows] - (np.cumsum(sizes) - sizes))[row_of_entry]
    )
    topics = data.column_of_topic[data.doc_topics[at]]
    # csr_matrix sums those of topics that were merged
    share = data.doc_tokens[at] * r[row_of_entry] * (topics >= 0)
    sparse = csr_matrix((share, (row_of_entry, np.maximum(topics, 0))), (len(rows), data.T))
    return sparse, r, np.bincount(data.column_of_topic[has_column], alpha[has_column], data.T)


def _sums(sparse: csr_matrix, r: np.ndarray, alpha: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """float64[T, m]: sums of rows of theta times their weights, float64[n, m]."""
    return sparse.T @ weights + np.outer(alpha, r @ weights)


def _squares(
    sparse: csr_matrix, r: np.ndarray, alpha: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """float64[T, m]: sums of the squares of theta times their weights, float64[n, m]."""
    of_tokens = sparse.power(2).T @ weights
    of_both = 2 * alpha[:, None] * (sparse.T @ (r[:, None] * weights))
    return of_tokens + of_both + np.outer(alpha**2, r**2 @ weights)
