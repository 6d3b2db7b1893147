"""Collapsed variational Bayes of order zero for LDA (paper 001, Algorithm 3; Asuncion and others
2009), in batch with remembered responsibilities, and stochastic (Foulds and others 2013).

What the papers leave open, and every deviation from them, is in docs/engines/cvb0.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from inference.bow import Bow
from inference.engines import defaults, dense, step_sizes
from inference.engines.batch import RECOUNTED, is_trained, keys as streams, trained_documents
from inference.engines.contract import MAPPED, About, Methods, TrainingCorpus
from inference.engines.lda_sentences import priors_were, trained_lda
from inference.engines.priors import as_set
from inference.engines.settings import (
    ResolvedPriors,
    Settings,
    alpha_setting,
    eta_setting,
    kappa_setting,
    minibatch_setting,
    resolved,
    setting,
    tau0_setting,
)
from inference.errors import number_of
from inference.kernels import cvb, rng, rows, vb
from inference.kernels.chunks import CHUNKS
from inference.kernels.minibatch import MinibatchByWord
from inference.references import entries
from inference.runtime.memory import DOUBLE, SINGLE, large_array
from inference.topics import Theta, Topics

NAME = "cvb0"
ABOUT = About(
    label="Collapsed variational Bayes (CVB0)",
    help=(
        "LDA without sampling: it divides each word of a document among topics until nothing"
        " changes. Smooth topics."
    ),
    source="Asuncion, Welling, Smyth and Teh 2009",
    papers=entries("asuncion2009smoothing", "foulds2013stochastic"),
)

# Of the usual priors
ALPHA_SCALE = 1.0
ETA_SCALE = 0.3
BROUGHT_TOPICS = 8  # that a word brings along, wherever it occurs; all of them where L is K
DRAWN = 1  # turns of a new document in which each word is given one topic, at random
# times through a document under the finished topics
FOLD_TURNS = 20
FOLD_LEAST = 1e-4
# Of settings that are left open: tokens that are gone through, over all passes, and passes, with
# memo; the same of decay
SWEPT_TOKENS = 400_000_000
LEAST_PASSES = 3
MOST_PASSES = 40
DECAY_PASSES = 10
# Minibatches of a pass and their documents with memo; documents of a minibatch with decay
MEMO_MINIBATCHES = 32
LEAST_MEMO_MINIBATCH = 20
MOST_MEMO_MINIBATCH = 2048
DECAY_MINIBATCH = 256
# Alpha in the first passes, at the least: no document is settled on a few topics so soon
WARM_ALPHA = 0.5
OWN_RATE = (1.0, 10.0, 0.9)  # s, tau and kappa of a document's own step size in stochastic CVB0
# Seconds a token, in turns over all K topics: TOPIC each; in others TURN at K = 100, as this power
# of K.
TOPIC = 1.0e-9
TURN = 0.2e-6
TURN_POWER = 0.3
# Of `memory_bytes`: how many times the mean a minibatch's pairs may be, as documents are of unequal
# length. In bytes: of a word in a topic a float64, its copy in float32, and a float32 of what
# topics list; of each of a pair's strongest topics the topic and phi, uint16, before a step and
# after it; of a pair besides, its word, count and place, by document and by word; of a word in all
# documents two numbers
UNEQUAL = 2
VALUE_BYTES = 16
PHI_BYTES = 8
PAIR_BYTES = 40
WORD_BYTES = 16


@dataclass(frozen=True)
class Config(Settings):
    """Settings of a run."""

    alpha: float | None = alpha_setting(1e-9)
    eta: float | None = eta_setting(1e-9)
    statistics: str = setting(
        "Counts of a document",
        "",
        "memo: a document's counts are replaced when it is visited again, which is CVB0; "
        "decay: they fade, as in stochastic CVB0, for corpora that are read once or a few times.",
        "memo",
        choices={"memo": "replaced at the next visit", "decay": "fading"},
    )
    minibatch: int | None = minibatch_setting("|B|")
    burn_in: int = setting(
        "First iterations",
        "",
        "How often the words of a new document are processed before it counts.",
        5,
        least=0,
    )
    iterations: int = setting(
        "Iterations",
        "",
        "With memo, how often the words of a document are processed when it is visited again.",
        1,
        least=1,
    )
    warm_up: int = setting(
        "Warm-up",
        "",
        "With memo, the number of first passes in which α is at least 0.5, so that no document is "
        "tied to one topic too early.",
        1,
        least=0,
    )
    most: int = setting(
        "Topics of a word",
        "L",
        "The most topics among which a word of a document is divided; the rest is dropped.",
        16,
        least=1,
        most=256,
    )
    least: float = setting(
        "Smallest share",
        "",
        "A topic with less than this share of a word in a document is dropped, unless it is the "
        "strongest; 0 drops none.",
        0.01,
        least=0,
        most=0.5,
    )
    step: float = setting(
        "Step size", "s", "With decay, the step size is s (τ₀ + t)^−κ.", 10.0, least=1e-6, most=1e6
    )
    tau0: float = tau0_setting(1000.0, "With decay, ")
    kappa: float = kappa_setting(0.9, "With decay, ")

    def resolve(self, documents: int, tokens: int) -> "Resolved":
        """With a value for all that was left open; docs/engines/cvb0.md has the evidence."""
        memo = self.statistics == "memo"
        passes = defaults.passes_within(SWEPT_TOKENS, tokens, least=LEAST_PASSES, most=MOST_PASSES)
        minibatch = min(
            MOST_MEMO_MINIBATCH, max(LEAST_MEMO_MINIBATCH, documents // MEMO_MINIBATCHES)
        )
        return resolved(
            self,
            Resolved,
            passes=passes if memo else DECAY_PASSES,
            alpha=defaults.alpha(self.topics, ALPHA_SCALE),
            eta=defaults.eta(self.topics, ETA_SCALE),
            minibatch=minibatch if memo else DECAY_MINIBATCH,
        )


@dataclass(frozen=True, kw_only=True)
class Resolved(ResolvedPriors, Config):
    """Settings of which none is open."""


@dataclass(kw_only=True)
class State(dense.State):
    """All there is to checkpoint. `step` changes it in place.

    values: float64[V, K]; N_kw is pi / cvb.WHOLE_TOKEN times them, and with memo they are whole
    numbers. pi: 1 with memo. remembered: uint16[nnz, L], topics of each of the bag's pairs,
    strongest first; phi: uint16[nnz, L], their weights, of cvb.WHOLE_TOKEN; all 0 before a
    document's first visit. Both without rows where statistics decay.
    """

    remembered: np.ndarray = field(metadata=MAPPED)
    phi: np.ndarray = field(metadata=MAPPED)

    def count_parameters(self) -> int:
        """How many of the K x V parameters hold LISTED_TOKENS or more."""
        return dense.count_listed(self.values, self.pi / cvb.WHOLE_TOKEN)


def init(config: Resolved, corpus: TrainingCorpus, seed: int, scratch: Path | None = None) -> State:
    """With memo nothing is known: the first turn of the first documents, which draws, breaks the
    symmetry. Where statistics decay, N_kw begins at random, exponential with the mean that it will
    have."""
    state = _empty(config, corpus, seed, scratch)
    if config.statistics == "decay":
        vb.scatter(
            np.uint64(seed),
            cvb.WHOLE_TOKEN * corpus.tokens / (config.topics * corpus.V),
            state.values,
            state.totals,
        )
    return state


def _empty(config: Resolved, corpus: TrainingCorpus, seed: int, scratch: Path | None) -> State:
    V = corpus.V
    K = config.topics
    remembered, phi = (
        large_array(
            (corpus.pairs if config.statistics == "memo" else 0, config.most), scratch, np.uint16
        )
        for _ in range(2)
    )
    phi[:] = 0
    remembered[:] = 0
    return State(
        seed=seed, values=np.zeros((V, K)), totals=np.zeros(K), remembered=remembered, phi=phi
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
    """A state before the first step in which each token has a topic already, and N_kw counts them.

    topics: uint16[nnz], of the bag's pairs. held_out: int64[n], documents that are not trained on,
    and give nothing.
    """
    state = _empty(config, corpus, seed, scratch)
    trained_on = trained_documents(bow.D, held_out)
    for first in range(0, len(trained_on), RECOUNTED):
        documents = trained_on[first : first + RECOUNTED]
        batch = dense.batch_of(bow, documents)
        recalled = _recall(bow, documents, batch, topics[:, None])
        nothing = cvb.Phi(np.zeros_like(recalled), np.zeros_like(recalled))
        cvb.add(
            batch,
            nothing,
            cvb.Phi(recalled, np.full_like(recalled, cvb.WHOLE_TOKEN)),
            1.0,
            state.values,
            state.totals,
        )
    if config.statistics == "memo":
        pairs = np.repeat(is_trained(bow.D, held_out), np.diff(bow.indptr))
        state.remembered[:, 0] = np.where(pairs, topics, 0)
        state.phi[:, 0] = np.where(pairs, cvb.WHOLE_TOKEN, 0)
    return state


def rho(config: Resolved, t: int) -> float:
    """The step size of step t, counted from 1, where statistics decay: s (tau0 + t)^-kappa, at most
    1."""
    return min(config.step * step_sizes.rho(config, t), 1.0)


def step(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, corpus: TrainingCorpus
) -> None:
    """One minibatch: the local step in its documents, then what they give now in the place of what
    they gave before, or of what fades.

    documents: int64[n], numbers of the minibatch's documents; where all of them are held out
    nothing is changed.
    """
    state.t += 1
    batch = dense.batch_of(bow, documents)
    if not batch.tokens:
        return
    if config.statistics == "memo":
        _replace(config, state, bow, documents, batch, corpus)
    else:
        _fade(config, state, batch, corpus)
    state.tokens += batch.tokens


def _replace(
    config: Resolved,
    state: State,
    bow: Bow,
    documents: np.ndarray,
    batch: MinibatchByWord,
    corpus: TrainingCorpus,
) -> None:
    """CVB0: a document's phi continues from where it was at the last visit."""
    before = cvb.Phi(
        _recall(bow, documents, batch, state.remembered), _recall(bow, documents, batch, state.phi)
    )
    keys = streams(state.seed, rng.SAMPLE, state.t, documents)
    # The least alpha of the warm-up
    warm = WARM_ALPHA if state.t <= config.warm_up * corpus.steps_per_pass else 0.0
    how = cvb.Turns(
        again=config.iterations,
        first=config.burn_in + 1,
        least=config.least,
        draws=DRAWN,
        moves=1.0,
    )
    after = _visit(config, state, batch, keys, before, how, warm)
    pairs = np.arange(len(batch.places) + 1)
    rows.remember(documents, bow.indptr, state.remembered, batch.doc_ptr, pairs, after.topics)
    rows.remember(documents, bow.indptr, state.phi, batch.doc_ptr, pairs, after.weights)
    cvb.add(batch, before, after, 1.0, state.values, state.totals)


def _visit(
    config: Resolved,
    state: State,
    batch: MinibatchByWord,
    keys: np.ndarray,
    before: cvb.Phi,
    how: cvb.Turns,
    least_alpha: float = 0.0,
) -> cvb.Phi:
    """cvb.visit under the present statistics, alpha at least least_alpha."""
    present = _present(config, state, batch, least_alpha)
    K = config.topics
    leading = K if config.most >= K else min(BROUGHT_TOPICS, K)
    leads = cvb.leading(present.rows, present.totals, present.eta_mass, leading)
    after = cvb.Phi(np.empty_like(before.topics), np.empty_like(before.weights))
    cvb.visit(batch, present, leads, how, keys, before, after)
    return after


def _present(
    config: Resolved, state: State, batch: MinibatchByWord, least_alpha: float = 0.0
) -> cvb.Present:
    scale = state.pi / cvb.WHOLE_TOKEN
    rows_of_words = cvb.table(batch.words, state.values, scale)
    totals = np.maximum(scale * state.totals, 0.0)
    return cvb.Present(
        rows=rows_of_words,
        totals=totals,
        alpha=np.full(config.topics, max(config.alpha, least_alpha)),
        eta=config.eta,
        eta_mass=len(state.values) * config.eta,
    )


def _fade(config: Resolved, state: State, batch: MinibatchByWord, corpus: TrainingCorpus) -> None:
    """Stochastic CVB0: N <- (1 - rho) N + rho C / |M| times what the batch gives, C and |M| in
    tokens."""
    after = cvb.Phi(*(np.empty((len(batch.places), config.most), np.uint16) for _ in range(2)))
    cvb.stochastic(
        batch, _present(config, state, batch), config.burn_in + 1, config.least, OWN_RATE, after
    )
    step_size = state.fade(rho(config, state.t))
    unit = step_size * corpus.trained_tokens / (batch.tokens * state.pi)
    nothing = cvb.Phi(np.zeros_like(after.topics), np.zeros_like(after.weights))
    cvb.add(batch, nothing, after, unit, state.values, state.totals)
    state.rescale()


def _recall(
    bow: Bow, documents: np.ndarray, batch: MinibatchByWord, of_pairs: np.ndarray
) -> np.ndarray:
    """The rows of a batch's pairs, of an array that has one for each of the bag's pairs."""
    return rows.recall(
        documents, bow.indptr, of_pairs, batch.doc_ptr, np.arange(len(batch.places) + 1)
    )


def topics(config: Resolved, state: State) -> Topics:
    """E[beta] = (eta + N_kw) / (V eta + N_k)."""
    return dense.topics(
        state.values.astype(np.float32), state.pi / cvb.WHOLE_TOKEN, config.eta, state.totals
    )


def fold_in(config: Resolved, state: State, bow: Bow, first: int, end: int) -> Theta:
    """theta of the documents first … end - 1: (alpha_k + N_dk) / (sum of alpha + N_d) by CVB0 under
    topics that stay as they are. Nothing is drawn."""
    documents = np.arange(first, end, dtype=np.int64)
    batch = dense.batch_of(bow, documents)
    nothing = np.zeros((len(batch.places), config.most), np.uint16)
    keys = np.zeros(len(documents), np.uint64)
    phi = _visit(
        config,
        state,
        batch,
        keys,
        cvb.Phi(nothing, nothing),
        cvb.Turns(again=0, first=FOLD_TURNS, least=FOLD_LEAST, draws=0, moves=0.0),
    )
    gamma = cvb.mixtures(batch.doc_ptr, batch.counts, *phi, np.full(config.topics, config.alpha))
    return dense.theta(gamma, first, batch.lengths)


priors = as_set


continued = defaults.fewer_passes_warm


def methods(settings: Mapping[str, Any]) -> Methods:
    """How topics were found and with which priors."""
    most = (
        f"Each word of a document was divided among at most {number_of(settings['most'], 'topic')}"
    )
    if settings["statistics"] == "memo":
        by = (
            "collapsed variational Bayes of order zero (CVB0; Asuncion, Welling, Smyth and Teh"
            " 2009)"
        )
        cited = ("blei2003latent", "asuncion2009smoothing")
        how = f"{most}."
    else:
        by = "stochastic collapsed variational Bayes of order zero (SCVB0; Foulds et al. 2013)"
        cited = ("blei2003latent", "foulds2013stochastic")
        step_size = (
            f"The step size was s (τ₀ + t)^−κ with s = {settings['step']:g}, τ₀ ="
            f" {settings['tau0']:g} and κ = {settings['kappa']:g}"
        )
        how = f"{step_size}. {most}."
    return Methods(f"{trained_lda(settings)} by {by}. {priors_were(settings)}. {how}", cited)


def compiling_configs() -> list[Config]:
    """The usual settings; then statistics that decay, with steps so large that pi is reset."""
    return [
        Config(topics=2, minibatch=10, passes=3),
        Config(
            topics=2, minibatch=10, passes=10, statistics="decay", step=0.9, tau0=0.0, kappa=0.51
        ),
    ]


def seconds(config: Resolved, tokens: int) -> float:
    """A pair costs what its document's topics cost, which grow slowly with K; in a new document's
    first turn, and where statistics decay, each of the K."""
    dense_turns = config.passes * (config.burn_in + 1) if config.statistics == "decay" else 1
    sparse_turns = (
        0 if config.statistics == "decay" else config.burn_in + config.iterations * config.passes
    )
    return tokens * (
        dense_turns * TOPIC * config.topics
        + sparse_turns * TURN * (config.topics / 100) ** TURN_POWER
    )


def remembered_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """The strongest topics of each pair and their phi, in two bytes each."""
    return 4 * config.most * corpus.pairs if config.statistics == "memo" else 0


def memory_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """The statistics, in float64, and a copy in float32 while topics are made; the table of a
    minibatch's words, and its phi before and after."""
    pairs = -(-max(corpus.pairs, 1) // corpus.steps_per_pass) * UNEQUAL
    statistics = VALUE_BYTES * corpus.V * config.topics
    table = SINGLE * min(corpus.V, pairs) * (config.topics + BROUGHT_TOPICS)
    of_pairs = pairs * (PHI_BYTES * config.most + PAIR_BYTES)
    of_chunks = 2 * DOUBLE * CHUNKS * config.topics  # tokens added, and room for as many numbers
    of_words = WORD_BYTES * corpus.V
    return statistics + table + of_pairs + of_chunks + of_words
