"""What documents would be coded as: ridge regression of the codes on words and topic shares,
cross-fitted.

Features of a document: (1 + log count) times idf (by tokens) of each word, together of length one;
TOPIC_WEIGHT times the share of each topic; and 1. All models are fitted at once by stochastic dual
coordinate ascent (Shalev-Shwartz and Zhang 2013, with squared loss), from the mean code: however
far it goes, a model knows nothing of documents that it is not fitted on."""

from typing import NamedTuple

import numpy as np

from inference.bow import Bow
from inference.evidence import Evidence
from inference.kernels import rng
from inference.rarity import inverse_frequency_by_tokens
from inference.runtime.arrays import ABOVE_ZERO, frozen
from inference.runtime.jit import njit

# The best of five settings for seven concepts in four corpora, at 300 codes and 3,000
RIDGE = np.float32(2)
TOPIC_WEIGHT = np.float32(2)
EPOCHS = 10  # further ones change nothing


class Prediction(NamedTuple):
    """g: float32[splits, D], what each document would be coded as, the mean of the split's models:
    it is not kept between 0 and 1. coded: float32[splits, n], the same of the coded documents by
    the one model that has seen neither it nor another one of its unit. r2: the part of the codes'
    variance that the mean of `coded` explains; below 0 where the mean code says more, NaN where all
    are the same."""

    g: np.ndarray
    coded: np.ndarray
    r2: float


class Features(NamedTuple):
    """What the features of D documents are made of, read-only.

    indptr: int64[D + 1], words, counts: int32[nnz], the bag of words; idf: float32[V]. doc_ptr:
    int64[D + 1], doc_topics: uint16, doc_tokens: int32, the topics of documents, of K; all without
    elements where topics are no features."""

    indptr: np.ndarray
    words: np.ndarray
    counts: np.ndarray
    idf: np.ndarray
    doc_ptr: np.ndarray
    doc_topics: np.ndarray
    doc_tokens: np.ndarray
    K: int

    @classmethod
    def of(cls, corpus: Bow, evidence: Evidence | None) -> "Features":
        doc_ptr = np.zeros(corpus.D + 1)
        doc_topics = np.zeros(0)
        doc_tokens = np.zeros(0)
        K = 0
        if evidence is not None:
            doc_ptr = evidence.mixtures.doc_ptr
            doc_topics = evidence.mixtures.doc_topics
            doc_tokens = evidence.mixtures.doc_tokens
            K = evidence.K
        return cls(
            indptr=frozen(corpus.indptr, np.int64),
            words=frozen(corpus.words, np.int32),
            counts=frozen(corpus.counts, np.int32),
            idf=inverse_frequency_by_tokens(corpus.word_tokens, corpus.D).astype(np.float32),
            doc_ptr=frozen(doc_ptr, np.int64),
            doc_topics=frozen(doc_topics, np.uint16),
            doc_tokens=frozen(doc_tokens, np.int32),
            K=K,
        )


def predict(
    corpus: Bow,
    tokens: Evidence | None,
    documents: np.ndarray,
    y: np.ndarray,
    seed: int,
    splits: int = 3,
    folds: int = 5,
    units: np.ndarray | None = None,
) -> Prediction:
    """Predict the codes of all documents by those that are coded. The same seed gives the same
    prediction.

    corpus: documents, or sections of them, whose words are then counted together. tokens: the run's
    evidence, None for words alone. documents: int[n], those that are coded, each
    once; y: float64[n], their codes, 0 to 1 or values of a scale. units: int[n], of whom each is:
    no unit is in two of the `folds` parts; below 0: of a unit of its own."""
    corpus = corpus.by_document()
    n = len(y)
    unit_of_document = (
        np.arange(n) if units is None else np.where(units < 0, -1 - np.arange(n), units)
    )
    names, unit = np.unique(unit_of_document, return_inverse=True)
    parts = [
        (rng.shuffled(len(names), rng.stream(rng.FOLDS, split, seed=seed)) % folds)[unit]
        for split in range(splits)
    ]
    # int[splits, n], the model that does not see it
    unseen = np.stack(parts) + folds * np.arange(splits)[:, None]
    use = (unseen[:, :, None] != np.arange(splits * folds)).all(axis=0).astype(np.float32)
    features = Features.of(corpus, tokens)
    rows = frozen(documents, np.int64)
    scale = max(float(np.abs(y).max(initial=0)), ABOVE_ZERO)
    orders = [rng.shuffled(n, rng.stream(rng.EPOCHS, epoch, seed=seed)) for epoch in range(EPOCHS)]
    mean = (use.T @ (y / scale) / np.maximum(use.sum(axis=0), 1)).astype(np.float32)
    scaled_y = (y / scale).astype(np.float32)
    weights = scale * _fitted(features, rows, scaled_y, use, mean, np.concatenate(orders))
    coded = np.take_along_axis(_scored(features, rows, weights).T, unseen, axis=0)
    every_row = frozen(np.arange(corpus.D), np.int64)
    weights_of_splits = weights.reshape(-1, splits, folds).mean(axis=2)
    g = _scored(features, every_row, weights_of_splits).T
    spread = float(((y - y.mean()) ** 2).sum()) if n else 0.0
    r2 = float("nan")
    if spread:
        unexplained = float(((y - coded.mean(axis=0)) ** 2).sum())
        r2 = 1 - unexplained / spread
    return Prediction(np.ascontiguousarray(g), coded, r2)


@njit(cache=True, nogil=True)
def _joined(words, counts):
    """(words, counts) of a document, each word once: of a document of sections, in each of which
    words ascend, the counts of all of them."""
    ascends = True
    for j in range(1, len(words)):
        if words[j] <= words[j - 1]:
            ascends = False
            break
    if ascends:
        return words.copy(), counts.copy()
    order = np.argsort(words, kind="mergesort")
    joined_words = words[order]
    joined_counts = counts[order]
    n = 0
    for j in range(1, len(joined_words)):
        if joined_words[j] == joined_words[n]:
            joined_counts[n] += joined_counts[j]
            continue
        n += 1
        joined_words[n] = joined_words[j]
        joined_counts[n] = joined_counts[j]
    return joined_words[: n + 1], joined_counts[: n + 1]


@njit(cache=True, nogil=True)
def _row(features, d):
    """(columns int64, values float32) of a document d; the last is the constant."""
    V = len(features.idf)
    pairs = slice(features.indptr[d], features.indptr[d + 1])
    topics = slice(features.doc_ptr[d], features.doc_ptr[d + 1])
    words, times = _joined(features.words[pairs], features.counts[pairs])
    of_words = (1 + np.log(times)) * features.idf[words]
    of_words /= np.sqrt((of_words * of_words).sum())
    tokens = features.doc_tokens[topics]
    of_topics = TOPIC_WEIGHT * tokens / tokens.sum()
    topic_columns = V + features.doc_topics[topics].astype(np.int64)
    constant_column = np.array([V + features.K])
    columns = np.concatenate((words.astype(np.int64), topic_columns, constant_column))
    values = np.concatenate((of_words, of_topics, np.ones(1)))
    return columns, values.astype(np.float32)


@njit(cache=True, nogil=True)
def _product(columns, values, weights, products):
    """The features of a document times the weights of M models, into products: float32[M]. columns:
    int64[n], values: float32[n], of `_row`; weights: float32[V + K + 1, M]."""
    products[:] = 0
    for j in range(len(columns)):
        w = weights[columns[j]]
        v = values[j]
        for m in range(len(products)):
            products[m] += v * w[m]


@njit(cache=True, nogil=True)
def _fitted(features, rows, y, use, mean, order):
    """float32[V + K + 1, M]: of M models, each of the rows that `use`, float32[n, M], says. order:
    int[m], rows as they come."""
    columns_of_all = len(features.idf) + features.K + 1
    weights = np.zeros((columns_of_all, len(mean)), np.float32)
    dual = np.zeros_like(use)
    f = np.empty_like(mean)
    weights[-1] = mean
    for i in order:
        columns, values = _row(features, rows[i])
        _product(columns, values, weights, f)
        square = (values * values).sum() / RIDGE
        for m in range(len(f)):
            f[m] = use[i, m] * (y[i] - f[m] - dual[i, m]) / (1 + square)
            dual[i, m] += f[m]
            f[m] /= RIDGE
        for j in range(len(columns)):
            w = weights[columns[j]]
            v = values[j]
            for m in range(len(f)):
                w[m] += v * f[m]
    return weights


@njit(cache=True, nogil=True)
def _scored(features, rows, weights):
    """float32[n, M]: features of rows times weights."""
    scores = np.empty((len(rows), weights.shape[1]), np.float32)
    for i in range(len(rows)):
        columns, values = _row(features, rows[i])
        _product(columns, values, weights, scores[i])
    return scores
