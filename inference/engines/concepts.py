"""What the texts say of topics that are named beforehand by seed words: which words occur with the
seeds more than by chance, and about how large the concept is that they stand for."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from inference.bow import Bow
from inference.engines.batch import is_trained
from inference.engines.contract import TrainingCorpus
from inference.runtime.arrays import ABOVE_ZERO

DEVIATIONS = 3.0  # standard deviations beyond which a word occurs with seeds more than by chance
# What a seed of one topic weighs in the documents that others begin with: hardly anything, but
# above 0
LEAST_WEIGHT = 1e-3


class SeedCompany(NamedTuple):
    """Words that occur with the seeds of topics more than by chance, with which these topics begin.
    words, topics: int64[n]; tokens: float64[n], for each topic at most an equal share of all
    tokens. left: float64[V], from LEAST_WEIGHT to 1, what a word weighs for all other topics."""

    words: np.ndarray
    topics: np.ndarray
    tokens: np.ndarray
    left: np.ndarray


class _Texts:
    """A bag of words. share: float64[V], of each word of all tokens. lengths: int64[D]."""

    def __init__(self, bow: Bow):
        counts = np.asarray(bow.counts, np.float64)
        self.counts = csr_array((counts, bow.words, bow.indptr), shape=(bow.D, bow.V))
        self.tokens = bow.word_tokens
        self.share = bow.word_tokens / max(bow.tokens, 1)
        self.lengths = bow.lengths

    def seed_weight(self, seeds: np.ndarray) -> np.ndarray:
        """float64[D]: what each document says of the concept that seeds stand for: its tokens that
        are seeds, times how many different seeds it has.

        Each seed weighs the same in all documents together, so that a frequent one does not
        outweigh the rare ones. One seed may be a word of another subject, too; several in one
        document hardly are."""
        of_seeds = self.counts[:, seeds]
        often = self.tokens[seeds].astype(np.float64)
        tokens = of_seeds @ (often.mean() / np.maximum(often, 1.0))
        different = np.diff(of_seeds.tocsr().indptr)
        return tokens * different

    def beyond_chance(self, weight: np.ndarray, seeds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(beyond, lift): float64[V] each. beyond: a word's tokens in documents, weighted by
        `weight`, beyond those that it would have by its share of the corpus; 0 where they are less
        than DEVIATIONS standard deviations of a Poisson variable beyond and it is no seed. lift:
        how many times as many tokens it has."""
        observed = self.counts.T @ weight
        expected = self.share * (weight @ self.lengths)
        spread = np.sqrt(self.share * (weight**2 @ self.lengths))
        beyond = np.maximum(observed - expected, 0.0)
        by_chance = beyond <= DEVIATIONS * spread
        by_chance[seeds] = False
        beyond[by_chance] = 0.0
        return beyond, observed / np.maximum(expected, ABOVE_ZERO)


def company(
    bow: Bow, corpus: TrainingCorpus, seed_words: np.ndarray, seed_topics: np.ndarray, topics: int
) -> SeedCompany:
    """The words that stand with the seeds of each topic, in documents that are trained on, each
    weighted by the seeds that it has.

    bow: of all documents. seed_words, seed_topics: int64[m]. topics: how many there are.
    """
    texts = _Texts(bow)
    trained = is_trained(bow.D, corpus.held_out_documents)
    left = np.ones(bow.V)
    words = [np.zeros(0, np.int64)]
    tokens = [np.zeros(0)]
    numbers = [np.zeros(0, np.int64)]
    for topic in np.unique(seed_topics):
        seeds = seed_words[seed_topics == topic]
        beyond, lift = texts.beyond_chance(trained * texts.seed_weight(seeds), seeds)
        near = np.flatnonzero(beyond)
        if not len(near):
            continue
        left[near] = np.minimum(left[near], lift[near] ** -2.0)
        total = min(bow.tokens / topics, beyond.sum())
        words.append(near)
        numbers.append(np.full(len(near), topic))
        tokens.append(beyond[near] * (total / beyond.sum()))
    left[seed_words] = LEAST_WEIGHT
    return SeedCompany(
        np.concatenate(words),
        np.concatenate(numbers),
        np.concatenate(tokens),
        np.maximum(left, LEAST_WEIGHT),
    )


def concept_tokens(
    bow: Bow, seed_words: np.ndarray, seed_topics: np.ndarray, topics: int
) -> np.ndarray:
    """float64[topics]: about how many tokens the concept has that a topic's seeds stand for: those
    of documents with a seed beyond what their words have by chance. 0 without seeds. seed_words,
    seed_topics: int[n], each seed and its topic."""
    texts = _Texts(bow)
    sizes = np.zeros(topics)
    for topic in np.unique(seed_topics):
        seeds = seed_words[seed_topics == topic]
        has_seed = (texts.seed_weight(seeds) > 0).astype(np.float64)
        beyond, _ = texts.beyond_chance(has_seed, seeds)
        sizes[topic] = beyond.sum()
    return sizes
