"""A map of topics: points in the plane whose distances are as near to sqrt(JSD) as possible, the
same each time it is computed."""

import numpy as np
from numba import prange

from inference.runtime.jit import njit

ITERATIONS = 50  # of SMACOF; of 20, 300 or 2,000 topics, 250 more lower the stress by less than 1%
DIGITS = 6  # kept of a coordinate, so that the last bits of a processor's arithmetic are in no file
SEPARATIONS = 400  # rounds of pushing discs apart; most maps need some tens
# Directions that are never two alike, for points that lie on one another
_GOLDEN = np.pi * (3 - np.sqrt(5))
_STILL = 1e-9  # a push that moves no disc
_ROUNDING = 1e-9  # of the largest coordinate: those that are nearer to it are the same
_ONE_POINT = 1e-7  # the largest distance from the middle of points that are all the same
_TOUCHING = 1e-12  # a distance in which two points have no direction from each other


def layout(divergences: np.ndarray) -> np.ndarray:
    """float64[K, 2]: centred at 0, the farthest point at distance 1; all 0 where no topic differs
    from another.

    Classical scaling of sqrt(JSD) (Torgerson 1952) begins, SMACOF (de Leeuw 1977; Borg and Groenen
    2005, ch. 8) with a fixed number of iterations brings the distances nearer; the first axis is
    the longest, and each points to where the topic farthest along it lies. Equal divergences give
    equal bytes.
    """
    return _scaled(_turned(refined(classical(divergences), divergences)))


def classical(divergences: np.ndarray) -> np.ndarray:
    """float64[K, 2]: the two leading axes of the doubly centred matrix of squared distances, which
    are the divergences."""
    K = len(divergences)
    if K < 2:
        return np.zeros((K, 2))
    means = divergences.mean(axis=0)
    inner = -0.5 * (divergences - means - means[:, None] + means.mean())
    # scipy's, which gives two alone, takes as long, and keeps Python's lock for so long
    values, vectors = np.linalg.eigh(inner)
    return _turned(vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0.0)))


def refined(xy: np.ndarray, divergences: np.ndarray, iterations: int = ITERATIONS) -> np.ndarray:
    """Points moved so that the raw stress, sum (distance - sqrt(JSD))^2, falls: float64[K, 2]. xy:
    float64[K, 2]; divergences: float64[K, K], JSD."""
    distances = np.sqrt(divergences)
    for _ in range(iterations):
        xy = _guttman(xy, distances)
    return xy


def stress(xy: np.ndarray, divergences: np.ndarray) -> float:
    """Kruskal's stress-1 at the best scale, 0 for a faithful map: sqrt(sum (b d - delta)^2 / sum
    delta^2), delta = sqrt(JSD). xy: float64[K, 2]; divergences: float64[K, K], JSD."""
    target_distances = np.sqrt(divergences)
    drawn = np.sqrt(((xy[:, None] - xy[None]) ** 2).sum(axis=-1))
    squares = (drawn**2).sum()
    scale = (drawn * target_distances).sum() / squares if squares else 0.0
    total = (target_distances**2).sum()
    return float(np.sqrt(((scale * drawn - target_distances) ** 2).sum() / total)) if total else 0.0


def separate(xy: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Discs moved apart until none covers another, or as far as SEPARATIONS rounds bring them:
    float64[K, 2].

    radii: float64[K], in the units of xy. Two discs that overlap go half of the overlap each, along
    the line between them; what lies alone stays where it is.
    """
    xy = np.array(xy, np.float64)
    radii = np.asarray(radii, np.float64)
    for _ in range(SEPARATIONS):
        push = pushes_apart(xy, radii, np.argsort(xy[:, 0], kind="stable"))
        if not np.abs(push).max(initial=0.0) > _STILL:
            break
        xy += push
    return xy


def procrustes(xy: np.ndarray, reference: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """A map turned, mirrored and shifted onto an older one, float64[K, 2]: distances within it stay
    as they are.

    pairs: int[n, 2], a point of xy and the point of the reference that it should be near. Least
    squares over the pairs (Schönemann 1966); fewer than two say nothing of a direction, and the map
    comes back as it was.
    """
    xy = np.asarray(xy, np.float64)
    pairs = np.asarray(pairs, np.int64).reshape(-1, 2)
    if len(pairs) < 2:
        return xy.copy()
    moved = xy[pairs[:, 0]]
    fixed = np.asarray(reference, np.float64)[pairs[:, 1]]
    u, _, v = np.linalg.svd((moved - moved.mean(axis=0)).T @ (fixed - fixed.mean(axis=0)))
    return (xy - moved.mean(axis=0)) @ (u @ v) + fixed.mean(axis=0)


def _turned(xy: np.ndarray) -> np.ndarray:
    """On its principal axes, the longer one first; each axis's farthest point, the first of equals,
    is on its positive side."""
    if len(xy) < 2:
        return np.zeros((len(xy), 2))
    xy = xy - xy.mean(axis=0)
    _, vectors = np.linalg.eigh(xy.T @ xy)
    xy = xy @ vectors[:, ::-1]
    far = np.abs(xy)
    first = np.argmax(far >= far.max(axis=0) * (1 - _ROUNDING), axis=0)
    return xy * np.where(xy[first, [0, 1]] < 0, -1.0, 1.0)


def _scaled(xy: np.ndarray) -> np.ndarray:
    size = np.sqrt((xy**2).sum(axis=1).max(initial=0.0))
    if size < _ONE_POINT:
        return np.zeros_like(xy)
    return np.round(xy / size, DIGITS) + 0.0  # no -0.0


@njit(cache=True, parallel=True)
def _guttman(xy, distances):
    """One step of SMACOF with equal weights: the Guttman transform."""
    K = len(xy)
    moved = np.zeros((K, 2))
    for i in prange(K):
        x = 0.0
        y = 0.0
        for j in range(K):
            dx = xy[i, 0] - xy[j, 0]
            dy = xy[i, 1] - xy[j, 1]
            d = np.sqrt(dx * dx + dy * dy)
            if d > _TOUCHING:
                x += distances[i, j] / d * dx
                y += distances[i, j] / d * dy
        moved[i, 0] = x / K
        moved[i, 1] = y / K
    return moved


@njit(cache=True)
def pushes_apart(xy, radii, order):
    """How far each disc is to go in a round: the sum over what it overlaps, half the overlap each:
    float64[K, 2].

    xy: float64[K, 2], centres. radii: float64[K]. order: discs from left to right, so that each is
    compared only with those that may reach it.
    """
    K = len(xy)
    pushes = np.zeros((K, 2))
    reach = radii.max() if K else 0.0
    x = xy[order, 0]
    y = xy[order, 1]
    r = radii[order]
    for p in range(K):
        for q in range(p - 1, -1, -1):
            dx = x[p] - x[q]
            room = r[p] + r[q]
            if dx >= r[p] + reach:
                break
            dy = y[p] - y[q]
            d = dx * dx + dy * dy
            if d < room * room:
                d = np.sqrt(d)
                if d > _TOUCHING:
                    dx = dx / d
                    dy = dy / d
                else:
                    dx = np.cos(_GOLDEN * order[p])
                    dy = np.sin(_GOLDEN * order[p])
                half = 0.5 * (room - d)
                pushes[order[p], 0] += half * dx
                pushes[order[p], 1] += half * dy
                pushes[order[q], 0] -= half * dx
                pushes[order[q], 1] -= half * dy
    return pushes
