"""The hierarchical Dirichlet process topic model by stochastic variational inference: section 3.3
and figures 8 and 9 of paper 002, "HDP". Two levels: a document has T pointers to the K topics of
the corpus, and each word belongs to a pointer.

What the paper leaves open, and every deviation from it, is in docs/engines/hdp.md.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from inference.bow import Bow
from inference.engines import defaults, dense
from inference.engines.batch import trained_pairs
from inference.engines.contract import MOST_TOPICS, About, Methods, Priors, TrainingCorpus
from inference.engines.settings import (
    ResolvedPasses,
    Settings,
    kappa_setting,
    minibatch_setting,
    prior_setting,
    resolved,
    setting,
    tau0_setting,
)
from inference.engines.step_sizes import rho
from inference.errors import number_of
from inference.kernels import hdp, vb
from inference.kernels.minibatch import MinibatchByWord
from inference.references import entries
from inference.runtime.arrays import ABOVE_ZERO, offsets_of_parts
from inference.runtime.memory import DOUBLE, SINGLE
from inference.topics import Theta, Topics

NAME = "hdp"
ABOUT = About(
    label="Hierarchical Dirichlet process",
    help=(
        "Chooses the number of topics by itself; of simulated texts it came near the true number"
        " for up to about twenty. Give several times as many as you expect. At a number that you"
        " know, the default finds better topics many times as quickly."
    ),
    purpose="Let the texts decide how many topics there are",
    source="Hoffman, Blei, Wang and Paisley 2013",
    papers=entries("hoffman2013stochastic", "teh2006hierarchical", "wang2011online"),
)
TRUNCATION = 150  # the most topics, unless another number is chosen

USED_TOKENS = 1.0  # a topic is in use that holds at least one token
LEAST_ALPHA = 1e-12  # of alpha E[sigma_k], which exports need above 0
CANDIDATES = 2  # times T, where their number is left open
# Of LDA's local step, with which a document starts
START_ITERATIONS = 20
START_CHANGE = 0.01  # of a document's tokens: it ends where fewer change topics
START_TRUNCATE = 0.1  # tokens: topics with fewer are left out
# a visit of a document ends where an iteration changes its bound by less than this share of it
TOLERANCE = 3e-5
FIRST_TOLERANCE = 1e-2  # the same in the first pass, where topics are rough anyway
# under the finished topics
FOLD_ITERATIONS = 100
FOLD_TOLERANCE = 1e-6
AT_ONCE = 1000  # documents, of what is done without a step
# Rough: seconds a token and pass, in a document of some hundred words, on one core; see
# docs/engines/hdp.md.
SECONDS_TOPIC = 6e-9
SECONDS_CANDIDATE = 1.5e-9
# Of `memory_bytes`. Bytes of a pair besides what it gives each candidate; arrays of eight bytes
# with a number for each of a document's candidates (those of hdp.Local), for each of its topics
# (gamma and what it is fitted with), and for each topic of the corpus (sticks, their parameters and
# sums)
PAIR_BYTES = 40
CANDIDATE_ARRAYS = 4
TOPIC_ARRAYS = 3
STICK_ARRAYS = 8


@dataclass(frozen=True)
class Config(Settings):
    """Settings of a run."""

    topics: int = setting(
        "Most topics",
        "K",
        "The largest possible number. The engine finds how many are in use; if nearly all are, ask"
        " for more.",
        MISSING,
        least=1,
        most=MOST_TOPICS,
    )
    document_topics: int = setting(
        "Most topics of a document",
        "T",
        "The most topics that a document can have.",
        15,
        least=1,
        most=1000,
    )
    alpha: float = prior_setting(
        "Concentration of documents",
        "α",
        "Large values give each document more topics, and more evenly.",
        1.0,
    )
    omega: float = prior_setting(
        "Concentration of the corpus",
        "ω",
        "Large values make more topics common in the corpus.",
        1.0,
    )
    eta: float = prior_setting(
        "Topic smoothing",
        "η",
        "Prior of each word in a topic: small values give more topics, of fewer words.",
        0.3,
    )
    minibatch: int | None = minibatch_setting("S")
    kappa: float = kappa_setting(0.7)
    tau0: float = tau0_setting(10.0)
    candidates: int | None = setting(
        "Candidates",
        "C",
        "How many of the K topics, the likeliest, are weighed in full for a document; 2 T by "
        "default.",
        least=1,
    )
    iterations: int = setting(
        "Iterations", "", "The most iterations over a document in a visit.", 100, least=1
    )

    def resolve(self, documents: int, tokens: int) -> "Resolved":
        """With a value for all that was left open; docs/engines/hdp.md has the evidence."""
        return resolved(
            self,
            Resolved,
            passes=20,
            minibatch=defaults.minibatch(documents),
            candidates=CANDIDATES * self.document_topics,
        )


@dataclass(frozen=True, kw_only=True)
class Resolved(ResolvedPasses, Config):
    """Settings of which none is open."""

    candidates: int


@dataclass(kw_only=True)
class State(dense.State):
    """All there is to checkpoint. `step` changes it in place.

    ahead: steps by which the step size is further than t. chance: tokens of a topic that are left
    of the random start. values: float32[V, K], (lambda - eta) / pi. mass: float64[K], expected
    number of pointers at each topic, over all documents: the sticks are made from it
    (`stick_parameters`).
    """

    ahead: int
    chance: float
    mass: np.ndarray


def init(config: Resolved, corpus: TrainingCorpus, seed: int, scratch: Path | None = None) -> State:
    """lambda - eta is exponential with mean N / (K V), as if all tokens were shared out by chance
    (002, footnote 6); the pointers are spread evenly, so that no topic is preferred. Both fade as 1
    - rho."""
    K = config.topics
    V = corpus.V
    values = np.empty((V, K), np.float32)
    totals = np.zeros(K)
    vb.scatter(np.uint64(seed), corpus.tokens / (K * V), values, totals)
    return State(
        seed=seed,
        ahead=0,
        chance=corpus.tokens / K,
        values=values,
        totals=totals,
        mass=np.full(K, corpus.trained_documents * _pointers(config) / K),
    )


def begin(
    config: Resolved,
    corpus: TrainingCorpus,
    seed: int,
    bow: Bow,
    topics: np.ndarray,
    held_out: np.ndarray,
    scratch: Path | None = None,
) -> State:
    """A state before the first step in which each token has a topic already: lambda - eta counts
    them, and each document has a pointer to each of its topics. The step size is that of a third
    pass.

    topics: uint16[nnz], of the bag's pairs. held_out: int64[n], documents that are not trained on,
    and give nothing.
    """
    K = config.topics
    values = np.zeros(corpus.V * K, np.float64)
    totals = np.zeros(K)
    mass = np.zeros(K)
    for block in trained_pairs(bow, held_out):
        topic = topics[block.pairs].astype(np.int64)
        np.add.at(values, block.words.astype(np.int64) * K + topic, block.counts)
        totals += np.bincount(topic, weights=block.counts, minlength=K)
        pointers = np.unique(block.documents * K + topic)
        mass += np.bincount(pointers % K, minlength=K)
    return State(
        seed=seed,
        # topics are there, so it begins with the step size of the third pass
        ahead=2 * corpus.steps_per_pass,
        chance=0.0,
        values=values.astype(np.float32).reshape(corpus.V, K),
        totals=totals,
        mass=mass,
    )


class Sticks(NamedTuple):
    """q(v), v_i ~ Beta(first_i, rest_i), in the order of the sticks; float64[K - 1] each. order:
    int64[K], the topic of each place. logs, sizes: float64[K], E[log sigma] and E[sigma] by
    topic."""

    first: np.ndarray
    rest: np.ndarray
    order: np.ndarray
    logs: np.ndarray
    sizes: np.ndarray


def stick_parameters(config: Resolved, mass: np.ndarray) -> Sticks:
    """a_i = 1 + m_i and b_i = omega + sum of the later m (002, figure 8), topics in the order of m,
    the largest first: of all orders the one with the largest bound for omega <= 1, above which it
    need not be (docs/engines/hdp.md has the proof). mass: float64[K], m."""
    order = np.argsort(-mass, kind="stable")
    m = mass[order]
    first = 1.0 + m[:-1]
    remaining_mass = config.omega + np.cumsum(m[::-1])[::-1][1:]
    logs = np.empty(len(mass))
    sizes = np.empty(len(mass))
    hdp.sticks(first, remaining_mass, logs)
    hdp.lengths(first, remaining_mass, sizes)
    at = np.argsort(order)
    return Sticks(first=first, rest=remaining_mass, order=order, logs=logs[at], sizes=sizes[at])


def step(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, corpus: TrainingCorpus
) -> None:
    """One minibatch of 002, figure 9: the local step of its documents, then lambda and the sticks
    move by rho.

    documents: int64[n], numbers of the minibatch's documents; where all of them are held out
    nothing is forgotten.
    """
    state.t += 1
    if len(documents):
        batch = dense.batch_of(bow, documents)
        tolerance = FIRST_TOLERANCE if state.t <= corpus.steps_per_pass else TOLERANCE
        local = local_step(config, state, batch, config.iterations, tolerance)
        state.tokens += batch.tokens
        move_topics(
            state,
            batch,
            local,
            rho(config, state.t + state.ahead),
            corpus.trained_documents / len(documents),
        )


def move_topics(
    state: State, batch: MinibatchByWord, local: hdp.Local, step_size: float, scale: float
) -> None:
    """lambda and the sticks' masses fade by 1 - rho, and rho times what the batch gives, `scale`
    times, is added. step_size: rho."""
    step_size = state.fade(step_size)
    state.chance *= 1.0 - step_size
    state.mass *= 1.0 - step_size
    unit = step_size * scale / state.pi
    hdp.add(
        batch.words,
        batch.word_ptr,
        batch.pairs,
        batch.documents,
        local.candidates,
        local.given,
        unit,
        state.values,
    )
    candidates = local.candidates.ravel()
    K = len(state.mass)
    state.totals += unit * np.bincount(candidates, weights=local.tokens.ravel(), minlength=K)
    state.mass += (
        step_size * scale * np.bincount(candidates, weights=local.mass.ravel(), minlength=K)
    )
    state.rescale()


def _pointers(config: Resolved) -> int:
    """T: more pointers than topics would be of no use."""
    return min(config.document_topics, config.topics)


def local_step(
    config: Resolved,
    state: State,
    batch: MinibatchByWord,
    iterations: int,
    tolerance: float,
    gives: bool = True,
) -> hdp.Local:
    """The local step of each document, from LDA's with the prior alpha E[sigma] on. iterations,
    tolerance: when it ends. gives: whether what each pair gives to the topics is kept."""
    K = config.topics
    n = len(batch.lengths)
    T = _pointers(config)
    C = _candidates(config)
    sticks = stick_parameters(config, state.mass)
    b, _ = vb.table(batch.words, state.values, state.pi, config.eta, state.totals, True)
    prior = np.maximum(config.alpha * sticks.sizes, LEAST_ALPHA)
    gamma = prior + batch.lengths[:, None] / K
    vb.local_step(
        batch.doc_ptr,
        batch.places,
        batch.counts,
        b,
        prior,
        gamma,
        START_CHANGE * batch.lengths,
        START_ITERATIONS,
        START_TRUNCATE,
    )
    logs = hdp.log_table(batch.words, state.values, state.pi, config.eta, state.totals)
    pairs = len(batch.places) if gives else 0
    local = hdp.Local(
        candidates=np.zeros((n, C), np.int64),
        mass=np.zeros((n, C)),
        tokens=np.zeros((n, C)),
        theta=np.zeros((n, C)),
        bounds=np.zeros(n),
        given=np.empty((pairs, C), np.float32),
    )
    hdp.documents(
        batch, logs, gamma, sticks.logs, config.alpha, tolerance, iterations, hdp.EMPTY, T, local
    )
    return local


def topics(config: Resolved, state: State) -> Topics:
    """E[beta] = (eta + N~_kw) / (V eta + N~_k); in use are topics of USED_TOKENS or more, the
    random start left out."""
    used = state.pi * state.totals - state.chance >= USED_TOKENS
    if not used.any():
        used[np.argmax(state.totals)] = True
    return dense.topics(state.values, state.pi, config.eta, state.totals)._replace(used=used)


def fold_in(config: Resolved, state: State, bow: Bow, first: int, end: int) -> Theta:
    """theta of the documents first … end - 1 under the topics as they are: E[theta_k] = sum_i
    E[sigma_i(pi)] zeta_ik.

    The T largest are listed, and sum to 1: what a document does not use gets nothing.
    """
    batch = dense.batch_of(bow, np.arange(first, end, dtype=np.int64))
    local = local_step(config, state, batch, FOLD_ITERATIONS, FOLD_TOLERANCE, gives=False)
    return _listed(local.candidates, local.theta, _pointers(config), first, batch.lengths)


def _listed(
    candidates: np.ndarray, theta: np.ndarray, T: int, first: int, lengths: np.ndarray
) -> Theta:
    """The T largest of each row, of LISTED_SHARE or more, or the largest alone, scaled to sum to 1
    at least."""
    order = np.lexsort((candidates, -theta), axis=1)[:, :T]
    weights = np.take_along_axis(theta, order, axis=1)
    is_listed = weights >= dense.LISTED_SHARE
    is_listed[:, 0] = True
    is_listed[lengths == 0] = False
    weights = np.where(is_listed, weights, 0.0)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), ABOVE_ZERO)
    weights = weights.astype(np.float32)
    # Of rounding: the rest would go to topics not in use
    missing = 1.0 - weights.sum(axis=1, dtype=np.float64)
    raised = np.nextafter(weights[:, 0] + missing.astype(np.float32), np.float32(2.0))
    weights[:, 0] = np.where(missing > 0.0, raised, weights[:, 0])
    indptr = offsets_of_parts(is_listed.sum(axis=1))
    return Theta(
        first,
        indptr,
        np.take_along_axis(candidates, order, axis=1)[is_listed].astype(np.int32),
        weights[is_listed],
    )


def bound(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, times: float = 1.0
) -> float:
    """The evidence lower bound of these documents, each fitted again, of the sticks and of the
    topics, in nats.

    documents: int64[n]; the whole of what was trained on for the bound that training raises.
    """
    total = 0.0
    for first in range(0, len(documents), AT_ONCE):
        batch = dense.batch_of(bow, documents[first : first + AT_ONCE])
        total += float(
            local_step(
                config, state, batch, FOLD_ITERATIONS, FOLD_TOLERANCE, gives=False
            ).bounds.sum()
        )
    return global_bound(config, state) + times * total


def global_bound(config: Resolved, state: State) -> float:
    """E[log p] - E[log q] of topics and sticks (002 eq. 11's terms without documents), in nats."""
    sticks = stick_parameters(config, state.mass)
    of_sticks = float(hdp.stick_bound(sticks.first, sticks.rest, config.omega))
    return of_sticks + float(hdp.topics_bound(state.values, state.pi, config.eta, state.totals))


def priors(config: Resolved, state: State | None) -> Priors:
    """alpha E[sigma_k], the prior of each topic in a document; even before the first step."""
    if state is None:
        return Priors(np.full(config.topics, config.alpha / config.topics), config.eta)
    sizes = stick_parameters(config, state.mass).sizes
    return Priors(np.maximum(config.alpha * sizes, LEAST_ALPHA), config.eta)


continued = defaults.fewer_passes


def methods(settings: Mapping[str, Any]) -> Methods:
    """The model, its truncations and priors, and the steps."""
    topics = number_of(settings["topics"], "topic")
    model = (
        "We trained a hierarchical Dirichlet process topic model (Teh et al. 2006) with at most"
        f" {topics}, and at most {settings['document_topics']:,} in a document, by stochastic"
        " variational inference (Wang, Paisley and Blei 2011; Hoffman et al. 2013)."
    )
    priors = (
        f"The concentrations were ω = {settings['omega']:g} for the corpus and α ="
        f" {settings['alpha']:g} for documents, and the prior was η = {settings['eta']:g} for each"
        " word of a topic."
    )
    steps = (
        f"The step size was (τ₀ + t)^−κ, κ = {settings['kappa']:g} and τ₀ = {settings['tau0']:g}."
    )
    cited = ("teh2006hierarchical", "wang2011online", "hoffman2013stochastic")
    return Methods(f"{model} {priors} {steps}", cited)


def compiling_configs() -> list[Config]:
    """One is enough: passes at large steps, so that pi is reset."""
    return [Config(topics=2, document_topics=2, minibatch=10, passes=20, kappa=0.51, tau0=1.0)]


def _candidates(config: Resolved) -> int:
    """C, at least T."""
    return min(config.topics, max(_pointers(config), config.candidates))


def seconds(config: Resolved, tokens: int) -> float:
    """A token costs K in the start of its document and in the tables, and T times C in the local
    step."""
    T = _pointers(config)
    C = _candidates(config)
    return tokens * config.passes * (SECONDS_TOPIC * config.topics + SECONDS_CANDIDATE * T * C)


def memory_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """The values, and of a minibatch the tables of its words (float32 and float64) and what its
    pairs give."""
    K = config.topics
    C = _candidates(config)
    S = -(-corpus.trained_documents // corpus.steps_per_pass)
    pairs = -(-corpus.tokens // corpus.steps_per_pass)
    words = min(corpus.V, pairs)
    steps_folded = -(-AT_ONCE // max(S, 1))  # minibatches that have as many documents
    words_folded = min(corpus.V, pairs * steps_folded)
    table_of_logs = DOUBLE * K * max(words, words_folded)
    of_pairs = pairs * (SINGLE * C + PAIR_BYTES)
    of_documents = S * (CANDIDATE_ARRAYS * DOUBLE * C + TOPIC_ARRAYS * DOUBLE * K)
    of_sticks = STICK_ARRAYS * DOUBLE * K
    values = dense.memory_bytes(corpus.V, K, S, pairs, words)
    return values + table_of_logs + of_pairs + of_documents + of_sticks
