"""What units have of every word in two sets of documents: sums over units, of which differences of
words are answered (inference.answers.words)."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from inference.answers.sides import unit_weights
from inference.answers.words import WordSums
from inference.index.segments import Field
from inference.runtime.arrays import frozen
from inference.runtime.jit import njit
from inference.runtime.threads import in_two

POSTINGS = 1 << 24  # of the words summed at a time: 100 MB
OUTSIDE = -1


class Sides(NamedTuple):
    """Two sides of units. cell: int32[D], of each document 2 x its unit + its side (0 or 1), OUTSIDE
    for one on neither. sizes: float64[U, 2], words of each unit on either side."""

    cell: np.ndarray
    sizes: np.ndarray

    @property
    def units(self) -> np.ndarray:
        """int64[2]: that have words on either side."""
        return np.count_nonzero(self.sizes, axis=0)


class Counted(NamedTuple):
    """forms: int32[n], ascending; documents: int64[n, 2], that have each on either side."""

    forms: np.ndarray
    documents: np.ndarray
    sums: WordSums

    def some(self, forms: np.ndarray) -> "Counted":
        """Of some of the forms: their places, or bool[n]."""
        return Counted(self.forms[forms], self.documents[forms], self.sums.some(forms))


def sides_of(side: np.ndarray, lengths: np.ndarray, unit: np.ndarray | None) -> Sides:
    """side: int[D], 0, 1, or below 0 for neither. lengths: int[D], words. unit: int[D], whose each
    document is, below 0 for one that stands for itself; None: all do."""
    inside = np.flatnonzero((side >= 0) & (lengths > 0))
    if unit is None:
        number = np.arange(len(inside))
    else:
        number = np.unique(with_own_codes(unit[inside]), return_inverse=True)[1]
    cell = np.full(len(side), OUTSIDE, np.int32)
    cell[inside] = 2 * number + side[inside]
    units = int(number.max(initial=-1)) + 1
    sizes = np.bincount(cell[inside], weights=lengths[inside], minlength=2 * units)
    return Sides(cell, sizes.reshape(units, 2))


def with_own_codes(unit: np.ndarray) -> np.ndarray:
    """int64[n]: the same, with a code of its own for each that stands for itself (below 0)."""
    codes = unit.astype(np.int64)
    without = codes < 0
    codes[without] = codes.max(initial=-1) + 1 + np.arange(np.count_nonzero(without))
    return codes


def count_words(
    fields: list[Field],
    forms: int,
    sides: Sides,
    least: int,
    advance: Callable[[float], None] = lambda done: None,
    *,
    of_documents: bool = False,
) -> Counted:
    """Every form that at least so many documents of both sides together have.

    fields: the texts of all segments of an index. forms: size of the lexicon. advance: called now
    and then with the share that is done, from 0 to 1. of_documents: each document counts once,
    however often it has a form; then the sizes of `sides` are documents.
    """
    blocks = []
    for forms_of_block, postings in _blocks(fields, forms, least, advance):
        counted_postings = postings.once if of_documents else postings
        blocks.append(count_postings(forms_of_block, counted_postings, sides, least))
    if not blocks:
        no_postings = gather([], np.zeros(0))
        blocks = [count_postings(np.zeros(0), no_postings, sides, least)]
    sums = zip(*(block.sums for block in blocks), strict=True)
    return Counted(
        np.concatenate([block.forms for block in blocks]),
        np.concatenate([block.documents for block in blocks]),
        WordSums(*map(np.concatenate, sums)),
    )


def count_postings(forms: np.ndarray, postings: "Postings", sides: Sides, least: int) -> Counted:
    """The same of postings that are at hand, by two threads with half of them each. forms: int[n],
    of each."""
    n = len(forms)
    documents = np.zeros((n, 2), np.int64)
    sums = WordSums(
        tokens=np.zeros((n, 2), np.int64),
        squares=np.zeros((n, 2)),
        products=np.zeros((n, 2)),
        crossed=np.zeros((n, 3)),
        holding=np.zeros(n, np.int64),
        largest=np.zeros((n, 2)),
        of_largest=np.zeros((n, 2)),
    )
    weights = unit_weights(sides.sizes)
    units = len(sides.sizes)

    def add(begin: int, end: int) -> None:
        tokens_of_unit = np.zeros((units, 2))
        units_met = np.empty(units, np.int64)
        scratch = tokens_of_unit, units_met
        _sum_units(
            *postings, begin, end, sides.cell, sides.sizes, weights, *scratch, documents, *sums
        )

    middle = min(int(np.searchsorted(postings.indptr, postings.indptr[-1] // 2)), n)
    in_two(add, (0, middle), (middle, n))
    enough = documents.sum(axis=1) >= least
    return Counted(forms[enough].astype(np.int32), documents[enough], sums.some(enough))


class Postings(NamedTuple):
    """Documents of words, word after word: indptr: int64[n + 1]; documents: int32; counts: int32."""

    indptr: np.ndarray
    documents: np.ndarray
    counts: np.ndarray

    def some(self, words: np.ndarray) -> "Postings":
        """Of some words, by their places."""
        sizes = np.diff(self.indptr)[words]
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        source = np.repeat(self.indptr[words] - indptr[:-1], sizes) + np.arange(indptr[-1])
        return Postings(indptr, self.documents[source], self.counts[source])

    @property
    def once(self) -> "Postings":
        """The same with each document once, however often it has the word."""
        return self._replace(counts=np.ones_like(self.counts))


def _blocks(
    fields: list[Field], forms: int, least: int, advance: Callable[[float], None]
) -> Iterator[tuple[np.ndarray, Postings]]:
    """Forms that at least so many documents have, and their postings, about POSTINGS at a time."""
    of_form = np.zeros(forms, np.int64)
    for field in fields:
        of_form[field.words] += np.diff(field.indptr)
    frequent = np.flatnonzero(of_form >= least)
    before = np.concatenate([[0], np.cumsum(of_form[frequent])])
    begin = 0
    while begin < len(frequent):
        end = int(np.searchsorted(before, before[begin] + POSTINGS, "right")) - 1
        end = min(max(end, begin + 1), len(frequent))
        of_block = frequent[begin:end]
        yield of_block, gather(fields, of_block)
        advance(float(before[end] / before[-1]))
        begin = end


def gather(fields: list[Field], forms: np.ndarray) -> Postings:
    """The postings of some forms, ascending, of all fields together."""
    sizes = np.zeros(len(forms), np.int64)
    parts = []
    for field in fields:
        if not len(field.words):
            continue
        nearest = np.minimum(np.searchsorted(field.words, forms), len(field.words) - 1)
        rows = np.flatnonzero(field.words[nearest] == forms)
        source = nearest[rows]
        sizes[rows] += field.indptr[source + 1] - field.indptr[source]
        parts.append((field, rows, source))
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    documents = np.empty(indptr[-1], np.int32)
    counts = np.empty(indptr[-1], np.int32)
    following = indptr[:-1].copy()
    for field, rows, source in parts:
        _copy(
            frozen(field.indptr, np.int64),
            frozen(field.documents, np.int32),
            frozen(field.counts, np.uint16),
            source,
            rows,
            following,
            documents,
            counts,
        )
    return Postings(indptr, documents, counts)


def amounts(postings: Postings, sides: Sides) -> np.ndarray:
    """float64[U, n]: what each unit has of some forms, on either side together."""
    forms = len(postings.indptr) - 1
    form = np.repeat(np.arange(forms), np.diff(postings.indptr))
    cell = sides.cell[postings.documents]
    inside = cell >= 0
    units = len(sides.sizes)
    number = (cell[inside] >> 1).astype(np.int64) * forms + form[inside]
    table = np.bincount(number, weights=postings.counts[inside], minlength=units * forms)
    return table.reshape(units, forms)


@njit(cache=True, nogil=True)
def _copy(indptr, documents, counts, source, rows, following, all_documents, all_counts):
    for i in range(len(rows)):
        target = following[rows[i]]
        for j in range(indptr[source[i]], indptr[source[i] + 1]):
            all_documents[target] = documents[j]
            all_counts[target] = counts[j]
            target += 1
        following[rows[i]] = target


@njit(cache=True, nogil=True)
def _sum_units(
    indptr,
    posted_documents,
    counts,
    begin,
    end,
    cell,
    sizes,
    weights,
    tokens_of_unit,
    units_met,
    documents,
    tokens,
    squares,
    products,
    crossed,
    holding,
    largest,
    of_largest,
):
    """The postings of forms begin … end - 1. tokens_of_unit: float64[U, 2], all 0; units_met:
    int64[U]. The others as WordSums has them."""
    for i in range(begin, end):
        units = 0
        for j in range(indptr[i], indptr[i + 1]):
            number = cell[posted_documents[j]]
            if number < 0:
                continue
            unit = number >> 1
            side = number & 1
            tokens[i, side] += counts[j]
            documents[i, side] += 1
            if tokens_of_unit[unit, 0] == 0 and tokens_of_unit[unit, 1] == 0:
                units_met[units] = unit
                units += 1
            tokens_of_unit[unit, side] += counts[j]
        holding[i] = units
        for k in range(units):
            unit = units_met[k]
            for side in range(2):
                x = tokens_of_unit[unit, side]
                squares[i, side] += weights[unit, side] * x * x
                products[i, side] += weights[unit, side] * x * sizes[unit, side]
                if x > largest[i, side]:
                    largest[i, side] = x
                    of_largest[i, side] = sizes[unit, side]
            weight = np.sqrt(weights[unit, 0] * weights[unit, 1])
            first = tokens_of_unit[unit, 0]
            second = tokens_of_unit[unit, 1]
            crossed[i, 0] += weight * first * second
            crossed[i, 1] += weight * first * sizes[unit, 1]
            crossed[i, 2] += weight * sizes[unit, 0] * second
            tokens_of_unit[unit, 0] = 0
            tokens_of_unit[unit, 1] = 0
