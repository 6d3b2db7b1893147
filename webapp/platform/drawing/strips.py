"""Small pictures of a row: a share over time with the times that have more, a span on an axis."""

from collections.abc import Sequence

import numpy as np
from django.utils.safestring import SafeString, mark_safe

from webapp.platform.drawing.curves import curve, smoothed

HEIGHT = 34
LEAST = 0.006  # of the axis: how wide a span is drawn at least


def strip(
    line: Sequence[float | None],
    hue: int,
    window: tuple[float, float] | None,
    levels: Sequence[tuple[float, float, float]],
) -> SafeString:
    """A share over time on its own scale. window: the part of the axis, 0 to 1, that has more; it is
    tinted. levels: (from, to, share) of the dashed lines at the shares that the sentence says."""
    values = smoothed(np.array([share or 0.0 for share in line]))
    if len(values) < 2:
        return SafeString()
    most = max(float(values.max()), *(share for *_, share in levels), 1e-9)
    heights = [HEIGHT - 1.5 - (HEIGHT - 4) * float(value) / most for value in values]
    xs = [1000 * (i + 0.5) / len(values) for i in range(len(values))]
    path = curve(xs, heights)
    tinted = ""
    if window is not None:
        begin, width = 1000 * window[0], 1000 * max(window[1] - window[0], LEAST)
        tinted = (
            f'<rect x="{begin:.0f}" y="0" width="{width:.0f}" height="{HEIGHT}" class="window"/>'
        )
    dashes = "".join(
        f"M{1000 * begin:.0f} {HEIGHT - 1.5 - (HEIGHT - 4) * share / most:.1f}H{1000 * end:.0f}"
        for begin, end, share in levels
        if end > begin
    )
    return mark_safe(
        f'<svg class="strip t{hue}" viewBox="0 0 1000 {HEIGHT}" preserveAspectRatio="none"'
        f' aria-hidden="true" focusable="false">{tinted}'
        f'<path d="{path}L{xs[-1]:.0f} {HEIGHT - 1}L{xs[0]:.0f} {HEIGHT - 1}Z" class="under"/>'
        f'<path d="{path}" class="line"/><path d="M0 {HEIGHT - 0.5}H1000" class="base"/>'
        f'<path d="{dashes}" class="level"/></svg>'
    )


def ridge(shares: np.ndarray, most: float, hue: int) -> SafeString:
    """A family over time; `most` is the top of the scale, which all ridges have."""
    values = smoothed(smoothed(shares))
    if len(values) < 2:
        return SafeString()
    xs = [1000 * (i + 0.5) / len(values) for i in range(len(values))]
    xs[0], xs[-1] = 0.0, 1000.0
    heights = [39 - 38 * float(value) / max(most, 1e-9) for value in values]
    return mark_safe(
        f'<svg class="ridge t{hue}" viewBox="0 0 1000 40" preserveAspectRatio="none"'
        f' aria-hidden="true" focusable="false"><path d="{curve(xs, heights)}L1000 40L0 40Z"/></svg>'
    )
