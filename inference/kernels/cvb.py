"""The local step of collapsed variational Bayes of order zero, on sparse responsibilities, and its
statistics.

A (document, word) pair's phi is kept as at most L topics with whole weights that sum to
WHOLE_TOKEN: so the statistics, which are sums of count times weight, are whole numbers too. In
float64 they are exact up to 2^53, which is 2^38 tokens: what is added can be subtracted again
without a trace, in any order, and nothing drifts.
"""

from typing import NamedTuple

import numpy as np
from numba import prange

from inference.kernels import rng
from inference.kernels.chunks import CHUNKS, chunk_bounds
from inference.kernels.special import add_in_order, sum_in_order
from inference.runtime.jit import njit

WHOLE_TOKEN = 1 << 15  # a token, in units of the weights
UNIT = 1.0 / WHOLE_TOKEN
NOWHERE = np.int32(-1)


class Phi(NamedTuple):
    """phi of a minibatch's pairs: topics uint16[P, L], strongest first, and their weights,
    uint16[P, L], of WHOLE_TOKEN; 0 behind them, and all 0 before a document's first visit."""

    topics: np.ndarray
    weights: np.ndarray


class Present(NamedTuple):
    """The statistics before a minibatch. rows: float32[W, K], N_kw of its words. totals:
    float64[K], N_k. alpha: float64[K]. eta_mass: V eta."""

    rows: np.ndarray
    totals: np.ndarray
    alpha: np.ndarray
    eta: float
    eta_mass: float


class Turns(NamedTuple):
    """How a document is gone through. again: times, of a document that was seen; first: of a new
    one. least: of a pair's phi; what is below is dropped. draws: so many of the first turns of a
    new document give each pair one topic, drawn from its phi. moves: 1, or 0 where N_k stays as it
    is, for a fold-in."""

    again: int
    first: int
    least: float
    draws: int
    moves: float


@njit(cache=True, parallel=True)
def table(words, statistics, scale):
    """The rows of a minibatch's words in tokens: float32[n, K]. words: int64[n]; statistics:
    float64[V, K], times `scale`."""
    n = len(words)
    K = statistics.shape[1]
    dense_rows = np.empty((n, K), np.float32)
    for i in prange(n):
        row = statistics[words[i]]
        for k in range(K):
            dense_rows[i, k] = max(scale * row[k], 0.0)
    return dense_rows


@njit(cache=True, parallel=True)
def leading(rows, totals, eta_mass, most):
    """The topics that are likeliest for each word where a document says nothing: int32[n, most], by
    N_kw / (V eta + N_k), largest first; of equals the first. most: at most K.

    rows: float32[n, K]. totals: float64[K]. eta_mass: V eta.
    """
    n, K = rows.shape
    leading_topics = np.empty((n, most), np.int32)
    inverse = 1.0 / (eta_mass + totals)
    for i in prange(n):
        best_weights = np.full(most, -1.0)
        for k in range(K):
            value = rows[i, k] * inverse[k]
            if value > best_weights[most - 1]:
                j = most - 1
                while j > 0 and best_weights[j - 1] < value:
                    best_weights[j] = best_weights[j - 1]
                    leading_topics[i, j] = leading_topics[i, j - 1]
                    j -= 1
                best_weights[j] = value
                leading_topics[i, j] = k
    return leading_topics


@njit(cache=True, inline="always")
def _keep(candidates, weights, m, least, slots, best, topics, phi):
    """Write the strongest of m candidates as whole weights that sum to WHOLE_TOKEN, strongest
    first; 0 behind them.

    Kept is what has `least` of the sum of all weights, at most len(topics) of it, or the strongest
    where none has so much; of equals the first. What is dropped is shared out among what is kept,
    in proportion.
    """
    L = len(topics)
    total = 0.0
    for j in range(m):
        total += weights[j]
    floor = least * total
    n = 0
    for j in range(m):
        x = weights[j]
        if x >= floor and (n < L or x > best[n - 1]):
            i = n if n < L else L - 1
            while i > 0 and best[i - 1] < x:
                best[i] = best[i - 1]
                slots[i] = slots[i - 1]
                i -= 1
            best[i] = x
            slots[i] = candidates[j]
            n = min(n + 1, L)
    if n == 0:
        strongest = np.argmax(weights[:m])
        best[0] = weights[strongest]
        slots[0] = candidates[strongest]
        n = 1
    mass_kept = 0.0
    for i in range(n):
        mass_kept += best[i]
    left = WHOLE_TOKEN
    for i in range(1, n):
        weight = np.int64(WHOLE_TOKEN * (best[i] / mass_kept))
        topics[i] = slots[i]
        phi[i] = weight
        left -= weight
    topics[0] = slots[0]
    phi[0] = left
    for i in range(n, L):
        topics[i] = 0
        phi[i] = 0


@njit(cache=True, inline="always")
def _has(topics, phi, k):
    """Whether a pair's phi, as it was, has a topic."""
    for s in range(len(topics)):
        if phi[s] == 0:
            return False
        if topics[s] == k:
            return True
    return False


@njit(cache=True)
def _place_of(k, m, active, active_place, tokens):
    """(the place of a topic among the m active ones, how many these are then): a topic that is not
    among them comes last, without tokens."""
    if active_place[k] != NOWHERE:
        return active_place[k], m
    active_place[k] = m
    active[m] = k
    tokens[m] = 0.0
    return m, m + 1


@njit(cache=True)
def _recall(first, end, counts, topics, phi, active, active_place, tokens):
    """Note the topics of a document, whose pairs are first … end - 1, and their tokens, N_dk, at
    the places of `active`: returns how many there are. active_place: int[K], NOWHERE of all
    topics."""
    m = 0
    for p in range(first, end):
        for s in range(phi.shape[1]):
            if phi[p, s] == 0:
                break
            j, m = _place_of(topics[p, s], m, active, active_place, tokens)
            tokens[j] += counts[p] * (phi[p, s] * UNIT)
    return m


@njit(cache=True, inline="always")
def _weigh_active(m, active, odds, eta, row, candidates, weights):
    """The topics of the document as candidates for a word, with their weights."""
    for j in range(m):
        candidates[j] = active[j]
        weights[j] = odds[j] * (eta + row[active[j]])


@njit(cache=True, inline="always")
def _note_own_shares(topics, phi, old_topics, old_phi, active_place, own_share, own_before):
    """phi of a pair by the places of its topics, as it is and as it was: all are active."""
    for s in range(len(phi)):
        if phi[s] > 0:
            own_share[active_place[topics[s]]] = phi[s] * UNIT
        if old_phi[s] > 0:
            own_before[active_place[old_topics[s]]] = old_phi[s] * UNIT
        elif phi[s] == 0:
            break


@njit(cache=True, inline="always")
def _weight_without_own(
    alpha, tokens, began, own_share, topic_tokens, moves, word_weight, eta_mass
):
    """The weight of one topic for a pair without one token of the pair itself (the formula of
    `visit`): float.

    tokens, began: N_dk now, and when the visit began. own_share: the topic's share of that token.
    topic_tokens: N_k before the minibatch. moves: of Turns. word_weight: eta + N_kw without the
    token's share."""
    inside = max(tokens - own_share, 0.0)
    tokens_there = max(topic_tokens + moves * (tokens - began - own_share), 0.0)
    return (alpha + inside) * word_weight / (eta_mass + tokens_there)


@njit(cache=True)
def _draw(weights, n, x):
    """Which of n weights holds x, in [0, their sum)."""
    j = 0
    while j < n - 1 and x >= weights[j]:
        x -= weights[j]
        j += 1
    return j


@njit(cache=True, parallel=True)
def visit(batch, present, leads, how, keys, before, after):
    """CVB0 in each document of a minibatch by itself: several times through its words, phi of each
    from the present.

    phi_k of a pair is proportional to (alpha_k + N_dk - phi) (eta + N_kw - phi) / (V eta + N_k -
    phi) (Asuncion and others 2009; paper 001, Algorithm 3), where phi is the share of one token of
    the pair itself. N_dk, and the document's part of N_k, change with each word; the rest of N_k,
    and N_kw, are as before the minibatch.

    batch: minibatch.MinibatchByWord. present: Present. leads: int32[W, M], of `leading`. how:
    Turns. keys: uint64[n], of random streams. before: Phi as it is in the present statistics.
    after: Phi, filled. Weighed are the topics that the document has and those that lead the word;
    in the first turn of a new document all. What is left in one loop changes a dozen numbers of the
    document.
    """
    doc_ptr = batch.doc_ptr
    places = batch.places
    counts = batch.counts
    rows, totals, alpha, eta, eta_mass = present
    turns, first_turns, least, draws, moves = how
    (old_topics, old_phi), (topics, phi) = before, after
    K = len(totals)
    L = topics.shape[1]
    M = leads.shape[1]
    bounds = chunk_bounds(doc_ptr)
    flat = alpha / (eta_mass + totals)
    for chunk in prange(CHUNKS):
        active_place = np.full(K, NOWHERE)  # of a topic among the active ones
        active = np.empty(K, np.int32)
        # N_dk of the active topics: now, and when the visit began
        tokens = np.zeros(K)
        began = np.zeros(K)
        odds = np.empty(K)  # (alpha_k + N_dk) / (V eta + N_k)
        # the pair's own share: now, and in the rows
        own_share = np.zeros(K)
        own_before = np.zeros(K)
        candidates = np.empty(K, np.int32)
        weights = np.empty(K)
        slots = np.empty(L, np.int32)
        best_weights = np.empty(L)
        for d in range(bounds[chunk], bounds[chunk + 1]):
            first = doc_ptr[d]
            end = doc_ptr[d + 1]
            if first == end:
                continue
            is_new = old_phi[first, 0] == 0
            for p in range(first, end):
                for s in range(L):
                    topics[p, s] = old_topics[p, s]
                    phi[p, s] = old_phi[p, s]
            m = _recall(first, end, counts, topics, phi, active, active_place, tokens)
            for j in range(m):
                began[j] = tokens[j]
                odds[j] = (alpha[active[j]] + tokens[j]) / (eta_mass + totals[active[j]])
            state = keys[d]
            for turn in range(first_turns if is_new else turns):
                for p in range(first, end):
                    row = rows[places[p]]
                    count = np.float64(counts[p])
                    _weigh_active(m, active, odds, eta, row, candidates, weights)
                    n = m
                    takes_all = is_new and turn == 0
                    for i in range(K if takes_all else M):
                        k = i if takes_all else leads[places[p], i]
                        if active_place[k] == NOWHERE:
                            candidates[n] = k
                            weights[n] = flat[k] * (eta + row[k])
                            n += 1
                    # The pair's own topics again, without one token of it: those that are in the
                    # rows, then those that it has got since
                    _note_own_shares(
                        topics[p],
                        phi[p],
                        old_topics[p],
                        old_phi[p],
                        active_place,
                        own_share,
                        own_before,
                    )
                    for s in range(L):
                        if old_phi[p, s] == 0:
                            break
                        j = active_place[old_topics[p, s]]
                        k = old_topics[p, s]
                        word_weight = eta + max(row[k] - own_before[j], 0.0)
                        weights[j] = _weight_without_own(
                            alpha[k],
                            tokens[j],
                            began[j],
                            own_share[j],
                            totals[k],
                            moves,
                            word_weight,
                            eta_mass,
                        )
                        own_before[j] = 0.0
                    for s in range(L):
                        if phi[p, s] == 0:
                            break
                        j = active_place[topics[p, s]]
                        k = topics[p, s]
                        if (
                            turn > 0
                            and own_share[j] > 0.0
                            and not _has(old_topics[p], old_phi[p], k)
                        ):
                            weights[j] = _weight_without_own(
                                alpha[k],
                                tokens[j],
                                began[j],
                                own_share[j],
                                totals[k],
                                moves,
                                eta + row[k],
                                eta_mass,
                            )
                    # The pair leaves the document
                    for s in range(L):
                        if phi[p, s] == 0:
                            break
                        j = active_place[topics[p, s]]
                        k = topics[p, s]
                        own_share[j] = 0.0
                        tokens[j] = max(tokens[j] - count * (phi[p, s] * UNIT), 0.0)
                        odds[j] = (alpha[k] + tokens[j]) / (
                            eta_mass + max(totals[k] + moves * (tokens[j] - began[j]), 0.0)
                        )
                    if is_new and turn < draws:
                        total = 0.0
                        for j in range(n):
                            total += weights[j]
                        state = rng.after(state)
                        drawn = _draw(weights, n, rng.unit(state) * total)
                        phi[p, :] = 0
                        topics[p, 0] = candidates[drawn]
                        phi[p, 0] = WHOLE_TOKEN
                    else:
                        _keep(candidates, weights, n, least, slots, best_weights, topics[p], phi[p])
                    # And comes back with its new topics
                    for s in range(L):
                        if phi[p, s] == 0:
                            break
                        k = topics[p, s]
                        if active_place[k] == NOWHERE:
                            began[m] = 0.0
                        j, m = _place_of(k, m, active, active_place, tokens)
                        tokens[j] += count * (phi[p, s] * UNIT)
                        odds[j] = (alpha[k] + tokens[j]) / (
                            eta_mass + max(totals[k] + moves * (tokens[j] - began[j]), 0.0)
                        )
            for j in range(m):
                active_place[active[j]] = NOWHERE


@njit(cache=True, parallel=True)
def add(batch, before, after, unit, statistics, totals):
    """Put a minibatch's new phi into the statistics, times `unit`, and take its old one out.

    batch: minibatch.MinibatchByWord: a word's row is the work of one thread, in the order of its
    pairs. before, after: Phi. statistics: float64[V, K], and totals: float64[K], its sums by topic.
    """
    words = batch.words
    word_ptr = batch.word_ptr
    pairs = batch.pairs
    counts = batch.counts
    (old_topics, old_phi), (topics, phi) = before, after
    K = len(totals)
    L = topics.shape[1]
    added = np.zeros((CHUNKS, K))
    bounds = chunk_bounds(word_ptr)
    for chunk in prange(CHUNKS):
        for i in range(bounds[chunk], bounds[chunk + 1]):
            row = statistics[words[i]]
            for q in range(word_ptr[i], word_ptr[i + 1]):
                p = pairs[q]
                times = unit * counts[p]
                for s in range(L):
                    if phi[p, s] == 0:
                        break
                    value = times * phi[p, s]
                    row[topics[p, s]] += value
                    added[chunk, topics[p, s]] += value
                for s in range(L):
                    if old_phi[p, s] == 0:
                        break
                    value = times * old_phi[p, s]
                    row[old_topics[p, s]] -= value
                    added[chunk, old_topics[p, s]] -= value
    add_in_order(added, totals)


@njit(cache=True, parallel=True)
def stochastic(batch, present, turns, least, rate, after):
    """The local step of stochastic CVB0 (Foulds and others 2013): through each document `turns`
    times; phi is of the last.

    phi_k of a pair is proportional to (alpha_k + N_dk) (eta + N_kw) / (V eta + N_k), nothing taken
    out; then, for its m tokens at once, N_d <- (1 - rho)^m N_d + (1 - (1 - rho)^m) n_d phi, where
    rho = s (tau + t)^-kappa in the t-th update of the document, at most 1. rate: (s, tau, kappa).
    Arguments as for `visit`.
    """
    doc_ptr = batch.doc_ptr
    places = batch.places
    counts = batch.counts
    rows, totals, alpha, eta, eta_mass = present
    s, tau, kappa = rate
    topics, phi = after
    K = len(totals)
    L = topics.shape[1]
    bounds = chunk_bounds(doc_ptr)
    inverse = 1.0 / (eta_mass + totals)
    everything = np.arange(K).astype(np.int32)
    for chunk in prange(CHUNKS):
        tokens = np.empty(K)
        weights = np.empty(K)
        slots = np.empty(L, np.int32)
        best_weights = np.empty(L)
        for d in range(bounds[chunk], bounds[chunk + 1]):
            length = sum_in_order(counts[doc_ptr[d] : doc_ptr[d + 1]])
            tokens[:] = length / K
            t = 0
            for turn in range(turns):
                for p in range(doc_ptr[d], doc_ptr[d + 1]):
                    t += 1
                    row = rows[places[p]]
                    total = 0.0
                    for k in range(K):
                        weights[k] = (alpha[k] + tokens[k]) * (eta + row[k]) * inverse[k]
                        total += weights[k]
                    stays = (1.0 - min(s * (tau + t) ** -kappa, 1.0)) ** np.float64(counts[p])
                    moved = (1.0 - stays) * length / total
                    for k in range(K):
                        tokens[k] = stays * tokens[k] + moved * weights[k]
                    if turn == turns - 1:
                        _keep(everything, weights, K, least, slots, best_weights, topics[p], phi[p])


@njit(cache=True)
def mixtures(doc_ptr, counts, topics, phi, alpha):
    """gamma = alpha + N_dk of each document: float64[n, K]. Arguments as for `visit`."""
    n = len(doc_ptr) - 1
    gamma = np.empty((n, len(alpha)))
    for d in range(n):
        gamma[d] = alpha
        for p in range(doc_ptr[d], doc_ptr[d + 1]):
            for s in range(topics.shape[1]):
                if phi[p, s] == 0:
                    break
                gamma[d, topics[p, s]] += counts[p] * (phi[p, s] / WHOLE_TOKEN)
    return gamma
