"""Simulated texts: documents drawn from the model of LDA itself, with the topics that they were
drawn from.

Paper 004, section 3.1 and algorithm 2. An engine's topics can be compared with the true ones, which
no real corpus allows.
"""

import math
from itertools import count, islice
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from inference.bow import Bow
from inference.errors import Invalid
from inference.kernels import rng
from inference.runtime.arrays import offsets_of_parts
from inference.runtime.jit import njit
from inference.topics import Topics

MOST_OF_A_SETTING = 1e9  # xi and eta: no texts are so long, no topics so even
LEAST_ALPHA = 1e-300  # above 0, where an exponential underflows
MOST_TOKENS = 20_000_000  # drawn anew at once: some two gigabytes
FIRST_PAIRS = 1024  # that arrays of pairs have room for; they double
_ALPHA, _BETA, _DOCUMENT = range(3)  # what a stream of random numbers is for
_SYLLABLES = tuple(
    c + v for c in "b d f g k l m n p r s t v z ch st".split() for v in "a e i o u ai or en".split()
)
_WORDS_ORDER = 20  # which permutation the words stand in: neighbours do not sound alike
# Made words that are words of insult or of a body in some language, and would be read as meant.
NOT_SAID = frozenset("dago fagen kaka kike nazi pedo pene pipi popo puta puto".split())


class Truth(NamedTuple):
    """What a collection was drawn from. alpha: float64[K]. beta: float64[K, V] and theta:
    float64[D, K], whose rows sum to 1."""

    alpha: np.ndarray
    beta: np.ndarray
    theta: np.ndarray


def corpus(
    M: int,
    K: int,
    V: int,
    xi: float,
    alpha: tuple[float, float] | np.ndarray = (2.0, 0.05),
    eta: float = 0.05,
    seed: int = 0,
    first: int = 0,
) -> tuple[Bow, Truth]:
    """Documents drawn from LDA: theta_d ~ Dir(alpha), N_d ~ Poisson(xi), and of each token z ~
    theta_d, w ~ beta_z.

    M: documents. K: topics. V: words of the vocabulary; some of them may stand in no document. xi:
    the mean number of tokens of a document; a document may have none. alpha: float[K], or (shape,
    scale) of a Gamma distribution that each alpha_k is drawn from. eta: beta_k ~ Dir(eta, …, eta);
    paper 004 has 1. seed: from 0 to 2^64 - 1. first: the number of the first document, so that a
    large collection can be drawn in parts. The same arguments give the same result, bit for bit:
    random numbers are keyed by seed, topic and document. Raises Invalid, naming the argument.
    """
    for name, value in (("M", M), ("K", K), ("V", V)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise Invalid(name, f"{name} must be a whole number of at least 1, got {value!r}.")
    for name, number in (("xi", xi), ("eta", eta)):
        if not 0.0 < number < MOST_OF_A_SETTING:
            raise Invalid(name, f"{name} must be above 0 and below 1e9, got {number!r}.")
    start = np.uint64(seed)
    drawn = _alpha(alpha, K, start)
    beta = np.empty((K, V))
    theta = np.empty((M, K))
    flat = np.full(V, float(eta))
    for k in range(K):
        _dirichlet(_stream(start, _BETA, k), flat, beta[k])
    indptr, words, counts = _documents(
        start, np.int64(_DOCUMENT), drawn, np.cumsum(beta, axis=1), float(xi), theta, first
    )
    return Bow(indptr, words, counts, V), Truth(drawn, beta, theta)


def redraw(bow: Bow, assigned: np.ndarray, topics: Topics, seed: int) -> Bow:
    """Texts drawn anew where the topic of each token is known: documents as long, with as many
    tokens of each topic.

    assigned: uint16[nnz], the topic of each of the bag's pairs. topics: what words are drawn from.
    Raises Invalid beyond MOST_TOKENS.
    """
    if bow.tokens > MOST_TOKENS:
        raise Invalid(
            "documents",
            f"At most {MOST_TOKENS:,} words can be drawn anew, these texts have {bow.tokens:,}.",
        )
    row = np.repeat(np.repeat(np.arange(bow.D), np.diff(bow.indptr)), bow.counts)
    topic = np.repeat(assigned, bow.counts)
    above = topics.above
    order = np.argsort(topic, kind="stable")
    words = np.zeros(len(topic), np.int32)
    chance = np.random.Generator(np.random.Philox(seed))
    for tokens in np.split(order, np.cumsum(np.bincount(topic, minlength=topics.K))[:-1]):
        if len(tokens):
            k = int(topic[tokens[0]])
            until = np.cumsum(above[[k]].toarray().ravel() + topics.floor[k])
            words[tokens] = np.searchsorted(
                until, until[-1] * chance.random(len(tokens)), side="right"
            )
    drawn = csr_matrix((np.ones(len(row), np.int32), (row, words)), shape=(bow.D, bow.V))
    drawn.sum_duplicates()
    return Bow(drawn.indptr, drawn.indices, drawn.data, bow.V, first_row=bow.first_row)


def words(V: int) -> list[str]:
    """V different made words that can be pronounced, those of two syllables first."""
    return list(islice((word for word in map(_word, count()) if word not in NOT_SAID), V))


def _word(i: int) -> str:
    """Two syllables, and more where there are no more such words."""
    turn, syllable_pair = divmod(i, len(_SYLLABLES) ** 2)
    shuffled_number = rng.permuted(
        syllable_pair, len(_SYLLABLES) ** 2, np.uint64(_WORDS_ORDER + turn)
    )
    syllables = [shuffled_number // len(_SYLLABLES), shuffled_number % len(_SYLLABLES)]
    while turn:
        turn, digit = divmod(turn - 1, len(_SYLLABLES))
        syllables.append(digit)
    return "".join(_SYLLABLES[syllable] for syllable in syllables)


def relative_error(true: np.ndarray, estimate: np.ndarray) -> np.ndarray:
    """sum (estimate - true)^2 / sum true^2 along the last axis: the measure of paper 004, table 3,
    of one topic, or of all together where the arrays are flat. float64, of shape [..., n] ->
    [...]."""
    return ((estimate - true) ** 2).sum(axis=-1) / (true**2).sum(axis=-1)


def total_variation(true: np.ndarray, estimate: np.ndarray) -> np.ndarray:
    """Half the sum of absolute differences along the last axis, float64: 0 the same, 1 nothing in
    common. true, estimate: distributions, of one shape."""
    return 0.5 * np.abs(estimate - true).sum(axis=-1)


def as_topics(beta: np.ndarray, share: np.ndarray) -> Topics:
    """Known topics in the form of trained ones, for `inference.explore.matching`: every word above
    0 is listed.

    beta: float64[K, V], rows that sum to 1. share: float64[K].
    """
    K, V = beta.shape
    order = np.argsort(-beta, axis=1, kind="stable").astype(np.int32)
    weights = np.take_along_axis(beta, order, axis=1).astype(np.float32)
    is_listed = weights > 0
    indptr = offsets_of_parts(is_listed.sum(axis=1))
    return Topics(
        indptr=indptr,
        words=order[is_listed],
        weights=weights[is_listed],
        floor=np.zeros(K),
        floor_mass=np.zeros(K),
        share=np.asarray(share, np.float64),
        V=V,
    )


def _alpha(alpha: tuple[float, float] | np.ndarray, K: int, seed: np.uint64) -> np.ndarray:
    alpha_values = np.array(alpha, np.float64)
    if not (np.isfinite(alpha_values).all() and (alpha_values > 0).all()):
        raise Invalid("alpha", f"alpha must be above 0, got {alpha!r}.")
    if isinstance(alpha, tuple):
        if alpha_values.shape != (2,):
            raise Invalid(
                "alpha",
                f"alpha must be (shape, scale) or one number for each topic, got {alpha!r}.",
            )
        logs = [draw_log_gamma(_stream(seed, _ALPHA, k), alpha_values[0])[1] for k in range(K)]
        return np.maximum(alpha_values[1] * np.exp(logs), LEAST_ALPHA)
    if alpha_values.shape != (K,):
        raise Invalid(
            "alpha", f"alpha must have {K} numbers, one for each topic, got {alpha_values.size}."
        )
    return alpha_values


def _stream(seed: np.uint64, purpose: int, item: int) -> np.uint64:
    return np.uint64(rng.key(seed, np.uint64(rng.SIMULATE), np.uint64(purpose), np.uint64(item)))


@njit(cache=True)
def _normal(state):
    """A standard normal number (Box and Muller 1958), and the stream after it."""
    state = rng.after(state)
    radius = math.sqrt(-2.0 * math.log(1.0 - rng.unit(state)))
    state = rng.after(state)
    return state, radius * math.cos(2.0 * math.pi * rng.unit(state))


@njit(cache=True)
def draw_log_gamma(state, shape):
    """The logarithm of a Gamma(shape, 1) number (Marsaglia and Tsang 2000), which is finite for the
    smallest shape, and the stream after it, first."""
    boost = 0.0
    if shape < 1.0:
        state = rng.after(state)
        boost = math.log(1.0 - rng.unit(state)) / shape
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        state, x = _normal(state)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        state = rng.after(state)
        if math.log(1.0 - rng.unit(state)) < 0.5 * x * x + d - d * v + d * math.log(v):
            return state, math.log(d * v) + boost


@njit(cache=True)
def _dirichlet(state, parameter, draws):
    """Fill `draws` with a Dirichlet number; returns the stream after it."""
    for i in range(len(parameter)):
        state, draws[i] = draw_log_gamma(state, parameter[i])
    largest_log = draws.max()
    for i in range(len(draws)):
        draws[i] = math.exp(draws[i] - largest_log)
    draws /= draws.sum()
    return state


@njit(cache=True)
def _poisson(state, mean):
    """A Poisson number: events of a process with unit rate before `mean`; and the stream after it,
    first."""
    count = 0
    passed = 0.0
    while True:
        state = rng.after(state)
        passed -= math.log(1.0 - rng.unit(state))
        if passed > mean:
            return state, count
        count += 1


@njit(cache=True)
def _drawn(state, sums):
    """A place of an array of running sums, each in proportion to its own part, and the stream after
    it, first."""
    state = rng.after(state)
    return state, min(
        np.searchsorted(sums, rng.unit(state) * sums[-1], side="right"), len(sums) - 1
    )


@njit(cache=True, nogil=True)
def _documents(seed, purpose, alpha, sums, xi, theta, first):
    """Draw the documents from number `first` on; fills theta. Returns indptr, words and counts of a bag of words."""
    M, K = theta.shape
    V = sums.shape[1]
    indptr = np.zeros(M + 1, np.int64)
    words = np.empty(FIRST_PAIRS, np.int32)
    counts = np.empty(FIRST_PAIRS, np.int32)
    used = 0
    count = np.zeros(V, np.int32)
    topic_sums = np.empty(K)
    for d in range(M):
        state = rng.key(seed, np.uint64(rng.SIMULATE), np.uint64(purpose), np.uint64(first + d))
        state = _dirichlet(state, alpha, theta[d])
        topic_sums[:] = np.cumsum(theta[d])
        state, length = _poisson(state, xi)
        tokens = np.empty(length, np.int32)
        for n in range(length):
            state, k = _drawn(state, topic_sums)
            state, tokens[n] = _drawn(state, sums[k])
            count[tokens[n]] += 1
        tokens.sort()
        if used + length > len(words):
            grown = np.empty(max(len(words), used + length - len(words)), np.int32)
            words = np.concatenate((words, grown))
            counts = np.concatenate((counts, grown))
        for w in tokens:
            if count[w] > 0:
                words[used] = w
                counts[used] = count[w]
                count[w] = 0
                used += 1
        indptr[d + 1] = used
    return indptr, words[:used].copy(), counts[:used].copy()
