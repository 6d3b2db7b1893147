"""Batch variational EM for LDA: Chen and Huang's report on Blei, Ng and Jordan (2003), "VEM"; paper
004.

Without a prior on topics it is the paper's algorithms 1 and 3; with one it is its section 7. What
the paper leaves open, and every deviation from it, is in docs/engines/vem.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import gammaln, psi

from inference.bow import Bow
from inference.engines import defaults, dense, priors as learning, variational
from inference.engines.batch import is_trained, trained_pairs
from inference.engines.contract import MAPPED, About, Methods, Priors, TrainingCorpus
from inference.engines.settings import (
    LearningPriors,
    ResolvedPasses,
    Settings,
    prior_setting,
    resolved,
    setting,
)
from inference.errors import Invalid
from inference.kernels import rng, vb
from inference.kernels.minibatch import MinibatchByWord
from inference.references import entries
from inference.runtime.memory import large_array
from inference.topics import Theta, Topics

NAME = "vem"
ABOUT = About(
    label="Variational EM",
    help=(
        "LDA by batch variational EM, as it was first published: exact and steady, with learned"
        " priors, for small corpora and for teaching."
    ),
    source="Blei, Ng and Jordan 2003",
    papers=entries("chenvariational"),
    batch=True,  # topics change at the end of a pass
)

# Of a word that a topic without a prior never had: a document with it is not impossible
LEAST_BETA = 1e-12
# of a document under the finished topics
FOLD_ITERATIONS = 100
FOLD_TOL = 1e-4
# Of the tokens of a warm start, spread over all topics: without a prior what is 0 stays 0
BEGIN_SPREAD = 0.1
# Of which blocks are made: a sum over all at once would take memory for all
WORDS_AT_ONCE = 4096
DOCUMENTS_AT_ONCE = 1024
SEARCHED_DOCUMENTS = 2000  # among which those are chosen that topics begin with
# What is gone through, over all passes, where the number of passes is not given
SWEPT_TOKENS = 300_000_000
# Seconds of one core for a token and pass, and for a token, pass and topic: set by hand from
# trainings of 20 passes over the State of the Union with 10 and 30 topics, processor time on a
# machine that was busy with others.
SECONDS = 0.12e-6
SECONDS_TOPIC = 2.5e-9
# Of `memory_bytes`: pairs (document, word) for each token of usual texts; arrays of V x K, which
# are the topics, the statistics of this pass, and a copy while topics are shown
PAIRS_OF_TOKENS = 0.7
COPIES = 3


@dataclass(frozen=True)
class Config(LearningPriors, Settings):
    """Settings of a run."""

    passes: int | None = setting(
        "Passes", "", "Steps of EM, each over the whole corpus. The paper uses 100.", least=1
    )
    topics_prior: str = setting(
        "Prior of topics",
        "",
        "none: topics are estimated from the corpus's words alone, as first published; "
        "dirichlet: smoothed topics, in which any word is possible.",
        "none",
        choices={"none": "as first published", "dirichlet": "smoothed"},
    )
    alpha: float = prior_setting(
        "Document smoothing",
        "α",
        "Prior of each topic in a document; if it is learned, its start.",
        1.0,
    )
    eta: float = prior_setting(
        "Topic smoothing",
        "η",
        "With a prior of topics, the prior of each word in a topic; if it is learned, its start.",
        0.4,
    )
    learn: str = setting(
        "Learned priors",
        "α, η",
        "Which priors are fitted to the corpus: none, an α for each topic, η as well if "
        "topics have a prior, or an η for each word.",
        "both",
        choices={
            "nothing": "none",
            "alpha": "α for each topic",
            "both": "α and η",
            "words": "α, and η for each word",
        },
    )
    init: str = setting(
        "First topics",
        "",
        "documents: half of each topic is a document at first, chosen to differ from the others; "
        "random: as in the paper.",
        "documents",
        choices={"documents": "half from documents", "random": "at random"},
    )
    iterations: int = setting(
        "Iterations",
        "",
        "The most iterations over a document in a pass, until its topics no longer change.",
        100,
        least=1,
    )
    tolerance: float = setting(
        "Tolerance",
        "",
        "A document is done when its topics change by less than this share of its words.",
        1e-3,
        least=0,
        most=1,
        bounds="from 0 to 1",
    )
    minibatch: int | None = setting(
        "Slice",
        "",
        "Documents between two reports of progress; topics don't depend on it.",
        least=1,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.learn == "words" and self.topics_prior == "none":
            raise Invalid(
                "learn",
                "learn can be “words” only where topics have a prior: set topics_prior to"
                " “dirichlet”.",
            )

    def resolve(self, documents: int, tokens: int) -> "Resolved":
        """With a value for all that was left open."""
        return resolved(
            self,
            Resolved,
            passes=defaults.passes_within(SWEPT_TOKENS, tokens, least=20, most=100),
            minibatch=min(4096, max(256, documents // 4)),
        )


@dataclass(frozen=True, kw_only=True)
class Resolved(ResolvedPasses, Config):
    """Settings of which none is open."""


@dataclass(kw_only=True)
class State(dense.State):
    """All there is to checkpoint. `step` changes it in place.

    values: float32[V, K], lambda - eta after the last whole pass; without a prior of topics
    expected tokens, which beta is in proportion to (eq. 11). pi is 1. alpha: float64[K]. eta: where
    each word has its own, eta_words, float64[V] (else without entries), the least of them; values
    then hold what a word's is above it, too. next, next_totals: the statistics of this pass so far.
    log_theta: float64[K], sum of E[log theta] over the documents of this pass, and how many:
    `documents`. begun: whether the topics have their start; else the first slice gives it. gamma: float32[n, K], of each document by its number, what its next visit starts
    from; 0 before the first.
    """

    alpha: np.ndarray
    eta: float
    eta_words: np.ndarray
    next: np.ndarray
    next_totals: np.ndarray
    log_theta: np.ndarray
    documents: int
    begun: bool = False
    gamma: np.ndarray = field(metadata=MAPPED)

    def __post_init__(self) -> None:
        # A checkpoint of before there was the field: its first slice had set gamma
        self.begun = self.begun or self.tokens > 0 or bool(self.gamma[:, :1].any())


def init(config: Resolved, corpus: TrainingCorpus, seed: int, scratch: Path | None = None) -> State:
    """Topics at random: values are exponential, so that beta ~ Dir(1) without a prior of topics
    (004, algorithm 1)."""
    state = _empty(config, corpus, seed, scratch)
    vb.scatter(
        np.uint64(seed),
        max(corpus.tokens, 1) / (config.topics * corpus.V),
        state.values,
        state.totals,
    )
    return state


def _empty(config: Resolved, corpus: TrainingCorpus, seed: int, scratch: Path | None) -> State:
    V = corpus.V
    K = config.topics
    gamma = large_array((corpus.all_documents, K), scratch, np.float32)
    gamma[:] = 0.0
    return State(
        seed=seed,
        values=np.zeros((V, K), np.float32),
        totals=np.zeros(K),
        alpha=np.full(K, config.alpha),
        eta=config.eta if config.topics_prior == "dirichlet" else 0.0,
        eta_words=np.full(V if config.learn == "words" else 0, config.eta),
        next=np.zeros((V, K), np.float32),
        next_totals=np.zeros(K),
        log_theta=np.zeros(K),
        documents=0,
        gamma=gamma,
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
    """A state before the first step in which each token has a topic already: values are their
    counts, but for a part, BEGIN_SPREAD, that is spread over all topics.

    topics: uint16[nnz], of the bag's pairs. held_out: int64[n], documents that are not trained on,
    and give nothing.
    """
    state = _empty(config, corpus, seed, scratch)
    state.begun = True
    state.gamma[:] = np.float32(config.alpha)
    tokens_of_word = np.zeros(bow.V)
    for block in trained_pairs(bow, held_out):
        given = topics[block.pairs]
        counts = block.counts.astype(np.float64)
        tokens_of_word += np.bincount(block.words, weights=counts, minlength=bow.V)
        own_counts = ((1.0 - BEGIN_SPREAD) * counts).astype(np.float32)
        np.add.at(state.values, (block.words, given), own_counts)
        np.add.at(state.gamma, (block.documents, given), counts.astype(np.float32))
    spread = (BEGIN_SPREAD / config.topics * tokens_of_word).astype(np.float32)
    state.values += spread[:, None]
    state.totals = state.values.sum(axis=0, dtype=np.float64)
    return state


def step(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, corpus: TrainingCorpus
) -> None:
    """A slice of the E-step (004, eqs. 8 and 9): its documents' statistics are added. The last of a
    pass is followed by the M-step.

    documents: int64[n].
    """
    state.t += 1
    if len(documents):
        if not state.begun:
            if config.init == "documents":
                _start_from_documents(state, bow, corpus)
            state.begun = True
        batch = dense.batch_of(bow, documents)
        gamma = _start(state, documents, batch.lengths)
        b, _ = _table(config, state, batch.words)
        e, f, _ = _expect(state.alpha, batch, b, gamma, config.iterations, config.tolerance)
        vb.add_statistics(
            batch.words,
            batch.word_ptr,
            batch.pairs,
            batch.documents,
            e,
            f,
            b,
            1.0,
            state.next,
            state.next_totals,
        )
        state.gamma[documents] = gamma
        state.tokens += batch.tokens
        if config.learns_priors:
            state.log_theta += vb.log_theta(batch.doc_ptr, gamma)
            state.documents += int(np.count_nonzero(batch.lengths))
    if state.t % corpus.steps_per_pass == 0:
        _maximise(config, state)


def _start_from_documents(state: State, bow: Bow, corpus: TrainingCorpus) -> None:
    """Put documents into the random topics, from up to SEARCHED_DOCUMENTS of the corpus
    (`variational.put_documents`): whatever the slices are, the topics are the same."""
    key = rng.key(np.uint64(state.seed), np.uint64(rng.INIT), np.uint64(0), np.uint64(2))
    searched_documents = rng.permutation_slice(
        0, min(SEARCHED_DOCUMENTS, bow.D), bow.D, np.uint64(key)
    )
    trained = is_trained(bow.D, corpus.held_out_documents)
    searched_documents = searched_documents[trained[searched_documents]]
    variational.put_documents(
        state.seed, dense.batch_of(bow, searched_documents), state.values, state.totals
    )


def _start(state: State, documents: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Where gamma of some documents starts from, float64[n, K]: where it was, or alpha + N / K
    (004, algorithm 1)."""
    gamma = state.gamma[documents].astype(np.float64)
    new = gamma[:, 0] == 0.0
    gamma[new] = state.alpha + (lengths[new] / len(state.alpha))[:, None]
    return gamma


def _table(config: Resolved, state: State, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """b of some words: exp E[log beta], or beta itself where topics have no prior; float32[n, K]
    and log scales, as `vb.table`. A word that no topic has is the same in all; a weight below
    vb.LEAST_WEIGHT of a word's largest is 0."""
    if config.topics_prior == "dirichlet":
        return vb.table(words, state.values, 1.0, state.eta, state.totals, True)
    b = state.values[words] * np.divide(
        1.0, state.totals, out=np.zeros(len(state.totals)), where=state.totals > 0.0
    )
    largest = b.max(axis=1)
    unknown = largest == 0.0
    b[unknown] = 1.0
    largest[unknown] = 1.0
    b /= largest[:, None]
    b[b < vb.LEAST_WEIGHT] = 0.0
    return b.astype(np.float32), np.where(unknown, np.log(LEAST_BETA), np.log(largest))


def _expect(
    alpha: np.ndarray,
    batch: MinibatchByWord,
    b: np.ndarray,
    gamma: np.ndarray,
    most: int,
    tol: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fit gamma in place; what `vb.local_step` returns."""
    return vb.local_step(
        batch.doc_ptr, batch.places, batch.counts, b, alpha, gamma, tol * batch.lengths, most, 0.0
    )


def _maximise(config: Resolved, state: State) -> None:
    """The M-step: topics by eq. 11, or lambda (section 7); then alpha and eta by Newton's method
    (eqs. 12 and 13)."""
    learned = state.documents > 0
    if not state.next_totals.any():  # every document is empty or held out
        return
    state.values, state.next = state.next, state.values
    state.totals, state.next_totals = state.next_totals, state.totals
    if config.learns_priors and learned:
        mean_length = state.totals.sum() / state.documents
        state.alpha = learning.alpha(state.alpha, state.log_theta / state.documents, mean_length)
    if config.topics_prior == "dirichlet" and config.learn == "both":
        V, K = state.values.shape
        digammas, _, _ = vb.topics_sums(state.values, 1.0, state.eta)
        log_beta = digammas - V * psi(V * state.eta + state.totals).sum()
        state.eta = learning.eta(state.eta, K, V, float(log_beta))
    if config.learn == "words":
        _learn_words(state)
    state.next[:] = 0.0
    state.next_totals[:] = 0.0
    state.log_theta[:] = 0.0
    state.documents = 0


def _log_beta(state: State) -> np.ndarray:
    """float64[V]: the sum of E[log beta_kw] over topics, for an eta of each word."""
    V = len(state.values)
    log_rows = np.empty(V)
    for first in range(0, V, WORDS_AT_ONCE):
        end = first + WORDS_AT_ONCE
        lam = state.eta + state.values[first:end].astype(np.float64)
        log_rows[first:end] = psi(lam).sum(axis=1)
    return log_rows - psi(V * state.eta + state.totals).sum()


def _learn_words(state: State) -> None:
    """An eta for each word (004, section 7): the problem of alpha, with words for topics and topics
    for documents."""
    V, K = state.values.shape
    if V == 1:  # beta is 1 whatever eta is
        return
    statistics = state.values
    totals = state.totals
    _lift(state, statistics, totals)  # lambda with the etas before
    state.eta_words = learning.alpha(
        state.eta_words, _log_beta(state) / K, max(totals.sum() / K, V * learning.LEAST_PRIOR)
    )
    _lift(state, statistics, totals)


def _lift(state: State, statistics: np.ndarray, totals: np.ndarray) -> None:
    """values = statistics and what each word's eta is above the least, which is `eta` then."""
    state.eta = float(state.eta_words.min())
    above = (state.eta_words - state.eta).astype(np.float32)
    state.values = statistics + above[:, None]
    state.totals = totals + above.sum(dtype=np.float64)


def topics(config: Resolved, state: State) -> Topics:
    """E[beta], or beta where topics have no prior; words with less than `LISTED_TOKENS` in the
    floor, which is LEAST_BETA at the least."""
    result = dense.topics(state.values, 1.0, state.eta, state.totals)
    floor = np.maximum(result.floor, LEAST_BETA)
    return result._replace(floor=floor, floor_mass=floor * (result.V - np.diff(result.indptr)))


def fold_in(config: Resolved, state: State, bow: Bow, first: int, end: int) -> Theta:
    """theta = gamma / sum(gamma) of the documents first … end - 1 under the topics as they are,
    from alpha + N / K on."""
    batch = dense.batch_of(bow, np.arange(first, end, dtype=np.int64))
    gamma = state.alpha + (batch.lengths / config.topics)[:, None]
    b, _ = _table(config, state, batch.words)
    _expect(state.alpha, batch, b, gamma, FOLD_ITERATIONS, FOLD_TOL)
    return dense.theta(gamma, first, batch.lengths)


def priors(config: Resolved, state: State | None) -> Priors:
    """alpha of each topic and eta, as they were set or as they were learned by now; eta is 0 where
    topics have no prior. Where each word has an eta of its own, their mean."""
    if state is None:
        return Priors(
            np.full(config.topics, config.alpha),
            config.eta if config.topics_prior == "dirichlet" else 0.0,
        )
    return Priors(state.alpha, float(state.eta_words.mean()) if len(state.eta_words) else state.eta)


def bound(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, times: float = 1.0
) -> float:
    """The lower bound of log p(words) that EM raises (004, eq. 7; with a prior of topics its
    section 7), of these documents after an E-step under the topics and priors as they are. Does not
    change the state.

    Without a prior of topics their entropy and prior are left out, as beta is a parameter then.
    """
    total = 0.0
    for first in range(0, len(documents), DOCUMENTS_AT_ONCE):
        block = documents[first : first + DOCUMENTS_AT_ONCE]
        batch = dense.batch_of(bow, block)
        gamma = _start(state, block, batch.lengths)
        b, log_scale = _table(config, state, batch.words)
        _, f, _ = _expect(state.alpha, batch, b, gamma, config.iterations, config.tolerance)
        total += vb.documents_bound(
            batch.doc_ptr, batch.places, batch.counts, f, gamma, state.alpha, log_scale
        ).sum()
    return times * float(total) + (
        topics_bound(state) if config.topics_prior == "dirichlet" else 0.0
    )


def topics_bound(state: State) -> float:
    """E[log p(beta)] - E[log q(beta)], nats: what topics with a Dirichlet prior add to the
    bound."""
    V, K = state.values.shape
    eta_words = state.eta_words if len(state.eta_words) else np.full(V, state.eta)
    lam_sums = V * state.eta + state.totals
    log_norm = psi(lam_sums)
    total = K * (gammaln(eta_words.sum()) - gammaln(eta_words).sum()) - gammaln(lam_sums).sum()
    for first in range(0, V, WORDS_AT_ONCE):
        end = first + WORDS_AT_ONCE
        lam = state.eta + state.values[first:end].astype(np.float64)
        e_log = psi(lam) - log_norm
        total += ((eta_words[first:end, None] - lam) * e_log + gammaln(lam)).sum()
    return float(total)


def continued(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Fewer passes: the topics are there already."""
    return defaults.fewer_passes(settings, 1)


def methods(settings: Mapping[str, Any]) -> Methods:
    """How topics were inferred, and with which priors."""
    smoothed = settings["topics_prior"] == "dirichlet"
    learned = {
        "nothing": (
            f"with α = {settings['alpha']:g}"
            + (f" and η = {settings['eta']:g}" if smoothed else "")
        ),
        "alpha": (
            "with an α for each topic that Newton's method learned"
            + (f", and η = {settings['eta']:g}" if smoothed else "")
        ),
        "both": (
            "with an α for each topic"
            + (" and an η" if smoothed else "")
            + " that Newton's method learned"
        ),
        "words": "with an α for each topic and an η for each word that Newton's method learned",
    }[settings["learn"]]
    kind = "smoothed" if smoothed else "unsmoothed"
    return Methods(
        f"We trained {kind} latent Dirichlet allocation (Blei et al. 2003) with"
        f" {settings['topics']} topics by batch variational EM (Chen and Huang), {learned}.",
        ("blei2003latent", "chenvariational"),
    )


def compiling_configs() -> list[Config]:
    """The usual settings, and topics with a prior."""
    return [
        Config(topics=2, passes=2, minibatch=10),
        Config(topics=2, passes=2, minibatch=10, topics_prior="dirichlet", learn="words"),
    ]


def seconds(config: Resolved, tokens: int) -> float:
    """A token costs a part that does not depend on K, and one for each topic."""
    return tokens * config.passes * (SECONDS + SECONDS_TOPIC * config.topics)


def remembered_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """gamma, in four bytes."""
    return 4 * config.topics * corpus.all_documents


def memory_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """Bytes of arrays of V x K, and of a minibatch: see dense.memory_bytes."""
    S = min(config.minibatch, max(corpus.trained_documents, 1))
    # Tokens of all documents by those that are trained on: a little more than a minibatch has
    pairs = int(PAIRS_OF_TOKENS * corpus.tokens * S / max(corpus.trained_documents, 1)) + S
    words = min(corpus.V, pairs)
    return dense.memory_bytes(corpus.V, config.topics, S, pairs, words, copies=COPIES)
