"""Documents to be coded: at random within strata, with known probability."""

from typing import NamedTuple

import numpy as np

UNUSED_BITS = 11  # of 64: a double has 53
TO_UNIT = 1.0 / (1 << 53)


class Drawn(NamedTuple):
    """documents: int64[n], in the order in which they are coded: any beginning of it is about
    proportional, too. pi: float64[n], the probability with which each was drawn, its stratum's
    drawn part. strata: int32[n]."""

    documents: np.ndarray
    pi: np.ndarray
    strata: np.ndarray


def strata(share: np.ndarray | None, groups: np.ndarray | None) -> np.ndarray:
    """int32[D]: the stratum of each document, numbered from 0 without gaps: those without the
    topic, the lower half of the others, and the upper half, divided at the median of all groups
    together, within each group. (Thirds say no more, and their floors cost codes that are needed
    elsewhere.)

    share: float[D], of the topic in each document; None: any. groups: int[D], such as of the
    columns that are to be compared; all below 0, which have no value, are one. One of them must be
    given."""
    key = np.int64(0) if groups is None else 3 * np.maximum(groups, -1).astype(np.int64)
    if share is not None:
        middle = np.median(share[share > 0]) if share.any() else 0
        key = key + (share > 0) + (share > middle)
    return np.unique(key, return_inverse=True)[1].astype(np.int32)


def draw(strata: np.ndarray, size: int, floor: int, seed: int) -> Drawn:
    """`size` documents, proportionally to the strata, but at least `floor` of each, or all of one
    that has fewer (together they may be more than `size`).

    Each stratum has one order by the seed, of which a beginning is drawn, and a larger size never
    takes fewer of a stratum (Sainte-Laguë): so a later draw of the same strata, floor and seed
    holds an earlier one, and all of it has the later pi. strata: int[D], from 0 without gaps."""
    chance = np.random.PCG64(seed)
    sizes = np.bincount(strata)
    order = np.argsort(strata + _uniforms(chance, len(strata)))
    stratum = strata[order]
    first_of_stratum = np.cumsum(sizes) - sizes
    order_drawn = np.arange(len(order)) - first_of_stratum[stratum]  # of each in its stratum
    turn = np.where(order_drawn < floor, 0, (order_drawn + 0.5) / sizes[stratum])
    by_turn = np.lexsort((_uniforms(chance, len(order)), turn))
    within_floor = int((turn == 0).sum())
    taken_documents = np.sort(by_turn[: max(size, within_floor)])
    documents = order[taken_documents]
    stratum = stratum[taken_documents]
    order_drawn = order_drawn[taken_documents]
    drawn = np.bincount(stratum, minlength=len(sizes))
    spread = np.argsort((order_drawn + _uniforms(chance, len(order_drawn))) / drawn[stratum])
    stratum = stratum[spread].astype(np.int32)
    return Drawn(documents[spread].astype(np.int64), drawn[stratum] / sizes[stratum], stratum)


def _uniforms(chance: np.random.PCG64, n: int) -> np.ndarray:
    """float64[n] in [0, 1), what `Generator.random` draws. Of its bits, which numpy promises to keep,
    as it does not of a Generator's methods (NEP 19): a draw that is made larger by another version
    must hold what was drawn before. Streams of `kernels.rng` would not hold draws that there are."""
    return (chance.random_raw(n) >> np.uint64(UNUSED_BITS)) * TO_UNIT
