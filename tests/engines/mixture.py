"""A mixture of multinomials by hard EM, "clusters": each document has one topic. It is as unlike
`ssi` as the contract allows.

A batch engine in slices, with evidence by document, a bound, topics that may be unused, and no warm
start.
"""

from dataclasses import dataclass, field

import numpy as np

from inference.engines import contract
from inference.engines.contract import MAPPED, About, Methods, Priors, Settings, resolved, setting
from inference.runtime.memory import large_array
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


@dataclass(frozen=True)
class Config(Settings):
    passes: int | None = setting(
        "Passes", "", "How often all documents are given a topic.", least=1
    )
    minibatch: int | None = setting("Slice", "", "Documents of a step.", least=1)
    weight: float = setting(
        "Weight", "ω", "Prior of a topic, in documents.", 1.0, least=1e-6, bounds="above 0"
    )
    eta: float = setting(
        "Topic smoothing", "η", "Prior of a word.", 0.1, least=1e-6, bounds="above 0"
    )
    start: str = setting(
        "Start",
        "",
        "Documents or words at random.",
        "documents",
        choices={"documents": "from documents", "words": "from words"},
    )

    def resolve(self, documents, tokens):
        return resolved(self, Resolved, passes=5, minibatch=max(1, documents // 4))


@dataclass(frozen=True, kw_only=True)
class Resolved(Config):
    passes: int
    minibatch: int


@dataclass(kw_only=True)
class State(contract.State):
    counts: np.ndarray  # int64[K, V], tokens of each word in each topic, after the last whole pass
    documents: np.ndarray  # int64[K]
    next: np.ndarray = field(metadata=MAPPED)  # int64[K, V], in this pass
    next_documents: np.ndarray

    def count_parameters(self):
        return int(np.count_nonzero(self.counts))


def init(config, shape, seed, scratch=None):
    K = config.topics
    V = shape.V
    generator = np.random.default_rng(seed)
    share = 0.5 if config.start == "documents" else 0.1
    following = large_array((K, V), scratch, np.int64)
    following[:] = 0
    counts = (generator.random((K, V)) < share).astype(np.int64)
    return State(
        seed=seed,
        counts=counts,
        documents=np.ones(K, np.int64),
        next=following,
        next_documents=np.zeros(K, np.int64),
    )


def step(config, state, bow, documents, shape):
    best = _scores(config, state, bow, documents).argmax(axis=1)
    for d, k in zip(documents, best, strict=True):
        row = slice(bow.indptr[d], bow.indptr[d + 1])
        state.next[k, bow.words[row]] += bow.counts[row]
        state.next_documents[k] += 1
        state.tokens += int(bow.counts[row].sum())
    state.t += 1
    if state.t % shape.per_pass == 0:
        state.counts = np.array(state.next)
        state.documents = state.next_documents
        state.next[:] = 0
        state.next_documents = np.zeros(config.topics, np.int64)


def _scores(config, state, bow, documents):
    """log p(document, k), but for a constant: float64[n, K]."""
    beta = np.log(_beta(config, state))
    share = np.log(state.documents + config.weight)
    out = np.tile(share - np.log(np.exp(share).sum()), (len(documents), 1))
    for i, d in enumerate(documents):
        row = slice(bow.indptr[d], bow.indptr[d + 1])
        out[i] += (beta[:, bow.words[row]] * bow.counts[row]).sum(axis=1)
    return out


def _beta(config, state):
    smoothed = state.counts + config.eta
    return smoothed / smoothed.sum(axis=1, keepdims=True)


def topics(config, state):
    beta = _beta(config, state)
    V = state.counts.shape[1]
    rows = [np.flatnonzero(row) for row in state.counts]
    rows = [row[np.lexsort((row, -beta[k, row]))] for k, row in enumerate(rows)]
    weights = [beta[k, row].astype(np.float32) for k, row in enumerate(rows)]
    floor_mass = np.array([max(0.0, 1.0 - float(w.sum(dtype=np.float64))) for w in weights])
    listed = np.array([len(row) for row in rows])
    totals = state.counts.sum(axis=1)
    share = totals / totals.sum() if totals.sum() else np.full(len(rows), 1 / len(rows))
    return Topics(
        np.concatenate([[0], np.cumsum(listed)]),
        np.concatenate(rows).astype(np.int32),
        np.concatenate(weights),
        floor_mass / np.maximum(V - listed, 1),
        floor_mass,
        share,
        V,
        used=state.documents > 0,
    )


def fold_in(config, state, bow, first, end):
    scores = _scores(config, state, bow, np.arange(first, end))
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    rows = [
        (
            np.flatnonzero(row >= 0.005)
            if bow.indptr[first + i] < bow.indptr[first + i + 1]
            else np.zeros(0, int)
        )
        for i, row in enumerate(p)
    ]
    rows = [row[np.lexsort((row, -p[i, row]))] for i, row in enumerate(rows)]
    weights = [p[i, row].astype(np.float32) for i, row in enumerate(rows)]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return Theta(first, indptr, np.concatenate(rows).astype(np.int32), np.concatenate(weights))


def priors(config, state):
    return Priors(np.full(config.topics, config.weight / config.topics), config.eta)


def methods(settings):
    said = (
        f"We trained a mixture of multinomials (Nigam 2000) with {settings['topics']} topics and η"
        f" = {settings['eta']:g}."
    )
    return Methods(said, ("nigam2000text",))


def warm_up():
    return [Config(topics=2, minibatch=10, passes=2)]


def seconds(config, tokens):
    return 1e-7 * tokens * config.passes * config.topics


def memory(config, shape):
    return 5 * 8 * config.topics * shape.V


def bound(config, state, bow, documents, times=1.0):
    return times * float(_scores(config, state, bow, documents).max(axis=1, initial=-np.inf).sum())
