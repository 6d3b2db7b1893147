"""The chart of a table of shares that a notebook has kept. It needs nothing but the file that it
stands in: no script, and no other file than the page's style sheet."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

from django.utils.html import format_html
from django.utils.safestring import SafeString

from webapp.platform.drawing import kept_axes
from webapp.platform.drawing.colours import of_line
from webapp.platform.drawing.lines import (
    EDGE_UNITS,
    Spot,
    band,
    path,
    spots,
    spread_names,
    step_between,
)
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.tables import columns_of_lines

Cell = bool | int | float | str | None

WIDTH = 720
HEIGHT = 230
AXIS = 46  # units kept free at the left, for the shares
NAMES = 180  # at the right, for the names of lines
TOP = 14
BOTTOM = 24  # for the labels of rows
FIELD_WIDTH = WIDTH - AXIS - NAMES  # where lines are drawn
FIELD_HEIGHT = HEIGHT - TOP - BOTTOM
LINE_HEIGHT = 15  # from one name at the right to the next
NAME_GAP = 8  # between the end of a line and its name
BASELINE = 4  # from the middle of a letter down to its line
LABEL_BASELINE = 17  # from the field down to the labels of rows
LONGEST_NAME = 23
LETTERS_KEPT = 22  # of a longer one
MOST_WITH_DOTS = 600  # cells: each says its value while there are no more
LETTER_UNITS = 6.5  # of a label, about the mean of its letters


@dataclass(frozen=True)
class DrawnLine:
    """low, high: the ends of its intervals, None where none were kept."""

    name: str
    hue: int
    values: list[float | None]
    low: list[float | None] | None
    high: list[float | None] | None


def draw(columns: Sequence[Cell], rows: Sequence[Sequence[Cell]]) -> SafeString:
    """The first column says of what each row is, the others are lines. "" where there are fewer
    than two rows, or no line, or where a cell is no share."""
    cells = [cell for row in rows for cell in row[1:] if cell is not None]
    shares = [cell for cell in cells if _is_share(cell)]
    lines = _lines(list(map(str, columns)), rows)
    if len(rows) < 2 or not lines or not shares or len(shares) < len(cells):
        return SafeString()
    chart = _Chart(
        by=str(columns[0]),
        labels=[str(row[0]) for row in rows],
        lines=lines,
        levels=kept_axes.levels(max(shares)),
        has_dots=len(shares) <= MOST_WITH_DOTS,
    )
    return chart.draw()


def _is_share(cell: Cell) -> TypeGuard[float]:
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return False
    return 0 <= cell <= 1


def _lines(names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[DrawnLine]:
    """names: of the columns."""
    lines = []
    for number, (values, low, high) in enumerate(columns_of_lines(names)):
        line = DrawnLine(
            name=names[values],
            hue=of_line(number),
            values=_shares(rows, values),
            low=None if low is None else _shares(rows, low),
            high=None if high is None else _shares(rows, high),
        )
        lines.append(line)
    return lines


def _shares(rows: Sequence[Sequence[Cell]], column: int) -> list[float | None]:
    return [_share(row[column]) for row in rows]


def _share(cell: Cell) -> float | None:
    return cell if _is_share(cell) else None


@dataclass(frozen=True)
class _Chart:
    """by: of what each row is. levels: the shares on the axis, from 0 on."""

    by: str
    labels: list[str]
    lines: list[DrawnLine]
    levels: list[float]
    has_dots: bool

    @property
    def largest(self) -> float:
        """The share at the top of the axis."""
        return self.levels[-1]

    def draw(self) -> SafeString:
        parts = [*self._levels(), *self._bands(), *self._paths()]
        if self.has_dots:
            parts += self._dots()
        parts += [*self._names(), *self._ticks()]
        return format_html(
            '<svg class="kept-chart" viewBox="{} {} {} {}" role="img" aria-label="{}">{}</svg>',
            -AXIS,
            -TOP,
            WIDTH,
            HEIGHT,
            f"Shares by {self.by}: the numbers are in the table below",
            SafeString("".join(parts)),
        )

    def _spots(self, line: DrawnLine) -> list[Spot | None]:
        return spots(line.values, self.largest, FIELD_WIDTH, FIELD_HEIGHT)

    def _levels(self) -> list[SafeString]:
        """A line across at each round share, and its number."""
        drawn_levels = []
        for share in self.levels:
            height = share / self.largest * (FIELD_HEIGHT - 2 * EDGE_UNITS)
            y = FIELD_HEIGHT - EDGE_UNITS - height
            level = format_html(
                '<path class="ground" d="M0 {}H{}"/>'
                '<text x="-6" y="{}" text-anchor="end">{}</text>',
                f"{y:.1f}",
                FIELD_WIDTH,
                f"{y + BASELINE:.1f}",
                kept_axes.level_text(share),
            )
            drawn_levels.append(level)
        return drawn_levels

    def _bands(self) -> list[SafeString]:
        """The intervals of the lines that have them."""
        bands = []
        for line in self.lines:
            if line.low is None or line.high is None:
                continue
            outline = band(line.low, line.high, self.largest, FIELD_WIDTH, FIELD_HEIGHT)
            bands.append(format_html('<path class="t{} band" d="{}"/>', line.hue, outline))
        return bands

    def _paths(self) -> list[SafeString]:
        return [
            format_html('<path class="t{}" d="{}"/>', line.hue, path(self._spots(line)))
            for line in self.lines
        ]

    def _dots(self) -> list[SafeString]:
        """Each says its value to who points at it."""
        dots = []
        for line in self.lines:
            for spot, label, share in zip(self._spots(line), self.labels, line.values, strict=True):
                if spot is None:
                    continue
                x, y = spot
                dot = format_html(
                    '<circle class="t{}" cx="{}" cy="{}" r="4"><title>{}, {}: {}</title></circle>',
                    line.hue,
                    f"{x:.1f}",
                    f"{y:.1f}",
                    label,
                    line.name,
                    percent(share),
                )
                dots.append(dot)
        return dots

    def _names(self) -> list[SafeString]:
        """Each beside the end of its line."""
        ends = [_last_height(self._spots(line)) for line in self.lines]
        order, heights = spread_names(ends, FIELD_HEIGHT, LINE_HEIGHT)
        names = []
        for i, y in zip(order, heights, strict=True):
            line = self.lines[i]
            name = format_html(
                '<text class="t{}" x="{}" y="{}">{}</text>',
                line.hue,
                FIELD_WIDTH + NAME_GAP,
                f"{y + BASELINE:.1f}",
                _shorten_name(line.name),
            )
            names.append(name)
        return names

    def _ticks(self) -> list[SafeString]:
        """Years, short dates or some of the rows' names."""
        step = step_between(len(self.labels), FIELD_WIDTH)
        drawn_ticks = []
        for tick in kept_axes.ticks(self.labels, FIELD_WIDTH / LETTER_UNITS):
            drawn_tick = format_html(
                '<text x="{}" y="{}" text-anchor="middle" data-position="{}">{}</text>',
                f"{EDGE_UNITS + tick.position * step:.1f}",
                FIELD_HEIGHT + LABEL_BASELINE,
                f"{tick.position:.4g}",  # for the page's script, which draws the chart again
                tick.text,
            )
            drawn_ticks.append(drawn_tick)
        return drawn_ticks


def _last_height(spots: Sequence[Spot | None]) -> float:
    """The height of a line's last point; the bottom where it has none."""
    for spot in reversed(spots):
        if spot is not None:
            return spot[1]
    return float(FIELD_HEIGHT)


def _shorten_name(name: str) -> str:
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[:LETTERS_KEPT]}…"
