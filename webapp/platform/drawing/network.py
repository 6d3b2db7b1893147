"""Where the words and lines of a network of collocations lie."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from webapp.platform.drawing.lines import Spot

LARGEST_RADIUS = 190  # of the circle on which words stand, in units of the viewBox
ARC = 26  # of that circle for a word, until it has its largest radius
MARGIN = 26  # above the highest word and below the lowest
BEND = 2.6  # a line is drawn to the sum of its ends over this: 2 would leave it straight
THINNEST_LINE = 1
LINE_GROWTH = 8
SMALLEST_DOT = 4
DOT_GROWTH = 7


class Word(Protocol):
    """collocations.shapes.Collocate"""

    @property
    def word(self) -> str: ...
    @property
    def tokens(self) -> int: ...


class Pair(Protocol):
    """collocations.shapes.NetworkPair"""

    @property
    def words(self) -> Sequence[str]: ...
    @property
    def g2(self) -> float: ...


class PairLine(NamedTuple):
    """Between two words. width: as it is written."""

    words: Sequence[str]
    path: str
    width: str


class Node(NamedTuple):
    """lines: all that end at the word, as one path, which shows when one points at the word."""

    word: Word
    spot: Spot
    radius: float
    lines: str


def spots_on_circle(groups: Sequence[Sequence[Word]]) -> list[tuple[Word, Spot]]:
    """The words that are linked with others, around a circle, with a gap behind each group."""
    seats: list[Word | None] = []
    for group in groups:
        if len(group) > 1:
            seats += [*group, None]
    radius = min(LARGEST_RADIUS, ARC * len(seats))
    angle = math.tau / len(seats)
    spots = []
    for i, word in enumerate(seats, 1):
        if word is not None:
            spot = (radius * math.sin(i * angle), -radius * math.cos(i * angle))
            spots.append((word, spot))
    return spots


def lines_between(spots: Sequence[tuple[Word, Spot]], pairs: Sequence[Pair]) -> list[PairLine]:
    """Each is bent towards the middle, and as wide as the root of its G2. pairs: the strongest
    first."""
    spot_of = {word.word: spot for word, spot in spots}
    lines = []
    for pair in pairs:
        first, second = pair.words
        x, y = spot_of[first]
        to_x, to_y = spot_of[second]
        bent_to = f"{(x + to_x) / BEND:.1f} {(y + to_y) / BEND:.1f}"
        path = f"M{x:.1f} {y:.1f}Q{bent_to} {to_x:.1f} {to_y:.1f}"
        strength = math.sqrt(pair.g2 / pairs[0].g2)
        lines.append(PairLine(pair.words, path, f"{THINNEST_LINE + LINE_GROWTH * strength:.1f}"))
    return lines


def nodes_of(spots: Sequence[tuple[Word, Spot]], lines: Sequence[PairLine]) -> list[Node]:
    """The area of a dot grows with the word's tokens."""
    largest = max(word.tokens for word, _ in spots)
    nodes = []
    for word, spot in spots:
        radius = SMALLEST_DOT + DOT_GROWTH * math.sqrt(word.tokens / largest)
        own_lines = [line.path for line in lines if word.word in line.words]
        nodes.append(Node(word, spot, radius, "".join(own_lines)))
    return nodes
