"""The engines svi and vb: against a slow twin, scikit-learn and gensim from the same start, and in
their limits."""

from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from inference.engines import config as engine_config, dense, svi, variational, vb
from inference.engines.contract import TrainingCorpus
from inference.errors import Invalid
from inference.kernels import vb as kernels
from inference.training import Snapshot, train
from tests.inference import naive_vb
from tests.inference.corpora import bow_of, corpus_of_size, planted

K = 4
V = 50
D = 48


@pytest.fixture(scope="module")
def bow():
    return planted(K, V, D, 30, seed=2)[0]


def corpus_of(bow, per_pass):
    return TrainingCorpus.of_bow(bow, steps_per_pass=per_pass)


def in_double(state):
    """The state with arrays of float64, so that kernels compute in it: for comparisons closer than
    float32 allows."""
    for f in fields(state):
        value = getattr(state, f.name)
        if isinstance(value, np.ndarray) and value.dtype == np.float32:
            setattr(state, f.name, value.astype(np.float64))
    return state


def steps(engine, config, bow, n, batches, state=None, double=False):
    """The state after n steps over the given batches, in turn."""
    corpus = corpus_of(bow, len(batches))
    state = state or engine.init(config, corpus, 1)
    state = in_double(state) if double else state
    for t in range(n):
        engine.step(config, state, bow, batches[t % len(batches)], corpus)
    return state


def lam(state):
    return (state.eta + state.pi * state.values.astype(np.float64)).T


def last(engine, config, bow, seed) -> Snapshot:
    return [
        event for event in train(engine, config, bow, seed=seed) if isinstance(event, Snapshot)
    ][-1]


def naive_step(lam, bow, batch, alpha, starts, config):
    """(sum of n phi [K, V], gammas) of a batch."""
    log_b = (
        naive_vb.e_log_dirichlet(lam)
        if config.expectation == "log"
        else np.log(lam / lam.sum(axis=1, keepdims=True))
    )
    statistics = np.zeros_like(lam)
    gammas = []
    for d, start in zip(batch, starts, strict=True):
        words, counts = (
            part[bow.indptr[d] : bow.indptr[d + 1]] for part in (bow.words, bow.counts)
        )
        new = (start == variational.COLD).all()
        limit = max(config.tolerance, config.first_tolerance if new else 0.0) * counts.sum()
        gamma, phi, _ = naive_vb.document(
            words, counts, log_b, alpha, start, limit, config.iterations
        )
        statistics[:, words] += (counts[:, None] * phi).T
        gammas.append(gamma)
    return statistics, gammas


@pytest.mark.parametrize("expectation", ["log", "mean"])
@pytest.mark.parametrize(("kappa", "tau0"), [(0.7, 10.0), (1.0, 0.0), (0.0, 5.0)])
@pytest.mark.parametrize(
    ("double", "near"), [(True, 1e-9), (False, 1e-4)], ids=["float64", "float32"]
)
def test_steps_are_the_slow_twins(bow, expectation, kappa, tau0, double, near):
    """Step for step, remembered gamma and the scale pi included."""
    config = svi.Config(
        start="random",
        topics=K,
        kappa=kappa,
        tau0=tau0,
        minibatch=16,
        truncate=0.0,
        remember=K,
        expectation=expectation,
        tolerance=1e-12,
        first_tolerance=0.03
        if double
        else 0.0,  # single precision may end an iteration sooner or later
        iterations=12,
    ).resolve(D, bow.tokens)
    batches = np.split(np.random.default_rng(1).permutation(D), 3)
    state = svi.init(config, corpus_of(bow, 3), 1)
    state = in_double(state) if double else state
    twin = lam(state)
    gamma = np.ones((D, K))
    for t in range(1, 10):
        batch = batches[t % 3]
        svi.step(config, state, bow, batch, corpus_of(bow, 3))
        statistics, gamma[batch] = naive_step(
            twin, bow, batch, np.full(K, config.alpha), gamma[batch], config
        )
        rho = (tau0 + t) ** -kappa
        twin = (1 - rho) * twin + rho * (config.eta + D / len(batch) * statistics)
        assert np.allclose(lam(state), twin, rtol=near, atol=near * 10)
        assert np.allclose(
            state.gamma[batch], gamma[batch], rtol=max(near, 1e-6 if double else near)
        )
        assert state.pi * state.totals == pytest.approx((twin - config.eta).sum(axis=1), rel=near)


def test_a_reset_of_pi_changes_nothing(bow, monkeypatch):
    config = svi.Config(topics=K, kappa=0.51, tau0=1.0, minibatch=16).resolve(D, bow.tokens)
    batches = np.split(np.arange(D), 3)
    ends = []
    for least in (1e-6, 0.5, 0.0):
        monkeypatch.setattr(dense, "PI_LEAST", least)
        ends.append(lam(steps(svi, config, bow, 60, batches)))
    assert np.allclose(ends[0], ends[1], rtol=1e-3, atol=1e-3) and np.allclose(
        ends[0], ends[2], rtol=1e-3, atol=1e-3
    )


@pytest.mark.parametrize("learn", ["nothing", "alpha", "both"])
def test_svi_without_memory_of_topics_is_vb(bow, learn):
    """kappa = 0 and a minibatch of all documents: bit for bit."""
    everything = [np.arange(D)]
    common = {"topics": K, "minibatch": D, "learn": learn, "truncate": 0.0}
    one = svi.Config(expectation="log", kappa=0.0, remember=K, interval=1, **common).resolve(
        D, bow.tokens
    )
    two = vb.Config(**common).resolve(D, bow.tokens)
    a = steps(svi, one, bow, 4, everything)
    b = steps(vb, two, bow, 4, everything)
    for name in ("values", "totals", "gamma", "alpha"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    assert a.eta == b.eta and (learn == "nothing") == (a.alpha[0] == one.alpha)


@pytest.mark.parametrize("parts", [2, 8, 48])
def test_slices_make_no_difference(bow, parts):
    config = vb.Config(
        start="random", topics=K, minibatch=D // parts, learn="both", tolerance=0.0, iterations=10
    ).resolve(D, bow.tokens)
    sliced = steps(vb, config, bow, 3 * parts, np.split(np.arange(D), parts))
    whole = steps(vb, replace(config, minibatch=D), bow, 3, [np.arange(D)])
    assert np.allclose(sliced.values, whole.values, rtol=1e-4, atol=1e-4)
    assert sliced.alpha == pytest.approx(whole.alpha, rel=1e-4) and sliced.eta == pytest.approx(
        whole.eta, rel=1e-4
    )


def test_one_topic_has_all_words(bow):
    counts = np.bincount(bow.words, weights=bow.counts, minlength=V)
    for engine, options in (
        (vb, {}),
        (svi, {"kappa": 0.0}),
        (svi, {"statistics": "stream", "passes": 1}),
    ):
        config = engine.Config(topics=1, minibatch=D, eta=0.3, **options).resolve(D, bow.tokens)
        state = steps(engine, config, bow, 1, [np.arange(D)])
        assert lam(state)[0] == pytest.approx(0.3 + counts, rel=1e-5)


def test_eta_is_learned_with_one_topic(bow):
    """In steps of the whole corpus that forget all before, svi learns what vb learns."""
    common = {"topics": 1, "minibatch": D, "learn": "both", "eta": 0.3, "passes": 4}
    svi_config = svi.Config(expectation="log", kappa=0.0, interval=1, **common)
    vb_config = vb.Config(**common)
    learned = steps(svi, svi_config.resolve(D, bow.tokens), bow, 4, [np.arange(D)]).eta
    expected = steps(vb, vb_config.resolve(D, bow.tokens), bow, 4, [np.arange(D)]).eta
    assert learned == pytest.approx(expected, rel=1e-4)
    assert abs(learned - 0.3) > 0.01


def test_an_older_state_of_svi_has_its_mean_where_it_has_numbers(bow):
    config = svi.Config(topics=K, learn="both").resolve(D, bow.tokens)
    state = svi.init(config, corpus_of(bow, 1), 1)
    older = {f.name: getattr(state, f.name) for f in fields(state) if f.name != "has_log_theta"}
    assert not svi.State(**older).has_log_theta
    assert svi.State(**older | {"log_theta": np.full(K, -1.0)}).has_log_theta


def test_a_large_alpha_makes_documents_even(bow):
    config = vb.Config(topics=K, alpha=1e6, minibatch=D).resolve(D, bow.tokens)
    theta = vb.fold_in(config, steps(vb, config, bow, 1, [np.arange(D)]), bow, 0, D)
    assert theta.weights == pytest.approx(np.full(D * K, 1 / K), rel=1e-3)


def test_streaming_is_a_step_size_of_one_by_t(monkeypatch):
    """With phi as given, one pass of equal batches at rho = 1 / t adds up to what streaming adds up
    to."""
    bow = planted(K, V, D, 30, seed=2)[0]
    phi = np.random.default_rng(0).dirichlet(np.ones(K), V)

    def frozen(config, state, batch, documents=None, **_):
        b = phi[batch.words].astype(np.float32)
        ones = np.ones((len(batch.lengths), K), np.float32)
        return SimpleNamespace(gamma=ones.astype(float), e=ones, f=batch.counts.copy(), b=b)

    monkeypatch.setattr(variational, "local", frozen)
    batches = np.split(np.arange(D), 6)
    common = {"topics": K, "minibatch": 8, "passes": 1, "start": "random"}
    stream = svi.Config(statistics="stream", **common).resolve(D, bow.tokens)
    decay = svi.Config(kappa=1.0, tau0=0.0, **common).resolve(D, bow.tokens)
    a, b = (steps(svi, config, bow, 6, batches) for config in (stream, decay))
    assert np.allclose(lam(a), lam(b), rtol=1e-5)
    assert lam(a).sum() == pytest.approx(K * V * stream.eta + bow.tokens, rel=1e-6)


def test_streaming_keeps_no_noise(bow):
    """What is random in the start fades: the first batch begins with all of it, topics hold counts
    alone."""
    config = svi.Config(topics=K, statistics="stream", minibatch=16).resolve(D, bow.tokens)
    batches = np.split(np.arange(D), 3)
    state = steps(svi, config, bow, 1, batches)
    assert state.totals.sum() == pytest.approx(sum(np.diff(bow.first_token)[batches[0]]), rel=1e-5)
    assert np.ptp(steps(svi, config, bow, 3, batches).totals) > 0
    with pytest.raises(Invalid, match="count documents twice"):
        svi.Config(topics=K, statistics="stream", passes=2)
    with pytest.raises(Invalid, match="continues from topics"):
        svi.begin(
            config,
            corpus_of(bow, 3),
            1,
            bow,
            np.zeros(len(bow.words), np.uint16),
            np.zeros(0, np.int64),
        )


@pytest.mark.parametrize("learn", ["nothing", "alpha", "both"])
@pytest.mark.parametrize("eta", [0.05, 0.4])
def test_the_bound_rises_with_each_pass(learn, eta):
    bow = planted(6, 120, 200, 40, seed=3)[0]
    config = vb.Config(topics=6, eta=eta, learn=learn, minibatch=50, tolerance=1e-5).resolve(
        200, bow.tokens
    )
    batches = np.split(np.arange(200), 4)
    corpus = corpus_of(bow, 4)
    state = vb.init(config, corpus, 1)
    bounds = []
    for _ in range(25):
        bounds.append(vb.bound(config, state, bow, np.arange(200)))
        for batch in batches:
            vb.step(config, state, bow, batch, corpus)
    rises = np.diff(bounds)
    assert rises.min() > -1e-6 * abs(bounds[-1]) and rises[:5].min() > 0


def test_the_bound_rises_with_each_kind_of_update():
    bow = planted(6, 120, 100, 40, seed=3)[0]
    config = vb.Config(topics=6, learn="both", minibatch=100).resolve(100, bow.tokens)
    everything = np.arange(100)
    state = in_double(steps(vb, config, bow, 2, [everything]))

    def bound(gammas, log_b=None):
        documents = [
            (bow.words[a:b], bow.counts[a:b])
            for a, b in zip(bow.indptr, bow.indptr[1:], strict=False)
        ]
        log_b = naive_vb.e_log_dirichlet(lam(state)) if log_b is None else log_b
        return naive_vb.documents_bound(
            documents, log_b, state.alpha, gammas
        ) + naive_vb.topics_bound(lam(state), state.eta)

    batch = dense.batch_of(bow, everything)
    values = [bound(state.gamma)]
    local = variational.local(config, state, batch, everything)
    values.append(bound(local.gamma))  # of the documents
    state.values[:] = 0.0
    state.totals[:] = 0.0
    variational.add(batch, local, 1.0, state.values, state.totals)
    values.append(bound(local.gamma))  # of lambda
    from inference.engines import priors

    log_theta = kernels.log_theta(batch.doc_ptr, local.gamma) / 100
    state.alpha = priors.alpha(state.alpha, log_theta, 1e6)
    values.append(bound(local.gamma))  # of alpha
    variational.learn(config, state, log_theta, 1e6, 5)
    values.append(bound(local.gamma))  # of eta
    assert (np.diff(values) > 0).all()


def test_the_bound_is_the_slow_twins(bow):
    """And over all batches the mean of what each says is the bound of all."""
    config = svi.Config(
        topics=K, expectation="log", minibatch=16, iterations=200, tolerance=1e-9, remember=K
    ).resolve(D, bow.tokens)
    batches = np.split(np.arange(D), 3)
    state = in_double(steps(svi, config, bow, 7, batches))
    log_b = naive_vb.e_log_dirichlet(lam(state))
    documents = [
        (bow.words[a:b], bow.counts[a:b]) for a, b in zip(bow.indptr, bow.indptr[1:], strict=False)
    ]
    gammas = [
        naive_vb.document(*document, log_b, state.alpha, np.asarray(state.gamma[d]), 1e-8, 200)[0]
        for d, document in enumerate(documents)
    ]
    exact = naive_vb.documents_bound(documents, log_b, state.alpha, gammas) + naive_vb.topics_bound(
        lam(state), state.eta
    )
    found = svi.bound(config, state, bow, np.arange(D))
    assert found == pytest.approx(exact, rel=1e-6)
    assert np.mean(
        [svi.bound(config, state, bow, batch, D / len(batch)) for batch in batches]
    ) == pytest.approx(found, rel=1e-9)


def matrix(bow):
    from scipy.sparse import csr_matrix

    return csr_matrix(
        (np.asarray(bow.counts, np.float64), np.asarray(bow.words), bow.indptr), (bow.D, bow.V)
    )


def given_start(state, lam0):
    """A state whose lambda is lam0, in float64."""
    state = in_double(state)
    state.values = np.ascontiguousarray((lam0 - state.eta).T)
    state.totals = state.values.sum(axis=0)
    state.begun = True
    return state


def peers_limits(monkeypatch, starts):
    """scikit-learn's and gensim's rule, and their random gamma: the mean over topics of |change of
    gamma| below 1e-3."""

    def local(config, state, batch, documents=None, **_):
        b, log_scale = kernels.table(
            batch.words, state.values, state.pi, state.eta, state.totals, True
        )
        gamma = next(starts)
        e, f, iterations = kernels.local_step(
            batch.doc_ptr,
            batch.places,
            batch.counts,
            b,
            state.alpha,
            gamma,
            np.full(len(gamma), 1e-3 * K),
            100,
            0.0,
        )
        return variational.LocalStep(gamma, e, f, b, log_scale, iterations)

    monkeypatch.setattr(variational, "local", local)


@pytest.mark.parametrize("kappa", [0.7, 0.0])
def test_as_scikit_learn(bow, kappa, monkeypatch):
    """Online, and with kappa = 0 and all documents at once; from the same lambda and the same
    gammas."""
    from sklearn.decomposition import LatentDirichletAllocation

    size, passes = (16, 2) if kappa else (D, 5)
    model = LatentDirichletAllocation(
        K,
        doc_topic_prior=0.2,
        topic_word_prior=0.3,
        learning_decay=kappa or 1e-12,
        learning_offset=10.0,
        total_samples=D,
        batch_size=size,
        random_state=np.random.RandomState(5),
        mean_change_tol=1e-3,
        max_doc_update_iter=100,
    )
    batches = np.split(np.arange(D), D // size)
    for _ in range(passes):
        for batch in batches:
            model.partial_fit(matrix(bow)[batch])
    random = np.random.RandomState(5)
    lam0 = random.gamma(100.0, 0.01, (K, V))
    peers_limits(monkeypatch, (random.gamma(100.0, 0.01, (size, K)) for _ in range(100)))
    config = svi.Config(
        topics=K, alpha=0.2, eta=0.3, kappa=kappa, tau0=10.0, minibatch=size, remember=0
    ).resolve(D, bow.tokens)
    state = given_start(svi.init(config, corpus_of(bow, len(batches)), 1), lam0)
    state = steps(svi, config, bow, passes * len(batches), batches, state)
    assert np.allclose(lam(state), model.components_, rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_as_gensim(bow, monkeypatch):
    """One pass from the same lambda and the same gammas; its later passes have steps of their
    own."""
    from gensim.models import LdaModel

    size = 16
    lam0 = np.random.RandomState(7).gamma(100.0, 0.01, (K, V))
    documents = [
        list(zip(bow.words[a:b].tolist(), bow.counts[a:b].tolist(), strict=True))
        for a, b in zip(bow.indptr, bow.indptr[1:], strict=False)
    ]
    model = LdaModel(
        id2word={w: str(w) for w in range(V)},
        num_topics=K,
        alpha=[0.2] * K,
        eta=0.3,
        chunksize=size,
        offset=10.0,
        decay=0.7,
        iterations=100,
        gamma_threshold=1e-3,
        eval_every=None,
        dtype=np.float64,
        random_state=np.random.RandomState(1),
    )
    model.state.sstats = lam0 - 0.3
    model.sync_state()
    model.random_state = np.random.RandomState(9)
    model.update(documents, passes=1)
    random = np.random.RandomState(9)
    peers_limits(monkeypatch, (random.gamma(100.0, 0.01, (size, K)) for _ in range(100)))
    batches = np.split(np.arange(D), 3)
    config = svi.Config(
        topics=K, alpha=0.2, eta=0.3, kappa=0.7, tau0=9.0, minibatch=size, remember=0
    ).resolve(D, bow.tokens)
    state = given_start(svi.init(config, corpus_of(bow, 3), 1), lam0)
    state = steps(svi, config, bow, 3, batches, state)
    assert np.allclose(lam(state), model.state.get_lambda(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("svi", {}),
        ("svi", {"expectation": "log"}),
        ("svi", {"rate": "adaptive", "passes": 20}),
        ("vb", {}),
    ],
    ids=str,
)
def test_planted_topics_are_found(name, options):
    """As many as are asked of `ssi`, from documents as a start; a random one finds fewer
    (docs/engines/svi.md)."""
    matched = []
    for seed in range(5):
        bow, beta = planted(K=6, V=120, D=800, length=60, seed=seed)
        config = engine_config(
            name, **{"topics": 6, "alpha": 0.2, "minibatch": 50, "passes": 12, "eta": 0.1} | options
        )
        from inference import engines

        topics = last(engines.get(name), config, bow, seed).topics.dense()
        distance = 0.5 * np.abs(beta[:, None] - topics[None]).sum(axis=2)
        matched += (distance[linear_sum_assignment(distance)] < 0.2).tolist()
    assert sum(matched) >= 0.85 * len(matched), matched


@pytest.mark.parametrize("prior", [1e-6, 1e5])
def test_extreme_priors(bow, prior):
    for engine, options in ((svi, {}), (vb, {"learn": "both"})):
        config = engine.Config(
            topics=9, alpha=prior, eta=prior, minibatch=16, passes=3, **options
        ).resolve(D, bow.tokens)
        snapshot = last(engine, config, bow, 1)
        assert np.isfinite(snapshot.topics.dense()).all() and np.isfinite(snapshot.held_out)
        assert np.isfinite(engine.bound(config, snapshot.state, bow, np.arange(D)))


def test_a_document_of_ten_million_words():
    bow = bow_of([[0, 1, 2], [1, 2], [3, 4]] * 10, 5)
    counts = bow.counts.copy()
    counts[0] = 10_000_000
    bow = type(bow)(bow.indptr, bow.words, counts, 5)
    for engine in (svi, vb):
        config = engine.Config(topics=3, minibatch=7, passes=4).resolve(30, bow.tokens)
        state = last(engine, config, bow, 1).state
        assert np.isfinite(state.values).all()
        topics = engine.topics(config, state)
        assert topics.dense().sum(axis=1) == pytest.approx(np.ones(3), abs=1e-4)


def test_what_is_remembered(bow):
    """The strongest topics of each document; with as many as there are, all of them, by number."""
    gamma = np.random.default_rng(0).gamma(0.3, 5.0, (3, 7)) + 0.1
    gamma[1, 2] = gamma[1, 5]
    kept = np.zeros((9, 4), np.float32)
    strongest = np.zeros((9, 4), np.uint16)
    kernels.remember(np.array([8, 0, 4]), gamma, kept, strongest)
    for i, d in enumerate((8, 0, 4)):
        order = np.lexsort((np.arange(7), -gamma[i].astype(np.float32)))[:4]
        assert np.array_equal(strongest[d], order) and np.array_equal(
            kept[d], gamma[i, order].astype(np.float32)
        )
    assert not kept[[1, 2, 3, 5, 6, 7]].any()
    config = svi.Config(topics=7, remember=4, minibatch=9).resolve(9, 100)
    state = svi.init(config, corpus_of_size(9, V, 100), 1)
    state.gamma[:9] = kept
    state.strongest[:9] = strongest
    begun = variational.start(state, 2, np.array([1, 4]))
    assert (begun[0] == variational.COLD).all()
    assert begun[1] == pytest.approx(
        np.where(np.isin(np.arange(7), strongest[4]), gamma[2], config.alpha)
    )


def test_remembered_documents_take_fewer_iterations(bow):
    config = svi.Config(topics=K, minibatch=16, passes=10).resolve(D, bow.tokens)
    state = steps(svi, config, bow, 30, np.split(np.arange(D), 3))
    batch = dense.batch_of(bow, np.arange(D))
    cold = variational.local(config, state, batch).iterations
    warm = variational.local(config, state, batch, np.arange(D)).iterations
    assert warm.mean() < 0.6 * cold.mean()


def test_a_batch_of_held_out_documents_changes_nothing(bow):
    config = svi.Config(topics=K, minibatch=16).resolve(D, bow.tokens)
    state = steps(svi, config, bow, 2, np.split(np.arange(D), 3))
    before = lam(state)
    svi.step(config, state, bow, np.zeros(0, np.int64), corpus_of(bow, 3))
    assert state.t == 3 and np.array_equal(lam(state), before)


def test_an_adaptive_step_looks_before_it_moves(bow):
    config = svi.Config(start="random", topics=K, rate="adaptive", minibatch=4).resolve(
        D, bow.tokens
    )
    batches = np.split(np.arange(D), 12)
    start = lam(svi.init(config, corpus_of(bow, 12), 1))
    assert np.array_equal(lam(steps(svi, config, bow, svi.AVERAGED_MINIBATCHES, batches)), start)
    state = steps(svi, config, bow, svi.AVERAGED_MINIBATCHES + 1, batches)
    assert (
        not np.array_equal(lam(state), start)
        and svi.AVERAGED_MINIBATCHES <= state.window < 2 * svi.AVERAGED_MINIBATCHES
    )
    exact = state.values.sum(axis=0, dtype=np.float64)
    assert state.totals == pytest.approx(exact, rel=1e-4)
