"""An engine of a module: a mixture of multinomials by hard EM (compare Nigam et al. 2000). It is the
example of CONTRIBUTING.md, "Add an engine", and the contract tests train it with the others.

Each document is of one topic. A pass gives every document the topic under which it is most
probable, in slices of `minibatch` documents, and its last step makes the topics of what they were
given: so this is a batch engine, with evidence by document, a bound, topics that may be unused, and
no warm start.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from inference.bow import Bow
from inference.engines import contract
from inference.engines.contract import MAPPED, About, Methods, Priors, TrainingCorpus
from inference.engines.dense import LISTED_SHARE
from inference.engines.settings import (
    ResolvedPasses,
    Settings,
    eta_setting,
    prior_setting,
    resolved,
    setting,
)
from inference.runtime.memory import DOUBLE, large_array
from inference.topics import Theta, Topics

NAME = "mixture"
ABOUT = About(
    label="Mixture",
    help="Each document is of one topic: for short texts.",
    purpose="Sort whole documents into groups",
    source="Nigam 2000",
    papers={
        "nigam2000text": (
            "@article{nigam2000text,\n  author = {Nigam, Kamal},\n  title = {Text},\n  year ="
            " {2000}\n}\n"
        )
    },
    batch=True,
    by_document=True,
)
PASSES = 5  # few documents change their topic after them
ETA = 0.1  # tokens that a topic has of each word beforehand
SLICES = 4  # of a pass: progress and a stop are served between steps
# Part of the vocabulary that a topic has one token each of before the first pass, at random
BEGINS_WITH = {"documents": 0.5, "words": 0.1}
# Seconds of a token, pass and topic on one core: a logarithm is looked up, and added
SECONDS = 1e-7
# Of K x V, eight bytes a number: the counts of two passes, beta, its logarithm, and what is smoothed
ARRAYS = 5


@dataclass(frozen=True)
class Config(Settings):
    """Settings of a run."""

    passes: int | None = setting(
        "Passes", "", "How often all documents are given a topic.", least=1
    )
    minibatch: int | None = setting("Slice", "", "Documents of a step.", least=1)
    weight: float = prior_setting("Weight", "ω", "Prior of a topic, in documents.", 1.0)
    eta: float | None = eta_setting()
    start: str = setting(
        "Start",
        "",
        "How many words a topic begins with, at random: documents: half of the vocabulary; words: a"
        " tenth.",
        "documents",
        choices={"documents": "from documents", "words": "from words"},
    )

    def resolve(self, documents: int, tokens: int) -> "Resolved":
        """With a value for all that was left open: five passes of four steps."""
        slice_documents = max(1, documents // SLICES)
        return resolved(self, Resolved, passes=PASSES, minibatch=slice_documents, eta=ETA)


@dataclass(frozen=True, kw_only=True)
class Resolved(ResolvedPasses, Config):
    """Settings of which none is open."""

    eta: float


@dataclass(kw_only=True)
class State(contract.State):
    """All there is to checkpoint. counts: int64[K, V], tokens of each word in each topic, and
    documents: int64[K], after the last whole pass; next_counts and next_documents: the same in this
    pass."""

    counts: np.ndarray
    documents: np.ndarray
    next_counts: np.ndarray = field(metadata=MAPPED)
    next_documents: np.ndarray

    def count_parameters(self) -> int:
        """How many of the K x V parameters hold tokens."""
        return int(np.count_nonzero(self.counts))


def init(config: Resolved, corpus: TrainingCorpus, seed: int, scratch: Path | None = None) -> State:
    """Topics with a token each of some words, at random. scratch: for next_counts, if it is
    large."""
    generator = np.random.default_rng(seed)
    size = (config.topics, corpus.V)
    next_counts = large_array(size, scratch, np.int64)
    next_counts[:] = 0
    return State(
        seed=seed,
        counts=(generator.random(size) < BEGINS_WITH[config.start]).astype(np.int64),
        documents=np.ones(config.topics, np.int64),
        next_counts=next_counts,
        next_documents=np.zeros(config.topics, np.int64),
    )


def step(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, corpus: TrainingCorpus
) -> None:
    """Give each of the documents, int64[n], its topic; the last step of a pass makes the topics."""
    probabilities = log_probabilities(config, state, bow, documents)
    for document, topic in zip(documents, probabilities.argmax(axis=1), strict=True):
        pairs = slice(bow.indptr[document], bow.indptr[document + 1])
        state.next_counts[topic, bow.words[pairs]] += bow.counts[pairs]
        state.next_documents[topic] += 1
        state.tokens += int(bow.counts[pairs].sum())
    state.t += 1
    if state.t % corpus.steps_per_pass == 0:
        state.counts = np.array(state.next_counts)
        state.documents = state.next_documents
        state.next_counts[:] = 0
        state.next_documents = np.zeros(config.topics, np.int64)


def log_probabilities(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray
) -> np.ndarray:
    """float64[n, K]: log p(document, topic) of each of the documents, int64[n], but for the
    multinomial coefficient, which is the same for all topics."""
    log_beta = np.log(_beta(config, state))
    weights = state.documents + config.weight
    log_share = np.log(weights / weights.sum())
    probabilities = np.tile(log_share, (len(documents), 1))
    for i, document in enumerate(documents):
        pairs = slice(bow.indptr[document], bow.indptr[document + 1])
        probabilities[i] += log_beta[:, bow.words[pairs]] @ bow.counts[pairs]
    return probabilities


def _beta(config: Resolved, state: State) -> np.ndarray:
    """float64[K, V]: each word's probability in each topic."""
    smoothed = state.counts + config.eta
    return smoothed / smoothed.sum(axis=1, keepdims=True)


def topics(config: Resolved, state: State) -> Topics:
    """The topics: words that a topic has tokens of are listed, the largest first."""
    beta = _beta(config, state)
    topic, word = np.nonzero(state.counts)
    weights = beta[topic, word]
    order = np.lexsort((word, -weights, topic))
    return Topics.of_listed(
        _starts(np.count_nonzero(state.counts, axis=1)),
        word[order].astype(np.int32),
        weights[order].astype(np.float32),
        state.counts.sum(axis=1),
        state.counts.shape[1],
        used=state.documents > 0,
    )


def fold_in(config: Resolved, state: State, bow: Bow, first: int, end: int) -> Theta:
    """p(topic | document) of the documents first … end - 1, those of LISTED_SHARE or more; none of
    a document without words."""
    probabilities = log_probabilities(config, state, bow, np.arange(first, end))
    theta = np.exp(probabilities - probabilities.max(axis=1, keepdims=True))
    theta /= theta.sum(axis=1, keepdims=True)
    has_words = np.diff(bow.indptr[first : end + 1]) > 0
    is_listed = (theta >= LISTED_SHARE) & has_words[:, None]
    document, topic = np.nonzero(is_listed)
    weights = theta[document, topic]
    order = np.lexsort((topic, -weights, document))
    return Theta(
        first,
        _starts(is_listed.sum(axis=1)),
        topic[order].astype(np.int32),
        weights[order].astype(np.float32),
    )


def _starts(sizes: np.ndarray) -> np.ndarray:
    """int64[n + 1]: where rows of so many entries, int64[n], begin one behind the other, and their
    end."""
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def priors(config: Resolved, state: State | None) -> Priors:
    """As they were set: nothing is learned of them."""
    return Priors(np.full(config.topics, config.weight / config.topics), config.eta)


def methods(settings: Mapping[str, Any]) -> Methods:
    """What to write of a run with these settings."""
    sentence = (
        f"We trained a mixture of multinomials (Nigam 2000) with {settings['topics']} topics and η"
        f" = {settings['eta']:g}."
    )
    return Methods(sentence, ("nigam2000text",))


def compiling_configs() -> list[Config]:
    """One is enough: the engine has no kernels."""
    return [Config(topics=2, minibatch=10, passes=2)]


def seconds(config: Resolved, tokens: int) -> float:
    """About how long all passes over so many tokens take."""
    return SECONDS * tokens * config.passes * config.topics


def memory_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """Bytes of the state and of a step."""
    return ARRAYS * DOUBLE * config.topics * corpus.V


def bound(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, times: float = 1.0
) -> float:
    """What training raises, in nats: log p of the documents, int64[n], each under its best topic,
    times `times`."""
    probabilities = log_probabilities(config, state, bow, documents)
    return times * float(probabilities.max(axis=1, initial=-np.inf).sum())
