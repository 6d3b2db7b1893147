"""Words of two sets of documents, all of a lexicon at once, from sums over units.

The answers are those that a table of documents and words would give (inference.answers.answer),
which would not fit in memory. inference.index.word_units makes the sums.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from inference.answers import exchanges, sides
from inference.answers.acceptance import accept
from inference.answers.answer import (
    MOST_CELLS_EXCHANGED,
    MOST_EXCHANGED,
    Answers,
    Largest,
    Row,
    make_answers,
    make_row,
    units_are_few,
    with_exchanges,
)
from inference.answers.unit_sums import UnitSums
from inference.share_intervals import USUAL_LEVEL

AmountsOf = Callable[[np.ndarray], np.ndarray]


class UnitWordSums(NamedTuple):
    """Sums over units of n words on sides a and b. tokens: int64[n, 2]. With x the tokens of a word
    that a unit has on a side, m the words of that unit there, and w its weight
    (sides.unit_weights): squares, products: float64[n, 2], sums of w x x and of w x m. crossed:
    float64[n, 3], of units on both sides, with the root of both weights, sums of xa xb, xa mb and
    ma xb. holding: int64[n], units with the word on either side. largest: float64[n, 2], the
    largest x; of_largest: float64[n, 2], that unit's m."""

    tokens: np.ndarray
    squares: np.ndarray
    products: np.ndarray
    crossed: np.ndarray
    holding: np.ndarray
    largest: np.ndarray
    of_largest: np.ndarray

    def some(self, words: np.ndarray) -> "UnitWordSums":
        """The sums of some of the words. words: their places, or bool[n]."""
        return UnitWordSums(*(array[words] for array in self))


def answer_words(sizes: np.ndarray, sums: UnitWordSums, amounts_of: AmountsOf) -> Answers:
    """How each word's share of side a's words differs from that of side b's; all words that can be
    said are one family. sizes: float64[U, 2], words of each unit on either side. amounts_of: gives
    float64[U, n], what each unit has of some words, by their places."""
    if len(sizes) > MOST_EXCHANGED and np.count_nonzero(sizes) == len(sizes):
        row = make_row(0, _difference_of_many(sizes, sums), sums.holding)
        return _judged(sizes, sums, row, None, _that_may_differ(row))
    frame = frame_of_units(sizes)
    row = make_row(0, _difference(frame, sizes, sums), sums.holding)
    words = _that_may_differ(row)
    exchanged = None
    if units_are_few(frame) and 0 < len(words) * len(sizes) <= MOST_CELLS_EXCHANGED:
        exchanged = _exchanged(frame, row, words, amounts_of)
    return _judged(sizes, sums, row, exchanged, words)


def _that_may_differ(row: Row) -> np.ndarray:
    """Places of the words whose Student's t passes: exchanges can only refuse some of them."""
    return np.flatnonzero(np.nan_to_num(row.p, nan=1.0) <= 1 - USUAL_LEVEL)


def frame_of_units(sizes: np.ndarray) -> UnitSums:
    """The units without any word: what all words share. sizes: float64[U, 2], words of each unit on
    either side."""
    unit, side = np.nonzero(sizes > 0)
    totals = sizes.sum(axis=1)
    return UnitSums(
        amounts=np.zeros((len(unit), 0)),
        sizes=sizes[unit, side],
        unit=unit,
        group=side,
        units=len(sizes),
        code=np.arange(len(sizes)),
        apart=len(unit) == len(sizes),
        of_group=np.count_nonzero(sizes, axis=0),
        independent=len(sizes),
        effective=float(totals.sum() ** 2 / (totals**2).sum()) if len(sizes) else 0.0,
    )


def _difference(frame: UnitSums, sizes: np.ndarray, sums: UnitWordSums) -> sides.Difference:
    words = sides.words_of_sides(sizes)
    weights = sides.unit_weights(sizes)
    share = sums.tokens / words
    variance_a, variance_b = _variances(sums, words, (weights * sizes**2).sum(axis=0))
    if frame.nested:
        shared = sides.of_nested(sides.prepare(*frame.totals), (frame.group == 0)[None])
        variance_a, variance_b = sides.larger_of_nested(variance_a, variance_b, *words)
        covariance = np.zeros_like(variance_a)
    else:
        shared = sides.of_crossing(frame, 0)
        common = np.sqrt(weights.prod(axis=1)) * sizes.prod(axis=1)
        share_a, share_b = share.T
        products = sums.crossed[:, 0] - share_b * sums.crossed[:, 1] - share_a * sums.crossed[:, 2]
        covariance = (products + share_a * share_b * common.sum()) / words.prod()
        variance_a, variance_b, covariance = sides.larger_of_crossing(
            variance_a, variance_b, covariance, *words
        )
    return shared._replace(
        share_a=share[None, :, 0],
        share_b=share[None, :, 1],
        variance_a=variance_a[None],
        variance_b=variance_b[None],
        covariance=covariance[None],
    )


def _difference_of_many(sizes: np.ndarray, sums: UnitWordSums) -> sides.Difference:
    """The differences that `_difference` gives where every unit is on one side, up to the order of
    the additions: units of the same size are one term, for ten million documents would take a
    second."""
    words = sides.words_of_sides(sizes)
    by_size = [sides.UnitsBySize.of(sizes[:, side]) for side in range(2)]
    squares = np.array([of_side.weighted_squares for of_side in by_size])
    variance_a, variance_b = _variances(sums, words, squares)
    variance_a, variance_b = sides.larger_of_nested(variance_a, variance_b, *words)
    share_a, share_b = (sums.tokens / words).T
    units_a, units_b = (np.array([of_side.units.sum()]) for of_side in by_size)
    return sides.Difference(
        share_a=share_a[None],
        share_b=share_b[None],
        variance_a=variance_a[None],
        variance_b=variance_b[None],
        covariance=np.zeros((1, len(sums.tokens))),
        df=sides.freedom_by_size(by_size),
        units_a=units_a,
        units_b=units_b,
    )


def _variances(
    sums: UnitWordSums, words: np.ndarray, squares: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The variances of the shares on either side: float64[n]. words, squares: float64[2], of the
    units of each side the sums of their sizes, and of their squares by weight."""
    share = sums.tokens / words
    spread = sums.squares - 2 * share * sums.products + share**2 * squares
    variance_a, variance_b = np.maximum(spread, 0.0).T / words[:, None] ** 2
    return variance_a, variance_b


def _row_of(row: Row, words: np.ndarray) -> Row:
    """The row of some of the words."""
    compared = row.compared
    difference = compared._replace(
        share_a=compared.share_a[:, words],
        share_b=compared.share_b[:, words],
        variance_a=compared.variance_a[:, words],
        variance_b=compared.variance_b[:, words],
        covariance=compared.covariance[:, words],
    )
    return row._replace(compared=difference, p=row.p[words], holding=row.holding[words])


def _exchanged(frame: UnitSums, row: Row, words: np.ndarray, amounts_of: AmountsOf) -> Row:
    part = _row_of(row, words)
    _, sizes = frame.totals
    units = sides.prepare(amounts_of(words), sizes)
    smaller = min(int(part.compared.units_a[0]), int(part.compared.units_b[0]))
    exchanged = exchanges.exchange(units, smaller, part.size[None])
    return with_exchanges(part, exchanged.reached[0], exchanged)


def _judged(
    sizes: np.ndarray, sums: UnitWordSums, row: Row, exchanged: Row | None, words: np.ndarray
) -> Answers:
    """exchanged: of the words `words`; None where Student's t alone decides."""
    p = row.p.copy()
    if exchanged is not None:
        p[words] = exchanged.p
    acceptance = accept(p)
    level = acceptance.level
    answers = make_answers(row._replace(p=p), level, acceptance.rows, _finder(sizes, sums))
    if exchanged is None:
        return answers
    finder = _finder(sizes, sums.some(words))
    return _joined(answers, words, make_answers(exchanged, level, acceptance.rows, finder))


def _joined(answers: Answers, words: np.ndarray, of_words: Answers) -> Answers:
    """answers, with those of some words instead."""
    joined: dict[str, Any] = {}
    for name in Answers._fields:
        column = getattr(answers, name)
        if isinstance(column, np.ndarray):
            joined[name] = column.copy()
            joined[name][words] = getattr(of_words, name)
    return answers._replace(**joined, calibrated=of_words.calibrated)


def _finder(sizes: np.ndarray, sums: UnitWordSums) -> Callable[[np.ndarray, np.ndarray], Largest]:
    """A function that finds for each accepted word what its largest unit has on the side that has
    more, and what is left without that."""
    words = sides.words_of_sides(sizes)
    word = np.arange(len(sums.tokens))

    def find(difference: np.ndarray, accepted: np.ndarray) -> Largest:
        side = np.where(difference > 0, 0, 1)
        sign = np.where(difference > 0, 1.0, -1.0)
        tokens = sums.tokens[word, side].astype(float)
        largest = sums.largest[word, side]
        left_words = words[side] - sums.of_largest[word, side]
        with np.errstate(divide="ignore", invalid="ignore"):
            left = (tokens - largest) / left_words
            elsewhere = sums.tokens[word, 1 - side] / words[1 - side]
            part = np.where(accepted, largest / tokens, np.nan)
            ratio = np.where(accepted, (left / elsewhere) ** sign, np.nan)
        without = np.where(accepted, sign * (left - elsewhere), np.nan)
        return Largest(np.full(len(word), -1, np.int64), part, without, ratio)

    return find
