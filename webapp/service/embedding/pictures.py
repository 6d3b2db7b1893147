"""The pictures that no notebook keeps: families on one another over time, and two sets of documents
compared."""

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.platform.drawing.lines import spread_names
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.pictures import (
    COLOURS,
    FADED,
    FONT_SIZE,
    INK,
    RULE,
    Area,
    Picture,
    Stroke,
    Text,
)

# Points, as in the pictures of notebooks
WIDTH, HEIGHT = 453.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 6.0, 128.0, 8.0, 20.0
LINE_HEIGHT = 12.0
BAND_OPACITY = 0.55  # neighbours are told apart, and names beside them are still read
TICKS = 5
MOST_LETTERS = 24

ROW_HEIGHT = 30.0  # of a topic that two sets are compared in
NAMES_WIDTH = 150.0
DOT = 2.0  # half a dot's width
FIRST_COLOUR, SECOND_COLOUR = COLOURS[0], COLOURS[1]


@dataclass(frozen=True)
class Layer:
    """A family. shares: of all words of each period."""

    name: str
    shares: Sequence[float]


@dataclass(frozen=True)
class Pair:
    """A topic in two sets. shares, low, high: of either, from 0 to 1."""

    name: str
    shares: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


def shortened(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1].rstrip()}…"


def stacked(labels: Sequence[str], layers: Sequence[Layer], said: str) -> Picture:
    """Layers on one another, the first on top, each with its name at the right. labels: of at
    least two periods. said: what the picture shows."""
    n = len(labels)
    field_width, field_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    xs = [LEFT + field_width * i / (n - 1) for i in range(n)]
    above = [TOP] * n
    areas, texts, middles = [], [], []
    for number, layer in enumerate(layers):
        below = [y + field_height * share for y, share in zip(above, layer.shares, strict=True)]
        outline = [*zip(xs, above, strict=True), *reversed(list(zip(xs, below, strict=True)))]
        areas.append(Area(outline, COLOURS[number % len(COLOURS)], BAND_OPACITY))
        middles.append((above[-1] + below[-1]) / 2 - TOP)
        above = below
    for number, y in zip(*spread_names(middles, field_height, LINE_HEIGHT), strict=True):
        at = (WIDTH - RIGHT + 6, TOP + y + FONT_SIZE / 3)
        texts.append(Text(at, shortened(layers[number].name), COLOURS[number % len(COLOURS)]))
    foot = HEIGHT - BOTTOM
    for place in sorted({round(i * (n - 1) / (TICKS - 1)) for i in range(TICKS)}):
        # The outermost labels stay within the picture
        anchor = "start" if place == 0 else "end" if place == n - 1 else "middle"
        texts.append(Text((xs[place], foot + FONT_SIZE + 2), labels[place], FADED, anchor))
    frame = [Stroke([(LEFT, y), (WIDTH - RIGHT, y)], RULE, 0.6) for y in (TOP, foot)]
    return Picture(WIDTH, HEIGHT, areas, frame, texts, said)


def compared(sides: Sequence[str], pairs: Sequence[Pair], said: str) -> Picture:
    """A row for each topic, with its share in the first and in the second set and their intervals.
    sides: the names of the sets. said: what the picture shows."""
    most = max((value for pair in pairs for value in pair.high), default=0.0) or 1.0
    height = TOP + ROW_HEIGHT * len(pairs) + 2 * LINE_HEIGHT + BOTTOM
    field_width = WIDTH - NAMES_WIDTH - LEFT - 40  # for the numbers at the right
    strokes, areas, texts = [], [], []
    colours = (FIRST_COLOUR, SECOND_COLOUR)
    for row, pair in enumerate(pairs):
        y = TOP + ROW_HEIGHT * row
        texts.append(Text((LEFT, y + ROW_HEIGHT / 2 + FONT_SIZE / 3), shortened(pair.name), INK))
        for side, colour in enumerate(colours):
            line = y + ROW_HEIGHT * (1 + side) / 3
            x, low, high = (
                NAMES_WIDTH + field_width * value / most
                for value in (pair.shares[side], pair.low[side], pair.high[side])
            )
            strokes.append(Stroke([(low, line), (high, line)], colour, 1.0))
            corners = [(x - DOT, line - DOT), (x + DOT, line - DOT)]
            corners += [(x + DOT, line + DOT), (x - DOT, line + DOT)]
            areas.append(Area(corners, colour, 1.0))
            at = (high + 4, line + FONT_SIZE / 3 - 1)
            texts.append(Text(at, percent(pair.shares[side]), colour, size=FONT_SIZE - 2))
    for side, colour in enumerate(colours):
        at = (LEFT, TOP + ROW_HEIGHT * len(pairs) + LINE_HEIGHT * (1 + side))
        texts.append(Text(at, sides[side][:80], colour))
    foot = height - BOTTOM + FONT_SIZE
    texts.append(Text((NAMES_WIDTH, foot), "0%", FADED, "middle"))
    texts.append(Text((NAMES_WIDTH + field_width, foot), percent(most), FADED, "middle"))
    return Picture(WIDTH, height, areas, strokes, texts, said)
