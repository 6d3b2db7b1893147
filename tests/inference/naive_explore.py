"""Slow, obvious twins of inference/explore: dense, one formula after another."""

import itertools

import numpy as np
from scipy.special import rel_entr


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    m = (p + q) / 2
    return float(rel_entr(p, m).sum() + rel_entr(q, m).sum()) / 2


def divergences(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of dense topics: float64[Ka, Kb]."""
    return np.array([[divergence(p, q) for q in b] for p in a]).reshape(len(a), len(b))


def nearest(divergences: np.ndarray, n: int) -> list[list[int]]:
    K = len(divergences)
    return [
        sorted((j for j in range(K) if j != k), key=lambda j: (divergences[k, j], j))[:n]
        for k in range(K)
    ]


def guttman(xy: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """One step of SMACOF as its matrix: B(X) X / K."""
    K = len(xy)
    B = np.zeros((K, K))
    for i, j in itertools.permutations(range(K), 2):
        d = np.linalg.norm(xy[i] - xy[j])
        if d > 1e-12:
            B[i, j] = -wanted[i, j] / d
    np.fill_diagonal(B, -B.sum(axis=1))
    return B @ xy / K


def overlap(xy: np.ndarray, radii: np.ndarray) -> float:
    """The largest by which two discs overlap."""
    pairs = itertools.combinations(range(len(xy)), 2)
    return max((radii[i] + radii[j] - np.linalg.norm(xy[i] - xy[j]) for i, j in pairs), default=0.0)


def roughness(matrix: np.ndarray, order: np.ndarray) -> float:
    """What an order of rows is to make small: the sum of Hellinger distances between neighbours."""
    roots = np.sqrt(matrix / matrix.sum(axis=1, keepdims=True))[order]
    return float(np.linalg.norm(np.diff(roots, axis=0), axis=1).sum())


def assignment(similar: np.ndarray) -> float:
    """The largest sum of similarities that any one-to-one matching has."""
    if similar.shape[0] > similar.shape[1]:
        similar = similar.T
    rows = range(similar.shape[0])
    return max(
        sum(similar[i, j] for i, j in zip(rows, p, strict=True))
        for p in itertools.permutations(range(similar.shape[1]), len(rows))
    )


def same(similar: list[list[float]], least: float, margin: float) -> list[int]:
    """Of each row its column in the best of all assignments, -1 where they are less alike than
    `least`, or not by `margin` more than either is to any other."""
    rows, columns = range(len(similar)), range(len(similar[0]))
    best = max(
        itertools.permutations(columns, len(rows)),
        key=lambda p: sum(similar[i][j] for i, j in zip(rows, p, strict=True)),
    )
    partners = []
    for i, j in zip(rows, best, strict=True):
        rivals = [similar[i][other] for other in columns if other != j] + [
            similar[o][j] for o in rows if o != i
        ]
        partners.append(
            j if similar[i][j] >= least and all(similar[i][j] - x >= margin for x in rivals) else -1
        )
    return partners


def relevance(inside: int, everywhere: int, inside_total: int, total: int, lam: float) -> float:
    p = inside / inside_total
    base = everywhere / total
    return lam * np.log(p) + (1 - lam) * np.log(p / base)


def distinctive(inside: np.ndarray, everywhere: np.ndarray, prior: float) -> list[float]:
    """Monroe et al., eqs. 16, 19 and 22, word by word."""
    outside = everywhere - inside
    found = []
    a0 = prior
    n_in = inside.sum()
    n_out = (everywhere - inside).sum()
    for i, o, e in zip(inside, outside, everywhere, strict=True):
        a = prior * e / everywhere.sum()
        delta = np.log((i + a) / (n_in + a0 - i - a)) - np.log((o + a) / (n_out + a0 - o - a))
        found.append(delta / np.sqrt(1 / (i + a) + 1 / (o + a)))
    return found


def bootstrap(
    x: np.ndarray, lengths: np.ndarray, level: float, replicates: int, seed: int
) -> tuple[float, float]:
    """Quantiles of the share of a group whose documents are drawn anew, each Poisson(1) times."""
    drawn = np.random.default_rng(seed).poisson(1, (replicates, len(x)))
    low, high = np.quantile((drawn @ x) / (drawn @ lengths), [0.5 - level / 2, 0.5 + level / 2])
    return float(low), float(high)


def beside(
    documents: list[dict[int, int]], lengths: list[int], K: int, least: float
) -> dict[tuple[int, int], tuple[int, float]]:
    """Documents with both topics, and lift, of each pair that meets. documents: tokens by topic."""
    held = [
        {k for k, n in d.items() if n >= least * length}
        for d, length in zip(documents, lengths, strict=True)
    ]
    D = sum(length > 0 for length in lengths)
    found = {}
    for a, b in itertools.permutations(range(K), 2):
        both = sum(a in h and b in h for h in held)
        if both:
            p, q = (sum(k in h for h in held) / D for k in (a, b))
            found[a, b] = both, both / D / (p * q)
    return found


def saliency(tokens: np.ndarray, of_topics: np.ndarray) -> list[float]:
    """Of each word: p(w) times the divergence of its topics from all."""
    total = of_topics.sum()
    p_k = of_topics / of_topics.sum()
    return [row.sum() / total * rel_entr(row / max(row.sum(), 1), p_k).sum() for row in tokens]
