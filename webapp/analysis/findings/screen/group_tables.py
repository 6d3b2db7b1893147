"""Who speaks of what: a table for each field, with a row for each value that a topic marks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from webapp.analysis.findings.kinds.mark import MarkItem
from webapp.analysis.findings.screen.axis import Tick
from webapp.analysis.findings.sentences import briefly
from webapp.analysis.findings.shapes import FindingHtml
from webapp.core.documents import corpus_unit

# between two shares that are written on the axis of a table, whose column may be narrow
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
MOST_STEPS = 3
# rows that a narrow page shows at once, of the first table and of each other one
LARGEST_OF_FIRST = 4
LARGEST = 3


@dataclass(frozen=True)
class GroupLine:
    """A topic in the documents of one value. here, rest, low: of 100, places of the dot for the
    value, of the ring for all other documents, and where the interval begins, which is `interval`
    long. clear: whether narrow pages show it at once."""

    row: FindingHtml
    item: MarkItem
    here: float
    rest: float
    low: float
    interval: float
    says_here: str
    says_rest: str
    clear: bool = True


@dataclass(frozen=True)
class GroupTable:
    """Rows of one field. speaks: whether a person said that its values are who speaks; of_number:
    whether the field is a number, of which the lower and the upper third are rows. further: how many
    rows a narrow page shows only where it is asked to."""

    field: str
    speaks: bool
    of_number: bool
    ticks: list[Tick]
    lines: list[GroupLine]
    further: int


def group_tables(rows: Sequence[FindingHtml], unit: corpus_unit.Unit) -> list[GroupTable]:
    """A table for each field, the values with most of their topic first."""
    speaking = unit.field.names if unit.field and unit.certainty == "answered" else ()
    by_field: dict[str, list[FindingHtml]] = {}
    for row in rows:
        item = row.items[0]
        assert isinstance(item, MarkItem)
        by_field.setdefault(item.field, []).append(row)
    tables = [
        _table(name, rows_of_field, name in speaking) for name, rows_of_field in by_field.items()
    ]
    return [
        _with_further(table, LARGEST if place else LARGEST_OF_FIRST)
        for place, table in enumerate(tables)
    ]


def _with_further(table: GroupTable, shown: int) -> GroupTable:
    """The table for narrow pages, too, which show so many rows at once."""
    lines = [replace(line, clear=place < shown) for place, line in enumerate(table.lines)]
    return replace(table, lines=lines, further=max(0, len(lines) - shown))


def _table(name: str, rows: list[FindingHtml], speaks: bool) -> GroupTable:
    items = [item for row in rows for item in row.items if isinstance(item, MarkItem)]
    largest = max(max(item.here.high, item.rest) for item in items)
    step = next((step for step in STEPS if largest <= MOST_STEPS * step), STEPS[-1])
    end = min(1.0, math.ceil(largest / step) * step)

    def place(share: float) -> float:
        return round(100 * min(1.0, share / end), 2)

    lines = [
        GroupLine(
            row=row,
            item=item,
            here=place(item.here.share),
            rest=place(item.rest),
            low=place(item.here.low),
            interval=round(place(item.here.high) - place(item.here.low), 2),
            says_here=briefly(item.here.share),
            says_rest=briefly(item.rest),
        )
        for row, item in zip(rows, items, strict=True)
    ]
    lines.sort(key=lambda line: -line.here)
    marks = [Tick(place(i * step), f"{100 * i * step:.0f}%") for i in range(round(end / step) + 1)]
    of_number = items[0].bounds is not None
    return GroupTable(name, speaks, of_number, marks, lines, further=0)
