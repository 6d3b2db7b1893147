"""What `svi` and `vb` share: LDA by variational Bayes with a dense array of topics. The equations
are those of paper 002; `kernels/vb.py` has them, docs/engines/svi.md and vb.md say what the paper
leaves open."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from scipy.special import gammaln, psi

from inference.bow import Bow
from inference.engines import defaults, dense, priors
from inference.engines.batch import is_trained
from inference.engines.contract import MAPPED, TrainingCorpus
from inference.engines.lda_sentences import with_learned_priors
from inference.engines.settings import (
    LearningPriors,
    ResolvedPriors,
    Settings,
    alpha_setting,
    learn_setting,
    minibatch_setting,
    prior_setting,
    setting,
)
from inference.kernels import rng, seeds, vb
from inference.kernels.minibatch import MinibatchByWord
from inference.runtime.memory import large_array
from inference.topics import Theta, Topics

# under the finished topics
FOLD_ITERATIONS = 50
FOLD_TOLERANCE = 1e-4
BLOCK = 1000  # documents at a time, where all are gone through at once
DIVERSE = 200  # topics whose first documents are chosen to differ
COLD = 1.0  # gamma of each topic in a document that is new
NEWTON = 5  # steps, whenever priors are learned
# Of `seconds_of_passes`
MILLION = 1e6
USUAL_TOPICS = 100
PASS_BY_TOPICS = 0.25


def expectation_setting(default: str) -> Any:
    """How words are weighted: by exp E[log beta] or E[beta]."""
    return setting(
        "Word weights",
        "E[β]",
        "log: exp E[log β], as in the paper; mean: E[β], which goes with a small η; the bound of a"
        " batch need not rise with it.",
        default,
        choices={"log": "their mean logarithm", "mean": "their mean"},
    )


def truncate_setting(default: float) -> Any:
    """Of how few words a topic is left out of later iterations of a document."""
    return setting(
        "Active topics",
        "",
        "Topics with at most this many of a document's words after three iterations are left "
        "out of later iterations; 0 leaves none out.",
        default,
        least=0,
        most=1e6,
    )


@dataclass(frozen=True)
class Config(LearningPriors, Settings):
    """Settings of a run that both engines have."""

    alpha: float | None = alpha_setting()
    eta: float | None = prior_setting(
        "Topic smoothing",
        "η",
        "Prior of each word in a topic: small values give topics of fewer words; far below "
        "0.4, words hardly move between topics.",
    )
    minibatch: int | None = minibatch_setting("S")
    expectation: str = expectation_setting("log")
    start: str = setting(
        "First topics",
        "",
        "documents: half of each topic starts as a document of the first minibatch, chosen to "
        "differ from the others, and half at random; random: all of it at random.",
        "documents",
        choices={"documents": "from documents", "random": "at random"},
    )
    learn: str = learn_setting()
    iterations: int = setting(
        "Iterations",
        "",
        "The most iterations in a visit that fit a document's topics and those of its words to "
        "each other.",
        50,
        least=1,
    )
    tolerance: float = setting(
        "Tolerance",
        "",
        "A visit of a document ends when at most this share of its words changes topics in an "
        "iteration.",
        1e-3,
        least=0,
        most=1,
    )
    first_tolerance: float = setting(
        "First tolerance",
        "",
        "The tolerance of a document's first visit. It can be coarse if the document's topics "
        "are remembered for the next visit, as the corpus's topics are still rough, too.",
        0.03,
        least=0,
        most=1,
    )
    truncate: float = truncate_setting(0.0)


@dataclass(frozen=True, kw_only=True)
class Resolved(ResolvedPriors, Config):
    """Settings of which none is open."""


@dataclass(kw_only=True)
class State(dense.State):
    """All there is to checkpoint; `svi` and `vb` add to it.

    documents: that are trained on, D: checkpoints have it, and no engine reads it. values:
    float32[V, K], (lambda - eta) / pi. alpha: float64[K]. gamma: float32[rows, L], the largest of
    each document's at its last visit, 0 before the first; strongest: uint16[rows, L], of which
    topics, without columns where L is K. log_theta: float64[K], what alpha is learned from. begun:
    whether the topics have their start; else the first minibatch gives it (`start_from_documents`).
    """

    documents: int
    alpha: np.ndarray
    eta: float
    begun: bool
    log_theta: np.ndarray
    gamma: np.ndarray = field(metadata=MAPPED)
    strongest: np.ndarray = field(metadata=MAPPED)


def beginning(
    config: Resolved,
    corpus: TrainingCorpus,
    seed: int,
    scratch: Path | None,
    remembered: int,
    random: bool = True,
) -> dict[str, Any]:
    """Fields of a State before the first step: lambda - eta is random, exponential with the mean N
    / (K V), or 0.

    remembered: L.
    """
    V = corpus.V
    K = config.topics
    L = min(remembered, config.topics)
    rows = corpus.all_documents
    values = np.zeros((V, K), np.float32)
    totals = np.zeros(K)
    if random:
        vb.scatter(np.uint64(seed), corpus.tokens / (K * V), values, totals)
    gamma = large_array((rows, L), scratch, np.float32)
    strongest = large_array((rows, L if L < K else 0), scratch, np.uint16)
    gamma[:] = 0.0
    strongest[:] = 0
    return {
        "seed": seed,
        "documents": corpus.trained_documents,
        "values": values,
        "totals": totals,
        "alpha": np.full(K, config.alpha),
        "eta": config.eta,
        "begun": not random or config.start == "random",
        "log_theta": np.zeros(K),
        "gamma": gamma,
        "strongest": strongest,
    }


def start_from_documents(
    state: State, batch: MinibatchByWord, values: np.ndarray, totals: np.ndarray
) -> None:
    """Put documents of the first minibatch into the random start: half of a topic's mass is a
    document's words.

    Up to DIVERSE topics the documents are as unlike each other as they come, beyond that random
    ones: choosing costs a look at every document for each topic. Where there are fewer documents
    than topics the others stay random. Not of the papers; it finds more of the true topics of
    simulated texts than a random start (docs/engines/svi.md).

    values: float32[V, K], totals: float64[K], its sums: where the random start is, and changed in
    place.
    """
    put_documents(state.seed, batch, values, totals)
    state.begun = True


def put_documents(
    seed: int, batch: MinibatchByWord, values: np.ndarray, totals: np.ndarray
) -> None:
    """What `start_from_documents` does, with the documents of any batch. values, totals: as
    there."""
    K = len(totals)
    stream = np.uint64(rng.key(np.uint64(seed), np.uint64(rng.INIT), np.uint64(0), np.uint64(1)))
    counts = batch.counts.astype(np.float64)
    if K <= DIVERSE:
        of_words = batch.doc_ptr, batch.places, counts, len(batch.words)
        documents = seeds.diverse(*of_words, K, stream, numba.get_num_threads())
    else:
        documents = seeds.random(batch.doc_ptr, K, stream)
    for k, d in enumerate(documents):
        pairs = slice(batch.doc_ptr[d], batch.doc_ptr[d + 1])
        values[:, k] *= np.float32(0.5)
        values[batch.words[batch.places[pairs]], k] += (
            totals[k] / 2 * counts[pairs] / batch.lengths[d]
        ).astype(np.float32)
        totals[k] = values[:, k].sum(dtype=np.float64)


def assign(state: State, bow: Bow, topics: np.ndarray, held_out: np.ndarray) -> None:
    """lambda - eta as the counts of topics that tokens have already, and gamma as alpha plus a
    document's.

    topics: uint16[nnz], of the bag's pairs. held_out: int64[n], documents that count for nothing.
    """
    K = len(state.totals)
    trained = is_trained(bow.D, held_out)
    for first in range(0, bow.D, BLOCK):
        end = min(first + BLOCK, bow.D)
        pairs = slice(bow.indptr[first], bow.indptr[end])
        document = np.repeat(np.arange(first, end), np.diff(bow.indptr[first : end + 1]))
        is_trained_on = trained[document]
        counts = bow.counts[pairs][is_trained_on]
        topics_given = topics[pairs][is_trained_on]
        np.add.at(
            state.values, (bow.words[pairs][is_trained_on], topics_given), counts.astype(np.float32)
        )
        gamma = np.bincount(
            (document[is_trained_on] - first) * K + topics_given,
            weights=counts,
            minlength=(end - first) * K,
        )
        documents = first + np.flatnonzero(trained[first:end])
        if state.gamma.shape[1]:
            vb.remember(
                documents,
                state.alpha + gamma.reshape(-1, K)[documents - first],
                state.gamma,
                state.strongest,
            )
    state.totals[:] = state.values.sum(axis=0, dtype=np.float64)


class LocalStep(NamedTuple):
    """What the local step found of a minibatch: see `kernels.vb.local_step`; b and log_scale are
    `vb.table`'s."""

    gamma: np.ndarray
    e: np.ndarray
    f: np.ndarray
    b: np.ndarray
    log_scale: np.ndarray
    iterations: np.ndarray


def local(
    config: Resolved,
    state: State,
    batch: MinibatchByWord,
    documents: np.ndarray | None = None,
    *,
    log: bool | None = None,
    tolerance: float | None = None,
    most: int | None = None,
    truncate: float | None = None,
) -> LocalStep:
    """The local step under the present topics.

    documents: int64[S], whose remembered gamma to begin with; None: all are new. log, tolerance,
    most, truncate: in the place of the config's. A document of which nothing is remembered yet, and
    will be, ends at first_tolerance.
    """
    log = config.expectation == "log" if log is None else log
    b, log_scale = vb.table(batch.words, state.values, state.pi, state.eta, state.totals, log)
    gamma = start(state, len(batch.lengths), documents)
    limits = (config.tolerance if tolerance is None else tolerance) * batch.lengths
    if documents is not None and state.gamma.shape[1]:
        new = state.gamma[documents, 0] == 0.0
        limits[new] = np.maximum(limits[new], config.first_tolerance * batch.lengths[new])
    e, f, iterations = vb.local_step(
        batch.doc_ptr,
        batch.places,
        batch.counts,
        b,
        state.alpha,
        gamma,
        limits,
        config.iterations if most is None else most,
        config.truncate if truncate is None else truncate,
    )
    return LocalStep(gamma=gamma, e=e, f=f, b=b, log_scale=log_scale, iterations=iterations)


def start(state: State, n: int, documents: np.ndarray | None) -> np.ndarray:
    """gamma to begin with, float64[n, K]: what is remembered, alpha beyond that; COLD of a document
    that is new. documents: int64[n]; None: nothing is remembered of them."""
    gamma = np.full((n, len(state.alpha)), COLD)
    if documents is None or not state.gamma.shape[1]:
        return gamma
    stored_gamma = state.gamma[documents].astype(np.float64)
    is_known = stored_gamma[:, 0] > 0.0
    if state.strongest.shape[1]:
        gamma[is_known] = state.alpha
        gamma[np.flatnonzero(is_known)[:, None], state.strongest[documents[is_known]]] = (
            stored_gamma[is_known]
        )
    else:
        gamma[is_known] = stored_gamma[is_known]
    return gamma


def add(
    batch: MinibatchByWord, step: LocalStep, unit: float, values: np.ndarray, totals: np.ndarray
) -> None:
    """The minibatch's statistics, sum of n phi, times unit: into values and totals."""
    vb.add_statistics(
        batch.words,
        batch.word_ptr,
        batch.pairs,
        batch.documents,
        step.e,
        step.f,
        step.b,
        unit,
        values,
        totals,
    )


def learn(config: Resolved, state: State, log_theta: np.ndarray, length: float, steps: int) -> None:
    """alpha and eta by Newton's method, as config.learn says. log_theta: the mean E[log theta];
    length: of a document."""
    state.alpha = priors.alpha(
        state.alpha, log_theta, max(length, priors.LEAST_PRIOR * len(log_theta)), steps
    )
    if config.learn == "both":
        V, K = state.values.shape
        digammas, _, _ = vb.topics_sums(state.values, state.pi, state.eta)
        digammas_of_totals = psi(V * state.eta + state.pi * state.totals).sum()
        log_beta = float(digammas - V * digammas_of_totals)
        state.eta = float(priors.eta(state.eta, K, V, log_beta, steps))


def bound(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, times: float = 1.0
) -> float:
    """The lower bound of log p(words), in nats (002, eqs. 15 and 16): documents are fitted from
    what is remembered of them. documents: int64[n], whose terms count `times`."""
    total = 0.0
    for first in range(0, len(documents), BLOCK):
        block = documents[first : first + BLOCK]
        batch = dense.batch_of(bow, block)
        step = local(config, state, batch, block, log=True, truncate=0.0)
        total += float(
            vb.documents_bound(
                batch.doc_ptr,
                batch.places,
                batch.counts,
                step.f,
                step.gamma,
                state.alpha,
                step.log_scale,
            ).sum()
        )
    return times * total + topics_bound(state)


def topics_bound(state: State) -> float:
    """The bound's terms of topics: E[log p(beta)] - E[log q(beta)]."""
    V, K = state.values.shape
    _, tokens_times_digammas, log_gammas = vb.topics_sums(state.values, state.pi, state.eta)
    tokens = state.pi * state.totals
    lam = V * state.eta + tokens
    value = -tokens_times_digammas + (tokens * psi(lam)).sum() + log_gammas - gammaln(lam).sum()
    return float(value + K * (gammaln(V * state.eta) - V * gammaln(state.eta)))


def topics(config: Resolved, state: State) -> Topics:
    """E[beta], see dense.topics."""
    return dense.topics(state.values, state.pi, state.eta, state.totals)


def fold_in(config: Resolved, state: State, bow: Bow, first: int, end: int) -> Theta:
    """theta = E[theta] of the documents first … end - 1, fitted from the start under the present
    topics."""
    batch = dense.batch_of(bow, np.arange(first, end, dtype=np.int64))
    step = local(config, state, batch, tolerance=FOLD_TOLERANCE, most=FOLD_ITERATIONS)
    return dense.theta(step.gamma, first, batch.lengths)


def usual_eta(expectation: str, K: int) -> float:
    """eta where it is left open: of the kind of weights, and of the number of topics."""
    return defaults.ETA_OF_LOGARITHMS if expectation == "log" else defaults.eta(K)


def seconds_of_passes(tokens: int, passes: int, topics: int, pass_seconds: float) -> float:
    """Seconds of an idle core, by hand from processor time of single trainings on Reuters-21578, on
    a machine that did other things too. pass_seconds: of a pass over a million tokens with up to
    USUAL_TOPICS topics; as many further ones take PASS_BY_TOPICS seconds."""
    further = PASS_BY_TOPICS * (topics / USUAL_TOPICS - 1.0) * (topics > USUAL_TOPICS)
    return tokens / MILLION * passes * (pass_seconds + further)


def remembered_bytes(config: Resolved, corpus: TrainingCorpus, most: int) -> int:
    """The `most` largest of each document's gamma, in four bytes, and which these are, in two,
    where they are not all."""
    L = min(most, config.topics)
    return corpus.all_documents * L * (6 if L < config.topics else 4)


def memory_bytes(config: Resolved, corpus: TrainingCorpus, copies: int) -> int:
    """Bytes of a state and a step: `copies` arrays of V x K, and one more while topics are
    shown."""
    S = min(config.minibatch, corpus.trained_documents)
    tokens = -(-corpus.tokens // corpus.steps_per_pass)
    return dense.memory_bytes(corpus.V, config.topics, S, tokens, min(corpus.V, tokens), copies + 1)


def prior_sentence(settings: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """What methods say of the priors, and whom they cite."""
    return with_learned_priors(settings, " by Newton’s method")
