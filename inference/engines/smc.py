"""Sequential Monte Carlo with one state for LDA, with which Mimno, Hoffman and Blei (2012) compare
their engine (paper 000, section 4.3); after the first pass, collapsed Gibbs sampling (Griffiths and
Steyvers 2004).

What the paper leaves open, and every deviation from it, is in docs/engines/smc.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from inference.bow import Bow
from inference.engines import contract, defaults, dense
from inference.engines.batch import expand, keys, trained_documents, trained_pairs
from inference.engines.contract import MAPPED, About, Methods, TrainingCorpus
from inference.engines.lda_sentences import priors_were, trained_lda
from inference.engines.priors import as_set
from inference.engines.settings import (
    ResolvedPriors,
    Settings,
    alpha_setting,
    eta_setting,
    resolved,
    setting,
)
from inference.errors import number_of
from inference.kernels import gibbs, rng, rows, smc
from inference.references import entries
from inference.runtime.memory import SINGLE, large_array
from inference.topics import Theta, Topics

NAME = "smc"
ABOUT = About(
    label="Sequential Monte Carlo",
    help=(
        "LDA by one pass of Gibbs sampling: a document sees all documents before it, and none is"
        " visited again. It predicts worst of all; with 50 passes it is plain collapsed Gibbs"
        " sampling, which most papers mean."
    ),
    source="Mimno, Hoffman and Blei 2012",
    papers=entries("ahmed2012scalable", "griffiths2004finding"),
)

ETA_SCALE = 0.3  # of the usual eta
# Sweeps over a document under the finished topics: before any is counted, and that are counted
FOLD_BURN_IN = 5
FOLD_SAMPLES = 5
CONTINUED = 20  # passes of a run that begins with the topics of another
# Seconds a token and sweep are TOKEN + K TOPIC: process time at K = 20, 100, 400 of the State of
# the Union, one thread.
TOKEN = 0.05e-6
TOPIC = 0.6e-9
# Of `memory_bytes`, in bytes: two numbers of eight bytes for each topic and for each word; of a
# token of a minibatch its word, its place among the distinct ones and in the memory, and its topic
TOPIC_BYTES = 16
WORD_BYTES = 16
TOKEN_BYTES = 40


@dataclass(frozen=True)
class Config(Settings):
    """Settings of a run."""

    passes: int = setting(
        "Passes",
        "",
        "1: each document is seen once. More: documents are sampled again, given all others; this"
        " is collapsed Gibbs sampling.",
        1,
        least=1,
    )
    alpha: float | None = alpha_setting(1e-9)
    eta: float | None = eta_setting(1e-9)
    sweeps: int = setting(
        "Sweeps", "", "How often a document's words are sampled in each visit.", 5, least=1
    )
    minibatch: int = setting(
        "Minibatch size",
        "",
        "Documents between two reports of progress. It does not change the result.",
        256,
        least=1,
    )

    def resolve(self, documents: int, tokens: int) -> "Resolved":
        """With a value for all that was left open: the priors that ssi has with collapsed
        statistics."""
        return resolved(
            self,
            Resolved,
            alpha=defaults.alpha(self.topics),
            eta=defaults.eta(self.topics, ETA_SCALE),
        )


@dataclass(frozen=True, kw_only=True)
class Resolved(ResolvedPriors, Config):
    """Settings of which none is open."""


@dataclass(kw_only=True)
class State(contract.State):
    """All there is to checkpoint. `step` changes it in place.

    counts: int32[V, K], tokens of each word in each topic, of the documents so far; totals:
    int64[K], their sums. memory: uint16[tokens], each token's topic, gibbs.UNSEEN before its first
    visit; empty where no document is visited again.
    """

    counts: np.ndarray
    totals: np.ndarray
    memory: np.ndarray = field(metadata=MAPPED)

    def count_parameters(self) -> int:
        """How many of the K x V parameters hold tokens: they are whole."""
        return int(np.count_nonzero(self.counts))


def init(config: Resolved, corpus: TrainingCorpus, seed: int, scratch: Path | None = None) -> State:
    """No token has a topic."""
    return _empty(config, corpus, seed, scratch, remembers=config.passes > 1)


def _empty(
    config: Resolved, corpus: TrainingCorpus, seed: int, scratch: Path | None, remembers: bool
) -> State:
    memory = large_array((corpus.tokens if remembers else 0,), scratch)
    memory[:] = gibbs.UNSEEN
    K = config.topics
    return State(
        seed=seed,
        counts=np.zeros((corpus.V, K), np.int32),
        totals=np.zeros(K, np.int64),
        memory=memory,
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
    """A state before the first step in which each token has a topic already: a visit then samples
    it again.

    topics: uint16[nnz], of the bag's pairs. held_out: int64[n], documents that are not trained on,
    and give nothing.
    """
    state = _empty(config, corpus, seed, scratch, remembers=True)
    trained_on = trained_documents(bow.D, held_out)
    smc.assign(bow.indptr, bow.counts, bow.first_token, trained_on, topics, state.memory[:, None])
    for block in trained_pairs(bow, held_out):
        np.add.at(state.counts, (block.words, topics[block.pairs]), block.counts)
    state.totals[:] = state.counts.sum(axis=0)
    return state


def step(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, corpus: TrainingCorpus
) -> None:
    """Sample some documents, one after the other, each given the last topics of all that came
    before.

    documents: int64[n], numbers of the step's documents, in the order in which they are sampled.
    """
    # The random numbers of a visit do not depend on how a pass is cut into steps
    visit = state.t // corpus.steps_per_pass
    state.t += 1
    if not len(documents):
        return
    doc_ptr, words, token_ptr = _batch(bow, documents)
    memory_place = (documents, bow.first_token, state.memory[:, None], doc_ptr, token_ptr)
    topics = (
        rows.recall(*memory_place).reshape(-1)
        if len(state.memory)
        else np.full(token_ptr[-1], gibbs.UNSEEN)
    )
    alpha = np.full(config.topics, config.alpha)
    streams = keys(state.seed, rng.SMC, visit, documents)
    smc.sweep(
        doc_ptr,
        words,
        token_ptr,
        topics,
        state.counts,
        state.totals,
        alpha,
        config.eta,
        config.sweeps,
        streams,
    )
    if len(state.memory):
        rows.remember(*memory_place, topics[:, None])
    state.tokens += len(topics)


def _batch(bow: Bow, documents: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """doc_ptr, words and token_ptr of some documents, as the kernels take them."""
    words, doc_ptr, slots, token_ptr = expand(bow, documents)
    return doc_ptr, words[slots], token_ptr


def topics(config: Resolved, state: State) -> Topics:
    """E[beta] = (eta + N_kw) / (V eta + N_k)."""
    return dense.topics(
        state.counts.astype(np.float32), 1.0, config.eta, state.totals.astype(np.float64)
    )


def fold_in(config: Resolved, state: State, bow: Bow, first: int, end: int) -> Theta:
    """theta of the documents first … end - 1, under the topics as they are; see rows.mixtures for
    its definition."""
    documents = np.arange(first, end, dtype=np.int64)
    doc_ptr, words, token_ptr = _batch(bow, documents)
    alpha = np.full(config.topics, config.alpha)
    samples = smc.fold(
        doc_ptr,
        words,
        token_ptr,
        state.counts,
        state.totals,
        alpha,
        config.eta,
        FOLD_BURN_IN,
        FOLD_SAMPLES,
        keys(state.seed, rng.FOLD_IN, 0, documents),
    )
    return Theta(first, *rows.mixtures(token_ptr[doc_ptr], samples, alpha))


priors = as_set


def continued(settings: Mapping[str, Any]) -> dict[str, Any]:
    """With passes enough to change the topics that the run begins with."""
    return {**settings, "passes": max(CONTINUED, settings["passes"])}


def methods(settings: Mapping[str, Any]) -> Methods:
    """How topics were sampled and with which priors."""
    passes = settings["passes"]
    cited: tuple[str, ...] = ("blei2003latent", "griffiths2004finding")
    if passes == 1:
        by = (
            "sequential Monte Carlo with one state (compare Ahmed et al. 2012; Mimno, Hoffman and"
            " Blei 2012, section 4.3)"
        )
        cited = ("blei2003latent", "ahmed2012scalable", "mimno2012sparse")
        how = "Each document was sampled once, given the final topics of the documents before it"
    else:
        by = "collapsed Gibbs sampling (Griffiths and Steyvers 2004)"
        how = "Each document was sampled in each pass, given the topics of all others"
    sweeps = number_of(settings["sweeps"], "sweep")
    return Methods(
        f"{trained_lda(settings)} by {by}. {priors_were(settings)}. {how}, with {sweeps} over its"
        " words.",
        cited,
    )


def compiling_configs() -> list[Config]:
    """One pass, and with more the kernels that remember."""
    return [Config(topics=2, minibatch=10), Config(topics=2, minibatch=10, passes=2)]


def seconds(config: Resolved, tokens: int) -> float:
    """A token's draw weighs all K topics; the first visit has a sweep more."""
    return tokens * (config.passes * config.sweeps + 1) * (TOKEN + TOPIC * config.topics)


def remembered_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """A uint16 for each token's topic, where documents are seen again."""
    return 2 * corpus.tokens if config.passes > 1 else 0


def memory_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """The counts of all words in all topics, a copy of them while topics are made, and what a
    minibatch needs."""
    of_counts = 2 * SINGLE * corpus.V * config.topics
    of_topics = TOPIC_BYTES * config.topics
    of_words = WORD_BYTES * corpus.V
    tokens_of_step = -(-corpus.tokens // corpus.steps_per_pass)
    return of_counts + of_topics + of_words + TOKEN_BYTES * tokens_of_step
