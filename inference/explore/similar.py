"""Documents with the most similar mixtures of topics, looked up in each topic's documents in the
order of its share."""

from typing import NamedTuple

import numpy as np

from inference.evidence.topic_documents import TopicDocuments
from inference.kernels.assign import TOGETHER
from inference.runtime.jit import njit

# To which affinities are rounded: sums in single precision would order equal mixtures by chance
STEPS = 2.0**20
ROUNDING_SLACK = 4.0 / STEPS  # by which a bound and an affinity may differ in rounding
LOOKED = 1_000_000  # documents that are looked at, at most: some 0.1 s, whatever the corpus
FIRST_DOCUMENTS = 2_000  # of these before it is decided which topics' documents need looking at:
PROBES = 3  # of so many topics, the largest of the mixture
MOST_LISTS = 64  # topics whose lists are looked at, the largest of the mixture


class Nearest(NamedTuple):
    """numbers: int64[m], nearest first, of equals the lower number; distances: float64[m],
    Hellinger's. exact: whether none but these can be as near; else another's affinity, 1 -
    distance^2, may be as large as `unseen`. looked: documents that were looked at."""

    numbers: np.ndarray
    distances: np.ndarray
    exact: bool
    unseen: float
    looked: int


def nearest(
    topic_documents: TopicDocuments,
    mixture: np.ndarray,
    n: int,
    leave_out: int = -1,
    *,
    limit: int = LOOKED,
    first: int = FIRST_DOCUMENTS,
) -> Nearest:
    """The n documents nearest to a mixture, float64[K], which sums to 1.

    H(p, q) = sqrt(1 - sum_k sqrt(p_k q_k)): 0 for the same mixture, 1 where no topic is in both.
    Documents that share no topic, and the one with the number `leave_out`, are not among them, so m
    may be less than n.

    A document of which topic k has the share s is to p no more alike than sqrt(p_k s) + sqrt((1 -
    p_k) (1 - s)) (Cauchy and Schwarz), 1 at s = p_k and less on either side. So a topic's documents
    are looked at from s = p_k outwards, those first that may be the most alike, until none can be
    among the n best, or `limit` were looked at. Documents with none of the topics looked through
    are no more alike than sqrt(1 - sum of these p_k): of the sets of topics for which that is less
    than the n best are, one with few documents to look at is taken. Memory does not grow with the
    documents."""
    mixture = np.asarray(mixture, np.float64)
    order = np.argsort(-mixture, kind="stable")
    order = order[: min(np.count_nonzero(mixture), MOST_LISTS)]
    root = np.sqrt(mixture).astype(np.float32)
    arrays = (
        topic_documents.topic_ptr,
        topic_documents.by_share,
        topic_documents.mixtures.doc_ptr,
        topic_documents.mixtures.doc_topics,
        topic_documents.mixtures.doc_tokens,
    )
    if not len(order):
        return Nearest(np.zeros(0, np.int64), np.zeros(0), True, 0.0, 0)
    numbers = np.zeros(0, np.int64)
    affinity = np.zeros(0)
    least = 0.0
    unseen = 1.0
    looked = 0

    def look(ks: np.ndarray, budget: int) -> None:
        nonlocal numbers, affinity, least, unseen, looked
        neighbours, alike, ahead, more_looked = _search(
            ks, mixture[ks], root, n, leave_out, budget, least, *arrays
        )
        numbers, affinity = _best(np.append(numbers, neighbours), np.append(affinity, alike), n)
        least = affinity[-1] if len(affinity) == n else 0.0
        unseen = min(unseen, max(ahead, _without(ks, mixture)))
        looked = looked + more_looked

    probes = order[: min(PROBES, first)]
    for k in probes:
        look(np.array([k]), first // len(probes))
    if unseen >= least - ROUNDING_SLACK and looked < limit:
        look(_lists(order, mixture, least, arrays), limit - looked)
    distances = np.sqrt(np.maximum(0.0, 1.0 - affinity))
    return Nearest(
        numbers, distances, bool(unseen <= least + ROUNDING_SLACK), float(min(unseen, 1.0)), looked
    )


def _best(numbers: np.ndarray, affinity: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The n best of documents that may be named twice, of equals the lower number."""
    numbers, first_places = np.unique(numbers, return_index=True)
    order = np.argsort(-affinity[first_places], kind="stable")[:n]
    return numbers[order], affinity[first_places][order]


def _without(ks: np.ndarray, mixture: np.ndarray) -> float:
    """The most that a document without any of these topics can have; 0 where the mixture has no
    others."""
    if len(ks) == np.count_nonzero(mixture):
        return 0.0
    share_of_others = max(0.0, 1.0 - mixture[ks].sum())
    return float(np.sqrt(share_of_others))


def _lists(
    order: np.ndarray, mixture: np.ndarray, least: float, arrays: tuple[np.ndarray, ...]
) -> np.ndarray:
    """Topics of `order` of which every document as alike as `least` has one, with few documents to
    look at."""
    p = mixture[order]
    needed = 1.0 - max(least - ROUNDING_SLACK, 0.0) ** 2
    within = _count_within(order, p, least - ROUNDING_SLACK, *arrays)
    cheapest = np.argsort((within + 1) / p, kind="stable")
    covering = cheapest[: int(np.searchsorted(np.cumsum(p[cheapest]), needed, side="right")) + 1]
    for i in covering[
        np.argsort(-within[covering], kind="stable")
    ]:  # without those that the others make needless
        without = covering[covering != i]
        covering = without if p[without].sum() > needed else covering
    decisive = np.flatnonzero(p > needed)
    if len(decisive) and within[decisive].min() < within[covering].sum():
        covering = decisive[[within[decisive].argmin()]]
    return order[np.sort(covering)]


@njit(cache=True, nogil=True)
def _share(d, k, doc_ptr, doc_topics, doc_tokens):
    """The share, float, of a document d's tokens that topic k has. doc_ptr: int64[D + 1],
    doc_topics: uint16, doc_tokens: int32."""
    tokens = 0.0
    length = np.int64(0)
    for j in range(doc_ptr[d], doc_ptr[d + 1]):
        length += doc_tokens[j]
        if doc_topics[j] == k:
            tokens = doc_tokens[j]
    return tokens / length if length else 0.0


@njit(cache=True, nogil=True)
def _place(k, share, topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens):
    """The place of the first document of topic k with less than this share of it."""
    low = topic_ptr[k]
    high = topic_ptr[k + 1]
    while low < high:
        middle = (low + high) >> 1
        if _share(by_share[middle], k, doc_ptr, doc_topics, doc_tokens) >= share:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def _count_within(ks, p, least, topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens):
    """int64[L]: of each topic the documents whose share of it lets them be as alike as `least`."""
    counts = np.empty(len(ks), np.int64)
    angle = np.arccos(min(1.0, max(0.0, least)))
    for i in range(len(ks)):
        middle = np.arccos(np.sqrt(min(1.0, p[i])))
        high = np.cos(max(0.0, middle - angle)) ** 2
        low = np.cos(min(np.pi / 2, middle + angle)) ** 2
        first = _place(ks[i], high, topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens)
        counts[i] = _place(ks[i], low, topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens) - first
    return counts


@njit(cache=True, nogil=True)
def _search(
    ks, p, root, n, leave_out, limit, floor, topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens
):
    """(numbers int64[m], affinities float64[m], the most that a document of these topics which was
    not looked at can have, how many were). ks: int64, topics; p: their shares in the mixture; root:
    float32[K], sqrt of it. floor: n documents are known to be as alike as that.

    Documents are looked at some at a time, first where they are and then what they have: these are
    places anywhere in large arrays, which a processor waits for one by one where each look decides
    on the next.
    """
    L = len(ks)
    # Each topic's next place up and down, and its bound
    at = np.empty(2 * L, np.int64)
    ahead = np.empty(2 * L)
    for i in range(L):
        low = _place(ks[i], p[i], topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens)
        at[2 * i] = low - 1
        at[2 * i + 1] = low
        for side in range(2):
            ahead[2 * i + side] = _bound(
                at[2 * i + side], ks[i], p[i], topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens
            )
    numbers = np.full(n, -1, np.int64)
    affinities = np.zeros(n)
    first = np.empty(TOGETHER, np.int64)
    end = np.empty(TOGETHER, np.int64)
    filled = looked = 0
    while looked < limit:
        j = int(np.argmax(ahead))
        if (
            ahead[j] < 0.0
            or ahead[j] < floor - ROUNDING_SLACK
            or (filled == n and ahead[j] < affinities[n - 1] - ROUNDING_SLACK)
        ):
            break
        i = j >> 1
        step = 2 * (j % 2) - 1
        left = topic_ptr[ks[i] + 1] - at[j] if step > 0 else at[j] - topic_ptr[ks[i]] + 1
        m = min(TOGETHER, left, limit - looked)
        for q in range(m):
            d = by_share[at[j] + step * q]
            first[q] = doc_ptr[d]
            end[q] = doc_ptr[d + 1]
        for q in range(m):
            total = np.float32(0.0)
            length = np.int64(0)
            for e in range(first[q], end[q]):
                length += doc_tokens[e]
                total += root[doc_topics[e]] * np.sqrt(np.float32(doc_tokens[e]))
            affinity = np.rint(total / np.sqrt(np.float64(length)) * STEPS) / STEPS
            d = by_share[at[j] + step * q]
            if d != leave_out and (filled < n or affinity >= affinities[n - 1]):
                filled = _put(numbers, affinities, filled, d, affinity)
        looked += m
        at[j] += step * m
        ahead[j] = _bound(at[j], ks[i], p[i], topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens)
    return numbers[:filled], affinities[:filled], max(0.0, ahead.max()), looked


@njit(cache=True, nogil=True)
def _bound(at, k, p, topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens):
    """The most that the document at a place of a topic's list can be like a mixture in which the
    topic has p; -1 at its ends."""
    if at < topic_ptr[k] or at >= topic_ptr[k + 1]:
        return -1.0
    s = _share(by_share[at], k, doc_ptr, doc_topics, doc_tokens)
    return np.sqrt(p * s) + np.sqrt(max(0.0, (1.0 - p) * (1.0 - s)))


@njit(cache=True, nogil=True)
def _put(numbers, affinities, filled, d, affinity):
    """A document among the best ones, if it is one and not there yet; returns how many there
    are."""
    n = len(affinities)
    for i in range(filled):
        if numbers[i] == d:
            return filled
    if filled == n and (
        affinity < affinities[n - 1] or (affinity == affinities[n - 1] and d > numbers[n - 1])
    ):
        return filled
    i = min(filled, n - 1)
    while i > 0 and (
        affinities[i - 1] < affinity or (affinities[i - 1] == affinity and numbers[i - 1] > d)
    ):
        affinities[i] = affinities[i - 1]
        numbers[i] = numbers[i - 1]
        i -= 1
    affinities[i] = affinity
    numbers[i] = d
    return min(filled + 1, n)
