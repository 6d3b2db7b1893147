"""{% load codebook %}: how estimates are written and drawn."""

from django import template

from webapp.platform.drawing.numbers import NONE, percent
from webapp.service.codebook.shapes import Cell

register = template.Library()
WIDTH = 200


@register.filter
def of_codes(value: float | None, scale: bool) -> str:
    """A share, or the mean of a scale."""
    return NONE if value is None else f"{value:.2f}" if scale else percent(value)


@register.simple_tag
def interval_line(cell: Cell, most: float) -> dict | None:
    """An estimate with its interval, and that of the coded documents alone, on a line from 0 to
    `most`; None where there is none."""
    if cell.corrected.value is None or cell.corrected.low is None or cell.corrected.high is None:
        return None

    def x(value: float) -> float:
        return WIDTH * min(max(value, 0.0), most) / most

    low, high = cell.sample.low, cell.sample.high
    return {
        "x": x(cell.corrected.value),
        "low": x(cell.corrected.low),
        "high": x(cell.corrected.high),
        "sample": None if low is None or high is None else (x(low), x(high)),
    }
