"""The pictures that no notebook keeps: families on one another over time, and two sets of documents
compared."""

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.platform.drawing.colours import GENERAL, ON_PAPER
from webapp.platform.drawing.lines import spread_names
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.pictures import (
    COLOURS,
    FADED,
    FONT_SIZE,
    INK,
    RULE,
    Anchor,
    Area,
    Picture,
    Point,
    Stroke,
    Text,
)

# Points, as in the pictures of notebooks
WIDTH = 453.0
HEIGHT = 190.0
LEFT = 6.0
RIGHT = 128.0  # for names
TOP = 8.0
BOTTOM = 20.0  # for the labels of periods
LINE_HEIGHT = 12.0
BASELINE = FONT_SIZE / 3  # from the middle of a letter down to its line
NAME_GAP = 6.0  # between the field and a name
LABEL_LINE = FONT_SIZE + 2  # from the field down to its labels
RULE_WIDTH = 0.6
BAND_OPACITY = 0.55  # neighbours are told apart, and names beside them are still read
TICKS = 5
LONGEST_NAME = 24

# Of two sets that are compared
ROW_HEIGHT = 30.0  # of a topic; its two lines are at a third and at two thirds
ROW_THIRD = ROW_HEIGHT / 3
NAMES_WIDTH = 150.0
NUMBERS_WIDTH = 40.0  # at the right
NUMBER_GAP = 4.0
NUMBER_SIZE = FONT_SIZE - 2
HALF_DOT = 2.0
INTERVAL_WIDTH = 1.0
LONGEST_SIDE = 80  # letters
SIDE_COLOURS = COLOURS[:2]


@dataclass(frozen=True)
class Layer:
    """A family. hue: the colour that it has on pages (drawing.colours). shares: of all words of each
    period."""

    name: str
    hue: int
    shares: Sequence[float]


@dataclass(frozen=True)
class Pair:
    """A topic in two sets. shares, low, high: of either, from 0 to 1."""

    name: str
    shares: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


def shortened(name: str) -> str:
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 1].rstrip()}…"


def stacked(labels: Sequence[str], layers: Sequence[Layer], sentence: str) -> Picture:
    """Layers on one another, the first on top, each with its name at the right.

    labels: of at least two periods. sentence: what the picture shows.
    """
    last = len(labels) - 1
    field_width = WIDTH - LEFT - RIGHT
    field_height = HEIGHT - TOP - BOTTOM
    xs = [LEFT + field_width * i / last for i in range(len(labels))]
    upper = [TOP] * len(labels)
    areas = []
    ends = []
    for layer in layers:
        lower = [y + field_height * share for y, share in zip(upper, layer.shares, strict=True)]
        outline = [*zip(xs, upper, strict=True)]
        outline += reversed(list(zip(xs, lower, strict=True)))
        areas.append(Area(outline, ON_PAPER[layer.hue], BAND_OPACITY))
        ends.append((upper[-1] + lower[-1]) / 2 - TOP)
        upper = lower
    foot = HEIGHT - BOTTOM
    texts = _names_at_right(layers, ends, field_height)
    for i in sorted({round(tick * last / (TICKS - 1)) for tick in range(TICKS)}):
        at = (xs[i], foot + LABEL_LINE)
        texts.append(Text(at, labels[i], FADED, _anchor(i, last)))
    frame = [Stroke([(LEFT, y), (WIDTH - RIGHT, y)], RULE, RULE_WIDTH) for y in (TOP, foot)]
    return Picture(WIDTH, HEIGHT, areas, frame, texts, sentence)


def _names_at_right(
    layers: Sequence[Layer], ends: Sequence[float], field_height: float
) -> list[Text]:
    """Each near the end of its layer. ends: from the top of the field."""
    names = []
    order, heights = spread_names(ends, field_height, LINE_HEIGHT)
    for number, y in zip(order, heights, strict=True):
        at = (WIDTH - RIGHT + NAME_GAP, TOP + y + BASELINE)
        layer = layers[number]
        names.append(Text(at, shortened(layer.name), _name_colour(layer.hue)))
    return names


def _name_colour(hue: int) -> str:
    """That of the layer, where letters in it can be read: those of general talk and those that a
    reader chooses are too pale."""
    return ON_PAPER[hue] if hue < GENERAL else INK


def _anchor(i: int, last: int) -> Anchor:
    """The outermost labels stay within the picture."""
    if i == 0:
        return "start"
    if i == last:
        return "end"
    return "middle"


def compared(sides: Sequence[str], pairs: Sequence[Pair], sentence: str) -> Picture:
    """A row for each topic, with its share in the first and in the second set and their intervals.

    sides: the names of the sets. sentence: what the picture shows.
    """
    largest = max((value for pair in pairs for value in pair.high), default=0.0) or 1.0
    field_width = WIDTH - NAMES_WIDTH - LEFT - NUMBERS_WIDTH
    height = TOP + ROW_HEIGHT * len(pairs) + LINE_HEIGHT * len(sides) + BOTTOM
    strokes = []
    areas = []
    texts = []
    for row, pair in enumerate(pairs):
        top = TOP + ROW_HEIGHT * row
        middle = top + ROW_HEIGHT / 2
        texts.append(Text((LEFT, middle + BASELINE), shortened(pair.name), INK))
        for side, colour in enumerate(SIDE_COLOURS):
            y = top + ROW_THIRD * (1 + side)
            low = NAMES_WIDTH + field_width * pair.low[side] / largest
            high = NAMES_WIDTH + field_width * pair.high[side] / largest
            x = NAMES_WIDTH + field_width * pair.shares[side] / largest
            strokes.append(Stroke([(low, y), (high, y)], colour, INTERVAL_WIDTH))
            areas.append(Area(_square(x, y), colour, 1.0))
            number = percent(pair.shares[side])
            texts.append(Text((high + NUMBER_GAP, y + BASELINE), number, colour, size=NUMBER_SIZE))
    below = TOP + ROW_HEIGHT * len(pairs)
    for side, colour in enumerate(SIDE_COLOURS):
        at = (LEFT, below + LINE_HEIGHT * (1 + side))
        texts.append(Text(at, sides[side][:LONGEST_SIDE], colour))
    foot = height - BOTTOM + LABEL_LINE
    texts.append(Text((NAMES_WIDTH, foot), percent(0.0), FADED, "middle"))
    texts.append(Text((NAMES_WIDTH + field_width, foot), percent(largest), FADED, "middle"))
    return Picture(WIDTH, height, areas, strokes, texts, sentence)


def _square(x: float, y: float) -> list[Point]:
    """Around a point."""
    left = x - HALF_DOT
    right = x + HALF_DOT
    top = y - HALF_DOT
    bottom = y + HALF_DOT
    return [(left, top), (right, top), (right, bottom), (left, bottom)]
