"""Whether topics' shares differ between groups of documents, where whoever is independent (a
speaker, a source, a document) is permuted, and time is held constant."""

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix

PERMUTED = 999
STRATA = 4  # of units by their mean time, within which groups are permuted
MOST_WEIGHT = 4.0  # medians of a unit's words
TIME_KNOTS = 6  # of the linear spline over time that is regressed out
_SEED = 21


def differ(
    x: np.ndarray,
    n: np.ndarray,
    group: np.ndarray,
    G: int,
    time: np.ndarray | None = None,
    speaker: np.ndarray | None = None,
    permuted: int = PERMUTED,
) -> tuple[np.ndarray, np.ndarray, float]:
    """(p, z, p of all): float64[G, T] each, two-sided p and the standardised difference of each
    group from all others; and the p of all differences together, by the sum of their squares.

    x: float64[U, T], tokens of each topic of each unit; n: float64[U], all its tokens, above 0;
    group: int[U], of each unit, -1 for none. time: float64[U], its mean day, or None. Shares are
    regressed on time (a spline with TIME_KNOTS), and groups permuted within STRATA of it: a group
    that spoke when all spoke of something does not count as different. speaker: int[U], or None:
    held constant in the same way.
    """
    U, T = x.shape
    weight = np.minimum(n, MOST_WEIGHT * np.median(n))
    share = x / n[:, None]
    residual = share - _expected(share, weight, time, speaker)
    part = weight[:, None] * residual
    stratum = np.zeros(U, np.int64)
    if time is not None and np.ptp(time):
        stratum = np.digitize(time, np.quantile(time, np.arange(1, STRATA) / STRATA))
    if speaker is not None:
        stratum = stratum + STRATA * speaker
    base = np.lexsort((np.arange(U), stratum))
    chance = np.random.default_rng(_SEED)

    member = csc_matrix(
        (np.ones(U), np.zeros(U, np.int32), np.arange(U + 1)), shape=(G + 1, U)
    )  # the last row: of no group
    summed = np.column_stack([weight, part])

    def statistic(of_unit: np.ndarray) -> np.ndarray:
        member.indices[:] = np.where(of_unit >= 0, of_unit, G)
        sums = np.asarray(member @ summed)[:G]
        own = sums[:, 0]
        return sums[:, 1:] / np.sqrt(np.maximum(own * (1 - own / weight.sum()), 1e-12))[:, None]

    seen, scale = statistic(group), np.sqrt((part * residual).sum(axis=0) + 1e-18)
    over, total, squares, together = np.ones((G, T)), np.zeros((G, T)), np.zeros((G, T)), 1
    for _ in range(permuted):
        shuffled, drawn = np.empty_like(group), np.asarray(chance.random(U))
        shuffled[base] = group[np.lexsort((drawn, stratum))]
        one = statistic(shuffled)
        over += np.abs(one) >= np.abs(seen) - 1e-12
        total += one
        squares += one * one
        together += bool(((one / scale) ** 2).sum() >= ((seen / scale) ** 2).sum() - 1e-9)
    mean = total / permuted
    spread = np.sqrt(np.maximum(squares / permuted - mean**2, 1e-18))
    return over / (permuted + 1), (seen - mean) / spread, together / (permuted + 1)


def _expected(
    share: np.ndarray, weight: np.ndarray, time: np.ndarray | None, speaker: np.ndarray | None
) -> np.ndarray:
    """Shares by weighted least squares on a linear spline over time; their mean without time."""
    columns = [np.ones(len(weight))]
    if time is not None and np.ptp(time):
        t = (time - time.min()) / np.ptp(time)
        knots = np.unique(np.quantile(t, np.arange(1, TIME_KNOTS) / TIME_KNOTS))
        columns += [t, *(np.maximum(t - knot, 0) for knot in knots if 0 < knot < 1)]
    if speaker is not None:
        columns += [(speaker == s).astype(float) for s in np.unique(speaker)[1:]]
    X, root = np.stack(columns, axis=1), np.sqrt(weight)[:, None]
    fitted, *_ = np.linalg.lstsq(X * root, share * root, rcond=None)
    return X @ fitted


def elsewhere(
    x: np.ndarray, n: np.ndarray, group: np.ndarray, G: int, speaker: np.ndarray | None = None
) -> np.ndarray:
    """float64[G, T]: the share that all others have, as if they had each group's mix of speakers.
    x, n, group, speaker: as `differ` has them; speakers whom only the group has are left out of its
    mix."""
    of_speaker = np.zeros(len(n), np.int64) if speaker is None else speaker
    S, some = int(of_speaker.max()) + 1, group >= 0
    cell = csr_matrix(
        (np.ones(some.sum()), (group[some] * S + of_speaker[some], np.flatnonzero(some))),
        shape=(G * S, len(n)),
    )
    tokens, counted = np.asarray(cell @ n).reshape(G, S), (cell @ x).reshape(G, S, -1)
    others, counted_others = tokens.sum(axis=0) - tokens, counted.sum(axis=0) - counted
    mix = np.where(others > 0, tokens, 0.0)
    mix /= np.maximum(mix.sum(axis=1, keepdims=True), 1e-12)
    return np.einsum("gs,gst->gt", mix, counted_others / np.maximum(others, 1e-12)[:, :, None])


def design_effect(x: np.ndarray, n: np.ndarray, unit: np.ndarray) -> float:
    """By how many times documents of one unit are more alike than documents drawn at random: the
    median over topics of the variance of units' totals over that of independent documents. x:
    float64[D, T]; n: float64[D]; unit: int[D], at least 0."""
    away = x - n[:, None] * (x.sum(axis=0) / max(n.sum(), 1))
    member = csr_matrix((np.ones(len(unit)), (unit, np.arange(len(unit)))))
    alone, together = (away**2).sum(axis=0), (np.asarray(member @ away) ** 2).sum(axis=0)
    used = alone > 0
    return float(np.median(together[used] / alone[used])) if used.any() else 1.0
