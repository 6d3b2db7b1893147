"""Kernels of the senses of a word: its pairs by topic and group, in order, and the words near
them."""

import numpy as np

from inference.runtime.jit import njit


@njit(cache=True)
def tally(documents, counts, topics, group, G, K):
    """Tokens, and documents, of each topic in each group: int64[G, K] twice. group: int32[D], -1
    for none, or an empty array where all are in one. documents: int32, ascending; one may come more
    than once."""
    tokens = np.zeros((G, K), np.int64)
    occurrences = np.zeros((G, K), np.int64)
    last = np.full(K, -1, np.int64)
    for i in range(len(documents)):
        g = 0 if len(group) == 0 else group[documents[i]]
        if g >= 0:
            tokens[g, topics[i]] += counts[i]
            occurrences[g, topics[i]] += documents[i] != last[topics[i]]
            last[topics[i]] = documents[i]
    return tokens, occurrences


@njit(cache=True)
def ordered(keys, highest):
    """Places of `keys`, 0 to highest, from the smallest on; equal ones keep their order. int64[n].
    A counting sort."""
    at = np.zeros(highest + 2, np.int64)
    for key in keys:
        at[key + 1] += 1
    for key in range(highest + 1):
        at[key + 1] += at[key]
    order_of_keys = np.empty(len(keys), np.int64)
    for i in range(len(keys)):
        order_of_keys[at[keys[i]]] = i
        at[keys[i]] += 1
    return order_of_keys


@njit(cache=True)
def near(ptr, documents, topics, into, indptr, words, given, V):
    """How many documents of each sense have each word: (words int32[U], own int32[S, U], all
    int32[S, U]).

    The documents of sense s are documents[ptr[s]:ptr[s + 1]], its topic is topics[s]. The
    second array counts those where the word belongs to the sense's own topic, the third those where
    it belongs to any. U: words of these documents. indptr, words, given: the bag of words, and its
    pairs' topics.
    """
    column_of_word = np.full(V, -1, np.int32)
    U = 0
    for i in range(len(documents)):
        for j in range(indptr[documents[i]], indptr[documents[i] + 1]):
            if column_of_word[words[j]] < 0:
                column_of_word[words[j]] = U
                U += 1
    S = len(topics)
    neighbours = np.empty(U, np.int32)
    own_documents = np.zeros((S, U), np.int32)
    all_documents = np.zeros((S, U), np.int32)
    for s in range(S):
        for i in range(ptr[s], ptr[s + 1]):
            for j in range(indptr[documents[i]], indptr[documents[i] + 1]):
                u = column_of_word[words[j]]
                neighbours[u] = words[j]
                all_documents[s, u] += 1
                own_documents[s, u] += into[given[j]] == topics[s]
    return neighbours, own_documents, all_documents


@njit(cache=True)
def count_documents(ptr, documents, indptr, words, V):
    """How many documents of each sample have each word: (words int32[U], documents int32[S, U]).

    The documents of sample s are documents[ptr[s]:ptr[s + 1]]; no document is in two of them. U:
    words of these documents. indptr, words: the bag of words, in which a document may have several
    pairs of a word.
    """
    column_of_word = np.full(V, -1, np.int32)
    U = 0
    for i in range(len(documents)):
        for j in range(indptr[documents[i]], indptr[documents[i] + 1]):
            if column_of_word[words[j]] < 0:
                column_of_word[words[j]] = U
                U += 1
    S = len(ptr) - 1
    distinct_words = np.empty(U, np.int32)
    counts = np.zeros((S, U), np.int32)
    last_document = np.full(U, -1, np.int64)
    for s in range(S):
        for i in range(ptr[s], ptr[s + 1]):
            for j in range(indptr[documents[i]], indptr[documents[i] + 1]):
                u = column_of_word[words[j]]
                if last_document[u] != documents[i]:
                    last_document[u] = documents[i]
                    distinct_words[u] = words[j]
                    counts[s, u] += 1
    return distinct_words, counts
