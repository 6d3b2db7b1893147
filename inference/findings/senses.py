"""Words whose use changed: in early documents they are assigned to one topic, in late ones to
another."""

from typing import NamedTuple

import numpy as np

from inference.findings import sums
from inference.share_intervals import USUAL_LEVEL

LEAST_DOCUMENTS = 30  # with the word, on either side
LEAST_PERIODS = 4  # with the word, on either side
LEAST_SPEAKERS = 5  # with the word, on either side, for an interval by who speaks
# An end of the early or of the late time belongs to it where the topic has, of so many documents
# there, so much of its share in all of that time
END_DOCUMENTS = 20
END_PART = 0.5
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

    documents, counts, topics: int[n], of the word's pairs, as WordTopics.of_word has them: of a
    document one for each of its sections with the word.
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


class Held(NamedTuple):
    """The time in which a word's use is what is said of it. begin: the first period of the early
    time, None where it reaches to the first of all; end: the last one of the late time, None where
    it reaches to the last. shift: of these periods, with an interval that also holds that of all
    periods."""

    begin: int | None
    end: int | None
    shift: Shift


def held(
    found: Shift,
    topics: np.ndarray,
    period: np.ndarray,
    early: int,
    late: int,
    unit: np.ndarray | None = None,
    level: float = USUAL_LEVEL,
) -> Held | None:
    """A shift without the ends of its time where the word is used otherwise: "since 1938" would say
    that it still is. None where without them it is another shift, or none. found: of all the time;
    the others: see `shift`."""
    sides = _Sides((period >= 0) & (period < early), period >= late)
    begin = _inner_end(period[sides.early], topics[sides.early] == found.lost, from_first=True)
    end = _inner_end(period[sides.late], topics[sides.late] == found.gained, from_first=False)
    if begin is None and end is None:
        return Held(None, None, found)
    within = np.ones(len(period), bool)
    if begin is not None:
        within &= period >= begin
    if end is not None:
        within &= period <= end
    shift_within = shift(topics, np.where(within, period, -1), early, late, unit, level)
    if shift_within is None:
        return None
    if (shift_within.gained, shift_within.lost) != (found.gained, found.lost):
        return None
    # These ends were looked for, which an interval of what is between them does not count
    low = min(found.low, shift_within.low)
    high = max(found.high, shift_within.high)
    return Held(begin, end, shift_within._replace(low=low, high=high))


def _inner_end(period: np.ndarray, has_topic: np.ndarray, from_first: bool) -> int | None:
    """The first period that belongs to a side, or the last one; None where all do. period, has_topic:
    int[n] and bool[n], of the documents of the side."""
    periods = np.unique(period)
    if not from_first:
        periods = periods[::-1]
    least = END_PART * has_topic.mean()
    inner = None
    documents = 0
    with_topic = 0
    for position, end_period in enumerate(periods.tolist()):
        in_period = period == end_period
        documents += int(np.count_nonzero(in_period))
        with_topic += int(np.count_nonzero(has_topic & in_period))
        if documents < END_DOCUMENTS:
            continue
        if with_topic >= least * documents:
            break
        following = periods[position + 1 :]
        inner = int(following[0]) if len(following) else None
        documents = 0
        with_topic = 0
    return inner


class _Sides(NamedTuple):
    """Which documents are before a change, and which after it: bool[n] each."""

    early: np.ndarray
    late: np.ndarray

    @property
    def documents(self) -> tuple[int, int]:
        """How many are on either side."""
        return int(np.count_nonzero(self.early)), int(np.count_nonzero(self.late))


class _Change(NamedTuple):
    """How the topics' shares changed: before and after; and float64[T], low, high and p of the
    change of each. units: how many count on either side, the fewer."""

    before: sums.GroupShares
    after: sums.GroupShares
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    units: int

    @property
    def difference(self) -> np.ndarray:
        """float64[T]: what each topic's share has more after than before."""
        return self.after.share[0] - self.before.share[0]

    def least_sure_of(self, other: "_Change") -> "_Change":
        """Its shares with the ends of both intervals that are farther out, and the larger p. other:
        of the same documents in other units."""
        return self._replace(
            low=np.minimum(self.low, other.low),
            high=np.maximum(self.high, other.high),
            p=np.maximum(self.p, other.p),
        )

    def smaller_of(self, gained: int, lost: int) -> tuple[float, float, float]:
        """(difference, low, high) of what one topic gained or another one lost: of the two the one
        whose interval begins lower."""
        gain = float(self.difference[gained]), float(self.low[gained]), float(self.high[gained])
        loss = -float(self.difference[lost]), -float(self.high[lost]), -float(self.low[lost])
        return loss if loss[1] < gain[1] else gain


def shift(
    topics: np.ndarray,
    period: np.ndarray,
    early: int,
    late: int,
    unit: np.ndarray | None = None,
    level: float = USUAL_LEVEL,
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
    sides = _Sides((period >= 0) & (period < early), period >= late)
    if min(sides.documents) < LEAST_DOCUMENTS:
        return None
    names, topic = np.unique(topics, return_inverse=True)
    change = _change(topic, period, sides, level)
    if change.units < LEAST_PERIODS:
        return None
    speaker = None
    if unit is not None:
        speaker = _speakers(unit)
        by_speaker = _change(topic, speaker, sides, level)
        if by_speaker.units < LEAST_SPEAKERS:
            return None
        change = change.least_sure_of(by_speaker)
    gained = int(np.argmax(change.difference))
    lost = int(np.argmin(change.difference))
    if gained == lost:
        return None
    if speaker is not None:
        of_gain = speaker[sides.late & (topic == gained)]
        of_loss = speaker[sides.early & (topic == lost)]
        if max(_largest_part(of_gain), _largest_part(of_loss)) > MOST_OF_ONE:
            return None
    difference, low, high = change.smaller_of(gained, lost)
    p_of_choice = max(change.p[gained], change.p[lost]) * len(names)
    return Shift(
        gained=int(names[gained]),
        lost=int(names[lost]),
        gained_shares=(
            float(change.before.share[0, gained]),
            float(change.after.share[0, gained]),
        ),
        lost_shares=(float(change.before.share[0, lost]), float(change.after.share[0, lost])),
        difference=difference,
        low=low,
        high=high,
        p=float(min(1.0, p_of_choice)),
        documents=sides.documents,
    )


def _speakers(unit: np.ndarray) -> np.ndarray:
    """int64[n]: who speaks in each document; one of its own where that is not known."""
    return np.where(unit < 0, -1 - np.arange(len(unit)), unit)


def _change(topic: np.ndarray, unit: np.ndarray, sides: _Sides, level: float) -> _Change:
    """By units of one kind. topic, unit: int[n], of each document."""
    T = int(topic.max()) + 1
    typical = np.ones(T)
    early_sums = _sums(topic[sides.early], unit[sides.early], T)
    late_sums = _sums(topic[sides.late], unit[sides.late], T)
    before = sums.shares(early_sums, typical, level)
    after = sums.shares(late_sums, typical, level)
    _, low, high = sums.difference(after.interval, before.interval)
    p = sums.ratio(after, before).p
    units = int(min(early_sums.units[0], late_sums.units[0]))
    return _Change(before=before, after=after, low=low[0], high=high[0], p=p[0], units=units)


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
    of_topics = np.bincount(topic, minlength=T).astype(np.float64)[None]
    number_of_documents = np.array([float(len(topic))])
    return sums.Sums(
        documents=number_of_documents,
        tokens=number_of_documents,
        squares=number_of_documents,
        units=np.array([float(len(size))]),
        unit_squares=np.array([(size**2).sum()]),
        holding=of_topics,
        of_holding=of_topics,
        topic_tokens=of_topics,
        topic_squares=of_topics,
        topic_products=of_topics,
        unit_topic_squares=np.bincount(topic_of_pair, documents**2.0, T)[None],
        unit_topic_products=np.bincount(topic_of_pair, documents * size[unit_of_pair], T)[None],
    )
