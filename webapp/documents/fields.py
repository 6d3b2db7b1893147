"""What is known of documents beside their text: dates and categories, as columns; and groups of documents by them."""

from datetime import date
from itertools import count, pairwise
from math import floor, log10
from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from webapp.accounts import embargo
from webapp.models import Version
from webapp.storage import files
from webapp.storage.cache import cached
from webapp.storage.columns import NONE, Category, Columns, Days, Number

MOST_GROUPS = 1_200  # bins of a chart: months of a century
LONG = 60  # years above which a chart begins with decades
PERIODS = {"decade": "decades", "year": "years", "month": "months"}
_EPOCH = date(1970, 1, 1).toordinal()


class Groups(NamedTuple):
    """Documents by a period or a category.

    by: "year", "decade", "month", or a category's name, or that of a field of numbers or of other dates. labels: of the groups, periods
    and ranges in their order without a gap, values by frequency. group: int32[D], each document's place in them, -1 for none. bounds: of
    ranges, (low, high) as documents.ranges has them.
    """

    by: str
    labels: list[str]
    group: np.ndarray
    bounds: tuple[tuple[str, str], ...] = ()

    @property
    def in_time(self) -> bool:
        return self.by in PERIODS


@cached(64)
def _columns(version_id: int) -> Columns | None:
    folder = files.version_folder(version_id) / "columns"
    return Columns(folder) if (folder / "meta.json").exists() else None  # read by a version without


def categories(version: Version) -> list[Category]:
    """Under embargo without those that may be texts (webapp.accounts.embargo)."""
    columns = _columns(version.pk)
    found = columns.categories if columns else []
    hidden = embargo.withheld(version.corpus) if found else None
    return [category for category in found if not hidden or hidden.may_count(category.name, category.values)]


def ranges(version: Version) -> list[Number | Days]:
    """Fields of numbers, and of dates beside the first."""
    columns = _columns(version.pk)
    return [*columns.numbers, *columns.days] if columns else []


def values(version: Version, field: Number | Days) -> np.ndarray:
    """float64[D], NaN where there is none; of dates int32[D], date.toordinal(), 0 where there is none."""
    columns = _columns(version.pk)
    return columns.number(field.name) if isinstance(field, Number) else columns.day(field.name)


def codes(version: Version, name: str) -> tuple[Category, np.ndarray]:
    """A category and its codes, int32[D]. Raises Invalid where there is no such category."""
    category = next((category for category in categories(version) if category.name == name), None)
    if category is None:
        names = ", ".join(f"“{c.name}”" for c in categories(version)) or "none"
        raise Invalid("field", f"“{name}” is no category of “{version.corpus.name}”. Its categories: {names}.")
    return category, _columns(version.pk).codes(name)


def dates(version: Version) -> np.ndarray:
    """int32[D]: date.toordinal(), 0 for a document without one."""
    columns = _columns(version.pk)
    return columns.dates if columns else np.zeros(version.documents, np.int32)


def dated(version: Version) -> tuple[date, date] | None:
    """The first and the last day, or None where no document has a date."""
    found = _span(version.pk)
    return (date.fromordinal(found[0]), date.fromordinal(found[1])) if found else None


@cached(64)
def _span(version_id: int) -> tuple[int, int] | None:
    columns = _columns(version_id)
    known = columns.dates[columns.dates > 0] if columns else np.zeros(0, np.int32)
    return (int(known.min()), int(known.max())) if len(known) else None


def period(version: Version) -> str | None:
    """The period that shows a corpus's dates best, None without dates: months below three years, decades above 300."""
    span = dated(version)
    if span is None:
        return None
    years = span[1].year - span[0].year
    if years > 300:
        return "decade"
    return "month" if years < 3 and _in_months(version.pk) else "year"


@cached(64)
def _in_months(version_id: int) -> bool:
    """Whether dates say more than a year: a year alone is read as its first of January."""
    columns = _columns(version_id)
    known = columns.dates[columns.dates > 0]
    months = (known - _EPOCH).astype("datetime64[D]").astype("datetime64[M]")
    return bool((months != months.astype("datetime64[Y]").astype("datetime64[M]")).any())


def groups(version: Version, by: str) -> Groups:
    """Documents by "year", "decade", "month", a category or a field of numbers or dates. Raises Invalid where the corpus has no such thing."""
    if field := next((field for field in ranges(version) if field.name == by and by not in PERIODS), None):
        return _bins(version.pk, field) if isinstance(field, Number) else _other_periods(version.pk, field)
    if by not in PERIODS:
        category, of = codes(version, by)
        return Groups(by, category.values, of)
    if _span(version.pk) is None:
        raise Invalid("field", f"No document of “{version.corpus.name}” has a date.")
    return _periods(version.pk, by)


@cached(16)
def _bins(version_id: int, field: Number) -> Groups:
    """About ten ranges of numbers with round ends, all equally wide; where a few numbers are far above the rest each range is wider than
    the one before."""
    numbers = _columns(version_id).number(field.name)
    edges = _edges(field, float(np.nanmedian(numbers)))
    known = ~np.isnan(numbers)
    group = np.full(len(numbers), NONE, np.int32)
    group[known] = np.searchsorted(edges, numbers[known], side="right") - 1
    ends = list(pairwise(edges))
    if field.whole:
        bounds = tuple((written(low), written(high - 1)) for low, high in ends)
        labels = [low if low == high else f"{low}–{high}" for low, high in bounds]
    else:
        bounds = tuple((written(low), f"<{written(high)}") for low, high in ends)
        labels = [f"{written(low)} to below {written(high)}" for low, high in ends]
    return Groups(field.name, labels, group, bounds)


def _edges(field: Number, median: float) -> list[float]:
    """Ascending; the first at most the least number, the last above the largest."""
    if field.low >= 0 and 0 < median < field.high / 100:
        steps = "1" if field.high > 10_000 * median else "125"
        first = max(floor(log10(median)) - 1, 0 if field.whole else -300)
        rounds = (float(f"{step}e{exponent}") for exponent in count(first) for step in steps)
        edges = [0.0, next(rounds)]
    else:
        wide = (field.high - field.low) / 10
        unit = 10.0 ** floor(log10(wide))
        step = max(
            next(unit * times for times in (1, 2, 5, 10) if unit * times >= 0.999 * wide), 1 if field.whole else 0
        )
        first = floor(field.low / step)
        rounds = (float(f"{step * i:.12g}") for i in count(first + 1))
        edges = [float(f"{step * first:.12g}")]
    while edges[-1] <= field.high:
        edges.append(next(rounds))
    return edges


def written(number: float) -> str:
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else f"{number:.10g}"


@cached(16)
def _other_periods(version_id: int, field: Days) -> Groups:
    years = (field.last - field.first) / 365
    by = "decade" if years > LONG else "year" if years > 3 else "month"
    found = _periods(version_id, by, field.name)
    return found._replace(by=field.name, bounds=tuple(span(found, i) for i in range(len(found.labels))))


@cached(16)
def _periods(version_id: int, by: str, name: str = "") -> Groups:
    """name: of a field of dates; "" for the documents' own."""
    columns = _columns(version_id)
    days = columns.day(name) if name else columns.dates
    months = (days - _EPOCH).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + 1970 * 12
    number = months if by == "month" else months // (12 if by == "year" else 120)
    first, last = (int(f(number[days > 0])) for f in (np.min, np.max))
    if last - first >= MOST_GROUPS:
        raise Invalid(
            "field",
            f"From first to last there are {last - first + 1:,} {PERIODS[by]}; at most {MOST_GROUPS:,} can be shown. Choose a longer period.",
        )
    labels = [_label(by, n) for n in range(first, last + 1)]
    return Groups(by, labels, np.where(days > 0, number - first, NONE).astype(np.int32))


def in_order(version: Version, groups: Groups, places: list[int]) -> list[int]:
    """Places of a category's values as a reader looks for them: by the day of the first document of each, those without one last, then
    by name. Periods and ranges have an order of their own."""
    if groups.in_time or groups.bounds:
        return places
    first = _first_days(version.pk, groups.by)
    return sorted(places, key=lambda i: (first[i], groups.labels[i].casefold()))


@cached(64)
def _first_days(version_id: int, name: str) -> list[int]:
    """date.toordinal() of each value's first document; that of date.max for a value without a date."""
    columns = _columns(version_id)
    found = np.full(len(columns.category(name).values), date.max.toordinal(), np.int32)
    known = (columns.codes(name) != NONE) & (columns.dates > 0)
    np.minimum.at(found, columns.codes(name)[known], columns.dates[known])
    return found.tolist()


def _label(by: str, number: int) -> str:
    if by == "month":
        return f"{number // 12}-{number % 12 + 1:02d}"
    return str(number) if by == "year" else f"{number * 10}s"


def span(groups: Groups, i: int) -> tuple[str, str]:
    """The first and the last date of a period, as addresses name them: ("1910", "1919")."""
    label = groups.labels[i].rstrip("s").zfill(7 if groups.by == "month" else 4)
    return label, label[:3] + "9" if groups.by == "decade" else label


def usual(version: Version) -> str | None:
    """By what a page groups documents that was not asked: a period, else the first category; None where there is neither."""
    by, span = period(version), dated(version)
    if by == "year" and span[1].year - span[0].year > LONG:
        return "decade"
    return by or next((category.name for category in categories(version)), None)


def choices(version: Version) -> list[str]:
    """What a corpus's documents can be grouped by: periods that give at least two groups and not too many, then its categories,
    then its fields of numbers and of other dates."""
    found = []
    if span := dated(version):
        years = span[1].year - span[0].year + 1
        counts = {"decade": years // 10, "year": years, "month": 12 * years if _in_months(version.pk) else 0}
        found = [by for by, count in counts.items() if 1 < count <= MOST_GROUPS]
    return found + [field.name for field in (*categories(version), *ranges(version))]
