"""The first passes of a training by sampling: topics that begin as documents and learn by OPE.

lambda = eta + the words of one document a topic, rare words with more weight than common ones; then
Online-OPE (Than and Doan 2015; Than and Ho 2015, eqs. 17-19) with beta = lambda / sum lambda, by
the kernels of the engine fw. At the end each token draws its topics from phi, and sampling
continues from these.
"""

import math
from typing import NamedTuple

import numba
import numpy as np

from inference import rarity
from inference.bow import Bow
from inference.engines import arena
from inference.engines.batch import expand, keys as keys_of
from inference.engines.concepts import SeedCompany
from inference.engines.contract import TrainingCorpus
from inference.engines.sharing import Message, narrow_topics
from inference.engines.step_sizes import rho
from inference.errors import Invalid
from inference.kernels import frank_wolfe, merge, rng, rows, seeds
from inference.kernels.chunks import chunk_bounds
from inference.kernels.minibatch import Minibatch
from inference.runtime.arrays import offsets_of_parts

OPE_ITERATIONS = 20  # L: steps of OPE for a document
OPE_ALPHA_SUM = 1.0  # alpha of OPE, of all topics together
# Tokens: eta of OPE, of all topics together; of one it is a K-th of that, but V eta is at most
# MOST_ETA_SHARE of a topic's equal share of the tokens, and eta at least LEAST_ETA_RATIO times that
# of the sampling that follows
OPE_ETA_SUM = 3.0
MOST_ETA_SHARE = 0.04
LEAST_ETA_RATIO = 1 / 2
# Topics: from so many on they begin with documents that are unlike each other
FEWEST_TOPICS_UNLIKE = 100
# Shared words that are looked at in the search for these: with each candidate that is tried, in
# each document the part of its words that the candidate has, too
MOST_SHARED_WORDS = 400_000_000
SHARED_WORDS_PART = 1 / 8
DOCUMENTS_PER_TOPIC = 7  # at the least: with fewer, random ones were better
CANDIDATES_PER_TOPIC = 2  # documents among which a topic's is searched, at the least
# A start by more topics than are asked for, so many times as many, of which the nearest are joined
# before training begins: up to so many in all, as each pair of them is compared
JOINED_PER_TOPIC = 4
MOST_JOINED_TOPICS = 2000
# They learn from a sample of about so many tokens, so that the first step of a large collection
# takes no longer than some seconds; with so many documents for each at the least
SAMPLED_TOKENS = 1_500_000
SAMPLED_DOCUMENTS_PER_TOPIC = 4
SAMPLE_MINIBATCHES = 32  # one document each where the sample has fewer
NO_TOPICS = np.zeros(0, np.int64)


class StepSizes(NamedTuple):
    """The step size of step t is (tau0 + t)^-kappa, see step_sizes.rho."""

    kappa: float = 0.6
    tau0: float = 1.0


class Inferred(NamedTuple):
    """A minibatch's rows, and the results of `frank_wolfe.infer` for its documents."""

    rows: frank_wolfe.MinibatchRows
    floor: np.ndarray
    theta: frank_wolfe.MinibatchTheta
    factors: np.ndarray


def eta(topics: int, bow: Bow, after: float) -> float:
    """eta as long as OPE lasts. bow: of all documents. after: eta of the sampling that follows."""
    return max(
        min(OPE_ETA_SUM, MOST_ETA_SHARE * bow.tokens / max(bow.V, 1)) / topics,
        LEAST_ETA_RATIO * after,
    )


def begin(
    state: arena.Rows,
    bow: Bow,
    corpus: TrainingCorpus,
    key: int,
    free: np.ndarray | None = None,
    company: SeedCompany | None = None,
    joined: bool = False,
) -> None:
    """The rows as one document a topic, its words weighted by log((D + 1) / documents with the
    word). With FEWEST_TOPICS_UNLIKE topics or more the documents are unlike each other, and each
    topic begins with as many tokens as a document has on average. bow: of all documents. key: a
    random stream. free: int64[n], the topics that begin so, ascending; None: all of them. company:
    what the others begin with instead; words weigh less for topics that begin as documents. joined:
    by `begin_joined`."""
    documents, _ = rows.occurrences(bow.words, bow.counts, bow.V)
    weights = rarity.inverse_frequency(documents, bow.D)
    K = len(state.totals)
    if free is not None:
        K = len(free)
    if company is not None:
        weights *= company.left
    random = arena.candidates(bow, corpus, key)
    if joined and K:
        begin_joined(state, bow, random, weights, key, np.arange(K) if free is None else free)
    else:
        _begin_as_documents(state, bow, random, weights, K, key, free)
    if company is not None:
        arena.add(state, company.words, company.topics, company.tokens)


def _begin_as_documents(
    state: arena.Rows,
    bow: Bow,
    documents: np.ndarray,
    weights: np.ndarray,
    K: int,
    key: int,
    free: np.ndarray | None,
) -> None:
    """K topics as a document each: unlike ones, where there are enough topics and documents for
    that. documents: in a random order."""
    searched = _searched(bow, documents, K)
    if (
        K < FEWEST_TOPICS_UNLIKE
        or len(documents) < DOCUMENTS_PER_TOPIC * K
        or len(searched) < CANDIDATES_PER_TOPIC * K
    ):
        arena.from_documents(state, bow, documents[:K], weights, numbers=free)
        return
    diverse = unlike(bow, searched, weights, K, key)
    arena.from_documents(state, bow, diverse, weights, bow.tokens / bow.D, free)


def check_joined(topics: int, documents: int) -> None:
    """Raises Invalid where there are not as many documents as topics are joined. documents: of the
    corpus; those that are held out or without words are left out of the start later."""
    needed = JOINED_PER_TOPIC * topics
    if documents < needed:
        raise Invalid(
            "start",
            f"A start from joined topics needs {needed:,} documents for {topics:,} topics, and there"
            f" are {documents:,}. Start from documents, or ask for fewer topics.",
        )


def begin_joined(
    state: arena.Rows,
    bow: Bow,
    documents: np.ndarray,
    weights: np.ndarray,
    key: int,
    numbers: np.ndarray,
) -> None:
    """The rows of some topics as JOINED_PER_TOPIC times as many topics, or one a document where
    there are fewer, that each began as a document and learned by OPE from a sample, of which the
    nearest were joined until K were left: a subject that no document of a start has is rarer among
    more, and one that several have is joined again. documents: int[n], those that may be begun
    with; weights: float64[V], of the words; key: of kernels.rng; numbers: int[K], of the topics."""
    K = len(numbers)
    finer_topics = min(JOINED_PER_TOPIC * K, len(documents))
    finer = arena.Scaled(seed=0, **arena.empty(bow.V, finer_topics))
    first = _first_documents(bow, documents, weights, finer_topics, key)
    arena.from_documents(finer, bow, first, weights, bow.tokens / bow.D)
    _learn_from_sample(finer, bow, documents, key)
    topics, values = finer.entries()
    words = np.repeat(np.arange(bow.V), finer.length)
    tokens = finer.pi * values.astype(np.float64)
    has_tokens = tokens > 0.0
    words = words[has_tokens]
    topics = topics[has_tokens]
    tokens = tokens[has_tokens]
    indptr = offsets_of_parts(np.bincount(words, minlength=bow.V))
    totals = np.bincount(topics, tokens, finer_topics)
    groups = merge.join_nearest(indptr, topics.copy(), tokens.copy(), totals, K)
    arena.fill(state, words, numbers[groups[topics]], tokens)


def _first_documents(
    bow: Bow, documents: np.ndarray, weights: np.ndarray, K: int, key: int
) -> np.ndarray:
    """K documents, unlike each other where the search for them is large enough to tell."""
    searched = _searched(bow, documents, K)
    if len(searched) < CANDIDATES_PER_TOPIC * K:
        return documents[:K]
    return unlike(bow, searched, weights, K, key)


def _searched(bow: Bow, documents: np.ndarray, K: int) -> np.ndarray:
    """The first of these documents, so that choosing K of them takes no longer than some passes: a
    candidate costs a look at each document and the words that it shares."""
    tried = max(K, 1) * (2 + math.log(max(K, 1))) * (1 + SHARED_WORDS_PART * len(bow.words) / bow.D)
    return documents[: int(MOST_SHARED_WORDS / tried)]


def _learn_from_sample(finer: arena.Scaled, bow: Bow, documents: np.ndarray, key: int) -> None:
    """Online-OPE on the first of these documents. key: a random stream."""
    n = len(finer.totals)
    sample = documents[
        : max(int(SAMPLED_TOKENS * bow.D / bow.tokens), SAMPLED_DOCUMENTS_PER_TOPIC * n)
    ]
    finer_eta = eta(n, bow, 0.0)
    minibatches = min(SAMPLE_MINIBATCHES, len(sample))
    for t, minibatch in enumerate(np.array_split(sample, minibatches), 1):
        batch = expand(bow, minibatch)
        streams = keys_of(key, rng.OPE, t, minibatch)
        inferred = infer(finer, finer.pi, finer_eta, batch, streams)
        size = finer.fade(rho(StepSizes(), t))
        learn(finer, finer.pi, batch, inferred, size * len(documents) / len(minibatch))


def unlike(bow: Bow, documents: np.ndarray, weights: np.ndarray, K: int, key: int) -> np.ndarray:
    """int[K]: K of these documents that are as unlike each other as they come, words weighted as in
    what topics begin with; where the search gives fewer, the first of the others. documents:
    int[n]; weights: float64[V]; key: of kernels.rng."""
    batch = expand(bow, documents)
    counts = seeds.weighted_counts(
        batch.doc_ptr, batch.places, batch.token_ptr, weights[batch.words]
    )
    threads = numba.get_num_threads()
    chosen_places = seeds.diverse(
        batch.doc_ptr, batch.places, counts, len(batch.words), K, np.uint64(key), threads
    )
    chosen_documents = documents[chosen_places]
    if len(chosen_documents) == K:
        return chosen_documents
    left = documents[~np.isin(documents, chosen_documents)]
    return np.append(chosen_documents, left[: K - len(chosen_documents)])


def infer(
    state: arena.Rows,
    unit: float,
    eta: float,
    batch: Minibatch,
    keys: np.ndarray,
    empty: np.ndarray = NO_TOPICS,
) -> Inferred:
    """theta of a minibatch's documents. unit: of the rows' values, in tokens. keys: uint64[n], a
    random stream for each document. empty: int64[e], topics that have no tokens and get none."""
    K = len(state.totals)
    n = len(batch.doc_ptr) - 1
    gathered, floor = _gather(state, unit, eta, batch.words, empty)
    method = frank_wolfe.Method(
        kind=frank_wolfe.OPE,
        step=frank_wolfe.SAFE,
        iterations=OPE_ITERATIONS,
        prior_weight=1.0 - OPE_ALPHA_SUM / K,
        tolerance=0.0,
        final=False,
        form=frank_wolfe.AUTOMATIC,
    )
    theta = frank_wolfe.MinibatchTheta.empty(np.arange(n + 1) * _most_vertices(K))
    factors = np.empty(len(batch.places), np.float32)
    frank_wolfe.infer(
        batch, gathered, floor, method, keys, theta, factors, np.zeros(n), np.zeros(n)
    )
    return Inferred(gathered, floor, theta, factors)


def _gather(
    state: arena.Rows, unit: float, eta: float, words: np.ndarray, empty: np.ndarray
) -> tuple[frank_wolfe.MinibatchRows, np.ndarray]:
    """The rows of some words, and the floor of their topics: float32[K]."""
    mass = state.V * eta + np.maximum(unit * state.totals, 0.0)
    floor = np.maximum(eta / mass, frank_wolfe.LEAST_FLOOR).astype(np.float32)
    floor[empty] = frank_wolfe.LEAST_FLOOR
    return frank_wolfe.gather(words, state.arena, unit / mass, floor, False), floor


def draw(batch: Minibatch, inferred: Inferred, columns: int, keys: np.ndarray) -> np.ndarray:
    """Topics of a minibatch's tokens, drawn from phi: uint16[N, columns]. keys: uint64[n], a random
    stream for each document."""
    return frank_wolfe.draw(batch, inferred.rows, inferred.floor, inferred.theta, keys, columns)


def learn(
    state: arena.Rows, unit: float, batch: Minibatch, inferred: Inferred, weight: float
) -> None:
    """Add a minibatch's statistics to the rows, times `weight`. unit: of the rows' values, in
    tokens."""
    word_ptr, doc_of, factors = rows.pairs_by_word(
        batch.doc_ptr, batch.places, len(batch.words), inferred.factors, numba.get_num_threads()
    )
    pairs = _in_order(batch.words, word_ptr, doc_of, factors)
    change = _change(state, unit, inferred.floor, weight)
    blended = frank_wolfe.blend(
        pairs, inferred.theta, inferred.rows, change, state.arena, state.totals
    )
    arena.put(state, batch.words, *blended)


def _in_order(
    words: np.ndarray, word_ptr: np.ndarray, documents: np.ndarray, factors: np.ndarray
) -> frank_wolfe.PairsByWord:
    """The pairs of words that are in order already."""
    order = np.arange(len(documents), dtype=np.int32)
    return frank_wolfe.PairsByWord(
        words=words,
        word_ptr=word_ptr,
        pairs=order,
        documents=documents,
        tokens=np.empty(0, np.int64),
        factors=factors,
    )


def _change(state: arena.Rows, unit: float, floor: np.ndarray, weight: float) -> frank_wolfe.Change:
    K = len(state.totals)
    return frank_wolfe.Change(
        floor=floor,
        unit=np.full(K, weight / unit),
        keep=np.ones(K),
        drop_below=np.full(K, frank_wolfe.dropped(K) / unit),
        credits=False,
    )


def message_of_documents(inferred: Inferred, K: int) -> Message:
    """What other processes must know of a process's documents to add their statistics: sizes,
    topics, theta, rests, factors."""
    _, topics, theta, sizes, rests = inferred.theta
    used = np.arange(_most_vertices(K)) < sizes[:, None]
    flat = [array.reshape(-1, _most_vertices(K))[used] for array in (topics, theta)]
    return sizes, narrow_topics(flat[0], K), flat[1], rests, inferred.factors


def _most_vertices(K: int) -> int:
    return min(K, OPE_ITERATIONS + 1)


class Received(NamedTuple):
    """A whole minibatch's theta, of `frank_wolfe.infer`, and the factors, as the processes sent
    them, one after the other. first: int64[n], of each document the place of its first factor."""

    theta: frank_wolfe.MinibatchTheta
    first: np.ndarray
    factors: np.ndarray


def heard(messages: list[Message], owner: np.ndarray, pairs: np.ndarray) -> Received:
    """messages: of `message_of_documents`, by process. owner: int64[n], the process of each
    document; pairs: int64[n], how many it has."""
    sizes, topics, theta, rests, factors = (
        np.concatenate(arrays) for arrays in zip(*messages, strict=True)
    )
    order = np.argsort(owner, kind="stable")
    document_places = np.argsort(order)  # of each document in the messages
    starts, first = (
        offsets_of_parts(lengths)[document_places] for lengths in (sizes, pairs[order])
    )
    return Received(
        frank_wolfe.MinibatchTheta(
            starts=starts,
            topics=topics.astype(np.int32),
            weights=theta,
            sizes=sizes[document_places],
            rests=rests[document_places],
        ),
        first,
        factors,
    )


def learned_run(
    state: arena.Rows,
    before: float,
    eta: float,
    bow: Bow,
    documents: np.ndarray,
    received: Received,
    unit: float,
    weight: float,
    runs: tuple[int, int],
    empty: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """`learn` for some of a minibatch's runs of words, without putting the rows into the arena:
    (words, indptr, sizes, topics, values, added), for `together.packed`. before, eta, empty: what
    `infer` had as unit, eta and empty. documents: int64[n], of the whole minibatch."""
    words, word_ptr = rows.words_of(documents, bow.indptr, bow.words, bow.V)
    bounds = chunk_bounds(word_ptr)[runs[0] : runs[1] + 1]
    words = words[bounds[0] : bounds[-1]]
    word_ptr = word_ptr[bounds[0] : bounds[-1] + 1] - word_ptr[bounds[0]]
    doc_of, factors = rows.pairs_of(
        documents, bow.indptr, bow.words, words, word_ptr, received.first, received.factors
    )
    gathered, floor = _gather(state, before, eta, words, empty)
    blended = frank_wolfe.blended(
        bounds - bounds[0],
        _in_order(words, word_ptr, doc_of, factors),
        received.theta,
        gathered,
        _change(state, unit, floor, weight),
        state.arena,
    )
    return words, *blended
