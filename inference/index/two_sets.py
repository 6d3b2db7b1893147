"""What two sets of documents have of every form of a lexicon: sums over the documents, of which
keyness is made (inference.explore.keyness)."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from inference.index.segments import Field
from inference.runtime.jit import njit
from inference.runtime.threads import in_two

BLOCK = 1 << 18  # forms summed at a time: 27 MB, however many a lexicon has
LONGEST = (1 << 30) - 1  # pieces of a document; what is longer counts as this long
OUTSIDE, FIRST, SECOND = 0, 1, 2  # which set a document is in


class Totals(NamedTuple):
    """Of both sets, int64[2]. documents: that have any words. tokens; squares: sum over documents
    of tokens squared."""

    documents: np.ndarray
    tokens: np.ndarray
    squares: np.ndarray


class FormSums(NamedTuple):
    """Of forms in both sets, int64[n, 2] but for `forms`, int32[n], ascending.

    tokens, documents: in which it occurs. squares, products: sum over documents of c * c and of c *
    n, for the count c of the form and the n tokens of a document. largest: the largest count of a
    document, and longest: the tokens of that document (of equal counts the first).
    """

    forms: np.ndarray
    tokens: np.ndarray
    documents: np.ndarray
    squares: np.ndarray
    products: np.ndarray
    largest: np.ndarray
    longest: np.ndarray


def totals(lengths: np.ndarray, sets: np.ndarray) -> Totals:
    """lengths: int32[D], tokens of each document. sets: uint8[D], of OUTSIDE, FIRST and SECOND."""
    return Totals(*_totals(lengths, sets))


def sums(
    fields: list[Field],
    forms: int,
    lengths: np.ndarray,
    sets: np.ndarray,
    least: int,
    advance: Callable[[float], None] = lambda done: None,
) -> FormSums:
    """Every form that at least so many documents of both sets together have.

    fields: the texts of all segments of an index. forms: size of the lexicon. lengths, sets: as in
    `totals`. advance: called now and then with the share that is done, from 0 to 1.
    """
    code = (
        np.minimum(lengths, LONGEST).astype(np.uint32) << np.uint32(2)
    ) | sets  # one read for each posting
    blocks = list(_blocks(fields, forms, code, least, advance)) or [
        (np.zeros(0, np.int32), np.zeros((0, 2, 6), np.int64))
    ]
    numbers, table = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return FormSums(numbers, *np.ascontiguousarray(table.transpose(2, 0, 1)))


def tokens(
    fields: list[Field], forms: int, chosen: np.ndarray | None, least: int
) -> tuple[np.ndarray, np.ndarray]:
    """(forms that at least so many documents of a set have, int32, ascending; tokens of each,
    int64). chosen: bool[D], the set; None: all documents of the index."""
    table = np.zeros((forms, 2), np.int64)
    for field in fields:
        if chosen is None:
            _halves(_add_all, field, 0, len(field.words), table)
        else:
            _halves(_add_chosen, field, 0, len(field.words), chosen, table)
    kept = np.flatnonzero(table[:, 1] >= least)
    return kept.astype(np.int32), table[kept, 0]


def dispersion(
    fields: list[Field], forms: np.ndarray, part: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """float64[n]: how unevenly each form is spread over parts, Gries' deviation of proportions (DP,
    2008): half the sum of the differences between a part's share of the form's tokens and its share
    of all tokens. 0: everywhere as frequent; near 1: in a small part alone; NaN: in none. part:
    int[D], of each document; -1 for none."""
    parts, made = int(part.max(initial=-1)) + 1, np.empty(len(forms))
    sizes = np.bincount(part + 1, lengths, parts + 1)[1:]
    for i in range(len(forms)):
        tokens = np.zeros(parts)
        for documents, counts in chain.from_iterable(
            field.lists(forms[i : i + 1]) for field in fields
        ):
            tokens += np.bincount(part[documents] + 1, counts, parts + 1)[1:]
        made[i] = (
            np.abs(tokens / (tokens.sum() or np.nan) - sizes / (sizes.sum() or np.nan)).sum() / 2
        )
    return made


def _halves(add: Callable, field: Field, low: int, high: int, *rest) -> None:
    """Calls a kernel that adds to rows of words low … high - 1 of a field, by two threads with half
    of the postings each."""
    begin, end = field.indptr[low], field.indptr[high]
    middle = low + int(np.searchsorted(field.indptr[low:high], (begin + end) // 2))
    in_two(
        lambda a, b: add(
            field.words[a:b], field.indptr[a : b + 1], field.documents, field.counts, *rest
        ),
        (low, middle),
        (middle, high),
    )


def _blocks(
    fields: list[Field], forms: int, code: np.ndarray, least: int, advance: Callable[[float], None]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(forms int32, int64[n, 2, 6] in the order of FormSums) of each block of forms."""
    done, every = 0, sum(len(field.documents) for field in fields)
    for begin in range(0, forms, BLOCK):
        end = min(begin + BLOCK, forms)
        table = np.zeros((end - begin, 2, 6), np.int64)
        for field in fields:
            low, high = np.searchsorted(field.words, (begin, end))
            _halves(_add, field, int(low), int(high), code, begin, table)
            done += int(field.indptr[high] - field.indptr[low])
            advance(done / max(every, 1))
        kept = np.flatnonzero(table[:, :, 1].sum(axis=1) >= least)
        yield (begin + kept).astype(np.int32), table[kept]


@njit(cache=True, nogil=True)
def _totals(lengths, sets):
    documents, tokens, squares = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    for d in range(len(lengths)):
        if sets[d] and lengths[d]:
            s, n = np.int64(sets[d]) - 1, np.int64(lengths[d])
            documents[s] += 1
            tokens[s] += n
            squares[s] += n * n
    return documents, tokens, squares


@njit(cache=True, nogil=True)
def _add(words, indptr, documents, counts, code, begin, table):
    """Without branches in the loop, which takes half as long; sums in registers."""
    for i in range(len(words)):
        a0 = a1 = b0 = b1 = c0 = c1 = e0 = e1 = np.int64(0)
        row = table[words[i] - begin]
        m0, m1, l0, l1 = row[0, 4], row[1, 4], row[0, 5], row[1, 5]
        for j in range(indptr[i], indptr[i + 1]):
            x = np.int64(code[documents[j]])
            n, first, second = x >> 2, x & 1, (x >> 1) & 1
            c = np.int64(counts[j])
            k0, k1 = c * first, c * second
            a0 += k0
            a1 += k1
            b0 += first
            b1 += second
            c0 += c * k0
            c1 += c * k1
            e0 += n * k0
            e1 += n * k1
            l0 = n if k0 > m0 else l0
            l1 = n if k1 > m1 else l1
            m0 = max(m0, k0)
            m1 = max(m1, k1)
        row[0, 0] += a0
        row[1, 0] += a1
        row[0, 1] += b0
        row[1, 1] += b1
        row[0, 2] += c0
        row[1, 2] += c1
        row[0, 3] += e0
        row[1, 3] += e1
        row[0, 4], row[1, 4], row[0, 5], row[1, 5] = m0, m1, l0, l1


@njit(cache=True, nogil=True)
def _add_chosen(words, indptr, documents, counts, chosen, table):
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
    """As _add_chosen does for all documents, in a fifth of the time."""
    for i in range(len(words)):
        tokens = np.int64(0)
        for j in range(indptr[i], indptr[i + 1]):
            tokens += counts[j]
        table[words[i], 0] += tokens
        table[words[i], 1] += indptr[i + 1] - indptr[i]
