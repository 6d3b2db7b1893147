"""Which words distinguish topics: Termite's choice of words for a table of topics."""

import numpy as np

from inference.runtime.jit import njit


def saliency(
    ptr: np.ndarray,
    topics: np.ndarray,
    tokens: np.ndarray,
    of_topics: np.ndarray,
    column_of_topic: np.ndarray,
) -> np.ndarray:
    """p(w) sum_k p(k|w) log(p(k|w) / p(k)), in nats: how much a word's being met says of the topic
    (Chuang et al. 2012, eq. 2).

    ptr: int64[V + 1], topics: uint16 and tokens: int64, of each word the topics that hold some of
    it and how many tokens. of_topics: int[K], all tokens of each topic. column_of_topic: int32[K],
    the topic that each is counted as. Returns float64[V], 0 for a word that is spread as the topics
    are."""
    column_of_topic = np.asarray(column_of_topic, np.int32)
    return _saliency(
        ptr,
        topics,
        tokens,
        np.bincount(column_of_topic, weights=of_topics, minlength=len(column_of_topic)),
        column_of_topic,
    )


@njit(cache=True, nogil=True)
def _saliency(ptr, topics, tokens, of_topics, column_of_topic):
    """float64[V]: see `saliency`. ptr: int64[V + 1], topics: uint16, tokens: int64. of_topics:
    float64[K], tokens of what topics are counted as; column_of_topic: int32[K], what each is."""
    saliencies = np.zeros(len(ptr) - 1)
    total = of_topics.sum()
    share_of_topic = np.zeros(len(of_topics))
    touched = np.empty(len(of_topics), np.int64)
    for w in range(len(saliencies)):
        m = 0
        all_of = 0.0
        for j in range(ptr[w], ptr[w + 1]):
            k = column_of_topic[topics[j]]
            if share_of_topic[k] == 0.0:
                touched[m] = k
                m += 1
            share_of_topic[k] += tokens[j]
            all_of += tokens[j]
        for k in touched[:m]:
            saliencies[w] += (
                share_of_topic[k]
                * np.log(share_of_topic[k] * total / (all_of * of_topics[k]))
                / total
            )
            share_of_topic[k] = 0.0
    return saliencies
