"""Variational EM against its slow twin and its bound, made collections whose topics are known, and
the edges."""

from dataclasses import fields

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from inference import Bow, simulate
from inference.engines import config as engine_config, priors, vem
from inference.engines.contract import TrainingCorpus
from inference.errors import Invalid
from inference.schedule import Schedule, held_out_documents
from inference.training import begin
from tests.inference import naive_vb
from tests.inference.corpora import bow_of, planted

KINDS = [
    {"topics_prior": "none", "learn": "nothing"},
    {"topics_prior": "none", "learn": "alpha"},
    {"topics_prior": "dirichlet", "learn": "nothing"},
    {"topics_prior": "dirichlet", "learn": "both"},
    {"topics_prior": "dirichlet", "learn": "words"},
]
NAMES = ["-".join(kind.values()) for kind in KINDS]


def resolved(bow: Bow, topics: int, **settings):
    return engine_config("vem", topics=topics, **{"passes": 10} | settings).resolve(
        bow.D, bow.tokens
    )


def corpus_of(bow: Bow, config) -> TrainingCorpus:
    return Schedule(bow, config, np.zeros(0, np.int64)).corpus


def trained(bow: Bow, topics: int, seed: int = 0, state=None, each=lambda state: None, **settings):
    """(config, state) after all passes over all documents; `each` is called after every pass."""
    config = resolved(bow, topics, **settings)
    schedule = Schedule(bow, config, np.zeros(0, np.int64))
    state = state or vem.init(config, schedule.corpus, seed)
    while state.t < schedule.steps:
        vem.step(config, state, bow, schedule.batch(state.t, seed), schedule.corpus)
        if state.t % schedule.per_pass == 0:
            each(state)
    return config, state


def beta_of(state) -> np.ndarray:
    lam = state.eta + state.values.T.astype(np.float64)
    return lam / lam.sum(axis=1, keepdims=True)


def documents_of(bow: Bow):
    return [
        (bow.words[a:b], bow.counts[a:b]) for a, b in zip(bow.indptr, bow.indptr[1:], strict=False)
    ]


def drawn_bow(V=40, D=50, seed=0) -> Bow:
    """Documents of different length, one of them without words."""
    generator = np.random.default_rng(seed)
    p = generator.dirichlet(np.full(V, 0.1), 3)
    lengths = [0, 1, 2, 500, *generator.integers(3, 60, D - 4)]
    return bow_of(
        [generator.choice(V, size=n, p=p[i % 3]).tolist() for i, n in enumerate(lengths)], V
    )


class Twin:
    """Algorithms 1 and 4 of paper 004, as corrected: phi[n, k] of each document, and all sums in
    full."""

    def __init__(self, bow, config, state):
        self.documents = documents_of(bow)
        self.config = config
        self.state = state
        self.s = state.values.T.astype(np.float64)
        self.alpha = state.alpha.copy()
        self.eta = np.full(bow.V, state.eta)
        self.gamma = [self.alpha + counts.sum() / len(self.alpha) for _, counts in self.documents]

    def one_pass(self):
        smoothed = self.config.topics_prior == "dirichlet"
        with np.errstate(divide="ignore"):
            log_b = (
                naive_vb.e_log_dirichlet(self.eta + self.s)
                if smoothed
                else np.log(self.s / self.s.sum(axis=1, keepdims=True))
            )
        new = np.zeros_like(self.s)
        logs = []
        for d, (words, counts) in enumerate(self.documents):
            self.gamma[d], phi, _ = naive_vb.document(
                words, counts, log_b, self.alpha, self.gamma[d], 0.0, self.config.iterations
            )
            for n, w in enumerate(words):
                new[:, w] += counts[n] * phi[n]
            if len(words):
                logs.append(naive_vb.e_log_dirichlet(self.gamma[d]))
        self.s = new
        if self.config.learn != "nothing":
            self.alpha = priors.alpha(self.alpha, np.mean(logs, axis=0), new.sum() / len(logs))
        log_beta = naive_vb.e_log_dirichlet(self.eta + self.s)
        K, V = self.s.shape
        if self.config.learn == "both" and smoothed:
            self.eta[:] = priors.eta(self.eta[0], K, V, log_beta.sum())
        if self.config.learn == "words":
            self.eta = priors.alpha(self.eta, log_beta.sum(axis=0) / K, self.s.sum() / K)


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
@pytest.mark.parametrize("minibatch", [7, 100])
def test_it_does_what_the_slow_twin_does(kind, minibatch):
    bow = drawn_bow()
    config = resolved(
        bow, 4, iterations=6, tolerance=0.0, minibatch=minibatch, init="random", **kind
    )
    corpus = corpus_of(bow, config)
    state = vem.init(config, corpus, 3)
    twin = Twin(bow, config, state)
    order = Schedule(bow, config, np.zeros(0, np.int64))
    for _ in range(3):
        for _ in range(corpus.steps_per_pass):
            vem.step(config, state, bow, order.batch(state.t, 0), corpus)
        twin.one_pass()
        lam = twin.eta[None, :] + twin.s if kind["topics_prior"] == "dirichlet" else twin.s
        assert state.eta + state.values.T == pytest.approx(lam, rel=2e-4, abs=2e-4)
        assert state.alpha == pytest.approx(twin.alpha, rel=1e-4)
        assert state.gamma[: bow.D] == pytest.approx(np.array(twin.gamma), rel=2e-4, abs=1e-4)
        assert state.totals == pytest.approx(state.values.sum(axis=0, dtype=np.float64), rel=1e-6)
    assert state.documents == 0 and not state.next.any() and not state.log_theta.any()


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_the_bound_is_the_bound_in_full(kind):
    bow = drawn_bow()
    config, state = trained(bow, 4, passes=3, iterations=500, tolerance=0.0, **kind)
    eta = state.eta_words if len(state.eta_words) else np.full(bow.V, state.eta)
    if kind["topics_prior"] == "dirichlet":
        lam = state.eta + state.values.T.astype(np.float64)
        log_b = naive_vb.e_log_dirichlet(lam)
        more = 0.0
        if kind["learn"] != "words":
            more = naive_vb.topics_bound(lam, state.eta)
            assert vem.topics_bound(state) == pytest.approx(more, rel=1e-6)
        else:
            more = vem.topics_bound(state)
            state.eta_words = np.full(bow.V, state.eta)
            assert vem.topics_bound(state) == pytest.approx(
                naive_vb.topics_bound(lam, state.eta), rel=1e-6
            )
            state.eta_words = eta
    else:
        log_b = np.log(np.maximum(beta_of(state), 1e-300))
        more = 0.0
    gammas = [
        naive_vb.document(
            words, counts, log_b, state.alpha, state.gamma[d].astype(np.float64), 0.0, 500
        )[0]
        for d, (words, counts) in enumerate(documents_of(bow))
    ]
    exact = naive_vb.documents_bound(documents_of(bow)[1:], log_b, state.alpha, gammas[1:]) + more
    assert vem.bound(config, state, bow, np.arange(bow.D)) == pytest.approx(exact, rel=1e-5)


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_the_bound_never_falls(kind):
    """Not in scikit-learn, which restarts gamma at random in each pass."""
    bow, _ = planted(4, 60, 120, 40, seed=2)
    bounds, documents = [], np.arange(bow.D)
    config = resolved(bow, 4, passes=25, **kind)
    before = vem.init(config, corpus_of(bow, config), 1)
    bounds.append(vem.bound(config, before, bow, documents))
    trained(
        bow,
        4,
        seed=1,
        passes=25,
        each=lambda s: bounds.append(vem.bound(config, s, bow, documents)),
        **kind,
    )
    rises = np.diff(bounds)
    assert (rises >= -1e-6 * np.abs(bounds[1:])).all() and bounds[-1] > bounds[0] + 100


def test_bound_and_topics_change_nothing():
    bow = drawn_bow()
    config, state = trained(bow, 3, passes=2)
    kept = {name: np.copy(value) for name, value in vars(state).items()}
    vem.bound(config, state, bow, np.arange(bow.D))
    vem.topics(config, state)
    vem.fold_in(config, state, bow, 0, bow.D)
    assert all(np.array_equal(value, kept[name]) for name, value in vars(state).items())


def test_slices_make_no_difference_but_rounding():
    bow, _ = planted(4, 60, 200, 40, seed=2)
    few, many = (
        trained(bow, 4, passes=8, minibatch=n, tolerance=0.0, iterations=20)[1] for n in (13, 200)
    )
    assert few.values == pytest.approx(many.values, abs=1e-3) and few.alpha == pytest.approx(
        many.alpha, rel=1e-4
    )


def test_slices_without_words_make_no_difference():
    """Topics begin once, whether or not the first slices have words."""
    bow, _ = planted(3, 30, 18, 20, seed=5)
    schedule = Schedule(bow, resolved(bow, 3, minibatch=1), np.zeros(0, np.int64))
    is_full = np.ones(bow.D, bool)
    is_full[[schedule.batch(t, 0)[0] for t in range(3)]] = False
    bow = bow.only(is_full)
    few, many = (
        trained(bow, 3, passes=3, minibatch=n, tolerance=0.0, iterations=20)[1] for n in (1, bow.D)
    )
    assert few.values == pytest.approx(many.values, abs=1e-3)


def test_a_checkpoint_of_before_has_begun_where_a_slice_was_read():
    bow, _ = planted(3, 30, 18, 20, seed=5)
    config = resolved(bow, 3, minibatch=1)
    new = vem.init(config, corpus_of(bow, config), 0)
    older = {f.name: getattr(new, f.name) for f in fields(new) if f.name != "begun"}
    assert not vem.State(**older).begun
    assert vem.State(**older | {"tokens": 20}).begun
    assert vem.State(**older | {"gamma": new.gamma + 1}).begun


def test_without_a_prior_what_is_0_stays_0():
    """And a document with a word that no topic has can still be read."""
    bow = bow_of([[0, 0, 1, 1, 2]] * 5 + [[3, 4]] * 5 + [[5, 0]], 6)
    config = resolved(bow, 2, passes=5, minibatch=100)
    corpus = corpus_of(bow, config)
    state = vem.init(config, corpus, 1)
    state.values[3, 0] = 0.0
    state.values[5] = 0.0
    for _ in range(5):
        vem.step(config, state, bow, np.arange(10), corpus)
        assert state.values[3, 0] == 0.0 and not state.values[5].any()
    topics = vem.topics(config, state)
    assert (topics.dense() >= 0.99 * vem.LEAST_BETA).all() and topics.proper().K == 2
    theta = vem.fold_in(config, state, bow, 10, 11)
    assert np.isfinite(theta.weights).all() and theta.weights.sum() == pytest.approx(1)
    assert np.isfinite(vem.bound(config, state, bow, np.arange(11)))


def test_one_topic_has_a_closed_form():
    bow = drawn_bow()
    frequency = np.bincount(bow.words, weights=bow.counts, minlength=bow.V)
    _, state = trained(bow, 1, passes=2)
    assert beta_of(state)[0] == pytest.approx(frequency / frequency.sum(), rel=1e-5)
    _, state = trained(bow, 1, passes=2, topics_prior="dirichlet", learn="nothing")
    assert state.eta + state.values[:, 0] == pytest.approx(0.4 + frequency, rel=1e-5)
    assert state.alpha.tolist() == [1.0]


def test_a_huge_alpha_mixes_all_topics_evenly():
    bow = drawn_bow()
    config, state = trained(bow, 4, passes=2, alpha=1e6, learn="nothing")
    theta = vem.fold_in(config, state, bow, 0, bow.D)
    assert theta.weights == pytest.approx(np.full(4 * (bow.D - 1), 0.25), abs=1e-3)


def test_learned_priors_stay_where_they_are_best():
    """At the end of a long training another step of Newton's method changes nothing."""
    bow, _ = planted(3, 45, 200, 60, seed=4)
    _, state = trained(bow, 3, passes=150, topics_prior="dirichlet", iterations=200, tolerance=1e-6)
    before = state.alpha.copy()
    eta = state.eta
    config, after = trained(
        bow, 3, passes=152, state=state, topics_prior="dirichlet", iterations=200, tolerance=1e-6
    )
    assert after.alpha == pytest.approx(before, rel=1e-3) and after.eta == pytest.approx(
        eta, rel=1e-3
    )


def matched_errors(truth, state) -> np.ndarray:
    """The relative error of each true topic, in the one-to-one matching with the least sum."""
    cost = ((truth.beta[:, None] - beta_of(state)[None]) ** 2).sum(axis=2)
    return cost[linear_sum_assignment(cost)] / (truth.beta**2).sum(axis=1)


def best_of(bow: Bow, topics: int, starts: int, **settings):
    """The State with the best bound of several starts, as the paper advises (section 3.2)."""
    every = [trained(bow, topics, seed=seed, **settings) for seed in range(starts)]
    return max(every, key=lambda one: vem.bound(*one, bow, np.arange(bow.D)))[1]


@pytest.mark.parametrize("kind", [KINDS[1], KINDS[3]], ids=["none", "dirichlet"])
def test_planted_topics_are_found(kind):
    """85 in a hundred over five collections, from one start each: total variation below 0.2."""
    found = 0
    for seed in range(5):
        bow, beta = planted(6, 120, 600, 60, seed=seed)
        _, state = trained(bow, 6, seed=seed, passes=30, **kind)
        away = 0.5 * np.abs(beta[:, None] - beta_of(state)[None]).sum(axis=2)
        found += int((away[linear_sum_assignment(away)] < 0.2).sum())
    assert found >= 0.85 * 30


def test_made_topics_are_found_again():
    """Collections with topics of very different frequency: half of the topics are found in each,
    and at most two of ten are no better than the uniform topic."""
    for seed in range(5):
        bow, truth = simulate.corpus(2000, 10, 500, 100, seed=seed)
        _, state = trained(bow, 10, seed=seed, passes=40)
        errors = matched_errors(truth, state)
        uniform = simulate.relative_error(truth.beta, np.full(500, 1 / 500))
        assert np.median(errors) < 0.25 and (errors >= uniform).sum() <= 2, seed


def test_made_topics_of_one_frequency_are_found_again():
    """The best bound of four starts: a single one may end with two topics in one."""
    bow, truth = simulate.corpus(2000, 10, 500, 100, alpha=np.full(10, 0.1), seed=3)
    best = best_of(bow, 10, 4, passes=40)
    assert (matched_errors(truth, best) < 0.1).sum() >= 9
    assert best.alpha.sum() == pytest.approx(1.0, rel=0.5)


def test_an_eta_for_each_word_learns_which_are_in_all_topics():
    """A third of all tokens is of three words that every topic has: those get the largest etas."""
    bow, _ = planted(3, 45, 300, 40, seed=4)
    generator = np.random.default_rng(0)
    texts = [np.repeat(words, counts).tolist() for words, counts in documents_of(bow)]
    bow = bow_of([text + generator.integers(45, 48, 20).tolist() for text in texts], 48)
    _, state = trained(bow, 3, passes=20, topics_prior="dirichlet", learn="words")
    assert state.eta_words.min() == pytest.approx(state.eta)
    assert state.eta_words[45:].min() > 2 * np.median(state.eta_words[:45])
    assert vem.priors(None, state).eta == pytest.approx(state.eta_words.mean())


@pytest.mark.parametrize("kind", [KINDS[1], KINDS[3]], ids=["none", "dirichlet"])
def test_a_warm_start_can_leave_its_topics(kind):
    """Tokens of wrong topics: without a prior hard zeros would keep them there."""
    bow, beta = planted(3, 45, 300, 60, seed=4)
    config = resolved(bow, 3, passes=30, **kind)
    given = np.random.default_rng(0).integers(0, 3, len(bow.words)).astype(np.uint16)
    state = begin(vem, config, bow, given, seed=1)
    held_out = held_out_documents(bow, 1)
    counted = sum(int(bow.counts[bow.indptr[d] : bow.indptr[d + 1]].sum()) for d in held_out)
    assert state.totals.sum() == pytest.approx(bow.tokens - counted, rel=1e-5)
    assert (state.values[np.unique(bow.words)] > 0).all()
    _, state = trained(bow, 3, passes=30, seed=1, state=state, **kind)
    away = 0.5 * np.abs(beta[:, None] - beta_of(state)[None]).sum(axis=2)
    assert (away[linear_sum_assignment(away)] < 0.2).all()


@pytest.mark.parametrize(
    "settings",
    [
        {"alpha": 1e-6, "learn": "nothing"},
        {"alpha": 1e-6, "eta": 1e-6, "learn": "nothing", "topics_prior": "dirichlet"},
        {"eta": 1e5, "alpha": 1e5, "learn": "nothing", "topics_prior": "dirichlet"},
        {"alpha": 1e-6},
        {"alpha": 1e6},
        {"topics_prior": "dirichlet", "learn": "words", "eta": 1e-6},
    ],
)
def test_extreme_priors(settings):
    bow = drawn_bow()
    config, state = trained(bow, 5, passes=3, **settings)
    assert (
        np.isfinite(state.values).all()
        and np.isfinite(state.alpha).all()
        and (state.alpha > 0).all()
    )
    assert state.values.sum() - (state.eta_words - state.eta).sum() * 5 == pytest.approx(
        bow.tokens, rel=1e-4
    )
    assert np.isfinite(vem.topics(config, state).dense()).all()


@pytest.mark.parametrize("kind", [KINDS[1], KINDS[3]], ids=["none", "dirichlet"])
def test_a_document_of_ten_million_words(kind):
    """Where the paper's own program overflowed, and divided gamma by its least."""
    indptr = np.array([0, 50, 52, 54])
    words = np.array([*range(50), 0, 1, 2, 3], np.int32)
    counts = np.array([200_000] * 50 + [1, 1, 1, 1], np.int32)
    bow = Bow(indptr, words, counts, 50)
    _, state = trained(bow, 3, passes=3, **kind)
    assert np.isfinite(state.gamma).all() and state.totals.sum() == pytest.approx(
        10_000_004, rel=1e-5
    )


def test_more_topics_than_documents_and_one_word():
    for bow in (bow_of([[0, 1]] * 3, 2), bow_of([[0]] * 3, 1)):
        for kind in KINDS:
            config, state = trained(bow, 20, passes=2, **kind)
            assert vem.topics(config, state).proper().K == 20


def test_held_out_documents_alone_change_nothing():
    bow = drawn_bow()
    config = resolved(bow, 3, minibatch=100)
    state = vem.init(config, corpus_of(bow, config), 1)
    values = state.values.copy()
    alpha = state.alpha.copy()
    vem.step(config, state, bow, np.zeros(0, np.int64), corpus_of(bow, config))
    assert (
        np.array_equal(state.values, values) and np.array_equal(state.alpha, alpha) and state.t == 1
    )


def test_what_can_not_be_is_refused():
    for settings, named in (
        ({"learn": "words"}, "learn"),
        ({"alpha": 0.0}, "alpha"),
        ({"tolerance": 2.0}, "tolerance"),
        ({"topics_prior": "x"}, "topics_prior"),
    ):
        with pytest.raises(Invalid) as error:
            vem.Config(topics=3, **settings)
        assert error.value.field == named
