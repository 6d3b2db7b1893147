"""lsparse against its naive twin, in its limit cases, and at the edges."""

from dataclasses import asdict

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.special import digamma

from inference import Invalid, Snapshot, begin, train
from inference.engines import lsparse, sparse
from inference.engines.contract import TrainingCorpus
from inference.kernels import lsparse as kernels, special
from inference.schedule import Schedule, held_out_documents
from tests.inference import naive_sparse as naive
from tests.inference.corpora import bow_of, planted

K = 6
V = 60


@pytest.fixture(scope="module")
def bow():
    return planted(K, V, 120, 40, seed=3)[0]


def config_of(bow, **settings):
    return lsparse.Config(**{"topics": K, "passes": 4, "minibatch": 30} | settings).resolve(
        bow.D, bow.tokens
    )


def stepped(bow, config, steps, seed=1):
    schedule = Schedule(bow, config, np.zeros(0, np.int64))
    state = lsparse.init(config, schedule.corpus, seed)
    for _ in range(steps):
        lsparse.step(config, state, bow, schedule.batch(state.t, seed), schedule.corpus)
    return state


def dense(config, state) -> np.ndarray:
    """lam, float64[K, V]."""
    lam = np.full((config.topics, len(state.start)), config.eta)
    for w in range(len(state.start)):
        row = slice(state.start[w], state.start[w] + state.length[w])
        lam[state.arena_topics[row], w] += state.pi * state.arena_values[row]
    return lam


def pairs(bow, d):
    row = slice(bow.indptr[d], bow.indptr[d + 1])
    return bow.words[row], bow.counts[row].astype(float)


def visited(config, state, bow, documents):
    batch = sparse.expand(bow, documents)
    given, shares, told = lsparse.visit_documents(config, state, batch)
    r = np.zeros((len(batch.places), config.topics))
    np.add.at(r, (np.arange(len(r))[:, None], given.astype(int)), shares)
    return [r[batch.doc_ptr[i] : batch.doc_ptr[i + 1]] for i in range(len(documents))], told


def test_digamma():
    x = np.concatenate([10.0 ** np.linspace(-9, 9, 400), np.linspace(0.01, 30, 400)])
    assert np.allclose([special.digamma(v) for v in x], digamma(x), rtol=1e-13, atol=2e-14)


@pytest.mark.parametrize("L", [1, 2, 3, K, K + 5])
@pytest.mark.parametrize("restarts", [0, 3])
def test_the_local_step_is_the_twins(bow, L, restarts):
    config = config_of(bow, most=L, restarts=restarts, sweeps=23, change=1e-4, alpha=0.3, eta=0.1)
    state = stepped(bow, config, 6)
    log_beta = naive.e_log_beta(dense(config, state))
    documents = np.arange(40)
    found, told = visited(config, state, bow, documents)
    for d in documents:
        words, counts = pairs(bow, d)
        r = naive.local(words, counts, log_beta, 0.3, L, sweeps=23, change=1e-4, restarts=restarts)
        # A proposal may gain no more than rounding
        assert np.abs(r - found[d]).max() < (1e-8 if restarts else 1e-10)
        assert ((found[d] > 0).sum(axis=1) <= L).all() and np.allclose(
            found[d].sum(axis=1), 1, atol=1e-12
        )
    assert (told[:, 1] <= restarts).all() and (told[:, 2] <= told[:, 1]).all()


def test_all_of_a_documents_pairs_without_a_block_are_the_same(bow, monkeypatch):
    """What is too large to be held side by side is gathered in each sweep, with the same bits."""
    config = config_of(bow, most=2)
    state = stepped(bow, config, 6)
    held, _ = visited(config, state, bow, np.arange(30))
    monkeypatch.setattr(kernels, "BLOCK", 0)
    gathered, _ = visited(config, state, bow, np.arange(30))
    assert all(np.array_equal(a, b) for a, b in zip(held, gathered, strict=True))


def test_l_of_k_is_dense_inference():
    """A whole batch with a step size of 1: lam is that of usual variational inference, from the
    same seeds."""
    bow = planted(4, 40, 30, 20, seed=1)[0]
    config = lsparse.Config(
        topics=4,
        most=4,
        passes=3,
        minibatch=30,
        statistics="decay",
        tau0=0.0,
        kappa=1.0,
        restarts=0,
        sweeps=50,
        change=1e-3,
    ).resolve(30, bow.tokens)
    corpus = TrainingCorpus.of_bow(bow)
    state = lsparse.init(config, corpus, 5)
    lsparse.seed_topics(config, state, bow, np.arange(30))
    documents = [pairs(bow, d) for d in range(30)]
    for _ in range(3):
        log_beta = naive.e_log_beta(dense(config, state))
        r = []
        for words, counts in documents:
            own = np.exp(log_beta[:, words].T)
            own /= own.sum(axis=1, keepdims=True)
            for _ in range(50):
                before = counts @ own
                gamma = config.alpha + counts @ own
                own = np.exp(digamma(gamma) + log_beta[:, words].T)
                own /= own.sum(axis=1, keepdims=True)
                if np.abs(counts @ own - before).max() < 1e-3:
                    break
            r.append(own)
        state.t = 0  # a step size of 1
        lsparse.step(config, state, bow, np.arange(30), corpus)
        assert np.allclose(
            dense(config, state),
            config.eta + naive.statistics(documents, r, 40),
            rtol=1e-11,
            atol=1e-11,
        )


def test_l_of_one_is_a_hard_choice(bow):
    config = config_of(bow, most=1)
    state = stepped(bow, config, 9)
    found, _ = visited(config, state, bow, np.arange(20))
    assert all((own.max(axis=1) == 1).all() for own in found)
    assert (state.memory_shares[state.memory_shares > 0] == sparse.UNITS).all()
    tokens = (dense(config, state) - config.eta).round(9)
    assert np.array_equal(tokens, tokens.round()) and tokens.sum() == bow.tokens


def test_ties_go_to_the_smaller_number(bow):
    """Without a count anywhere all topics are equal."""
    config = config_of(bow, most=2, restarts=0)
    state = lsparse.init(config, TrainingCorpus.of_bow(bow, steps_per_pass=4), 1)
    found, _ = visited(config, state, bow, np.arange(5))
    assert all(np.array_equal(np.flatnonzero(own.sum(axis=0)), [0, 1]) for own in found)


def test_a_documents_objective_never_falls(bow):
    """By sweeps that select each time, and by restarts."""
    config = config_of(bow, most=2, restarts=0, change=0.0)
    state = stepped(bow, config, 4)
    log_beta = naive.e_log_beta(dense(config, state))

    def scores(**settings):
        own, told = visited(
            config_of(bow, most=2, change=0.0, **settings), state, bow, np.arange(60)
        )
        return np.array(
            [naive.objective(*pairs(bow, d), log_beta, 0.2, own[d]) for d in range(60)]
        ), told

    before, _ = scores(restarts=0, sweeps=1)
    for sweeps in (2, 3, 4, 5):
        after, _ = scores(restarts=0, sweeps=sweeps)
        assert (after >= before - 1e-9 * np.abs(before)).all()
        before = after
    without, _ = scores(restarts=0, sweeps=30)
    with_them, told = scores(restarts=5, sweeps=30)
    assert (with_them >= without - 1e-9 * np.abs(without)).all() and told[:, 2].sum() > 0
    accepted = told[:, 2] > 0
    assert (with_them[accepted] > without[accepted]).all()


def test_documents_explore_in_the_first_passes_alone(bow, monkeypatch):
    """Later they go on from what is remembered, and no restart is tried."""
    visit = lsparse.visit_documents
    told = []

    def watched(*given):
        told.append(visit(*given))
        return told[-1]

    monkeypatch.setattr(lsparse, "visit_documents", watched)
    stepped(bow, config_of(bow, most=2, explore=2, passes=4), 16)
    of_pass = [np.concatenate([each[2] for each in told[4 * i : 4 * i + 4]]) for i in range(4)]
    tried = [of[:, 1].sum() for of in of_pass]
    best = [set(of[:, 3].tolist()) for of in of_pass]
    assert tried[0] > 0 and tried[1] > tried[0] and tried[2:] == [0, 0]
    assert best[0] == {2} and 2 in best[1] and best[2] | best[3] <= {0, 1}


@pytest.mark.parametrize("start", ["warm", "better"])
@pytest.mark.parametrize("L", [1, 2, K])
def test_the_bound_rises_with_each_minibatch(bow, start, L):
    config = config_of(bow, most=L, start=start, passes=6, warm_up=1)
    schedule = Schedule(bow, config, np.zeros(0, np.int64))
    documents = np.arange(bow.D)
    state = stepped(bow, config, 4)
    bounds = []
    while state.t < 16:
        bounds.append(lsparse.bound(config, state, bow, documents))
        lsparse.step(config, state, bow, schedule.batch(state.t, 1), schedule.corpus)
    assert (np.diff(bounds) >= -1e-9 * abs(bounds[0])).all() and bounds[-1] > bounds[0]


def test_the_bound_is_the_twins(bow):
    for settings in ({"most": 2}, {"most": 3, "statistics": "decay"}):
        config = config_of(bow, **settings)
        state = stepped(bow, config, 8)
        lam = dense(config, state)
        log_beta = naive.e_log_beta(dense(config, state))
        if settings.get("statistics") == "decay":
            r, _ = visited(config, state, bow, np.arange(bow.D))
        else:
            r = np.zeros((len(bow.words), K))
            np.add.at(
                r,
                (np.arange(len(r))[:, None], state.memory_topics.astype(int)),
                state.memory_shares / sparse.UNITS,
            )
            r = [r[bow.indptr[d] : bow.indptr[d + 1]] for d in range(bow.D)]
            assert np.allclose(
                lam,
                config.eta + naive.statistics([pairs(bow, d) for d in range(bow.D)], r, V),
                atol=1e-12,
            )
        total = naive.topics_objective(lam, config.eta)
        total += sum(
            naive.objective(*pairs(bow, d), log_beta, config.alpha, r[d]) for d in range(bow.D)
        )
        assert lsparse.bound(config, state, bow, np.arange(bow.D)) == pytest.approx(
            total, rel=1e-10
        )


def test_statistics_are_the_sum_of_what_is_remembered_exactly(bow):
    config = config_of(bow, most=3, start="cold")
    state = stepped(bow, config, 15)
    wanted = np.zeros((V, K), np.int64)
    shares = state.memory_shares.astype(np.int64) * np.asarray(bow.counts, np.int64)[:, None]
    np.add.at(wanted, (np.asarray(bow.words)[:, None], state.memory_topics.astype(int)), shares)
    found = np.zeros((V, K), np.int64)
    for w in range(V):
        row = slice(state.start[w], state.start[w] + state.length[w])
        found[w, state.arena_topics[row]] = state.arena_values[row]
    assert np.array_equal(found, wanted) and np.array_equal(state.totals, wanted.sum(axis=0))
    assert (state.memory_shares.sum(axis=1) == sparse.UNITS).all()


def test_totals_are_the_sums_of_the_rows_where_faded_entries_are_dropped():
    """Words of the first documents fade until the scale is renewed, and are then in no row."""
    bow = bow_of([[0, 1, 1]] * 4 + [[2, 3, 3, 4], [3, 4, 5]] * 4, 6)
    config = config_of(bow, most=2, statistics="decay", kappa=0.51, tau0=1.0, minibatch=4)
    corpus = Schedule(bow, config, np.zeros(0, np.int64)).corpus
    state = lsparse.init(config, corpus, 1)
    renewed = 0
    for t in range(60):
        before = state.pi
        documents = np.arange(4) if t == 0 else np.arange(4, 12)
        lsparse.step(config, state, bow, documents, corpus)
        renewed += state.pi > before
    assert renewed > 0 and not state.length[:2].any()
    topics, values = state.entries()
    assert state.totals == pytest.approx(np.bincount(topics, values, K), rel=1e-12)


def test_planted_topics_are_recovered():
    shares = []
    for seed in range(5):
        bow, beta = planted(5, 100, 300, 50, seed=seed)
        config = lsparse.Config(topics=5, passes=8, most=3, minibatch=50).resolve(bow.D, bow.tokens)
        topics = [
            event for event in train(lsparse, config, bow, seed=seed) if isinstance(event, Snapshot)
        ][-1].topics
        both = np.sqrt(topics.dense())[:, None] * np.sqrt(beta)[None]
        rows, columns = linear_sum_assignment(-both.sum(axis=2))
        shares += (both.sum(axis=2)[rows, columns] > 0.9).tolist()
    assert np.mean(shares) >= 0.85, shares


@pytest.mark.parametrize(
    "settings",
    [
        {"alpha": 1e-6, "eta": 1e-6},
        {"alpha": 1e-6, "eta": 1e-6, "statistics": "decay", "most": 6},
        {"alpha": 100.0, "eta": 50.0},
        {"most": 1, "restarts": 0, "sweeps": 1, "warm_up": 0},
    ],
)
def test_priors_at_the_edges(settings):
    bow = planted(3, 30, 40, 30, seed=2)[0]
    config = lsparse.Config(**{"topics": 6, "passes": 3, "minibatch": 10} | settings).resolve(
        bow.D, bow.tokens
    )
    last = [event for event in train(lsparse, config, bow) if isinstance(event, Snapshot)][-1]
    last.topics.proper()
    assert np.isfinite(last.held_out) and np.isfinite(
        lsparse.bound(config, last.state, bow, np.arange(bow.D))
    )
    theta = lsparse.fold_in(config, last.state, bow, 0, bow.D)
    assert np.isfinite(theta.weights).all() and (np.diff(theta.indptr) > 0).all()


def test_a_very_long_document():
    bow = bow_of([[0, 1, 2, 3], [1, 2]] * 10, 4)
    bow.counts[:4] = 2_500_000
    bow = type(bow)(bow.indptr, bow.words, bow.counts, 4)
    config = lsparse.Config(topics=3, passes=3, minibatch=7, most=2).resolve(bow.D, bow.tokens)
    last = [event for event in train(lsparse, config, bow) if isinstance(event, Snapshot)][-1]
    assert last.topics.proper().share.sum() == pytest.approx(1)
    held = held_out_documents(bow, 0)
    assert 0 in held or last.state.totals.sum() == sparse.UNITS * sum(
        int(pairs(bow, d)[1].sum()) for d in range(bow.D) if d not in held
    )


def test_a_warm_up_would_forget_what_a_run_begins_with(bow):
    given = np.zeros(len(bow.words), np.uint16)
    with pytest.raises(Invalid, match="warm_up must be 0"):
        begin(lsparse, config_of(bow), bow, given)
    settings = lsparse.continued(asdict(config_of(bow)))
    config = lsparse.Config(**settings).resolve(bow.D, bow.tokens)
    state = begin(lsparse, config, bow, given)
    held = held_out_documents(bow, 0)
    assert (
        state.totals[0] == sparse.UNITS * np.delete(np.diff(bow.first_token), held).sum()
        and not state.totals[1:].any()
    )
