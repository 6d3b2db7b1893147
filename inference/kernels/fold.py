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

BLOCK_TOPICS = 32  # topics that a document's block has room for,
TOKENS_OF_TOPIC = 8  # or one for so many of its tokens, where that is more
FIRST_SWEEPS = 2  # over all topics of the block, before those with few tokens are left out
SWEEPS = 10  # at most, in all
LEAST_TOKENS = 0.2  # tokens: a topic with fewer is left to the prior
# of a token: where no topic's tokens change by more in a sweep the iteration has come to its end
NEAR_TOKENS = 0.05
LANES = 8  # topics that are summed side by side
LEAST_REST = np.float32(1e-6)  # the least that all other topics give to a word: no sum is 0


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
            to_arena = start[words[i]] - row_ptr[i]
            total = smooth
            for j in range(row_ptr[i], row_ptr[i + 1]):
                x = eta + scale * row_values[to_arena + j]
                value = ((exp_digamma(x) if log_expectation else x) - base) / norm[
                    row_topics[to_arena + j]
                ]
                topics[j] = row_topics[to_arena + j]
                above[j] = value
                total += alpha[row_topics[to_arena + j]] * value
            inverse[i] = 1.0 / total if total > 0.0 else 0.0
            for j in range(row_ptr[i], row_ptr[i + 1]):
                above[j] *= inverse[i]
    return row_ptr, topics, above, inverse, floor


@njit(cache=True)
def _fill_guess(places, counts, row_ptr, topics, above, alpha, guess):
    """Tokens of each topic by the prior and the words alone, into guess, float32[K]."""
    guess[:] = np.float32(0.0)
    for p in range(len(places)):
        count = np.float32(counts[p])
        for j in range(row_ptr[places[p]], row_ptr[places[p] + 1]):
            guess[np.uint32(topics[j])] += count * above[j]
    for k in range(len(guess)):
        guess[k] *= alpha[k]


@njit(cache=True)
def nth_largest(values, n, room):
    """The n-th largest of some values. room: as long as they are, is written: the n largest are its
    last n."""
    room[:] = values
    return select.nth(room, len(values), len(values) - n)


@njit(cache=True)
def _width_in_lanes(m):
    """m up to a multiple of LANES."""
    return (m + LANES - 1) // LANES * LANES


@njit(cache=True)
def _most_topics(tokens, K):
    """How many topics the block of a document has room for, by its tokens."""
    return min(K, max(BLOCK_TOPICS, tokens // TOKENS_OF_TOPIC))


@njit(cache=True)
def choose_topics(guess, most, room, column, active):
    """The `most` topics with the largest guesses above 0, of equal ones the first, into active,
    ascending; column has the place of each there, and `most` for all others. Returns how many they
    are. room: as in `nth_largest`."""
    K = len(guess)
    least = np.float32(0.0)
    ties = 0  # how many of the topics whose guess is the least one are among the `most`
    if most < K:
        least = nth_largest(guess, most, room)
        for i in range(K - most, K):
            ties += room[i] == least
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
def _fill_beta(places, row_ptr, topics, above, inverse, floors, column, m, beta):
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
def _fill_gamma(beta, alpha, m, gamma, rest):
    """gamma of the first guess, alpha_k beta_kw, and what is left for topics outside the block:
    float32[n]."""
    for j in range(len(rest)):
        rest[j] = np.float32(1.0)
        for a in range(m):
            gamma[j, a] = alpha[a] * beta[j, a]
            rest[j] -= gamma[j, a]
        gamma[j, m:] = np.float32(0.0)
        rest[j] = max(rest[j], LEAST_REST)


@njit(cache=True, error_model="numpy")
def _sweep_words(beta, gamma, rest, counts, weight, width, parts):
    """Go through a document's words once. weight: float32[width], alpha_k + N_k, changed. parts: as
    long, is written: what each topic has of a word."""
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
        own = gamma[j]
        count = counts[j]
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = np.float32(0.0)
        for i in range(width):
            parts[i] = (weight[i] - own[i]) * row[i]
        a = np.uint64(0)
        while a < width:
            s0 += parts[a]
            s1 += parts[a + one_step]
            s2 += parts[a + two]
            s3 += parts[a + three]
            s4 += parts[a + four]
            s5 += parts[a + five]
            s6 += parts[a + six]
            s7 += parts[a + seven]
            a += eight
        scale = np.float32(1.0) / (rest[j] + (((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))))
        for i in range(width):
            new = parts[i] * scale
            weight[i] += count * (new - own[i])
            own[i] = new


@njit(cache=True)
def _leave_out_small(beta, gamma, rest, active, alpha, tokens, m):
    """Leave out the topics with less than LEAST_TOKENS, but not the largest: their prior's part of
    each word goes to the rest. Returns how many are left, in front of everything. tokens:
    float32[m], N_k."""
    left = 0
    least = min(np.float32(LEAST_TOKENS), tokens[:m].max())
    for a in range(m):
        if tokens[a] >= least:
            active[left] = active[a]
            tokens[left] = tokens[a]
            for j in range(len(rest)):
                beta[j, left] = beta[j, a]
                gamma[j, left] = gamma[j, a]
            alpha[left] = alpha[a]
            left += 1
        else:
            for j in range(len(rest)):
                rest[j] += alpha[a] * beta[j, a]
    for j in range(len(rest)):
        beta[j, left : _width_in_lanes(left)] = np.float32(0.0)
        gamma[j, left : _width_in_lanes(left)] = np.float32(0.0)
    return left


@njit(cache=True)
def _sum_gamma(gamma, counts, alpha, m, tokens, weight):
    """N_k and alpha_k + N_k of a document's topics, as gamma says, into tokens and weight."""
    tokens[:] = np.float32(0.0)
    for j in range(len(counts)):
        own = gamma[j]
        count = counts[j]
        for a in range(m):
            tokens[a] += count * own[a]
    weight[:] = np.float32(0.0)
    for a in range(m):
        weight[a] = alpha[a] + tokens[a]


@njit(cache=True)
def _iterate(beta, gamma, rest, counts, active, alpha, tokens, weight, parts, m):
    """Sweep until no topic's tokens change; returns how many topics are left, which `active` and
    `tokens` then have in front."""
    _fill_gamma(beta, alpha, m, gamma, rest)
    _sum_gamma(gamma, counts, alpha, m, tokens, weight)
    for i in range(SWEEPS):
        if i == FIRST_SWEEPS:
            _sum_gamma(gamma, counts, alpha, m, tokens, weight)
            m = _leave_out_small(beta, gamma, rest, active, alpha, tokens, m)
            _sum_gamma(gamma, counts, alpha, m, tokens, weight)
        # The room of N_k, which is summed anew behind the sweeps, keeps the weights of before
        weight_before = tokens
        weight_before[:] = weight
        _sweep_words(beta, gamma, rest, counts, weight, _width_in_lanes(m), parts)
        change = np.float32(0.0)
        for a in range(m):
            change = max(change, abs(weight[a] - weight_before[a]))
        if change < NEAR_TOKENS and i > FIRST_SWEEPS:
            break
    _sum_gamma(gamma, counts, alpha, m, tokens, weight)
    return _leave_out_small(beta, gamma, rest, active, alpha, tokens, m)


@njit(cache=True)
def _room_of_documents(first, end, doc_ptr, lengths, K):
    """(most words, largest width, largest block) of the documents first … end - 1."""
    most_words = 0
    widest = 0
    largest_block = 0
    for d in range(first, end):
        words = doc_ptr[d + 1] - doc_ptr[d]
        width = _width_in_lanes(_most_topics(lengths[d], K) + 1)
        most_words = max(most_words, words)
        widest = max(widest, width)
        largest_block = max(largest_block, words * width)
    return most_words, widest, largest_block


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
    alpha_sum = sum_in_order(alpha)
    alpha32 = alpha.astype(np.float32)
    lengths = np.diff(cumulated(tokens)[doc_ptr])
    sizes_listed = np.zeros(n, np.int64)
    out_ptr = np.zeros(n + 1, np.int64)
    for d in range(n):
        out_ptr[d + 1] = out_ptr[d] + _most_topics(lengths[d], K)
    out_topics = np.empty(out_ptr[n], np.int32)
    out_weights = np.empty(out_ptr[n], np.float32)
    bounds = chunk_bounds(doc_ptr)
    for chunk in prange(CHUNKS):
        most_words, widest, largest_block = _room_of_documents(
            bounds[chunk], bounds[chunk + 1], doc_ptr, lengths, K
        )
        blocks = np.empty((2, largest_block), np.float32)
        by_word = np.empty((2, most_words), np.float32)
        by_topic = np.empty((4, widest), np.float32)
        active = np.empty(widest, np.int64)
        guess = np.empty(K, np.float32)
        guess_room = np.empty(K, np.float32)
        column = np.empty(K, np.int32)
        for d in range(bounds[chunk], bounds[chunk + 1]):
            own_places = places[doc_ptr[d] : doc_ptr[d + 1]]
            own_tokens = tokens[doc_ptr[d] : doc_ptr[d + 1]]
            words = len(own_places)
            if not words:
                continue
            most = _most_topics(lengths[d], K)
            width = _width_in_lanes(most + 1)
            beta = blocks[0, : words * width].reshape(words, width)
            gamma = blocks[1, : words * width].reshape(words, width)
            rest = by_word[0, :words]
            counts = by_word[1, :words]
            topic_tokens = by_topic[0, :width]
            weight = by_topic[1, :width]
            active_alpha = by_topic[2, :width]
            # Floors until `_fill_beta` has used them, then room for `_iterate`
            active_floor = by_topic[3, :width]
            _fill_guess(own_places, own_tokens, row_ptr, topics, above, alpha32, guess)
            m = choose_topics(guess, most, guess_room, column, active)
            for a in range(m):
                active_alpha[a] = alpha32[active[a]]
                active_floor[a] = floor[active[a]]
            counts[:] = own_tokens
            _fill_beta(own_places, row_ptr, topics, above, inverse, active_floor, column, m, beta)
            if m:
                m = _iterate(
                    beta,
                    gamma,
                    rest,
                    counts,
                    active,
                    active_alpha,
                    topic_tokens,
                    weight,
                    active_floor,
                    m,
                )
            else:  # words that no topic has: nothing but the prior is known
                m = 1
                active[0] = np.argmax(alpha32 * floor)
                topic_tokens[0] = np.float32(0.0)
            order = np.argsort(-topic_tokens[:m], kind="mergesort")
            for i in range(m):
                k = active[order[i]]
                out_topics[out_ptr[d] + i] = k
                out_weights[out_ptr[d] + i] = (alpha[k] + topic_tokens[order[i]]) / (
                    alpha_sum + lengths[d]
                )
            sizes_listed[d] = m
    return close(out_ptr, sizes_listed, out_topics, out_weights)
