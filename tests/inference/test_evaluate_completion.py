"""How documents are split for completion; test_evaluate.py has what all splits share."""

import numba
import numpy as np
import pytest

from inference import fold_in
from inference.errors import Invalid
from inference.evaluate import Completion, held_out
from tests.inference import naive_evaluate
from tests.inference.corpora import bow_of, planted
from tests.inference.test_evaluate import topics_of


@pytest.fixture(scope="module")
def known():
    return planted(K=4, V=40, D=60, length=33, seed=5)


def by_document(judge, values):
    return np.array(
        [
            values[a:b].sum()
            for a, b in zip(judge.parts.indptr, judge.parts.indptr[1:], strict=False)
        ]
    )


def test_tokens_are_split_four_to_one(known):
    bow, _ = known
    judge = Completion(bow, np.arange(bow.D), split="tokens")
    assert (by_document(judge, judge.parts.observed) == 26).all()  # 0.8 * 33 = 26.4
    assert (judge.parts.observed + judge.parts.scored == bow.counts).all()


def test_types_are_split_four_to_one_and_kept_whole(known):
    bow, _ = known
    judge = Completion(bow, np.arange(bow.D), split="types")
    types = np.diff(bow.indptr)
    assert (by_document(judge, judge.parts.observed > 0) == np.floor(0.8 * types + 0.5)).all()
    assert ((judge.parts.observed == 0) != (judge.parts.scored == 0)).all()
    assert (judge.parts.observed + judge.parts.scored == bow.counts).all()


@pytest.mark.parametrize("split", ["tokens", "types"])
@pytest.mark.parametrize("alpha", [0.1, 0.01])
def test_completion_is_em(known, split, alpha):
    bow, beta = known
    judge = Completion(bow, np.arange(20), seed=3, split=split, alpha=alpha)
    expected = naive_evaluate.completion(
        judge, topics_of(beta, 12).dense(), alpha, fold_in.ITERATIONS
    )
    assert judge(topics_of(beta, 12)) == pytest.approx(expected, rel=1e-9)


def test_the_split_depends_on_document_and_seed_alone(known):
    bow, _ = known
    for split in held_out.SPLITS:
        whole = Completion(bow, np.arange(60), split=split)
        part = Completion(bow, np.array([7]), split=split)
        assert (whole.parts.observed[bow.indptr[7] : bow.indptr[8]] == part.parts.observed).all()
        assert (
            whole.parts.observed
            != Completion(bow, np.arange(60), seed=1, split=split).parts.observed
        ).any()


@pytest.mark.parametrize(
    ("split", "empty"), [("half", [0]), ("tokens", [0, 1]), ("types", [0, 0, 0, 1])]
)
def test_a_document_too_short_to_split_scores_nothing(split, empty):
    beta = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    bow = bow_of([empty, [0, 1, 1, 1, 2, 2], [], [0]], 3)
    judge = Completion(bow, np.arange(4), split=split)
    alone = Completion(bow, np.array([1]), split=split)
    assert judge.tokens == alone.tokens > 0
    assert judge(topics_of(beta, 3)) == alone(topics_of(beta, 3))
    assert np.isnan(Completion(bow, np.array([0, 2, 3]), split=split)(topics_of(beta, 3)))


def test_a_word_of_no_topic_has_the_least_probability():
    judge = Completion(bow_of([[1, 1]], 2), np.arange(1))
    assert judge(topics_of(np.array([[1.0, 0.0]]), 2)) == pytest.approx(
        np.log(held_out.LEAST_PROBABILITY)
    )


def test_bad_settings(known):
    with pytest.raises(Invalid):
        Completion(known[0], np.arange(3), split="thirds")
    with pytest.raises(Invalid):
        Completion(known[0], np.arange(3), alpha=0)


def test_threads_change_nothing(known):
    bow, beta = known
    judge = Completion(bow, np.arange(60), split="tokens")
    before = numba.get_num_threads()
    found = []
    for threads in (1, numba.config.NUMBA_NUM_THREADS):
        numba.set_num_threads(threads)
        found.append(judge(topics_of(beta, 15)))
    numba.set_num_threads(before)
    assert found[0] == found[1]


def test_alpha_follows_the_number_of_topics():
    assert [fold_in.alpha_for(K) for K in (1, 100, 200, 1000)] == [0.1, 0.1, 0.05, 0.01]
    bow, beta = planted(K=4, V=40, D=60, length=33, seed=5)
    topics = topics_of(np.repeat(beta, 50, axis=0), 12)
    assert Completion(bow, np.arange(60))(topics) == Completion(bow, np.arange(60), alpha=0.05)(
        topics
    )


@pytest.fixture(scope="module")
def many():
    """Documents of very different lengths, and more topics than a document has."""
    rng = np.random.default_rng(0)
    beta = rng.dirichlet(np.full(200, 0.05), 60)
    documents = []
    for _ in range(400):
        theta = rng.dirichlet(np.full(60, 0.03))
        documents.append(
            np.repeat(np.arange(200), rng.multinomial(rng.integers(2, 200), theta @ beta)).tolist()
        )
    return bow_of(documents, 200), topics_of(beta, 60)


@pytest.mark.parametrize("alpha", [0.1, 0.01])
def test_active_topics_alone_fit_nearly_as_well(many, alpha):
    bow, topics = many
    judge = Completion(bow, np.arange(bow.D), alpha=alpha)
    assert judge.quick(topics) == pytest.approx(judge(topics), abs=0.002)
    rows = fold_in.rows(
        topics.indptr, topics.words, topics.weights, topics.floor, np.arange(200), 200
    )
    for d in range(0, 400, 20):
        words, counts = (of[bow.indptr[d] : bow.indptr[d + 1]] for of in (bow.words, bow.counts))
        fits = [
            f(
                rows,
                words.astype(np.int64),
                counts.astype(np.int64),
                np.full(60, alpha),
                50,
            )
            for f in (fold_in.fit, fold_in.fit_active)
        ]
        assert fits[1].sum() == pytest.approx(1) and np.abs(fits[0] - fits[1]).sum() < 0.1


def test_an_estimate_is_near(many):
    bow, topics = many
    judge = Completion(bow, np.arange(bow.D))
    assert len(judge.sample) < 150 and judge.harder != 0
    assert judge.estimate(topics) == pytest.approx(judge(topics), abs=0.05)
    few = Completion(bow, np.arange(60))
    assert few.harder == pytest.approx(0, abs=1e-12) and few.estimate(topics) == pytest.approx(
        few(topics), abs=0.002
    )
    assert np.isnan(Completion(bow, np.zeros(0, np.int64)).estimate(topics))
