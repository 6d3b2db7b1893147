"""Changes to the topics of tokens, from which a training then continues: topics merged or split,
words put together.

They change the start alone: the training that follows may separate again what was merged, where the
texts suggest it. Andrzejewski, Zhu and Craven 2009 ("must-links") hold words together by a prior
instead; no engine here has such a prior.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inference.bow import Bow
from inference.errors import Invalid

ROUNDS = 30  # of EM for a split: its halves have settled long before
# pseudo-counts of a document's two halves, and of a word in each
SPREAD = 0.5
PSEUDO_COUNT = 0.01
FIRM = 0.9  # how surely a document's tokens begin in its half


@dataclass(frozen=True)
class Changes:
    """merge: groups of topics, each of which becomes one. split: topics that become two. together:
    groups of words (columns of the bag), whose tokens all begin in one topic."""

    merge: Sequence[Sequence[int]] = ()
    split: Sequence[int] = ()
    together: Sequence[Sequence[int]] = ()

    def number_of_topics(self, K: int) -> int:
        """How many topics there are afterwards."""
        return K + len(self.split) - sum(len(group) - 1 for group in self.merge)


def steer(topics: np.ndarray, K: int, bow: Bow, changes: Changes) -> np.ndarray:
    """uint16[nnz]: topics of the bag's pairs after all changes, 0 … changes.number_of_topics(K) -
    1.

    topics: uint16[nnz], 0 … K - 1. Words are put together first, then topics split, each second
    half with a new number behind K - 1, then merged. Raises Invalid where a topic can't be split.
    """
    for words in changes.together:
        topics = put_together(topics, bow, words)
    for i, k in enumerate(changes.split):
        topics = split(topics, bow, k, K + i)
    return merge(topics, K + len(changes.split), changes.merge)


def merge(topics: np.ndarray, K: int, groups: Sequence[Sequence[int]]) -> np.ndarray:
    """uint16[nnz]: the topics of each group under the lowest of their numbers; those behind close
    the gaps.

    topics: uint16[nnz], 0 … K - 1. groups: of two topics or more, none in two of them.
    """
    targets = np.arange(K)
    for group in groups:
        targets[list(group)] = min(group)
    return np.searchsorted(np.unique(targets), targets).astype(np.uint16)[topics]


def put_together(topics: np.ndarray, bow: Bow, words: Sequence[int]) -> np.ndarray:
    """uint16[nnz]: all tokens of some words in the topic that has most of them; of equals the
    lowest.

    topics: uint16[nnz]. words: columns of the bag.
    """
    pairs = np.isin(bow.words, np.asarray(words, np.int64))
    if not pairs.any():
        return topics
    return np.where(
        pairs, np.uint16(np.argmax(np.bincount(topics[pairs], weights=bow.counts[pairs]))), topics
    )


def split(topics: np.ndarray, bow: Bow, k: int, new: int) -> np.ndarray:
    """uint16[nnz]: the tokens of topic k in two halves, k and `new`, that use different words in
    different documents.

    topics: uint16[nnz]. A model of two topics is fitted to these tokens alone, by EM: theta of each
    document with SPREAD, phi of each half with PSEUDO_COUNT as pseudo-counts (Asuncion et al. 2009,
    MAP). It begins with the documents on the two sides of the first principal axis of their words.
    The larger half keeps the number. Raises Invalid where all tokens are alike.
    """
    pairs = np.flatnonzero(topics == k)
    documents = np.unique(np.searchsorted(bow.indptr, pairs, side="right"), return_inverse=True)[1]
    words = np.unique(bow.words[pairs], return_inverse=True)[1]
    n = bow.counts[pairs].astype(np.float64)
    if not len(pairs) or documents.max() < 1 or words.max() < 1:
        raise Invalid(
            "split", f"Topic {k} can't be split: it needs two documents and two words or more."
        )
    second = np.where(_axis(documents, words, n)[documents] >= 0, FIRM, 1 - FIRM)
    for _ in range(ROUNDS):
        theta = _ratio(documents, n, second, SPREAD)
        phi = _ratio(words, n, second, PSEUDO_COUNT) * (n * (1 - second)).sum() / (n * second).sum()
        odds = theta[documents] * phi[words]
        second = odds / (1 + odds)
    moved = second > 0.5
    if n[moved].sum() > n[~moved].sum():
        moved = ~moved
    if not moved.any():
        raise Invalid(
            "split", f"Topic {k} can't be split: its words occur alike in all of its documents."
        )
    after = topics.copy()
    after[pairs[moved]] = new
    return after


def _ratio(item: np.ndarray, n: np.ndarray, second: np.ndarray, pseudo: float) -> np.ndarray:
    """float64: of each document or word, its tokens in the second half over those in the first,
    with pseudo-counts."""
    return (np.bincount(item, n * second) + pseudo) / (np.bincount(item, n * (1 - second)) + pseudo)


def _axis(documents: np.ndarray, words: np.ndarray, n: np.ndarray) -> np.ndarray:
    """float64[documents]: places on the first principal axis of the documents' shares of words, by
    power iteration."""
    shares = n / np.bincount(documents, n)[documents]
    D = int(documents.max()) + 1
    V = int(words.max()) + 1
    mean = np.bincount(words, shares, V) / D
    axis = np.random.default_rng(0).standard_normal(V)
    for _ in range(ROUNDS):
        projection = np.bincount(documents, shares * axis[words], D) - mean @ axis
        axis = np.bincount(words, shares * projection[documents], V) - mean * projection.sum()
        length = np.linalg.norm(axis)
        if length == 0:
            break
        axis /= length
    return np.bincount(documents, shares * axis[words], D) - mean @ axis
