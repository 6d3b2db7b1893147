"""What engines with a dense array of topics share: values, [V, K], a row for each word; their
batches; and their results as `Topics` and `Theta`.

Expected tokens N_kw are scale times values[w, k], and totals, float64[K], are the sums of values by
topic. A topic's beta is Dirichlet(eta + N_k.) in most engines; where eta is 0, it is N_k. over its
sum.
"""

from dataclasses import dataclass

import numpy as np

from inference.bow import Bow
from inference.engines import batch as batches, contract
from inference.engines.step_sizes import PI_LEAST, Fading
from inference.kernels import rows, vb
from inference.kernels.chunks import CHUNKS
from inference.kernels.minibatch import MinibatchByWord
from inference.runtime.arrays import offsets_of_parts
from inference.runtime.memory import DOUBLE, SINGLE
from inference.topics import LISTED_TOKENS, Theta, Topics

# Tokens of a word from which on it is listed where, with LISTED_TOKENS, the median topic has more
# than FLOOR_MASS in its floor
LISTED_TOKENS_FLAT = 0.05
FLOOR_MASS = 0.05
# a topic is listed in a document that has at least this share of it, or where it is the largest
LISTED_SHARE = 0.005
# Of `memory_bytes`, in bytes. Of a word of a batch its number, where its pairs begin, and the
# logarithm of its row's scale; of a topic in a document gamma and theta in float64, and e in
# float32; of a pair its place, count and document, by document and by word, and what they are made
# from
WORD_BYTES = 24
DOCUMENT_TOPIC_BYTES = 20
PAIR_BYTES = 40
# Blocks that threads fill at once, as cores do; the words of a usual document's block
BLOCKS_AT_ONCE = 8
BLOCK_WORDS = 256


@dataclass(kw_only=True)
class State(contract.State, Fading):
    """pi: scale of the stored values. values: [V, K]; totals: float64[K], their sums by topic."""

    pi: float = 1.0
    values: np.ndarray
    totals: np.ndarray

    def count_parameters(self) -> int:
        """How many of the K x V parameters hold LISTED_TOKENS or more."""
        return count_listed(self.values, self.pi)

    def clear(self) -> None:
        """Let nothing be stored."""
        self.values[:] = 0.0
        self.totals[:] = 0.0

    def rescale(self) -> None:
        """Store all anew where the scale has become small."""
        if self.pi < PI_LEAST:
            vb.rescale(self.values, self.pi, self.totals)
            self.pi = 1.0


def batch_of(bow: Bow, documents: np.ndarray) -> MinibatchByWord:
    """The pairs of some documents. documents: int64[S]."""
    words, doc_ptr, slots, token_ptr = batches.expand(bow, documents)
    word_ptr, pairs, _ = rows.by_word(slots, token_ptr, len(words))
    document = np.repeat(np.arange(len(documents), dtype=np.int32), np.diff(doc_ptr))
    lengths = np.diff(token_ptr[doc_ptr]).astype(np.float64)
    return MinibatchByWord(
        words=words,
        doc_ptr=doc_ptr,
        places=slots,
        counts=np.diff(token_ptr).astype(np.float32),
        word_ptr=word_ptr,
        pairs=pairs,
        documents=document,
        lengths=lengths,
    )


def topics(values: np.ndarray, scale: float, eta: float, totals: np.ndarray) -> Topics:
    """E[beta] = (eta + N_kw) / (V eta + N_k), sparse: a word with less than LISTED_TOKENS in a
    topic is part of its floor, which is the mean of what such words have, so that no mass is lost.

    Where the floors of most topics hold more than FLOOR_MASS, words are listed down to
    LISTED_TOKENS_FLAT. A topic without any mass (eta is 0 and it has no tokens) is uniform.
    """
    result = _topics(values, scale, eta, totals, LISTED_TOKENS)
    if np.median(result.floor_mass) > FLOOR_MASS:
        result = _topics(values, scale, eta, totals, LISTED_TOKENS_FLAT)
    return result


def _topics(
    values: np.ndarray, scale: float, eta: float, totals: np.ndarray, at_least: float
) -> Topics:
    V, K = values.shape
    indptr, words, tokens = vb.list_values(values, scale, at_least)
    rows.sort_rows(indptr, words, tokens)
    of_topic = np.maximum(scale * totals, 0.0)
    topic = np.repeat(np.arange(K), np.diff(indptr))
    # at least what is listed: rounding may have made the running sum a little less
    norm = V * eta + np.maximum(of_topic, np.bincount(topic, weights=tokens, minlength=K))
    weights = ((eta + tokens) / norm[topic]).astype(np.float32)
    result = Topics.of_listed(indptr, words, weights, of_topic, V)
    is_whole = np.diff(indptr) == V
    result.floor[is_whole] = 0.0
    result.floor_mass[is_whole] = 0.0
    return result


def theta(gamma: np.ndarray, first: int, lengths: np.ndarray) -> Theta:
    """theta = gamma / sum(gamma) of consecutive documents, from number `first` on: topics of
    LISTED_SHARE or more, and the largest.

    gamma: float64[n, K]. lengths: [n], tokens; a document without any lists nothing.
    """
    share = gamma / gamma.sum(axis=1, keepdims=True)
    is_listed = share >= LISTED_SHARE
    is_listed[np.arange(len(gamma)), share.argmax(axis=1)] = True
    is_listed[np.asarray(lengths) == 0] = False
    document, topic = np.nonzero(is_listed)
    weights = share[document, topic]
    order = np.lexsort((topic, -weights, document))
    indptr = offsets_of_parts(is_listed.sum(axis=1))
    return Theta(first, indptr, topic[order].astype(np.int32), weights[order].astype(np.float32))


def count_listed(values: np.ndarray, scale: float) -> int:
    """How many parameters hold LISTED_TOKENS or more. scale: tokens that a stored value of 1 stands
    for; 0 where all have faded away."""
    if scale == 0.0:
        return 0
    return int(np.count_nonzero(values >= LISTED_TOKENS / scale))


def memory_bytes(V: int, K: int, S: int, pairs: int, words: int, copies: int = 1) -> int:
    """Bytes: arrays of V x K; what a batch takes of S documents with so many pairs and distinct
    words; and what the kernels' threads do. copies: how many arrays there are at the same time,
    with those that are made while topics are shown."""
    values = SINGLE * V * K * copies
    of_words = words * (SINGLE * K + WORD_BYTES)
    of_documents = S * DOCUMENT_TOPIC_BYTES * K
    of_pairs = PAIR_BYTES * pairs
    of_chunks = 2 * DOUBLE * CHUNKS * K  # sums by topic, and room for as many numbers
    block = min(vb.BLOCK, BLOCK_WORDS * (K + vb.LANES))
    blocks = BLOCKS_AT_ONCE * 2 * SINGLE * block  # each with its transpose
    return values + of_words + of_documents + of_pairs + of_chunks + blocks
