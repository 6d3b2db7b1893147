"""theta of documents under fixed topics, by iterating on the few topics that a document has.

CVB0 (Asuncion et al. 2009, eq. 8) with the topics fixed: gamma_wk, topic k's part of a token of
word w, is proportional to (alpha_k + N_k - gamma_wk) beta_kw, and N_k = sum_w n_w gamma_wk; words
one after another, each with the current N.

A document's first guess takes one walk along the rows of its words. The topics that it ranks first
are then kept in a block of float32, words by topics, that stays in the cache. Sums run along LANES
accumulators, so results depend neither on the width of a processor's registers nor on the number of
threads.
"""

import numpy as np
from numba import prange

from inference.kernels import select
from inference.kernels.chunks import CHUNKS, chunk_bounds, cumulated
from inference.kernels.rows import close
from inference.kernels.special import exp_digamma, sum_in_order
from inference.runtime.jit import njit

MOST_BLOCK_TOPICS = 32  # topics in a document's block, at least so many;
TOKENS_EACH = 8  # and one for each so many of its tokens, where that is more
FIRST_SWEEPS = 2  # over all of them, before those with little are left out
SWEEPS = 10  # at most, in all
LEAST_TOKENS = 0.2  # tokens: a topic with fewer is left to the prior
# of a token: where no topic's tokens change by more in a sweep the iteration has come to its end
NEAR_TOKENS = 0.05
LANES = 8  # topics that are summed side by side
_DARK = np.float32(1e-6)  # the least that all other topics give to a word: no sum is 0


@njit(cache=True, parallel=True)
def rows(words, arena, scale, eta, norm, alpha, log_expectation):
    """beta of some words, from rows of an arena: (row_ptr int64[n + 1], topics int32, above
    float32, inverse float32[n], floor float32[K]).

    beta_kw is floor_k + what `above` has of k, over inverse_w: each word's row is divided by sum_k
    alpha_k beta_kw, which changes no gamma. The arguments are those of gibbs.dense_weights, norm
    what gibbs.normalisers returns.
    """
    start, length, row_topics, row_values = arena
    n = len(words)
    K = len(norm)
    row_ptr = cumulated(length[words])
    topics = np.empty(row_ptr[n], np.int32)
    above = np.empty(row_ptr[n], np.float32)
    inverse = np.empty(n, np.float32)
    base = exp_digamma(eta) if log_expectation else eta
    floor = np.empty(K, np.float32)
    smooth = 0.0
    for k in range(K):
        floor[k] = base / norm[k]
        smooth += alpha[k] * (base / norm[k])
    bounds = chunk_bounds(row_ptr)
    for chunk in prange(CHUNKS):
        for i in range(bounds[chunk], bounds[chunk + 1]):
            first = start[words[i]] - row_ptr[i]
            total = smooth
            for j in range(row_ptr[i], row_ptr[i + 1]):
                x = eta + scale * row_values[first + j]
                value = ((exp_digamma(x) if log_expectation else x) - base) / norm[
                    row_topics[first + j]
                ]
                topics[j] = row_topics[first + j]
                above[j] = value
                total += alpha[row_topics[first + j]] * value
            inverse[i] = 1.0 / total if total > 0.0 else 0.0
            for j in range(row_ptr[i], row_ptr[i + 1]):
                above[j] *= inverse[i]
    return row_ptr, topics, above, inverse, floor


@njit(cache=True)
def first(places, counts, row_ptr, topics, above, alpha, guess):
    """Tokens of each topic by the prior and the words alone, into guess, float32[K]."""
    guess[:] = np.float32(0.0)
    for p in range(len(places)):
        c = np.float32(counts[p])
        for j in range(row_ptr[places[p]], row_ptr[places[p] + 1]):
            guess[np.uint32(topics[j])] += c * above[j]
    for k in range(len(guess)):
        guess[k] *= alpha[k]


@njit(cache=True)
def largest(values, n, copy):
    """The n-th largest of some values. copy: as long as they are, is written: the n largest are its
    last n."""
    copy[:] = values
    return select.nth(copy, len(values), len(values) - n)


@njit(cache=True)
def width_in_lanes(m):
    """m up to a multiple of LANES."""
    return (m + LANES - 1) // LANES * LANES


@njit(cache=True)
def most_topics(tokens, K):
    """How many topics the block of a document may have."""
    return min(K, max(MOST_BLOCK_TOPICS, tokens // TOKENS_EACH))


@njit(cache=True)
def choose(guess, most, copy, column, active):
    """The `most` topics with the largest guesses above 0, of equal ones the first, into active,
    ascending; column has the place of each there, and `most` for all others. Returns how many they
    are."""
    K = len(guess)
    least = np.float32(0.0)
    ties = 0  # how many of the topics whose guess is the least one are among the `most`
    if most < K:
        least = largest(guess, most, copy)
        for i in range(K - most, K):
            ties += copy[i] == least
    m = 0
    for k in range(K):
        column[k] = most
        if guess[k] > np.float32(0.0) and guess[k] >= least:
            if guess[k] == least:
                if ties == 0:
                    continue
                ties -= 1
            active[m] = k
            column[k] = m
            m += 1
    return m


@njit(cache=True)
def fill_beta(places, row_ptr, topics, above, inverse, floors, column, m, beta):
    """beta of a document's words in its topics: float32[n, width], 0 beyond m; what is not wanted
    goes to a last column. floors: float32[m], of the topics."""
    for j in range(len(places)):
        row = beta[j]
        share = inverse[places[j]]
        row[:] = np.float32(0.0)
        for i in range(row_ptr[places[j]], row_ptr[places[j] + 1]):
            row[np.uint32(column[np.uint32(topics[i])])] = above[i]
        row[m:] = np.float32(0.0)
        for a in range(m):
            row[a] += floors[a] * share


@njit(cache=True)
def begin(beta, alpha, m, gamma, rest):
    """gamma of the first guess, alpha_k beta_kw, and what is left for topics outside the block:
    float32[n]."""
    for j in range(len(rest)):
        rest[j] = np.float32(1.0)
        for a in range(m):
            gamma[j, a] = alpha[a] * beta[j, a]
            rest[j] -= gamma[j, a]
        gamma[j, m:] = np.float32(0.0)
        rest[j] = max(rest[j], _DARK)


@njit(cache=True, error_model="numpy")
def sweep(beta, gamma, rest, counts, weight, width, x):
    """Go through a document's words once. weight: float32[width], alpha_k + N_k, changed; x: as
    long, work space."""
    width = np.uint64(width)
    one_step = np.uint64(1)
    two = np.uint64(2)
    three = np.uint64(3)
    four = np.uint64(4)
    five = np.uint64(5)
    six = np.uint64(6)
    seven = np.uint64(7)
    eight = np.uint64(8)
    for j in range(len(rest)):
        row = beta[j]
        part = gamma[j]
        c = counts[j]
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = np.float32(0.0)
        for i in range(width):
            x[i] = (weight[i] - part[i]) * row[i]
        a = np.uint64(0)
        while a < width:
            s0 += x[a]
            s1 += x[a + one_step]
            s2 += x[a + two]
            s3 += x[a + three]
            s4 += x[a + four]
            s5 += x[a + five]
            s6 += x[a + six]
            s7 += x[a + seven]
            a += eight
        scale = np.float32(1.0) / (rest[j] + (((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))))
        for i in range(width):
            new = x[i] * scale
            weight[i] += c * (new - part[i])
            part[i] = new


@njit(cache=True)
def thin(beta, gamma, rest, active, alpha, held, m):
    """Leave out the topics with less than LEAST_TOKENS, but not the largest: their prior's part of
    each word goes to the rest. Returns how many are left, in front of everything."""
    left = 0
    least = min(np.float32(LEAST_TOKENS), held[:m].max())
    for a in range(m):
        if held[a] >= least:
            active[left] = active[a]
            held[left] = held[a]
            for j in range(len(rest)):
                beta[j, left] = beta[j, a]
                gamma[j, left] = gamma[j, a]
            alpha[left] = alpha[a]
            left += 1
        else:
            for j in range(len(rest)):
                rest[j] += alpha[a] * beta[j, a]
    for j in range(len(rest)):
        beta[j, left : width_in_lanes(left)] = np.float32(0.0)
        gamma[j, left : width_in_lanes(left)] = np.float32(0.0)
    return left


@njit(cache=True)
def hold(gamma, counts, alpha, m, held, weight):
    """N_k and alpha_k + N_k of a document's topics, as gamma says."""
    held[:] = np.float32(0.0)
    for j in range(len(counts)):
        part = gamma[j]
        c = counts[j]
        for a in range(m):
            held[a] += c * part[a]
    weight[:] = np.float32(0.0)
    for a in range(m):
        weight[a] = alpha[a] + held[a]


@njit(cache=True)
def fit(beta, gamma, rest, counts, active, alpha, held, weight, x, m):
    """Iterate; returns how many topics are left, which `active` and `held` then have in front."""
    begin(beta, alpha, m, gamma, rest)
    hold(gamma, counts, alpha, m, held, weight)
    for i in range(SWEEPS):
        if i == FIRST_SWEEPS:
            hold(gamma, counts, alpha, m, held, weight)
            m = thin(beta, gamma, rest, active, alpha, held, m)
            hold(gamma, counts, alpha, m, held, weight)
        held[:] = weight
        sweep(beta, gamma, rest, counts, weight, width_in_lanes(m), x)
        change = np.float32(0.0)
        for a in range(m):
            change = max(change, abs(weight[a] - held[a]))
        if change < NEAR_TOKENS and i > FIRST_SWEEPS:
            break
    hold(gamma, counts, alpha, m, held, weight)
    return thin(beta, gamma, rest, active, alpha, held, m)


@njit(cache=True, parallel=True)
def mixtures(doc_ptr, places, tokens, row_ptr, topics, above, inverse, floor, alpha):
    """theta of each document of a block: (indptr int64[n + 1], topics int32, weights float32),
    largest first.

    doc_ptr: int64[n + 1], the documents' words; places: int32[P], of each among the rows; tokens:
    int64[P]. The others are what `rows` returns, and alpha, float64[K]. theta_k = (alpha_k + N_k) /
    (sum alpha + N), listed where N_k is LEAST_TOKENS at least; the largest always is, so that every
    document with words has a row.
    """
    n = len(doc_ptr) - 1
    K = len(floor)
    prior = sum_in_order(alpha)
    small = alpha.astype(np.float32)
    size = np.diff(cumulated(tokens)[doc_ptr])
    sizes_listed = np.zeros(n, np.int64)
    room_ptr = np.zeros(n + 1, np.int64)
    for d in range(n):
        room_ptr[d + 1] = room_ptr[d] + most_topics(size[d], K)
    out_topics = np.empty(room_ptr[n], np.int32)
    out_weights = np.empty(room_ptr[n], np.float32)
    bounds = chunk_bounds(doc_ptr)
    for chunk in prange(CHUNKS):
        longest = 0
        widest = 0
        room_size = 0
        for d in range(bounds[chunk], bounds[chunk + 1]):
            words = doc_ptr[d + 1] - doc_ptr[d]
            width = width_in_lanes(most_topics(size[d], K) + 1)
            longest = max(longest, words)
            widest = max(widest, width)
            room_size = max(room_size, words * width)
        blocks = np.empty((2, room_size), np.float32)
        by_word = np.empty((2, longest), np.float32)
        by_topic = np.empty((4, widest), np.float32)
        active = np.empty(widest, np.int64)
        guess = np.empty(K, np.float32)
        copy = np.empty(K, np.float32)
        column = np.empty(K, np.int32)
        for d in range(bounds[chunk], bounds[chunk + 1]):
            of = places[doc_ptr[d] : doc_ptr[d + 1]]
            counts = tokens[doc_ptr[d] : doc_ptr[d + 1]]
            if not len(of):
                continue
            most_held = most_topics(size[d], K)
            width = width_in_lanes(most_held + 1)
            beta = blocks[0, : len(of) * width].reshape(len(of), width)
            gamma = blocks[1, : len(of) * width].reshape(len(of), width)
            rest = by_word[0, : len(of)]
            c = by_word[1, : len(of)]
            topic_counts = by_topic[0, :width]
            weight = by_topic[1, :width]
            prior_of = by_topic[2, :width]
            x = by_topic[3, :width]
            first(of, counts, row_ptr, topics, above, small, guess)
            m = choose(guess, most_held, copy, column, active)
            for a in range(m):
                prior_of[a] = small[active[a]]
                x[a] = floor[active[a]]
            c[:] = counts
            fill_beta(of, row_ptr, topics, above, inverse, x, column, m, beta)
            if m:
                m = fit(beta, gamma, rest, c, active, prior_of, topic_counts, weight, x, m)
            else:  # words that no topic has: nothing but the prior is known
                m = 1
                active[0] = np.argmax(small * floor)
                topic_counts[0] = np.float32(0.0)
            order = np.argsort(-topic_counts[:m], kind="mergesort")
            for i in range(m):
                k = active[order[i]]
                out_topics[room_ptr[d] + i] = k
                out_weights[room_ptr[d] + i] = (alpha[k] + topic_counts[order[i]]) / (
                    prior + size[d]
                )
            sizes_listed[d] = m
    return close(room_ptr, sizes_listed, out_topics, out_weights)
