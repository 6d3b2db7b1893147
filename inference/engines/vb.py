"""Batch variational Bayes for LDA with Dirichlet topics: Blei, Ng and Jordan (2003) in the form of
papers 002 (section 2.2) and 004 (section 7). A pass is done in slices, and updates the topics at
its end.

What the papers leave open, and every deviation from them, is in docs/engines/vb.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inference.bow import Bow
from inference.engines import defaults, dense, variational
from inference.engines.contract import About, Methods, TrainingCorpus
from inference.engines.lda_sentences import trained_lda
from inference.engines.priors import as_learned
from inference.engines.settings import resolved, setting
from inference.kernels import vb as kernels
from inference.references import entries

NAME = "vb"
ABOUT = About(
    label="Batch variational Bayes",
    help=(
        "LDA by variational Bayes over the whole corpus at a time, for small corpora: its bound"
        " rises with every pass."
    ),
    source="Hoffman, Blei, Wang and Paisley 2013",
    papers=entries("hoffman2013stochastic"),
    batch=True,  # topics change in the last step of a pass
)

# What is gone through, over all passes, where the number of passes is not given
SWEPT_TOKENS = 400_000_000
# Of a training whose number of passes is left open
LEAST_PASSES = 3
MOST_PASSES = 40
PASS_SECONDS = 0.5  # see variational.seconds_of_passes
PASSES_OF_FIRST = 3  # passes that the first one costs besides: it has most of the iterations
ARRAYS = 2  # of V x K: the statistics as they are, and of this pass


@dataclass(frozen=True)
class Config(variational.Config):
    """Settings of a run."""

    minibatch: int | None = setting(
        "Slice",
        "",
        "Documents of a step. Topics change at the end of a pass, so it makes a difference to them"
        " only where they start from documents, which are among the first slice.",
        least=1,
    )

    def resolve(self, documents: int, tokens: int) -> "Resolved":
        """With a value for all that was left open; docs/engines/vb.md says why."""
        return resolved(
            self,
            Resolved,
            passes=defaults.passes_within(
                SWEPT_TOKENS, tokens, least=LEAST_PASSES, most=MOST_PASSES
            ),
            alpha=defaults.alpha(self.topics),
            eta=variational.usual_eta(self.expectation, self.topics),
            minibatch=defaults.MOST_MINIBATCH,
        )


@dataclass(frozen=True, kw_only=True)
class Resolved(variational.Resolved, Config):
    """Settings of which none is open."""


@dataclass(kw_only=True)
class State(variational.State):
    """variational.State, whose log_theta is this pass's sum here; next: float32[V, K] and
    next_totals: float64[K], the statistics of this pass so far; visited: its documents with
    words."""

    next: np.ndarray
    next_totals: np.ndarray
    visited: int


def init(
    config: Resolved,
    corpus: TrainingCorpus,
    seed: int,
    scratch: Path | None = None,
    random: bool = True,
) -> State:
    """lambda - eta is random, or 0."""
    K = config.topics
    fields = variational.beginning(config, corpus, seed, scratch, remembered=K, random=random)
    return State(
        **fields, next=np.zeros((corpus.V, K), np.float32), next_totals=np.zeros(K), visited=0
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
    """A state before the first step in which each token has a topic already: lambda - eta is their
    counts."""
    state = init(config, corpus, seed, scratch, random=False)
    variational.assign(state, bow, topics, held_out)
    return state


def step(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, corpus: TrainingCorpus
) -> None:
    """A slice of a pass: fit its documents, from what is remembered of them. The last one sets
    lambda = eta + sum of n phi, then alpha and eta where they are learned: each raises the bound
    (002, eqs. 31 and 32; 004, Algorithm 4).

    documents: int64[S].
    """
    state.t += 1
    if len(documents):
        batch = dense.batch_of(bow, documents)
        if not state.begun:
            variational.start_from_documents(state, batch, state.values, state.totals)
        local = variational.local(config, state, batch, documents)
        kernels.remember(documents, local.gamma, state.gamma, state.strongest)
        variational.add(batch, local, 1.0, state.next, state.next_totals)
        if config.learns_priors:
            state.log_theta += kernels.log_theta(batch.doc_ptr, local.gamma)
            state.visited += int((batch.lengths > 0).sum())
        state.tokens += batch.tokens
    if state.t % corpus.steps_per_pass == 0:
        state.values, state.next = state.next, state.values
        state.totals, state.next_totals = state.next_totals, state.totals
        state.next[:] = 0.0
        state.next_totals[:] = 0.0
        if state.visited:
            mean = state.log_theta / state.visited
            length = corpus.trained_tokens / corpus.trained_documents
            variational.learn(config, state, mean, length, variational.NEWTON)
            state.log_theta = np.zeros(config.topics)
            state.visited = 0


topics = variational.topics
fold_in = variational.fold_in
priors = as_learned
bound = variational.bound


continued = defaults.fewer_passes


def methods(settings: Mapping[str, Any]) -> Methods:
    """How topics were found and with which priors."""
    weights = ", with E[β] instead of exp E[log β]" if settings.get("expectation") == "mean" else ""
    sentence, prior_citations = variational.prior_sentence(settings)
    return Methods(
        f"{trained_lda(settings)} by variational Bayes (Hoffman, Blei, Wang and Paisley 2013),"
        f" which changed the topics at the end of each pass{weights}. {sentence}",
        ("blei2003latent", "hoffman2013stochastic", *prior_citations),
    )


def compiling_configs() -> list[Config]:
    """The usual settings; then learned priors and active topics."""
    return [
        Config(topics=2, minibatch=10, passes=3),
        Config(topics=2, minibatch=10, passes=3, learn="both", truncate=0.1),
    ]


def seconds(config: Resolved, tokens: int) -> float:
    """A word costs its iterations times the topics; the first pass has most of the iterations."""
    passes = config.passes + PASSES_OF_FIRST
    return variational.seconds_of_passes(tokens, passes, config.topics, PASS_SECONDS)


def remembered_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """Bytes of the gamma of all documents, by variational.remembered_bytes."""
    return variational.remembered_bytes(config, corpus, config.topics)


def memory_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """See variational.memory_bytes."""
    return variational.memory_bytes(config, corpus, ARRAYS)
