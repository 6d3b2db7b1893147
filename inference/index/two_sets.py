"""What sets of documents have of the forms of a lexicon: tokens, documents, and how evenly they are
spread. What units have of them: inference.index.word_units."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inference.index.segments import IndexField
from inference.runtime.jit import njit
from inference.runtime.threads import in_two

# which set a document is in
OUTSIDE = 0
FIRST = 1
SECOND = 2


class Totals(NamedTuple):
    """How large both sets are, int64[2]. documents: that have any words; tokens."""

    documents: np.ndarray
    tokens: np.ndarray


class FormSums(NamedTuple):
    """Tokens of forms, int32[n], ascending, and documents with each: int64[n]."""

    forms: np.ndarray
    tokens: np.ndarray
    documents: np.ndarray


def totals(lengths: np.ndarray, sets: np.ndarray) -> Totals:
    """lengths: int32[D], tokens of each document. sets: uint8[D], of OUTSIDE, FIRST and SECOND."""
    return Totals(*_totals(lengths, sets))


def tokens(
    fields: list[IndexField], forms: int, chosen: np.ndarray | None, least: int
) -> tuple[np.ndarray, np.ndarray]:
    """(forms that at least so many documents of a set have, int32, ascending; tokens of each,
    int64). chosen: bool[D], the set; None: all documents of the index."""
    table = np.zeros((forms, 2), np.int64)
    for field in fields:
        if chosen is None:
            _halves(_add_all, field, 0, len(field.words), table)
        else:
            _halves(_add_chosen, field, 0, len(field.words), chosen, table)
    frequent = np.flatnonzero(table[:, 1] >= least)
    return frequent.astype(np.int32), table[frequent, 0]


def dispersion(
    fields: list[IndexField], forms: np.ndarray, part: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """float64[n]: how unevenly each form is spread over parts, Gries' deviation of proportions (DP,
    2008): half the sum of the differences between a part's share of the form's tokens and its share
    of all tokens. 0: everywhere as frequent; near 1: in a small part alone; NaN: in none. part:
    int[D], of each document; -1 for none. lengths: [D], tokens of each document."""
    parts = int(part.max(initial=-1)) + 1
    dispersions = np.empty(len(forms))
    sizes = np.bincount(part + 1, lengths, parts + 1)[1:]
    for i in range(len(forms)):
        tokens = np.zeros(parts)
        for field in fields:
            for documents, counts in field.lists(forms[i : i + 1]):
                tokens += np.bincount(part[documents] + 1, counts, parts + 1)[1:]
        of_form = tokens / (tokens.sum() or np.nan)
        of_all = sizes / (sizes.sum() or np.nan)
        dispersions[i] = np.abs(of_form - of_all).sum() / 2
    return dispersions


def _halves(add: Callable, field: IndexField, low: int, high: int, *rest) -> None:
    """Calls a kernel that adds to rows of words low … high - 1 of a field, by two threads with half
    of the postings each."""
    begin = field.indptr[low]
    end = field.indptr[high]
    middle = low + int(np.searchsorted(field.indptr[low:high], (begin + end) // 2))

    def add_words(first: int, last: int) -> None:
        words = field.words[first:last]
        indptr = field.indptr[first : last + 1]
        add(words, indptr, field.documents, field.counts, *rest)

    in_two(add_words, (low, middle), (middle, high))


@njit(cache=True, nogil=True)
def _totals(lengths, sets):
    """(documents int64[2], tokens int64[2]) of each of two sets, those without words left out.
    lengths: int32[D], in tokens. sets: uint8[D], 1 or 2, and 0 for neither."""
    documents = np.zeros(2, np.int64)
    tokens = np.zeros(2, np.int64)
    for d in range(len(lengths)):
        if sets[d] and lengths[d]:
            s = np.int64(sets[d]) - 1
            documents[s] += 1
            tokens[s] += lengths[d]
    return documents, tokens


@njit(cache=True, nogil=True)
def _add_chosen(words, indptr, documents, counts, chosen, table):
    """Add to table, int64[forms, 2], tokens of each word and documents with it, of chosen
    documents. words: int32[n], indptr: int64[n + 1], documents: int32, counts: uint16 or uint32,
    postings of some words. chosen: bool[D]."""
    for i in range(len(words)):
        tokens = having = np.int64(0)
        for j in range(indptr[i], indptr[i + 1]):
            inside = np.int64(chosen[documents[j]])
            tokens += inside * counts[j]
            having += inside
        table[words[i], 0] += tokens
        table[words[i], 1] += having


@njit(cache=True, nogil=True)
def _add_all(words, indptr, documents, counts, table):
    """Adds what _add_chosen adds for all documents, in a fifth of the time."""
    for i in range(len(words)):
        tokens = np.int64(0)
        for j in range(indptr[i], indptr[i + 1]):
            tokens += counts[j]
        table[words[i], 0] += tokens
        table[words[i], 1] += indptr[i + 1] - indptr[i]
