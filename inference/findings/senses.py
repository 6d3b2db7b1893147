"""Words whose use changed: in early documents they are assigned to one topic, in late ones to
another."""

from typing import NamedTuple

import numpy as np

from inference.findings import sums

LEAST_DOCUMENTS = 30  # with the word, on either side
LEAST_PERIODS = 4  # with the word, on either side
LEAST_SPEAKERS = 5  # with the word, on either side, for an interval by who speaks
MOST_OF_ONE = 0.5  # of a topic's documents with the word, that one who speaks may have


class Shift(NamedTuple):
    """gained, lost: topics. Of the documents with the word: the gaining topic's share early and
    late, the losing one's; and difference, low, high, the smaller of the two changes. p: of no
    change, corrected for the choice of topics."""

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


class _Change(NamedTuple):
    """Of each topic: shares before and after, and float64[T], low, high and p of the change.
    units: how many count on either side, the fewer."""

    before: sums.Shares
    after: sums.Shares
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    units: int


def shift(
    topics: np.ndarray,
    period: np.ndarray,
    early: int,
    late: int,
    unit: np.ndarray | None = None,
    level: float = sums.LEVEL,
) -> Shift | None:
    """How the topics of one word changed. None where there is too little of it on either side, or
    where one who speaks has most of what changed.

    topics: int[n], the topic that each document with the word gives it to; period: int[n], of each
    document, -1 for none. Documents of periods before `early` are compared with those from `late`
    on. A document counts once, however often it has the word. unit: int64[n], who speaks, below 0
    for none; None where documents are independent. The error is the largest of three: documents,
    those of one period together, those of one who speaks together (sums.shares). Who speaks on both
    sides counts as another one there, which makes an interval too wide rather than too narrow.
    level: of the interval.
    """
    is_early = (period >= 0) & (period < early)
    is_late = period >= late
    if min(np.count_nonzero(is_early), np.count_nonzero(is_late)) < LEAST_DOCUMENTS:
        return None
    names, topic = np.unique(topics, return_inverse=True)
    speaker = None if unit is None else np.where(unit < 0, -1 - np.arange(len(unit)), unit)
    changes = [_change(topic, period, is_early, is_late, level)]
    if changes[0].units < LEAST_PERIODS:
        return None
    if speaker is not None:
        changes.append(_change(topic, speaker, is_early, is_late, level))
        if changes[1].units < LEAST_SPEAKERS:
            return None
    before, after = changes[0][:2]
    low = np.min([change_of_units.low for change_of_units in changes], axis=0)
    high = np.max([change_of_units.high for change_of_units in changes], axis=0)
    p = np.max([change_of_units.p for change_of_units in changes], axis=0)
    change = after.share[0] - before.share[0]
    up = int(np.argmax(change))
    down = int(np.argmin(change))
    if up == down:
        return None
    if speaker is not None and (
        _largest_part(speaker[is_late & (topic == up)]) > MOST_OF_ONE
        or _largest_part(speaker[is_early & (topic == down)]) > MOST_OF_ONE
    ):
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
        documents=(int(is_early.sum()), int(is_late.sum())),
    )


def _change(
    topic: np.ndarray, unit: np.ndarray, is_early: np.ndarray, is_late: np.ndarray, level: float
) -> _Change:
    """By units of one kind. topic, unit: int[n], of each document."""
    T = int(topic.max()) + 1
    typical = np.ones(T)
    early_sums = _sums(topic[is_early], unit[is_early], T)
    late_sums = _sums(topic[is_late], unit[is_late], T)
    before = sums.shares(early_sums, typical, level)
    after = sums.shares(late_sums, typical, level)
    _, low, high = sums.difference(after, before)
    p = sums.ratio(after, before).p
    units = int(min(early_sums.units[0], late_sums.units[0]))
    return _Change(before, after, low[0], high[0], p[0], units)


def _largest_part(unit: np.ndarray) -> float:
    """The part of documents that one unit has."""
    _, documents = np.unique(unit, return_counts=True)
    return float(documents.max(initial=0) / max(len(unit), 1))


def _sums(topic: np.ndarray, unit: np.ndarray, T: int) -> sums.Sums:
    """Each document is one word of length 1. topic, unit: int[n], of each document; T topics."""
    _, row = np.unique(unit, return_inverse=True)
    size = np.bincount(row).astype(np.float64)
    pairs, documents = np.unique(row.astype(np.int64) * T + topic, return_counts=True)
    unit_of_pair, topic_of_pair = np.divmod(pairs, T)
    n = float(len(topic))
    x = np.bincount(topic, minlength=T).astype(np.float64)[None]
    one_document = np.array([n])
    return sums.Sums(
        documents=one_document,
        tokens=one_document,
        squares=one_document,
        units=np.array([float(len(size))]),
        unit_squares=np.array([(size**2).sum()]),
        holding=x,
        of_holding=x,
        x=x,
        xx=x,
        xl=x,
        unit_xx=np.bincount(topic_of_pair, documents**2.0, T)[None],
        unit_xl=np.bincount(topic_of_pair, documents * size[unit_of_pair], T)[None],
    )
