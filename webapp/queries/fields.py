"""What is known of documents beside their text: dates and categories, as columns; and groups of documents by them."""

from datetime import date
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from webapp import files
from webapp.columns import NONE, Category, Columns
from webapp.models import Version

MOST_GROUPS = 1_200  # bins of a chart: months of a century
LONG = 60  # years above which a chart begins with decades
PERIODS = {"decade": "decades", "year": "years", "month": "months"}
_EPOCH = date(1970, 1, 1).toordinal()


class Groups(NamedTuple):
    """Documents by a period or a category.

    by: "year", "decade", "month", or a category's name. labels: of the groups, periods in their order without a gap,
    values by frequency. group: int32[D], each document's place in them, -1 for none.
    """

    by: str
    labels: list[str]
    group: np.ndarray

    @property
    def in_time(self) -> bool:
        return self.by in PERIODS


@lru_cache(64)
def _columns(version_id: int) -> Columns | None:
    folder = files.version_folder(version_id) / "columns"
    return Columns(folder) if (folder / "meta.json").exists() else None  # read by a version without


def categories(version: Version) -> list[Category]:
    columns = _columns(version.pk)
    return columns.categories if columns else []


def codes(version: Version, name: str) -> tuple[Category, np.ndarray]:
    """A category and its codes, int32[D]. Raises Invalid where there is no such category."""
    columns = _columns(version.pk)
    category = columns.category(name) if columns else None
    if category is None:
        names = ", ".join(f"“{c.name}”" for c in categories(version)) or "none"
        raise Invalid("field", f"“{name}” is no category of “{version.corpus.name}”. Its categories: {names}.")
    return category, columns.codes(name)


def dates(version: Version) -> np.ndarray:
    """int32[D]: date.toordinal(), 0 for a document without one."""
    columns = _columns(version.pk)
    return columns.dates if columns else np.zeros(version.documents, np.int32)


def dated(version: Version) -> tuple[date, date] | None:
    """The first and the last day, or None where no document has a date."""
    found = _span(version.pk)
    return (date.fromordinal(found[0]), date.fromordinal(found[1])) if found else None


@lru_cache(64)
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


@lru_cache(64)
def _in_months(version_id: int) -> bool:
    """Whether dates say more than a year: a year alone is read as its first of January."""
    columns = _columns(version_id)
    known = columns.dates[columns.dates > 0]
    months = (known - _EPOCH).astype("datetime64[D]").astype("datetime64[M]")
    return bool((months != months.astype("datetime64[Y]").astype("datetime64[M]")).any())


def groups(version: Version, by: str) -> Groups:
    """Documents by "year", "decade", "month" or a category. Raises Invalid where the corpus has no such thing."""
    if by not in PERIODS:
        category, of = codes(version, by)
        return Groups(by, category.values, of)
    if _span(version.pk) is None:
        raise Invalid("field", f"No document of “{version.corpus.name}” has a date.")
    return _periods(version.pk, by)


@lru_cache(16)
def _periods(version_id: int, by: str) -> Groups:
    days = _columns(version_id).dates
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
    """What a corpus's documents can be grouped by: periods that give at least two groups and not too many, then its categories."""
    found = []
    if span := dated(version):
        years = span[1].year - span[0].year + 1
        counts = {"decade": years // 10, "year": years, "month": 12 * years if _in_months(version.pk) else 0}
        found = [by for by, count in counts.items() if 1 < count <= MOST_GROUPS]
    return found + [category.name for category in categories(version)]
