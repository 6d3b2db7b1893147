"""Clusters of documents: a mixture of multinomials in which a document is in at most L clusters.
Hughes and Sudderth (2016), paper 003.

Its formulas were lost in the copy that we have; docs/engines/clusters.md says how they were
derived.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import digamma, gammaln

from inference.bow import Bow
from inference.engines import arena, defaults, moves, sparse
from inference.engines.batch import is_trained
from inference.engines.contract import About, Methods, Priors, TrainingCorpus
from inference.engines.settings import ResolvedPasses, Settings, prior_setting, resolved, setting
from inference.engines.sparse import UNITS
from inference.errors import number_of
from inference.kernels import clusters, rng
from inference.kernels.chunks import CHUNKS
from inference.kernels.minibatch import MinibatchWithCounts
from inference.references import entries
from inference.runtime.arrays import offsets_of_parts
from inference.topics import Theta, Topics

NAME = "clusters"
ABOUT = About(
    label="Clusters of documents",
    help=(
        "Gives each document one topic as a whole: for short texts about one thing each, or to sort"
        " documents into groups. Where texts are about several things, the default finds more."
    ),
    purpose="Sort whole documents into groups",
    source="Hughes and Sudderth 2016",
    papers=entries("hughes2016fast"),
    by_document=True,  # all words of a document go to its cluster
)

AT_ONCE = 1000  # documents, of what is done without a step


@dataclass(frozen=True)
class Config(Settings):
    """Settings of a run."""

    most: int = setting(
        "Clusters of a document",
        "L",
        "The most clusters in which a document can be, each with a probability. "
        "Documents of more than about fifty words are nearly always in one, whatever L is.",
        1,
        least=1,
    )
    alpha: float = prior_setting(
        "Cluster smoothing",
        "α",
        "Prior of all clusters together, in documents: small values leave clusters empty.",
        1.0,
    )
    eta: float | None = prior_setting(
        "Topic smoothing",
        "η",
        "Prior of each word in a cluster: with small values, rare words separate clusters.",
    )
    init: str = setting(
        "First clusters",
        "",
        "The documents of the first minibatch with which clusters start: chosen to differ from "
        "each other, or at random.",
        "diverse",
        choices={"diverse": "unlike documents", "random": "at random"},
    )
    moves: int = setting(
        "Merges and splits",
        "",
        "The most clusters that are split in two after each pass but the last, the largest "
        "first, if that raises the bound. If no cluster is empty, two similar ones become one.",
        10,
        least=0,
    )
    minibatch: int | None = setting(
        "Minibatch size", "|B|", "Number of documents between two updates of the clusters.", least=1
    )

    def resolve(self, documents: int, tokens: int) -> "Resolved":
        """With a value for all that was left open; docs/engines/clusters.md has the evidence."""
        return resolved(
            self,
            Resolved,
            passes=20,
            eta=0.2 if self.moves else 0.5,
            minibatch=min(max(documents, 1), max(20, 4 * self.topics, min(4096, documents // 16))),
        )


@dataclass(frozen=True, kw_only=True)
class Resolved(ResolvedPasses, Config):
    """Settings of which none is open."""

    eta: float


@dataclass(kw_only=True)
class State(arena.Rows):
    """All there is to checkpoint. `step` changes it in place.

    The rows hold whole numbers of 1 / UNITS tokens. documents: float64[K], N_k times UNITS.
    memory_clusters, memory_shares: uint16[D, min(L, K)], each document's last clusters and their
    shares times UNITS, all 0 before the first visit; without rows before the first step.
    """

    documents: np.ndarray
    memory_clusters: np.ndarray
    memory_shares: np.ndarray


def init(config: Resolved, corpus: TrainingCorpus, seed: int, scratch: Path | None = None) -> State:
    """lam = eta everywhere: the first step puts documents into the clusters
    (`_start_from_documents`)."""
    none = np.zeros((0, min(config.most, config.topics)), np.uint16)
    return State(
        **arena.empty(corpus.V, config.topics, np.float64),
        seed=seed,
        documents=np.zeros(config.topics),
        memory_clusters=none,
        memory_shares=none.copy(),
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
    """A state before the first step in which each document is in the cluster that has most of its
    tokens, the least of equals.

    topics: uint16[nnz], of the bag's pairs. held_out: int64[n], documents that give nothing.
    """
    state = init(config, corpus, seed, scratch)
    trained_on = np.flatnonzero(is_trained(bow.D, held_out) & (np.diff(bow.indptr) > 0))
    largest = np.empty(len(trained_on), np.int64)
    for i, d in enumerate(trained_on):
        pairs = slice(bow.indptr[d], bow.indptr[d + 1])
        largest[i] = np.bincount(topics[pairs], weights=bow.counts[pairs]).argmax()
    _make_memory(state, bow)
    reassign_documents(state, bow, trained_on, largest)
    return state


def _make_memory(state: State, bow: Bow) -> None:
    if not len(state.memory_clusters):
        shape = bow.D, state.memory_clusters.shape[1]
        state.memory_clusters = np.zeros(shape, np.uint16)
        state.memory_shares = np.zeros(shape, np.uint16)


def _start_from_documents(config: Resolved, state: State, bow: Bow, documents: np.ndarray) -> None:
    """Each cluster begins with a document of the first minibatch; with fewer documents than
    clusters some begin empty."""
    first_documents = sparse.first_documents(
        sparse.expand(bow, documents),
        config.topics,
        config.init == "diverse",
        state.seed,
        rng.CLUSTER,
    )
    reassign_documents(state, bow, documents[first_documents], np.arange(len(first_documents)))


def step(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, corpus: TrainingCorpus
) -> None:
    """One minibatch of memoized variational inference (003, section 3.3): its documents' clusters,
    then N and lam.

    documents: int64[n], numbers of the minibatch's documents.
    """
    state.t += 1
    documents = documents[bow.words_of(documents) > 0]
    if len(documents):
        _update(config, state, bow, documents)
    if (
        state.t % corpus.steps_per_pass == 0
        and state.t < config.passes * corpus.steps_per_pass
        and state.used
    ):
        merge_and_split(config, state, bow)


def _update(config: Resolved, state: State, bow: Bow, documents: np.ndarray) -> None:
    _make_memory(state, bow)
    if not state.used:
        _start_from_documents(config, state, bow, documents)
    batch = sparse.expand(bow, documents)
    state.tokens += int(batch.counts.sum())
    remembered = state.memory_clusters[documents], state.memory_shares[documents].astype(np.float64)
    new_clusters, new, _ = visit_documents(config, state, batch, *remembered)
    _remember(state, batch, documents, new_clusters, new)


def merge_and_split(config: Resolved, state: State, bow: Bow) -> None:
    """Merge and split clusters where that raises the bound (`moves`): the largest are split, each
    once at the most."""
    V = state.V
    K = config.topics
    priors = V, config.alpha / K, config.eta
    tried: set[int] = set()
    for _ in range(config.moves):
        rows = moves.rows_of(state, state.documents, 1.0 / UNITS)
        pairs = moves.best_merge(
            rows, state.memory_clusters, state.memory_shares, float(UNITS), *priors
        )
        if pairs and pairs[0][0] > 0.0:
            merge_clusters(state, bow, *pairs[0][1:])
            continue
        left = [k for k in range(K) if k not in tried and rows[k].documents > 1.0]
        if not left:
            return
        k = max(left, key=lambda cluster: (rows[cluster].documents, -cluster))
        tried.add(k)
        certain = np.flatnonzero(
            ((state.memory_clusters == k) & (state.memory_shares == UNITS)).any(axis=1)
        )
        key = rng.key(
            np.uint64(state.seed), np.uint64(rng.CLUSTER), np.uint64(state.t), np.uint64(k + 1)
        )
        gain, leave = moves.split(bow, certain, rows[k], *priors, np.uint64(key))
        least = moves.LEAST_GAIN * abs(moves.worth(rows[k], *priors))
        empty = np.flatnonzero(state.documents == 0.0)
        if len(empty) and gain > least:
            reassign_documents(state, bow, leave, np.full(len(leave), empty[0]))
            continue
        pair = next((pair for pair in pairs if k not in pair[1:]), None)
        if pair is not None and not len(empty) and gain + pair[0] > least:
            merge_clusters(state, bow, *pair[1:])
            reassign_documents(state, bow, leave, np.full(len(leave), pair[2]))


def merge_clusters(state: State, bow: Bow, a: int, b: int) -> None:
    """All that cluster b has goes to a: the documents' memory and the statistics."""
    documents = np.flatnonzero(
        ((state.memory_clusters == b) & (state.memory_shares > 0)).any(axis=1)
    )
    for first in range(0, len(documents), AT_ONCE):
        part_documents = documents[first : first + AT_ONCE]
        old_clusters = state.memory_clusters[part_documents]
        old = state.memory_shares[part_documents]
        has_either = ((old_clusters == a) | (old_clusters == b)) & (old > 0)
        column = has_either.argmax(axis=1)
        new_clusters = old_clusters.copy()
        new = np.where(has_either, 0, old)
        part_rows = np.arange(len(part_documents))
        new_clusters[part_rows, column] = a
        new[part_rows, column] = np.where(has_either, old, 0).sum(axis=1)
        _remember(state, sparse.expand(bow, part_documents), part_documents, new_clusters, new)


def reassign_documents(state: State, bow: Bow, documents: np.ndarray, chosen: np.ndarray) -> None:
    """Documents go to a cluster as a whole. documents: int64[n], numbers; chosen: int64[n], the
    cluster of each."""
    for first in range(0, len(documents), AT_ONCE):
        part_documents = documents[first : first + AT_ONCE]
        new_clusters, new = np.zeros(
            (2, len(part_documents), state.memory_clusters.shape[1]), np.uint16
        )
        new_clusters[:, 0] = chosen[first : first + AT_ONCE]
        new[:, 0] = UNITS
        _remember(state, sparse.expand(bow, part_documents), part_documents, new_clusters, new)


def _remember(
    state: State,
    batch: MinibatchWithCounts,
    documents: np.ndarray,
    new_clusters: np.ndarray,
    new: np.ndarray,
) -> None:
    """Replace documents' old statistics by the new. new: [n, L], times UNITS, of documents with
    words."""
    old_clusters = state.memory_clusters[documents]
    old = state.memory_shares[documents].astype(np.float64)
    state.memory_clusters[documents] = new_clusters
    state.memory_shares[documents] = new
    np.add.at(state.documents, new_clusters.ravel(), new.ravel())
    np.add.at(state.documents, old_clusters.ravel(), -old.ravel())
    document = np.repeat(np.arange(len(new)), np.diff(batch.doc_ptr))
    sparse.add(
        state,
        batch,
        new_clusters[document],
        new[document].astype(float),
        old_clusters[document],
        old[document],
    )


def _mean_log_shares(config: Resolved, N: np.ndarray) -> np.ndarray:
    """float64[K]: E[log pi_k] of the clusters' shares pi. N: float64[K], documents of each."""
    return digamma(N + config.alpha / config.topics) - digamma(N.sum() + config.alpha)


def _weights(
    config: Resolved, state: State, words: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(row_ptr, topics, above, prior, floor), as `clusters.visit` takes them."""
    V = state.V
    row_ptr = offsets_of_parts(state.length[words])
    topics, above = clusters.weigh(
        words, state.start, state.arena_topics, state.arena_values, 1.0 / UNITS, config.eta, row_ptr
    )
    return (
        row_ptr,
        topics,
        above,
        _mean_log_shares(config, state.documents / UNITS),
        digamma(config.eta) - digamma(V * config.eta + state.totals / UNITS),
    )


def visit_documents(
    config: Resolved,
    state: State,
    batch: MinibatchWithCounts,
    old_clusters: np.ndarray | None = None,
    old: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(clusters uint16[n, L], shares float64[n, L] times UNITS, objectives float64[n]) of
    `clusters.visit`, of the batch's n documents. old_clusters, old: what they had, as what comes
    back; None for nothing."""
    shape = len(batch.doc_ptr) - 1, min(config.most, config.topics)
    new_clusters = np.zeros(shape, np.uint16)
    new = np.zeros(shape)
    objectives = np.zeros(shape[0])
    if old is None or old_clusters is None:
        old_clusters = np.zeros_like(new_clusters)
        old = np.zeros_like(new)
    clusters.visit(
        batch.doc_ptr,
        batch.places,
        batch.counts,
        *_weights(config, state, batch.words),
        old_clusters,
        old,
        float(UNITS),
        new_clusters,
        new,
        objectives,
    )
    return new_clusters, new, objectives


def topics(config: Resolved, state: State) -> Topics:
    """E[beta]; a cluster without a document is not used."""
    used = state.documents > 0
    return arena.topics(state, 1.0 / UNITS, config.eta, used if used.any() else None)


def fold_in(config: Resolved, state: State, bow: Bow, first: int, end: int) -> Theta:
    """The clusters of the documents first … end - 1, with their shares: p(k | d) over the L
    likeliest."""
    likeliest, shares, _ = visit_documents(config, state, sparse.expand(bow, np.arange(first, end)))
    order = np.argsort(
        -shares, axis=1, kind="stable"
    )  # clusters ascend, so the least of equals is first
    likeliest = np.take_along_axis(likeliest, order, 1)
    shares = np.take_along_axis(shares, order, 1)
    is_kept = shares > 0
    indptr = offsets_of_parts(is_kept.sum(axis=1))
    return Theta(
        first,
        indptr,
        likeliest[is_kept].astype(np.int32),
        (shares[is_kept] / UNITS).astype(np.float32),
    )


def bound(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, times: float = 1.0
) -> float:
    """The evidence lower bound of these documents (003, eqs. 18-24 and 35), but for their
    multinomial coefficients, at the present clusters and the shares that are remembered; those of a
    document that was not seen are made for it."""
    documents = np.asarray(documents, np.int64)
    documents = documents[bow.words_of(documents) > 0]
    N = state.documents / UNITS
    K = config.topics
    prior = _mean_log_shares(config, N)
    common = sparse.topics_bound(state, 1.0 / UNITS, config.eta)
    common += float(gammaln(config.alpha) - gammaln(config.alpha + N.sum()) - (N * prior).sum())
    common += float((gammaln(N + config.alpha / K) - gammaln(config.alpha / K)).sum())
    total = 0.0
    for first in range(0, len(documents), AT_ONCE):
        part_documents = documents[first : first + AT_ONCE]
        batch = sparse.expand(bow, part_documents)
        likeliest, shares, _ = visit_documents(config, state, batch)
        if len(state.memory_clusters):
            seen = state.memory_shares[part_documents].any(axis=1)
            likeliest[seen] = state.memory_clusters[part_documents][seen]
            shares[seen] = state.memory_shares[part_documents][seen]
        total += clusters.objectives_of(
            batch.doc_ptr,
            batch.places,
            batch.counts,
            *_weights(config, state, batch.words),
            likeliest,
            shares,
            float(UNITS),
        ).sum()
    return float(common + times * total)


def priors(config: Resolved, state: State | None) -> Priors:
    """alpha / K of each cluster, as it was set."""
    return Priors(np.full(config.topics, config.alpha / config.topics), config.eta)


continued = defaults.fewer_passes


def methods(settings: Mapping[str, Any]) -> Methods:
    """How clusters were inferred, with which priors and which L."""
    most_clusters = min(settings["most"], settings["topics"])
    topics = number_of(settings["topics"], "topic")
    clusters = number_of(most_clusters, "cluster")
    model = (
        "We trained a mixture of multinomials, in which each document as a whole has one topic,"
        f" with {topics} by memoized variational inference in which the posterior of a document has"
        f" at most {clusters} (Hughes and Sudderth 2016)."
    )
    priors = (
        f"The priors were α = {settings['alpha']:g} for all clusters together and η ="
        f" {settings['eta']:g} for each word of a cluster."
    )
    return Methods(f"{model} {priors}", ("hughes2016fast",))


def compiling_configs() -> list[Config]:
    """The usual settings; then random first documents."""
    return [
        Config(topics=2, minibatch=10, passes=3, most=2),
        Config(topics=2, minibatch=10, passes=1, init="random"),
    ]


# From one training on the State of the Union on a busy machine: not measured on an idle one.
# Seconds a token and pass, at so many clusters; more cost as this power of them, a guess. Entries
# of a word's row, at K = 100 and 100 tokens a word.
SWEEP = 0.1e-6
SWEEP_TOPICS = 50
SWEEP_POWER = 0.5
ENTRIES = 25
# Of `memory_bytes`: rows, which may be half empty and are copied when they are compacted; what a
# token of a minibatch takes for each of its clusters; what is remembered of a document for each of
# them, and how much more room that has than is needed; what a word takes, and a topic in each chunk
COPIES = 5
ENTRY_BYTES = 12
TOKEN_BYTES = 60
MEMORY_BYTES = 4
MEMORY_ROOM = 1.2
WORD_BYTES = 24
TOPIC_BYTES = 16


def seconds(config: Resolved, tokens: int) -> float:
    """A token costs what the entries of its word's row cost."""
    return tokens * config.passes * SWEEP * (config.topics / SWEEP_TOPICS) ** SWEEP_POWER


def memory_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """Rows of 12 bytes an entry, in an arena that may be half empty and is copied when it is
    compacted; a document's clusters; the rows that a minibatch makes."""
    L = min(config.most, config.topics)
    entries = min(config.topics, arena.usual_entries(ENTRIES * L, config.topics, corpus))
    in_rows = COPIES * ENTRY_BYTES * max(corpus.V * entries, arena.FIRST_ENTRIES)
    of_minibatch = TOKEN_BYTES * (corpus.tokens / corpus.steps_per_pass) * L
    of_documents = MEMORY_BYTES * L * MEMORY_ROOM * corpus.trained_documents
    of_words = WORD_BYTES * corpus.V
    of_chunks = CHUNKS * TOPIC_BYTES * config.topics
    return int(in_rows + of_minibatch + of_documents + of_words + of_chunks)
