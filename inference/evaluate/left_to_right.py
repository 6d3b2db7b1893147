"""Left-to-right estimate of the probability of whole held-out documents (SSI, eq. 12; Wallach et
al. 2009, algorithm
3).

The particles are a particle filter, which makes the estimate unbiased (compare Buntine 2009): see
LeftToRight.
"""

import numpy as np
from numba import prange

from inference import fold_in
from inference.bow import Bow
from inference.errors import Invalid
from inference.evaluate.held_out import LEAST_PROBABILITY
from inference.kernels import rng
from inference.kernels.gibbs import cumulated, first_above
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
    lengths = np.minimum(np.diff(bow.first_token)[documents], limit).astype(np.float64)
    needed = particles * float((lengths * (lengths + 1) / 2).sum())
    if needed <= draws:
        return documents
    n = max(1, int(len(documents) * draws / needed))
    return documents[np.arange(n) * len(documents) // n]


class LeftToRight:
    """Built once for some held-out documents, then called for topics after topics.

    A document's tokens w_1 … w_N are taken in a random order that depends on the seed and the
    document (the model is exchangeable, so every order has the same probability); of a document
    longer than `limit` only the first `limit`. Each particle r is an assignment z of the tokens so
    far. For n = 1 … N
      1. every particle samples z_i again for i = 1 … n - 1, from p(z_i = k | z_-i, w_i),
         proportional to
         (alpha_k + n_k without i) beta_kw_i;
      2. p_r = sum_k (alpha_k + n_k) / (sum alpha + n - 1) beta_kw_n, eq. 12, and the estimate of
         p(w_n | w_<n) is the
      mean
         of p_r over particles;
      3. particles are drawn again in proportion to p_r (systematic resampling), then each samples
         z_n from the terms of
      its
         sum.
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
        self.words, self.word_ptr, self.places, self.indptr, self.order = _order(
            self.documents,
            bow.first_token,
            bow.indptr,
            bow.words,
            bow.counts,
            bow.V,
            np.uint64(seed),
            limit,
        )

    @property
    def tokens(self) -> int:
        """How many tokens are scored."""
        return len(self.order)

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
        row_ptr, row_topics, above = fold_in.rows(
            topics.proper().indptr, topics.words, topics.weights, topics.floor, self.words, topics.V
        )
        return _estimate(
            topics.floor,
            row_ptr,
            row_topics,
            above,
            alpha,
            alpha.sum(),
            self.documents,
            self.word_ptr,
            self.places,
            self.indptr,
            self.order,
            self.particles,
            np.uint64(self.seed),
        )


@njit(cache=True)
def _order(documents, first_token, indptr, words, counts, V, seed, most):
    """The tokens to score: (distinct words, indptr of places, place among them of each document's
    used words, indptr of tokens, tokens: int32, each a number among the document's used words).
    """
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
    return distinct[:count].copy(), word_ptr, positions[: word_ptr[n]].copy(), token_ptr, order


@njit(cache=True, parallel=True)
def _estimate(
    floor,
    row_ptr,
    row_topics,
    above,
    alpha,
    alpha_sum,
    documents,
    word_ptr,
    places,
    indptr,
    order,
    particles,
    seed,
):
    """log p of each document: float64[n]."""
    n = len(documents)
    estimates = np.zeros(n)
    for d in prange(n):
        beta, prior = _tables(
            floor, row_ptr, row_topics, above, alpha, places[word_ptr[d] : word_ptr[d + 1]]
        )
        estimates[d] = _document(
            beta,
            prior,
            alpha_sum,
            order[indptr[d] : indptr[d + 1]],
            particles,
            seed,
            np.uint64(documents[d]),
        )
    return estimates


@njit(cache=True)
def _tables(floor, row_ptr, row_topics, above, alpha, places):
    """For a document's words: beta_kw, and the sums of alpha_j beta_jw over j <= k: float64[words,
    K] each."""
    K = len(floor)
    beta = np.empty((len(places), K))
    prior = np.empty((len(places), K))
    for u in range(len(places)):
        beta[u] = floor
        for i in range(row_ptr[places[u]], row_ptr[places[u] + 1]):
            beta[u, row_topics[i]] += above[i]
        prior[u] = np.cumsum(alpha * beta[u])
    return beta, prior


@njit(cache=True)
def _document(beta, prior, alpha_sum, tokens, particles, seed, d):
    """log p of a document, by the steps that LeftToRight describes.

    Of particle r: z[r, i], topic of token i, -1 where it is passed over. used[r]: how many topics
    it uses, active[r, :used]: which they are, held[r, :used]: how many tokens each has. slot[r, k]:
    the place of topic k there, -1 for nowhere.
    """
    N = len(tokens)
    K = beta.shape[1]
    most_active = min(N, K)
    z = np.full((particles, N), -1, np.int32)
    slot = np.full((particles, K), -1, np.int32)
    active = np.empty((particles, most_active), np.int32)
    tokens_held = np.empty((particles, most_active), np.int32)
    used = np.zeros(particles, np.int64)
    states = np.empty(particles, np.uint64)
    sums = np.empty(most_active)
    p = np.empty(particles)
    for r in range(particles):
        states[r] = rng.key(seed, np.uint64(rng.LEFT_TO_RIGHT), d, np.uint64(r))
    shared = rng.key(seed, np.uint64(rng.LEFT_TO_RIGHT), d, np.uint64(particles))
    log_p = 0.0
    before = 0
    for n in range(N):
        u = tokens[n]
        if prior[u, K - 1] <= 0.0:
            log_p += np.log(LEAST_PROBABILITY)
            continue
        for i in range(n):
            if z[0, i] >= 0:
                v = tokens[i]
                for r in range(particles):  # the inner loop, as all particles need the same rows
                    _remove(r, z[r, i], used, active, tokens_held, slot)
                    states[r] = rng.after(states[r])
                    z[r, i] = _draw(
                        rng.unit(states[r]), r, v, beta, prior, used, active, tokens_held, sums
                    )
                    _add(r, z[r, i], used, active, tokens_held, slot)
        for r in range(particles):
            p[r] = prior[u, K - 1]
            for s in range(used[r]):
                p[r] += tokens_held[r, s] * beta[u, active[r, s]]
        total = p.sum()
        log_p += np.log(max(total / particles / (alpha_sum + before), LEAST_PROBABILITY))
        before += 1
        shared = rng.after(shared)
        _resample(rng.unit(shared), p, total, n, z, used, active, tokens_held, slot)
        for r in range(particles):
            states[r] = rng.after(states[r])
            z[r, n] = _draw(rng.unit(states[r]), r, u, beta, prior, used, active, tokens_held, sums)
            _add(r, z[r, n], used, active, tokens_held, slot)
    return log_p


@njit(cache=True)
def _draw(x, r, u, beta, prior, used, active, held, sums):
    """A topic for a token of word u in particle r, in proportion to (alpha_k + n_k) beta_ku: x, a
    uniform number, falls in the part of n_k or in that of alpha.
    """
    total = 0.0
    for s in range(used[r]):
        total += held[r, s] * beta[u, active[r, s]]
        sums[s] = total
    x *= total + prior[u, -1]
    if x < total:
        s = 0
        while sums[s] <= x:
            s += 1
        return active[r, s]
    return np.int32(first_above(prior[u], x - total))


@njit(cache=True)
def _remove(r, k, used, active, held, slot):
    """Take a token of topic k from particle r."""
    s = slot[r, k]
    held[r, s] -= 1
    if held[r, s] == 0:
        slot[r, k] = -1
        used[r] -= 1
        last = used[r]
        if s < last:
            active[r, s] = active[r, last]
            held[r, s] = held[r, last]
            slot[r, active[r, s]] = s


@njit(cache=True)
def _add(r, k, used, active, held, slot):
    """Give a token of topic k to particle r."""
    s = slot[r, k]
    if s >= 0:
        held[r, s] += 1
    else:
        s = used[r]
        slot[r, k] = s
        active[r, s] = k
        held[r, s] = 1
        used[r] += 1


@njit(cache=True)
def _resample(x, p, total, n, z, used, active, held, slot):
    """Systematic resampling: particle r stays floor or ceil of particles * p_r / total times;
    copies take the others' places."""
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
        for s in range(used[r]):
            slot[r, active[r, s]] = -1
        z[r, :n] = z[source, :n]
        used[r] = used[source]
        for s in range(used[r]):
            active[r, s] = active[source, s]
            held[r, s] = held[source, s]
            slot[r, active[r, s]] = s
