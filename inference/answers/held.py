"""Two settings of a design compared, where other things are held constant.

The estimate is that of a regression of documents; its error the larger of CR2's and the pooled one.
Where units are few, the sides are exchanged between units, of what those things leave of each
(Freedman and Lane 1983), within quarters of the units' times where time is held constant. Along a
number that is the units' own (the age of who speaks) its values are exchanged in the same way; what
changes within units, as a date does, can't be, and has Student's t.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from inference.answers import exchanges, sides
from inference.answers.answer import (
    Answers,
    Obstacle,
    Row,
    judge,
    make_row,
    units_are_few,
    with_exchanges,
)
from inference.answers.outcome import CountedTopics
from inference.answers.question import Question, QuestionFamily
from inference.answers.unit_sums import UnitSums, sum_units
from inference.effects import regression
from inference.effects.leverage import ALONE_LEVERAGE_GAP
from inference.kernels import rng
from inference.runtime.arrays import ABOVE_ZERO

Fitted = Callable[[regression.Data, np.ndarray, np.ndarray], regression.Fit]  # as regression.fit
STRATA = 4  # of the units' times
WITHIN = 0.1  # part of a number's variance within units, up to which it is the units' own


class ComparedSettings(NamedTuple):
    """rows: float64[C, P], the design, a row for each cell of the data. compared: float64[2, P],
    the settings a and b; of changes float64[4, P], whose differences are compared: (0 less 1) with
    (2 less 3). side: int8[C], the setting that a cell speaks of, -1 for none; None along a line,
    where every document speaks of all. held: float64[C, R], the columns that are held constant,
    with the constant. time: float64[D], by which units are alike; None where time is not held
    constant."""

    rows: np.ndarray
    compared: np.ndarray
    side: np.ndarray | None
    held: np.ndarray
    time: np.ndarray | None = None


def answer_held(
    data: regression.Data,
    settings: ComparedSettings,
    obstacle: Obstacle | None = None,
    fit: Fitted = regression.fit,
    level: float | None = None,
    exchanges: bool = True,
) -> Answers:
    """The answers for every topic of the data. exchanges: whether few units are tested by
    exchanging them, which is for words that were counted, not for shares that were estimated.
    obstacle: why nothing can be said, where that is known. level: of each interval, 0.95 or more;
    None: what the topics, as one family, give."""
    compared = settings.compared
    of_changes = len(compared) == 4
    if of_changes:
        compared = np.stack([compared[0] - compared[1], compared[2] - compared[3]])
    fitted = fit(data, settings.rows, np.concatenate([compared, compared[:1] - compared[1:]]))
    sums = _unit_sums(data, settings)
    group = 0 if settings.side is not None and not of_changes else None
    if fitted.alone[2] or not np.isfinite(fitted.variance).all():
        obstacle = obstacle or Obstacle.NOT_APART
    holding = np.count_nonzero(sums.totals[0], axis=0)
    row = make_row(group, _difference(fitted, sums), holding, obstacle)
    if exchanges and not of_changes and row.obstacle is None and units_are_few(sums):
        row = _with_exchanges(row, sums, data, settings)
    answers = judge(sums, [row], None, level)[0]
    if not of_changes:
        return answers
    unknown = np.full(data.T, np.nan)
    return answers._replace(ratio=unknown, ratio_low=unknown, ratio_high=unknown)


def _unit_sums(data: regression.Data, settings: ComparedSettings) -> UnitSums:
    """Sums over units of the documents that speak of a setting, in one group for each."""
    side = settings.side
    groups = 1 if side is None else int(side.max(initial=0)) + 1
    of_cell = np.zeros(len(settings.rows), np.int64) if side is None else side
    group = np.where(data.cell >= 0, of_cell[data.cell], -1)
    outcome = CountedTopics(
        doc_ptr=data.doc_ptr,
        doc_topics=data.doc_topics,
        doc_tokens=data.doc_tokens,
        lengths=data.lengths,
        column_of_topic=data.column_of_topic,
        columns=data.T,
    )
    two_group_question = Question(
        group=group,
        groups=groups,
        asked_groups=np.array([0]),
        unit=data.units.unit_of_document,
        family=QuestionFamily.CHOSEN,
    )
    return sum_units(outcome, two_group_question)


def _difference(fitted: regression.Fit, sums: UnitSums) -> sides.Difference:
    """With the error that is larger, and the parts of it that both settings have."""
    larger = fitted.pooled[2] > fitted.variance[2]
    variance = np.where(larger, fitted.pooled, fitted.variance)
    fewest = int(sums.of_group.min()) if len(sums.of_group) else 0
    first = int(sums.of_group[0]) if len(sums.of_group) else 0
    smaller_side = first if len(sums.of_group) == 1 else int(sums.of_group[1])
    if len(sums.of_group) > 2:  # of changes: of each the side with fewest
        first = fewest
        smaller_side = fewest
    return sides.Difference(
        share_a=fitted.estimate[:1],
        share_b=fitted.estimate[1:2],
        variance_a=variance[:1],
        variance_b=variance[1:2],
        covariance=(variance[:1] + variance[1:2] - variance[2:]) / 2,
        df=fitted.df[2:],
        units_a=np.array([first]),
        units_b=np.array([smaller_side]),
    )


def _with_exchanges(
    row: Row, sums: UnitSums, data: regression.Data, settings: ComparedSettings
) -> Row:
    """The row judged by exchanges of units; unchanged where the number along a line is not the
    units' own."""
    of_units = _of_units(sums, data, settings)
    if of_units.within > WITHIN:
        return row
    along = of_units.along if settings.side is None else (sums.group == 0).astype(float)
    time = of_units.time
    stratum = np.zeros(sums.units, np.int64)
    if time is not None:
        stratum = np.digitize(time, np.quantile(time, np.arange(1, STRATA) / STRATA))
    sizes = _sizes_by_exchange(sums, along, of_units.held, stratum)
    exchanged = exchanges.collect(sizes, row.size[None])
    return with_exchanges(row, exchanged.reached[0], exchanged)


class OfUnits(NamedTuple):
    """Means over each unit's words: held: float64[U, R], what is held constant; along: float64[U],
    the number along a line; time: float64[U], None where it is not held. within: the part of the
    number's variance that lies within units, 0 of two sides."""

    held: np.ndarray
    along: np.ndarray
    time: np.ndarray | None
    within: float


def _columns(settings: ComparedSettings) -> tuple[np.ndarray, np.ndarray]:
    """float64[C], float64[C, R] of each cell: a column whose coefficient is the difference of the
    two settings along a line, and those that span all designs without that difference. Of two sides
    the latter are what is held constant."""
    if settings.side is not None:
        return np.zeros(len(settings.rows)), settings.held
    contrast = settings.compared[0] - settings.compared[1]
    without = np.linalg.svd(contrast[None])[2][1:]
    return settings.rows @ contrast / (contrast @ contrast), settings.rows @ without.T


def _of_units(sums: UnitSums, data: regression.Data, settings: ComparedSettings) -> OfUnits:
    """Units are those of `sums`, numbered as the data has them."""
    row_of_unit = np.full(data.units.U, -1)
    row_of_unit[sums.code] = np.arange(sums.units)
    speaks = np.zeros(len(settings.rows)) if settings.side is None else settings.side
    spoken = np.where(data.cell >= 0, speaks[data.cell], -1) >= 0
    with_words = np.flatnonzero(spoken & (data.lengths > 0))
    row_of_document = row_of_unit[data.units.unit_of_document[with_words]]
    words = data.lengths[with_words].astype(float)
    of_unit = np.bincount(row_of_document, weights=words, minlength=sums.units)

    def mean(values: np.ndarray) -> np.ndarray:
        return np.bincount(row_of_document, weights=words * values, minlength=sums.units) / of_unit

    number, held = _columns(settings)
    of_document = number[data.cell[with_words]]
    along = mean(of_document)
    spread = words @ (of_document - words @ of_document / words.sum()) ** 2
    within = 0.0
    if spread:
        within = float(words @ (of_document - along[row_of_document]) ** 2 / spread)
    return OfUnits(
        held=np.stack([mean(column) for column in held[data.cell[with_words]].T], axis=1),
        along=along,
        time=None if settings.time is None else mean(settings.time[with_words]),
        within=within,
    )


def _sizes_by_exchange(
    sums: UnitSums, along: np.ndarray, constants: np.ndarray, stratum: np.ndarray
) -> Iterator[np.ndarray]:
    """|difference| / error of exchanged units, [n, T] each. along: float64[U], 1 on side A and 0 on
    the other, or a number."""
    sizes = sums.sizes
    inverse = np.linalg.pinv(constants.T @ (sizes[:, None] * constants))
    explained = inverse @ (constants.T @ sums.amounts)
    residual = sums.amounts - sizes[:, None] * (constants @ explained)
    projection = (sizes[:, None] * constants) @ inverse @ constants.T
    prepared = residual, residual**2, residual * sizes[:, None], sizes
    for done in range(0, exchanges.EXCHANGES, exchanges.AT_ONCE):
        draws = range(done, min(done + exchanges.AT_ONCE, exchanges.EXCHANGES))
        side = rng.exchanged_within(along, stratum, rng.streams(rng.HELD_SIDES, draws))
        yield _size(side - side @ projection, *prepared)


def _size(
    side: np.ndarray,
    residual: np.ndarray,
    squares: np.ndarray,
    products: np.ndarray,
    sizes: np.ndarray,
) -> np.ndarray:
    """float64[n, T]: |difference| / error. side: float64[n, U], less what is held constant says of
    it."""
    spread = (sizes * side**2).sum(axis=1)[:, None]
    difference = (side @ residual) / spread
    leverage = np.clip(sizes * side**2 / spread, 0, 1 - ALONE_LEVERAGE_GAP)

    def summed(weight: np.ndarray) -> np.ndarray:
        """Squares of what the difference leaves of each unit."""
        crossed = (weight * side) @ products
        of_sizes = ((weight * side**2) @ sizes**2)[:, None]
        return weight @ squares - 2 * difference * crossed + difference**2 * of_sizes

    robust = summed(side**2 / (1 - leverage)) / spread**2
    pooled = summed(1 / (1 - leverage)) / sizes.sum() / spread
    return np.abs(difference) / np.sqrt(np.maximum(np.maximum(robust, pooled), ABOVE_ZERO))
