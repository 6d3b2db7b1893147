"""The numbers of a chart as a small table: what a notebook keeps of it, and draws again
(static/js/notebook.js)."""

from collections.abc import Mapping, Sequence

import orjson

ROWS, COLUMNS = 200, 20  # of a table that a notebook keeps: more can't be read in it


LOW, HIGH = ": 95% low", ": 95% high"  # behind a column's name: the ends of its intervals


def with_intervals(
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    low: Sequence[Sequence[float | None]],
    high: Sequence[Sequence[float | None]],
) -> tuple[list[str], list[Sequence[float | None]]]:
    """The names of a table's columns and their values, each column followed by the ends of its
    intervals; without these where so many columns would be too many to keep."""
    if 3 * len(columns) >= COLUMNS:
        return list(columns), list(values)
    names: list[str] = []
    kept: list[Sequence[float | None]] = []
    for i, name in enumerate(columns):
        names += [name, name + LOW, name + HIGH]
        kept += [values[i], low[i], high[i]]
    return names, kept


def kept_table(
    by: str, labels: Sequence[str], columns: Sequence[str], shares: Sequence[Sequence[float | None]]
) -> dict[str, list[str] | list[list[str | float | None]]] | None:
    """A line for each label, a column for each topic: {"columns": […], "rows": [[…]]}.
    shares[i][j]: of label i and column j, None where nothing is known; written to four places. None
    where it would be too large to keep."""
    if len(labels) > ROWS or len(columns) >= COLUMNS:
        return None
    rounded = [
        [None if share is None else round(float(share), 4) for share in row] for row in shares
    ]
    return {
        "columns": [by, *columns],
        "rows": [[label, *row] for label, row in zip(labels, rounded, strict=True)],
    }


def json_text(table: Mapping[str, object] | None) -> str:
    """A table as the text of a hidden field; nothing where there is none."""
    return orjson.dumps(table).decode() if table else ""
