"""CVB0 against its slow twins, its limits, what it remembers, and what it finds."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from inference import Bow, Invalid, Snapshot, begin, engines, fold_in_corpus, train
from inference.engines import cvb0, dense
from inference.engines.contract import TrainingCorpus
from inference.kernels import cvb
from inference.schedule import Schedule, held_out_documents
from tests.inference import naive_collapsed
from tests.inference.corpora import bow_of, planted

BOTH = [{}, {"statistics": "decay"}]


def last(config, bow, **options) -> Snapshot:
    for event in train(cvb0, config, bow, **options):
        if isinstance(event, Snapshot):
            final = event
    return final


def documents_of(bow: Bow) -> list[tuple[np.ndarray, np.ndarray]]:
    return [
        (bow.words[a:b], bow.counts[a:b]) for a, b in zip(bow.indptr, bow.indptr[1:], strict=False)
    ]


def phi_of(state: cvb0.State, bow: Bow, K: int) -> list[np.ndarray]:
    """phi of each document, float64[n, K]."""
    out = np.zeros((len(bow.words), K))
    for s in range(state.phi.shape[1]):
        np.add.at(
            out, (np.arange(len(out)), state.remembered[:, s]), state.phi[:, s] / cvb.WHOLE_TOKEN
        )
    return np.split(out, bow.indptr[1:-1])


def begun(bow: Bow, config: cvb0.Resolved, seed: int = 0) -> cvb0.State:
    """Every token of every document has a topic, at random."""
    schedule = Schedule(bow, config, np.zeros(0, np.int64))
    given = (
        np.random.default_rng(seed).integers(config.topics, size=len(bow.words)).astype(np.uint16)
    )
    return cvb0.begin(config, schedule.corpus, seed, bow, given, np.zeros(0, np.int64))


@pytest.mark.parametrize(
    "kept",
    [{"most": 5, "least": 0.0}, {"most": 3, "least": 0.05}, {"most": 3, "least": 0.5}],
    ids=["L = K", "L = 3", "the strongest alone"],
)
def test_with_one_document_at_a_time_it_is_the_loop_of_asuncion(kept):
    """Step for step the same phi as the loop that takes out and puts in at once, without any
    freezing: to the last unit but for float32 in N_kw. Without rounding, too, where nothing is
    dropped, but for what rounding adds up to."""
    bow, _ = planted(K=4, V=15, D=30, length=12, seed=3, alpha=0.3)
    config = cvb0.Config(topics=5, alpha=0.3, eta=0.2, minibatch=1, warm_up=0, **kept).resolve(
        bow.D, bow.tokens
    )
    state = begun(bow, config)
    corpus = Schedule(bow, config, np.zeros(0, np.int64)).corpus
    exact = phi_of(state, bow, 5)
    rounded = [phi.copy() for phi in exact]
    moved = 0.0
    for i in range(4):
        order = np.random.default_rng(i).permutation(bow.D)
        before = np.concatenate(rounded)
        for d in order:
            cvb0.step(config, state, bow, np.array([d]), corpus)
        naive_collapsed.cvb0_pass(
            documents_of(bow),
            order,
            rounded,
            bow.V,
            0.3,
            0.2,
            lambda phi: naive_collapsed.whole(phi, config.most, config.least),
        )
        naive_collapsed.cvb0_pass(documents_of(bow), order, exact, bow.V, 0.3, 0.2)
        moved += np.abs(np.concatenate(rounded) - before).max()
        ours = np.concatenate(phi_of(state, bow, 5))
        assert ours == pytest.approx(np.concatenate(rounded), abs=3 / cvb.WHOLE_TOKEN)
        if kept["most"] == 5:
            assert ours == pytest.approx(np.concatenate(exact), abs=3e-3)
    assert moved > 1


def recounted(state: cvb0.State, bow: Bow) -> np.ndarray:
    """The statistics as the sum of all that is remembered: int64[V, K]."""
    out = np.zeros(state.values.shape, np.int64)
    for s in range(state.phi.shape[1]):
        np.add.at(
            out, (bow.words, state.remembered[:, s]), state.phi[:, s].astype(np.int64) * bow.counts
        )
    return out


@pytest.mark.parametrize(
    "settings", [{}, {"most": 2, "iterations": 2, "least": 0.1}, {"most": 1}], ids=str
)
def test_nothing_drifts(settings):
    """After any number of steps the statistics are exactly the sum of what is remembered, and phi
    sums to one token."""
    bow, _ = planted(K=4, V=60, D=150, length=40, seed=5)
    config = cvb0.Config(topics=9, passes=7, minibatch=16, **settings).resolve(bow.D, bow.tokens)
    state = last(config, bow, seed=1).state
    assert np.array_equal(state.values, recounted(state, bow)), "to the last unit"
    assert np.array_equal(state.totals, state.values.sum(axis=0))
    held_out = np.repeat(np.isin(np.arange(bow.D), held_out_documents(bow, 1)), np.diff(bow.indptr))
    assert (
        state.phi[~held_out].sum(axis=1, dtype=np.int64) == cvb.WHOLE_TOKEN
    ).all() and not state.phi[held_out].any()
    assert (np.diff(state.phi.astype(int), axis=1) <= 0).all(), "strongest first"


@pytest.mark.parametrize(("burn_in", "least"), [(0, 0.0), (3, 0.0), (0, 0.5)])
def test_the_stochastic_form_is_its_slow_twin(burn_in, least):
    """Step for step the same N_kw as Foulds and others (2013), through resets of pi; also where
    hardly a word has a topic with the least share."""
    bow, _ = planted(K=4, V=30, D=60, length=20, seed=3)
    settings = {
        "statistics": "decay",
        "burn_in": burn_in,
        "most": 6,
        "least": least,
        "step": 1.0,
        "tau0": 1.0,
        "kappa": 0.6,
    }
    config = cvb0.Config(topics=6, minibatch=8, **settings).resolve(bow.D, bow.tokens)
    corpus = Schedule(bow, config, np.zeros(0, np.int64)).corpus
    state = cvb0.init(config, corpus, 3)
    N_kw = state.values.T / cvb.WHOLE_TOKEN
    generator = np.random.default_rng(1)
    for t in range(1, 60):
        batch = generator.choice(bow.D, 8, replace=False)
        given = np.zeros_like(N_kw)
        for d in batch:
            words, counts = documents_of(bow)[d]
            phi = naive_collapsed.scvb0_document(
                words, counts, N_kw, config.alpha, config.eta, burn_in + 1
            )
            kept = np.array([naive_collapsed.whole(row, 6, least) for row in phi])
            np.add.at(given.T, words, kept * counts[:, None])
        cvb0.step(config, state, bow, batch, corpus)
        rho = (1.0 + t) ** -0.6
        N_kw = (1 - rho) * N_kw + rho * bow.tokens / given.sum() * given
        assert state.values.T * state.pi / cvb.WHOLE_TOKEN == pytest.approx(
            N_kw, rel=1e-3, abs=5e-3
        )
        N_kw = state.values.T * state.pi / cvb.WHOLE_TOKEN  # rounding of phi is not carried along
    assert state.totals == pytest.approx(state.values.sum(axis=0))


@pytest.mark.parametrize(
    "kind",
    [{}, {"most": 4}, {"alpha": 0.05}, {"statistics": "decay", "minibatch": 20, "passes": 20}],
    ids=str,
)
def test_planted_topics_are_found(kind):
    """With a small alpha, too, which without a warm-up ties documents to the topic that they first
    drew."""
    found = []
    for seed in range(5):
        bow, beta = planted(K=6, V=120, D=800, length=60, seed=seed)
        config = cvb0.Config(**{"topics": 6, "alpha": 0.2, "minibatch": 50, "passes": 12} | kind)
        topics = last(config, bow, seed=seed).topics.dense()
        distance = 0.5 * np.abs(beta[:, None] - topics[None]).sum(axis=2)
        found += (distance[linear_sum_assignment(distance)] < 0.2).tolist()
    assert sum(found) >= 0.85 * len(found), found


def test_one_topic_is_the_corpus():
    bow = bow_of([[0, 1, 1], [2, 1]] * 15, 3)
    config = cvb0.Config(topics=1, eta=0.5, passes=3).resolve(bow.D, bow.tokens)
    final = last(config, bow)
    trained_on = np.setdiff1d(np.arange(bow.D), held_out_documents(bow, 0))
    counts = np.zeros(3)
    for d in trained_on:
        np.add.at(
            counts,
            bow.words[bow.indptr[d] : bow.indptr[d + 1]],
            bow.counts[bow.indptr[d] : bow.indptr[d + 1]],
        )
    assert final.state.values[:, 0].tolist() == (counts * cvb.WHOLE_TOKEN).tolist()
    assert final.topics.dense()[0] == pytest.approx((0.5 + counts) / (1.5 + counts.sum()))


def test_l_of_one_gives_each_word_its_likeliest_topic():
    bow, _ = planted(K=3, V=30, D=60, length=20, seed=1)
    state = last(cvb0.Config(topics=4, most=1, passes=3), bow).state
    assert set(np.unique(state.phi)) <= {0, cvb.WHOLE_TOKEN}


def test_folding_in_is_the_fixed_point_under_topics_that_stay():
    """With all topics kept, N_dk is where the update leaves it unchanged."""
    bow, _ = planted(K=3, V=30, D=80, length=25, seed=1)
    config = cvb0.Config(topics=4, passes=5, alpha=0.3).resolve(bow.D, bow.tokens)
    state = last(config, bow).state
    before = state.values.copy()
    (theta,) = fold_in_corpus(cvb0, config, state, bow)
    assert np.array_equal(state.values, before)
    N = state.values / cvb.WHOLE_TOKEN
    beta = (config.eta + N) / (bow.V * config.eta + N.sum(axis=0))
    for d in range(20):
        words, counts = documents_of(bow)[d]
        phi = np.full((len(words), 4), 0.25)
        for _ in range(500):
            for i, word in enumerate(words):
                p = (config.alpha + counts @ phi - phi[i]) * beta[word]
                phi[i] = p / p.sum()
        expected = (config.alpha + counts @ phi) / (4 * config.alpha + counts.sum())
        row = slice(*theta.indptr[d : d + 2])
        ours = np.zeros(4)
        ours[theta.topics[row]] = theta.weights[row]
        assert ours[expected > 0.01] == pytest.approx(expected[expected > 0.01], abs=0.03)


@pytest.mark.parametrize("kind", BOTH, ids=str)
@pytest.mark.parametrize(
    "settings",
    [
        {"alpha": 1e-6, "eta": 1e-6},
        {"alpha": 1e5, "eta": 1e5},
        {"step": 1e6, "tau0": 0.0},
        {"least": 0.5},
        {"most": 1},
    ],
    ids=str,
)
def test_extreme_settings(settings, kind):
    """No NaN and no row that is lost: a word that no topic has, a first step that forgets
    everything."""
    bow = bow_of([[0, 1], [2, 3], []] * 14, 4)
    config = cvb0.Config(**{"topics": 3, "passes": 3, "minibatch": 8} | settings | kind).resolve(
        bow.D, bow.tokens
    )
    final = last(config, bow)
    assert np.isfinite(final.topics.dense()).all() and final.topics.dense().sum(
        axis=1
    ) == pytest.approx(np.ones(3))
    (theta,) = fold_in_corpus(cvb0, config, final.state, bow)
    assert (
        np.isfinite(theta.weights).all()
        and ((np.diff(theta.indptr) > 0) == (np.diff(bow.indptr) > 0)).all()
    )


@pytest.mark.parametrize("kind", BOTH, ids=str)
def test_a_document_of_ten_million_words(kind):
    bow = Bow(
        np.array([0, 2, 3]),
        np.array([0, 1, 1], np.int32),
        np.array([9_000_000, 1_000_000, 3], np.int32),
        2,
    )
    final = last(cvb0.Config(topics=3, passes=2, **kind), bow)
    assert final.tokens == 2 * bow.tokens and final.topics.share.sum() == pytest.approx(1)
    if not kind:
        assert final.state.totals.sum() == bow.tokens * cvb.WHOLE_TOKEN


@pytest.mark.parametrize("kind", BOTH, ids=str)
def test_a_training_begins_with_the_topics_that_tokens_have(kind):
    bow, _ = planted(K=5, V=100, D=300, length=40, seed=7)
    config = cvb0.Config(topics=5, passes=3, **kind).resolve(bow.D, bow.tokens)
    given = np.array([3, 1, 4, 0, 2])[bow.words // 20].astype(np.uint16)
    state = begin(cvb0, config, bow, given, seed=3)
    expected = np.zeros((bow.V, 5))
    for d in np.setdiff1d(np.arange(bow.D), held_out_documents(bow, 3)):
        row = slice(*bow.indptr[d : d + 2])
        np.add.at(expected, (bow.words[row], given[row]), bow.counts[row])
    assert np.array_equal(state.values, cvb.WHOLE_TOKEN * expected) and np.array_equal(
        state.totals, state.values.sum(axis=0)
    )
    if not kind:
        assert np.array_equal(state.values, recounted(state, bow))


def test_one_step_size_of_1_forgets_all_before_it():
    bow, _ = planted(K=3, V=30, D=60, length=20, seed=1)
    config = cvb0.Config(topics=4, statistics="decay", step=1.0, tau0=0.0, minibatch=20).resolve(
        bow.D, bow.tokens
    )
    corpus = Schedule(bow, config, np.zeros(0, np.int64)).corpus
    state = cvb0.init(config, corpus, 1)
    cvb0.step(config, state, bow, np.arange(20), corpus)
    assert state.pi == 1.0 and state.totals.sum() == pytest.approx(bow.tokens * cvb.WHOLE_TOKEN)
    unseen = np.setdiff1d(np.arange(bow.V), bow.words[: bow.indptr[20]])
    assert not state.values[unseen].any()


def test_held_out_documents_alone_change_nothing():
    bow, _ = planted(K=3, V=30, D=60, length=20, seed=1)
    config = cvb0.Config(topics=4).resolve(bow.D, bow.tokens)
    state = begun(bow, config)
    before = state.values.copy()
    cvb0.step(
        config, state, bow, np.zeros(0, np.int64), TrainingCorpus.of_bow(bow, steps_per_pass=3)
    )
    assert state.t == 1 and np.array_equal(state.values, before)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"most": 0}, "most must be a whole number of at least 1"),
        ({"least": 0.6}, "least must be at least 0 and at most 0.5"),
        ({"step": 0}, "step must be"),
        ({"statistics": "none"}, "statistics must be one of “memo”, “decay”"),
        ({"kappa": 0.5}, r"kappa must be in \(0.5, 1\]"),
    ],
)
def test_nonsense_is_refused(settings, sentence):
    with pytest.raises(Invalid, match=sentence) as error:
        engines.config(cvb0.NAME, **{"topics": 5} | settings)
    assert error.value.field == next(iter(settings))


def test_memory_is_at_least_what_the_state_holds():
    bow, _ = planted(K=3, V=300, D=60, length=20, seed=1)
    config = cvb0.Config(topics=50).resolve(bow.D, bow.tokens)
    corpus = Schedule(bow, config, np.zeros(0, np.int64)).corpus
    state = cvb0.init(config, corpus, 1)
    assert cvb0.memory_bytes(config, corpus) > 1.5 * state.values.nbytes
    assert cvb0.memory_bytes(replace(config, topics=100), corpus) > 1.7 * cvb0.memory_bytes(
        config, corpus
    )
    assert dense.count_listed(state.values, 1.0) == 0
