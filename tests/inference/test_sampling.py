"""Sampling, judged by its distribution: eq. 9 for one token, eq. 3 for a whole document."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from inference.engines import ssi
from inference.kernels import gibbs, rng
from tests.inference import naive
from tests.inference.corpora import bow_of

DRAWS = 40_000
SIGNIFICANT = 1e-4  # a true sampler fails one such test in ten thousand; the keys are fixed, so a pass stays one


def state_with(extra: np.ndarray, eta: float) -> ssi.State:
    """A state whose lambda is eta + extra[k, w], with a scale of its own to be undone."""
    K, V = extra.shape
    pi = 0.25
    rows = [np.flatnonzero(extra[:, w]) for w in range(V)]
    length = np.array([len(r) for r in rows])
    start = np.concatenate(([0], np.cumsum(length)[:-1]))
    topics = np.concatenate([r.astype(np.int32) for r in rows] or [np.empty(0, np.int32)])
    values = np.concatenate([extra[r, w] for w, r in enumerate(rows)]).astype(np.float32) / np.float32(pi)
    return ssi.State(7, 1, 0, pi, start, length, length.copy(), topics, values, len(topics), extra.sum(axis=1) / pi)


CASES = {
    "word and document": (np.array([[5.0, 0, 1], [0, 3, 0], [2, 0, 0], [0, 0, 4]]), [3, 0, 1, 0]),
    "empty document": (np.array([[5.0, 0, 1], [0, 3, 0], [2, 0, 0], [0, 0, 4]]), [0, 0, 0, 0]),
    "word in no topic": (np.array([[0.0, 9, 1], [0, 3, 0], [0, 0, 0], [0, 0, 4]]), [0, 2, 5, 0]),
    "document elsewhere": (np.array([[5.0, 0, 1], [0, 3, 0], [0, 0, 0], [0, 0, 0]]), [0, 0, 6, 2]),
    "nothing known": (np.zeros((4, 3)), [1, 0, 0, 2]),
}


@pytest.mark.parametrize("spread", [True, False], ids=["table", "search"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("eta", [0.05, 0.4])
def test_one_token_follows_eq_9(case, eta, spread):
    extra, counts = CASES[case]
    K, V = extra.shape
    alpha, word = 0.3, 0
    state = state_with(extra, eta)
    norm = gibbs.normalisers(state.pi * state.totals, V, eta, True)
    ptr, topics, c, cum, table = gibbs.gather(
        np.array([word]), state.start, state.length, state.arena_topics, state.arena_values, state.pi, eta, norm, alpha, True
    )
    g, gcum = gibbs.smoothing(norm, eta, alpha, True)
    counts = np.array(counts, np.int32)
    active = np.flatnonzero(counts).astype(np.int32)
    room = np.zeros(K, np.int32)
    room[: len(active)] = active
    mass = float((counts * g).sum())
    table = table if spread else np.empty((0, K), np.float32)
    u = (np.arange(DRAWS) + 0.5) / DRAWS  # every part of the unit interval once: the measure of each answer, exactly
    drawn = [
        gibbs.draw(x, 0, ptr[0], ptr[1], topics, c, cum, table, g, gcum, counts, room, len(active), mass, alpha, np.empty(K, np.int32), np.empty(K))
        for x in u
    ]  # fmt: skip
    expected = naive.conditional(eta + extra, counts, word, alpha)
    assert np.bincount(drawn, minlength=K) / DRAWS == pytest.approx(expected, abs=2 * K / DRAWS)


def test_everything_underflows():
    """With an eta near 0 and words that no topic has, eq. 9 is 0 / 0 in floating point: alpha + N_dk remains."""
    config = ssi.Config(topics=5, eta=1e-6, alpha=0.1)
    bow = bow_of([[0, 1, 1], [2, 2, 2]], 3)
    theta = ssi.fold_in(config, ssi.init(config, ssi.Shape(2, 3), 1), bow, 0, 2)
    assert np.isfinite(theta.weights).all() and len(theta.topics)


@pytest.mark.parametrize("words", [[0, 1, 0], [2, 2, 1, 0]])
def test_document_follows_eq_3(words):
    """A long chain visits the configurations of a tiny document as often as q*(z) says."""
    extra = np.array([[4.0, 0, 1], [0, 3, 0.5]])
    config = ssi.Config(topics=2, alpha=0.5, eta=0.4)
    state = state_with(extra, config.eta)
    order = sorted(words)
    chains = 20_000
    bow = bow_of([words] * chains, 3)
    keys = rng.keys(np.uint64(3), np.uint64(rng.SAMPLE), np.uint64(9), np.arange(chains))
    _, offsets, _, samples = ssi._sample(config, state, bow, np.arange(chains), keys, 25, 1)
    found = Counter(map(tuple, samples[0].reshape(chains, len(words)).tolist()))
    expected = naive.configurations(config.eta + extra, order, config.alpha)
    observed = np.array([found[z] for z in expected])
    assert observed.sum() == chains
    assert chisquare(observed, chains * np.array(list(expected.values()))).pvalue > SIGNIFICANT
