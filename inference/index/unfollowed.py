"""How many uses of the most frequent words no other word follows, kept with each segment of an
index: with them the hits of a pattern such as `the *` are known without reading the texts, which
takes long where nearly all of them have the word."""

import numpy as np

from inference.index.segments import NUMBER, IndexField, narrowed
from inference.runtime.arrays import offsets_of_parts
from inference.runtime.jit import njit

FOLDER = "unfollowed"  # of a segment; older versions wrote none
# Of a segment. Each document ends with one word, so that all of them take 6 bytes a document at
# most, and those for words that follow themselves
WORDS = 64


def of_segment(
    stream: np.ndarray, first: np.ndarray, document: int, field: IndexField, forms: int
) -> IndexField:
    """For the WORDS most frequent words of a segment, the documents that have fewer matches of
    “this word, and any other” than uses of the word, and how many fewer. As hits, matches begin
    from the left, and none begins within another.

    stream: words of all documents. first: int64[n + 1], where those of the segment begin. document:
    the number of the first. field: their texts. forms: size of the lexicon.
    """
    tokens = np.zeros(0, np.int64)
    if len(field.words):
        tokens = np.add.reduceat(field.counts, field.indptr[:-1], dtype=np.int64)
    words = np.sort(field.words[np.argsort(-tokens, kind="stable")[:WORDS]])
    row_of_form = np.full(forms, -1, np.int8)
    row_of_form[words] = np.arange(len(words))
    segment_words = stream[first[0] : first[-1]]
    sizes = np.zeros(len(words), np.int64)
    last = np.full(len(words), -1)
    nothing = np.zeros(0, np.int32), np.zeros(0, np.uint32)
    _unfollowed(segment_words, first, document, row_of_form, last, sizes, *nothing)
    indptr = offsets_of_parts(sizes)
    documents = np.empty(indptr[-1], np.int32)
    counts = np.empty(indptr[-1], np.uint32)
    last.fill(-1)
    _unfollowed(
        segment_words, first, document, row_of_form, last, indptr[:-1].copy(), documents, counts
    )
    return IndexField(words, indptr, documents, narrowed(counts), np.zeros(0, np.int64))


@njit(cache=True, nogil=True)
def _unfollowed(tokens, first, document, row_of_form, last, cursor, documents, counts):
    """Moves cursor, int64 by row, on by the documents of each row; where documents is not empty,
    fills it and counts from there. last: int64 by row, all -1: the document that it was met in."""
    for d in range(len(first) - 1):
        begin = first[d] - first[0]
        end = first[d + 1] - first[0]
        uses = 0  # of one word in a row, up to i
        for i in range(begin, end):
            w = tokens[i] & NUMBER
            uses += 1
            is_last = i + 1 == end
            if not is_last and tokens[i + 1] & NUMBER == w:
                continue
            # Of three uses and another word two are matches: the first with the second, and the
            # third with the other word
            lacking = (uses + 1) // 2 if is_last else uses // 2
            uses = 0
            row = row_of_form[w]
            if row < 0 or not lacking:
                continue
            is_new = last[row] != d
            last[row] = d
            cursor[row] += is_new
            if not len(documents):
                continue
            if is_new:
                documents[cursor[row] - 1] = document + d
                counts[cursor[row] - 1] = 0
            counts[cursor[row] - 1] += lacking
