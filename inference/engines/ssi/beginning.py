"""How a training begins: with nothing, with the words of documents, or with topics that tokens
have already."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from inference.bow import Bow
from inference.engines import arena, concepts, from_documents
from inference.engines.batch import trained_documents
from inference.engines.contract import TrainingCorpus
from inference.engines.ssi.counting import recount
from inference.engines.ssi.named_topics import begin_with_seeds
from inference.engines.ssi.settings import Resolved
from inference.engines.ssi.state import State
from inference.errors import Invalid
from inference.kernels import gibbs, rng, smc
from inference.runtime.memory import large_array

WARM_ETA = 3.0  # times eta: that of a warm-up by sampling


def init(config: Resolved, corpus: TrainingCorpus, seed: int, scratch: Path | None = None) -> State:
    """lambda = eta everywhere: no row has an entry. What breaks the symmetry are documents that the
    first step begins with, or the sampling of the first minibatches.

    scratch: a folder for the state's memory where that is large.
    """
    K = config.topics
    M = config.draws_of_token
    is_warmed_up = config.remembers and config.warm_up > 0
    memory = large_array((corpus.tokens if config.remembers else 0, M), scratch)
    memory[:] = gibbs.UNSEEN
    eta = config.eta
    if is_warmed_up and config.start == "sampling":
        eta *= WARM_ETA
    return State(
        seed=seed,
        pi=1.0 / M if config.remembers and not is_warmed_up else 1.0,
        **arena.empty(corpus.V, K),
        alpha=np.full(K, config.alpha),
        eta=eta,
        rises=np.zeros(K + 1),
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
    """A state before the first step in which each token has a topic already: lambda - eta is their
    sum.

    topics: uint16[nnz], of the bag's pairs. held_out: int64[n], documents that are not trained on,
    and give nothing. config: without a warm-up, which would forget the topics; Invalid is raised
    where it has one.
    """
    if config.warm_up and config.remembers:
        raise Invalid(
            "warm_up",
            f"warm_up must be 0 where a training continues from topics, got {config.warm_up}.",
        )
    state = init(config, corpus, seed, scratch)
    memory = state.memory
    if not config.remembers:
        memory = large_array((bow.tokens, 1), scratch)
        memory[:] = gibbs.UNSEEN
    trained_on = trained_documents(bow.D, held_out)
    smc.assign(bow.indptr, bow.counts, bow.first_token, trained_on, topics, memory)
    counted = replace(state, memory=memory)
    recount(config, counted, bow, bow)
    return replace(counted, memory=state.memory)


def begin_from_documents(config: Resolved, state: State, bow: Bow, corpus: TrainingCorpus) -> None:
    """Topics begin as the words of documents, named ones with their seeds; eta is that of the steps
    by OPE. bow: of all documents."""
    order = rng.key(np.uint64(state.seed), np.uint64(rng.INIT), np.uint64(0), np.uint64(0))
    state.eta = from_documents.eta(config.topics, bow, config.eta)
    if not state.has_named_topics:
        from_documents.begin(state, bow, corpus, order, joined=config.start == "joined")
        return
    seeded = np.append(state.seed_topics, state.empty)
    free = np.setdiff1d(np.arange(config.topics), seeded)
    company = concepts.company(bow, corpus, state.seed_words, state.seed_topics, config.topics)
    from_documents.begin(state, bow, corpus, order, free, company)
    begin_with_seeds(state, company)
