"""Topics joined in pairs until few enough are left."""

import math
from typing import NamedTuple

import numpy as np

from inference.runtime.jit import njit


class TopicGroups(NamedTuple):
    """Groups of topics, each with the number of its first topic.

    indptr: int64[V + 1], each word's row, of which the first length[w] entries are used. topics:
    int32[E], groups; values: float64[E], their tokens x of the word; terms: float64[E], x log x.
    column_ptr: int64[n + 1] and
    column_words: int32[E], each topic's words as they were before any was joined. joined:
    int64[n], each topic's group. totals: float64[n].
    """

    indptr: np.ndarray
    length: np.ndarray
    topics: np.ndarray
    values: np.ndarray
    terms: np.ndarray
    column_ptr: np.ndarray
    column_words: np.ndarray
    joined: np.ndarray
    totals: np.ndarray


class Losses(NamedTuple):
    """What joins of two groups lose. of_pairs: float64[n, n], inf where one of them is no more.
    nearest: int64[n], the first other group with the least; least: float64[n], that loss."""

    of_pairs: np.ndarray
    nearest: np.ndarray
    least: np.ndarray


@njit(cache=True)
def join_nearest(indptr, topics, values, totals, K):
    """Greedy joins of the two topics that lose the least likelihood as one, until K are left
    (agglomerative clustering under the divergence of multinomials): int64[n], the number from 0 to
    K - 1 of each topic's group.

    A join loses sum_w [x log x + y log y - (x + y) log(x + y)], x and y what the two have of a
    word, less the same of their totals. A word that one of the two lacks adds nothing, so rows of
    words are all that is looked at.

    indptr: int64[V + 1], each word's row. topics: int32[E]; values: float64[E], tokens, above 0.
    totals: float64[n], sums by topic. All but indptr are overwritten.
    """
    n = len(totals)
    column_ptr, column_words = _words_of_topics(indptr, topics, n)
    lengths = np.diff(indptr)
    terms = values * np.log(values)
    groups = TopicGroups(
        indptr, lengths, topics, values, terms, column_ptr, column_words, np.arange(n), totals
    )
    losses = Losses(np.full((n, n), np.inf), np.zeros(n, np.int64), np.full(n, np.inf))
    seen = np.full(len(lengths), -1, np.int64)
    for group in range(n):
        _set_losses(group, groups, losses.of_pairs, seen, group)
    for group in range(n):
        _look_for_nearest(group, losses)
    for join in range(n - K):
        target = np.argmin(losses.least)
        source = losses.nearest[target]
        _join(target, source, groups)
        losses.of_pairs[source, :] = np.inf
        losses.of_pairs[:, source] = np.inf
        losses.least[source] = np.inf
        _set_losses(target, groups, losses.of_pairs, seen, n + join)
        _renew_nearest(target, source, groups.joined, losses)
    return _numbers(groups.joined)


@njit(cache=True)
def _words_of_topics(indptr, topics, n):
    """The rows by topic: (int64[n + 1], int32[E], words)."""
    column_ptr = np.zeros(n + 1, np.int64)
    for topic in topics:
        column_ptr[topic + 1] += 1
    column_ptr = np.cumsum(column_ptr)
    next_place = column_ptr[:-1].copy()
    words = np.empty(len(topics), np.int32)
    for w in range(len(indptr) - 1):
        for e in range(indptr[w], indptr[w + 1]):
            words[next_place[topics[e]]] = w
            next_place[topics[e]] += 1
    return column_ptr, words


@njit(cache=True)
def _set_losses(group, groups, of_pairs, seen, stamp):
    """Row and column `group` of what pairs lose. seen: int64[V], at which stamp each word was last
    looked at, as two topics of the group may both have it."""
    of_words = np.zeros(len(of_pairs))
    for topic in range(len(groups.joined)):
        if groups.joined[topic] != group:
            continue
        for i in range(groups.column_ptr[topic], groups.column_ptr[topic + 1]):
            w = groups.column_words[i]
            if seen[w] != stamp:
                seen[w] = stamp
                _add_word(group, w, groups, of_words)
    total = groups.totals[group]
    for rival in range(len(of_pairs)):
        if groups.joined[rival] == rival and rival != group:
            of_totals = _times_log(total) + _times_log(groups.totals[rival])
            of_totals -= _times_log(total + groups.totals[rival])
            of_pairs[group, rival] = of_words[rival] - of_totals
            of_pairs[rival, group] = of_words[rival] - of_totals


@njit(cache=True)
def _add_word(group, w, groups, of_words):
    """What joining a group loses by a word, to float64[n], with each group that has it."""
    first = groups.indptr[w]
    end = first + groups.length[w]
    own_entry = _entry(group, groups.topics, first, end)
    tokens = groups.values[own_entry]
    term = groups.terms[own_entry]
    for e in range(first, end):
        joint = _times_log(tokens + groups.values[e])
        of_words[groups.topics[e]] += term + groups.terms[e] - joint


@njit(cache=True)
def _entry(group, topics, first, end):
    """Where the row from topics[first] to topics[end - 1], int32, has a group; -1 where it has
    not."""
    for e in range(first, end):
        if topics[e] == group:
            return e
    return -1


@njit(cache=True)
def _times_log(x):
    """float64: x log x, 0 for 0. x: float64."""
    return x * math.log(x) if x > 0.0 else 0.0


@njit(cache=True)
def _join(target, source, groups):
    """Give all that one group has to another, in every row and in the totals. target, source: int,
    numbers of groups; source is no group afterwards. groups: TopicGroups, is changed."""
    for topic in range(len(groups.joined)):
        if groups.joined[topic] == source:
            groups.joined[topic] = target
            for i in range(groups.column_ptr[topic], groups.column_ptr[topic + 1]):
                _join_word(target, source, groups.column_words[i], groups)
    groups.totals[target] += groups.totals[source]


@njit(cache=True)
def _join_word(target, source, w, groups):
    """Give what one group has of a word to another: in the word's row the entry of source is added
    to that of target, and the row loses an entry, or becomes target's where that had none.

    target, source: int, numbers of groups. w: int, the word. groups: TopicGroups, is changed."""
    first = groups.indptr[w]
    end = first + groups.length[w]
    source_entry = _entry(source, groups.topics, first, end)
    if source_entry < 0:
        return
    target_entry = _entry(target, groups.topics, first, end)
    if target_entry < 0:
        groups.topics[source_entry] = target
        return
    groups.values[target_entry] += groups.values[source_entry]
    groups.terms[target_entry] = _times_log(groups.values[target_entry])
    groups.topics[source_entry] = groups.topics[end - 1]
    groups.values[source_entry] = groups.values[end - 1]
    groups.terms[source_entry] = groups.terms[end - 1]
    groups.length[w] -= 1


@njit(cache=True)
def _look_for_nearest(group, losses):
    """Set which group a group loses least by when they are joined, and how much. group: int.
    losses: Losses."""
    nearest = np.argmin(losses.of_pairs[group])
    losses.nearest[group] = nearest
    losses.least[group] = losses.of_pairs[group, nearest]


@njit(cache=True)
def _renew_nearest(target, source, joined, losses):
    """Set again what each group loses least by, after `source` was joined into `target`: by looking
    for it where that was one of the two, else by a look at target alone.

    target, source: int, numbers of groups. joined: int64[n], of TopicGroups. losses: Losses, whose
    of_pairs are those after the join; nearest and least are changed."""
    for group in range(len(joined)):
        if joined[group] != group:
            continue
        nearest = losses.nearest[group]
        if group == target or nearest == target or nearest == source:
            _look_for_nearest(group, losses)
        elif losses.of_pairs[group, target] < losses.least[group]:
            losses.nearest[group] = target
            losses.least[group] = losses.of_pairs[group, target]


@njit(cache=True)
def _numbers(joined):
    """int64[n]: of each topic its group's number, in the order of the groups' first topics."""
    is_first = joined == np.arange(len(joined))
    return (np.cumsum(is_first) - 1)[joined]
