"""Whether a word or phrase is used more where its topic is found more: over spans of time, and over
the values of fields. A name that does not follow its topic is read as what the texts contradict:
several topics may divide one subject by its times or speakers, and its word is used in all of
them."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from inference.evidence import Evidence

LEAST_MOVE = np.log(2)  # of a topic's rate in a group, against elsewhere, that a name must follow
UNSEEN = 0.5  # uses that are added to each side, so that a side without any has a logarithm
FOLLOWED_SHARE = 0.5  # of the topic's moves, from which on a unit follows it
LEAST_FACTOR = 0.2  # of its score that a unit keeps that does not follow at all


class Groups(NamedTuple):
    """Documents in groups, by a span of time or a value of a field. group: int32[D], -1 for none.
    tokens: float64[G], of each group."""

    group: np.ndarray
    tokens: np.ndarray

    def sums(self, documents: np.ndarray, amounts: np.ndarray) -> np.ndarray:
        """float64[G]: the amounts of some documents, float64[n], by group. documents: int[n]."""
        group = self.group[documents]
        known = group >= 0
        return np.bincount(group[known], weights=amounts[known], minlength=len(self.tokens))


def groups_of(evidence: Evidence, columns: Iterable[np.ndarray]) -> list[Groups]:
    """columns: int32[D] each, the group of each document, -1 for none. Those with one group are
    left out."""
    groups: list[Groups] = []
    for column in columns:
        known = column >= 0
        tokens = np.bincount(column[known], weights=evidence.lengths[known])
        if np.count_nonzero(tokens) > 1:
            groups.append(Groups(column, tokens))
    return groups


def moves(uses: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """float64[G]: the log of how many times as often something is used in each group as in all
    others. uses, tokens: float64[G]; 0 for a group without tokens, or with all of them."""
    rest = tokens.sum() - tokens
    compared = (tokens > 0) & (rest > 0)
    here = (uses + UNSEEN) / np.where(compared, tokens, 1.0)
    elsewhere = (uses.sum() - uses + UNSEEN) / np.where(compared, rest, 1.0)
    return np.where(compared, np.log(here / elsewhere), 0.0)


def equal_spans(days: np.ndarray, number: int) -> np.ndarray:
    """int32[D]: which of so many spans of time each document is of, with about as many documents
    each, fewer where many have one day; -1 for one without a date. days: int32[D], 0 for no
    date."""
    spans = np.full(len(days), -1, np.int32)
    dated = days > 0
    if dated.any():
        inner_ends = np.unique(np.quantile(days[dated], np.linspace(0, 1, number + 1)[1:-1]))
        spans[dated] = np.searchsorted(inner_ends, days[dated])
    return spans


class Course:
    """How a topic moves over groups."""

    def __init__(self, groups: list[Groups], documents: np.ndarray, tokens: np.ndarray):
        """documents: int32[n], the topic's, and its tokens in each, float64[n]."""
        self.groups = groups
        self._moves: list[np.ndarray] = []
        self._weights: list[np.ndarray] = []
        for of_field in groups:
            held = of_field.sums(documents, tokens)
            expected = held.sum() * of_field.tokens / of_field.tokens.sum()
            moved = moves(held, of_field.tokens)
            self._moves.append(moved)
            weight = np.maximum(held, expected)
            self._weights.append(np.where(np.abs(moved) >= LEAST_MOVE, weight, 0.0))

    def followed(self, documents: np.ndarray, uses: np.ndarray) -> float:
        """The part of the topic's moves that the uses of a unit make: 1 where they move as it does,
        0 where they don't move, or where they move the other way; 1 of a topic that is everywhere
        alike. documents: int32[n], those with the unit; uses: float64[n]."""
        together = 0.0
        of_topic = 0.0
        rows = zip(self.groups, self._moves, self._weights, strict=True)
        for of_field, moved, weight in rows:
            unit_moved = moves(of_field.sums(documents, uses), of_field.tokens)
            together += float((weight * moved * unit_moved).sum())
            of_topic += float((weight * moved**2).sum())
        if of_topic == 0.0:
            return 1.0
        return float(np.clip(together / of_topic, 0.0, 1.0))

    def factor(self, documents: np.ndarray, uses: np.ndarray) -> float:
        """What the score of a unit is multiplied by, LEAST_FACTOR to 1. documents, uses: as in
        `followed`."""
        return float(np.clip(self.followed(documents, uses) / FOLLOWED_SHARE, LEAST_FACTOR, 1.0))
