"""Slow twins of inference.effects: the textbook's matrices, a row for each document."""

import numpy as np


def regression(share, weight, X, unit, contrasts):
    """(estimate, variance, df) of each contrast by weighted least squares with CR2 and Satterthwaite's degrees of freedom (Bell and
    McCaffrey 2002), in whitened rows. share: [D]; weight: [D]; X: [D, P]; unit: [D]; contrasts: [Q, P]."""
    root = np.sqrt(np.asarray(weight, float))
    X, y = root[:, None] * np.asarray(X, float), root * np.asarray(share, float)
    inverse = np.linalg.pinv(X.T @ X)
    beta = inverse @ X.T @ y
    residual, annihilator = y - X @ beta, np.eye(len(y)) - X @ inverse @ X.T
    out = []
    for contrast in np.asarray(contrasts, float):
        variance, columns = 0.0, []
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
