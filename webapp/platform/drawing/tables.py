"""The numbers of a chart as a small table: what a notebook keeps of it, and draws again
(static/js/notebook.js)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import NamedTuple

import orjson

from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.trends import points

# Of a table that a notebook keeps, at most: more can't be read in it
ROWS = 300  # the years of three centuries
COLUMNS = 20
# What a pin says in place of a table that is too large
TOO_MANY_PERIODS = "The page has {periods:,} periods, which are more than a notebook keeps."
TOO_MANY_TOPICS = "The page has {topics:,} topics, which are more than a notebook keeps as a table."
DIGITS = 4  # behind the point of a share

# Behind a column's name: the ends of its intervals
LOW = ": 95% low"
HIGH = ": 95% high"

# Of a table of differences between two shares, behind the shares
DIFFERENCE_COLUMNS = ["difference, points", "low", "high"]

# Of a map of topics: places are parts of the map's width
MAP_COLUMNS = ["topic", "share of the words", "place from the left", "place from the top"]

Share = float | None
Cell = bool | int | float | str | None


@dataclass(frozen=True)
class KeptTable:
    """The numbers of a chart as they were when it was pinned. rows: each as long as `columns`. hues:
    the colours of the rows, where a chart has them."""

    rows: list[list[Cell]]
    columns: list[Cell]
    hues: list[int] = field(default_factory=list)

    @property
    def shares(self) -> list[bool]:
        """Whether each column holds shares: fractions from 0 to 1, none of them a count."""
        are_shares = []
        for i in range(len(self.columns)):
            column = [row[i] for row in self.rows]
            are_shares.append(_are_shares(column))
        return are_shares

    @property
    def cells(self) -> list[list[tuple[str, Cell]]]:
        """Each cell as it is read, shares in percent, and the number that it stands for."""
        shares = self.shares
        rows = []
        for row in self.rows:
            rows.append([(_write_cell(cell, shares[i]), cell) for i, cell in enumerate(row)])
        return rows


def _are_shares(column: list[Cell]) -> bool:
    values = [cell for cell in column if cell is not None]
    return bool(values) and all(isinstance(cell, float) and 0 <= cell <= 1 for cell in values)


def _write_cell(cell: Cell, share: bool) -> str:
    if cell is None:
        return ""
    return percent(cell) if share else str(cell)


def with_intervals(
    columns: Sequence[str],
    values: Sequence[Sequence[Share]],
    low: Sequence[Sequence[Share]],
    high: Sequence[Sequence[Share]],
) -> tuple[list[str], list[Sequence[Share]]]:
    """The names of a table's columns and their values, each column followed by the ends of its
    intervals; without these where so many columns would be too many to keep."""
    if 3 * len(columns) >= COLUMNS:
        return list(columns), list(values)
    names: list[str] = []
    values_with_ends: list[Sequence[Share]] = []
    for i, name in enumerate(columns):
        names += [name, name + LOW, name + HIGH]
        values_with_ends += [values[i], low[i], high[i]]
    return names, values_with_ends


class ColumnsOfLine(NamedTuple):
    """Where a table has a line's values and the ends of its intervals, None where it has none."""

    values: int
    low: int | None
    high: int | None


def columns_of_lines(names: Sequence[str]) -> list[ColumnsOfLine]:
    """The lines of a table whose columns are called so; the first column says of what each row is.
    Two topics may be called alike, so each line has the ends that follow it."""
    return [
        ColumnsOfLine(i, _find_behind(names, i, LOW), _find_behind(names, i, HIGH))
        for i in range(1, len(names))
        if not names[i].endswith((LOW, HIGH))
    ]


def _find_behind(names: Sequence[str], place: int, end: str) -> int | None:
    """The next column that has the ends of this one's intervals."""
    for i in range(place + 1, len(names)):
        if names[i] == names[place] + end:
            return i
    return None


def has_too_many_rows(labels: Sequence) -> bool:
    """Whether a table with a line for each is too long to be kept."""
    return len(labels) > ROWS


def kept_table(
    by: str, labels: Sequence[str], columns: Sequence[str], shares: Sequence[Sequence[Share]]
) -> KeptTable | None:
    """A line for each label, a column for each topic. shares[i][j]: of label i and column j, None
    or NaN where nothing is known; written to four places. None where it would be too large to
    keep."""
    if has_too_many_rows(labels) or len(columns) >= COLUMNS:
        return None
    rows: list[list[Cell]] = [
        [label, *map(_round_share, row)] for label, row in zip(labels, shares, strict=True)
    ]
    return KeptTable(columns=[by, *columns], rows=rows)


def _round_share(share: Share) -> Share:
    if share is None or not isfinite(share):
        return None
    return round(float(share), DIGITS)


def cells_of_points(*differences: float | None) -> list[str]:
    """Differences of shares in percentage points, "" where one is not known."""
    return [
        "" if difference is None or not isfinite(difference) else points(difference)
        for difference in differences
    ]


def cells_of_shares(shares: Sequence[Share], as_text: Callable[[float], str]) -> list[str]:
    """Shares as they are read, "" where one is not known."""
    return ["" if share is None or not isfinite(share) else as_text(share) for share in shares]


def json_text(table: KeptTable) -> str:
    """A table as the text of a hidden field: {"columns": […], "rows": [[…]], "hues": […]}; without
    colours where the rows have none."""
    fields: dict[str, object] = {"columns": table.columns, "rows": table.rows}
    if table.hues:
        fields["hues"] = table.hues
    return orjson.dumps(fields).decode()
