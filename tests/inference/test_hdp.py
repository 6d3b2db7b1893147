"""The engine hdp: against its twin, its bound, closed forms, planted topics, and what is known to
fail elsewhere."""

import itertools
from dataclasses import fields, replace
from functools import lru_cache
from math import lgamma

import numpy as np
import pytest
from scipy.special import gammaln

from inference import Invalid, Snapshot, fold_in_corpus, gather, open_evidence, train
from inference.engines import dense, hdp
from inference.engines.contract import TrainingCorpus
from inference.kernels import hdp as kernels
from tests.inference import naive_hdp as naive
from tests.inference.corpora import bow_of, planted, postings as postings_of
from tests.inference.naive_vb import e_log_dirichlet

K = 12
T = 5


@pytest.fixture(scope="module")
def corpus():
    return planted(4, 60, 60, 40, seed=2)


def config_of(**settings) -> hdp.Resolved:
    chosen = {
        "topics": K,
        "document_topics": T,
        "passes": 3,
        "minibatch": 20,
        "candidates": K,
    } | settings
    return hdp.Config(**chosen).resolve(60, 2400)


def documents_of(bow):
    spans = [slice(a, b) for a, b in itertools.pairwise(bow.indptr)]
    return [(bow.words[span].astype(np.int64), bow.counts[span].astype(float)) for span in spans]


def state_of(config, bow, seed=1):
    state = hdp.init(
        config, TrainingCorpus.of_bow(bow, steps_per_pass=-(-bow.D // config.minibatch)), seed
    )
    state.mass *= np.random.default_rng(seed).gamma(1.0, size=len(state.mass))
    return state


def lam_of(config, state):
    return config.eta + state.pi * state.values.T.astype(np.float64)


def fitted(config, state, bow, gamma, iterations):
    """(candidates, mass, tokens, theta, bounds, given) of all documents, from gamma on."""
    batch = dense.batch_of(bow, np.arange(bow.D))
    C = config.candidates
    rows = (np.zeros((bow.D, C)) for _ in range(3))
    given = np.empty((len(batch.places), C), np.float32)
    local = kernels.Local(np.zeros((bow.D, C), np.int64), *rows, np.zeros(bow.D), given)
    logs = kernels.log_table(batch.words, state.values, state.pi, config.eta, state.totals)
    sticks = hdp.stick_parameters(config, state.mass)
    kernels.documents(
        batch,
        logs,
        gamma,
        sticks.logs,
        config.alpha,
        0.0,
        iterations,
        0.0,
        config.document_topics,
        local,
    )
    return local


@pytest.mark.parametrize("iterations", [1, 7])
def test_the_local_step_is_the_twins(corpus, iterations):
    bow = corpus[0]
    config = config_of(alpha=0.7, eta=0.2)
    state = state_of(config, bow)
    lam = lam_of(config, state)
    gamma = np.random.default_rng(0).gamma(1.0, size=(bow.D, K))
    order = np.argsort(-state.mass, kind="stable")
    logs = naive.by_topic(
        naive.e_log_sigma(*naive.corpus_sticks(state.mass, config.omega, order)), order
    )
    candidates, mass, tokens, theta, bounds, given = fitted(config, state, bow, gamma, iterations)
    # the kernel has the sums of float32 values as float64 numbers; so has the twin
    log_beta = e_log_dirichlet(lam)
    for d, (words, counts) in enumerate(documents_of(bow)):
        phi = naive.start(words, counts, log_beta, gamma[d], T)
        phi, zeta, a, b, bound = naive.document(
            words, counts, log_beta, logs, config.alpha, phi, iterations
        )
        assert bounds[d] == pytest.approx(bound, rel=1e-7)
        for ours, theirs in (
            (mass[d], zeta.sum(axis=0)),
            (tokens[d], (counts @ phi) @ zeta),
            (theta[d], naive.e_sigma(a, b) @ zeta),
        ):
            assert np.abs(naive.by_topic(ours, candidates[d]) - theirs).max() < 1e-5
        span = slice(bow.indptr[d], bow.indptr[d + 1])
        expected = ((phi * counts[:, None]) @ zeta)[:, candidates[d]]
        assert np.abs(given[span] - expected).max() < 1e-5


def test_a_step_is_the_twins(corpus):
    """lambda and the sticks' masses after a step, from LDA's local step to the scaled sum."""
    bow = corpus[0]
    config = config_of(iterations=6)
    state = state_of(config, bow)
    before = lam_of(config, state)
    mass = state.mass.copy()
    documents = np.arange(0, bow.D, 3)
    batch = dense.batch_of(bow, documents)
    local = hdp.local_step(config, state, batch, config.iterations, hdp.TOLERANCE)
    hdp.move_topics(state, batch, local, 0.3, bow.D / len(documents))
    dense_given = np.zeros((K, bow.V))
    for p, d in enumerate(batch.documents):
        dense_given[local.candidates[d], batch.words[batch.places[p]]] += local.given[p]
    lam = 0.7 * before + 0.3 * (config.eta + 3 * dense_given)
    assert np.abs(lam_of(config, state) - lam).max() < 1e-4
    assert state.pi * state.totals == pytest.approx(lam.sum(axis=1) - bow.V * config.eta, rel=1e-5)
    assert dense_given.sum() == pytest.approx(batch.tokens, rel=1e-6)
    theirs = sum(naive.by_topic(m, c) for m, c in zip(local.mass, local.candidates, strict=True))
    assert state.mass == pytest.approx(0.7 * mass + 0.3 * 3 * theirs, rel=1e-9)


def test_every_iteration_raises_a_documents_bound(corpus):
    """By the formula with counts in every term; the one without, of other programs, falls where
    this one rises."""
    bow = corpus[0]
    config = config_of()
    state = state_of(config, bow)
    log_beta = e_log_dirichlet(lam_of(config, state))
    logs = hdp.stick_parameters(config, state.mass).logs
    falls = 0
    for words, counts in documents_of(bow)[:30]:
        B = np.ascontiguousarray(log_beta[:, words].T)
        phi = np.random.default_rng(len(words)).dirichlet(np.ones(T), len(words)).T.copy()
        zeta = np.empty((T, K))
        tokens = np.empty(T)
        first = np.empty(T - 1)
        rest = np.empty(T - 1)
        bounds = []
        without = []
        for _ in range(30):
            sticks = naive.document_sticks(counts, phi.T, config.alpha)
            bound, done = kernels.ascend(
                B,
                B.T.copy(),
                counts.astype(np.float32),
                logs,
                config.alpha,
                phi,
                zeta,
                tokens,
                first,
                rest,
                0.0,
                1,
                0.0,
            )
            assert done == 1
            assert bound == pytest.approx(
                naive.document_bound(
                    words, counts, log_beta, logs, config.alpha, phi.T, zeta, *sticks
                ),
                rel=1e-9,
            )
            left_out = (
                (counts - 1)[:, None]
                * phi.T
                * (naive.e_log_sigma(*sticks) - np.log(phi.T + 1e-300))
            ).sum()
            bounds.append(bound)
            without.append(bound - left_out)
        assert (np.diff(bounds) > -1e-8).all()
        falls += int((np.diff(without) < -1e-6).sum())
    assert falls > 0


def test_every_kind_of_update_raises_the_whole_bound(corpus):
    """With warm starts, in batch: documents, topics, sticks, the order of sticks."""
    bow = corpus[0]
    config = config_of()
    documents, state = documents_of(bow), state_of(config, bow)
    lam, order, mass = lam_of(config, state), np.arange(K), state.mass
    a, b = naive.corpus_sticks(mass, config.omega, order)
    random = np.random.default_rng(3)
    fits = []
    for words, _ in documents:
        fits.append((random.dirichlet(np.ones(T), len(words)), random.dirichlet(np.ones(K), T)))
    bounds = []

    def told():
        bounds.append(
            naive.corpus_bound(
                documents, lam, config.eta, a, b, order, config.alpha, config.omega, fits
            )
        )

    told()
    for _ in range(12):
        log_beta = e_log_dirichlet(lam)
        logs = naive.by_topic(naive.e_log_sigma(a, b), order)
        for d, (words, counts) in enumerate(documents):
            B = np.ascontiguousarray(log_beta[:, words].T)
            phi = fits[d][0].T.copy()
            zeta = np.empty((T, K))
            rest = (np.empty(T), np.empty(T - 1), np.empty(T - 1))
            kernels.ascend(
                B,
                B.T.copy(),
                counts.astype(np.float32),
                logs,
                config.alpha,
                phi,
                zeta,
                *rest,
                0.0,
                3,
                0.0,
            )
            fits[d] = phi.T, zeta
        told()
        statistics, mass = naive.statistics(documents, fits, K, bow.V)
        lam = config.eta + statistics
        told()
        a, b = naive.corpus_sticks(mass, config.omega, order)
        told()
        sticks = hdp.stick_parameters(config, mass)
        a = sticks.first
        b = sticks.rest
        order = sticks.order
        told()
    assert (np.diff(bounds) > -1e-6).all() and bounds[-1] > bounds[0] + 100


def value_of_order(mass, order, omega):
    """The terms of the bound that depend on the order of the sticks."""
    a, b = naive.corpus_sticks(mass, omega, np.array(order))
    return naive.sticks_bound(a, b, omega) + mass[list(order)] @ naive.e_log_sigma(a, b)


@pytest.mark.parametrize("omega", [0.3, 0.7, 1.0])
def test_sticks_in_the_order_of_their_mass_have_the_largest_bound(omega):
    """Of all orders, where omega is at most 1. docs/engines/hdp.md has the proof."""
    config = config_of(topics=5, omega=omega)
    random = np.random.default_rng(4)
    for mass in random.gamma(0.5, 5.0, (20, 5)):
        sticks = hdp.stick_parameters(config, mass)
        best = max(value_of_order(mass, order, omega) for order in itertools.permutations(range(5)))
        assert value_of_order(mass, sticks.order, omega) == pytest.approx(best, abs=1e-9)
        assert (np.diff(mass[sticks.order]) <= 0).all()
        assert sticks.sizes.sum() == pytest.approx(1)
        assert (np.diff(sticks.sizes[sticks.order]) < 0).all()


def test_where_omega_is_above_1_another_order_may_have_a_larger_bound():
    mass = np.array([6.0, 3.0, 1.0, 0.5])
    for omega, best in ((2.0, (0, 2, 3, 1)), (5.0, (1, 2, 3, 0))):
        orders = itertools.permutations(range(4))
        assert max(orders, key=lambda order: value_of_order(mass, order, omega)) == best
        sticks = hdp.stick_parameters(config_of(topics=4, omega=omega), mass)
        assert sticks.order.tolist() == [0, 1, 2, 3], "by mass all the same"


def test_one_topic_in_closed_form(corpus):
    """T = K = 1: every token is the topic's, and the bound is the evidence itself, which has a
    closed form."""
    bow = corpus[0]
    config = config_of(topics=1, document_topics=1, eta=0.3)
    state = state_of(config, bow)
    batch = dense.batch_of(bow, np.arange(bow.D))
    hdp.move_topics(
        state,
        batch,
        hdp.local_step(config, state, batch, config.iterations, hdp.TOLERANCE),
        1.0,
        1.0,
    )
    counts = np.bincount(bow.words, weights=bow.counts, minlength=bow.V)
    assert (
        np.array_equal(state.values[:, 0], counts.astype(np.float32))
        and state.totals[0] == bow.tokens
    )
    exact = (
        lgamma(bow.V * 0.3)
        - lgamma(bow.V * 0.3 + bow.tokens)
        + (gammaln(0.3 + counts) - lgamma(0.3)).sum()
    )
    assert hdp.bound(config, state, bow, np.arange(bow.D)) == pytest.approx(exact, rel=1e-9)
    assert hdp.fold_in(config, state, bow, 0, 5).topics.tolist() == [0] * 5


def test_the_engines_bound_is_the_twins(corpus):
    bow = corpus[0]
    config = config_of()
    state = state_of(config, bow)
    sticks = hdp.stick_parameters(config, state.mass)
    lam = lam_of(config, state)
    expected = naive.corpus_bound(
        [], lam, config.eta, sticks.first, sticks.rest, sticks.order, 1.0, config.omega, []
    )
    assert hdp.global_bound(config, state) == pytest.approx(expected, rel=1e-6)
    local = hdp.local_step(config, state, dense.batch_of(bow, np.arange(bow.D)), 100, 1e-6)
    assert hdp.bound(config, state, bow, np.arange(bow.D)) == pytest.approx(
        hdp.global_bound(config, state) + local.bounds.sum(), rel=1e-12
    )


def last_of(config, bow, seed=0, **options) -> Snapshot:
    return [
        event
        for event in train(hdp, config, bow, seed=seed, **options)
        if isinstance(event, Snapshot)
    ][-1]


def matched(beta, topics, used) -> int:
    """Planted topics within half an L1 distance of 0.2 of a topic in use."""
    distance = 0.5 * np.abs(topics[:, None] - beta[None]).sum(axis=2)
    return int((distance[used].min(axis=0) < 0.2).sum())


PLANTED = hdp.Config(topics=30, document_topics=8, passes=15, minibatch=50, eta=0.1)


@lru_cache
def trained(seed):
    """(corpus, planted topics, resolved config, last snapshot)."""
    bow, beta = planted(10, 300, 400, 100, seed=seed)
    config = PLANTED.resolve(bow.D, bow.tokens)
    return bow, beta, config, last_of(config, bow, seed)


def test_planted_topics_are_recovered_with_room_for_three_times_as_many():
    """Nine of ten over five seeds, with at most twice as many in use."""
    recovered = 0
    for seed in range(5):
        _, beta, _, last = trained(seed)
        recovered += matched(beta, last.topics.dense(), last.topics.used)
        assert last.topics.used.sum() <= 20
    assert recovered >= 45


def from_uniform(config, bow, seed, passes):
    """Batch passes in which documents start with phi = 1 / T: (topics [K, V], in use)."""
    state = hdp.init(config, TrainingCorpus.of_bow(bow), seed)
    lam = lam_of(config, state)
    mass = state.mass
    Ks = config.topics
    documents = documents_of(bow)
    Ts = config.document_topics
    rest = np.empty(Ts), np.empty(Ts - 1), np.empty(Ts - 1)
    for _ in range(passes):
        log_beta = e_log_dirichlet(lam)
        logs = hdp.stick_parameters(config, mass).logs
        fits = []
        for words, counts in documents:
            B = np.ascontiguousarray(log_beta[:, words].T)
            phi = np.full((Ts, len(words)), 1.0 / Ts)
            zeta = np.empty((Ts, Ks))
            kernels.ascend(
                B,
                B.T.copy(),
                counts.astype(np.float32),
                logs,
                config.alpha,
                phi,
                zeta,
                *rest,
                1e-5,
                100,
                0.0,
            )
            fits.append((phi.T, zeta))
        statistics, mass = naive.statistics(documents, fits, Ks, bow.V)
        lam = config.eta + statistics
    return lam / lam.sum(axis=1, keepdims=True), statistics.sum(axis=1) >= 1


def test_planted_topics_are_not_recovered_from_a_uniform_start():
    """What the start of a document is for: with phi = 1 / T, where other programs begin, most
    topics are missed."""
    bow, beta, config, _ = trained(0)
    assert matched(beta, *from_uniform(config, bow, 0, 15)) < 9


def test_pointers_that_begin_alike_stay_alike_without_their_sticks():
    """phi = 1 / T and no stick terms, the first iterations of other programs: all pointers are one,
    and the bound stands still, which ends their loop."""
    bow, _ = planted(4, 60, 60, 40, seed=2)
    config = config_of()
    log_beta = e_log_dirichlet(lam_of(config, state_of(config, bow)))
    words, counts = documents_of(bow)[0]
    phi = np.full((len(words), T), 1.0 / T)
    for _ in range(3):
        zeta = naive.zeta_of(words, counts, log_beta, np.zeros(K), phi)
        phi = naive.phi_of(words, log_beta, np.zeros(T), zeta)
        assert np.ptp(zeta, axis=0).max() < 1e-12 and np.abs(phi - 1.0 / T).max() < 1e-12


def test_empty_pointers_leave_little_out():
    """Tokens of topics with pointers that are emptied early, against those with all."""
    bow, _, config, last = trained(1)
    state = last.state
    batch = dense.batch_of(bow, np.arange(100))
    quick = hdp.local_step(config, state, batch, 100, 1e-6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "EMPTY", 0.0)
        exact = hdp.local_step(config, state, batch, 100, 1e-6)
    assert quick.bounds == pytest.approx(exact.bounds, rel=1e-4)
    assert not np.array_equal(quick.tokens, exact.tokens)
    assert np.median(np.abs(quick.theta - exact.theta).sum(axis=1)) < 1e-3


def test_candidates_leave_little_out():
    """theta with half of the topics as candidates is nearly that with all."""
    bow, _, config, last = trained(1)
    thetas = []
    for candidates in (16, 30):
        theta = np.zeros((bow.D, 30))
        (found,) = fold_in_corpus(hdp, replace(config, candidates=candidates), last.state, bow)
        theta[np.repeat(np.arange(bow.D), np.diff(found.indptr)), found.topics] = found.weights
        thetas.append(theta)
    assert 0.5 * np.abs(thetas[0] - thetas[1]).sum(axis=1).mean() < 0.02


def test_topics_that_are_not_in_use_get_no_tokens(tmp_path):
    """Their words all have 1 / V, which is far above the floors of the others: a rare word would be
    given to them if theta left anything for them."""
    bow, _, config, last = trained(1)
    used = last.topics.used
    assert 5 < used.sum() < 30 and np.isnan(last.coherence[~used]).all()
    thetas = list(fold_in_corpus(hdp, config, last.state, bow))
    sums = np.add.reduceat(thetas[0].weights.astype(np.float64), thetas[0].indptr[:-1])
    assert (
        (sums >= 1.0).all() and (sums < 1.0 + 1e-5).all() and np.diff(thetas[0].indptr).max() <= 8
    )
    list(gather(tmp_path / "e", bow, postings_of(bow), last.topics, thetas))
    evidence = open_evidence(tmp_path / "e", bow, postings_of(bow))
    assert not set(np.unique(evidence.token_topics.topics)) - set(np.flatnonzero(used))


def test_resetting_pi_changes_nothing(corpus, monkeypatch):
    bow = corpus[0]
    config = config_of(passes=10, kappa=0.51, tau0=1.0)
    often = last_of(config, bow).topics.dense()
    monkeypatch.setattr(dense, "PI_LEAST", 0.0)
    assert np.abs(often - last_of(config, bow).topics.dense()).max() < 1e-4


def test_a_step_of_size_one_forgets_the_start(corpus):
    bow = corpus[0]
    config = config_of(tau0=0.0)
    state = state_of(config, bow)
    hdp.step(config, state, bow, np.arange(20), TrainingCorpus.of_bow(bow, steps_per_pass=3))
    assert (state.pi, state.chance) == (1.0, 0.0)
    assert state.totals.sum() == pytest.approx(bow.first_token[20] * bow.D / 20)
    assert state.mass.sum() == pytest.approx(T * bow.D)


def test_a_step_without_documents_changes_no_topic(corpus):
    bow = corpus[0]
    config = config_of()
    state = state_of(config, bow)
    values = state.values.copy()
    mass = state.mass.copy()
    hdp.step(
        config, state, bow, np.zeros(0, np.int64), TrainingCorpus.of_bow(bow, steps_per_pass=3)
    )
    assert (
        state.t == 1 and np.array_equal(values, state.values) and np.array_equal(mass, state.mass)
    )


def test_it_begins_with_given_topics(corpus):
    bow = corpus[0]
    config = config_of()
    corpus = TrainingCorpus.of_bow(bow, np.array([5]), steps_per_pass=3)
    given = (bow.words % 3).astype(np.uint16)
    state = hdp.begin(config, corpus, 0, bow, given, np.array([5]))
    kept = np.repeat(np.arange(bow.D), np.diff(bow.indptr)) != 5
    tokens = np.bincount(given[kept], weights=bow.counts[kept], minlength=K)
    assert (
        np.array_equal(state.totals, tokens)
        and state.values.sum() == tokens.sum()
        and state.ahead == 6
    )
    assert state.mass[:3].tolist() == [bow.D - 1] * 3 and not state.mass[3:].any()
    assert hdp.topics(config, state).used.tolist() == [True] * 3 + [False] * 9
    before = state.values.sum()
    hdp.step(config, state, bow, np.arange(20), corpus)
    assert state.pi == pytest.approx(1 - hdp.rho(config, 7)) and state.values.sum() != before


@pytest.mark.parametrize(
    "settings", [{"alpha": 1e-6}, {"alpha": 1e6}, {"eta": 1e-6}, {"eta": 1e6}, {"omega": 1e-6}]
)
def test_extreme_priors_give_numbers(corpus, settings):
    bow = corpus[0]
    config = config_of(**settings)
    last = last_of(config, bow)
    last.topics.proper()
    for f in fields(last.state):
        assert np.isfinite(getattr(last.state, f.name)).all()
    (theta,) = fold_in_corpus(hdp, config, last.state, bow)
    assert np.isfinite(theta.weights).all() and (np.diff(theta.indptr) > 0).all()


def test_a_document_of_ten_million_words():
    bow = bow_of([[0, 1, 2] * 10, [3, 4, 5] * 10], 6)
    bow.counts[:3] = 10_000_000 // 3
    bow = type(bow)(bow.indptr, bow.words, bow.counts, 6)
    config = hdp.Config(topics=4, document_topics=2, passes=5, minibatch=2).resolve(
        bow.D, bow.tokens
    )
    last_of(config, bow).topics.proper()


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"document_topics": 0}, "document_topics"),
        ({"alpha": 0.0}, "alpha"),
        ({"omega": -1.0}, "omega"),
        ({"eta": 0.0}, "eta"),
        ({"kappa": 0.5}, "kappa"),
        ({"tau0": -1.0}, "tau0"),
        ({"candidates": 0}, "candidates"),
        ({"iterations": 0}, "iterations"),
    ],
)
def test_settings_that_cannot_be(settings, field):
    with pytest.raises(Invalid) as error:
        hdp.Config(topics=3, **settings)
    assert error.value.field == field
