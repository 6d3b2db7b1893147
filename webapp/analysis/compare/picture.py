"""The topics of two runs as a picture: each run is a column, as high as its words, and a ribbon
leads from a topic to what the other run makes of it."""

from dataclasses import dataclass

import numpy as np

from inference.explore.matching import LEAST_SIMILARITY, Matching
from webapp.analysis.compare import fates
from webapp.analysis.compare.fates import FateKind
from webapp.core.results import links
from webapp.core.results.view import RunView
from webapp.platform.drawing.curves import text_width
from webapp.platform.drawing.directions import isolated
from webapp.platform.drawing.numbers import percent

HEIGHT = 430
WIDTH = 100.0  # of the ribbons' drawing, which is stretched to the width that is left
COLUMN = 3.5  # of that width, a run
GAP = 16  # pixels between the same, the divided and the lone
NAME_LINE = 15  # pixels from a name to the next
EDGE = 8  # pixels from a name to the end of the picture
NAME_SIZE = 12.5  # pixels
NAME_WIDTH = 225  # pixels: a longer name is left out
LEAST_HEIGHT = 0.6  # pixels of a topic, however small
FAINTEST = 0.16  # ink of a ribbon between topics that are just alike enough
DARKEST = 0.62  # and of one between equal ones
SECTION: dict[FateKind, int] = {"same": 0, "several": 1, "part": 1, "alone": 2}
SECTIONS = 3
MOST_DRAWN = 400  # topics of a run: more would be thinner than a pixel


@dataclass(frozen=True)
class Segment:
    """A topic in the column of its run. y, height: in pixels; middle: of it. says: its name and its
    share of the words. name: what is written beside it, "" where no place is left."""

    number: int
    kind: FateKind
    hue: int
    y: str
    height: str
    middle: str
    says: str
    name: str
    share: str
    url: str


@dataclass(frozen=True)
class Ribbon:
    """path: as SVG has it; ink: from 0 to 1, the more the more alike."""

    path: str
    ink: str
    are_partners: bool
    says: str


@dataclass(frozen=True)
class Picture:
    """Two runs. sides: the topics of either, from the top; ribbons: between them. lone: the middle
    of those without a counterpart on either side, None where there are none."""

    height: int
    width: float
    column: float
    right: float
    sides: list[list[Segment]]
    ribbons: list[Ribbon]
    lone: list[str | None]


@dataclass(frozen=True)
class _Link:
    first: int
    second: int
    similarity: float
    are_partners: bool


@dataclass(frozen=True)
class _Span:
    top: float
    height: float

    @property
    def middle(self) -> float:
        return self.top + self.height / 2

    @property
    def bottom(self) -> float:
        return self.top + self.height


def drawn(first_view: RunView, second_view: RunView, between: Matching) -> Picture | None:
    """The most alike topics are on top, those that only one run has at the bottom. None where they
    are too many to draw."""
    if max(len(between.used_a), len(between.used_b)) > MOST_DRAWN:
        return None
    relations = _relations(between)
    first = _Column(first_view, fates.of_topics(between))
    first.place(_order_of_first(first, relations))
    second = _Column(second_view, fates.of_topics(between.turned()))
    second.place(_order_of_second(second, relations, first))
    sides = [_segments(first), _segments(second)]
    says = {segment.number: segment.says for segment in sides[0]}
    says_of_second = {segment.number: segment.says for segment in sides[1]}
    ribbons = [
        Ribbon(
            path=_path(first.spans[link.first], second.spans[link.second]),
            ink=f"{_ink(link):.2f}",
            are_partners=link.are_partners,
            says=(
                f"{says[link.first]}; {says_of_second[link.second]};"
                f" {percent(link.similarity)} alike"
            ),
        )
        for link in relations
    ]
    lone = [_middle_of_lone(first), _middle_of_lone(second)]
    return Picture(HEIGHT, WIDTH, COLUMN, WIDTH - COLUMN, sides, ribbons, lone)


def _relations(between: Matching) -> list[_Link]:
    """Partners, the most alike first; then wholes and their parts."""
    partner = between.partner
    paired = np.flatnonzero(partner >= 0).tolist()
    paired.sort(key=lambda topic: (-between.similarity[topic], topic))
    partners = [
        _Link(k, int(partner[k]), float(between.similarity[k]), are_partners=True) for k in paired
    ]
    similarity: dict[tuple[int, int], float] = {}
    for topic, parts in between.splits:
        for part in parts:
            similarity[topic, part] = float(between.best_a_similarity[part])
    for topic, parts in between.merges:
        for part in parts:
            similarity[part, topic] = float(between.best_b_similarity[part])
    pairs = {(link.first, link.second) for link in partners}
    divided = [
        _Link(first, second, alike, are_partners=False)
        for (first, second), alike in similarity.items()
        if (first, second) not in pairs
    ]
    return [*partners, *divided]


def _order_of_first(column: "_Column", relations: list[_Link]) -> list[int]:
    """By section; partners by how alike they are, parts of one whole together, others by their
    words."""
    rank = {link.first: i for i, link in enumerate(relations) if link.are_partners}
    nearest = {link.first: link.second for link in relations if not link.are_partners}

    def key(topic: int) -> tuple[int, float, float, int]:
        section = SECTION[column.kinds[topic]]
        order = nearest.get(topic, -1) if section else rank[topic]
        return section, float(order), -float(column.share[topic]), topic

    return sorted(column.kinds, key=key)


def _order_of_second(column: "_Column", relations: list[_Link], first: "_Column") -> list[int]:
    """Beside what the first run has of each, so that few ribbons cross."""
    middles: dict[int, list[float]] = {}
    for link in relations:
        if link.are_partners or column.kinds[link.second] != "same":
            middles.setdefault(link.second, []).append(first.spans[link.first].middle)

    def key(topic: int) -> tuple[int, float, float, int]:
        middles_of_topic = middles.get(topic, [0.0])
        mean = sum(middles_of_topic) / len(middles_of_topic)
        return SECTION[column.kinds[topic]], mean, -float(column.share[topic]), topic

    return sorted(column.kinds, key=key)


class _Column:
    """A run: its topics in use, from the top, once they are placed."""

    def __init__(self, view: RunView, kinds: dict[int, FateKind]):
        self.view = view
        self.kinds = kinds
        self.share = fates.shares(view)
        self.spans: dict[int, _Span] = {}

    def place(self, order: list[int]) -> None:
        words = self.share[order]
        gaps = (SECTIONS - 1) * GAP
        free = max(HEIGHT - gaps - LEAST_HEIGHT * len(order), 0.0)
        heights = LEAST_HEIGHT + free * words / (words.sum() or 1.0)
        top = 0.0
        section = 0
        for topic, height in zip(order, heights.tolist(), strict=True):
            top += GAP * (SECTION[self.kinds[topic]] - section)
            section = SECTION[self.kinds[topic]]
            self.spans[topic] = _Span(top, height)
            top += height


def _segments(column: _Column) -> list[Segment]:
    topics = {number: links.topic_link(column.view, number) for number in column.spans}
    named_topics = _topics_with_names(
        column, {number: topic.name for number, topic in topics.items()}
    )
    segments = []
    for number, span in column.spans.items():
        topic = topics[number]
        share = percent(float(column.share[number]))
        segments.append(
            Segment(
                number=number,
                kind=column.kinds[number],
                hue=topic.hue,
                y=f"{span.top:.1f}",
                height=f"{span.height:.1f}",
                middle=f"{span.middle:.1f}",
                says=f"{topic.name or topic.label}, {share}",
                name=isolated(topic.name) if number in named_topics else "",
                share=share,
                url=topic.url,
            )
        )
    return segments


def _topics_with_names(column: _Column, names: dict[int, str]) -> set[int]:
    """Topics whose name has a place: the largest first, none on another one's."""
    middles: list[float] = []
    named_topics = set()
    for number in sorted(names, key=lambda topic: (-column.share[topic], topic)):
        middle = column.spans[number].middle
        if not names[number] or text_width(names[number], NAME_SIZE) > NAME_WIDTH:
            continue
        if not EDGE <= middle <= HEIGHT - EDGE:
            continue
        if all(abs(middle - middle_of_name) >= NAME_LINE for middle_of_name in middles):
            middles.append(middle)
            named_topics.add(number)
    return named_topics


def _ink(link: _Link) -> float:
    if not link.are_partners:
        return FAINTEST
    part = (link.similarity - LEAST_SIMILARITY) / (1 - LEAST_SIMILARITY)
    return FAINTEST + (DARKEST - FAINTEST) * min(max(part, 0.0), 1.0)


def _path(first: _Span, second: _Span) -> str:
    """From the span of a topic at the left to that of another at the right, and back below."""
    upper_edge = _curve(first.top, WIDTH - COLUMN, second.top)
    lower_edge = _curve(second.bottom, COLUMN, first.bottom)
    return f"M{COLUMN} {first.top:.1f}{upper_edge}V{second.bottom:.1f}{lower_edge}Z"


def _curve(y: float, end_x: float, end_y: float) -> str:
    """To another column, level at both ends."""
    half = WIDTH / 2
    return f"C{half} {y:.1f} {half} {end_y:.1f} {end_x} {end_y:.1f}"


def _middle_of_lone(column: _Column) -> str | None:
    """The middle of what one run alone has, in pixels."""
    spans = [column.spans[topic] for topic, kind in column.kinds.items() if kind == "alone"]
    if not spans:
        return None
    top = min(span.top for span in spans)
    bottom = max(span.bottom for span in spans)
    middle = min((top + bottom) / 2, HEIGHT - EDGE)  # of few words: its name would be cut
    return f"{middle:.1f}"
