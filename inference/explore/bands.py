"""Confidence intervals of a topic's share in a group of documents: a period, a category, a set.

A share is the ratio of tokens, sum_d N_dk / sum_d N_d, over the group's documents. Another sample
of documents would give another share; the interval says how far it may differ. Documents are the
sampling unit, not tokens, as the words of a document depend on each other.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inference import documents
from inference.errors import Invalid
from inference.runtime.arrays import frozen
from inference.runtime.jit import njit
from inference.share_intervals import USUAL_LEVEL, Estimate, interval_of_documents
from inference.topic_sums import (
    LENGTH,
    MEASURES,
    MEASURES_OF_WORDED,
    NUMBER,
    PRODUCT,
    SQUARE,
    TOKENS,
    WORDED_DOCUMENTS,
    WORDED_SQUARES,
    WORDED_WORDS,
)

THIN = 10  # documents with words below which a group's share is not to be relied on


class Bands(NamedTuple):
    """share, low, high: float64[T, G], NaN for a group without words. documents: int64[G], those
    with words; tokens: int64[G], all of theirs. thin: bool[G], groups of fewer than THIN documents,
    the empty ones too.
    """

    share: np.ndarray
    low: np.ndarray
    high: np.ndarray
    documents: np.ndarray
    tokens: np.ndarray
    thin: np.ndarray


def shares(
    doc_ptr: np.ndarray,
    doc_topics: np.ndarray,
    doc_tokens: np.ndarray,
    lengths: np.ndarray,
    group: np.ndarray,
    G: int,
    topics: Sequence[int] | np.ndarray,
    *,
    column_of_topic: np.ndarray | None = None,
    level: float = USUAL_LEVEL,
) -> Bands:
    """The share of each topic asked for in each group, with an interval that holds it at `level`,
    group by group.

    doc_ptr: int64[D + 1]; doc_topics: uint16[m] and doc_tokens: int32[m], a document's topics and
    their tokens N_dk; lengths: int64[D], N_d; group: int32[D], 0 … G - 1, or -1 for a document that
    is in none. topics: [T], each once. column_of_topic: int32[K], the topic that each is counted
    as, for topics that were merged. One pass over the documents; memory is that of the sums, 40
    bytes for each topic and group, whatever the number of documents.

    The linearised variance of a ratio, n / (n - 1) sum_d (N_dk - r N_d)^2 / (sum_d N_d)^2 (Cochran
    1977, section 6.4), laid on the scale of the logit, so that the interval stays within 0 and 1,
    with Student's t for one less than the documents that have the topic: the others, all alike, say
    nothing of how it varies. In simulations with 2 to 2,000 documents a group the intervals of 95%
    hold 90% at worst. A bootstrap over documents says the same where documents are many, and holds
    78% at worst (docs/decisions/README.md, tests/inference/test_explore_bands.py).

    Where few documents have the topic, none, or all words are its, the ends are those of
    share_intervals.interval_of_documents. Raises Invalid for a level that is not in (0, 1).
    """
    totals, by_topic = _summed(
        None, doc_ptr, doc_topics, doc_tokens, lengths, group, G, topics, column_of_topic
    )
    return of_sums(totals[:G], by_topic[:, :G], by_topic.sum(axis=1), level)


def sums_of(
    members: np.ndarray,
    doc_ptr: np.ndarray,
    doc_topics: np.ndarray,
    doc_tokens: np.ndarray,
    lengths: np.ndarray,
    group: np.ndarray,
    G: int,
    topics: Sequence[int] | np.ndarray,
    column_of_topic: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(whole, by_topic) for `of_sums`, of some documents.

    members: int32[n]; group: int32[n], of each of them; else as in `shares`. whole: float64[G, 3],
    its columns those of inference.topic_sums for documents with words. by_topic: float64[T, G, 5],
    its columns topic_sums.MEASURES. Zeros for a group without documents.
    """
    totals, by_topic = _summed(
        members, doc_ptr, doc_topics, doc_tokens, lengths, group, G, topics, column_of_topic
    )
    return totals[:G], by_topic[:, :G]


def _summed(members, doc_ptr, doc_topics, doc_tokens, lengths, group, G, topics, column_of_topic):
    """What `_sums` gives, for arrays and topics as they come."""
    arrays = documents.arrays(doc_ptr, doc_topics, doc_tokens, lengths)
    group = frozen(group, np.int32)
    return _sums(
        *documents.looked_at(members),
        *arrays,
        group,
        _slots(np.asarray(topics, np.int64), column_of_topic),
        G,
        len(topics),
    )


def of_sums(
    of_groups: np.ndarray, by_topic: np.ndarray, everywhere: np.ndarray, level: float = USUAL_LEVEL
) -> Bands:
    """Shares and intervals by sums that were made before. of_groups: float64[G, 3], documents with
    words, sums of N_d and of N_d^2; by_topic: float64[T, G, 5] as in `_intervals`; everywhere:
    float64[T, 5], the same of all documents of the corpus."""
    if not 0 < level < 1:
        raise Invalid("level", f"level must be between 0 and 1, got {level}.")
    n = of_groups[:, WORDED_DOCUMENTS].astype(np.int64)
    tokens = of_groups[:, WORDED_WORDS].astype(np.int64)
    squares = of_groups[:, WORDED_SQUARES]
    typical = everywhere[:, TOKENS] / np.maximum(everywhere[:, LENGTH], 1.0)
    share, low, high = _intervals(n, tokens, squares, by_topic, typical[:, None], level)
    return Bands(share=share, low=low, high=high, documents=n, tokens=tokens, thin=n < THIN)


def _intervals(n, tokens, squares, by_topic, typical, level):
    """share, low, high: float64[T, G] each. by_topic: float64[T, G, 5], its columns
    topic_sums.MEASURES: sum (N_dk - r N_d)^2 needs no more from the documents without a topic than
    their N_d^2. typical: [T, 1], the share in those that have it, in the whole corpus.
    """
    holding = by_topic[:, :, NUMBER]
    topic_tokens = by_topic[:, :, TOKENS]
    products = by_topic[:, :, PRODUCT]
    n = np.broadcast_to(n, holding.shape)
    tokens = np.broadcast_to(tokens, holding.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = topic_tokens / tokens
        deviations = by_topic[:, :, SQUARE] - 2 * share * products + share**2 * squares
        variance = n / np.maximum(n - 1, 1) * np.maximum(deviations, 0.0)
        error = np.sqrt(variance) / tokens / (share * (1 - share))
        share_of_holders = np.where(holding > 0, topic_tokens / by_topic[:, :, LENGTH], 0.0)
    estimate = Estimate(
        share=share,
        error=error,
        df=np.maximum(holding - 1, 1),
        units=n,
        holding=holding,
        of_holders=np.maximum(typical, share_of_holders),
    )
    low, high = interval_of_documents(estimate, level)
    return share, low, high


def _slots(topics: np.ndarray, column_of_topic: np.ndarray | None) -> np.ndarray:
    """int32[2^16]: the row of each topic number, -1 for one that is not asked for."""
    slot = np.full(1 << 16, -1, np.int32)
    slot[topics] = np.arange(len(topics))
    if column_of_topic is not None:
        slot[: len(column_of_topic)] = slot[column_of_topic]
    return slot


@njit(cache=True, nogil=True)
def _sums(members, all_documents, doc_ptr, doc_topics, doc_tokens, lengths, group, slot, G, T):
    """(float64[G + 1, 3], float64[T, G + 1, 5]), the last group the documents that are in none.

    Of the documents with words their number and the sums of N_d and N_d^2; of those with a topic
    their number and the sums of N_dk, N_d, N_dk^2 and N_dk N_d. Sums of whole numbers, exact below
    2^53. members: int32, the documents that are looked at; all_documents: whether it is all,
    whatever `members` is. group: of each that is looked at."""
    totals = np.zeros((G + 1, MEASURES_OF_WORDED))
    by_topic = np.zeros((T, G + 1, len(MEASURES)))
    topic_tokens = np.zeros(T, np.int64)
    touched = np.empty(T, np.int64)
    for i in range(len(group)):
        d = i if all_documents else members[i]
        if lengths[d] == 0:
            continue
        g = group[i] if group[i] >= 0 else G
        length = float(lengths[d])
        totals[g, WORDED_DOCUMENTS] += 1.0
        totals[g, WORDED_WORDS] += length
        totals[g, WORDED_SQUARES] += length * length
        m = 0
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            k = slot[doc_topics[j]]
            if k >= 0:
                if topic_tokens[k] == 0:
                    touched[m] = k
                    m += 1
                topic_tokens[k] += doc_tokens[j]
        for k in touched[:m]:
            x = float(topic_tokens[k])
            topic_tokens[k] = 0
            row = by_topic[k, g]
            row[NUMBER] += 1.0
            row[TOKENS] += x
            row[LENGTH] += length
            row[SQUARE] += x * x
            row[PRODUCT] += x * length
    return totals, by_topic
