"""Predictions of codes: against a slow ridge regression, and that no model has seen what it is
asked about."""

import types

import numpy as np
import pytest

from inference.bow import Bow
from inference.codes import predict as module
from inference.codes.predict import predict
from tests.inference.corpora import bow_of, planted


@pytest.fixture(scope="module")
def corpus() -> tuple[Bow, np.ndarray, types.SimpleNamespace]:
    """Documents of four topics, codes that follow the first one's words, and evidence."""
    bow, _ = planted(4, 60, 400, 30, seed=1)
    first = np.array(
        [
            bow.counts[a:b][bow.words[a:b] < 15].sum()
            for a, b in zip(bow.indptr, bow.indptr[1:], strict=False)
        ]
    )
    y = (first + np.random.default_rng(2).normal(0, 3, 400) > 8).astype(float)
    own = np.stack([first, 30 - first], axis=1)
    ptr = np.concatenate([[0], np.cumsum((own > 0).sum(axis=1))])
    topics = np.nonzero(own)[1]
    tokens = own[own > 0]
    mixtures = types.SimpleNamespace(
        doc_ptr=ptr, doc_topics=topics.astype(np.uint16), doc_tokens=tokens
    )
    evidence = types.SimpleNamespace(mixtures=mixtures, K=2)
    return bow, y, evidence


def features(bow: Bow, evidence) -> np.ndarray:
    """float64[D, V + K + 1], word by word."""
    K = evidence.K if evidence else 0
    x = np.zeros((bow.D, bow.V + K + 1))
    having = [min(bow.counts[bow.words == w].sum(), bow.D) for w in range(bow.V)]
    for d in range(bow.D):
        for j in range(bow.indptr[d], bow.indptr[d + 1]):
            w = bow.words[j]
            x[d, w] += (1 + np.log(bow.counts[j])) * (1 + np.log((1 + bow.D) / (1 + having[w])))
        x[d] /= np.sqrt((x[d] ** 2).sum()) or 1
        for j in (
            range(evidence.mixtures.doc_ptr[d], evidence.mixtures.doc_ptr[d + 1])
            if evidence
            else ()
        ):
            total = evidence.mixtures.doc_tokens[
                evidence.mixtures.doc_ptr[d] : evidence.mixtures.doc_ptr[d + 1]
            ].sum()
            x[d, bow.V + evidence.mixtures.doc_topics[j]] = (
                module.TOPIC_WEIGHT * evidence.mixtures.doc_tokens[j] / total
            )
        x[d, -1] = 1
    return x


@pytest.mark.parametrize("with_topics", [True, False])
def test_predictions_are_those_of_ridge_regression(corpus, with_topics, monkeypatch):
    monkeypatch.setattr(module, "EPOCHS", 200)
    bow, y, evidence = corpus
    evidence = evidence if with_topics else None
    documents = np.random.default_rng(0).permutation(400)[:60]
    made = predict(bow, evidence, documents, y[documents], seed=3, splits=1, folds=60)
    x = features(bow, evidence)
    models = []
    for i in range(60):
        some = np.delete(documents, i)
        gram = x[some].T @ x[some] + module.RIDGE * np.eye(x.shape[1])
        mean = y[some].mean()
        models.append(mean + x @ np.linalg.solve(gram, x[some].T @ (y[some] - mean)))
        assert made.coded[0, i] == pytest.approx(models[-1][documents[i]], abs=1e-3)
    assert made.g[0] == pytest.approx(np.mean(models, axis=0), abs=1e-3)
    rest = ((y[documents] - made.coded[0]) ** 2).sum() / (
        (y[documents] - y[documents].mean()) ** 2
    ).sum()
    assert made.r2 == pytest.approx(1 - rest) and made.r2 > 0.2
    assert made.g.dtype == made.coded.dtype == np.float32


def test_no_model_has_seen_the_document_or_its_unit(corpus):
    bow, y, evidence = corpus
    documents = np.arange(100)
    units = np.where(documents < 60, documents // 3, -1)
    before = predict(bow, evidence, documents, y[:100], seed=1, units=units)
    assert before.g.shape == (3, 400) and before.coded.shape == (3, 100)
    other = y[:100].copy()
    other[[4, 70]] = 1 - other[[4, 70]]
    after = predict(bow, evidence, documents, other, seed=1, units=units)
    alone = predict(
        bow,
        evidence,
        documents,
        np.where(documents == 4, 1 - y[:100], y[:100]),
        seed=1,
        units=units,
    )
    assert np.array_equal(before.coded[:, 3:6], alone.coded[:, 3:6])
    assert not np.array_equal(
        before.coded[:, 3:6], predict(bow, evidence, documents, 1 - y[:100], seed=1).coded[:, 3:6]
    )
    changed = (before.coded != after.coded).any(axis=0)
    assert changed.sum() > 50 and (before.g != after.g).all(axis=1).any()


def test_the_same_seed_gives_the_same_prediction(corpus):
    bow, y, evidence = corpus
    one, again, other = (
        predict(bow, evidence, np.arange(50), y[:50], seed=seed) for seed in (1, 1, 2)
    )
    assert np.array_equal(one.g, again.g) and not np.array_equal(one.g, other.g)


def test_a_scale_may_be_of_any_size(corpus):
    bow, y, evidence = corpus
    one, large = (predict(bow, evidence, np.arange(80), k * y[:80], seed=1) for k in (1, 1e6))
    assert large.g / 1e6 == pytest.approx(one.g, abs=1e-5) and large.r2 == pytest.approx(
        one.r2, abs=1e-5
    )


@pytest.mark.parametrize("n", [0, 1, 2, 4])
def test_few_codes_predict_little(corpus, n):
    bow, y, evidence = corpus
    made = predict(bow, evidence, np.arange(n), np.ones(n), seed=1)
    assert made.coded.shape == (3, n) and np.isfinite(made.g).all() and np.isnan(made.r2)


def test_documents_of_sections_and_without_words():
    rows = bow_of([[0, 0, 1], [1, 2], [], [3], [0, 3]], 4)
    whole = Bow(rows.indptr, rows.words, rows.counts, 4, first_row=np.array([0, 2, 3, 5]))
    made = predict(whole, None, np.arange(3), np.array([1.0, 0, 0]), seed=0)
    assert made.g.shape == (3, 3) and np.isfinite(made.g).all() and np.isfinite(made.coded).all()


def test_a_document_of_many_sections_is_predicted_as_one_text():
    chance = np.random.default_rng(5)
    sections = [chance.integers(0, 30, 25).tolist() for _ in range(80 * 20)]
    first_row = np.arange(81) * 20
    texts = [sum(sections[a:b], []) for a, b in zip(first_row, first_row[1:], strict=False)]
    rows = bow_of(sections, 30)
    cut = Bow(rows.indptr, rows.words, rows.counts, 30, first_row=first_row)
    y = chance.integers(0, 2, 60).astype(float)
    made = predict(cut, None, np.arange(60), y, seed=1)
    whole = predict(bow_of(texts, 30), None, np.arange(60), y, seed=1)
    assert np.isfinite(made.g).all() and np.array_equal(made.g, whole.g)
    assert made.r2 == whole.r2
