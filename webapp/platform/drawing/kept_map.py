"""The map of a table of places that a notebook has kept (tables.MAP_COLUMNS): circles, and the names
that find room."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import hypot, sqrt
from typing import TypeGuard

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from webapp.platform.drawing.colours import GENERAL
from webapp.platform.drawing.label_boxes import Box, LabelBoxes
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.tables import MAP_COLUMNS

Cell = bool | int | float | str | None

MARGIN = 0.03  # of the width, around all circles
LARGEST_RADIUS = 0.03  # of the width
# Of the side of the whole map: places nearer to each other are drawn as near as they are
LEAST_EXTENT = 0.02
NEARNESS = 0.96  # of the radii at which two circles would touch
LINE = 1.4  # height of a label's box, in sizes of its letters
LETTER = 0.52  # their width
GAP = 0.3  # between a circle and its name
CLEARANCE = 2 * GAP  # between a name and other circles, at least: it is twice as near to its own


@dataclass(frozen=True)
class DrawnCircle:
    """A circle of the map, in units of its width, from the upper left corner."""

    name: str
    share: float
    hue: int
    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class CircleMap:
    """height: of the map, in units of its width, 1 at the most. names: where names stand, as
    (the circle in `circles`, the middle of the name)."""

    circles: list[DrawnCircle]
    height: float
    names: list[tuple[int, tuple[float, float]]]


def is_map(columns: Sequence[Cell]) -> bool:
    return list(columns) == MAP_COLUMNS


def read_map(
    rows: Sequence[Sequence[Cell]], hues: Sequence[int], letter_size: float
) -> CircleMap | None:
    """None where no row has a place. hues: of the rows; without them all are general. letter_size:
    of names, in units of the width."""
    numbers_of_rows = {}
    for i, row in enumerate(rows):
        numbers = _numbers(row)
        if numbers is not None:
            numbers_of_rows[i] = numbers
    if not numbers_of_rows:
        return None
    lefts = [left for _, left, _ in numbers_of_rows.values()]
    tops = [top for _, _, top in numbers_of_rows.values()]
    width = max(lefts) - min(lefts)
    height = max(tops) - min(tops)
    # Both sides have one scale, so that distances stay; a narrow map stands in the middle
    scale = (1 - 2 * MARGIN) / max(width, height, LEAST_EXTENT)
    first_x = (1 - width * scale) / 2
    largest = max(share for share, _, _ in numbers_of_rows.values())
    root_of_largest = sqrt(largest) or 1.0
    scale_of_radii = _scale_of_radii(list(numbers_of_rows.values())) * scale
    scale_of_radii = min(scale_of_radii, LARGEST_RADIUS / root_of_largest)
    circles = []
    for i, (share, left, top) in numbers_of_rows.items():
        circle = DrawnCircle(
            name=str(rows[i][0]),
            share=share,
            hue=hues[i] if i < len(hues) else GENERAL,
            x=first_x + (left - min(lefts)) * scale,
            y=MARGIN + (top - min(tops)) * scale,
            radius=scale_of_radii * sqrt(share),
        )
        circles.append(circle)
    drawn_height = 2 * MARGIN + height * scale
    return CircleMap(circles, drawn_height, _names(circles, drawn_height, letter_size))


def _numbers(row: Sequence[Cell]) -> tuple[float, float, float] | None:
    """Share, left and top; None where one is no part of 1."""
    numbers = list(filter(_is_part, row[1:]))
    if len(numbers) != len(MAP_COLUMNS) - 1:
        return None
    share, left, top = numbers
    return share, left, top


def _is_part(cell: Cell) -> TypeGuard[float]:
    """Whether it is a number from 0 to 1."""
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return False
    return 0 <= cell <= 1


def _scale_of_radii(numbers: Sequence[tuple[float, float, float]]) -> float:
    """By what roots of shares are multiplied, so that no two circles touch."""
    scales = []
    for (share, x, y), (other_share, other_x, other_y) in combinations(numbers, 2):
        roots = sqrt(share) + sqrt(other_share)
        if roots:
            scales.append(hypot(x - other_x, y - other_y) / roots)
    return NEARNESS * min(scales, default=1.0)


def _names(
    circles: Sequence[DrawnCircle], height: float, letter_size: float
) -> list[tuple[int, tuple[float, float]]]:
    """The largest first: right of the circle, left of it, below or above it, where no other circle
    is near."""

    def is_within_map(box: Box) -> bool:
        is_level = box.top >= 0 and box.bottom <= height
        return is_level and box.left >= 0 and box.right <= 1

    boxes = LabelBoxes(is_within_map)
    clearance = CLEARANCE * letter_size
    half_line = LINE * letter_size / 2
    gap = GAP * letter_size
    names = []
    for i in sorted(range(len(circles)), key=lambda i: -circles[i].share):
        circle = circles[i]
        half = LETTER * letter_size * len(circle.name) / 2
        middles = [
            (circle.x + circle.radius + gap + half, circle.y),
            (circle.x - circle.radius - gap - half, circle.y),
            (circle.x, circle.y + circle.radius + half_line),
            (circle.x, circle.y - circle.radius - half_line),
        ]
        others = [*circles[:i], *circles[i + 1 :]]
        clear_boxes = {}
        for middle in middles:
            x, y = middle
            box = Box(x - half, y - half_line, x + half, y + half_line)
            if all(_distance(box, other) >= clearance for other in others):
                clear_boxes[middle] = box
        free = boxes.take_first(clear_boxes.values())
        if free is not None:
            names.append((i, list(clear_boxes)[free]))
    return names


def _distance(box: Box, circle: DrawnCircle) -> float:
    """Of a box from the edge of a circle; below 0 within it."""
    nearest_x = min(max(circle.x, box.left), box.right)
    nearest_y = min(max(circle.y, box.top), box.bottom)
    return hypot(nearest_x - circle.x, nearest_y - circle.y) - circle.radius


WIDTH = 720  # units of the drawing on a page
FONT = 12
BASELINE = 4  # from the middle of a letter down to its line


def draw(rows: Sequence[Sequence[Cell]], hues: Sequence[int]) -> SafeString:
    """As a page shows it; "" where no row has a place."""
    kept_map = read_map(rows, hues, FONT / WIDTH)
    if kept_map is None:
        return SafeString()
    circles = format_html_join(
        "",
        '<circle class="t{}" cx="{}" cy="{}" r="{}"><title>{}, {}</title></circle>',
        (
            (
                circle.hue,
                f"{WIDTH * circle.x:.1f}",
                f"{WIDTH * circle.y:.1f}",
                f"{WIDTH * circle.radius:.1f}",
                circle.name,
                percent(circle.share),
            )
            for circle in kept_map.circles
        ),
    )
    names = format_html_join(
        "",
        '<text x="{}" y="{}" text-anchor="middle">{}</text>',
        (
            (f"{WIDTH * x:.1f}", f"{WIDTH * y + BASELINE:.1f}", kept_map.circles[i].name)
            for i, (x, y) in kept_map.names
        ),
    )
    return format_html(
        '<svg class="kept-chart kept-map" viewBox="0 0 {} {}" role="img"'
        ' aria-label="{}">{}{}</svg>',
        WIDTH,
        round(WIDTH * kept_map.height),
        "Map of topics: the numbers are in the table below",
        circles,
        names,
    )
