"""The chart of a pin as a picture for a file: the shares that were kept, as lines with their
intervals, on an axis in percent."""

from collections.abc import Sequence
from itertools import groupby
from math import cos, pi, sin
from typing import NamedTuple

from webapp.platform.drawing import kept_axes, kept_map
from webapp.platform.drawing.colours import ON_PAPER
from webapp.platform.drawing.lines import spread_names
from webapp.platform.drawing.pictures import (
    COLOURS,
    FADED,
    FONT_SIZE,
    INK,
    LETTER_WIDTH,
    RULE,
    Area,
    Picture,
    Point,
    Stroke,
    Text,
)
from webapp.platform.drawing.tables import HIGH, LOW, Cell, KeptTable, columns_of_lines

# points: the text of a page of A4, 16 cm, and 6.7 cm
WIDTH = 453.0
HEIGHT = 190.0
# beside the lines: axis, names, margins
LEFT = 38.0
RIGHT = 118.0
TOP = 8.0
BOTTOM = 20.0
LINE_HEIGHT = 12.0  # points from one name to the next
MOST_LETTERS = 22  # of a name; there is room for so many
NAME_SIZE = 7.5  # points, of names on a map
AXIS_GAP = 4  # points from a share on the axis to the lines
BASELINE = 0.33  # of their size, from the middle of a letter down to its line
OPAQUE = 0.8  # of its circles
CORNERS = 32  # of the polygon that is drawn as a circle
DOT = 1.2  # points on either side of a value that stands alone


class Series(NamedTuple):
    """One line. low, high: the ends of its intervals, [] where none were kept."""

    name: str
    values: list[float | None]
    low: list[float | None]
    high: list[float | None]


def can_be_drawn(table: KeptTable | None) -> bool:
    """Whether a table is one of shares by two periods or groups, or more. Ends of intervals may be
    missing: where few units speak there are none."""
    if table is None or len(table.rows) < 2:
        return False
    if not columns_of_lines(list(map(str, table.columns))):
        return False
    columns = list(enumerate(zip(table.columns, table.shares, strict=True)))[1:]
    for i, (name, has_shares) in columns:
        is_end = str(name).endswith((LOW, HIGH))
        if not has_shares and not (is_end and all(row[i] is None for row in table.rows)):
            return False
    return True


def caption_of(table: KeptTable | None) -> str:
    """What a value of the chart is of: "In the chart: one value per two months." The sentence above it may be of a
    longer time, which no single value reaches. "" of a table that is not drawn as lines."""
    if table is None or kept_map.is_map(table.columns) or not can_be_drawn(table):
        return ""
    return f"In the chart: one value per {table.columns[0]}."


def picture_of(table: KeptTable | None) -> Picture | None:
    """None of a table that is neither a map nor one of shares by period or group."""
    if table is not None and kept_map.is_map(table.columns):
        return _picture_of_map(table)
    if table is None or not can_be_drawn(table):
        return None
    labels = [str(row[0]) for row in table.rows]
    series = series_of(table)
    largest = max(
        value for line in series for value in (*line.values, *line.high) if value is not None
    )
    frame = _Frame(len(labels), kept_axes.levels(largest))
    areas = []
    strokes = frame.levels()
    ends = []
    for number, line in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        areas += [Area(points, colour) for points in frame.bands(line)]
        strokes += [Stroke(points, colour) for points in frame.pieces(line.values)]
        last = next((i for i in reversed(range(len(labels))) if line.values[i] is not None), 0)
        ends.append(frame.point(last, line.values[last] or 0.0)[1] - TOP)
    texts = [*frame.axis(), *_ticks(frame, labels)]
    lowest = HEIGHT - TOP - BOTTOM
    for number, y in zip(*spread_names(ends, lowest, LINE_HEIGHT), strict=True):
        name = series[number].name
        colour = COLOURS[number % len(COLOURS)]
        at = (WIDTH - RIGHT + 6, TOP + y + FONT_SIZE / 3)
        texts.append(Text(at, _short(name), colour))
    description = f"Shares by {table.columns[0]}: {'; '.join(line.name for line in series)}"
    return Picture(WIDTH, HEIGHT, areas, strokes, texts, description)


def _picture_of_map(table: KeptTable) -> Picture | None:
    """None where no row is a place."""
    drawn_map = kept_map.read_map(table.rows, table.hues, NAME_SIZE / WIDTH)
    if drawn_map is None:
        return None
    areas = []
    for circle in drawn_map.circles:
        corners = _corners(WIDTH * circle.x, WIDTH * circle.y, WIDTH * circle.radius)
        areas.append(Area(corners, ON_PAPER[circle.hue], OPAQUE))
    texts = []
    for number, (x, y) in drawn_map.names:
        name = drawn_map.circles[number].name
        base_line = WIDTH * y + BASELINE * NAME_SIZE
        texts.append(Text((WIDTH * x, base_line), name, INK, "middle", NAME_SIZE))
    height = WIDTH * drawn_map.height
    return Picture(WIDTH, height, areas, [], texts, "Map of topics")


def _corners(x: float, y: float, radius: float) -> list[Point]:
    angles = [2 * pi * corner / CORNERS for corner in range(CORNERS)]
    return [(x + radius * cos(angle), y + radius * sin(angle)) for angle in angles]


def series_of(table: KeptTable) -> list[Series]:
    """The lines of a table, each with the ends of its intervals where it has them."""
    names = [str(name) for name in table.columns]
    series = []
    for values, low, high in columns_of_lines(names):
        line = Series(
            name=names[values],
            values=_numbers(table, values),
            low=[] if low is None else _numbers(table, low),
            high=[] if high is None else _numbers(table, high),
        )
        series.append(line)
    return series


def _numbers(table: KeptTable, column: int) -> list[float | None]:
    return [_number(row[column]) for row in table.rows]


def _number(cell: Cell) -> float | None:
    return float(cell) if isinstance(cell, (int, float)) else None


def _short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1].rstrip()}…"


class _Frame:
    """Where values are drawn: n of them side by side, from 0 to the last of the shares on the axis,
    `shares`."""

    def __init__(self, n: int, shares: Sequence[float]):
        self.n = n
        self.shares = shares
        self.most = shares[-1]

    def point(self, number: float, value: float) -> Point:
        across = (WIDTH - LEFT - RIGHT) * number / max(self.n - 1, 1)
        return LEFT + across, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self.most

    def pieces(self, values: Sequence[float | None]) -> list[list[Point]]:
        """A line for each stretch without a gap; a value alone is a dash."""
        stretches = []
        for has_value, run_of_places in groupby(range(self.n), key=lambda i: values[i] is not None):
            if not has_value:
                continue
            points = [self.point(i, values[i] or 0.0) for i in run_of_places]
            if len(points) == 1:
                ((x, y),) = points
                points = [(x - DOT, y), (x + DOT, y)]
            stretches.append(points)
        return stretches

    def bands(self, line: Series) -> list[list[Point]]:
        """A polygon for each stretch whose intervals are known."""
        if not line.low or not line.high:
            return []
        has = [low is not None and line.high[i] is not None for i, low in enumerate(line.low)]
        polygons = []
        for has_band, run_of_places in groupby(range(self.n), key=lambda i: has[i]):
            band_places = list(run_of_places)
            if has_band and len(band_places) > 1:
                above = [self.point(i, line.high[i] or 0.0) for i in band_places]
                below = [self.point(i, line.low[i] or 0.0) for i in reversed(band_places)]
                polygons.append([*above, *below])
        return polygons

    def levels(self) -> list[Stroke]:
        heights = [self.point(0, share)[1] for share in self.shares]
        return [Stroke([(LEFT, y), (WIDTH - RIGHT, y)], RULE, 0.6) for y in heights]

    def axis(self) -> list[Text]:
        texts = []
        for share in self.shares:
            _, y = self.point(0, share)
            end = (LEFT - AXIS_GAP, y + BASELINE * FONT_SIZE)
            texts.append(Text(end, kept_axes.level_text(share), FADED, "end"))
        return texts


def _ticks(frame: _Frame, labels: list[str]) -> list[Text]:
    """Years, short dates or some of the names below, as many as find room."""
    letters = (WIDTH - LEFT - RIGHT) / (LETTER_WIDTH * FONT_SIZE)
    y = HEIGHT - BOTTOM + FONT_SIZE + 2
    return [
        Text((frame.point(tick.position, 0.0)[0], y), tick.text, FADED, "middle")
        for tick in kept_axes.ticks(labels, letters)
    ]
