"""Fields of a collection as the variables of a formula: the levels that documents have, and how a
setting is named."""

from dataclasses import dataclass
from datetime import date

import numpy as np

from inference.effects import design
from inference.errors import Invalid
from webapp.analysis.effects.formula import Formula, Term
from webapp.core.documents import corpus_unit, days, document_days, document_groups, fields
from webapp.intake.metadata import Number, ValueField
from webapp.intake.metadata.groups import PERIODS
from webapp.intake.metadata.number import parse_number, written
from webapp.models import Version

LEVELS = 12  # values of a category that are told apart, the most frequent; the others are one more
STEPS = 1024  # of numbers and dates
DATE = "date"
OTHERS = "other values"
DAYS_OF_A_YEAR = 366
# years that a chart spans, beyond which its dates are years, or months
YEARS_SHOWN = 20
MONTHS_SHOWN = 2
MOST_DIGITS = 12  # behind the point, that a setting is rounded to: more name no other step
_TAILS = 0.1  # of the words lie before the first setting along a line, and behind the second


@dataclass(frozen=True)
class Levels:
    """A field in levels. place: int32[D], the level of each document, -1 for none. labels: of the
    levels; values: float64[L], ascending, of numbers and dates, None of a category. others: whether
    the last label is OTHERS, of several values."""

    term: Term
    place: np.ndarray
    labels: list[str]
    values: np.ndarray | None = None
    others: bool = False

    @property
    def named(self) -> list[str]:
        """Values that are told apart."""
        return self.labels[:-1] if self.others else self.labels

    def variable(self, weight: np.ndarray) -> design.Variable:
        """weight: float64[D], words of each document."""
        if self.values is None:
            return design.Variable(self.place, design.levels(len(self.labels)))
        along = (
            design.curve(self.values, self.words(weight))
            if self.term.curve
            else design.line(self.values)
        )
        return design.Variable(self.place, along)

    def shown(self, levels: np.ndarray) -> list[str]:
        """Labels of a chart: dates as years, months or days, by how far they are apart."""
        if self.term.name != DATE or self.values is None:
            return [self.labels[i] for i in levels]
        days = float(self.values[levels[-1]] - self.values[levels[0]])
        dates = [date.fromordinal(round(self.values[level])).isoformat() for level in levels]
        if days > YEARS_SHOWN * DAYS_OF_A_YEAR:
            return [day[: len("1945")] for day in dates]
        if days > MONTHS_SHOWN * DAYS_OF_A_YEAR:
            return [day[: len("1945-03")] for day in dates]
        return dates

    def words(self, weight: np.ndarray) -> np.ndarray:
        """float64[L]: of each level."""
        has_level = self.place >= 0
        return np.bincount(
            self.place[has_level], weights=weight[has_level], minlength=len(self.labels)
        )

    def setting(self, text: str, letter: str, words: np.ndarray) -> int:
        """The level that a text names; of numbers and dates the nearest, from the first to the last
        that has words. words: float64[L]. Raises Invalid."""
        name = self.term.name
        if self.values is None:
            if text in self.named:
                return self.named.index(text)
            raise Invalid(
                letter,
                f"“{text[:80]}” is no value of “{name}” that is told apart:"
                f" {', '.join(self.named[:LEVELS])}.",
            )
        ends = [
            days.ordinal(text, letter, last) if name == DATE else parse_number(text)
            for last in (False, True)
        ]
        if ends[0] is None or ends[1] is None:
            raise Invalid(letter, f"A number was expected for “{name}”, got “{text[:40]}”.")
        used_levels = np.flatnonzero(words > 0)
        first = int(used_levels[0])
        last = int(used_levels[-1])
        near = (self.values[-1] - self.values[0]) / max(len(self.values) - 1, 1) / 2
        if ends[1] < self.values[first] - near or ends[0] > self.values[last] + near:
            raise Invalid(
                letter,
                f"“{name}” goes from {self.labels[first]} to {self.labels[last]} in these"
                f" documents, and nothing is known of “{text[:40]}”.",
            )
        nearest = int(np.abs(self.values - ends[0]).argmin())
        return min(max(nearest, first), last)

    def usual(self, words: np.ndarray) -> tuple[int, int]:
        """Two levels that are compared where none are asked for: the most frequent values, or a
        tenth of the words from either end. words: float64[L]."""
        if self.values is None and self.term.name not in PERIODS:
            named_levels = [
                i for i in np.argsort(-words, kind="stable").tolist() if i < len(self.named)
            ]
            return (named_levels[0], named_levels[1]) if len(named_levels) > 1 else (0, 0)
        first, last = np.searchsorted(
            np.cumsum(words) / max(words.sum(), 1.0), [_TAILS, 1 - _TAILS]
        )
        return int(first), int(min(last, len(words) - 1))


def of_term(
    version: Version, term: Term, asked_values: list[str], most_levels: int = LEVELS
) -> Levels:
    """asked_values: values of a category that are told apart though they are not frequent;
    most_levels: values that are. Raises Invalid for what is no field."""
    if term.name == DATE:
        if document_days.first_and_last(version) is None:
            raise Invalid("formula", f"No document of “{version.corpus.name}” has a date.")
        ordinals = document_days.read_days(version)
        level, values = divide_into_steps(ordinals.astype(float), ordinals > 0)
        return Levels(term, level, [_day(i, values) for i in range(len(values))], values)
    if number := next((f for f in number_fields(version) if f.name == term.name), None):
        values = fields.values(version, number)
        level, values = divide_into_steps(values, number.known(values))
        return Levels(term, level, [name_step(i, values) for i in range(len(values))], values)
    if term.curve:
        raise Invalid(
            "formula", f"A spline is of a number or of “{DATE}”, not of “{term.name[:80]}”."
        )
    if term.name in PERIODS:
        groups = document_groups.read_groups(version, term.name)
        return Levels(term, groups.group, groups.labels)
    category, codes = fields.codes(version, term.name)
    return _of_category(term, category, codes, asked_values, most_levels)


def _of_category(
    term: Term, category: ValueField, codes: np.ndarray, asked_values: list[str], most_levels: int
) -> Levels:
    """The values that were asked for, the most frequent ones, and the others as one."""
    if len(category.values) <= most_levels + 1:
        return Levels(term, codes, category.values)
    named_values = sorted(
        sorted(
            range(len(category.values)), key=lambda i: (category.values[i] not in asked_values, i)
        )[:most_levels]
    )
    level_of_value = np.full(len(category.values) + 1, len(named_values), np.int32)
    level_of_value[named_values] = np.arange(len(named_values))
    level_of_value[-1] = -1
    return Levels(
        term,
        level_of_value[codes],
        [*(category.values[i] for i in named_values), OTHERS],
        others=True,
    )


def _day(i: int, values: np.ndarray) -> str:
    """A step's year, month or day: the shortest that names this step. values: ordinals, of equal
    width."""
    day = date.fromordinal(round(values[i])).isoformat()
    wide = (values[-1] - values[0]) / max(len(values) - 1, 1) or 1.0
    # A year may begin just after the step; the calendar ends with the year 9999.
    middle_of_step = min(round(values[i] + wide / 2), date.max.toordinal())
    ahead = date.fromordinal(middle_of_step).isoformat()
    near = (
        text
        for text in (ahead[:4], day[:4], ahead[:7], day[:7])
        if abs(days.ordinal(text, DATE, last=False) - values[i]) < wide / 2
    )
    return next(near, day)


def name_step(i: int, values: np.ndarray) -> str:
    """A step's number with as few digits as name this step. values: of equal width."""
    half = (values[-1] - values[0]) / max(len(values) - 1, 1) / 2
    exact = float(values[i])
    for digits in range(MOST_DIGITS):
        rounded = round(exact, digits)
        if abs(rounded - values[i]) < half:
            return written(rounded)
    return written(exact)


def _categories(version: Version) -> list[ValueField]:
    """What no other name of a formula hides, with two values or more."""
    hidden = (DATE, *PERIODS)
    categories = [field for field in fields.categories(version) if field.name not in hidden]
    return [field for field in categories if len(field.values) > 1]


def number_fields(version: Version) -> list[Number]:
    """The columns of numbers that a formula may name; dates are none of them."""
    return [number for number in fields.numeric_fields(version) if number.name != DATE]


def divide_into_steps(values: np.ndarray, has_value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(int32[D], -1 for none; float64[L]): each value's place among STEPS of equal width, or among
    as many different values."""
    low = float(values[has_value].min())
    high = float(values[has_value].max())
    is_integral = high - low < STEPS and bool(
        (values[has_value] == np.floor(values[has_value])).all()
    )
    steps = np.linspace(low, high, int(high - low) + 1 if is_integral else STEPS)
    level = np.full(len(values), -1, np.int32)
    level[has_value] = np.rint(
        (values[has_value] - low) / max(high - low, 1e-300) * (len(steps) - 1)
    )
    return level, steps


@dataclass(frozen=True)
class Offered:
    """A term that menus offer. said: as they call it."""

    term: str
    said: str


def offered(version: Version) -> tuple[list[Offered], list[Offered], list[Offered]]:
    """What can be looked at, what the effect may differ by, and what can be held constant. Who
    speaks can't be held constant, nor a field with more values than can be told apart be looked at
    whole."""
    unit = corpus_unit.unit_of(version).name
    categories = [field.name for field in _categories(version)]
    other_categories = [Offered(str(Term(name)), name) for name in categories if name != unit]
    who_speaks = [Offered(str(Term(name)), name) for name in categories if name == unit]
    numbers = [number.name for number in number_fields(version)]
    if document_days.first_and_last(version):
        numbers.insert(0, DATE)
    lines = [Offered(str(Term(name)), f"{name}, as a straight line") for name in numbers]
    curves = [Offered(str(Term(name, curve=True)), f"{name}, as a curve") for name in numbers]
    offered_constant = [Offered(str(Term(name, curve=True)), name) for name in numbers]
    return (
        other_categories + who_speaks + lines + curves,
        other_categories,
        offered_constant + other_categories,
    )


def usual(version: Version) -> Formula | None:
    """What is looked at where nothing is asked for: the category with the fewest values, with the
    date held constant, else a number or the date; None where there is nothing."""
    dated = document_days.first_and_last(version) is not None
    categories = _categories(version)
    if categories:
        fewest = min(categories, key=lambda category: len(category.values))
        held_constant = (Term(DATE, curve=True),) if dated else ()
        return Formula(Term(fewest.name), "", held_constant)
    if dated:
        return Formula(Term(DATE), "", ())
    numbers = number_fields(version)
    if not numbers:
        return None
    return Formula(Term(numbers[0].name), "", ())
