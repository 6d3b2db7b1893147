"""Documents for a start are those that a look at every document for each candidate chooses."""

import numpy as np
import pytest

from inference.kernels import rng, seeds


def naive(documents, V, K, state):
    """Greedy k-means++ by the divergence of each document from each candidate. documents: {word:
    count} each."""
    sizes = [sum(words.values()) for words in documents]
    epsilon = 0.1 * sum(sizes) / max(sum(size > 0 for size in sizes), 1) / V
    nearest = [float(size > 0) for size in sizes]
    chosen = []
    while len(chosen) < min(K, sum(size > 0 for size in sizes)) and sum(nearest) > 0:
        tried = []
        for _ in range(2 + int(np.log(K)) if chosen else 1):
            state = np.uint64(rng.after(state))
            x = rng.unit(state) * sum(nearest)
            seed = None
            for d, weight in enumerate(nearest):
                if weight > 0 and (seed is None or x >= 0):
                    seed = d
                    x = x - weight
            phi = {
                w: (documents[seed].get(w, 0) + epsilon) / (sizes[seed] + V * epsilon)
                for w in range(V)
            }
            far = [
                sum(c * np.log(c / n / phi[w]) for w, c in words.items())
                for words, n in zip(documents, sizes, strict=True)
            ]
            left = [
                max(0.0, x if not chosen else min(x, y)) for x, y in zip(far, nearest, strict=True)
            ]
            left[seed] = 0.0
            tried.append((sum(left), len(tried), seed, left))
        _, _, seed, nearest = min(tried)
        chosen.append(seed)
    return chosen


@pytest.mark.parametrize("K", [1, 2, 7, 40])
def test_unlike_documents_are_those_of_a_naive_search(K):
    random = np.random.default_rng(K)
    documents = [
        {int(w): int(random.integers(1, 5)) for w in np.sort(random.choice(20, n, False))}
        for n in random.integers(0, 8, 30)
    ]
    indptr = np.cumsum([0, *map(len, documents)])
    words = np.array([w for one in documents for w in one], np.int32)
    counts = np.array([c for one in documents for c in one.values()], np.float64)
    stream = np.uint64(rng.key(np.uint64(K), np.uint64(rng.INIT), np.uint64(0), np.uint64(0)))
    found = seeds.diverse(indptr, words, counts, 20, K, stream, 1)
    assert found.tolist() == naive(documents, 20, K, stream)
    for threads in (2, 5):
        assert np.array_equal(found, seeds.diverse(indptr, words, counts, 20, K, stream, threads))
    assert len(set(found.tolist())) == len(found) <= min(K, sum(map(bool, documents)))


def test_equal_documents_are_chosen_where_no_other_is_left():
    """The divergence of a document from a seed with the same words is small, and not 0."""
    indptr = np.arange(5) * 2
    words = np.array([0, 1, 0, 1, 0, 1, 2, 3], np.int32)
    stream = np.uint64(7)
    found = seeds.diverse(indptr, words, np.array([1.0, 2, 1, 2, 1, 2, 3, 1]), 4, 4, stream, 1)
    assert sorted(found.tolist()) == [0, 1, 2, 3]
    assert 3 in found[:2]


def test_weighted_counts_leave_each_document_its_tokens():
    tokens = np.array([2, 1, 4, 3, 3])
    doc_ptr = np.array([0, 2, 2, 5])
    places = np.array([0, 2, 0, 1, 2], np.int32)
    weights = np.array([0.5, 2.0, 1.0])
    counts = seeds.weighted_counts(doc_ptr, places, np.append(0, np.cumsum(tokens)), weights)
    weighted = tokens * weights[places]
    assert np.array_equal(counts[:2], weighted[:2] * (3 / weighted[:2].sum()))
    assert np.array_equal(counts[2:], weighted[2:] * (10 / weighted[2:].sum()))
