"""Left-to-right estimate of the probability of whole held-out documents (SSI, eq. 12; Wallach et
al. 2009, algorithm 3).

The particles are a particle filter, which makes the estimate unbiased (compare Buntine 2009): see
LeftToRight.
"""

from typing import NamedTuple

import numpy as np
from numba import prange

from inference import fold_in
from inference.bow import Bow
from inference.documents import take_evenly
from inference.errors import Invalid
from inference.evaluate.held_out import LEAST_PROBABILITY
from inference.kernels import rng
from inference.kernels.chunks import cumulated
from inference.kernels.gibbs import first_above
from inference.runtime.jit import njit
from inference.topics import Topics

PARTICLES = 20
MOST_TOKENS = 1000  # of a document: the cost grows with their square


def within(
    bow: Bow,
    documents: np.ndarray,
    draws: int,
    particles: int = PARTICLES,
    limit: int = MOST_TOKENS,
) -> np.ndarray:
    """int64[n]: as many of the documents, evenly from first to last, as take LeftToRight about
    `draws` draws of a topic at most; at least one.

    A document of N tokens takes particles N (N + 1) / 2 of them. One core does some seven million
    in a second.
    """
    documents = np.asarray(documents, np.int64)
    lengths = np.minimum(bow.lengths[documents], limit).astype(np.float64)
    needed = particles * float((lengths * (lengths + 1) / 2).sum())
    if needed <= draws:
        return documents
    return take_evenly(documents, max(1, int(len(documents) * draws / needed)))


class TokensInOrder(NamedTuple):
    """The tokens to score of n documents. word_ptr: int64[n + 1], where each one's words begin;
    positions: int64, of these words among the distinct ones of all documents. token_ptr: int64[n +
    1]; tokens: int32, each the number of its word among its document's words."""

    word_ptr: np.ndarray
    positions: np.ndarray
    token_ptr: np.ndarray
    tokens: np.ndarray


class _Weights(NamedTuple):
    """Of a document's words: float64[words, K] each. beta: beta_kw; prior: the sums of alpha_j
    beta_jw over j <= k."""

    beta: np.ndarray
    prior: np.ndarray


class _Particles(NamedTuple):
    """Of particle r: z[r, i], topic of token i, -1 where it is passed over. used[r]: how many topics
    it uses, active[r, :used]: which they are, tokens[r, :used]: how many tokens each has. slot[r,
    k]: the place of topic k there, -1 for nowhere."""

    z: np.ndarray
    used: np.ndarray
    active: np.ndarray
    tokens: np.ndarray
    slot: np.ndarray


class LeftToRight:
    """Built once for some held-out documents, then called for topics after topics.

    A document's tokens w_1 … w_N are taken in a random order that depends on the seed and the
    document (the model is exchangeable, so every order has the same probability); of a document
    longer than `limit` only the first `limit`. Each particle r is an assignment z of the tokens so
    far. For n = 1 … N
      1. every particle samples z_i again for i = 1 … n - 1, from p(z_i = k | z_-i, w_i),
         proportional to (alpha_k + n_k without i) beta_kw_i;
      2. p_r = sum_k (alpha_k + n_k) / (sum alpha + n - 1) beta_kw_n, eq. 12, and the estimate of
         p(w_n | w_<n) is the mean of p_r over particles;
      3. particles are drawn again in proportion to p_r (systematic resampling), then each samples
         z_n from the terms of its sum.

    The product of the estimates is unbiased: its mean over seeds is p(w_1 … w_N | beta, alpha), for
    any number of particles. Without the drawing of step 3, which Wallach's algorithm and MALLET
    leave out, it is not. The mean log that is returned lies below the log of that mean, the less so
    the more particles there are. A word to which no topic gives weight counts as
    LEAST_PROBABILITY, and is then passed over.

    A particle's step costs the number of topics that it uses in the document and log K, whatever
    the vocabulary's size.
    """

    def __init__(
        self,
        bow: Bow,
        documents: np.ndarray,
        particles: int = PARTICLES,
        seed: int = 0,
        *,
        limit: int = MOST_TOKENS,
    ):
        if particles < 1:
            raise Invalid("particles", f"particles must be at least 1, got {particles}.")
        self.documents = np.asarray(documents, np.int64)
        self.particles = int(particles)
        self.seed = int(seed)
        bow_arrays = (bow.first_token, bow.indptr, bow.words, bow.counts)
        self.words, self.tokens_in_order = _order(
            self.documents, bow_arrays, bow.V, np.uint64(seed), limit
        )

    @property
    def tokens(self) -> int:
        """How many tokens are scored."""
        return len(self.tokens_in_order.tokens)

    def __call__(self, topics: Topics, alpha: float | np.ndarray) -> float:
        """Mean log p(token | tokens before it), nats per token; NaN where there is none. alpha: of
        each topic, float64[K], or one number for all.
        """
        return (
            float(self.documents_log(topics, alpha).sum() / self.tokens)
            if self.tokens
            else float("nan")
        )

    def documents_log(self, topics: Topics, alpha: float | np.ndarray) -> np.ndarray:
        """Estimates of log p(document) in nats, not per token: float64[n], in the order of
        `documents`; 0 for a document without words, and an array of length 0 where there are no
        documents. alpha: as in `__call__`. Raises Invalid where it is not above 0."""
        # A copy, since kernels are compiled for arrays that can be written
        alpha = np.array(np.broadcast_to(alpha, topics.K), np.float64)
        if not (alpha > 0).all():
            raise Invalid("alpha", "alpha must be above 0.")
        topics = topics.proper()
        beta = fold_in.rows(
            topics.indptr, topics.words, topics.weights, topics.floor, self.words, topics.V
        )
        return _estimate(
            beta,
            alpha,
            alpha.sum(),
            self.documents,
            self.tokens_in_order,
            self.particles,
            np.uint64(self.seed),
        )


@njit(cache=True)
def _order(documents, bow_arrays, V, seed, most):
    """(distinct words of all documents, the documents' TokensInOrder). bow_arrays: first_token,
    indptr, words, counts."""
    first_token, indptr, words, counts = bow_arrays
    n = len(documents)
    word_ptr = np.zeros(n + 1, np.int64)
    token_ptr = cumulated(np.minimum(first_token[documents + 1] - first_token[documents], most))
    # A document uses at most as many words as tokens
    order = np.empty(token_ptr[n], np.int32)
    positions = np.empty(token_ptr[n], np.int64)
    slot_of_word = np.full(V, -1, np.int64)
    distinct = np.empty(V, np.int64)
    count = 0
    for i in range(n):
        d = documents[i]
        used = word_ptr[i]
        size = first_token[d + 1] - first_token[d]
        tokens = np.repeat(words[indptr[d] : indptr[d + 1]], counts[indptr[d] : indptr[d + 1]])
        number = np.full(indptr[d + 1] - indptr[d], -1, np.int32)
        state = rng.key(seed, np.uint64(rng.SPLIT), np.uint64(d), np.uint64(1))
        for t in range(token_ptr[i + 1] - token_ptr[i]):  # Fisher and Yates, as far as it is needed
            state = rng.after(state)
            s = t + np.int64(rng.unit(state) * (size - t))
            w = tokens[s]
            tokens[s] = tokens[t]
            j = np.searchsorted(words[indptr[d] : indptr[d + 1]], w)
            if number[j] < 0:
                number[j] = used - word_ptr[i]
                if slot_of_word[w] < 0:
                    slot_of_word[w] = count
                    distinct[count] = w
                    count += 1
                positions[used] = slot_of_word[w]
                used += 1
            order[token_ptr[i] + t] = number[j]
        word_ptr[i + 1] = used
    used_positions = positions[: word_ptr[n]].copy()
    return distinct[:count].copy(), TokensInOrder(word_ptr, used_positions, token_ptr, order)


@njit(cache=True, parallel=True)
def _estimate(beta, alpha, alpha_sum, documents, in_order, particles, seed):
    """log p of each document: float64[n]. beta: BetaRows of the distinct words; in_order:
    TokensInOrder."""
    n = len(documents)
    estimates = np.zeros(n)
    for d in prange(n):
        words = slice(in_order.word_ptr[d], in_order.word_ptr[d + 1])
        tokens = slice(in_order.token_ptr[d], in_order.token_ptr[d + 1])
        estimates[d] = _document(
            _weights(beta, alpha, in_order.positions[words]),
            alpha_sum,
            in_order.tokens[tokens],
            particles,
            seed,
            np.uint64(documents[d]),
        )
    return estimates


@njit(cache=True)
def _weights(rows, alpha, positions):
    """_Weights of a document's words. rows: BetaRows; positions: int64[n], the words' rows."""
    K = len(rows.floor)
    beta = np.empty((len(positions), K))
    prior = np.empty((len(positions), K))
    for u in range(len(positions)):
        beta[u] = rows.floor
        for i in range(rows.row_ptr[positions[u]], rows.row_ptr[positions[u] + 1]):
            beta[u, rows.row_topics[i]] += rows.above[i]
        prior[u] = np.cumsum(alpha * beta[u])
    return _Weights(beta, prior)


@njit(cache=True)
def _document(weights, alpha_sum, tokens, particles, seed, d):
    """log p of document d, by the steps that LeftToRight describes. weights: _Weights of its words.
    tokens: int32[N], each the number of its word there."""
    N = len(tokens)
    K = weights.beta.shape[1]
    state = _empty(particles, N, K)
    random = np.empty(particles, np.uint64)
    sums = np.empty(min(N, K))
    p = np.empty(particles)
    for r in range(particles):
        random[r] = rng.key(seed, np.uint64(rng.LEFT_TO_RIGHT), d, np.uint64(r))
    shared = rng.key(seed, np.uint64(rng.LEFT_TO_RIGHT), d, np.uint64(particles))
    log_p = 0.0
    before = 0
    for n in range(N):
        u = tokens[n]
        if weights.prior[u, K - 1] <= 0.0:
            log_p += np.log(LEAST_PROBABILITY)
            continue
        for i in range(n):
            if state.z[0, i] >= 0:
                for r in range(particles):  # the inner loop, as all particles need the same rows
                    _remove(state, r, state.z[r, i])
                    random[r] = rng.after(random[r])
                    state.z[r, i] = _draw(rng.unit(random[r]), state, r, weights, tokens[i], sums)
                    _add(state, r, state.z[r, i])
        for r in range(particles):
            p[r] = weights.prior[u, K - 1]
            for s in range(state.used[r]):
                p[r] += state.tokens[r, s] * weights.beta[u, state.active[r, s]]
        total = p.sum()
        log_p += np.log(max(total / particles / (alpha_sum + before), LEAST_PROBABILITY))
        before += 1
        shared = rng.after(shared)
        _resample(rng.unit(shared), p, total, n, state)
        for r in range(particles):
            random[r] = rng.after(random[r])
            state.z[r, n] = _draw(rng.unit(random[r]), state, r, weights, u, sums)
            _add(state, r, state.z[r, n])
    return log_p


@njit(cache=True)
def _empty(particles, N, K):
    """Particles of a document of N tokens, none of which has a topic yet."""
    most_active = min(N, K)
    return _Particles(
        np.full((particles, N), -1, np.int32),
        np.zeros(particles, np.int64),
        np.empty((particles, most_active), np.int32),
        np.empty((particles, most_active), np.int32),
        np.full((particles, K), -1, np.int32),
    )


@njit(cache=True)
def _draw(x, state, r, weights, u, sums):
    """A topic for a token of word u in particle r, in proportion to (alpha_k + n_k) beta_ku: x, a
    uniform number, falls in the part of n_k or in that of alpha. sums: float64, room for the
    running sums of the particle's topics.
    """
    total = 0.0
    for s in range(state.used[r]):
        total += state.tokens[r, s] * weights.beta[u, state.active[r, s]]
        sums[s] = total
    x *= total + weights.prior[u, -1]
    if x < total:
        s = 0
        while sums[s] <= x:
            s += 1
        return state.active[r, s]
    return np.int32(first_above(weights.prior[u], x - total))


@njit(cache=True)
def _remove(state, r, k):
    """Take a token of topic k from particle r."""
    s = state.slot[r, k]
    state.tokens[r, s] -= 1
    if state.tokens[r, s] == 0:
        state.slot[r, k] = -1
        state.used[r] -= 1
        last = state.used[r]
        if s < last:
            state.active[r, s] = state.active[r, last]
            state.tokens[r, s] = state.tokens[r, last]
            state.slot[r, state.active[r, s]] = s


@njit(cache=True)
def _add(state, r, k):
    """Give a token of topic k to particle r."""
    s = state.slot[r, k]
    if s >= 0:
        state.tokens[r, s] += 1
    else:
        s = state.used[r]
        state.slot[r, k] = s
        state.active[r, s] = k
        state.tokens[r, s] = 1
        state.used[r] += 1


@njit(cache=True)
def _resample(x, p, total, n, state):
    """Systematic resampling: particle r stays floor or ceil of particles * p_r / total times;
    copies take the others' places. n: tokens that have been taken so far."""
    particles = len(p)
    copies = np.zeros(particles, np.int64)
    r = 0
    reached = p[0]
    for i in range(particles):
        aim = (i + x) * total / particles
        while reached <= aim and r < particles - 1:
            r += 1
            reached += p[r]
        copies[r] += 1
    source = 0
    for r in range(particles):
        if copies[r]:
            continue
        while copies[source] < 2:
            source += 1
        copies[source] -= 1
        _copy(state, source, r, n)


@njit(cache=True)
def _copy(state, source, r, n):
    """Particle r becomes what `source` is. n: tokens that have been taken so far."""
    for s in range(state.used[r]):
        state.slot[r, state.active[r, s]] = -1
    state.z[r, :n] = state.z[source, :n]
    state.used[r] = state.used[source]
    for s in range(state.used[r]):
        state.active[r, s] = state.active[source, s]
        state.tokens[r, s] = state.tokens[source, s]
        state.slot[r, state.active[r, s]] = s
