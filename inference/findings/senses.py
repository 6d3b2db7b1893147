"""Words whose use changed: in early documents they are assigned to one topic, in late ones to
another."""

from typing import NamedTuple

import numpy as np

from inference.findings import sums

LEAST_DOCUMENTS = 30  # with the word, on either side
LEAST_UNITS = 4  # periods with the word, on either side


class Shift(NamedTuple):
    """gained, lost: topics. Of the documents with the word: the gaining topic's share early and
    late, the losing one's; and difference, low, high (95%), the smaller of the two changes. p: of
    no change, corrected for the choice of topics."""

    gained: int
    lost: int
    gained_shares: tuple[float, float]
    lost_shares: tuple[float, float]
    difference: float
    low: float
    high: float
    p: float
    documents: tuple[int, int]


def shift(topics: np.ndarray, period: np.ndarray, early: int, late: int) -> Shift | None:
    """How the topics of one word changed. None where there is too little of it on either side.

    topics: int[n], the topic that each document with the word gives it to; period: int[n], of each
    document, -1 for none. Documents of periods before `early` are compared with those from `late`
    on. A document counts once, however often it has the word; documents of one period are one unit
    (sums.shares).
    """
    sides = [(period >= 0) & (period < early), period >= late]
    if min(np.count_nonzero(side) for side in sides) < LEAST_DOCUMENTS:
        return None
    names, at = np.unique(topics, return_inverse=True)
    sums_of_sides = [_sums(at[side], period[side], len(names)) for side in sides]
    if min(float(side_sums.units[0]) for side_sums in sums_of_sides) < LEAST_UNITS:
        return None
    before, after = (sums.shares(side_sums, np.ones(len(names))) for side_sums in sums_of_sides)
    change, low, high = (array[0] for array in sums.difference(after, before))
    p = sums.ratio(after, before).p[0]
    up = int(np.argmax(change))
    down = int(np.argmin(change))
    if up == down:
        return None
    least = (float(change[up]), float(low[up]), float(high[up]))
    reversed_change = (-float(change[down]), -float(high[down]), -float(low[down]))
    difference, below, above = min(least, reversed_change, key=lambda shift: shift[1])
    return Shift(
        int(names[up]),
        int(names[down]),
        (float(before.share[0, up]), float(after.share[0, up])),
        (float(before.share[0, down]), float(after.share[0, down])),
        difference,
        below,
        above,
        float(min(1.0, max(p[up], p[down]) * len(names))),
        (int(sums_of_sides[0].documents[0]), int(sums_of_sides[1].documents[0])),
    )


def _sums(at: np.ndarray, period: np.ndarray, T: int) -> sums.Sums:
    """Each document is one word of length 1; T topics."""
    _, unit = np.unique(period, return_inverse=True)
    counts = np.zeros((unit.max(initial=-1) + 1, T))
    np.add.at(counts, (unit, at), 1.0)
    size = counts.sum(axis=1)
    n = float(len(at))
    x = counts.sum(axis=0)[None]
    one_document = np.array([n])
    return sums.Sums(
        one_document,
        one_document,
        one_document,
        np.array([float(len(counts))]),
        np.array([(size**2).sum()]),
        x,
        x,
        x,
        x,
        x,
        (counts**2).sum(axis=0)[None],
        (counts * size[:, None]).sum(axis=0)[None],
    )
