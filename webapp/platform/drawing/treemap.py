"""Families and their topics as areas: the picture of texts that have neither dates nor groups.
Drawn on the server as SVG; it needs no script.

Squarified treemaps: M. Bruls, K. Huizing, J. J. van Wijk, Squarified Treemaps, 2000.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from webapp.platform.drawing.curves import text_width
from webapp.platform.drawing.directions import isolated
from webapp.platform.drawing.numbers import percent

WIDTH = 1156
HEIGHT = 430
AREA_GAP = 2  # pixels between areas
FAMILY_EDGE = 4  # pixels of a family's colour around its topics
FAMILY_SIZES = (15.0, 14.0, 13.0, 12.0, 11.0)  # of names, in pixels
TOPIC_SIZES = (14.0, 12.5, 11.5, 11.0)
GENERAL_SIZE = 12.0
GENERAL_LINE = 17
FAMILY_LINE = 1.2  # height of a line of text, of its size
TOPIC_LINE = 1.13
BASELINE = 0.8  # of a line's height: where its letters stand
LEAST_INSIDE = 30  # pixels that a family has below its name, or it shows none
INSET = 9  # pixels before a name
GENERAL_TALK = "General talk"
LABEL = "Families and topics by their share of the words; the list below says the same in words"


@dataclass(frozen=True)
class Leaf:
    """A topic. name: "" where it has none. share: of the words."""

    name: str
    label: str
    url: str
    share: float


@dataclass(frozen=True)
class Branch:
    """A family. hue: its colour's number."""

    name: str
    url: str
    hue: int
    share: float
    leaves: list[Leaf]


class Rectangle(NamedTuple):
    x: float
    y: float
    width: float
    height: float


def squarify(sizes: Sequence[float], box: Rectangle) -> list[Rectangle]:
    """Areas in proportion to `sizes`, none of them negative and the largest first, that fill a box
    and are as near to squares as rows of them can be; [] where all sizes are 0."""
    total = sum(sizes)
    if total <= 0 or box.width <= 0 or box.height <= 0:
        return []
    scale = box.width * box.height / total
    left = [size * scale for size in sizes]
    placed: list[Rectangle] = []
    while left:
        side = min(box.width, box.height)
        count = _row_length(left, side)
        row = left[:count]
        left = left[count:]
        box = _place_row(row, box, placed)
    return placed


def _row_length(areas: Sequence[float], side: float) -> int:
    """How many of the next areas stand in one row: as long as the longest of them gets no
    longer."""
    count = 1
    while count < len(areas):
        if _longest(areas[: count + 1], side) > _longest(areas[:count], side):
            break
        count += 1
    return count


def _longest(areas: Sequence[float], side: float) -> float:
    """The largest ratio of two sides of an area of a row."""
    total = sum(areas)
    if total <= 0 or min(areas) <= 0:
        return float("inf")
    wide = side * side * max(areas) / (total * total)
    high = total * total / (side * side * min(areas))
    return max(wide, high)


def _place_row(row: Sequence[float], box: Rectangle, placed: list[Rectangle]) -> Rectangle:
    """Put a row at a box's shorter side; what is left of the box."""
    across = box.width >= box.height
    side = box.height if across else box.width
    depth = sum(row) / side if side > 0 else 0.0
    offset = 0.0
    for area in row:
        length = area / depth if depth > 0 else 0.0
        if across:
            placed.append(Rectangle(box.x, box.y + offset, depth, length))
        else:
            placed.append(Rectangle(box.x + offset, box.y, length, depth))
        offset += length
    if across:
        return Rectangle(box.x + depth, box.y, box.width - depth, box.height)
    return Rectangle(box.x, box.y + depth, box.width, box.height - depth)


def treemap(
    branches: Sequence[Branch], general_share: float, general: Sequence[Leaf]
) -> SafeString:
    """The picture of families, the largest first. general_share: that of general talk, which is a
    strip at the right; general: its topics."""
    strip = WIDTH * general_share
    boxes = squarify([branch.share for branch in branches], Rectangle(0, 0, WIDTH - strip, HEIGHT))
    drawn = [_family(branch, box) for branch, box in zip(branches, boxes, strict=False)]
    if general_share > 0:
        drawn.append(_general(Rectangle(WIDTH - strip, 0, strip, HEIGHT), general_share, general))
    head = f'<svg class="tree" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="{LABEL}">'
    return mark_safe(head + "".join(drawn) + "</svg>")


def _family(branch: Branch, box: Rectangle) -> str:
    says = f"{isolated(branch.name)}: {percent(branch.share)} of the words"
    title, height = _family_name(branch, box)
    width = box.width - 2 * FAMILY_EDGE - AREA_GAP
    room = box.height - height - 2 * FAMILY_EDGE - AREA_GAP
    inner = Rectangle(box.x + FAMILY_EDGE, box.y + height + FAMILY_EDGE, width, room)
    boxes = squarify([leaf.share for leaf in branch.leaves], inner)
    tiles = [_topic(leaf, tile) for leaf, tile in zip(branch.leaves, boxes, strict=False)]
    area = _link(branch.url, _rect(box, "family"), says, title)
    return f'<g class="t{branch.hue}">{area}{"".join(tiles)}</g>'


def _link(url: str, rect: str, says: str, text: str) -> str:
    return f'<a href="{escape(url)}">{rect}<title>{escape(says)}</title>{text}</a>'


def _family_name(branch: Branch, box: Rectangle) -> tuple[str, float]:
    """The name with its share, in one line or two, and how high they are; "" where they have no
    room."""
    share = f" {percent(branch.share)}"
    for size in FAMILY_SIZES:
        for lines in _forms(branch.name):
            height = len(lines) * size * FAMILY_LINE + FAMILY_EDGE
            widths = [text_width(line, size, bold=True) for line in (*lines, lines[-1] + share)]
            if max(widths) + 2 * INSET <= box.width and height + LEAST_INSIDE <= box.height:
                return _family_lines(lines, share, size, box), height
    return "", 0.0


def _family_lines(lines: Sequence[str], share: str, size: float, box: Rectangle) -> str:
    texts = []
    for i, line in enumerate(lines):
        y = box.y + FAMILY_EDGE + size * FAMILY_LINE * (i + BASELINE)
        is_last = i == len(lines) - 1
        tail = f'<tspan class="share">{share}</tspan>' if is_last else ""
        texts.append(_text(box.x + INSET, y, size, "family-name", line, tail))
    return "".join(texts)


def _forms(name: str) -> list[tuple[str, ...]]:
    """A name in one line, and in two."""
    first, joiner, second = name.partition(" & ")
    return [(name,), (first + " &", second)] if joiner else [(name,)]


def _topic(leaf: Leaf, box: Rectangle) -> str:
    says = f"{isolated(leaf.name or leaf.label)}: {percent(leaf.share)} of the words"
    return _link(leaf.url, _rect(box, "tile"), says, _topic_name(leaf.name, box))


def _topic_name(name: str, box: Rectangle) -> str:
    """Within its tile, in as many lines as it needs, never shortened; "" where it has no room."""
    if not name:
        return ""
    for size in TOPIC_SIZES:
        lines = wrapped(name, box.width - 2 * FAMILY_EDGE - AREA_GAP, size)
        height = len(lines) * size * TOPIC_LINE
        if not lines or height + FAMILY_EDGE + AREA_GAP > box.height:
            continue
        texts = []
        for i, line in enumerate(lines):
            y = box.y + FAMILY_EDGE + size * TOPIC_LINE * (i + BASELINE)
            texts.append(_text(box.x + FAMILY_EDGE + 1, y, size, "topic-name", line, ""))
        return "".join(texts)
    return ""


def wrapped(name: str, width: float, size: float) -> list[str]:
    """The lines of a name; "&" stays at a line's end. [] where a word is wider than the tile."""
    words = name.replace(" &", "\N{NO-BREAK SPACE}&").split(" ")
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    if any(text_width(line, size) > width for line in lines):
        return []
    return lines


def _general(box: Rectangle, share: float, topics: Sequence[Leaf]) -> str:
    """A pale strip with the names of its topics, as far as they have room."""
    head = f"{GENERAL_TALK} {percent(share)}"
    rect = _rect(box, "general") + f"<title>{escape(head)}</title>"
    y = box.y + FAMILY_EDGE + GENERAL_LINE * BASELINE
    if not _fits_strip(head, box):
        return f"<g>{rect}</g>"
    texts = [_text(box.x + INSET, y, GENERAL_SIZE, "general-name", head, "")]
    for topic in topics:
        if y + 2 * GENERAL_LINE > box.y + box.height:
            break
        if topic.name and _fits_strip(topic.name, box):
            y += GENERAL_LINE
            name = _text(box.x + INSET, y, GENERAL_SIZE, "general-name", topic.name, "")
            texts.append(f'<a href="{escape(topic.url)}">{name}</a>')
    return f"<g>{rect}{''.join(texts)}</g>"


def _fits_strip(words: str, box: Rectangle) -> bool:
    return text_width(words, GENERAL_SIZE) + 2 * INSET <= box.width


def _rect(box: Rectangle, kind: str) -> str:
    width = max(box.width - AREA_GAP, 0.5)
    height = max(box.height - AREA_GAP, 0.5)
    position = f'x="{box.x:.1f}" y="{box.y:.1f}"'
    return f'<rect class="{kind}" {position} width="{width:.1f}" height="{height:.1f}"/>'


def _text(x: float, y: float, size: float, kind: str, words: str, tail: str) -> str:
    """tail: behind the words, markup already."""
    position = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"'
    return f'<text class="{kind}" {position}>{escape(isolated(words))}{tail}</text>'
