"""What units have of every word in two sets of documents: sums over units, of which differences of
words are answered (inference.answers.words)."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from inference.answers.sides import unit_weights, weights_of, words_of_sides
from inference.answers.unit_sums import number_codes
from inference.answers.words import UnitWordSums
from inference.bow import ranges
from inference.index.segments import IndexField
from inference.runtime.arrays import frozen, offsets_of_parts, row_blocks
from inference.runtime.jit import njit
from inference.runtime.threads import in_two

POSTINGS = 1 << 24  # of the words summed at a time: 100 MB
OUTSIDE = -1
NO_SIDE = 2  # of a document on neither side, behind sides 0 and 1
SIDE_BITS = 2  # in ByDocument.packed
SIDE_MASK = (1 << SIDE_BITS) - 1
PACKED = np.dtype(np.int32)  # of it, where documents are too long for smaller numbers
BUFFER = 1 << 10  # postings that are fetched at a time: 16 kB
LONGEST_TABLED_DOCUMENT = 1 << 20  # words of a document up to which weights are a table: 16 MB


class Sides(NamedTuple):
    """Two sides of units. cell: int32[D], of each document 2 x its unit + its side (0 or 1),
    OUTSIDE for one on neither. sizes: float64[U, 2], words of each unit on either side."""

    cell: np.ndarray
    sizes: np.ndarray

    @property
    def units(self) -> np.ndarray:
        """int64[2]: that have words on either side."""
        return np.count_nonzero(self.sizes, axis=0)

    @property
    def are_documents(self) -> bool:
        """Whether every unit is one document, which is on one side only."""
        return len(self.sizes) == np.count_nonzero(self.cell != OUTSIDE)


class Counted(NamedTuple):
    """forms: int32[n], ascending; documents: int64[n, 2], that have each on either side."""

    forms: np.ndarray
    documents: np.ndarray
    sums: UnitWordSums

    def some(self, forms: np.ndarray) -> "Counted":
        """What was counted of some of the forms. forms: their places, or bool[n]."""
        return Counted(self.forms[forms], self.documents[forms], self.sums.some(forms))


def sides_of(side: np.ndarray, lengths: np.ndarray, unit: np.ndarray | None) -> Sides:
    """side: int[D], 0, 1, or below 0 for neither. lengths: int[D], words. unit: int[D], whose each
    document is, below 0 for one that stands for itself; None: all do."""
    inside = np.flatnonzero((side >= 0) & (lengths > 0))
    if unit is None:
        number = np.arange(len(inside))
    else:
        _, number = number_codes(with_own_codes(unit[inside]))
    cell = np.full(len(side), OUTSIDE, np.int32)
    cell[inside] = 2 * number + side[inside]
    units = int(number.max(initial=-1)) + 1
    sizes = np.bincount(cell[inside], weights=lengths[inside], minlength=2 * units)
    return Sides(cell, sizes.reshape(units, 2))


def with_own_codes(unit: np.ndarray) -> np.ndarray:
    """int64[n]: the codes of units, with a code of its own for each document that stands for
    itself. unit: int[n], below 0 for such a one."""
    codes = unit.astype(np.int64)
    without = codes < 0
    codes[without] = codes.max(initial=-1) + 1 + np.arange(np.count_nonzero(without))
    return codes


def count_words(
    fields: list[IndexField],
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
    frequent, before = _frequent(fields, forms, least)
    by_document = ByDocument.of(sides)
    if by_document is None:
        count_half = partial(_count_units, fields, ByUnit.of(sides), least, of_documents)
    else:
        count_half = partial(_count_documents, fields, by_document, least, of_documents)
    blocks = []
    for begin, end in row_blocks(before, POSTINGS):
        of_block = frequent[begin:end]
        middle = int(np.searchsorted(before[begin:end], (before[begin] + before[end]) // 2))
        blocks += in_two(count_half, (of_block[:middle], of_block[middle:]))
        advance(float(before[end] / before[-1]))
    if not blocks:
        return count_half(frequent)  # of no form: none is frequent
    return _join(blocks)


def count_postings(
    forms: np.ndarray, postings: "FormPostings", sides: Sides, least: int
) -> Counted:
    """Counts forms by postings that are at hand, by two threads with half of them each. forms:
    int[n], of each."""
    by_unit = ByUnit.of(sides)
    middle = int(np.searchsorted(postings.indptr, postings.indptr[-1] // 2))
    halves = [(0, min(middle, len(forms))), (min(middle, len(forms)), len(forms))]
    counted = in_two(
        lambda half: _count_gathered(forms[slice(*half)], postings.between(*half), by_unit, least),
        halves,
    )
    return _join(counted)


def _count_units(
    fields: list[IndexField], by_unit: "ByUnit", least: int, once: bool, forms: np.ndarray
) -> Counted:
    """Counts forms by one thread. forms: int64[n], ascending. once: each document counts once,
    however often it has a form."""
    postings = gather(fields, forms)
    return _count_gathered(forms, postings.once if once else postings, by_unit, least)


def _count_gathered(
    forms: np.ndarray, postings: "FormPostings", by_unit: "ByUnit", least: int
) -> Counted:
    """Counts forms by postings that are at hand, by one thread. forms: int[n], of each."""
    documents = np.zeros((len(forms), 2), np.int64)
    sums = _no_sums(len(forms))
    _sum_units(*postings, *by_unit, documents, *sums)
    return _that_enough_have(least, forms, documents, sums)


def _join(blocks: list[Counted]) -> Counted:
    """What was counted of the forms of all blocks, one block after the other."""
    sums = zip(*(block.sums for block in blocks), strict=True)
    return Counted(
        np.concatenate([block.forms for block in blocks]),
        np.concatenate([block.documents for block in blocks]),
        UnitWordSums(*map(np.concatenate, sums)),
    )


def _no_sums(forms: int) -> UnitWordSums:
    """Sums of so many forms, all 0, to be added to."""
    return UnitWordSums(
        tokens=np.zeros((forms, 2), np.int64),
        squares=np.zeros((forms, 2)),
        products=np.zeros((forms, 2)),
        crossed=np.zeros((forms, 3)),
        holding=np.zeros(forms, np.int64),
        largest=np.zeros((forms, 2)),
        of_largest=np.zeros((forms, 2)),
    )


def _that_enough_have(
    least: int, forms: np.ndarray, documents: np.ndarray, sums: UnitWordSums
) -> Counted:
    """The forms that at least so many documents of both sides together have."""
    enough = documents.sum(axis=1) >= least
    return Counted(forms[enough].astype(np.int32), documents[enough], sums.some(enough))


class ByUnit(NamedTuple):
    """Sides whose units may be of many documents. cell: see Sides. of_unit: float64[U, 5], of each
    unit what is read of it at once, side by side in memory: its words on side a and on b, its
    weight on either, and the root of both weights' product."""

    cell: np.ndarray
    of_unit: np.ndarray

    @classmethod
    def of(cls, sides: Sides) -> "ByUnit":
        """With what is made of the sides once, for all words."""
        weights = unit_weights(sides.sizes)
        roots = np.sqrt(weights[:, 0] * weights[:, 1])
        return cls(sides.cell, np.column_stack([sides.sizes, weights, roots]))


class ByDocument(NamedTuple):
    """Sides whose units are documents, so that a posting looks in one place, which is small.
    packed: uint8, uint16 or int32[D], the words of each document above SIDE_BITS bits that say its
    side: 0, 1 or NO_SIDE. weights: float64[2, n], of a document of so many words on either side."""

    packed: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, sides: Sides) -> "ByDocument | None":
        """None where units are more than a document, or a document is longer than
        LONGEST_TABLED_DOCUMENT."""
        longest = int(sides.sizes.max(initial=0))
        if not sides.are_documents or longest > LONGEST_TABLED_DOCUMENT:
            return None
        smallest = np.min_scalar_type(longest << SIDE_BITS | NO_SIDE)
        dtype = smallest if smallest.itemsize < PACKED.itemsize else PACKED
        inside = np.flatnonzero(sides.cell != OUTSIDE)
        cell = sides.cell[inside]
        packed = np.full(len(sides.cell), NO_SIDE, dtype)
        packed[inside] = sides.sizes.ravel()[cell].astype(np.int32) << SIDE_BITS | cell & 1
        lengths = np.arange(longest + 1.0)
        weights = weights_of(lengths[:, None], words_of_sides(sides.sizes))
        return cls(packed, np.ascontiguousarray(weights.T))


def _count_documents(
    fields: list[IndexField], by_document: ByDocument, least: int, once: bool, forms: np.ndarray
) -> Counted:
    """Counts forms where every unit is a document, with the same bits as `count_postings`. forms:
    int64[n], ascending. once: each document counts once, however often it has a form."""
    documents = np.zeros((len(forms), 2), np.int64)
    sums = _no_sums(len(forms))
    for field in fields:
        _sum_documents(
            frozen(field.words, np.int32),
            frozen(field.indptr, np.int64),
            frozen(field.documents, np.int32),
            frozen(field.counts, field.counts.dtype.type),
            forms,
            once,
            *by_document,
            documents,
            sums.tokens,
            sums.squares,
            sums.products,
            sums.largest,
            sums.of_largest,
        )
    sums = sums._replace(holding=documents.sum(axis=1))
    return _that_enough_have(least, forms, documents, sums)


class FormPostings(NamedTuple):
    """Documents of words, word after word: indptr: int64[n + 1]; documents: int32; counts:
    int32."""

    indptr: np.ndarray
    documents: np.ndarray
    counts: np.ndarray

    def some(self, words: np.ndarray) -> "FormPostings":
        """The postings of some words. words: their places."""
        sizes = np.diff(self.indptr)[words]
        indptr = offsets_of_parts(sizes)
        source = ranges(self.indptr[words], sizes)
        return FormPostings(indptr, self.documents[source], self.counts[source])

    def between(self, first: int, end: int) -> "FormPostings":
        """The postings of the words from place `first` up to `end`, without a copy of them."""
        posted = slice(self.indptr[first], self.indptr[end])
        indptr = self.indptr[first : end + 1] - self.indptr[first]
        return FormPostings(indptr, self.documents[posted], self.counts[posted])

    @property
    def once(self) -> "FormPostings":
        """The postings, in which each document counts once, however often it has the word."""
        return self._replace(counts=np.ones_like(self.counts))


def _frequent(fields: list[IndexField], forms: int, least: int) -> tuple[np.ndarray, np.ndarray]:
    """Forms that at least so many documents have, int64[n], ascending; and int64[n + 1], the
    postings before each."""
    of_form = np.zeros(forms, np.int64)
    for field in fields:
        of_form[field.words] += np.diff(field.indptr)
    frequent = np.flatnonzero(of_form >= least)
    return frequent, offsets_of_parts(of_form[frequent])


def gather(fields: list[IndexField], forms: np.ndarray) -> FormPostings:
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
    indptr = offsets_of_parts(sizes)
    documents = np.empty(indptr[-1], np.int32)
    counts = np.empty(indptr[-1], np.int32)
    following = indptr[:-1].copy()
    for field, rows, source in parts:
        _copy(
            frozen(field.indptr, np.int64),
            frozen(field.documents, np.int32),
            frozen(field.counts, field.counts.dtype.type),
            source,
            rows,
            following,
            documents,
            counts,
        )
    return FormPostings(indptr, documents, counts)


def amounts(postings: FormPostings, sides: Sides) -> np.ndarray:
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
    """Append the postings of some words to those of rows that they count as. indptr: int64[n + 1],
    documents: int32, counts: uint16 or uint32, where the words stand; source: int64[m], which of
    them; rows: int64[m], the row of each. following: int64, where each row's next entry goes, is
    moved on; all_documents: int32, all_counts: int32, are filled."""
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
    cell,
    of_unit,
    documents,
    tokens,
    squares,
    products,
    crossed,
    holding,
    largest,
    of_largest,
):
    """Adds the postings of all forms. cell, of_unit: see ByUnit. The others by form and side, as
    UnitWordSums has them; documents: that have the form."""
    tokens_of_unit = np.zeros((len(of_unit), 2))
    # A place more, as each posting writes a unit, and only a new one is kept
    units_met = np.empty(len(of_unit) + 1, np.int64)
    cells = np.empty(BUFFER, np.int32)
    counts_of_cell = np.empty(BUFFER, np.int32)
    documents_of_side = np.empty(2, np.int64)
    tokens_of_side = np.empty(2, np.int64)
    for i in range(len(indptr) - 1):
        documents_of_side[:] = 0
        tokens_of_side[:] = 0
        units = 0
        for begin in range(indptr[i], indptr[i + 1], BUFFER):
            end = min(begin + BUFFER, indptr[i + 1])
            # First all that is far apart in memory is fetched, at once; without a branch that
            # nobody can foretell
            inside = 0
            for j in range(begin, end):
                number = cell[posted_documents[j]]
                cells[inside] = number
                counts_of_cell[inside] = counts[j]
                inside += number >= 0
            for j in range(inside):
                unit = cells[j] >> 1
                side = cells[j] & 1
                documents_of_side[side] += 1
                tokens_of_side[side] += counts_of_cell[j]
                units_met[units] = unit
                units += (tokens_of_unit[unit, 0] == 0) & (tokens_of_unit[unit, 1] == 0)
                tokens_of_unit[unit, side] += counts_of_cell[j]
        documents[i] = documents_of_side
        tokens[i] = tokens_of_side
        holding[i] = units
        sums = squares[i], products[i], crossed[i], largest[i], of_largest[i]
        _add_units(units_met[:units], tokens_of_unit, of_unit, *sums)


@njit(cache=True, nogil=True)
def _add_units(units_met, tokens_of_unit, of_unit, squares, products, crossed, largest, of_largest):
    """Adds the units that have one form to its sums, and empties their places in tokens_of_unit.
    units_met: int64[n]; the sums by side, as UnitWordSums has them."""
    squares_of_a = squares_of_b = products_of_a = products_of_b = 0.0
    both = tokens_a_by_size_b = size_a_by_tokens_b = 0.0
    most_of_a = most_of_b = size_of_most_a = size_of_most_b = 0.0
    for k in range(len(units_met)):
        unit = units_met[k]
        first = tokens_of_unit[unit, 0]
        second = tokens_of_unit[unit, 1]
        size_a = of_unit[unit, 0]
        size_b = of_unit[unit, 1]
        weight_a = of_unit[unit, 2]
        weight_b = of_unit[unit, 3]
        root = of_unit[unit, 4]
        squares_of_a += weight_a * first * first
        squares_of_b += weight_b * second * second
        products_of_a += weight_a * first * size_a
        products_of_b += weight_b * second * size_b
        if first > most_of_a:
            most_of_a = first
            size_of_most_a = size_a
        if second > most_of_b:
            most_of_b = second
            size_of_most_b = size_b
        both += root * first * second
        tokens_a_by_size_b += root * first * size_b
        size_a_by_tokens_b += root * size_a * second
        tokens_of_unit[unit, 0] = 0
        tokens_of_unit[unit, 1] = 0
    squares[0] = squares_of_a
    squares[1] = squares_of_b
    products[0] = products_of_a
    products[1] = products_of_b
    crossed[0] = both
    crossed[1] = tokens_a_by_size_b
    crossed[2] = size_a_by_tokens_b
    largest[0] = most_of_a
    largest[1] = most_of_b
    of_largest[0] = size_of_most_a
    of_largest[1] = size_of_most_b


@njit(cache=True, nogil=True)
def _sum_documents(
    words,
    indptr,
    posted_documents,
    counts,
    forms,
    once,
    packed,
    weights,
    documents,
    tokens,
    squares,
    products,
    largest,
    of_largest,
):
    """Adds the postings of some forms, ascending, in one field. packed, weights: see ByDocument.
    The others by form and side, as UnitWordSums has them; documents: that have the form."""
    sums = documents, tokens, squares, products, largest, of_largest
    sizes_of_a = np.empty(BUFFER, np.int32)
    sizes_of_b = np.empty(BUFFER, np.int32)
    counts_of_a = np.empty(BUFFER, np.int32)
    counts_of_b = np.empty(BUFFER, np.int32)
    row = np.searchsorted(words, forms[0]) if len(forms) else 0
    for i in range(len(forms)):
        while row < len(words) and words[row] < forms[i]:
            row += 1
        if row == len(words):
            return
        if words[row] != forms[i]:
            continue
        for begin in range(indptr[row], indptr[row + 1], BUFFER):
            end = min(begin + BUFFER, indptr[row + 1])
            # First all that is far apart in memory is fetched, at once; without a branch that
            # nobody can foretell
            on_a = on_b = 0
            for j in range(begin, end):
                document = np.int32(packed[posted_documents[j]])
                count = np.int32(1) if once else np.int32(counts[j])
                sizes_of_a[on_a] = sizes_of_b[on_b] = document >> SIDE_BITS
                counts_of_a[on_a] = counts_of_b[on_b] = count
                side = document & SIDE_MASK
                on_a += side == 0
                on_b += side == 1
            _add_to_side(i, 0, sizes_of_a[:on_a], counts_of_a[:on_a], weights, sums)
            _add_to_side(i, 1, sizes_of_b[:on_b], counts_of_b[:on_b], weights, sums)


@njit(cache=True, nogil=True)
def _add_to_side(i, side, sizes, counts, weights, sums):
    """Adds documents of one side that have form i. sizes, counts: int32[n], words of each, and how
    many are the form. sums: as `_sum_documents` has them."""
    documents, tokens, squares, products, largest, of_largest = sums
    documents[i, side] += len(sizes)
    tokens_of_side = tokens[i, side]
    squares_of_side = squares[i, side]
    products_of_side = products[i, side]
    most = largest[i, side]
    for j in range(len(sizes)):
        size = np.int64(sizes[j])
        x = np.float64(counts[j])
        weighted = weights[side, size] * x
        tokens_of_side += counts[j]
        squares_of_side += weighted * x
        products_of_side += weighted * size
        if x > most:
            most = x
            of_largest[i, side] = size
    tokens[i, side] = tokens_of_side
    squares[i, side] = squares_of_side
    products[i, side] = products_of_side
    largest[i, side] = most
