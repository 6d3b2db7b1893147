"""Slow twins of inference.effects: the textbook's matrices, a row for each document."""

import numpy as np


def regression(share, weight, X, unit, contrasts):
    """(estimate, variance, df) of each contrast by weighted least squares with CR2 and
    Satterthwaite's degrees of freedom (Bell and McCaffrey 2002), in whitened rows. share: [D];
    weight: [D]; X: [D, P]; unit: [D]; contrasts: [Q, P]."""
    root = np.sqrt(np.asarray(weight, float))
    X = root[:, None] * np.asarray(X, float)
    y = root * np.asarray(share, float)
    inverse = np.linalg.pinv(X.T @ X)
    beta = inverse @ X.T @ y
    residual = y - X @ beta
    annihilator = np.eye(len(y)) - X @ inverse @ X.T
    out = []
    for contrast in np.asarray(contrasts, float):
        variance = 0.0
        columns = []
        for c in sorted(set(unit)):
            rows = [d for d in range(len(y)) if unit[d] == c]
            values, vectors = np.linalg.eigh(annihilator[np.ix_(rows, rows)])
            turned = np.array([1 / np.sqrt(v) if v > 1e-9 else 0.0 for v in values])
            adjusted = vectors @ np.diag(turned) @ vectors.T @ X[rows] @ inverse @ contrast
            variance += (adjusted @ residual[rows]) ** 2
            columns.append(annihilator[:, rows] @ adjusted)
        G = np.array(columns).T
        gram = G.T @ G
        out.append((contrast @ beta, variance, np.trace(gram) ** 2 / (gram**2).sum()))
    return np.array(out)


def row(effect, across, held):
    """1, the effect's columns, those of what it may depend on, each of the first times each of the
    second, and the others'."""
    products = [e * a for e in effect for a in across]
    return np.array([1.0, *effect, *across, *products, *(x for columns in held for x in columns)])


def as_stm(theta, X, unit=None):
    """(coefficients, variances) of stm's estimateEffect, as topica has it: ordinary least squares,
    classical or CR1. theta: [D]; X: [D, P]."""
    n, p = X.shape
    inverse = np.linalg.inv(X.T @ X)
    beta = inverse @ X.T @ theta
    residual = theta - X @ beta
    if unit is None:
        return beta, residual @ residual / (n - p) * inverse
    sums = np.array([X[unit == g].T @ residual[unit == g] for g in np.unique(unit)])
    G = len(sums)
    return beta, G / (G - 1) * (n - 1) / (n - p) * inverse @ sums.T @ sums @ inverse


def composed(chance, concentration, k, X, draws, unit=None):
    """Variances of as_stm over draws of theta, pooled (Rubin 1987). concentration: [D, T], of each
    document's Dirichlet distribution."""
    made = []
    for _ in range(draws):
        gamma = chance.standard_gamma(concentration)
        made.append(as_stm(gamma[:, k] / gamma.sum(axis=1), X, unit))
    betas, within = (np.array(each) for each in zip(*made, strict=True))
    return np.diag(within.mean(axis=0)) + (1 + 1 / draws) * betas.var(axis=0, ddof=1)
