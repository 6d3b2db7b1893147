"""Folding in by iterating on a document's topics: against its slow twin, its plain form, and
sampling."""

from dataclasses import replace

import numba
import numpy as np
import pytest

from inference.engines import ssi
from inference.engines.batch import expand
from inference.engines.ssi.sampling import sample_batch
from inference.kernels import fold, gibbs, rng, rows
from inference.topics import Theta
from tests.inference import naive_fold
from tests.inference.corpora import bow_of, corpus_of_size, planted


def state_of(counts: np.ndarray, alpha: float, eta: float = 0.05) -> tuple[ssi.Resolved, ssi.State]:
    """A state with these statistics, lambda - eta: whole numbers [K, V]."""
    K, V = counts.shape
    config = ssi.Config(topics=K, alpha=alpha, eta=eta).resolve(1000, 100_000)
    state = ssi.init(replace(config, warm_up=0), corpus_of_size(1, V, 0), 1)
    words, topics = np.nonzero(counts.T)
    state.length[:] = np.bincount(words, minlength=V)
    state.start[:] = np.cumsum(state.length) - state.length
    state.arena_topics = topics.astype(np.int32)
    state.arena_values = counts.T[words, topics].astype(np.float32)
    state.totals[:] = counts.sum(axis=1)
    state.pi = 1.0
    state.used = len(topics)
    return config, state


def dense(theta: Theta, K: int) -> np.ndarray:
    """float64[n, K]: what is left of 1 is spread over the topics that are not listed, as the
    evidence does."""
    out = np.zeros((len(theta.indptr) - 1, K))
    for d, row in enumerate(out):
        span = slice(theta.indptr[d], theta.indptr[d + 1])
        row[:] = (1 - theta.weights[span].sum()) / max(K - (span.stop - span.start), 1)
        row[theta.topics[span]] = theta.weights[span]
    return out


def apart(a: np.ndarray, b: np.ndarray) -> float:
    """Mean total variation distance of documents."""
    return float(0.5 * np.abs(a - b).sum(axis=1).mean())


@pytest.fixture(scope="module", params=[12, 90])
def known(request):
    """K topics that share words, documents of 0 to 120 tokens; more topics than a block has, and
    fewer."""
    K = request.param
    V = 300
    random = np.random.default_rng(2)
    beta = random.dirichlet(np.full(V, 0.1), K)
    config, state = state_of(random.multinomial(2000, beta), alpha=round(min(0.2, 2 * K**-0.6), 4))
    documents = []
    for n in [0, 1, *random.integers(20, 120, 58)]:
        theta = random.dirichlet(np.full(K, 3 / K))
        documents.append(np.repeat(np.arange(V), random.multinomial(n, theta @ beta)).tolist())
    return bow_of(documents, V), config, state


def betas(state: ssi.State) -> tuple[np.ndarray, np.ndarray]:
    """(above float64[K, V], floor float64[K])."""
    V = len(state.start)
    K = len(state.totals)
    above = np.zeros((K, V))
    for w in range(V):
        row = slice(state.start[w], state.start[w] + state.length[w])
        above[state.arena_topics[row], w] = state.arena_values[row]
    norm = (state.totals + V * state.eta)[:, None]
    return above / norm, state.eta / norm[:, 0]


def test_it_is_the_slow_twin(known):
    bow, config, state = known
    theta = ssi.fold_in(config, state, bow, 0, bow.D)
    above, floor = betas(state)
    for d in range(bow.D):
        words, counts = (of[bow.indptr[d] : bow.indptr[d + 1]] for of in (bow.words, bow.counts))
        expected = (
            naive_fold.mixture(above, floor, words, counts, state.alpha) if len(words) else {}
        )
        span = slice(theta.indptr[d], theta.indptr[d + 1])
        assert (np.diff(theta.weights[span]) <= 0).all()
        listed = dict(zip(theta.topics[span].tolist(), theta.weights[span].tolist(), strict=True))
        assert listed == pytest.approx(expected, abs=1e-4)


def test_few_sweeps_over_few_topics_come_near_to_many_over_all(known):
    bow, config, state = known
    above, floor = betas(state)
    plain = np.array(
        [
            naive_fold.cvb0(above + floor[:, None], bow.words[a:b], bow.counts[a:b], state.alpha)
            for a, b in zip(bow.indptr, bow.indptr[1:], strict=False)
        ]
    )
    # 0.053 at K = 90
    assert apart(dense(ssi.fold_in(config, state, bow, 0, bow.D), config.topics), plain) < 0.06


def sampled(
    config: ssi.Resolved, state: ssi.State, bow, burn_in: int, samples: int, seed: int
) -> Theta:
    """theta by sampling under topics that stay: what the fold-in was before."""
    batch = expand(bow, np.arange(bow.D))
    documents = np.arange(bow.D)
    keys = rng.keys(np.uint64(seed), np.uint64(rng.FOLD_IN), np.uint64(0), documents)
    config = replace(config, burn_in=burn_in, samples=samples, draws=2, learn="nothing")
    draws = sample_batch(config, state, batch, keys)
    return Theta(0, *rows.mixtures(batch.token_ptr[batch.doc_ptr], draws, state.alpha))


def test_it_is_nearer_to_a_long_chain_than_ten_sweeps_of_sampling(known):
    """Mean total variation distance from 500 sweeps: on Reuters-21578 0.07 to 0.16 at K = 100, 0.14
    to 0.27 at K = 1000."""
    bow, config, state = known
    long = dense(sampled(config, state, bow, 50, 500, 1), config.topics)
    short = dense(sampled(config, state, bow, 5, 5, 2), config.topics)
    iterated = dense(ssi.fold_in(config, state, bow, 0, bow.D), config.topics)
    assert apart(iterated, long) < 0.1  # 0.087 at K = 90
    assert apart(iterated, long) < 0.7 * apart(short, long)
    assert np.mean(iterated.argmax(axis=1) == long.argmax(axis=1)) > 0.9


def test_threads_and_blocks_change_nothing(known):
    bow, config, state = known
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    alone = ssi.fold_in(config, state, bow, 0, bow.D)
    numba.set_num_threads(before)
    together = ssi.fold_in(config, state, bow, 0, bow.D)
    part = ssi.fold_in(config, state, bow, 7, 20)
    for a, b in zip(alone[1:], together[1:], strict=True):
        assert np.array_equal(a, b)
    span = slice(together.indptr[7], together.indptr[20])
    assert np.array_equal(part.topics, together.topics[span]) and np.array_equal(
        part.weights, together.weights[span]
    )


def test_a_long_document_may_have_many_topics():
    """A block grows with the document: each of 100 topics with words of its own is listed."""
    bow, beta = planted(K=100, V=400, D=1, length=20_000, seed=1, alpha=20.0)
    config, state = state_of(np.random.default_rng(1).multinomial(1000, beta), alpha=0.1)
    theta = ssi.fold_in(config, state, bow, 0, 1)
    assert len(theta.topics) == 100 and theta.weights.sum() == pytest.approx(1, abs=0.01)


def test_words_that_no_topic_has_leave_the_prior():
    config, state = state_of(np.array([[5, 0, 0], [0, 5, 0]]), alpha=0.1, eta=1e-6)
    theta = ssi.fold_in(config, state, bow_of([[2, 2], [0, 2], []], 3), 0, 3)
    assert theta.indptr.tolist() == [0, 1, 2, 2] and theta.topics.tolist() == [0, 0]
    assert theta.weights[0] == pytest.approx(0.1 / 2.2) and theta.weights[1] > 0.5


def test_the_nth_largest():
    random = np.random.default_rng(3)
    for size in (1, 2, 40, 333):
        values = random.integers(0, 20, size).astype(np.float32)
        for n in {1, size // 2 + 1, size}:
            assert fold.nth_largest(values, n, np.empty_like(values)) == np.sort(values)[-n]


def test_the_topics_of_a_block_are_the_largest_and_of_equal_ones_the_first():
    random = np.random.default_rng(4)
    guesses = [[1, 1, 2], [0, 0, 0], [3, 3, 3, 3], [0, 1, 0, 1]]
    guesses += random.integers(0, 4, (50, 60)).tolist()
    for values in guesses:
        guess = np.array(values, np.float32)
        for most in (1, 2, len(guess)):
            active = np.empty(most, np.int64)
            column = np.empty(len(guess), np.int32)
            m = fold.choose_topics(guess, most, np.empty_like(guess), column, active)
            largest_first = np.argsort(-guess, kind="stable")[:most]
            expected = sorted(k for k in largest_first if guess[k] > 0)
            assert active[:m].tolist() == expected
            assert column[expected].tolist() == list(range(m))
            assert (np.delete(column, expected) == most).all()


def test_a_topic_behind_a_block_of_equal_ones_is_not_lost():
    """33 topics in which the word is alike, and a last one that is made of it."""
    K = fold.BLOCK_TOPICS + 2
    counts = np.full((K, 2), 50)
    counts[-1] = [100, 0]
    config, state = state_of(counts, alpha=0.1)
    theta = ssi.fold_in(config, state, bow_of([[0] * 10], 2), 0, 1)
    assert theta.topics[0] == K - 1


def test_expected_logs_of_beta(known):
    """With expectation = log the rows are exp psi, as those that are sampled from."""
    state = known[2]
    norm = gibbs.normalisers(state.totals, len(state.start), state.eta, True)
    row_ptr, topics, above, inverse, floor = fold.rows(
        np.arange(9), state.arena, 1.0, state.eta, norm, state.alpha, True
    )
    table = gibbs.dense_weights(np.arange(9), state.arena, 1.0, state.eta, 1.0 / norm, True)
    of = state.alpha @ np.repeat(floor[:, None], 9, axis=1)
    for w in range(9):
        span = slice(row_ptr[w], row_ptr[w + 1])
        assert above[span] / inverse[w] == pytest.approx(table[w, topics[span]], rel=1e-4)
        assert 1 / inverse[w] == pytest.approx(
            of[w] + state.alpha[topics[span]] @ table[w, topics[span]], rel=1e-4
        )
