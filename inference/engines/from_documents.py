"""The first passes of a training by sampling: topics that begin as documents and learn by OPE.

lambda = eta + the words of one document a topic, rare words with more weight than common ones; then Online-OPE (Than
and Doan 2015; Than and Ho 2015, eqs. 17-19) with beta = lambda / sum lambda, by the kernels of the engine fw. At the
end each token draws its topics from phi, and sampling continues from these.
"""

from typing import NamedTuple

import numpy as np

from inference.bow import Bow
from inference.engines import arena
from inference.engines.batch import Batch
from inference.engines.contract import Message, Shape
from inference.kernels import frank_wolfe, rows
from inference.kernels.gibbs import shares

ITERATIONS = 20  # L: steps of OPE for a document
ALPHA = 1.0  # over K: of OPE
# eta of OPE: ETA / K, where V eta is at most WEIGHT of a topic's equal share of the tokens; at least LEAST_ETA times the
# eta that sampling has
ETA, WEIGHT, LEAST_ETA = 3.0, 0.04, 1 / 2
COUNTED = 1 << 24  # pairs at a time
LEAST_FLOOR = 1e-30  # of beta in float32


class StepSizes(NamedTuple):
    """Of `settings.rho`."""

    kappa: float = 0.6
    tau0: float = 1.0


class Inferred(NamedTuple):
    """A minibatch's rows, of `frank_wolfe.gather`, and what `frank_wolfe.infer` says of its documents."""

    rows: tuple[np.ndarray, ...]  # row_ptr, topics, above
    even: np.ndarray
    floor: np.ndarray
    theta: tuple[np.ndarray, ...]  # room, support_topics, support_theta, sizes, rests
    factors: np.ndarray


def eta(topics: int, bow: Bow, after: float) -> float:
    """eta as long as OPE lasts. bow: of all documents. after: eta of the sampling that follows."""
    return max(min(ETA, WEIGHT * bow.tokens / max(bow.V, 1)) / topics, LEAST_ETA * after)


def begin(state: arena.Rows, bow: Bow, shape: Shape, key: int) -> None:
    """The rows as one document a topic, its words weighted by log((D + 1) / documents with the word). key: a random
    stream."""
    documents = np.zeros(bow.V, np.int64)
    for first in range(0, len(bow.words), COUNTED):
        documents += np.bincount(bow.words[first : first + COUNTED], minlength=bow.V)
    arena.from_documents(state, bow, shape, key, np.log((bow.D + 1) / np.maximum(documents, 1)))


def infer(state: arena.Rows, unit: float, eta: float, batch: Batch, keys: np.ndarray) -> Inferred:
    """theta of a minibatch's documents. unit: of the rows' values, in tokens. keys: uint64[n], a random stream for each
    document."""
    K, n = len(state.totals), len(batch.doc_ptr) - 1
    (row_ptr, topics, above), even, floor, first = _gather(state, unit, eta, batch.words)
    out = frank_wolfe.outputs(np.arange(n + 1) * _room(K), len(batch.places))
    frank_wolfe.infer(
        batch.doc_ptr, batch.places, batch.token_ptr, row_ptr, topics, above, even, first, floor, frank_wolfe.OPE,
        frank_wolfe.SAFE, ITERATIONS, 1.0 - ALPHA / K, 0.0, keys, frank_wolfe.AUTOMATIC, False, *out,
    )  # fmt: skip
    return Inferred((row_ptr, topics, above), even, floor, out[:5], out[5])


def _gather(
    state: arena.Rows, unit: float, eta: float, words: np.ndarray
) -> tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray, np.ndarray]:
    """(Inferred.rows, even, floor, no logs) of some words, by `frank_wolfe.gather`."""
    mass = len(state.start) * eta + np.maximum(unit * state.totals, 0.0)
    floor = np.maximum(eta / mass, LEAST_FLOOR).astype(np.float32)
    *gathered, even, first = frank_wolfe.gather(
        words, state.start, state.length, state.arena_topics, state.arena_values, unit / mass, floor, False
    )
    return tuple(gathered), even, floor, first


def draw(batch: Batch, inferred: Inferred, columns: int, keys: np.ndarray) -> np.ndarray:
    """Topics of a minibatch's tokens, drawn from phi: uint16[N, columns]."""
    return frank_wolfe.draw(  # type: ignore[call-arg]  # mypy can't count what is unpacked
        batch.doc_ptr, batch.places, batch.token_ptr, *inferred.rows, inferred.even, inferred.floor, *inferred.theta, keys,
        columns,
    )  # fmt: skip


def learn(state: arena.Rows, unit: float, batch: Batch, inferred: Inferred, weight: float) -> None:
    """Add a minibatch's statistics to the rows, times `weight`. unit: of the rows' values, in tokens."""
    word_ptr, pairs, _ = rows.by_word(batch.places, batch.token_ptr, len(batch.words))
    indptr, sizes, topics, values = frank_wolfe.blend(  # type: ignore[call-arg]  # mypy can't count what is unpacked
        batch.words, word_ptr, pairs, *_statistics(batch, inferred), *inferred.rows, *_weights(state, unit, inferred, weight),
        state.start, state.arena_values, state.totals,
    )  # fmt: skip
    arena.put(state, batch.words, indptr, sizes, topics, values)


def _statistics(batch: Batch, inferred: Inferred) -> tuple:
    """What `frank_wolfe.blend` asks of documents."""
    doc_of = np.repeat(np.arange(len(batch.doc_ptr) - 1, dtype=np.int32), np.diff(batch.doc_ptr))
    return doc_of, np.diff(batch.token_ptr), *inferred.theta, inferred.factors, False


def _weights(state: arena.Rows, unit: float, inferred: Inferred, weight: float) -> tuple[np.ndarray, ...]:
    """floor, unit, keep and drop_below of `frank_wolfe.blend`."""
    K = len(state.totals)
    return inferred.floor, np.full(K, weight / unit), np.ones(K), np.full(K, frank_wolfe.dropped(K) / unit)


def told(inferred: Inferred, K: int) -> Message:
    """What other processes must know of a process's documents to add their statistics: sizes, topics, theta, rests,
    factors."""
    _, topics, theta, sizes, rests = inferred.theta
    used = np.arange(_room(K)) < sizes[:, None]
    flat = [array.reshape(-1, _room(K))[used] for array in (topics, theta)]
    return sizes, flat[0].astype(np.uint16), flat[1], rests, inferred.factors


def _room(K: int) -> int:
    return min(K, ITERATIONS + 1)


def assembled(
    messages: list[Message], owner: np.ndarray, doc_ptr: np.ndarray, K: int
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Inferred.theta and Inferred.factors of a whole minibatch. messages: of `told`, by process. owner: int64[n], the process
    of each document. doc_ptr: int64[n + 1]."""
    n = len(owner)
    room, support_topics, support_theta, sizes, rests, factors, *_ = frank_wolfe.outputs(
        np.arange(n + 1) * _room(K), doc_ptr[-1]
    )
    pairs = np.repeat(owner, np.diff(doc_ptr))
    for rank, (own_sizes, topics, theta, own_rests, own_factors) in enumerate(messages):
        mine = owner == rank
        sizes[mine], rests[mine], factors[pairs == rank] = own_sizes, own_rests, own_factors
        used = np.zeros((n, _room(K)), bool)
        used[mine] = np.arange(_room(K)) < own_sizes[:, None]
        support_topics.reshape(-1, _room(K))[used], support_theta.reshape(-1, _room(K))[used] = topics, theta
    return (room, support_topics, support_theta, sizes, rests), factors


def learned_run(
    state: arena.Rows, before: float, eta: float, batch: Batch, theta: tuple[np.ndarray, ...], factors: np.ndarray, unit: float,
    weight: float, runs: tuple[int, int],
) -> tuple[np.ndarray, ...]:  # fmt: skip
    """`learn` for some of a minibatch's runs of words, without putting the rows into the arena: (words, indptr, sizes, topics,
    values, added), for `together.packed`. before, eta: unit and eta that `infer` had. theta, factors: of `assembled`."""
    word_ptr, pairs, _ = rows.by_word(batch.places, batch.token_ptr, len(batch.words))
    bounds = shares(word_ptr)[runs[0] : runs[1] + 1]
    first, end = bounds[0], bounds[-1]
    words = batch.words[first:end]
    gathered, even, floor, _ = _gather(state, before, eta, words)
    inferred = Inferred(gathered, even, floor, theta, factors)
    made = frank_wolfe.blended(  # type: ignore[call-arg]  # mypy can't count what is unpacked
        bounds - first, words, word_ptr[first : end + 1], pairs, *_statistics(batch, inferred), *inferred.rows,
        *_weights(state, unit, inferred, weight), state.start, state.arena_values,
    )  # fmt: skip
    return words, *made
