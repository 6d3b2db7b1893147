"""Where floating point ends: what must stay eq. 9, and what must not become NaN."""

from functools import partial

import numpy as np
import pytest

from inference.engines import ssi
from inference.engines.batch import expand
from inference.engines.contract import TrainingCorpus
from inference.engines.ssi.sampling import sample_batch
from inference.errors import Invalid
from inference.evaluate import Completion, LeftToRight
from inference.kernels import gibbs
from inference.topics import Topics
from tests.inference.corpora import bow_of, planted
from tests.inference.test_sampling import state_with


def test_an_empty_topic_under_a_tiny_eta_leaves_the_others_alone():
    """exp psi(V eta) underflows; the word's own topic must still win, though the document has more
    of the empty one."""
    config = ssi.Config(
        topics=2, eta=1e-6, alpha=0.1, expectation="log", samples=1, draws=50
    ).resolve(1, 4)
    state = state_with(np.array([[100.0] + [0.0] * 59, [0.0] * 60]), 1e-6, 0.1)
    batch = expand(bow_of([[0, 1, 1, 1]], 60), np.arange(1))
    drawn = sample_batch(
        config,
        state,
        batch,
        np.zeros(1, np.uint64),
        np.repeat(np.array([[0], [1], [1], [1]], np.uint16), 50, 1),
    )
    assert set(drawn[0].tolist()) == {0}


@pytest.mark.parametrize("total", [-1e-12, 0.0, 1e-3, 2.0**40])
@pytest.mark.parametrize("eta", [1e-9, 1e-6, 0.4])
@pytest.mark.parametrize("log_expectation", [True, False])
def test_normalisers_are_never_zero_or_unknown(total, eta, log_expectation):
    found = gibbs.normalisers(np.array([total]), 1, eta, log_expectation)
    assert np.isfinite(found).all()
    assert (found > 0).all()


def test_completion_of_words_that_no_topic_lists():
    """All of beta in the floor: every word has the same probability, however many topics there
    are."""
    bow, _ = planted(K=3, V=50, D=30, length=20, seed=2)
    K = 1000
    nothing = np.zeros(0)
    floors = np.full(K, 1 / 50)
    rows = np.zeros(K + 1, np.int64), nothing.astype(np.int32), nothing.astype(np.float32)
    topics = Topics(*rows, floors, np.ones(K), np.full(K, 1 / K), 50)
    assert Completion(bow, np.arange(30))(topics) == pytest.approx(-np.log(50))


@pytest.mark.parametrize(
    "measure",
    [
        lambda bow: Completion(bow, np.arange(30)),
        lambda bow: partial(LeftToRight(bow, np.arange(3)), alpha=0.1),
    ],
)
def test_topics_that_do_not_sum_to_one_are_not_measured(measure):
    """They would look better than any others."""
    bow, beta = planted(K=3, V=50, D=30, length=20, seed=2)
    indptr = np.arange(0, 151, 50)
    words = np.tile(np.arange(50, dtype=np.int32), 3)
    for flattery, wrong in ((1.0, False), (1.01, True), (float("nan"), True)):
        weights = (beta * np.array([1.0, flattery, 1.0])[:, None]).astype(np.float32).ravel()
        topics = Topics(indptr, words, weights, np.zeros(3), np.zeros(3), np.full(3, 1 / 3), 50)
        if wrong:
            with pytest.raises(Invalid, match="must sum to 1; those of topic 1 sum to"):
                measure(bow)(topics)
        else:
            assert np.isfinite(measure(bow)(topics))


def test_a_minibatch_without_documents_forgets_nothing():
    """With small minibatches some have held-out documents alone; eq. 11 has nothing to average over
    there."""
    bow, _ = planted(K=3, V=50, D=30, length=20, seed=2)
    config = ssi.Config(topics=4, minibatch=1).resolve(30, 600)
    corpus = TrainingCorpus.of_bow(bow, steps_per_pass=30)
    state = ssi.init(config, corpus, 1)
    ssi.step(config, state, bow, np.arange(5), corpus)
    before = state.pi, state.totals.copy()
    ssi.step(config, state, bow, np.zeros(0, np.int64), corpus)
    assert state.t == 2
    assert state.pi == before[0]
    assert np.array_equal(state.totals, before[1])


def test_whole_numbers_serve_as_fractions():
    """An alpha of 1 would otherwise compile every kernel anew."""
    config = ssi.Config(topics=2, alpha=1, eta=1, kappa=1, tau0=1)
    assert all(type(getattr(config, name)) is float for name in ("alpha", "eta", "kappa", "tau0"))


@pytest.mark.parametrize("settings", [{"alpha": "much"}, {"eta": False}, {"tau0": True}])
def test_what_is_not_a_number_is_refused(settings):
    (name,) = settings
    with pytest.raises(Invalid, match=f"{name} must be") as error:
        ssi.Config(topics=2, **settings)
    assert error.value.field == name
