"""How numbers and topics are written on every page; static/js/format.js says the same for live
numbers."""

import math
from collections.abc import Iterable

from django import template

register = template.Library()

NONE = "–"


def listed(names: Iterable[str]) -> str:
    """One after the other, the last after "and"; at least one."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


@register.filter
def hue(number):
    """The class of a colour (drawing.colours)."""
    return f"t{int(number)}"


@register.filter
def topic_label(number):
    """7 -> T07."""
    return f"T{int(number):02d}"


@register.filter
def count(number):
    return NONE if number is None or number == "" else f"{int(number):,}"


@register.filter
def percent(share):
    """A share in words: one decimal below ten per cent, two below a fifth of one, as topics among
    2,000 have; and never a misleading 0.0%."""
    if share is None or share == "":
        return NONE
    if 0 < share < 0.002:
        return f"{100 * share:.2f}%" if share >= 0.00005 else "<0.01%"
    return f"{100 * share:.1f}%" if share < 0.1 else f"{100 * share:.0f}%"


@register.filter
def level(part):
    """The level of intervals: "95%", "99.87%"; as many digits as tell it from 100%."""
    digits = max(1, math.ceil(-math.log10(max(1 - part, 1e-9))) - 1)
    return f"{100 * part:.{digits}f}".rstrip("0").rstrip(".") + "%"


@register.filter
def width(share):
    """A share as the width of an SVG rectangle: a thin sliver stays visible."""
    return f"{max(0.3, min(100.0, 100 * (share or 0))):.2f}%"


@register.filter
def along(share):
    """Where a share stands on a line from 0 to 1, as an SVG length; half a dot is left at either
    end."""
    return f"{3 + 94 * share:.2f}%"


@register.filter
def decimals(number, places=3):
    """A fixed number of decimals, with a true minus sign."""
    return NONE if number is None or number == "" else f"{number:.{places}f}".replace("-", "−")


@register.filter
def weight(probability):
    """Three significant digits without an exponent: 0.0123."""
    if not probability:
        return NONE if probability is None else "0"
    digits = next((n for n in range(3, 7) if probability >= 10 ** (2 - n)), 7)
    return f"{probability:.{digits}f}"


@register.filter
def duration(seconds):
    if seconds is None or seconds == "":
        return NONE
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"


@register.filter
def bytes(number):
    """Decimal units, as file managers show them."""
    size = float(number or 0)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
