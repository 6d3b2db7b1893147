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


def main_topics(
    documents: np.ndarray, counts: np.ndarray, topics: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(documents, topics) of one word, each document once, ascending: the topic that most of its
    tokens of the word have, of several the one with the smallest number.

    documents, counts, topics: int[n], of the word's pairs, as Evidence.word has them: of a document
    one for each of its sections with the word.
    """
    order = np.lexsort((topics, documents))
    documents = documents[order]
    topics = topics[order]
    is_first = np.append(True, (np.diff(documents) != 0) | (np.diff(topics) != 0))[: len(order)]
    first = np.flatnonzero(is_first)
    tokens = np.add.reduceat(counts[order], first) if len(first) else counts
    # Of each document the topic with most tokens in front
    by_tokens = np.lexsort((topics[first], -tokens.astype(np.int64), documents[first]))
    found, place = np.unique(documents[first][by_tokens], return_index=True)
    return found, topics[first][by_tokens][place]


def shift(topics: np.ndarray, period: np.ndarray, early: int, late: int) -> Shift | None:
    """How the topics of one word changed. None where there is too little of it on either side.

    topics: int[n], the topic that each document with the word gives it to; period: int[n], of each
    document, -1 for none. Documents of periods before `early` are compared with those from `late`
    on. A document counts once, however often it has the word; documents of one period are one unit
    (sums.shares).
    """
    is_early = (period >= 0) & (period < early)
    is_late = period >= late
    if min(np.count_nonzero(is_early), np.count_nonzero(is_late)) < LEAST_DOCUMENTS:
        return None
    names, topic = np.unique(topics, return_inverse=True)
    early_sums = _sums(topic[is_early], period[is_early], len(names))
    late_sums = _sums(topic[is_late], period[is_late], len(names))
    if min(early_sums.units[0], late_sums.units[0]) < LEAST_UNITS:
        return None
    typical = np.ones(len(names))
    before = sums.shares(early_sums, typical)
    after = sums.shares(late_sums, typical)
    change, low, high = (array[0] for array in sums.difference(after, before))
    p = sums.ratio(after, before).p[0]
    up = int(np.argmax(change))
    down = int(np.argmin(change))
    if up == down:
        return None
    least = (float(change[up]), float(low[up]), float(high[up]))
    reversed_change = (-float(change[down]), -float(high[down]), -float(low[down]))
    difference, below, above = min(least, reversed_change, key=lambda shift: shift[1])
    p_of_choice = max(p[up], p[down]) * len(names)
    return Shift(
        gained=int(names[up]),
        lost=int(names[down]),
        gained_shares=(float(before.share[0, up]), float(after.share[0, up])),
        lost_shares=(float(before.share[0, down]), float(after.share[0, down])),
        difference=difference,
        low=below,
        high=above,
        p=float(min(1.0, p_of_choice)),
        documents=(int(early_sums.documents[0]), int(late_sums.documents[0])),
    )


def _sums(topic: np.ndarray, period: np.ndarray, T: int) -> sums.Sums:
    """Each document is one word of length 1. topic, period: int[n], of each document; T topics."""
    _, unit = np.unique(period, return_inverse=True)
    counts = np.zeros((unit.max(initial=-1) + 1, T))
    np.add.at(counts, (unit, topic), 1.0)
    size = counts.sum(axis=1)
    n = float(len(topic))
    x = counts.sum(axis=0)[None]
    one_document = np.array([n])
    return sums.Sums(
        documents=one_document,
        tokens=one_document,
        squares=one_document,
        units=np.array([float(len(counts))]),
        unit_squares=np.array([(size**2).sum()]),
        holding=x,
        of_holding=x,
        x=x,
        xx=x,
        xl=x,
        unit_xx=(counts**2).sum(axis=0)[None],
        unit_xl=(counts * size[:, None]).sum(axis=0)[None],
    )
