"""Estimates of a concept as a page has them, and as sentences write them: shares in percent, and
means of a scale as they are."""

from inference.codes import estimate
from webapp.platform.drawing.numbers import percent
from webapp.platform.storage.nulls import number_or_none
from webapp.service.codebook.shapes import Interval


def interval_of(bounds: estimate.Bounds, cell: int | tuple = ()) -> Interval:
    """cell: whose, of bounds of several cells."""
    return Interval(
        value=number_or_none(bounds.estimate[cell]),
        low=number_or_none(bounds.low[cell]),
        high=number_or_none(bounds.high[cell]),
    )


def write_interval(interval: Interval, is_scale: bool) -> str:
    """62% (95% interval 55% to 68%)"""

    def written(number: float | None) -> str:
        return f"{number:.2f}" if is_scale else percent(number)

    if interval.low is None or interval.high is None:
        return written(interval.value)
    ends = f"{written(interval.low)} to {written(interval.high)}"
    return f"{written(interval.value)} (95% interval {ends})"


def write_difference(difference: Interval, is_scale: bool) -> str:
    """+7 points (95% interval −1 to +15)"""

    def written(number: float | None) -> str:
        number = number or 0.0
        digits = f"{number:.2f}" if is_scale else f"{100 * number:.0f}"
        if not float(digits):  # "-0" and "+0" of what rounds to nothing
            return digits.removeprefix("-")
        return digits.replace("-", "−") if number < 0 else f"+{digits}"

    unit = "" if is_scale else " points"
    ends = f"{written(difference.low)} to {written(difference.high)}"
    return f"{written(difference.value)}{unit} (95% interval {ends})"
