"""Documents by word, in segments of consecutive documents: each is made in bounded memory, and read
from disk."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from inference.runtime.arrays import offsets_of_parts
from inference.runtime.jit import njit
from inference.text.table import AFTER_APOSTROPHE, AFTER_HYPHEN, NUMBER

# Of how often a word is in one document: what holds all counts of a segment, which is nearly always
# the first. In segments of older versions what is more than LARGEST_COUNT is LARGEST_COUNT.
COUNT_TYPES = (np.uint16, np.uint32)
LARGEST_COUNT = 65_535  # that the first of them holds
SEGMENT = 1 << 25  # pieces: a segment is made in 200 MB at most, and 12 bytes a word of the lexicon
DOCUMENTS = 1 << 22  # of a segment
_ARRAYS = ("words", "indptr", "documents", "counts", "first")


class IndexField(NamedTuple):
    """The texts, or the titles, of a segment. Word words[i] occurs in documents[indptr[i]:indptr[i
    + 1]], `counts` times in each.

    words: int32, ascending. indptr: int64[words + 1]. documents: int32, ascending in a word.
    counts: uint16; uint32 where one is more than LARGEST_COUNT.
    first: int64[n + 1], where each of the segment's n documents begins in the stream.
    """

    words: np.ndarray
    indptr: np.ndarray
    documents: np.ndarray
    counts: np.ndarray
    first: np.ndarray

    @classmethod
    def from_stream(
        cls, stream: np.ndarray, first: np.ndarray, document: int, scratch: "Scratch"
    ) -> "IndexField":
        """stream: words of all documents. first: int64[n + 1], where those of the segment begin in
        it. document: the number of the first one."""
        segment_words = stream[first[0] : first[-1]]
        documents_of = np.zeros(scratch.words, np.int64)
        scratch.last.fill(-1)
        _count(segment_words, first, scratch.last, documents_of)
        words = np.flatnonzero(documents_of).astype(np.int32)
        indptr = offsets_of_parts(documents_of[words])
        documents = np.empty(indptr[-1], np.int32)
        for count_type in COUNT_TYPES:
            counts = np.empty(indptr[-1], count_type)
            largest = np.iinfo(count_type).max
            documents_of[words] = indptr[:-1]
            scratch.last.fill(-1)
            is_cut = _fill(
                segment_words,
                first,
                document,
                scratch.last,
                documents_of,
                documents,
                counts,
                largest,
            )
            if not is_cut:
                break
        return cls(words, indptr, documents, counts, first)

    def save(self, folder: Path) -> None:
        """Write each array to a file of the folder, which is made."""
        folder.mkdir(parents=True)
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name))

    @classmethod
    def open(cls, folder: Path) -> "IndexField":
        """What `save` wrote, mapped."""
        return cls(*(np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS))

    def mark(self, word_numbers: np.ndarray, mask: np.ndarray, begin: int) -> None:
        """Set mask[d - begin] for the documents d that have one of the words. word_numbers:
        int32."""
        _mark(self.words, self.indptr, self.documents, word_numbers, mask, begin)

    def having(self, form_lists: list[np.ndarray], begin: int) -> np.ndarray:
        """bool[n]: which documents of the segment, whose first has the number `begin`, have of each
        of some lists a word."""
        mask = np.ones(len(self.first) - 1, bool)
        for form_list in form_lists:
            holders = np.zeros(len(mask), bool)
            self.mark(form_list, holders, begin)
            mask &= holders
        return mask

    def lists(self, word_numbers: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(documents int32 ascending, counts, of one of COUNT_TYPES) of each of the words that is
        here. word_numbers: int32."""
        if not len(self.words):
            return
        at = np.searchsorted(self.words, word_numbers)
        words_there = self.words[np.minimum(at, len(self.words) - 1)]
        for i in at[words_there == word_numbers].tolist():
            span = slice(self.indptr[i], self.indptr[i + 1])
            yield self.documents[span], self.counts[span]


def narrowed(counts: np.ndarray) -> np.ndarray:
    """Counts as the first of COUNT_TYPES that holds them all. counts: whole numbers, below 2^32."""
    standard, wide = COUNT_TYPES
    return counts.astype(standard if counts.max(initial=0) <= LARGEST_COUNT else wide)


class Scratch:
    """What counting needs of each word of a lexicon, used for every segment. last: the document in
    which it was seen last."""

    def __init__(self, words: int):
        self.words = words
        self.last = np.empty(words, np.int32)


@njit(cache=True, nogil=True, inline="always")
def begins_sentence(token):
    """Whether a sentence ends before a piece of a stream, or a paragraph: AFTER_SENTENCE or
    AFTER_PARAGRAPH."""
    return token < 0 and token & (AFTER_HYPHEN | AFTER_APOSTROPHE) != 0


@njit(cache=True, nogil=True)
def in_sentence(words, begin, stop, left, right):
    """(first, end) of the words from `left` to `right` - 1 that are in one sentence with those from
    `begin` to `stop` - 1: int twice, places in `words`. Where the latter are in several sentences
    they alone: (begin, stop).

    words: int32[n], pieces of a stream. left <= begin < stop <= right <= n."""
    for i in range(begin + 1, stop):
        if begins_sentence(words[i]):
            return begin, stop
    before = begin
    behind = stop
    while before > left and not begins_sentence(words[before]):
        before -= 1
    while behind < right and not begins_sentence(words[behind]):
        behind += 1
    return before, behind


@njit(cache=True, nogil=True)
def _count(tokens, first, last, documents_of):
    """Add to documents_of[w], int64[lexicon], in how many documents w occurs.

    tokens: int32, the pieces of some documents. first: int64[n + 1], where each of them begins in
    the stream, in which tokens begin at first[0]. last: int32[lexicon], all -1, is written."""
    for d in range(len(first) - 1):
        for i in range(first[d] - first[0], first[d + 1] - first[0]):
            w = tokens[i] & NUMBER
            if last[w] != d:
                last[w] = d
                documents_of[w] += 1


@njit(cache=True, nogil=True)
def _fill(tokens, first, document, last, cursor, documents, counts, largest):
    """Fill in, word by word, the documents that have it and how often each does. Returns whether a
    count was more than the largest that `counts` holds, and was cut to it.

    tokens, first, last: as for _count. document: int, the number of the first document. cursor:
    int64[lexicon], where each word's next entry stands; moved on. documents: int32[entries] and
    counts: uint16[entries] or uint32[entries], are filled. largest: int, that counts can hold."""
    is_cut = False
    for d in range(len(first) - 1):
        for i in range(first[d] - first[0], first[d + 1] - first[0]):
            w = tokens[i] & NUMBER
            if last[w] != d:
                last[w] = d
                documents[cursor[w]] = document + d
                counts[cursor[w]] = 1
                cursor[w] += 1
            elif counts[cursor[w] - 1] < largest:
                counts[cursor[w] - 1] += 1
            else:
                is_cut = True
    return is_cut


@njit(cache=True, nogil=True)
def _mark(words, indptr, documents, word_numbers, mask, begin):
    """Set those of mask, bool, that have any of some words. words: int32[W], ascending; indptr:
    int64[W + 1], documents: int32, the postings of a segment. word_numbers: int, the words. begin:
    the document that mask begins with."""
    for w in word_numbers:
        i = np.searchsorted(words, w)
        if i < len(words) and words[i] == w:
            for j in range(indptr[i], indptr[i + 1]):
                mask[documents[j] - begin] = True


@njit(cache=True, nogil=True)
def sequences(stream, first, document, candidates, accepted, ends, counts):
    """counts[i]: how often words of accepted[ends[p]:ends[p + 1]], sorted, p = 0, 1, …, stand one
    behind the other in candidates[i].

    first: where documents begin in the stream, that of number `document` first.
    """
    n = len(ends) - 1
    is_single = ends[1] == 1
    head = accepted[0]
    for i in range(len(candidates)):
        d = candidates[i] - document
        matches = 0
        for at in range(first[d], first[d + 1] - n + 1):
            if is_single and stream[at] & NUMBER != head:  # most pieces end here
                continue
            p = 0
            while p < n and _among(accepted, ends[p], ends[p + 1], stream[at + p] & NUMBER):
                p += 1
            if p == n:
                matches += 1
        counts[i] = matches


@njit(cache=True, nogil=True)
def _among(values, low, high, value):
    """Whether a value is among those from values[low] to values[high - 1], which ascend."""
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < value:
            low = middle + 1
        elif values[middle] > value:
            high = middle
        else:
            return True
    return False
