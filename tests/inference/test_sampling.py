"""Sampling, judged by its distribution: eq. 9 for one token, eq. 3 for a whole document."""

from collections import Counter

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import chisquare

from inference.engines import ssi
from inference.engines.batch import expand
from inference.engines.ssi import counting
from inference.engines.ssi.sampling import sample_batch, sample_in_place
from inference.engines.ssi.settings import MOST_DRAWS
from inference.kernels import rng
from tests.inference import naive
from tests.inference.corpora import bow_of, corpus_of_size

# a true sampler fails one such test in ten thousand; the keys are fixed, so a pass stays one
SIGNIFICANT = 1e-4


def state_with(extra: np.ndarray, eta: float, alpha: float) -> ssi.State:
    """A state whose lambda is eta + extra[k, w], with a scale of its own to be undone."""
    K, V = extra.shape
    state = ssi.init(
        ssi.Config(topics=K, eta=eta, alpha=alpha, statistics="decay").resolve(1, 1),
        corpus_of_size(1, V, 1),
        7,
    )
    state.pi = 0.25
    rows = [np.flatnonzero(extra[:, w]) for w in range(V)]
    state.length[:] = state.capacity[:] = [len(r) for r in rows]
    state.start[:] = np.concatenate(([0], np.cumsum(state.length)[:-1]))
    state.arena_topics = np.concatenate([r.astype(np.int32) for r in rows])
    state.arena_values = np.concatenate([extra[r, w] for w, r in enumerate(rows)]).astype(
        np.float32
    ) / np.float32(state.pi)
    state.used = len(state.arena_topics)
    state.totals = extra.sum(axis=1) / state.pi
    return state


CASES = {
    "word and document": (np.array([[5.0, 0, 1], [0, 3, 0], [2, 0, 0], [0, 0, 4]]), [3, 0, 1, 0]),
    "empty document": (np.array([[5.0, 0, 1], [0, 3, 0], [2, 0, 0], [0, 0, 4]]), [0, 0, 0, 0]),
    "word in no topic": (np.array([[0.0, 9, 1], [0, 3, 0], [0, 0, 0], [0, 0, 4]]), [0, 2, 5, 0]),
    "document elsewhere": (np.array([[5.0, 0, 1], [0, 3, 0], [0, 0, 0], [0, 0, 0]]), [0, 0, 6, 2]),
    "nothing known": (np.zeros((4, 3)), [1, 0, 0, 2]),
}


@pytest.mark.parametrize("expectation", ["log", "mean"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("eta", [0.05, 0.4])
def test_one_token_follows_eq_9(case, eta, expectation):
    """The first token's draws, evenly spaced in its conditional distribution: so many of each topic
    as that says, exactly."""
    extra, counts = CASES[case]
    state = state_with(extra, eta, alpha=0.3)
    others = np.repeat(np.arange(len(counts)), counts)
    bow = bow_of([[0] + [1] * len(others)], 3)
    config = ssi.Config(
        topics=4, eta=eta, expectation=expectation, alpha=0.3, samples=1, draws=MOST_DRAWS
    ).resolve(1, 1)
    before = np.repeat(np.concatenate(([2], others)).astype(np.uint16)[:, None], MOST_DRAWS, axis=1)
    drawn = sample_batch(
        config, state, expand(bow, np.arange(1)), np.array([5], np.uint64), before
    )[0]
    expected = naive.conditional(eta + extra, np.array(counts), 0, 0.3, expectation)
    assert np.bincount(drawn, minlength=4) / len(drawn) == pytest.approx(
        expected, abs=2 / len(drawn)
    )


@pytest.mark.parametrize("topics", [4, 16, 19], ids="K = {}".format)
@pytest.mark.parametrize("wide", [0, 1, 3], ids="{} words of the wide part".format)
@pytest.mark.parametrize("case", CASES)
def test_one_token_follows_eq_9_where_counts_are_in_the_table(case, wide, topics, monkeypatch):
    """As every step of a training after its warm-up: whole numbers, in either part of the table, in
    blocks of topics that are full or not. What changed is listed."""
    some_extra, some_counts = CASES[case]
    extra = np.resize(some_extra, (topics, 3))
    counts = np.resize(some_counts, topics)
    others = np.repeat(np.arange(topics), counts)
    bow = bow_of([[0] + [1] * len(others)], 3)
    config = ssi.Config(topics=topics, eta=0.05, alpha=0.3, samples=1, draws=MOST_DRAWS).resolve(
        1, 1
    )
    state = state_with(extra, 0.05, alpha=0.3)
    before = np.concatenate(([2], others)).astype(np.uint16)
    state.memory = np.repeat(before[:, None], MOST_DRAWS, axis=1)
    monkeypatch.setattr(counting, "wide_words", lambda most_draws, limit: wide)
    counting.open_table(config, state, bow)
    assert len(state.table.wide) == wide
    changed, begins, ends = sample_in_place(
        config, state, bow, np.arange(1), np.array([5], np.uint64), anew=False
    )
    drawn = state.memory[0]
    expected = naive.conditional(0.05 + extra, counts, 0, 0.3, "mean")
    assert np.bincount(drawn, minlength=topics) / len(drawn) == pytest.approx(
        expected, abs=2 / len(drawn)
    )
    listed = np.concatenate([changed[a:b] for a, b in zip(begins, ends, strict=True)])
    of_first_word = listed[listed >> np.uint64(32) == 0]
    assert (of_first_word & np.uint64(0xFFFF) == 2).all()
    new_topics = of_first_word >> np.uint64(16) & np.uint64(0xFFFF)
    assert sorted(new_topics) == sorted(drawn[drawn != 2])


def test_learned_alpha_counts_what_documents_hold():
    """What the fixed point needs is the sum of psi(alpha + N_dk) - psi(alpha), of the topics as
    they end."""
    generator = np.random.default_rng(1)
    bow = bow_of([generator.integers(0, 3, n).tolist() for n in (5, 40, 0, 1, 400)], 3)
    config = ssi.Config(topics=4, alpha=0.3, eta=0.1, learn="alpha", samples=1, draws=1).resolve(
        5, 446
    )
    state = state_with(np.array([[5.0, 0, 1], [0, 3, 0], [2, 0, 0], [0, 0, 4]]), 0.1, 0.3)
    batch = expand(bow, np.arange(5))
    z = sample_batch(config, state, batch, np.arange(5).astype(np.uint64))[:, 0]
    tokens = batch.token_ptr[batch.doc_ptr]
    counts = np.array(
        [np.bincount(z[a:b], minlength=4) for a, b in zip(tokens, tokens[1:], strict=False)]
    )
    assert state.rises[:4] == pytest.approx((digamma(0.3 + counts) - digamma(0.3)).sum(axis=0))
    assert state.rises[4] == pytest.approx((digamma(1.2 + counts.sum(axis=1)) - digamma(1.2)).sum())


def test_everything_underflows():
    """With an eta near 0 and words that no topic has, eq. 9 is 0 / 0 in floating point: alpha +
    N_dk remains."""
    config = ssi.Config(topics=5, eta=1e-6, alpha=0.1, expectation="log").resolve(2, 6)
    bow = bow_of([[0, 1, 1], [2, 2, 2]], 3)
    state = ssi.init(config, corpus_of_size(2, 3, 6), 1)
    samples = sample_batch(config, state, expand(bow, np.arange(2)), np.arange(2).astype(np.uint64))
    assert (samples < 5).all()
    theta = ssi.fold_in(config, state, bow, 0, 2)
    assert np.isfinite(theta.weights).all() and len(theta.topics)


def test_draws_of_a_token_differ_where_everything_underflows():
    """Draws are evenly spaced: of four from equal topics each is of another quarter."""
    config = ssi.Config(
        topics=8, eta=1e-6, alpha=0.1, expectation="log", samples=1, draws=4
    ).resolve(1, 1)
    bow = bow_of([[0]], 3)
    state = ssi.init(config, corpus_of_size(1, 3, 1), 1)
    samples = sample_batch(config, state, expand(bow, np.arange(1)), np.arange(1).astype(np.uint64))
    assert samples.shape == (1, 4)
    assert sorted(samples[0] // 2) == [0, 1, 2, 3]


@pytest.mark.parametrize("words", [[0, 1, 0], [2, 2, 1, 0]])
def test_document_follows_eq_3(words):
    """A long chain visits the configurations of a tiny document as often as q*(z) says."""
    extra = np.array([[4.0, 0, 1], [0, 3, 0.5]])
    config = ssi.Config(
        topics=2, alpha=0.5, eta=0.4, expectation="log", burn_in=25, samples=1, draws=2
    ).resolve(1, 1)
    state = state_with(extra, config.eta, config.alpha)
    chains = 20_000
    batch = expand(bow_of([words] * chains, 3), np.arange(chains))
    keys = rng.keys(np.uint64(3), np.uint64(rng.SAMPLE), np.uint64(9), np.arange(chains))
    samples = sample_batch(config, state, batch, keys)
    found = Counter(map(tuple, samples[:, 0].reshape(chains, len(words)).tolist()))
    expected = naive.configurations(config.eta + extra, sorted(words), config.alpha)
    observed = np.array([found[z] for z in expected])
    assert observed.sum() == chains
    assert chisquare(observed, chains * np.array(list(expected.values()))).pvalue > SIGNIFICANT
