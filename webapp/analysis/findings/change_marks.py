"""What a chart of a change marks: when there is more, and the shares that its sentence says."""

from dataclasses import dataclass
from typing import Protocol

from inference.answers.spans import SpanKind
from webapp.analysis.findings import sentences

THIRDS = 3  # of the time: what a sentence compares of a share that rises or falls all along
Level = tuple[float, float, float]  # from and to, in years with fractions, and a share


@dataclass(frozen=True)
class ChangeMarks:
    """What a chart of a change marks. window: the years that have more, as years with fractions, None
    where a share rises or falls all along. levels: the shares that the sentence says, and when."""

    window: tuple[float, float] | None
    levels: list[Level]


class Marked(Protocol):
    """A change, as it is stored or as JSON has it."""

    @property
    def shape(self) -> SpanKind: ...

    @property
    def more(self) -> bool: ...

    @property
    def first(self) -> str: ...

    @property
    def last(self) -> str: ...


def marks_of(
    change: Marked, shares: tuple[float, float], all_time: tuple[float, float]
) -> ChangeMarks:
    """shares: within and outside of it; all_time: when the documents begin and end, in years with
    fractions."""
    within, outside = shares
    begin, end = all_time
    if change.shape == "line":
        third = (end - begin) / THIRDS
        return ChangeMarks(None, [(begin, begin + third, outside), (end - third, end, within)])
    first, behind = sentences.years_of_span(change.first, change.last)
    if change.shape == "step":
        window = (first, end) if change.more else (begin, first)
        return ChangeMarks(window, [(begin, first, outside), (first, end, within)])
    levels = [(begin, first, outside), (first, behind, within), (behind, end, outside)]
    return ChangeMarks((first, behind), levels)
