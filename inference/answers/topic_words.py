"""The words of one topic as an outcome: of a document's tokens that are assigned to the topic,
those of each word. What is asked of it is asked of the topic's own words, however large the topic
is."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csc_matrix

from inference.answers.outcome import AmountTable
from inference.evidence import Evidence
from inference.runtime.arrays import offsets_of_parts

# Pairs of a word and a document, in all, that are held in memory: 12 bytes each
MOST_PAIRS = 50_000_000


def count(evidence: Evidence, topics: Sequence[int], words: Sequence[int]) -> AmountTable:
    """Tokens of each word that are assigned to some topics, in each document; the sizes are all
    tokens of the document that are. Words behind MOST_PAIRS are left out: the table may have fewer
    columns than words.

    topics: numbers that count as one, such as a topic and those merged into it; words: numbers, the
    most important first.
    """
    is_counted = np.zeros(evidence.K, bool)
    is_counted[list(topics)] = True
    documents_of_words = list[np.ndarray]()
    tokens_of_words = list[np.ndarray]()
    pairs = 0
    for word in words:
        documents, tokens, assigned, _ = evidence.word_topics.of_word(word)
        in_topic = np.flatnonzero(is_counted[assigned])
        pairs += len(in_topic)
        if documents_of_words and pairs > MOST_PAIRS:
            break
        documents_of_words.append(documents[in_topic])
        tokens_of_words.append(tokens[in_topic].astype(np.int32))
    lengths = [len(documents) for documents in documents_of_words]
    starts = offsets_of_parts(lengths)
    shape = (evidence.document_bow.D, len(lengths))
    nothing = np.zeros(0, np.int32)
    amounts = csc_matrix(
        (
            np.concatenate([nothing, *tokens_of_words]),
            np.concatenate([nothing, *documents_of_words]),
            starts,
        ),
        shape=shape,
    )
    amounts.sum_duplicates()  # a document has one pair for each of its sections
    return AmountTable(amounts, evidence.mixtures.tokens_held(list(topics)).astype(float))
