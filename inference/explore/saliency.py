"""Which words tell topics apart: Termite's choice of the words that a table of topics shows."""

import numpy as np


def saliency(tokens: np.ndarray, of_topics: np.ndarray) -> np.ndarray:
    """p(w) sum_k p(k|w) log(p(k|w) / p(k)), in nats: how much a word's being met says of the topic (Chuang et al. 2012,
    eq. 2).

    tokens: int[n, K], of some words in each topic. of_topics: int[K], all tokens of each topic. Returns float64[n], 0
    for a word that is spread as the topics are.
    """
    tokens, of_topics = np.asarray(tokens, np.float64), np.asarray(of_topics, np.float64)
    total = of_topics.sum()
    of_words = tokens.sum(axis=1, keepdims=True)
    expected = of_words * of_topics / total
    ratio = np.divide(tokens, expected, out=np.ones_like(tokens), where=tokens > 0)
    return (tokens * np.log(ratio)).sum(axis=1) / total
