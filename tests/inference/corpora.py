"""Small corpora for tests, and whether two results are the same."""

import numpy as np

from inference.bow import Bow, Postings
from inference.engines.contract import NO_DOCUMENTS, TrainingCorpus
from inference.kernels.transpose import transpose


def bow_of(documents: list[list[int]], V: int) -> Bow:
    """From lists of word numbers."""
    indptr = [0]
    words = []
    counts = []
    for document in documents:
        w, c = np.unique(np.array(document, np.int64), return_counts=True)
        words += w.tolist()
        counts += c.tolist()
        indptr.append(len(words))
    return Bow(np.array(indptr), np.array(words, np.int32), np.array(counts, np.int32), V)


def corpus_of_size(documents: int, V: int, tokens: int, steps_per_pass: int = 1) -> TrainingCorpus:
    """Without a bag of words: nothing is held out, and single words are not known."""
    return TrainingCorpus(
        trained_documents=documents,
        trained_tokens=tokens,
        held_out_documents=NO_DOCUMENTS,
        held_out_tokens=0,
        V=V,
        pairs=tokens,
        word_tokens=None,
        steps_per_pass=steps_per_pass,
        steps_per_later_pass=steps_per_pass,
        seeded=False,
    )


def planted(K: int, V: int, D: int, length: int, seed: int, alpha=0.2) -> tuple[Bow, np.ndarray]:
    """Documents from known topics, and beta: each topic has V // K words of its own, and a little
    of the others."""
    rng = np.random.default_rng(seed)
    beta = np.full((K, V), 0.1 / V)
    for k in range(K):
        own = np.arange(k * (V // K), (k + 1) * (V // K))
        beta[k, own] += 0.9 * rng.dirichlet(np.ones(len(own)))
    beta /= beta.sum(axis=1, keepdims=True)
    theta = rng.dirichlet(np.broadcast_to(alpha, K), D)
    documents = [rng.choice(V, size=length, p=theta[d] @ beta).tolist() for d in range(D)]
    return bow_of(documents, V), beta


def postings(bow: Bow) -> Postings:
    """In memory."""
    documents = np.empty(len(bow.words), np.int32)
    counts = np.empty(len(bow.words), np.int32)
    return Postings(
        transpose(bow.indptr, bow.words, bow.counts, bow.V, documents, counts), documents, counts
    )


def equal(a, b) -> bool:
    """Whether two tuples have equal arrays."""
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
