"""How rare a word is, by how many documents have it (its document frequency).

There are four rules, each for what it was measured with: none can take another's place without
other results. Documents are counted as the caller has them: rows of a bag of words, whole
documents, or pieces of texts.
"""

import numpy as np

# A word that no document of a sample has counts as being in one: its rarity is then the largest
# there is, not infinite
LEAST_DOCUMENTS = 1
# Documents that a word is expected in, at the least, where all counted words are in empty
# documents: a logarithm of 0 would be no number
LEAST_EXPECTED = 1e-9
FEWEST_SAMPLED = 2  # documents of a sample: the logarithm of one is 0, and no word would weigh


def at_least_one(documents: np.ndarray) -> np.ndarray:
    """How many documents have each word, LEAST_DOCUMENTS for none. documents: int[…]."""
    return np.maximum(documents, LEAST_DOCUMENTS)


def inverse_frequency(documents: np.ndarray, D: int) -> np.ndarray:
    """float64[V]: log((D + 1) / documents), for what topics begin with. A word that every document
    has weighs next to nothing, but more than 0: a document of such words alone has tokens, too.

    documents: int64[V], of D, that have each word.
    """
    return np.log((D + 1) / at_least_one(documents))


def inverse_frequency_in_sample(documents: np.ndarray, D: int) -> np.ndarray:
    """float64[V]: log(D / documents), for directions in which documents differ. A word that every
    document has weighs nothing: by it none differs.

    documents: int64[V], of the D documents of a sample, that have each word.
    """
    return np.log(max(D, FEWEST_SAMPLED) / at_least_one(documents))


def inverse_frequency_by_tokens(tokens: np.ndarray, D: int) -> np.ndarray:
    """float64[V]: log((1 + D) / (1 + documents)) + 1, as scikit-learn's, for features by which codes
    are predicted. A word that every document has still weighs 1, as a code may depend on how often.

    By tokens, at most one a document, where others count documents: tokens are the same whether a
    document is one row or several sections. tokens: float64[V], of each word in D documents.
    """
    return np.log((1 + D) / (1 + np.minimum(tokens, D))) + 1


def residual_inverse_frequency(expected: np.ndarray, documents: np.ndarray) -> np.ndarray:
    """float64[n]: log(expected / documents): how many times fewer documents have a word than would
    by chance (Church and Gale, "Inverse document frequency: a measure of deviations from Poisson",
    1995). About 0 for a word that tells nothing of its documents.

    expected: float64[n], documents that would have each word, were its tokens spread by chance.
    documents: int[n], that have it.
    """
    return np.log(np.maximum(expected, LEAST_EXPECTED) / at_least_one(documents))
