"""Uses of words and phrases in the texts, whatever topic they are assigned to: what a name claims is counted so."""

from collections.abc import Sequence

import numpy as np

from inference.evidence import Evidence
from inference.explore.documents import frozen
from inference.jit import njit

GAP = 9  # characters between two words of a phrase, at most: " of the " has 8


def counts(
    evidence: Evidence, words: Sequence[int], lengths: Sequence[int], most: int
) -> tuple[np.ndarray, np.ndarray]:
    """(documents int32 ascending, float64 uses) of a word, or of a phrase: words that follow each other, with GAP between.

    lengths: letters of each word. At most `most` documents that have the word, or all of them, are looked at, evenly; uses count
    for those that are not. A phrase in a corpus without texts is counted as its rarest word.
    """
    first = min(words, key=lambda w: evidence.postings.indptr[w + 1] - evidence.postings.indptr[w])
    documents, uses, *_ = evidence.word(first)
    step = -(-len(documents) // most) if len(documents) else 1
    documents, uses = documents[::step], uses[::step].astype(np.float64)
    bow = evidence.bow
    if len(words) > 1 and bow.offsets is not None:
        uses = _phrases(
            frozen(documents, np.int32), np.array(words, np.int64), np.array(lengths, np.int64), frozen(bow.indptr, np.int64),
            bow.words, bow.counts, frozen(bow.first_token, np.int64), bow.offsets, GAP,
        )  # fmt: skip
    return documents, uses * step


@njit(cache=True, nogil=True)
def _row(indptr, words, d, w):
    """The pair of a word in a document, -1 for none."""
    a, b = indptr[d], indptr[d + 1]
    j = a + np.searchsorted(words[a:b], w)
    return j if j < b and words[j] == w else -1


@njit(cache=True, nogil=True)
def _phrases(documents, phrase, lengths, indptr, words, counts, first_token, offsets, gap):
    out = np.zeros(len(documents))
    P = len(phrase)
    low, high = np.zeros(P, np.int64), np.zeros(P, np.int64)
    for i in range(len(documents)):
        d = documents[i]
        whole = True
        for p in range(P):
            j = _row(indptr, words, d, phrase[p])
            if j < 0:
                whole = False
                break
            at = first_token[d]
            for other in range(indptr[d], j):
                at += counts[other]
            low[p], high[p] = at, at + counts[j]
        if not whole:
            continue
        for t in range(low[0], high[0]):
            end, follows = offsets[t] + lengths[0], True
            for p in range(1, P):
                s = low[p] + np.searchsorted(offsets[low[p] : high[p]], end)
                if s >= high[p] or offsets[s] > end + gap:
                    follows = False
                    break
                end = offsets[s] + lengths[p]
            if follows:
                out[i] += 1
    return out
