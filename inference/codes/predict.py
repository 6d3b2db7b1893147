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
from inference.runtime.arrays import ABOVE_ZERO, frozen
from inference.runtime.jit import njit

# The best of five settings for seven concepts in four corpora, at 300 codes and 3,000
RIDGE, TOPIC_WEIGHT = (
    np.float32(2),
    np.float32(2),
)
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
    chance = np.random.default_rng(seed)
    n = len(y)
    unit_of_document = (
        np.arange(n) if units is None else np.where(units < 0, -1 - np.arange(n), units)
    )
    names, unit = np.unique(unit_of_document, return_inverse=True)
    parts = [chance.permutation(np.arange(len(names)) % folds)[unit] for _ in range(splits)]
    # int[splits, n], the model that does not see it
    unseen = np.stack(parts) + folds * np.arange(splits)[:, None]
    use = (unseen[:, :, None] != np.arange(splits * folds)).all(axis=0).astype(np.float32)
    text = _text(corpus, tokens)
    rows = frozen(documents, np.int64)
    scale = max(float(np.abs(y).max(initial=0)), ABOVE_ZERO)
    orders = [chance.permutation(n) for _ in range(EPOCHS)]
    mean = (use.T @ (y / scale) / np.maximum(use.sum(axis=0), 1)).astype(np.float32)
    weights = scale * _fitted(
        *text, rows, (y / scale).astype(np.float32), use, mean, np.concatenate(orders)
    )
    coded = np.take_along_axis(_scored(*text, rows, weights).T, unseen, axis=0)
    g = _scored(
        *text,
        frozen(np.arange(corpus.D), np.int64),
        weights.reshape(-1, splits, folds).mean(axis=2),
    ).T
    spread = float(((y - y.mean()) ** 2).sum()) if n else 0.0
    r2 = 1 - float(((y - coded.mean(axis=0)) ** 2).sum()) / spread if spread else float("nan")
    return Prediction(np.ascontiguousarray(g), coded, r2)


def _text(corpus: Bow, tokens: Evidence | None) -> tuple[np.ndarray | int, ...]:
    """What kernels read of all documents: indptr, words, counts, idf, doc_ptr, doc_topics,
    doc_tokens, K."""
    idf = (np.log((1 + corpus.D) / (1 + np.minimum(corpus.word_tokens, corpus.D))) + 1).astype(
        np.float32
    )
    none = np.zeros(corpus.D + 1), np.zeros(0), np.zeros(0), 0
    ptr, topics, tokens_held, K = (
        none if tokens is None else (tokens.doc_ptr, tokens.doc_topics, tokens.doc_tokens, tokens.K)
    )
    words = (
        frozen(corpus.indptr, np.int64),
        frozen(corpus.words, np.int32),
        frozen(corpus.counts, np.int32),
        idf,
    )
    return (
        *words,
        frozen(ptr, np.int64),
        frozen(topics, np.uint16),
        frozen(tokens_held, np.int32),
        K,
    )


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
def _features(indptr, words, counts, idf, doc_ptr, doc_topics, doc_tokens, K, d):
    """(columns int64, values float32) of a document; the last is the constant."""
    pairs = slice(indptr[d], indptr[d + 1])
    of_words, times = _joined(words[pairs], counts[pairs])
    tokens_held = doc_tokens[doc_ptr[d] : doc_ptr[d + 1]]
    value = (1 + np.log(times)) * idf[of_words]
    value /= np.sqrt((value * value).sum())
    topics = len(idf) + doc_topics[doc_ptr[d] : doc_ptr[d + 1]].astype(np.int64)
    columns = np.concatenate((of_words.astype(np.int64), topics, np.array([len(idf) + K])))
    return columns, np.concatenate(
        (value, TOPIC_WEIGHT * tokens_held / tokens_held.sum(), np.ones(1))
    ).astype(np.float32)


@njit(cache=True, nogil=True)
def _product(columns, values, weights, products):
    products[:] = 0
    for j in range(len(columns)):
        w = weights[columns[j]]
        v = values[j]
        for m in range(len(products)):
            products[m] += v * w[m]


@njit(cache=True, nogil=True)
def _fitted(
    indptr, words, counts, idf, doc_ptr, doc_topics, doc_tokens, K, rows, y, use, mean, order
):
    """float32[V + K + 1, M]: of M models, each of the rows that `use`, float32[n, M], says. order:
    int[m], rows as they come."""
    weights = np.zeros((len(idf) + K + 1, len(mean)), np.float32)
    dual = np.zeros_like(use)
    f = np.empty_like(mean)
    weights[-1] = mean
    for i in order:
        columns, values = _features(
            indptr, words, counts, idf, doc_ptr, doc_topics, doc_tokens, K, rows[i]
        )
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
def _scored(indptr, words, counts, idf, doc_ptr, doc_topics, doc_tokens, K, rows, weights):
    """float32[n, M]: features of rows times weights."""
    scores = np.empty((len(rows), weights.shape[1]), np.float32)
    for i in range(len(rows)):
        columns, values = _features(
            indptr, words, counts, idf, doc_ptr, doc_topics, doc_tokens, K, rows[i]
        )
        _product(columns, values, weights, scores[i])
    return scores
