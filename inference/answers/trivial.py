"""What is true of a collection and tells nothing: what comes again every year, the names of months,
words that stand on all documents of somebody (signatures, addresses, forms), and somebody's own
name."""

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_matrix

from inference.answers.outcome import Outcome
from inference.answers.periods import MONTHS_OF_A_YEAR, months_of

# Times what the same months of other years have, so that a span is worth a sentence
YEARLY_RATIO = 2.0
LEAST_DOCUMENTS = 20  # of the span, and of the same months of other years: of fewer it is not asked
LEAST_VALUE = 50  # documents of a value, so that furniture is looked for
STRETCHES = 5  # of a value's time, with as many documents in each
FURNITURE = 0.8  # part of the documents of one of these that have the word
ALL_TIME = 0.3  # part of all documents of the value that do
ELSEWHERE = 0.15  # part of the other documents that may have it
TIMES = 4.0  # as many as elsewhere, at least

_WORD = re.compile(r"[^\W\d_]+")


def same_months_elsewhere(days: np.ndarray, span: np.ndarray) -> np.ndarray:
    """bool[D]: documents of the months of the year that a span has, in other years than those in
    which it has them. Empty where the dates are of less than two years, or the span has a whole
    year. days: int[D], date.toordinal(), 0 for none; span: bool[D]."""
    dated = days > 0
    months = months_of(np.where(dated, days, 1))
    nowhere = np.zeros(len(days), bool)
    if not (span & dated).any() or not may_come_again(days):
        return nowhere
    of_span = np.unique(months[span & dated])
    of_year = np.unique(of_span % MONTHS_OF_A_YEAR)
    if len(of_year) == MONTHS_OF_A_YEAR:
        return nowhere
    within = np.isin(months, of_span)
    return dated & ~within & np.isin(months % MONTHS_OF_A_YEAR, of_year)


def may_come_again(days: np.ndarray) -> bool:
    """Whether dates are of two years or more, so that every month can be there again. days: int[D],
    date.toordinal(), 0 for none."""
    dated = days[days > 0]
    if not len(dated):
        return False
    first, last = months_of(np.array([dated.min(), dated.max()])).tolist()
    return last - first >= 2 * MONTHS_OF_A_YEAR - 1


def comes_again(outcome: Outcome, days: np.ndarray, span: np.ndarray) -> np.ndarray:
    """bool[T]: of what a span has more, whether it comes every year: the span has less than
    YEARLY_RATIO times what the same months of other years have. False where these have too few
    documents to tell.

    outcome: of D documents, words of each topic, or 1 for documents with a word. days: int[D],
    date.toordinal(), 0 for none. span: bool[D]."""
    elsewhere = same_months_elsewhere(days, span)
    if min(np.count_nonzero(span), np.count_nonzero(elsewhere)) < LEAST_DOCUMENTS:
        return np.zeros(outcome.columns, bool)
    side = np.where(span, 0, np.where(elsewhere, 1, -1))  # a month of the span is none elsewhere
    words = np.array([outcome.sizes[span].sum(), outcome.sizes[elsewhere].sum()])
    frequency_here, again = outcome.summed(side, 2) / np.maximum(words, 1.0)[:, None]
    return (frequency_here < YEARLY_RATIO * again) & (again > 0)


class Furniture(NamedTuple):
    """A word that stands on nearly all documents of a value: a signature, an address, a form. here,
    elsewhere: parts of the documents that have it."""

    value: int
    word: int
    here: float
    elsewhere: float


def furniture(has: csc_matrix, values: np.ndarray, days: np.ndarray) -> list[Furniture]:
    """Words that stand on FURNITURE of the documents of any fifth of a value's time, and hardly
    elsewhere: to be proposed as words that do not count, and never to be a finding. Of each value
    those on most of its documents first.

    has: documents x words, nonzero where a document has the word. values: int[D], -1 for none.
    days: int[D], by which the documents of a value are put in order."""
    present = has.tocsr().astype(bool)
    documents_with = np.asarray(present.sum(axis=0)).ravel()
    D = present.shape[0]
    furniture_words: list[Furniture] = []
    sizes = np.bincount(values[values >= 0])
    # Sorted once: to look for each value among all documents takes as many looks as there are pairs
    by_value = np.argsort(values, kind="stable")
    starts = np.searchsorted(values, np.arange(len(sizes) + 1), sorter=by_value)
    for value in np.flatnonzero(sizes >= LEAST_VALUE).tolist():
        documents_of_value = by_value[starts[value] : starts[value + 1]]
        with_word = np.asarray(present[documents_of_value].sum(axis=0)).ravel()
        share_with_word = with_word / len(documents_of_value)
        elsewhere = (documents_with - with_word) / max(D - len(documents_of_value), 1)
        words = np.flatnonzero(
            (share_with_word >= ALL_TIME)
            & (elsewhere < ELSEWHERE)
            & (share_with_word >= TIMES * elsewhere)
        )
        if not len(words):
            continue
        in_time = documents_of_value[np.argsort(days[documents_of_value], kind="stable")]
        stretches = [
            np.asarray(present[documents_of_stretch][:, words].mean(axis=0)).ravel()
            for documents_of_stretch in np.array_split(in_time, STRETCHES)
        ]
        often = words[np.max(stretches, axis=0) >= FURNITURE]
        of_value = [
            Furniture(value, int(word), float(share_with_word[word]), float(elsewhere[word]))
            for word in often
        ]
        furniture_words += sorted(of_value, key=lambda furniture: -furniture.here)
    return furniture_words


def words_of_name(name: str) -> frozenset[str]:
    """The words of a value, in small letters, which say nothing in a sentence about it: "Bill
    Clinton" -> bill, clinton."""
    return frozenset(word.casefold() for word in _WORD.findall(name))


def telling_words(words: Iterable[str], value: str = "", months: Iterable[str] = ()) -> list[str]:
    """Words that may stand in a sentence about a value, or about a time: without those of its own
    name and those that name a month, in the collection's order."""
    words_that_tell = words_of_name(value) | {month.casefold() for month in months}
    return [word for word in words if not words_that_tell & words_of_name(word)]
