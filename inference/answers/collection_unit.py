"""The unit of a collection: the field whose texts are alike, so that they count as one
(a speaker, an author, a source). It is found in the data; the name of no field is read.

Every column is looked at, whatever else it is used for, and what can be derived from columns of
which nearly all values differ (names of files, numbered titles, lists of names). Columns that say
the same are one field; a field whose values lie within another's is nested in it. How much texts of
one value are alike is the design effect: the variance of sums over values, divided by the variance
that independent documents would give (Kish 1965, section 8.2), of the median of the directions in
which the words of documents differ most.

No number tells whether texts are alike because somebody wrote them or because they have one
subject (arXiv's categories are as alike as the speeches of a parliament's members). So sentences
say "alike", and `UnitChoice.certainty` is "likely", to be asked, where texts are as alike as texts of
one subject.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from inference.documents import even_step
from inference.kernels import rng
from inference.rarity import inverse_frequency_in_sample
from inference.runtime.arrays import ABOVE_ZERO

FEWEST_VALUES = 10  # values of a unit: of fewer nobody knows how they vary
LEAST_EFFECTIVE = FEWEST_VALUES / 2  # values that count, where a few have most of the documents
# Part of the documents whose value another document has: else it is an id or a title
SHARED_PART = 0.5
KNOWN = 0.8  # part of the documents that have a value: of the others nothing would be known
# Part of the documents in pairs of values that go together: one field under two names
SAME_FIELD_PART = 0.99
SAME_VALUES = 0.05  # by which part the numbers of values of two such columns may differ
NESTED = 0.97  # part of the documents in the main value of the coarser field
ALIKE = 1.1  # design effect below which a field does not matter: random codes reach it in 6 of 100
CLEAR = 1.5  # design effect below which the choice is unsure
COARSER = 2.0  # times the finer field's design effect, so that the coarser one is the unit
RIVAL = 0.5  # of the unit's design effect: a field beside it that has as much is asked for
SUBJECT = 0.1  # intraclass correlation that texts of one subject have, too: then it is asked
LISTED_PART = 0.2  # part of the values that are lists of the column's own values: keywords, places
WORDS = 0.5  # part of letters from which a column is one of words
DIGITS = 0.3  # part of letters below which a column may be of measured numbers
DIFFERENT = 0.5  # part of different values from which on parts of values are looked at
DERIVED = 1 / 3  # a derived column has fewer values than this part of the documents
LISTS = 0.2  # part of the values of a column that are lists, so that their first is looked at
REGULAR = 0.9  # part of the values with the usual number of words, so that words have a place
MOST_WORDS = 5  # words of such a value, at most
LONGEST_MEAN_VALUE = 120  # characters of a value, on average, above which it is a text and no name
MOST_TEXTS = 100_000  # values of a column whose texts are kept
TEXTS_SAMPLED = 2_000  # texts of values that are looked at
SAMPLE = 40_000  # documents whose likeness is measured, all of a value or none
SAMPLE_PAIRS = 3_000_000  # and different words of documents in these
LEAST_OF_VALUE = 20  # documents of a value, on average, by which an even sample tells likeness
PAIRED = 60_000  # documents that tell aliases and nesting
DIRECTIONS = 40  # in which documents' words differ most
DIRECTION_DOCUMENTS = 10_000  # from which these are learned
PASSES = 2  # of the randomised decomposition (Halko, Martinsson and Tropp 2011, algorithm 4.4)
LEAST_NORM = 1e-9  # of a document: one whose words are all in every document has length 0
SMALLEST_EIGENVALUE_PART = 1e-10  # of the largest eigenvalue: below it is nothing but rounding
SPARE_DIRECTIONS = 8  # that it uses beyond those that are kept
PERMUTED = 199  # orders of a number's values that are compared with its own
ORDERED = 5_000  # neighbouring values that are compared, at most
DEVIATIONS = 3.0  # from the mean of these from which on neighbours are alike
CALENDAR_VALUES = 4  # a year's parts have more values than this

# It begins where digits, or the signs before them, begin: else each digit of a long row would be tried
_LAST_NUMBER = re.compile(r"(?<![\s_\-–.,:#(])[\s_\-–.,:#(]*(?<!\d)\d+\)?(\.\w{1,5})?$")
_ENDING = re.compile(r"\.\w{1,5}$")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LIST = re.compile(r"[,;|&\n]| and ")
_SEVERAL = re.compile(r"[,;|\n]")

# Names of derived columns: that of the column they are derived from, and one of these
_BEFORE_NUMBER = " without its last number"
_FIRST = ", the first"
_WORD_AT = ", word "
_DERIVED = re.compile(
    rf"(?P<column>.+?)(?:{_BEFORE_NUMBER}|(?P<first>{_FIRST})|{_WORD_AT}(?P<word>\d))", re.DOTALL
)
EXAMPLES = 2  # values of a field that are kept to show what it is, those of most documents
LONGEST_EXAMPLE = 40  # characters of such a value

Certainty = Literal["answered", "sure", "likely", "unsure", "none"]


# Columns: what is known of each document


class Column(NamedTuple):
    """codes: int[D], the value of each document, -1 for none. texts: of the values 0 … , at most
    MOST_TEXTS. values: how many there are. derived: from which column, "" for one of the files."""

    name: str
    codes: np.ndarray
    texts: list[str]
    values: int
    derived: str = ""


def numbered(name: str, texts: Iterable[str], derived: str = "") -> Column:
    """A column of texts, one for each document, "" for none."""
    table: dict[str, int] = {}
    codes = [table.setdefault(text, len(table)) if text else -1 for text in texts]
    return Column(
        name=name,
        codes=np.array(codes, np.int32),
        texts=list(table)[:MOST_TEXTS],
        values=len(table),
        derived=derived,
    )


class Derivation(NamedTuple):
    """How a column was derived. column: from which one; way: the text before its last number, the
    first of a list, or the word at a place, 1 for the first; 0 where no word."""

    column: str
    way: Literal["before number", "first", "word"]
    word: int = 0


def derivation(name: str) -> Derivation | None:
    """How the column of a name was derived; None of one that the files have."""
    match = _DERIVED.fullmatch(name)
    if match is None:
        return None
    if match["word"]:
        return Derivation(match["column"], "word", int(match["word"]))
    return Derivation(match["column"], "first" if match["first"] else "before number")


def without_last_number(text: str) -> str:
    """ "Con 1987 12" -> "Con 1987"; "speech_17.txt" -> "speech"."""
    return _LAST_NUMBER.sub("", text)


def first_of_list(text: str) -> str:
    """ "Ada Lovelace, Charles Babbage" -> "Ada Lovelace"."""
    return _LIST.split(text, maxsplit=1)[0].strip()


def word_at(position: int) -> Callable[[str], str]:
    """ "10Apr2006Clinton568.txt" -> its word at a place: "Apr" at 0, "Clinton" at 1."""

    def word(text: str) -> str:
        words = _WORD.findall(_ENDING.sub("", text))
        return words[position] if position < len(words) else ""

    return word


def derivations(
    name: str, texts: Sequence[str], different: float
) -> dict[str, Callable[[str], str]]:
    """What may be derived from a column: the name of each derived column, and how. texts: some of
    its values. different: how many different values there are for each document."""
    sample = texts[:TEXTS_SAMPLED]
    if not sample or np.mean([len(text) for text in sample]) > LONGEST_MEAN_VALUE:
        return {}
    has_lists = np.mean([bool(_LIST.search(text)) for text in sample])
    first: dict[str, Callable[[str], str]] = {}
    if has_lists > LISTS:
        first[f"{name}{_FIRST}"] = first_of_list
    if different <= DIFFERENT:
        return first
    derived: dict[str, Callable[[str], str]] = {f"{name}{_BEFORE_NUMBER}": without_last_number}
    sizes = np.array([len(_WORD.findall(_ENDING.sub("", text))) for text in sample])
    usual = int(np.median(sizes))
    if usual <= MOST_WORDS and np.mean(sizes == usual) > REGULAR:
        derived |= {f"{name}{_WORD_AT}{number + 1}": word_at(number) for number in range(usual)}
    return derived | first


def with_derived(columns: Iterable[Column], texts: Mapping[str, Sequence[str]]) -> list[Column]:
    """The columns, and those derived from them. texts: of each document, by the columns' names."""
    candidates = []
    for column in columns:
        candidates.append(column)
        of_documents = texts.get(column.name)
        if of_documents is None:
            continue
        different = column.values / max(len(column.codes), 1)
        derived_ways = derivations(column.name, column.texts, different)
        for name, derive in derived_ways.items():
            derived = numbered(name, map(derive, of_documents), column.name)
            if is_useful(derived):
                candidates.append(derived)
    return candidates


def is_useful(derived: Column) -> bool:
    """Whether a derived column is worth looking at: its documents share values."""
    return 2 <= derived.values < DERIVED * len(derived.codes)


# How documents differ


@dataclass(frozen=True)
class Mixes:
    """counts: documents x words. directions: float32[V, DIRECTIONS]: a document's place in each is
    the sum over its words. lengths: float64[D], words of each document."""

    counts: csr_matrix
    directions: np.ndarray
    lengths: np.ndarray

    @cached_property
    def even_sample(self) -> np.ndarray:
        """int64[n]: documents with words, spread evenly over all, at most as many as are looked at
        once. All columns whose values have many documents share it."""
        documents = np.flatnonzero(self.lengths > 0)
        pairs = np.diff(self.counts.indptr)[documents].sum()
        step = max(len(documents) / SAMPLE, pairs / SAMPLE_PAIRS, 1.0)
        sampled = int(len(documents) / step)
        places = (np.arange(sampled) * step).astype(np.int64)
        return documents[places]

    @cached_property
    def projected_sample(self) -> np.ndarray:
        """float64[n, DIRECTIONS]: where the documents of the even sample are, times their words."""
        return project_documents(self, self.even_sample)


def mixes_of(indptr: np.ndarray, words: np.ndarray, counts: np.ndarray, V: int) -> Mixes:
    """The directions in which the words of documents differ most: singular vectors of an even
    sample of documents, words counted by the square root, times the logarithm of how few documents
    have them, each document of length one. Arrays as in inference.bow.Bow, or of its `by_document`,
    in which a document may have several pairs of a word; the same arrays give the same
    directions."""
    D = len(indptr) - 1
    matrix = csr_matrix((counts, words, indptr), shape=(D, V), copy=False)
    lengths = np.asarray(matrix.sum(axis=1, dtype=np.float64)).ravel()
    documents = np.flatnonzero(lengths > 0)
    documents = documents[:: even_step(len(documents), DIRECTION_DOCUMENTS)]
    sample = matrix[documents]
    sample.sum_duplicates()  # of a word in several sections of a document
    return Mixes(matrix, _directions(_weighted(sample)), lengths)


def _weighted(sample: csr_matrix) -> csr_matrix:
    """The words of documents as `mixes_of` counts them. sample: one pair for each word of a
    document."""
    documents = np.bincount(sample.indices, minlength=sample.shape[1])
    rare = inverse_frequency_in_sample(documents, sample.shape[0])
    weight = np.sqrt(sample.data.astype(np.float32)) * rare[sample.indices].astype(np.float32)
    row = np.repeat(np.arange(sample.shape[0]), np.diff(sample.indptr))
    norm = np.sqrt(np.bincount(row, weight**2, minlength=sample.shape[0]))
    weight /= np.maximum(norm, LEAST_NORM)[row].astype(np.float32)
    return csr_matrix((weight, sample.indices, sample.indptr), shape=sample.shape)


def _directions(sample: csr_matrix) -> np.ndarray:
    how_many = min(DIRECTIONS + SPARE_DIRECTIONS, *sample.shape)
    # where every document has every word no document differs from another one
    if how_many == 0 or not sample.data.any():
        return np.zeros((sample.shape[1], 1), np.float32)
    words = sample.shape[1]
    at_random = rng.normals(words * how_many, rng.stream(rng.DIRECTIONS)).reshape(words, how_many)
    side = sample @ at_random
    for _ in range(PASSES):
        of_words = _orthonormal(sample.T @ _orthonormal(side))
        side = sample @ of_words
    directions = _orthonormal(sample.T @ _orthonormal(side))
    return np.ascontiguousarray(directions[:, :DIRECTIONS].astype(np.float32))


def _orthonormal(columns: np.ndarray) -> np.ndarray:
    """Left singular vectors, the largest first, by the eigenvectors of the columns' products. In
    loops, and not by a library of several threads: these wait for each other where other work has
    the processors."""
    products = np.einsum("ij,ik->jk", columns, columns)
    values, vectors = np.linalg.eigh(products)
    largest = np.flatnonzero(values > SMALLEST_EIGENVALUE_PART * max(values[-1], ABOVE_ZERO))[::-1]
    return np.einsum("ij,jk->ik", columns, vectors[:, largest] / np.sqrt(values[largest]))


def project_documents(mixes: Mixes, documents: np.ndarray) -> np.ndarray:
    """float64[n, DIRECTIONS]: where documents are in the directions, times their words. documents:
    int64[n], their numbers."""
    counts = mixes.counts[documents].astype(np.float32)
    return (counts @ mixes.directions).astype(np.float64)


def _away(mixes: Mixes, documents: np.ndarray, projected: np.ndarray) -> np.ndarray:
    """float64[n, DIRECTIONS]: how far documents are from the mix of all of them, times their
    words. projected: see project_documents."""
    n = mixes.lengths[documents]
    return projected - n[:, None] * (projected.sum(axis=0) / max(n.sum(), 1.0))


def design_effect(codes: np.ndarray, mixes: Mixes) -> tuple[float, float]:
    """(design effect, intraclass correlation) of the median direction: how many times larger the
    variance of a mean is than of as many independent documents; and the correlation of two
    documents of one value that this means. (1.0, 0.0) where no document has a value. codes: int[D],
    the value of each document, below 0 for none."""
    documents, sums_of_words = _looked_at(codes, mixes)
    if len(documents) < 2:
        return 1.0, 0.0
    value = np.unique(codes[documents], return_inverse=True)[1]
    n = mixes.lengths[documents]
    away = _away(mixes, documents, sums_of_words)
    between_documents = (away**2).sum(axis=0)
    used = between_documents > 0
    if not used.any():
        return 1.0, 0.0
    between_values = (_by_value(value, away) ** 2).sum(axis=0)
    effect = float(np.median(between_values[used] / between_documents[used]))
    correlation = (effect - 1) / max(_documents_of_value(value, n) - 1, 1e-9)
    valued = np.flatnonzero((codes >= 0) & (mixes.lengths > 0))
    if len(valued) > len(documents) and _is_even(codes, mixes):
        of_all = _documents_of_value(codes[valued], mixes.lengths[valued])
        effect = 1 + (of_all - 1) * correlation
    return effect, float(np.clip(correlation, 0.0, 1.0))


def _documents_of_value(value: np.ndarray, n: np.ndarray) -> float:
    """How many documents the usual one's value has, as their words count."""
    return float((np.bincount(value, n) ** 2).sum() / (n**2).sum())


def _looked_at(codes: np.ndarray, mixes: Mixes) -> tuple[np.ndarray, np.ndarray]:
    """The documents by which the likeness of a column's texts is measured, as project_documents has
    them."""
    if _is_even(codes, mixes):
        valued = codes[mixes.even_sample] >= 0
        return mixes.even_sample[valued], mixes.projected_sample[valued]
    documents = documents_of_whole_values(codes, mixes)
    return documents, project_documents(mixes, documents)


def _is_even(codes: np.ndarray, mixes: Mixes) -> bool:
    """Whether an even sample has enough documents of each value: whole values would be all of a
    large collection."""
    values = int(codes.max(initial=-1)) + 1
    sampled = len(mixes.even_sample)
    is_large = sampled < int(np.count_nonzero(mixes.lengths))
    return is_large and values * LEAST_OF_VALUE <= sampled


def _by_value(value: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Sums of rows by value: float64[values, DIRECTIONS]."""
    ones = np.ones(len(value))
    member = csr_matrix((ones, (value, np.arange(len(value)))), shape=(value.max() + 1, len(value)))
    return member @ rows


def documents_of_whole_values(codes: np.ndarray, mixes: Mixes) -> np.ndarray:
    """int64[n]: documents with a value and words: all of a value or none, of random values until
    there are SAMPLE documents or SAMPLE_PAIRS pairs, of 3 FEWEST_VALUES values at least. codes:
    int[D], each document's value, below 0 for none."""
    documents = np.flatnonzero((codes >= 0) & (mixes.lengths > 0))
    pairs = np.diff(mixes.counts.indptr)[documents]
    if len(documents) <= SAMPLE and pairs.sum() <= SAMPLE_PAIRS:
        return documents
    values = int(codes.max()) + 1
    order = rng.shuffled(values, rng.stream(rng.VALUES_DRAWN))
    documents_before = np.cumsum(np.bincount(codes[documents], minlength=values)[order])
    pairs_before = np.cumsum(np.bincount(codes[documents], pairs, minlength=values)[order])
    within = (documents_before <= SAMPLE) & (pairs_before <= SAMPLE_PAIRS)
    is_drawn = np.zeros(values, bool)
    is_drawn[order[: max(int(within.sum()), 3 * FEWEST_VALUES)]] = True
    return documents[is_drawn[codes[documents]]]


# What a column is


def main_value_part(finer: np.ndarray, coarser: np.ndarray) -> float:
    """The part of the documents that lie in the main value of `coarser` among those of their value
    of `finer`; of an even sample of PAIRED. 1.0: each value of `finer` has one of `coarser`."""
    step = even_step(len(finer), PAIRED)
    finer = finer[::step]
    coarser = coarser[::step]
    valued = (finer >= 0) & (coarser >= 0)
    if not valued.any():
        return 0.0
    values = int(coarser.max()) + 1
    pair_of_document = finer[valued].astype(np.int64) * values + coarser[valued]
    pairs, documents = np.unique(pair_of_document, return_counts=True)
    main = np.zeros(int(finer.max()) + 1, np.int64)
    np.maximum.at(main, pairs // values, documents)
    return float(main.sum() / valued.sum())


def follows_the_calendar(codes: np.ndarray, days: np.ndarray) -> bool:
    """Whether a column is the date itself, or decided by the month of the year or the day of the
    week (their names, a season). codes: int[D], the value of each document, below 0 for none; days:
    int[D], date.toordinal(), 0 for none."""
    step = even_step(len(codes), PAIRED)
    codes = codes[::step]
    days = days[::step]
    if np.mean(days > 0) < REGULAR:
        return False
    different, day = np.unique(days, return_inverse=True)
    if min(main_value_part(codes, day), main_value_part(day, codes)) > SAME_FIELD_PART:
        return True
    calendar = [date.fromordinal(int(value)) if value else None for value in different]
    months = np.array([value.month if value else 0 for value in calendar])
    weekdays = np.array([value.weekday() + 1 if value else 0 for value in calendar])
    return any(
        len(np.unique(part)) > CALENDAR_VALUES
        and main_value_part(part[day], codes) > SAME_FIELD_PART
        for part in (months, weekdays)
    )


def is_measured(column: Column, mixes: Mixes) -> bool:
    """Whether values next to each other in size are alike: a year, an age, a scale. The number of
    an account is not: its neighbours are anybody."""
    sizes = [_size(text) for text in column.texts]
    if not sizes or any(size is None for size in sizes):
        return False
    order = np.argsort(np.array(sizes, float), kind="stable")
    middle = max(0, (len(order) - ORDERED) // 2)
    rank = np.full(column.values, -1)
    rank[order[middle : middle + ORDERED]] = np.arange(len(order[middle : middle + ORDERED]))
    value = np.where(column.codes >= 0, rank[column.codes], -1)
    documents = documents_of_whole_values(value, mixes)
    if len(documents) < 2:
        return False
    present, value = np.unique(value[documents], return_inverse=True)
    n = np.bincount(value, mixes.lengths[documents])
    away = _away(mixes, documents, project_documents(mixes, documents))
    rows = _by_value(value, away) / np.sqrt(np.maximum(n, 1))[:, None]
    orders = [rng.shuffled(len(present), rng.stream(rng.NEIGHBOURS, i)) for i in range(PERMUTED)]
    shuffled = [_near(rows[order]) for order in orders]
    return bool(_near(rows) > np.mean(shuffled) + DEVIATIONS * np.std(shuffled))


def _near(rows: np.ndarray) -> float:
    return float((rows[1:] * rows[:-1]).sum())


def _size(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def listed_part(texts: Sequence[str]) -> float:
    """The part of the values that are lists of values of the same column: keywords, places."""
    values = set(texts)
    lists = 0
    for text in texts[:TEXTS_SAMPLED]:
        words = [word.strip() for word in _SEVERAL.split(text)]
        if len(words) > 1 and sum(word in values for word in words) >= len(words) / 2:
            lists += 1
    return lists / max(min(len(texts), TEXTS_SAMPLED), 1)


# Fields: columns that say the same are one


@dataclass(frozen=True)
class UnitField:
    """What is known of a field. aliases: other columns that say the same; coarser: fields in whose
    values its values lie. values: how many; effective: 1 / the sum of the squared parts of the
    documents; shared, known: parts of the documents; letters: of the signs of its values. effect,
    correlation: as design_effect has them. unfit: why it can't be the unit, "" where it can.
    derived: the column it was derived from. examples: values of most documents, EXAMPLES at
    most."""

    name: str
    values: int
    effective: float
    shared: float
    known: float
    letters: float
    effect: float
    correlation: float
    unfit: str = ""
    derived: str = ""
    aliases: tuple[str, ...] = ()
    coarser: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Its name, and what else it may be called."""
        return (self.name, *self.aliases)

    @property
    def able(self) -> bool:
        """Whether it may be the unit where nobody has said it."""
        return not self.unfit and self.effect >= ALIKE


class FoundFields(NamedTuple):
    """fields: in no order that matters; codes: of each, by its name."""

    fields: list[UnitField]
    codes: dict[str, np.ndarray]


TOO_FEW_VALUES = "fewer than ten values that count"
UNSHARED = "most documents have a value of their own"
UNKNOWN = "many documents have none"
CALENDAR = "follows from the date"
MEASURED = "a number whose neighbours are alike"
LIST = "lists of its own values"


def find(columns: Iterable[Column], days: np.ndarray, mixes: Mixes) -> FoundFields:
    """The fields of a collection. days: int[D], date.toordinal(), 0 for none."""
    fields: dict[str, UnitField] = {}
    by_name: dict[str, Column] = {}
    for column in columns:
        field = _described(column, days, mixes)
        if field is not None:
            fields[column.name] = field
            by_name[column.name] = column
    joined = _joined(fields, by_name)
    nested = [replace(field, coarser=_coarser(field, joined, by_name)) for field in joined]
    return FoundFields(nested, {field.name: by_name[field.name].codes for field in nested})


def _described(column: Column, days: np.ndarray, mixes: Mixes) -> UnitField | None:
    """None for a column with one value, or of which each document has its own."""
    codes = column.codes
    documents = np.bincount(codes[codes >= 0], minlength=column.values)
    if column.values < 2 or documents.max() < 2:
        return None
    D = max(len(codes), 1)
    signs = "".join(column.texts[:TEXTS_SAMPLED])
    parts = documents / documents.sum()
    field = UnitField(
        name=column.name,
        values=column.values,
        effective=float(1 / (parts**2).sum()),
        shared=float(documents[documents > 1].sum() / D),
        known=float(documents.sum() / D),
        letters=sum(sign.isalpha() for sign in signs) / max(len(signs), 1),
        effect=1.0,
        correlation=0.0,
        derived=column.derived,
        examples=_examples(column, documents),
    )
    unfit = _unfit(field, column, days, mixes)
    if unfit in (UNSHARED, UNKNOWN, CALENDAR):
        return replace(field, unfit=unfit)
    effect, correlation = design_effect(codes, mixes)
    return replace(field, unfit=unfit, effect=effect, correlation=correlation)


def _examples(column: Column, documents: np.ndarray) -> tuple[str, ...]:
    """Values of most documents, the shown part of each. documents: int[values], of each value."""
    known = documents[: len(column.texts)]
    most = np.argsort(-known, kind="stable")[:EXAMPLES]
    return tuple(column.texts[value][:LONGEST_EXAMPLE] for value in most)


def _unfit(field: UnitField, column: Column, days: np.ndarray, mixes: Mixes) -> str:
    if field.shared < SHARED_PART:
        return UNSHARED
    if field.known < KNOWN:
        return UNKNOWN
    if follows_the_calendar(column.codes, days):
        return CALENDAR
    if field.values < FEWEST_VALUES or field.effective < LEAST_EFFECTIVE:
        return TOO_FEW_VALUES
    if listed_part(column.texts) >= LISTED_PART:
        return LIST
    if field.letters < DIGITS and is_measured(column, mixes):
        return MEASURED
    return ""


def _joined(fields: dict[str, UnitField], columns: dict[str, Column]) -> list[UnitField]:
    """Columns that say the same as one field, shown by one of words rather than numbers, then by one
    of the files, which its readers know, rather than a derived one, then by the one with most
    letters."""
    joined: list[UnitField] = []
    shown_first = sorted(
        fields.values(),
        key=lambda field: (field.letters < WORDS, bool(field.derived), -round(field.letters, 1)),
    )
    for field in shown_first:
        for i, earlier_field in enumerate(joined):
            if _same(field, earlier_field, columns):
                joined[i] = replace(earlier_field, aliases=(*earlier_field.aliases, field.name))
                break
        else:
            joined.append(field)
    return joined


def _same(a: UnitField, b: UnitField, columns: dict[str, Column]) -> bool:
    if abs(a.values - b.values) > SAME_VALUES * max(a.values, b.values):
        return False
    codes_a = columns[a.name].codes
    codes_b = columns[b.name].codes
    both_ways = min(main_value_part(codes_a, codes_b), main_value_part(codes_b, codes_a))
    return both_ways >= SAME_FIELD_PART


def _coarser(
    field: UnitField, fields: list[UnitField], columns: dict[str, Column]
) -> tuple[str, ...]:
    codes = columns[field.name].codes
    return tuple(
        coarser.name
        for coarser in fields
        if coarser.values < field.values
        and main_value_part(codes, columns[coarser.name].codes) >= NESTED
    )


# The choice


class UnitChoice(NamedTuple):
    """field: the unit, None: documents. certainty: "answered" by a person; "sure"; "likely": to be
    asked, because of rivals, or because it may be a subject; "unsure": texts are hardly alike;
    "none": there is no field that could be the unit."""

    field: UnitField | None
    certainty: Certainty
    rivals: tuple[UnitField, ...] = ()


def field_named(fields: Sequence[UnitField], name: str) -> UnitField | None:
    """The field of a column: the one that it is, or is an alias of."""
    return next((field for field in fields if name in field.names), None)


def choose(
    fields: Sequence[UnitField], compared: Iterable[str] = (), answer: str | None = None
) -> UnitChoice:
    """The unit. compared: names of columns whose values are compared: none of them can be the unit,
    nor what they are nested in; what is nested in them can (speakers of a party). answer: what a
    person said, which wins: a column, "" for documents, None where nobody said it. Where an answer
    is itself compared, documents are the units."""
    said_documents = UnitChoice(None, "answered")
    if answer == "":
        return said_documents
    excluded: set[str] = set()
    for name in compared:
        field = field_named(fields, name)
        if field is not None:
            excluded |= {field.name, *field.coarser}
    answered = field_named(fields, answer) if answer else None
    if answered is not None:
        return said_documents if answered.name in excluded else UnitChoice(answered, "answered")
    able = [field for field in fields if field.able and field.name not in excluded]
    if not able:
        return UnitChoice(None, "none")
    unit = _finest(able)
    fields_beside = [field for field in able if _beside(field, unit)]
    rivals = tuple(field for field in fields_beside if field.effect > RIVAL * unit.effect)
    if unit.effect < CLEAR:
        return UnitChoice(unit, "unsure", rivals)
    if rivals or unit.correlation >= SUBJECT:
        return UnitChoice(unit, "likely", rivals)
    return UnitChoice(unit, "sure")


def _finest(able: list[UnitField]) -> UnitField:
    """The field with the largest design effect; then, while a finer one is nested in it, the finer,
    unless the finer one's values depend on each other within the coarser."""
    unit = max(able, key=lambda field: field.effect)
    while True:
        finer = [
            field
            for field in able
            if unit.name in field.coarser and unit.effect < COARSER * field.effect
        ]
        if not finer:
            return unit
        unit = max(finer, key=lambda field: (field.effect, field.values))


def _beside(field: UnitField, unit: UnitField) -> bool:
    """Whether neither of two fields is nested in the other."""
    if field.name == unit.name:
        return False
    return field.name not in unit.coarser and unit.name not in field.coarser
