"""Kernels of the evidence: which topic each word of a document is assigned to, and sums of such
tokens."""

import numpy as np
from numba import prange

from inference.kernels.chunks import CHUNKS
from inference.runtime.jit import njit

FULL_CERTAINTY = 255  # a certainty of 1
# documents whose places are looked up before what is there: a processor then waits for many at once
TOGETHER = 64


@njit(cache=True, nogil=True)
def fill_theta(topics, weights, theta):
    """theta of one document from the topics that are listed of it: what is left of 1 is shared out
    evenly among all others.

    topics: int32[n], weights: float32[n], of topics.Theta. theta: float64[K], is filled."""
    weight_left = 1.0
    for j in range(len(topics)):
        weight_left -= weights[j]
    theta[:] = max(weight_left, 0.0) / max(len(theta) - len(topics), 1)
    for j in range(len(topics)):
        theta[topics[j]] = weights[j]


@njit(cache=True, nogil=True)
def likeliest_topics(theta, positions, beta, topics, certainty):
    """The topic with the largest p(k | w, d) for each word of one document, the least of equals.

    theta: float64[K], of the document. positions: int[n], rows of its words in beta: BetaRows.
    topics: uint16[n], and certainty: uint8[n], p times FULL_CERTAINTY, are filled."""
    shared = 0.0
    largest = -1.0
    usual = 0
    for k in range(len(beta.floor)):
        weight = theta[k] * beta.floor[k]
        shared += weight
        if weight > largest:
            largest = weight
            usual = k
    for j in range(len(positions)):
        total = shared
        best_weight = largest
        topic = usual
        for r in range(beta.row_ptr[positions[j]], beta.row_ptr[positions[j] + 1]):
            k = beta.row_topics[r]
            total += theta[k] * beta.above[r]
            weight = theta[k] * (beta.floor[k] + beta.above[r])
            if weight > best_weight or (weight == best_weight and k < topic):
                best_weight = weight
                topic = k
        topics[j] = topic
        certainty[j] = (
            min(FULL_CERTAINTY, np.int64(best_weight / total * FULL_CERTAINTY + 0.5))
            if total > 0.0
            else 0
        )


@njit(cache=True, parallel=True)
def assign(first, indptr, words, beta, theta_rows, topics, certainty):
    """The topic with the largest p(k | w, d) for each pair of some consecutive documents.

    p(k | w, d) = theta_dk beta_kw / sum_j theta_dj beta_jw. indptr: int64[D + 1], words:
    int32[nnz], the bag of words. beta: BetaRows of all words. theta_rows: (indptr int64[n + 1],
    topics int32, weights float32), of the n documents from `first` on (topics.Theta). topics:
    uint16 and certainty: uint8, p times FULL_CERTAINTY, one for each of the documents' pairs, are
    filled.
    """
    theta_ptr, theta_topics, theta_weights = theta_rows
    K = len(beta.floor)
    n = len(theta_ptr) - 1
    begin = indptr[first]
    for chunk in prange(CHUNKS):
        theta = np.empty(K)
        for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            a = theta_ptr[i]
            b = theta_ptr[i + 1]
            fill_theta(theta_topics[a:b], theta_weights[a:b], theta)
            x = indptr[first + i]
            y = indptr[first + i + 1]
            pairs = slice(x - begin, y - begin)
            likeliest_topics(theta, words[x:y], beta, topics[pairs], certainty[pairs])


@njit(cache=True, nogil=True)
def mixtures(indptr, counts, topics, K):
    """How many tokens of each document each topic has: (int64[n + 1], topics uint16 ascending,
    tokens int32).

    indptr: int64[n + 1], the documents' entries, from 0 on; counts: int32 and topics: uint16, of
    each entry.
    """
    n = len(indptr) - 1
    tally = np.zeros(K, np.int64)
    touched = np.empty(K, np.int64)
    mixture_ptr = np.zeros(n + 1, np.int64)
    topics_of = np.empty(indptr[n], np.uint16)
    tokens = np.empty(indptr[n], np.int32)
    size = 0
    for d in range(n):
        m = 0
        for j in range(indptr[d], indptr[d + 1]):
            if tally[topics[j]] == 0:
                touched[m] = topics[j]
                m += 1
            tally[topics[j]] += counts[j]
        touched[:m].sort()
        for i in range(m):
            topics_of[size] = touched[i]
            tokens[size] = tally[touched[i]]
            tally[touched[i]] = 0
            size += 1
        mixture_ptr[d + 1] = size
    return mixture_ptr, topics_of[:size], tokens[:size]


@njit(cache=True, nogil=True)
def turn(words, topics, certainty, cursor, topics_out, certainty_out):
    """Pairs by document to pairs by word.

    words: int32[nnz], topics: uint16[nnz], certainty: uint8[nnz], by document. cursor: int64[V],
    where each word's pairs begin; moved on. topics_out: uint16[nnz], certainty_out: uint8[nnz], by
    word, are filled."""
    for j in range(len(words)):
        at = cursor[words[j]]
        topics_out[at] = topics[j]
        certainty_out[at] = certainty[j]
        cursor[words[j]] = at + 1


@njit(cache=True, nogil=True)
def by_word(indptr, topics, counts, rows, of_row, K):
    """What each word's topics hold of it: (int64[V + 1], topics uint16 ascending, tokens int64,
    documents int64).

    indptr: int64[V + 1], where each word's pairs begin. topics: uint16, counts: int32 and rows:
    int32, of each pair, the rows ascending within a word. of_row: int32, the document of each row,
    empty where it is the row."""
    V = len(indptr) - 1
    word_ptr = np.zeros(V + 1, np.int64)
    tokens = np.zeros(K, np.int64)
    documents = np.zeros(K, np.int64)
    # last: the document in which a topic was met
    touched, last = (
        np.empty(K, np.int64),
        np.empty(K, np.int64),
    )
    for measured in range(2):  # once for the size
        size = 0
        if measured:
            topics_of = np.empty(word_ptr[V], np.uint16)
            tokens_of = np.empty(word_ptr[V], np.int64)
            documents_of = np.empty(word_ptr[V], np.int64)
        for w in range(V):
            m = 0
            for j in range(indptr[w], indptr[w + 1]):
                k = topics[j]
                if documents[k] == 0:
                    touched[m] = k
                    m += 1
                    last[k] = -1
                d = of_row[rows[j]] if len(of_row) else rows[j]
                documents[k] += d != last[k]
                last[k] = d
                tokens[k] += counts[j]
            if measured:
                touched[:m].sort()
            for i in range(m):
                k = touched[i]
                if measured:
                    topics_of[size] = k
                    tokens_of[size] = tokens[k]
                    documents_of[size] = documents[k]
                tokens[k] = 0
                documents[k] = 0
                size += 1
            word_ptr[w + 1] = size
    return word_ptr, topics_of, tokens_of, documents_of


@njit(cache=True, nogil=True)
def rank(first, end, topic_ptr, lengths, documents, tokens):
    """Ranks the documents of the topics first ... end - 1: `documents`, each topic's ascending, are
    put in the order of their shares, the largest first, and in place of `tokens` comes the order by
    tokens; of equals the lower number is first. topic_ptr: int64[K + 1], where each topic's
    documents begin; documents: int32, tokens: int32, those that each of them has of the topic.
    lengths: int64[D], of all documents, in tokens."""
    for k in range(first, end):
        a = topic_ptr[k]
        b = topic_ptr[k + 1]
        documents_of_topic = documents[a:b].copy()
        tokens_of_topic = tokens[a:b].copy()
        documents[a:b] = documents_of_topic[
            np.argsort(-tokens_of_topic / lengths[documents_of_topic], kind="mergesort")
        ]
        tokens[a:b] = documents_of_topic[np.argsort(-tokens_of_topic, kind="mergesort")]


@njit(cache=True, nogil=True)
def _held_by(d, wanted, doc_ptr, doc_topics, doc_tokens):
    """Tokens of document d that some topics hold together, int. wanted: bool[K], those topics.
    doc_ptr: int64[D + 1], doc_topics: uint16, doc_tokens: int32, the topics of documents
    (DocumentMixtures)."""
    tokens = 0
    for j in range(doc_ptr[d], doc_ptr[d + 1]):
        if wanted[doc_topics[j]]:
            tokens += doc_tokens[j]
    return tokens


@njit(cache=True, nogil=True)
def tokens_held(documents, every, wanted, doc_ptr, doc_topics, doc_tokens):
    """int32[n]: tokens of each document that some topics hold together. wanted: bool[K], those
    topics. documents, every: as in `sums`. doc_ptr, doc_topics, doc_tokens: as in `_held_by`."""
    tokens_held = np.zeros(len(doc_ptr) - 1 if every else len(documents), np.int32)
    for i in range(len(tokens_held)):
        tokens_held[i] = _held_by(
            i if every else documents[i], wanted, doc_ptr, doc_topics, doc_tokens
        )
    return tokens_held


@njit(cache=True, nogil=True)
def sums(documents, every, group, G, into, doc_ptr, doc_topics, doc_tokens):
    """Tokens, and documents that have any, of each topic in each group: int64[G, K] twice.

    documents: int32, those that are looked at; every: whether it is all, whatever `documents` is.
    group: int32, of each that is looked at, -1 for none. into: int32[K], the topic that each is
    counted as. doc_ptr, doc_topics, doc_tokens: as in `_held_by`.
    """
    K = len(into)
    tokens = np.zeros((G, K), np.int64)
    documents_of = np.zeros((G, K), np.int64)
    last_met = np.full(K, -1, np.int64)  # the last document in which a topic was met
    for i in range(len(group)):
        g = group[i]
        if g >= 0:
            d = i if every else documents[i]
            for j in range(doc_ptr[d], doc_ptr[d + 1]):
                k = into[doc_topics[j]]
                tokens[g, k] += doc_tokens[j]
                if last_met[k] != d:
                    last_met[k] = d
                    documents_of[g, k] += 1
    return tokens, documents_of


@njit(cache=True, nogil=True)
def add_word_sums(documents, every, group, row, indptr, words, counts, topics, of_rows, of_groups):
    """Add the tokens of each word to of_rows: int[R, V], by row, and to of_groups: int64[G, V], in
    each group.

    documents: int32, those that are looked at; every: whether it is all, whatever `documents` is.
    group: int32, of each that is looked at, -1 for none. row: int32[G, K], the row in which a topic
    is counted in a group, -1 for none. indptr: int64[D + 1], words, counts: int32[nnz], the bag of
    words; topics: uint16[nnz], of its pairs.
    """
    ends = np.empty((TOGETHER, 2), np.int64)
    for first in range(0, len(group), TOGETHER):
        m = min(TOGETHER, len(group) - first)
        for q in range(m):
            d = first + q if every else documents[first + q]
            ends[q, 0] = indptr[d]
            ends[q, 1] = indptr[d + 1]
        for q in range(m):
            g = group[first + q]
            for j in range(ends[q, 0], ends[q, 1] if g >= 0 else ends[q, 0]):
                of_groups[g, words[j]] += counts[j]
                if row[g, topics[j]] >= 0:
                    of_rows[row[g, topics[j]], words[j]] += counts[j]


@njit(cache=True, nogil=True)
def at_least(
    topics, wanted, share, topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens, lengths, mask
):
    """int32: the documents of which some topics together hold at least a share, in no order.

    topics: int64, the same as wanted: bool[K]. share: from 0 to 1. topic_ptr: int64[K + 1],
    by_share: int32, each topic's documents. doc_ptr, doc_topics, doc_tokens: as in `_held_by`.
    lengths: int64[D], in tokens. mask: bool[D], where those are set that were met before."""
    holders = np.empty((topic_ptr[topics + 1] - topic_ptr[topics]).sum(), np.int32)
    n = 0
    for k in topics:
        for i in range(topic_ptr[k], topic_ptr[k + 1]):
            d = by_share[i]
            if mask[d]:
                continue
            mask[d] = True
            if (
                share <= 0.0
                or _held_by(d, wanted, doc_ptr, doc_topics, doc_tokens) / lengths[d] >= share
            ):
                holders[n] = d
                n += 1
    return holders[:n].copy()


@njit(cache=True, nogil=True)
def strongest(
    topics, wanted, group, g, n, topic_ptr, by_share, doc_ptr, doc_topics, doc_tokens, lengths
):
    """(int32[m], float64[m]): documents of a group among which are the n with the largest shares of
    some topics together, and these shares, each document once. Of a single topic only the first n
    are looked for. group: int32[D], and g, the one that is looked at. topics, wanted, topic_ptr,
    by_share, doc_ptr, doc_topics, doc_tokens, lengths: as in `at_least`."""
    capacity = (topic_ptr[topics + 1] - topic_ptr[topics]).sum()
    capacity = min(n, capacity) if len(topics) == 1 else capacity
    documents = np.empty(capacity, np.int32)
    shares = np.empty(capacity, np.float64)
    m = 0
    for k in topics:
        for i in range(topic_ptr[k], topic_ptr[k + 1]):
            if m == capacity:
                break
            d = by_share[i]
            if group[d] != g:
                continue
            first = True  # whether it is met in the list of the first of these topics that it has
            for j in range(doc_ptr[d], doc_ptr[d + 1]):
                if wanted[doc_topics[j]]:
                    first = doc_topics[j] == k
                    break
            if first:
                documents[m] = d
                shares[m] = _held_by(d, wanted, doc_ptr, doc_topics, doc_tokens) / lengths[d]
                m += 1
    return documents[:m], shares[:m]


@njit(cache=True, nogil=True)
def offsets_of_tokens(documents, nth, w, indptr, words, counts, first_token, offsets):
    """int32[n]: offsets, in characters of the text, of the nth token of word w, from 0, in each of
    some rows that have it. documents: int32[n], the rows; nth: int64[n]. indptr: int64[D + 1],
    words, counts: int32[nnz], first_token: int64[D + 1], offsets: int32[tokens], the bag of
    words."""
    offsets_of_documents = np.empty(len(documents), np.int32)
    for i in range(len(documents)):
        d = documents[i]
        at = first_token[d] + nth[i]
        for j in range(indptr[d], indptr[d + 1]):
            if words[j] == w:
                break
            at += counts[j]
        offsets_of_documents[i] = offsets[at]
    return offsets_of_documents
