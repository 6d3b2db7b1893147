"""Where the bars and parts of the senses of a word are drawn (templates/run/_shift.html, _strip.html)."""

from collections.abc import Sequence

from django import template
from django.http import QueryDict

from webapp.drawing.numbers import count, percent
from webapp.words.shapes import ChartedTopic, Shift, ShiftBin, ShiftCell

register = template.Library()

GAP = 0.18  # of a bin's width, between two bars
TICKS = 6


@register.filter
def along(share: float) -> str:
    """A share as a length of the whole."""
    return f"{100 * share:.3f}%"


@register.simple_tag
def bars(shift: Shift, index: int, height: int) -> list[dict]:
    """The bars of one sense, a bin each, against the tallest of all senses."""
    step = 1 / max(1, len(shift.bins))
    drawn = []
    for i, bin in enumerate(shift.bins):
        cell = bin.cells[index]
        if not cell.tokens:
            continue
        tall = max(1.0, min(1.0, cell.share / shift.tallest) * (height - 1))
        drawn.append({
            "x": along(i * step), "width": along(step * (1 - GAP)), "y": f"{height - 1 - tall:.1f}", "height": f"{tall:.1f}",
            "thin": bin.thin, "lines": cell.lines, "says": says(bin, cell),
        })  # fmt: skip
    return drawn


@register.simple_tag
def parts(bin: ShiftBin, senses: Sequence[ChartedTopic]) -> list[dict]:
    """A bin's strip: a part for each sense."""
    drawn, before = [], 0.0
    for cell, sense in zip(bin.cells, senses, strict=False):  # the last cell is the rest, and stays empty
        if cell.tokens:
            name = sense.name or " ".join(sense.words[:3])
            drawn.append({
                "x": along(before), "width": along(cell.share), "hue": sense.hue, "shade": sense.shade,
                "number": sense.number, "lines": cell.lines, "says": f"{sense.label} {name}, {says(bin, cell)}",
            })  # fmt: skip
        before += cell.share
    return drawn


def says(bin: ShiftBin, cell: ShiftCell) -> str:
    few = " (few)" if bin.thin else ""
    return f"{bin.label}: {count(cell.tokens)} of {count(bin.tokens)}, {percent(cell.share)}{few}"


@register.simple_tag
def ticks(shift: Shift) -> list[str]:
    """Labels of some bins, the first and the last among them, evenly apart."""
    labels = [bin.label for bin in shift.bins]
    last = len(labels) - 1
    shown = min(TICKS, len(labels))
    return [labels[round(i * last / max(1, shown - 1))] for i in range(shown)]


@register.simple_tag(takes_context=True)
def with_query(context, **changes) -> str:
    """The page's address with some of its query changed; repeated parameters stay."""
    query: QueryDict = context["request"].GET.copy()
    for name, value in changes.items():
        query[name] = value
    return "?" + query.urlencode()
