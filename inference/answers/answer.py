"""Answers to a question: number, interval and verdict of every row of its family."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from inference.answers import exchanges, ratio as ratios, sides
from inference.answers.acceptance import Acceptance, accept
from inference.answers.outcome import Outcome
from inference.answers.question import Question
from inference.answers.unit_sums import UnitSums, sum_units
from inference.effects.leverage import LEAST_FREEDOM
from inference.effects.unit_documents import LEAST_UNITS
from inference.runtime.arrays import ABOVE_ZERO
from inference.share_intervals import USUAL_LEVEL

# Units with a topic on both sides together, below which nothing is said of it, as of a side below
# LEAST_UNITS. Both sides count together: to count the side that has more would select the topics
# that chance put together.
LEAST_HOLDING = 5
FEW_UNITS = 200  # up to which Student's t does not hold
FEW_THAT_COUNT = 100  # equal units that differ as much in size: below it t does not hold, either
MOST_EXCHANGED = 5_000  # units: above it, and of more cells, exchanges would take too long
SMALL_SIDE = 100  # units of one side of many, up to which t does not hold
MOST_CELLS_OF_SMALL_SIDES = 60_000  # units x topics, of all sizes together: a second
MOST_CELLS_EXCHANGED = 600_000  # units x topics: some seconds
MOST_OF_ONE = 0.5  # of a side's words of a topic, above which they are told as one unit's

Calibration = Literal["exchanged", "t"]


class Obstacle(StrEnum):
    """Why nothing can be said of any topic. Its values are stored with answers, and are those of
    files."""

    FEW_UNITS = "few units"  # of a side
    APART_IN_TIME = "apart in time"  # sides hardly speak at the same times, and time is held
    WHO_SPEAKS = "of who speaks"  # hardly anybody speaks in a span and at other times
    NOT_APART = "not apart"  # a unit alone is a side, or what is held constant says the same


class Verdict(StrEnum):
    """What can be said of one topic: an Obstacle of all of them, or what its own numbers say. Its
    values are those of files and JSON."""

    BEYOND_CHANCE = ""
    CHANCE = "chance"  # the interval holds "no difference"
    FEW_UNITS_HAVE_IT = "few units have it"
    ONE_UNIT = "one unit"  # beyond chance, but mostly one unit's
    FEW_UNITS = Obstacle.FEW_UNITS
    APART_IN_TIME = Obstacle.APART_IN_TIME
    WHO_SPEAKS = Obstacle.WHO_SPEAKS
    NOT_APART = Obstacle.NOT_APART


class Answers(NamedTuple):
    """The answers of one question for T topics (or words); float64[T] unless said otherwise.

    a, b: shares of both sides as they were counted; difference: a - b; low, high: its interval;
    ratio: a / b, inf where b is nothing; ratio_low, ratio_high. p: of no difference, NaN where
    nothing can be said, as the intervals are. accepted: bool[T], beyond chance: exactly where the
    intervals exclude no difference. level: of the intervals, the same for all rows of the family;
    rows: how many there are. critical: how many errors an interval reaches; error: of the
    difference; error_a, error_b: of the shares; df: degrees of freedom of the errors. calibrated:
    "exchanged": by exchanges of units, or "t". units: of a and of b; holding: int64[T], of both
    with the topic. largest: int64[T], the code of the unit with most of the topic on the side that
    has more, -1 for a document or where units were added up; part: what it has of that side's words
    of the topic; without: the difference without it; ratio_without. obstacle: why nothing can be
    said of any topic; None where each has a verdict of its own (`verdict_of`).
    """

    a: np.ndarray
    b: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    ratio: np.ndarray
    ratio_low: np.ndarray
    ratio_high: np.ndarray
    p: np.ndarray
    accepted: np.ndarray
    level: float
    rows: int
    critical: np.ndarray
    error: np.ndarray
    error_a: np.ndarray
    error_b: np.ndarray
    df: float
    calibrated: Calibration
    units: tuple[int, int]
    holding: np.ndarray
    largest: np.ndarray
    part: np.ndarray
    without: np.ndarray
    ratio_without: np.ndarray
    obstacle: Obstacle | None

    @property
    def turned(self) -> "Answers":
        """The answers with side B first."""
        with np.errstate(divide="ignore"):
            return self._replace(
                a=self.b,
                b=self.a,
                difference=-self.difference,
                low=-self.high,
                high=-self.low,
                ratio=1 / self.ratio,
                ratio_low=1 / self.ratio_high,
                ratio_high=1 / self.ratio_low,
                error_a=self.error_b,
                error_b=self.error_a,
                units=self.units[::-1],
                without=-self.without,
                ratio_without=1 / self.ratio_without,
            )

    def ends(self, side: int) -> tuple[np.ndarray, np.ndarray]:
        """(low, high), float64[T] each, of the shares of side 0 (a) or 1 (b), within 0 and 1, of
        the same level; NaN where nothing can be said."""
        share = self.b if side else self.a
        half = self.critical * (self.error_b if side else self.error_a)
        half = np.where(np.isnan(self.p), np.nan, half)
        return np.clip(share - half, 0.0, 1.0), np.clip(share + half, 0.0, 1.0)

    def verdict_of(self, column: int) -> Verdict:
        """What can be said of one topic."""
        if self.obstacle is not None:
            return Verdict(self.obstacle)
        if np.isnan(self.p[column]):
            return Verdict.FEW_UNITS_HAVE_IT
        if not self.accepted[column]:
            return Verdict.CHANCE
        if self.part[column] > MOST_OF_ONE:
            return Verdict.ONE_UNIT
        return Verdict.BEYOND_CHANCE


class Row(NamedTuple):
    """What is known of one question before its family's level is. group: that is side A; None where
    there are no two sides, as along a line. compared: both sides, R is 1; the others as in Answers.
    exchanged: None where Student's t says what chance would make; columns: bool[T], the topics of
    which exchanges say it, None for all of them. obstacle: why nothing can be said
    of any topic; None where something may be."""

    group: int | None
    compared: sides.Difference
    p: np.ndarray
    exchanged: exchanges.Exchanged | None
    holding: np.ndarray
    obstacle: Obstacle | None
    columns: np.ndarray | None = None

    @property
    def size(self) -> np.ndarray:
        """float64[T]: |difference| in errors."""
        return np.abs(self.compared.difference[0]) / self.compared.error[0]


def answer(
    outcome: Outcome,
    question: Question,
    subjects: np.ndarray | None = None,
    level: float | None = None,
) -> Answers:
    """The answers for the first row of a question's family, as two sets have only one. subjects:
    bool[T], the topics that are told; None: all. level: of each interval by itself, 0.95 or more;
    None: what the family gives."""
    return answer_question_family(outcome, question, subjects, level)[0]


def answer_question_family(
    outcome: Outcome,
    question: Question,
    subjects: np.ndarray | None = None,
    level: float | None = None,
    exchange_small_sides: bool = True,
) -> list[Answers]:
    """The answers for every group that is asked, in that order. subjects, level: see `answer`.
    exchange_small_sides: whether a side of few of many units is judged by exchanges, too."""
    sums = sum_units(outcome, question)
    holding = np.count_nonzero(sums.totals[0], axis=0)
    rows = [
        make_row(group, difference, holding) for group, difference in _differences(sums, question)
    ]
    return judge(sums, _calibrate(sums, rows, exchange_small_sides), subjects, level)


def judge(
    sums: UnitSums, rows: list[Row], subjects: np.ndarray | None, level: float | None
) -> list[Answers]:
    """The answers of a family's rows. subjects, level: see `answer`."""
    if subjects is not None:
        rows = [row._replace(p=np.where(subjects, row.p, np.nan)) for row in rows]
    acceptance = accept(np.array([row.p for row in rows])) if rows else Acceptance(0, 0)
    level_of_row = acceptance.level if level is None else level
    return [
        make_answers(row, level_of_row, acceptance.rows, partial(_largest_units, sums, row.group))
        for row in rows
    ]


def _differences(sums: UnitSums, question: Question) -> Iterator[tuple[int, sides.Difference]]:
    """The difference of every group that is asked from all others, with R = 1."""
    units = sides.prepare(*sums.totals) if sums.nested and sums.units else None
    in_group = np.bincount(sums.group, minlength=question.groups)
    for group in question.asked_groups.tolist():
        if in_group[group] in (0, len(sums.group)):
            yield group, _nothing(sums, group)
        elif units is not None:
            yield group, sides.of_nested(units, (sums.group == group)[None])
        elif sums.apart:
            yield group, sides.of_added_up(sums, group)
        else:
            yield group, sides.of_crossing(sums, group)


def make_row(
    group: int | None,
    difference: sides.Difference,
    holding: np.ndarray,
    obstacle: Obstacle | None = None,
) -> Row:
    """A question's row by Student's t. group: as in Row. difference: of one division, R = 1.
    holding: int64[T], units with the topic. obstacle: what is known already."""
    fewest = min(int(difference.units_a[0]), int(difference.units_b[0]))
    if fewest < LEAST_UNITS:
        obstacle = Obstacle.FEW_UNITS
    elif obstacle is None and not difference.df[0] > 0:
        obstacle = Obstacle.NOT_APART
    row = Row(
        group=group,
        compared=difference,
        p=np.empty(0),
        exchanged=None,
        holding=holding,
        obstacle=obstacle,
    )
    p = 2 * stdtr(max(float(difference.df[0]), LEAST_FREEDOM), -row.size)
    may_be_tested = np.isfinite(p) & (holding >= LEAST_HOLDING) & (obstacle is None)
    return row._replace(p=np.where(may_be_tested, p, np.nan))


def _nothing(sums: UnitSums, group: int) -> sides.Difference:
    """One side has no documents."""
    columns = sums.amounts.shape[1]
    unknown = np.full((1, columns), np.nan)
    share = sums.amounts.sum(axis=0)[None] / max(sums.sizes.sum(), ABOVE_ZERO)
    filled = bool((sums.group == group).any())
    return sides.Difference(
        share_a=share if filled else unknown,
        share_b=unknown if filled else share,
        variance_a=unknown,
        variance_b=unknown,
        covariance=unknown,
        df=np.zeros(1),
        units_a=np.array([sums.units if filled else 0]),
        units_b=np.array([0 if filled else sums.units]),
    )


def units_are_few(sums: UnitSums) -> bool:
    """Whether Student's t does not hold, and units can be exchanged."""
    if not sums.nested or sums.independent > MOST_EXCHANGED:
        return False
    if sums.amounts.size > MOST_CELLS_EXCHANGED:
        return False
    return sums.independent <= FEW_UNITS or sums.effective < FEW_THAT_COUNT


def _calibrate(sums: UnitSums, rows: list[Row], exchange_small_sides: bool) -> list[Row]:
    """p by exchanges of units, where these are few, or one side has few: at USUAL_LEVEL Student's t
    must be passed, too, and beyond all exchanges it alone says how small p is."""
    of_size = _rows_by_smaller_side(rows)
    if not of_size:  # nothing is to be told, and there may be no units at all
        return rows
    are_few = units_are_few(sums)
    if not are_few and exchange_small_sides:
        return _calibrate_small_sides(sums, rows, of_size)
    if not are_few:
        return rows
    calibrated = list(rows)
    units = sides.prepare(*sums.totals)
    for units_of_smaller, rows_alike in of_size.items():
        seen = np.array([rows[row_number].size for row_number in rows_alike])
        exchanged = exchanges.exchange(units, units_of_smaller, seen)
        for row_number, reached in zip(rows_alike, exchanged.reached, strict=True):
            calibrated[row_number] = with_exchanges(rows[row_number], reached, exchanged)
    return calibrated


def _rows_by_smaller_side(rows: list[Row]) -> dict[int, list[int]]:
    """How many units the smaller side has -> places of the rows of which something may be said."""
    of_size: dict[int, list[int]] = {}
    for row_number, row in enumerate(rows):
        if row.obstacle is None:
            smaller = min(int(row.compared.units_a[0]), int(row.compared.units_b[0]))
            of_size.setdefault(smaller, []).append(row_number)
    return of_size


def _calibrate_small_sides(
    sums: UnitSums, rows: list[Row], of_size: dict[int, list[int]]
) -> list[Row]:
    """Of many units: p by exchanges where one side has few of them, of topics that Student's t at
    USUAL_LEVEL finds, as no others can be accepted. of_size: as `_rows_by_smaller_side` has it."""
    columns_of_size = {
        smaller: np.any([rows[place].p <= 1 - USUAL_LEVEL for place in places], axis=0)
        for smaller, places in of_size.items()
        if smaller <= SMALL_SIDE
    }
    cells = sums.independent * sum(int(columns.sum()) for columns in columns_of_size.values())
    are_added_up = sums.units != sums.independent
    if not sums.nested or are_added_up or not 0 < cells <= MOST_CELLS_OF_SMALL_SIDES:
        return rows
    calibrated = list(rows)
    amounts, sizes = sums.totals
    for smaller, columns in columns_of_size.items():
        if not columns.any():
            continue
        rows_alike = of_size[smaller]
        units = sides.prepare(amounts[:, columns], sizes)
        seen = np.array([rows[place].size[columns] for place in rows_alike])
        exchanged = exchanges.exchange(units, smaller, seen)
        for place, reached in zip(rows_alike, exchanged.reached, strict=True):
            calibrated[place] = with_exchanges(rows[place], reached, exchanged, columns)
    return calibrated


def with_exchanges(
    row: Row, reached: np.ndarray, exchanged: exchanges.Exchanged, columns: np.ndarray | None = None
) -> Row:
    """The row with p by exchanges. reached: int64[T], exchanges with at least the row's size, of
    some topics alone where they are given. columns: bool[T], these topics; None: all."""
    by_exchange = exchanged.p(reached)
    by_t = row.p if columns is None else row.p[columns]
    p = np.where(reached == 0, np.minimum(by_exchange, by_t), by_exchange)
    p = np.where(by_t > 1 - USUAL_LEVEL, np.maximum(by_exchange, by_t), p)
    p = np.where(np.isnan(by_t), np.nan, p)
    if columns is not None:
        p_of_columns = p
        p = row.p.copy()
        p[columns] = p_of_columns
    return row._replace(p=p, exchanged=exchanged, columns=columns)


def _critical(row: Row, level: float) -> np.ndarray:
    """float64[T]: how many errors an interval of a level reaches."""
    df = max(float(row.compared.df[0]), LEAST_FREEDOM)
    by_t = stdtrit(df, 0.5 + level / 2)
    if row.exchanged is None:
        return np.full(len(row.p), by_t)
    by_exchange, beyond = row.exchanged.critical(level)
    least = by_t if beyond else stdtrit(df, 0.5 + USUAL_LEVEL / 2)
    critical = np.maximum(by_exchange, least)
    if row.columns is None:
        return critical
    critical_of_all = np.full(len(row.p), by_t)
    critical_of_all[row.columns] = critical
    return critical_of_all


def make_answers(
    row: Row,
    level: float,
    tried: int,
    find_largest: Callable[[np.ndarray, np.ndarray], "Largest"],
) -> Answers:
    """The answers for a row whose family's level is known. tried: rows of the family. find_largest:
    gives the unit with most of each topic, from the differences and from which of them are
    accepted."""
    is_tested = ~np.isnan(row.p)
    compared = row.compared
    difference = compared.difference[0]
    critical = _critical(row, level)
    half = np.where(is_tested, critical * compared.error[0], np.nan)
    accepted = is_tested & (np.abs(difference) > half)
    share_a = compared.share_a[0]
    share_b = compared.share_b[0]
    ratio = ratios.with_ends(
        share_a,
        share_b,
        compared.variance_a[0],
        compared.variance_b[0],
        compared.covariance[0],
        critical,
        is_tested,
    )
    largest = find_largest(difference, accepted)
    return Answers(
        a=share_a,
        b=share_b,
        difference=difference,
        low=difference - half,
        high=difference + half,
        ratio=ratio.value,
        ratio_low=ratio.low,
        ratio_high=ratio.high,
        p=row.p,
        accepted=accepted,
        level=level,
        rows=tried,
        critical=critical,
        error=compared.error[0],
        error_a=np.sqrt(compared.variance_a[0]),
        error_b=np.sqrt(compared.variance_b[0]),
        df=float(compared.df[0]),
        calibrated="t" if row.exchanged is None else "exchanged",
        units=(int(compared.units_a[0]), int(compared.units_b[0])),
        holding=row.holding,
        largest=largest.code,
        part=largest.part,
        without=largest.difference,
        ratio_without=largest.ratio,
        obstacle=row.obstacle,
    )


class Largest(NamedTuple):
    """int64[T], and float64[T] each: see Answers."""

    code: np.ndarray
    part: np.ndarray
    difference: np.ndarray
    ratio: np.ndarray


def _largest_units(
    sums: UnitSums, group: int | None, difference: np.ndarray, accepted: np.ndarray
) -> Largest:
    """For each accepted topic the unit with most of its words on the side that has more, and what
    is left without that unit there; -1 and NaN of the others."""
    columns = len(difference)
    largest = Largest(
        np.full(columns, -1, np.int64),
        np.full(columns, np.nan),
        np.full(columns, np.nan),
        np.full(columns, np.nan),
    )
    if group is None or not accepted.any():
        return largest
    sums_of_sides = sums.of_sides(group)
    for side_with_more, sign in ((0, 1.0), (1, -1.0)):
        accepted_columns = np.flatnonzero(accepted & (sign * difference > 0))
        amounts, words = sums_of_sides[side_with_more]
        other_amounts, other_words = sums_of_sides[1 - side_with_more]
        amounts = amounts[:, accepted_columns]
        unit = amounts.argmax(axis=0)
        words_of_largest = amounts[unit, np.arange(len(accepted_columns))]
        total = amounts.sum(axis=0)
        left = (total - words_of_largest) / np.maximum(words.sum() - words[unit], ABOVE_ZERO)
        elsewhere = other_amounts[:, accepted_columns].sum(axis=0) / other_words.sum()
        largest.code[accepted_columns] = sums.code[unit]
        largest.part[accepted_columns] = words_of_largest / total
        largest.difference[accepted_columns] = sign * (left - elsewhere)
        with np.errstate(divide="ignore", invalid="ignore"):
            largest.ratio[accepted_columns] = (left / elsewhere) ** sign
    return largest
