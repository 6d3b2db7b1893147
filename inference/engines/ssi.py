"""Sparse stochastic inference for LDA: Algorithm 1 with Appendix A of Mimno, Hoffman and Blei (2012), "SSI".

What the paper leaves open, and every deviation from it, is in docs/engines/ssi.md.
"""

from dataclasses import dataclass, field
from numbers import Real
from typing import NamedTuple

import numpy as np

from inference.bow import Bow
from inference.errors import Invalid
from inference.kernels import gibbs, rng, rows
from inference.topics import Theta, Topics

PI_LEAST = 1e-6  # pi below this is reset to 1: stored values stay within float32's precision (Appendix A, last lines)
STEP_WHOLE = 1.0 - 1e-12  # a step size from here on forgets everything before it
LISTED_TOKENS = 0.5  # a word is listed in a topic that holds at least half a token of it; the rest is the floor
DROPPED_TOKENS = 1e-3  # an entry that decayed to less than a thousandth of a token is forgotten
THETA_FLOOR = 0.005  # a topic is listed in a document of which it holds at least half a per cent
FOLD_BURN_IN, FOLD_SAMPLES = 5, 10  # sweeps over a document under the finished topics
HELD_OUT_SHARE, HELD_OUT_MOST = 0.1, 500  # documents that are not trained on: this share, about so many at the most


def _setting(label: str, symbol: str, help: str, default=None, **metadata):
    metadata |= {"label": label, "symbol": symbol, "help": help}
    return field(metadata=metadata) if default is None else field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Config:
    """Settings of a run. Raises Invalid, naming the field, for a value that can't be."""

    topics: int = _setting("Number of topics", "K", "How many topics are looked for: few for an overview, many for detail.")
    alpha: float = _setting(
        "Document smoothing", "α", "Prior of each topic in a document: small values give each document few topics.", 0.3
    )
    eta: float = _setting(
        "Topic smoothing", "η", "Prior of each word in a topic: values near 0 freeze early, random decisions.", 0.4
    )
    kappa: float = _setting("Forgetting", "κ", "How fast the step size falls: above 0.5, at most 1.", 0.7)
    tau0: float = _setting("Delay", "τ₀", "How much the first steps are held back.", 10.0)
    minibatch: int = _setting("Minibatch size", "|B|", "Documents that are looked at between two updates of the topics.", 400)
    burn_in: int = _setting("Burn-in sweeps", "B", "Sweeps over a document's words before any is counted.", 2)
    samples: int = _setting("Saved sweeps", "S", "Sweeps over a document's words that are counted.", 3)
    passes: int = _setting("Passes", "", "How often the whole corpus is gone through.", 15)
    expectation: str = _setting(
        "Word weights", "E[β]", "log: exp E[log β], as in the paper; mean: E[β], which goes with a small η and leaves no topic without words.",
        "log", choices=("log", "mean"),
    )

    def __post_init__(self):
        for name in ("alpha", "eta", "kappa", "tau0"):
            value = getattr(self, name)
            if not isinstance(value, Real) or isinstance(value, bool):
                raise Invalid(name, f"{name} must be a number, got {value!r}.")
            object.__setattr__(self, name, float(value))  # kernels are compiled for floats
        for name, least in (("topics", 1), ("minibatch", 1), ("burn_in", 0), ("samples", 1), ("passes", 1)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 2**31:
                raise Invalid(name, f"{name} must be a whole number of at least {least}, got {value}.")
        for name in ("alpha", "eta"):
            value = getattr(self, name)
            if not 1e-9 <= value <= 1e6:
                raise Invalid(name, f"{name} must be above 0, from 1e-9 to 1e6, got {value}.")
        if not 0.5 < self.kappa <= 1:
            raise Invalid("kappa", f"kappa must be in (0.5, 1], got {self.kappa}.")
        if not 0 <= self.tau0 <= 1e12:
            raise Invalid("tau0", f"tau0 must be at least 0, and at most 1e12, got {self.tau0}.")
        if self.expectation not in ("log", "mean"):
            raise Invalid("expectation", f"expectation must be “log” or “mean”, got {self.expectation!r}.")


class Shape(NamedTuple):
    """What an engine must know of a corpus beforehand."""

    D: int  # documents that are trained on
    V: int


@dataclass
class State:
    """All there is to checkpoint. `step` changes it in place.

    t: steps done. pi: scale of the stored values. start, length, capacity: int64[V], each word's row in the arena.
    arena_topics: int32[A]; arena_values: float32[A], (lambda - eta) / pi. used: the arena's end. totals: float64[K],
    sums of the stored values by topic.
    """

    seed: int
    t: int
    tokens: int
    pi: float
    start: np.ndarray
    length: np.ndarray
    capacity: np.ndarray
    arena_topics: np.ndarray
    arena_values: np.ndarray
    used: int
    totals: np.ndarray

    @property
    def nonzero(self) -> int:
        """How many of the K x V parameters are above eta."""
        return int(self.length.sum())


def init(config: Config, shape: Shape, seed: int) -> State:
    """lambda = eta everywhere: no row has an entry. What breaks the symmetry is the sampling of the first minibatches."""
    V = shape.V
    return State(
        seed=seed, t=0, tokens=0, pi=1.0,
        start=np.zeros(V, np.int64), length=np.zeros(V, np.int64), capacity=np.zeros(V, np.int64),
        arena_topics=np.empty(1 << 12, np.int32), arena_values=np.empty(1 << 12, np.float32), used=0,
        totals=np.zeros(config.topics),
    )  # fmt: skip


def rho(config: Config, t: int) -> float:
    """The step size of step t, counted from 1: (tau0 + t)^-kappa."""
    return float(config.tau0 + t) ** -config.kappa


def step(config: Config, state: State, bow: Bow, documents: np.ndarray, shape: Shape) -> None:
    """One minibatch of Algorithm 1: sample its documents' topics, then move lambda (eq. 11 in the form of eq. 19).

    documents: int64[n], numbers of the minibatch's documents; where all of them are held out nothing is forgotten.
    """
    state.t += 1
    if not len(documents):
        return
    keys = _keys(state.seed, rng.SAMPLE, state.t, documents)
    sampled = _sample(config, state, bow, documents, keys, config.burn_in, config.samples)
    step_size = rho(config, state.t)
    if step_size >= STEP_WHOLE:
        state.length[:] = 0
        state.totals[:] = 0.0
        state.used, state.pi, step_size = 0, 1.0, 1.0
        state.capacity[:] = 0
    else:
        state.pi *= 1.0 - step_size
    if sampled is not None:
        words, _, tokens, samples = sampled
        factor = step_size * shape.D / (len(documents) * config.samples)
        found = rows.count(tokens, len(words), samples, config.topics)
        state.tokens += len(tokens)
        _make_room(state, words, found[0])
        state.used = rows.add(
            words, len(words), *found, factor / state.pi, DROPPED_TOKENS / state.pi, config.topics, state.start, state.length,
            state.capacity, state.arena_topics, state.arena_values, state.used, state.totals,
        )  # fmt: skip
    if state.pi < PI_LEAST:
        _compact(state, state.pi)
        state.pi = 1.0


def _keys(seed: int, purpose: int, t: int, documents: np.ndarray) -> np.ndarray:
    """A random stream for each document of a step."""
    return rng.keys(np.uint64(seed), np.uint64(purpose), np.uint64(t), documents)


def _sample(config: Config, state: State, bow: Bow, documents: np.ndarray, keys: np.ndarray, burn_in: int, samples: int):
    """(distinct words, offsets, tokens, samples) of documents under the present topics; None where they have no word."""
    slot = np.full(bow.V, -1, np.int32)
    distinct = np.empty(bow.V, np.int64)
    offsets, tokens, n = rows.expand(documents, bow.indptr, bow.words, bow.counts, slot, distinct)
    if not len(tokens):
        return None
    words = distinct[:n]
    log = config.expectation == "log"
    norm = gibbs.normalisers(state.pi * state.totals, bow.V, config.eta, log)
    row_ptr, row_topics, c, cum, table = gibbs.gather(
        words, state.start, state.length, state.arena_topics, state.arena_values, state.pi, config.eta, norm, config.alpha, log
    )
    g, gcum = gibbs.smoothing(norm, config.eta, config.alpha, log)
    out = np.empty((samples, len(tokens)), np.int32)
    gibbs.sample(offsets, tokens, row_ptr, row_topics, c, cum, table, g, gcum, config.alpha, burn_in, samples, keys, out)
    return words, offsets, tokens, out


def _make_room(state: State, words: np.ndarray, indptr: np.ndarray) -> None:
    """Let the arena hold what `add` will append: first without what moved rows left behind, then larger."""
    if state.used + rows.room_needed(words, len(words), indptr, state.length, state.capacity) <= len(state.arena_topics):
        return
    _compact(state, 1.0)
    wanted = state.used + rows.room_needed(words, len(words), indptr, state.length, state.capacity)
    if 2 * wanted > len(state.arena_topics):  # half full at the least, so that this does not come again at once
        state.arena_topics = np.resize(state.arena_topics, 2 * wanted)
        state.arena_values = np.resize(state.arena_values, 2 * wanted)


def _compact(state: State, scale: float) -> None:
    """Rewrite the rows behind one another, times `scale`."""
    size = len(state.arena_topics)
    topics, values = np.empty(size, np.int32), np.empty(size, np.float32)
    drop_below = DROPPED_TOKENS / (state.pi / scale)
    state.used = rows.compact(
        state.start, state.length, state.capacity, state.arena_topics, state.arena_values, scale, drop_below, state.totals,
        topics, values,
    )  # fmt: skip
    state.arena_topics, state.arena_values = topics, values


def topics(config: Config, state: State) -> Topics:
    """E[beta] = (eta + N~_kw) / (V eta + N~_k), words with less than LISTED_TOKENS in the floor."""
    V = len(state.start)
    indptr, words, values = rows.transpose(
        state.start, state.length, state.arena_topics, state.arena_values, state.pi, LISTED_TOKENS, config.topics
    )
    rows.sort_rows(indptr, words, values)
    totals = np.maximum(state.pi * state.totals, 0.0)
    topic = np.repeat(np.arange(config.topics), np.diff(indptr))
    weights = ((config.eta + values) / (V * config.eta + totals)[topic]).astype(np.float32)
    listed = np.bincount(topic, weights=weights, minlength=config.topics)
    floor_mass = np.maximum(1.0 - listed, 0.0)
    floor = floor_mass / np.maximum(V - np.diff(indptr), 1)
    tokens = totals.sum()
    share = totals / tokens if tokens else np.full(config.topics, 1.0 / config.topics)
    return Topics(indptr, words, weights, floor, floor_mass, share, V)


def fold_in(config: Config, state: State, bow: Bow, first: int, end: int) -> Theta:
    """theta of the documents first … end - 1, under the topics as they are; see rows.mixtures for its definition."""
    documents = np.arange(first, end, dtype=np.int64)
    keys = _keys(state.seed, rng.FOLD_IN, 0, documents)
    sampled = _sample(config, state, bow, documents, keys, FOLD_BURN_IN, FOLD_SAMPLES)
    if sampled is None:
        nothing = np.zeros(0)
        empty = np.zeros(end - first + 1, np.int64)
        return Theta(first, empty, nothing.astype(np.int32), nothing.astype(np.float32), np.zeros(config.topics))
    _, offsets, _, samples = sampled
    indptr, found, weights = rows.mixtures(offsets, samples, config.alpha, config.topics, THETA_FLOOR)
    return Theta(first, indptr, found, weights, rows.topic_tokens(samples, config.topics) / FOLD_SAMPLES)
