"""A token inherits its most probable topic, whatever else is new."""

import numpy as np

from inference import Bow, Snapshot, engines, fold_in, train
from inference.topics import Topics
from inference.warm_start import inherit
from tests.inference.corpora import planted

K = 4


def naive(topics: Topics, bow: Bow, column: np.ndarray, alpha: float) -> np.ndarray:
    beta = topics.dense()
    found = []
    for d in range(bow.D):
        span = slice(bow.indptr[d], bow.indptr[d + 1])
        words = column[bow.words[span]]
        counts = bow.counts[span]
        known = words >= 0
        theta = np.full(topics.K, 1 / topics.K)
        for _ in range(fold_in.ITERATIONS if known.any() else 0):
            p = theta[:, None] * beta[:, words[known]]
            theta = alpha + (p / p.sum(axis=0) * counts[known]).sum(axis=1)
            theta /= theta.sum()
        for j, w in enumerate(words):
            if w >= 0:
                found.append(int(np.argmax(theta * beta[:, w])))
            else:
                found.append(
                    int(np.argmax(theta))
                    if known.any()
                    else (d * 40503 + int(bow.words[span][j])) % topics.K
                )
    return np.array(found)


def test_it_is_the_naive_one_with_words_and_documents_that_are_new():
    bow, _ = planted(K, 60, 200, 40, seed=1)
    config = engines.config("ssi", topics=K, passes=5).resolve(bow.D, bow.tokens)
    topics = [
        event
        for event in train(engines.get("ssi"), config, bow, seed=1)
        if isinstance(event, Snapshot)
    ][-1].topics
    rng = np.random.default_rng(2)
    column = rng.permutation(bow.V).astype(np.int32)
    column[rng.random(bow.V) < 0.2] = -1  # words that the topics do not know
    found = inherit(topics, column, bow, 0.1)
    same = found == naive(topics, bow, column, 0.1)
    assert found.dtype == np.uint16 and len(found) == len(bow.words)
    assert same.mean() > 0.999  # a tie may be broken by the last bit


def test_of_equal_topics_a_word_has_the_first():
    """As the words of a corpus are assigned: here of a topic that lists the word, and one behind it
    that gives as much to every word."""
    weights = np.array([0.75, 0.25], np.float32)
    words = np.array([1, 0], np.int32)
    topics = Topics.of_listed(np.array([0, 2, 2]), words, weights, np.ones(2), 4)
    assert topics.floor.tolist() == [0.0, 0.25]
    bow = Bow(np.array([0, 1]), np.array([0]), np.array([3]), 4)
    assert inherit(topics, np.arange(4), bow, 0.1).tolist() == [0]


def test_of_the_same_words_it_finds_the_planted_topics_again():
    bow, _ = planted(K, 60, 200, 40, seed=3)
    config = engines.config("ssi", topics=K, passes=5).resolve(bow.D, bow.tokens)
    topics = [
        event
        for event in train(engines.get("ssi"), config, bow, seed=1)
        if isinstance(event, Snapshot)
    ][-1].topics
    found = inherit(topics, np.arange(bow.V, dtype=np.int32), bow, 0.1)
    weight = np.bincount(found, weights=bow.counts, minlength=K) / bow.tokens
    assert np.abs(weight - topics.share).max() < 0.1
