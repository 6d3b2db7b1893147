"""What changed: a row for each change of a topic, with a small picture."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from webapp.analysis.findings.change_marks import ChangeMarks, marks_of
from webapp.analysis.findings.kinds.change import ChangeItem
from webapp.analysis.findings.screen.axis import Axis
from webapp.analysis.findings.shapes import FindingHtml
from webapp.platform.drawing.numbers import USUAL_LEVEL
from webapp.platform.drawing.strips import strip

CLEAREST = 9  # changes that a narrow page shows at once


@dataclass(frozen=True)
class ChangeLine:
    """A row with a small picture. row: the finding; clear: whether narrow pages show it at once."""

    row: FindingHtml
    picture: SafeString
    times: str
    ends: str
    clear: bool


def change_lines(rows: Sequence[FindingHtml], axis: Axis | None) -> list[ChangeLine]:
    """Rows of changes as they are drawn, in their order; axis: None where nothing has a date."""
    clear = {row.rank for row in sorted(rows, key=lambda row: row.rank)[:CLEAREST]}
    changes = []
    for row in rows:
        item = row.items[0]
        assert isinstance(item, ChangeItem)
        marks = _place_marks(item, axis) if axis else ChangeMarks(None, [])
        picture = strip(row.line, item.topic.hue, marks.window, marks.levels)
        changes.append(ChangeLine(row, picture, row.times, row.ends, row.rank in clear))
    return changes


def level_of(rows: Sequence[FindingHtml]) -> float:
    """The level of the intervals of all changes."""
    levels = [row.level for row in rows if row.level is not None]
    return levels[0] if levels else USUAL_LEVEL


def _place_marks(item: ChangeItem, axis: Axis) -> ChangeMarks:
    """What its strip marks, from 0 to 1 along the axis."""
    marks = marks_of(item, item.counted_shares, (axis.first, axis.last))
    levels = [(axis.place(first), axis.place(last), share) for first, last, share in marks.levels]
    if marks.window is None:
        return ChangeMarks(None, levels)
    begin, end = marks.window
    return ChangeMarks((axis.place(begin), axis.place(end)), levels)
