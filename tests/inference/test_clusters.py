"""clusters against its naive twin, in its limit cases, and at the edges."""

from dataclasses import asdict

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from inference import Snapshot, begin, fold_in_corpus, gather, open_evidence, train
from inference.engines import clusters, moves, sparse
from inference.schedule import Schedule
from tests.inference import naive_sparse as naive
from tests.inference.corpora import bow_of, postings as postings_of

K = 6
V = 60


def planted(seed: int, D: int = 150, length: int = 8) -> tuple:
    """Documents that are each of one cluster: (bow, each one's, beta). Short, so that some are
    doubtful."""
    rng = np.random.default_rng(seed)
    beta = np.full((K, V), 0.3 / V)
    for k in range(K):
        beta[k, 10 * k : 10 * k + 10] += 0.07
    beta /= beta.sum(axis=1, keepdims=True)
    own = rng.integers(0, K, D)
    return bow_of([rng.choice(V, size=length, p=beta[k]).tolist() for k in own], V), own, beta


@pytest.fixture(scope="module")
def bow():
    return planted(3)[0]


def config_of(bow, **settings):
    return clusters.Config(**{"topics": K, "passes": 5, "minibatch": 40} | settings).resolve(
        bow.D, bow.tokens
    )


def stepped(bow, config, steps, each=lambda state: None):
    schedule = Schedule(bow, config, np.zeros(0, np.int64))
    state = clusters.init(config, schedule.corpus, 1)
    for _ in range(steps):
        clusters.step(config, state, bow, schedule.batch(state.t, 1), schedule.corpus)
        each(state)
    return state


def pairs(bow, d):
    row = slice(bow.indptr[d], bow.indptr[d + 1])
    return bow.words[row], bow.counts[row].astype(float)


def written_out(bow, config, state):
    """(documents, r float64[D, K], lam, N) from what is remembered alone."""
    documents = [pairs(bow, d) for d in range(bow.D)]
    r = np.zeros((bow.D, K))
    np.add.at(
        r,
        (np.arange(bow.D)[:, None], state.memory_clusters.astype(int)),
        state.memory_shares / sparse.UNITS,
    )
    lam = config.eta + naive.statistics(
        documents, [np.tile(r[d], (len(documents[d][0]), 1)) for d in range(bow.D)], V
    )
    return documents, r, lam, r.sum(axis=0)


@pytest.mark.parametrize("L", [1, 2, K, 9])
def test_it_is_the_twin(bow, L):
    """What is stored is the sum of what is remembered; a document's shares and the bound are the
    model's."""
    config = config_of(bow, most=L)
    state = stepped(bow, config, 10)
    documents, r, lam, N = written_out(bow, config, state)
    assert np.allclose(state.documents / sparse.UNITS, N, atol=1e-12)
    assert np.allclose(state.totals / sparse.UNITS, (lam - config.eta).sum(axis=1), atol=1e-9)
    W = naive.cluster_scores(documents, lam, N, config.alpha)
    given, shares, _ = clusters.visit_documents(config, state, sparse.expand(bow, np.arange(bow.D)))
    for d in range(bow.D):
        best = naive.top(W[d], L)
        own = np.exp(W[d, best] - W[d, best].max())
        assert (
            np.array_equal(given[d], best)
            and np.abs(shares[d] / sparse.UNITS - own / own.sum()).max() < 2 / sparse.UNITS
        )
    total = naive.cluster_objective(documents, r, lam, N, config.alpha, config.eta)
    assert clusters.bound(config, state, bow, np.arange(bow.D)) == pytest.approx(total, rel=1e-11)


@pytest.mark.parametrize("L", [1, 2, K])
def test_the_bound_rises_with_every_minibatch(bow, L):
    config = config_of(bow, most=L, passes=8)
    bounds = []
    stepped(
        bow,
        config,
        32,
        lambda state: bounds.append(clusters.bound(config, state, bow, np.arange(bow.D))),
    )
    whole = bounds[4:]  # from there on all documents have clusters
    # K-means may have ended in the first pass
    assert (np.diff(whole) >= -1e-9 * abs(whole[0])).all() and (whole[-1] > whole[0] or L == 1)


def test_one_cluster_a_document_is_k_means_with_bregman_divergences(bow):
    """With all documents in a step: assign to the best cluster, count anew, and so on."""
    config = config_of(bow, most=1, minibatch=bow.D, moves=0)
    state = stepped(bow, config, 1)
    documents, r, lam, N = written_out(bow, config, state)
    for steps in (2, 3, 4):
        chosen = naive.cluster_scores(documents, lam, N, config.alpha).argmax(axis=1)
        state = stepped(bow, config, steps)
        assert np.array_equal(state.memory_clusters[:, 0], chosen)
        documents, r, lam, N = written_out(bow, config, state)


def given(bow, config, chosen):
    """A state in which each document is in a cluster as a whole. chosen: int64[D]."""
    corpus = Schedule(bow, config, np.zeros(0, np.int64)).corpus
    return clusters.begin(
        config,
        corpus,
        1,
        bow,
        np.repeat(chosen, np.diff(bow.indptr)).astype(np.uint16),
        np.zeros(0, int),
    )


def test_moves_undo_a_cluster_that_is_two_and_two_that_are_one():
    """The documents of clusters 0 and 1 in one, and those of cluster 2 in two at random: a split
    with a merge puts it right, and the bound rises by what the moves say."""
    bow, own, _ = planted(4, D=300, length=15)
    config = config_of(bow, moves=3)
    chosen = np.where(own == 1, 0, own)
    chosen[own == 2] = np.where(np.arange((own == 2).sum()) % 2, 1, 2)
    state = given(bow, config, chosen)
    documents = np.arange(bow.D)
    priors = V, config.alpha / K, config.eta
    rows = moves.rows_of(state, state.documents, 1 / sparse.UNITS)
    before = clusters.bound(config, state, bow, documents)
    gain, a, b = moves.best_merge(
        rows, state.memory_clusters, state.memory_shares, float(sparse.UNITS), *priors
    )[0]
    assert {a, b} == {1, 2}
    clusters.merge_clusters(state, bow, a, b)
    after = clusters.bound(config, state, bow, documents)
    assert after - before == pytest.approx(gain, rel=1e-6)
    rows = moves.rows_of(state, state.documents, 1 / sparse.UNITS)
    gain, leave = moves.split(bow, np.flatnonzero(chosen == 0), rows[0], *priors, np.uint64(1))
    clusters.reassign_documents(state, bow, leave, np.full(len(leave), b))
    assert (
        clusters.bound(config, state, bow, documents) - after == pytest.approx(gain, rel=1e-6)
        and gain > 0
    )
    halves = np.bincount(own[leave], minlength=2)[:2]
    assert halves.max() > 0.9 * halves.sum() and len(leave) == halves.sum()
    state = given(bow, config, chosen)
    clusters.merge_and_split(config, state, bow)
    assert clusters.bound(config, state, bow, documents) > before and (state.documents > 0).all()


@pytest.mark.parametrize("L", [1, 3])
def test_a_merge_of_shared_documents_gains_what_it_says(bow, L):
    config = config_of(bow, most=L, moves=0)
    state = stepped(bow, config, 8)
    documents = np.arange(bow.D)
    rows = moves.rows_of(state, state.documents, 1 / sparse.UNITS)
    for gain, a, b in moves.best_merge(
        rows,
        state.memory_clusters,
        state.memory_shares,
        float(sparse.UNITS),
        V,
        config.alpha / K,
        config.eta,
    )[:2]:
        state = stepped(bow, config, 8)
        before = clusters.bound(config, state, bow, documents)
        clusters.merge_clusters(state, bow, a, b)
        assert clusters.bound(config, state, bow, documents) - before == pytest.approx(
            gain, rel=1e-7
        )
        assert state.documents[b] == 0 and (state.memory_shares.sum(axis=1) == sparse.UNITS).all()


def test_planted_clusters_are_recovered():
    right = []
    for seed in range(5):
        bow, own, _ = planted(seed, D=300, length=15)
        config = config_of(bow, passes=10, minibatch=100)
        state = [
            event
            for event in train(clusters, config, bow, seed=seed)
            if isinstance(event, Snapshot)
        ][-1].state
        (theta,) = fold_in_corpus(clusters, config, state, bow)
        found = theta.topics[theta.indptr[:-1]]
        both = np.zeros((K, K))
        np.add.at(both, (found, own), 1)
        right.append(both[linear_sum_assignment(-both)].sum() / bow.D)
    assert np.mean(right) >= 0.85, right


def test_evidence_is_of_the_document_as_a_whole(bow, tmp_path):
    config = config_of(bow, most=3)
    last = [event for event in train(clusters, config, bow) if isinstance(event, Snapshot)][-1]
    thetas = list(fold_in_corpus(clusters, config, last.state, bow))
    assert (
        list(gather(tmp_path / "e", bow, postings_of(bow), last.topics, thetas, by_document=True))[
            -1
        ]
        == bow.D
    )
    found = open_evidence(tmp_path / "e", bow, postings_of(bow))
    (theta,) = thetas
    for d in range(bow.D):
        _, _, topics, certainty = found.token_topics.of_document(d)
        first = theta.indptr[d]
        assert (topics == theta.topics[first]).all() and (
            certainty == round(255 * float(theta.weights[first]))
        ).all()
        row = slice(first, theta.indptr[d + 1])
        assert theta.weights[row].sum() == pytest.approx(1, abs=1e-6) and row.stop - row.start <= 3


def test_duplicates_share_their_cluster_and_long_documents_are_certain():
    bow = bow_of([[0, 1, 2] * 30, [0, 1, 2] * 30, [5, 6, 7] * 30, [5, 6, 7] * 30] * 6, 8)
    config = clusters.Config(topics=2, passes=6, most=2, minibatch=24).resolve(bow.D, bow.tokens)
    last = [event for event in train(clusters, config, bow) if isinstance(event, Snapshot)][-1]
    (theta,) = fold_in_corpus(clusters, config, last.state, bow)
    assert len(theta.topics) == bow.D and (theta.weights == 1).all()
    assert (theta.topics[0::4] == theta.topics[1::4]).all() and (
        theta.topics[0::4] != theta.topics[2::4]
    ).all()


def test_a_cluster_may_lose_all_its_documents():
    """Two kinds of documents and five clusters to begin with: those that are empty are not used,
    and can still be."""
    bow = bow_of([[0, 1, 2] * 20, [5, 6, 7] * 20] * 15, 8)
    config = clusters.Config(topics=5, passes=12, minibatch=10, alpha=1e-3).resolve(
        bow.D, bow.tokens
    )
    given = np.repeat(np.arange(bow.D) % 5, np.diff(bow.indptr)).astype(np.uint16)
    state = begin(clusters, config, bow, given)
    assert (state.documents > 0).all()
    last = [
        event for event in train(clusters, config, bow, resume=state) if isinstance(event, Snapshot)
    ][-1]
    topics = last.topics.proper()
    assert (
        topics.used is not None
        and topics.used.sum() < 5
        and np.allclose(topics.dense().sum(axis=1), 1, atol=1e-4)
    )
    assert np.isfinite(clusters.bound(config, last.state, bow, np.arange(bow.D)))
    assert asdict(config)["passes"] > clusters.continued(asdict(config))["passes"]


@pytest.mark.parametrize(
    "settings",
    [{"alpha": 1e-6, "eta": 1e-6}, {"alpha": 1e5, "eta": 1e3}, {"init": "random", "most": 4}],
)
def test_priors_at_the_edges(bow, settings):
    config = config_of(bow, **settings)
    last = [event for event in train(clusters, config, bow) if isinstance(event, Snapshot)][-1]
    last.topics.proper()
    assert np.isfinite(last.held_out) and np.isfinite(
        clusters.bound(config, last.state, bow, np.arange(bow.D))
    )
