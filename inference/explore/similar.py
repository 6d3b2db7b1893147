"""Documents with the most similar mixtures of topics, looked up in each topic's documents in the order of its share."""

from typing import NamedTuple

import numpy as np
from numba import njit

from inference.evidence import Evidence
from inference.explore.documents import frozen

STEPS = 2.0**20  # to which affinities are rounded: sums in single precision would order equal mixtures by chance
SLACK = 4.0 / STEPS  # by which a bound and an affinity may differ in rounding
LOOKED = 1_000_000  # documents that are looked at, at most: some 0.4 s, whatever the corpus
FIRST = 2_000  # of these before it is decided how many topics' documents need looking at
LISTS = 64  # topics at most, the largest of the mixture


class Nearest(NamedTuple):
    """numbers: int64[m], nearest first, of equals the lower number; distances: float64[m], Hellinger's. exact: whether
    none but these can be as near; else another's affinity, 1 - distance^2, may be as large as `unseen`. looked: documents
    that were looked at."""

    numbers: np.ndarray
    distances: np.ndarray
    exact: bool
    unseen: float
    looked: int


def nearest(
    evidence: Evidence, mixture: np.ndarray, n: int, leave_out: int = -1, *, most: int = LOOKED, first: int = FIRST
) -> Nearest:
    """The n documents nearest to a mixture, float64[K], which sums to 1.

    H(p, q) = sqrt(1 - sum_k sqrt(p_k q_k)): 0 for the same mixture, 1 where no topic is in both. Documents that share
    no topic, and the one with the number `leave_out`, are not among them, so m may be less than n.

    A document of which topic k has the share s is to p no more alike than sqrt(p_k s) + sqrt((1 - p_k) (1 - s)) (Cauchy
    and Schwarz), 1 at s = p_k and less on either side. So the documents of p's largest topics are looked at from s =
    p_k outwards, those first that may be the most alike, until none can be among the n best, or `most` were looked at.
    Enough topics are taken that documents without any of them can't be among the best, sqrt(1 - sum of these p_k).
    Memory does not grow with the documents.
    """
    mixture = np.asarray(mixture, np.float64)
    order = np.argsort(-mixture, kind="stable")
    order = order[: min(np.count_nonzero(mixture), LISTS)]
    root = np.sqrt(mixture).astype(np.float32)
    arrays = (
        evidence.topic_ptr, evidence.by_share, evidence.doc_ptr, evidence.doc_topics, evidence.doc_tokens,
        frozen(evidence.lengths, np.int64),
    )  # fmt: skip
    if not len(order):
        return Nearest(np.zeros(0, np.int64), np.zeros(0), True, 0.0, 0)
    without = np.sqrt(np.maximum(0.0, 1.0 - np.cumsum(mixture[order])))  # the most of who has none of the first i + 1
    without[-1] = 0.0 if len(order) == np.count_nonzero(mixture) else without[-1]  # who has none has nothing in common
    ks = order[:1]
    for budget in (first, most):
        numbers, affinity, ahead, looked = _search(ks, mixture[ks], root, n, leave_out, budget, *arrays)
        least = affinity[-1] if len(affinity) == n else 0.0
        unseen = max(ahead, without[len(ks) - 1])
        if unseen < least - SLACK:
            break
        ks = order[: int(np.count_nonzero(without >= max(least - SLACK, SLACK))) + 1]
    distances = np.sqrt(np.maximum(0.0, 1.0 - affinity))
    return Nearest(numbers, distances, bool(unseen <= least + SLACK), float(min(unseen, 1.0)), looked)


@njit(cache=True, nogil=True)
def _most_alike(p, s):
    """The most that a mixture can be like one in which topic k has p, where it has s."""
    return np.sqrt(p * s) + np.sqrt(max(0.0, (1.0 - p) * (1.0 - s)))


@njit(cache=True, nogil=True)
def _share(d, k, doc_ptr, doc_topics, doc_tokens, lengths):
    for j in range(doc_ptr[d], doc_ptr[d + 1]):
        if doc_topics[j] == k:
            return doc_tokens[j] / lengths[d]
    return 0.0


@njit(cache=True, nogil=True)
def _search(ks, p, root, n, leave_out, most, topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens, lengths):
    """(numbers int64[m], affinities float64[m], the most that a document of these topics which was not looked at can
    have, how many were). ks: int64, topics; p: their shares in the mixture; root: float32[K], sqrt of it."""
    L = len(ks)
    at, ahead = np.empty(2 * L, np.int64), np.empty(2 * L)  # each topic's next place up and down, and its bound
    rank = np.full(len(root), L, np.int64)
    for i in range(L):
        rank[ks[i]] = i
        low, high = topic_ptr[ks[i]], topic_ptr[ks[i] + 1]
        while low < high:
            middle = (low + high) >> 1
            if _share(by_share[middle], ks[i], doc_ptr, doc_topics, doc_tokens, lengths) >= p[i]:
                low = middle + 1
            else:
                high = middle
        at[2 * i], at[2 * i + 1] = low - 1, low
        for side in range(2):
            ahead[2 * i + side] = _bound(
                at[2 * i + side], ks[i], p[i], topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens, lengths
            )
    numbers, best = np.full(n, -1, np.int64), np.zeros(n)
    filled = looked = 0
    while looked < most:
        j = int(np.argmax(ahead))
        if ahead[j] < 0.0 or (filled == n and ahead[j] < best[n - 1] - SLACK):
            break
        i, d = j >> 1, by_share[at[j]]
        looked += 1
        total, own = np.float32(0.0), True
        for e in range(doc_ptr[d], doc_ptr[d + 1]):
            k = doc_topics[e]
            if root[k] > 0.0:
                total += root[k] * np.sqrt(np.float32(doc_tokens[e]))
                r = rank[k]
                if r < L and r != i:  # a document is taken where its bound is the least, so once
                    other = _most_alike(p[r], doc_tokens[e] / lengths[d])
                    own = own and (other > ahead[j] or (other == ahead[j] and r > i))
        if own and d != leave_out:
            filled = _put(numbers, best, filled, d, total, lengths[d])
        at[j] += -1 if j % 2 == 0 else 1
        ahead[j] = _bound(at[j], ks[i], p[i], topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens, lengths)
    return numbers[:filled], best[:filled], max(0.0, ahead.max()) if L else 0.0, looked


@njit(cache=True, nogil=True)
def _bound(at, k, p, topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens, lengths):
    """Of the document at a place of a topic's list; -1 at its ends."""
    if at < topic_ptr[k] or at >= topic_ptr[k + 1]:
        return -1.0
    return _most_alike(p, _share(by_share[at], k, doc_ptr, doc_topics, doc_tokens, lengths))


@njit(cache=True, nogil=True)
def _put(numbers, best, filled, d, total, length):
    """A document among the best ones, if it is one; returns how many there are."""
    n = len(best)
    affinity = np.rint(total / np.sqrt(np.float64(length)) * STEPS) / STEPS
    if filled == n and (affinity < best[n - 1] or (affinity == best[n - 1] and d > numbers[n - 1])):
        return filled
    i = min(filled, n - 1)
    while i > 0 and (best[i - 1] < affinity or (best[i - 1] == affinity and numbers[i - 1] > d)):
        best[i], numbers[i] = best[i - 1], numbers[i - 1]
        i -= 1
    best[i], numbers[i] = affinity, d
    return min(filled + 1, n)
