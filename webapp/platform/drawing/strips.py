"""Small pictures of a row: a share over time with the times that have more, and the ridge of a
family."""

from collections.abc import Sequence

import numpy as np
from django.utils.safestring import SafeString, mark_safe

from webapp.platform.drawing.curves import curve, smoothed

WIDTH = 1000  # of the viewBox: both are stretched to the width of their row
HEIGHT = 34
FLOOR = 1.5  # units from the bottom up to the line of a share of 0
HEADROOM = 4  # so much lower than the whole is the largest share, with the floor
LEAST_SPAN_WIDTH = 0.006  # of the axis: how wide a span is drawn at least
RIDGE_HEIGHT = 40
RIDGE_FLOOR = 39  # the line of a share of 0
RIDGE_PEAK = 38  # units above it
NOTHING = 1e-9  # in place of a largest share of 0


def strip(
    line: Sequence[float | None],
    hue: int,
    window: tuple[float, float] | None,
    levels: Sequence[tuple[float, float, float]],
) -> SafeString:
    """A share over time on its own scale. window: the part of the axis, 0 to 1, that has more; it
    is tinted. levels: (from, to, share) of the dashed lines at the shares that the sentence
    says."""
    values = smoothed(np.array([share or 0.0 for share in line]))
    if len(values) < 2:
        return SafeString()
    largest = max(float(values.max()), *(share for *_, share in levels), NOTHING)

    def y(share: float) -> float:
        return HEIGHT - FLOOR - (HEIGHT - HEADROOM) * share / largest

    xs = _middles(len(values))
    path = curve(xs, [y(float(value)) for value in values])
    dashes = [
        f"M{WIDTH * begin:.0f} {y(share):.1f}H{WIDTH * end:.0f}"
        for begin, end, share in levels
        if end > begin
    ]
    foot = HEIGHT - 1
    closing = f"L{xs[-1]:.0f} {foot}L{xs[0]:.0f} {foot}Z"
    parts = [
        f'<svg class="strip t{hue}" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none"'
        ' aria-hidden="true" focusable="false">',
        _tint_window(window),
        f'<path d="{path}{closing}" class="under"/>',
        f'<path d="{path}" class="line"/>',
        f'<path d="M0 {HEIGHT - 0.5}H{WIDTH}" class="base"/>',
        f'<path d="{"".join(dashes)}" class="level"/></svg>',
    ]
    return mark_safe("".join(parts))  # numbers


def _tint_window(window: tuple[float, float] | None) -> str:
    if window is None:
        return ""
    begin, end = window
    width = max(end - begin, LEAST_SPAN_WIDTH)
    return (
        f'<rect x="{WIDTH * begin:.0f}" y="0" width="{WIDTH * width:.0f}" height="{HEIGHT}"'
        ' class="window"/>'
    )


def _middles(bins: int) -> list[float]:
    return [WIDTH * (i + 0.5) / bins for i in range(bins)]


def ridge(shares: np.ndarray, largest: float, hue: int) -> SafeString:
    """A family over time; `largest` is the top of the scale, which all ridges have."""
    values = smoothed(smoothed(shares))
    if len(values) < 2:
        return SafeString()
    xs = _middles(len(values))
    xs[0] = 0.0
    xs[-1] = float(WIDTH)
    top = max(largest, NOTHING)
    heights = [RIDGE_FLOOR - RIDGE_PEAK * float(value) / top for value in values]
    return mark_safe(
        f'<svg class="ridge t{hue}" viewBox="0 0 {WIDTH} {RIDGE_HEIGHT}"'
        ' preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        f'<path d="{curve(xs, heights)}L{WIDTH} {RIDGE_HEIGHT}L0 {RIDGE_HEIGHT}Z"/></svg>'
    )
