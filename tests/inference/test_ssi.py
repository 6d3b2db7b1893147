"""The engine against its slow twin, planted topics, and the edges of what can be asked of it."""

import numba
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from inference import checkpoint
from inference.engines import config as engine_config
from inference.engines import ssi
from inference.errors import Invalid
from inference.kernels import rng, rows
from inference.training import Progress, Snapshot, fold_in_corpus, held_out_documents, train
from tests.inference import naive
from tests.inference.corpora import bow_of, planted


def last(config, bow, **options) -> Snapshot:
    for event in train(ssi, config, bow, **options):
        if isinstance(event, Snapshot):
            final = event
    return final


def dense(state: ssi.State, K: int) -> np.ndarray:
    """lambda - eta as an array [K, V]."""
    out = np.zeros((K, len(state.start)))
    for w in range(len(state.start)):
        row = slice(state.start[w], state.start[w] + state.length[w])
        out[state.arena_topics[row], w] = state.pi * state.arena_values[row]
    return out


@pytest.mark.parametrize(("tau0", "kappa"), [(10.0, 0.7), (0.0, 0.7), (0.0, 1.0), (1.0, 0.51)])
def test_lazy_sparse_update_is_eq_11(tau0, kappa):
    """pi and its resets, the arena and its growth change nothing: after each step lambda is what eq. 11 gives."""
    K, V = 7, 40
    config = ssi.Config(topics=K, tau0=tau0, kappa=kappa, minibatch=5, burn_in=0, samples=2)
    generator = np.random.default_rng(4)
    bow = bow_of([generator.choice(V, 12, p=np.arange(1, V + 1) / (V * (V + 1) / 2)).tolist() for _ in range(60)], V)
    shape = ssi.Shape(60, V)
    state, lam = ssi.init(config, shape, 3), np.full((K, V), config.eta)
    for t in range(1, 120):
        batch = generator.choice(60, 5, replace=False)
        keys = rng.keys(np.uint64(3), np.uint64(rng.SAMPLE), np.uint64(t), batch)
        words, _, tokens, samples = ssi._sample(config, state, bow, batch, keys, 0, 2)
        statistics = np.zeros((K, V))
        for sweep in samples:
            np.add.at(statistics, (sweep, words[tokens]), 0.5)
        ssi.step(config, state, bow, batch, shape)
        lam = naive.update(lam, statistics, ssi.rho(config, t), 60 / 5, config.eta)
        # What decayed below DROPPED_TOKENS is forgotten, on purpose.
        assert dense(state, K) == pytest.approx(lam - config.eta, rel=1e-4, abs=2 * ssi.DROPPED_TOKENS)
        assert state.pi * state.totals == pytest.approx((lam - config.eta).sum(axis=1), rel=1e-3, abs=V * ssi.DROPPED_TOKENS)


def test_counts_are_whole_and_complete():
    generator = np.random.default_rng(2)
    tokens = generator.integers(0, 9, 500).astype(np.int32)
    samples = generator.integers(0, 80, (3, 500)).astype(np.int32)
    indptr, topics, counts = rows.count(tokens, 9, samples, 80)
    expected = np.zeros((9, 80), np.int64)
    for sweep in samples:
        np.add.at(expected, (tokens, sweep), 1)
    for w in range(9):
        row = slice(indptr[w], indptr[w + 1])
        assert (topics[row] == np.flatnonzero(expected[w])).all()
        assert (counts[row] == expected[w][expected[w] > 0]).all()


def test_planted_topics_are_found():
    """Over several seeds nearly all; some runs of any sampler end with two topics in one."""
    found = []
    for seed in range(5):
        bow, beta = planted(K=6, V=120, D=800, length=60, seed=seed)
        topics = last(ssi.Config(topics=6, alpha=0.2, minibatch=50, passes=12), bow, seed=seed).topics.dense()
        distance = 0.5 * np.abs(beta[:, None] - topics[None]).sum(axis=2)
        found += (distance[linear_sum_assignment(distance)] < 0.2).tolist()
    assert sum(found) >= 0.85 * len(found), found


def test_as_good_as_the_slow_twin():
    """Topics of Algorithm 1, line by line, and ours find the planted ones equally well."""
    bow, beta = planted(K=3, V=30, D=120, length=30, seed=1)
    documents = [np.repeat(bow.words[a:b], bow.counts[a:b]).tolist() for a, b in zip(bow.indptr, bow.indptr[1:], strict=False)]
    settings = {"alpha": 0.3, "eta": 0.1, "kappa": 0.7, "tau0": 10.0, "minibatch": 30, "burn_in": 1, "samples": 2, "passes": 6}
    lam = naive.train(documents, 3, 30, rng=np.random.default_rng(0), **settings)
    ours = last(ssi.Config(topics=3, **settings), bow, seed=1).topics.dense()

    def error(found):
        distance = 0.5 * np.abs(beta[:, None] - found[None]).sum(axis=2)
        return distance[linear_sum_assignment(distance)].mean()

    slow = error(lam / lam.sum(axis=1, keepdims=True))
    assert error(ours) < slow + 0.08
    assert slow < 0.25


def equal(a, b) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def test_threads_make_no_difference():
    bow, _ = planted(K=5, V=200, D=400, length=50, seed=3)
    config = ssi.Config(topics=9, minibatch=64, passes=2)
    try:
        one, two = (last(config, bow, seed=5, threads=n) for n in (1, 2))
    finally:
        numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    assert equal(one.topics, two.topics)
    assert one.held_out == two.held_out
    assert np.array_equal(one.coherence, two.coherence)


def test_a_resumed_run_is_the_run_that_was_never_killed(tmp_path):
    bow, _ = planted(K=5, V=200, D=500, length=60, seed=3)
    config = ssi.Config(topics=8, minibatch=32, passes=4)
    whole = [(s.step, s.tokens, s.held_out, s.topics) for s in train(ssi, config, bow, seed=2) if isinstance(s, Snapshot)]
    for killed_after in (1, len(whole) // 2, len(whole) - 1):
        loop, seen = train(ssi, config, bow, seed=2), 0
        for event in loop:
            if isinstance(event, Snapshot):
                seen += 1
                checkpoint.save(tmp_path / "checkpoint", event.state, config=config, bow=bow)
                if seen == killed_after:
                    break
        state = checkpoint.load(tmp_path / "checkpoint", config=config, bow=bow)
        rest = [s for s in train(ssi, config, bow, seed=2, resume=state) if isinstance(s, Snapshot)]
        assert [(s.step, s.tokens, s.held_out) for s in rest] == [w[:3] for w in whole[killed_after:]]
        if rest:
            assert equal(rest[-1].topics, whole[-1][3])


def test_another_seed_gives_other_topics():
    bow, _ = planted(K=5, V=200, D=300, length=50, seed=3)
    config = ssi.Config(topics=5, passes=1)
    assert not equal(last(config, bow, seed=1).topics, last(config, bow, seed=2).topics)


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    bow, _ = planted(K=3, V=60, D=50, length=20, seed=1)
    config = ssi.Config(topics=3, passes=1)
    checkpoint.save(tmp_path / "c", last(config, bow).state, config=config, bow=bow)
    with pytest.raises(Invalid, match="other settings: eta"):
        checkpoint.load(tmp_path / "c", config=ssi.Config(topics=3, passes=1, eta=0.5), bow=bow)
    with pytest.raises(Invalid, match="another corpus"):
        checkpoint.load(tmp_path / "c", config=config, bow=planted(K=3, V=60, D=50, length=20, seed=2)[0])
    with pytest.raises(Invalid, match="seed 0, not 1"):
        list(train(ssi, config, bow, seed=1, resume=checkpoint.load(tmp_path / "c", config=config, bow=bow)))


def test_mass_is_conserved():
    bow, _ = planted(K=5, V=300, D=200, length=80, seed=6)
    config = ssi.Config(topics=12, passes=2)
    final = last(config, bow)
    topics = final.topics
    sums = np.add.reduceat(np.append(topics.weights, 0), topics.indptr[:-1]) * (np.diff(topics.indptr) > 0)
    assert sums + topics.floor_mass == pytest.approx(np.ones(12), abs=1e-5)
    assert topics.dense().sum(axis=1) == pytest.approx(np.ones(12), abs=1e-5)
    assert topics.share.sum() == pytest.approx(1)
    assert (np.diff(topics.weights.astype(float))[np.setdiff1d(np.arange(len(topics.weights) - 1), topics.indptr[1:-1] - 1)] <= 0).all()
    blocks = list(fold_in_corpus(ssi, config, final.state, bow, block=37))
    assert [b.first for b in blocks] == list(range(0, 200, 37))
    assert sum(b.tokens.sum() for b in blocks) == pytest.approx(bow.tokens)
    for block in blocks:
        for a, b in zip(block.indptr, block.indptr[1:], strict=False):
            assert 0.5 < block.weights[a:b].sum() <= 1 + 1e-6
            assert (block.weights[a:b] >= ssi.THETA_FLOOR).all()


def test_blocks_of_fold_in_make_no_difference():
    bow, _ = planted(K=3, V=60, D=90, length=20, seed=1)
    config = ssi.Config(topics=4, passes=1)
    state = last(config, bow).state
    small, large = (list(fold_in_corpus(ssi, config, state, bow, block=n)) for n in (7, 1000))
    assert np.array_equal(np.concatenate([b.topics for b in small]), large[0].topics)
    assert np.array_equal(np.concatenate([b.weights for b in small]), large[0].weights)


def test_until_stops_with_what_there_is(monkeypatch):
    monkeypatch.setattr("inference.training.PROGRESS_EVERY", 0.0)
    bow, _ = planted(K=3, V=60, D=300, length=20, seed=1)
    config = ssi.Config(topics=4, minibatch=10, passes=50)
    events = list(train(ssi, config, bow, until=lambda: True))
    assert isinstance(events[-1], Snapshot) and isinstance(events[-2], Progress)
    assert events[-1].step < events[-1].steps
    assert events[-1].topics.K == 4


def test_held_out_documents_are_not_trained_on():
    """A word that only held-out documents have stays in the floor of every topic."""
    D, V = 300, 50
    first = bow_of([[w % (V - 1) for w in range(d, d + 10)] for d in range(D)], V)
    held = held_out_documents(first, 4)
    assert 10 < len(held) < 60
    documents = [[w % (V - 1) for w in range(d, d + 10)] + ([V - 1] * 5 if d in set(held) else []) for d in range(D)]
    bow = bow_of(documents, V)
    assert (held_out_documents(bow, 4) == held).all()
    final = last(ssi.Config(topics=3, passes=2), bow, seed=4)
    assert final.state.length[V - 1] == 0


CONFIG = {"minibatch": 8, "passes": 2}


@pytest.mark.parametrize(
    ("documents", "V", "settings"),
    [
        ([[0, 1], [1, 2]] * 15, 3, {"topics": 1}),
        ([[0, 0, 0]] * 30, 1, {"topics": 4}),
        ([[], [0, 1], [], [1]] * 10, 2, {"topics": 3}),
        ([[0, 1, 2]] * 5, 3, {"topics": 50}),
        ([[0, 1, 2]], 3, {"topics": 2}),
        ([[0, 1], [2, 3]] * 20, 4, {"topics": 3, "alpha": 1e-6, "eta": 1e-6}),
        ([[0, 1], [2, 3]] * 20, 4, {"topics": 3, "alpha": 1e5, "eta": 1e5}),
        ([[0, 1], [2, 3]] * 20, 4, {"topics": 3, "tau0": 0.0, "kappa": 1.0}),
        ([list(range(100)) * 3000, [1, 2]], 100, {"topics": 5, "passes": 1}),
    ],
    ids=["K=1", "V=1", "empty documents", "K > D", "one document", "tiny priors", "huge priors", "first step 1", "long document"],
)
def test_edges(documents, V, settings):
    bow = bow_of(documents, V)
    config = ssi.Config(**CONFIG | settings)
    final = last(config, bow)
    assert np.isfinite(final.topics.weights).all() and np.isfinite(final.topics.floor).all()
    assert final.topics.dense().sum(axis=1) == pytest.approx(np.ones(config.topics), abs=1e-4)
    thetas = list(fold_in_corpus(ssi, config, final.state, bow))
    assert sum(t.tokens.sum() for t in thetas) == pytest.approx(bow.tokens)


def test_nothing_to_train_on():
    with pytest.raises(Invalid, match="no words"):
        list(train(ssi, ssi.Config(topics=2), bow_of([[], []], 3)))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"topics": 0}, "topics must be a whole number of at least 1, got 0"),
        ({"topics": 2.5}, "topics must be a whole number"),
        ({"kappa": 0.3}, r"kappa must be in \(0.5, 1\], got 0.3"),
        ({"kappa": float("nan")}, "kappa must be"),
        ({"alpha": -1}, "alpha must be above 0"),
        ({"eta": float("inf")}, "eta must be above 0"),
        ({"tau0": -1}, "tau0 must be at least 0"),
        ({"minibatch": 0}, "minibatch must be"),
        ({"passes": True}, "passes must be"),
        ({"nonsense": 1}, "no setting “nonsense”"),
    ],
)
def test_nonsense_is_refused(settings, sentence):
    with pytest.raises(Invalid, match=sentence) as error:
        engine_config("ssi", **{"topics": 5} | settings)
    assert error.value.field == next(iter(settings))
