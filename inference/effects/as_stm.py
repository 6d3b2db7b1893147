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

import numpy as np
from scipy.sparse import csr_matrix

from inference.effects import regression

DRAWS = 25  # as stm makes where nothing else is asked for
BLOCK = 1 << 14  # documents, and what is left of the last one's unit


def fit(
    data: regression.Data,
    alpha: np.ndarray,
    design: np.ndarray,
    contrasts: np.ndarray,
    draws: int = DRAWS,
) -> regression.Fit:
    """As regression.fit, with the normal distribution. alpha: float64[K], the prior; draws: how
    many are pooled; 0: theta is taken as known."""
    documents = np.bincount(data.cell[data.cell >= 0], minlength=len(design)).astype(float)
    gram = design.T @ (documents[:, None] * design)
    root = regression.half_inverse(gram)
    inverse, n, (Q, P), left = (
        root @ root.T,
        documents.sum(),
        contrasts.shape,
        max(documents.sum() - root.shape[1], 1),
    )
    weight = design @ inverse @ contrasts.T
    scale = ((contrasts @ root) ** 2).sum(axis=1) / left
    clustered = data.units.U < len(data.cell)
    moment = np.zeros((Q, P, P))
    units = 0
    for rows, starts in _blocks(data) if clustered else ():
        units += len(starts) - 1
        for q in range(Q):
            moved = _by_unit(weight[data.cell[rows], q], starts) @ design[data.cell[rows]]
            moment[q] += moved.T @ moved
    factor = units / max(units - 1, 1) * (n - 1) / left
    noise = (
        factor
        * (weight**2 + np.einsum("cp,qpr,cr->cq", design, inverse @ moment @ inverse, design))
        if clustered
        else (1 - ((design @ root) ** 2).sum(axis=1))[:, None] * scale
    )
    noise += (1 + 1 / max(draws, 1)) * weight**2
    cross, squares, added, products = (
        np.zeros(shape) for shape in ((data.T, P), (Q, data.T), (data.T, Q), (Q, data.T, P))
    )
    for rows, starts in _blocks(data):
        x, w, each, theta = (
            *(a[data.cell[rows]] for a in (design, weight, noise)),
            _theta(data, rows, alpha),
        )
        cross += _sums(*theta, x)
        if not clustered:
            squares += _squares(*theta, np.ones((len(rows), 1))).T
        for q in range(Q) if clustered else ():
            summed = _by_unit(w[:, q], starts)
            moved = summed @ x
            of_units = (summed @ theta[0], summed @ theta[1], theta[2])
            squares[q] += _squares(*of_units, np.ones((len(moved), 1)))[:, 0]
            products[q] += _sums(*of_units, moved)
            each[:, q] -= (
                2
                * factor
                * w[:, q]
                * (x @ inverse * np.repeat(moved, np.diff(starts), axis=0)).sum(axis=1)
            )
        if draws:
            each /= (data.lengths[rows] + alpha.sum() + 1)[:, None]
            added += _sums(*theta, each) - _squares(*theta, each)
    beta = inverse @ cross.T
    variance = added.T + (
        factor
        * (
            squares
            + np.einsum("pt,qpr,rt->qt", beta, moment, beta)
            - 2 * np.einsum("qtp,pt->qt", products, beta)
        )
        if clustered
        else (squares - (beta * cross.T).sum(axis=0)) * scale[:, None]
    )
    known = regression.estimable(contrasts, root, gram)
    estimate, variance = (
        np.where(known[:, None], a, np.nan) for a in (contrasts @ beta, np.maximum(variance, 0.0))
    )
    pooled = np.zeros_like(variance)  # stm has none
    return regression.Fit(estimate, variance, pooled, np.full(Q, np.inf), np.zeros(Q, bool))


def _blocks(data: regression.Data) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Documents of the regression, whole units of them: int32[n], and where each unit's begin,
    int64[G + 1]."""
    (order, starts), first = data.units, 0
    while first < data.units.U:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + BLOCK, "right")) - 1)
        rows = order[starts[first] : starts[last]]
        ends = np.append(0, np.cumsum(data.cell[rows] >= 0))[
            starts[first : last + 1] - starts[first]
        ]
        if ends[-1]:
            yield rows[data.cell[rows] >= 0], np.unique(ends)
        first = last


def _by_unit(weight: np.ndarray, starts: np.ndarray) -> csr_matrix:
    """[G, n], which sums documents in units, times their weights, float64[n]."""
    return csr_matrix((weight, np.arange(len(weight)), starts))


def _theta(
    data: regression.Data, rows: np.ndarray, alpha: np.ndarray
) -> tuple[csr_matrix, np.ndarray, np.ndarray]:
    """S, r and alpha of S + r alpha': [n, T], float64[n], float64[T]."""
    sizes = data.doc_ptr[rows + 1] - data.doc_ptr[rows]
    some = data.into >= 0
    place = np.repeat(np.arange(len(rows)), sizes)
    r = 1 / (data.lengths[rows] + alpha.sum())
    at = np.arange(len(place)) + (data.doc_ptr[rows] - (np.cumsum(sizes) - sizes))[place]
    topics = data.into[data.doc_topics[at]]
    share = (
        data.doc_tokens[at] * r[place] * (topics >= 0)
    )  # csr_matrix sums those of topics that were merged
    sparse = csr_matrix((share, (place, np.maximum(topics, 0))), (len(rows), data.T))
    return sparse, r, np.bincount(data.into[some], alpha[some], data.T)


def _sums(sparse: csr_matrix, r: np.ndarray, alpha: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """float64[T, m]: sums of rows of theta times their weights, float64[n, m]."""
    return sparse.T @ weights + np.outer(alpha, r @ weights)


def _squares(
    sparse: csr_matrix, r: np.ndarray, alpha: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The same of squares."""
    return (
        sparse.power(2).T @ weights
        + 2 * alpha[:, None] * (sparse.T @ (r[:, None] * weights))
        + np.outer(alpha**2, r**2 @ weights)
    )
