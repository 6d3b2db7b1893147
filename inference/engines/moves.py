"""Merges and splits of clusters, each kept only where the bound rises. They are ours, not from
paper 003.

At the best lam and N for the present shares the bound is a function of the statistics and of the
shares' entropy alone: a sum over clusters (`worth`). A move therefore costs the rows of the
clusters in it, and its gain is exact.
"""

from typing import NamedTuple

import numba
import numpy as np
from scipy.special import digamma, gammaln

from inference.bow import Bow
from inference.engines import sparse
from inference.engines.arena import Rows
from inference.kernels import seeds
from inference.runtime.arrays import ABOVE_ZERO

SPLIT_PAIRS = 300_000  # (document, word) pairs that a split is tried with: a step stays short
MOST_DOCUMENTS = 20_000  # of those as well
SWEEPS = 6  # of a cluster's documents between its two halves
MERGED = 64  # clusters that a partner is looked for, those of fewest documents
LEAST_GAIN = 1e-9  # of the absolute value of what changes: less may be rounding


class ClusterRow(NamedTuple):
    """What a cluster has. words: int64[n], ascending. tokens: float64[n]. documents: a number of
    them."""

    words: np.ndarray
    tokens: np.ndarray
    documents: float


def row_of(words: np.ndarray, tokens: np.ndarray, documents: float) -> ClusterRow:
    """words may come several times, in any order: their tokens are added in the order they have."""
    distinct, inverse = np.unique(words, return_inverse=True)
    return ClusterRow(
        distinct, np.bincount(inverse, weights=tokens, minlength=len(distinct)), documents
    )


def rows_of(state: Rows, documents: np.ndarray, unit: float) -> list[ClusterRow]:
    """The row of every cluster. documents: float64[K]. unit: of the state's values and of
    documents."""
    topic, values = state.entries()
    words = np.repeat(np.arange(state.V), state.length)
    order = np.argsort(topic, kind="stable")
    ends = np.cumsum(np.bincount(topic, minlength=len(documents)))
    tokens = unit * values
    parts = [order[first:end] for first, end in zip([0, *ends[:-1]], ends, strict=True)]
    return [
        ClusterRow(words[part], tokens[part], unit * documents[k]) for k, part in enumerate(parts)
    ]


def worth(row: ClusterRow, V: int, alpha: float, eta: float) -> float:
    """A cluster's part of the bound in nats, but for the entropy of shares; 0 where it is empty.
    alpha: of this cluster."""
    of_documents = gammaln(row.documents + alpha) - gammaln(alpha)
    of_tokens = of_documents + gammaln(V * eta) - gammaln(V * eta + row.tokens.sum())
    return float(of_tokens + (gammaln(eta + row.tokens) - gammaln(eta)).sum())


def merged(a: ClusterRow, b: ClusterRow) -> ClusterRow:
    """The row of two clusters as one."""
    return row_of(
        np.concatenate([a.words, b.words]),
        np.concatenate([a.tokens, b.tokens]),
        a.documents + b.documents,
    )


def entropy_lost(clusters: np.ndarray, shares: np.ndarray, units: float, a: int, b: int) -> float:
    """Nats that documents in both clusters lose when the two become one. clusters, shares: [D, L],
    as remembered."""
    share_of_a = np.where(clusters == a, shares, 0).sum(axis=1)
    of_b = np.where(clusters == b, shares, 0).sum(axis=1)
    has_both = (share_of_a > 0) & (of_b > 0)
    x = share_of_a[has_both] / units
    y = of_b[has_both] / units
    together = (x + y) * np.log(x + y)
    return float((together - x * np.log(x) - y * np.log(y)).sum())


def best_merge(
    rows: list[ClusterRow],
    clusters: np.ndarray,
    shares: np.ndarray,
    units: float,
    V: int,
    alpha: float,
    eta: float,
) -> list[tuple[float, int, int]]:
    """(gain, a, b) of each small cluster b and the cluster a that is most like it by the cosine of
    their words: the greatest gain first."""
    used = [k for k, row in enumerate(rows) if row.documents > 0]
    topic = np.repeat(np.arange(len(rows)), [len(row.words) for row in rows])
    words = np.concatenate([row.words for row in rows])
    tokens = np.concatenate([row.tokens for row in rows])
    norms = np.sqrt(np.bincount(topic, weights=tokens**2, minlength=len(rows)))
    merges = []
    pairs = set()
    for b in sorted(used, key=lambda k: (rows[k].documents, k))[:MERGED]:
        own_row = np.zeros(V)
        own_row[rows[b].words] = rows[b].tokens
        like = np.bincount(
            topic, weights=tokens * own_row[words], minlength=len(rows)
        ) / np.maximum(norms, ABOVE_ZERO)
        like[b] = -1.0
        a = int(like.argmax())
        if a not in used or (min(a, b), max(a, b)) in pairs:
            continue
        pairs.add((min(a, b), max(a, b)))
        merged_row = merged(rows[a], rows[b])
        gain = (
            worth(merged_row, V, alpha, eta)
            - worth(rows[a], V, alpha, eta)
            - worth(rows[b], V, alpha, eta)
        )
        merges.append((gain - entropy_lost(clusters, shares, units, a, b), a, b))
    return sorted(merges, key=lambda merge: (-merge[0], merge[1:]))


def split(
    bow: Bow,
    documents: np.ndarray,
    row: ClusterRow,
    V: int,
    alpha: float,
    eta: float,
    stream: np.uint64,
) -> tuple[float, np.ndarray]:
    """(gain, the documents that leave a cluster for an empty one): two documents that are unlike
    each other, and then each document to the nearer half, in a few rounds. Words of the cluster's
    further documents, beyond those that are looked at, enter the gain alone: a half is scored by
    the words of its own.

    documents: int64[n], with words, that are in the cluster with all of their share. stream: a
    random stream.
    """
    pairs = np.cumsum(bow.words_of(documents))
    documents = documents[
        : min(MOST_DOCUMENTS, max(2, int(np.searchsorted(pairs, SPLIT_PAIRS, side="right"))))
    ]
    batch = sparse.expand(bow, documents)
    n = len(documents)
    of_words = batch.doc_ptr, batch.places, batch.counts, len(batch.words)
    two_documents = seeds.diverse(*of_words, 2, stream, numba.get_num_threads())
    if len(two_documents) < 2:
        return -np.inf, documents[:0]
    document = np.repeat(np.arange(n), np.diff(batch.doc_ptr))
    half = np.zeros(n, np.int64)
    half[two_documents] = 1, 2
    for _ in range(SWEEPS):
        score = np.zeros((2, n))
        for side in (0, 1):
            in_half = half == side + 1
            tokens = np.bincount(
                batch.places,
                weights=batch.counts * in_half[document],
                minlength=len(batch.words),
            )
            log_beta = digamma(eta + tokens) - digamma(V * eta + tokens.sum())
            score[side] = np.bincount(
                document, weights=batch.counts * log_beta[batch.places], minlength=n
            )
            score[side] += digamma(in_half.sum() + alpha)
        now = np.where(score[1] > score[0], 2, 1)
        if np.array_equal(now, half):
            break
        half = now
    leave = half == 2
    if 2 * leave.sum() > n:
        leave = ~leave
    if not leave.any():
        return -np.inf, documents[:0]
    leaving_tokens = batch.counts * leave[document]
    leaving_row = row_of(
        batch.words[batch.places[leaving_tokens > 0]],
        leaving_tokens[leaving_tokens > 0],
        float(leave.sum()),
    )
    left = merged(row, ClusterRow(leaving_row.words, -leaving_row.tokens, -leaving_row.documents))
    return worth(left, V, alpha, eta) + worth(leaving_row, V, alpha, eta) - worth(
        row, V, alpha, eta
    ), documents[leave]
