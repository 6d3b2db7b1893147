"""The map of a run's topics: where each circle lies, how large it is, and which labels find
room."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from inference.explore.layout import separate
from inference.explore.naming import LIST
from webapp.analysis.topics.listing import TopicListing
from webapp.analysis.topics.shapes import Circle, LabelPlace, TopicMap
from webapp.core.results import links, measures, topics
from webapp.platform.drawing.label_boxes import Box, LabelBoxes
from webapp.platform.drawing.protocols import Anchor
from webapp.platform.storage.cache import cached

# Units of the drawing, pixels on a large screen
WIDTH = 1100
HEIGHT = 780  # at most: a flat map is lower
COVERED = 0.16  # of the disc on which the map lies, by all circles together
LEAST_RADIUS = 3.0  # radius that can still be hit
RADII_APART = 1.04  # times their radii: circles don't touch
LABEL_MARGINS = np.array([0.16, 0.05])  # of the layout, for labels to the sides and above
LETTER = 5.7  # width of a label's letters, on average
PADDING = 10  # what capitals add to it, and the space up to the next label
LINE = 17  # their height
LABEL_GAP = 4  # between a circle and its label
# Between a label and circles that it does not name, at least: it is twice as near to its own
CLEARANCE = 2 * LABEL_GAP
LABELLED = 150  # topics, the largest, that may have a label before the reader zooms in
DIAGONAL = 0.71  # of the radius: how far a circle reaches at 45 degrees to each side
WORDS_OF_LABEL = 2  # of a topic that has no name


def topic_map(listing: TopicListing, shown_topics: list[int]) -> TopicMap | None:
    """Circles lie where the sizes of the whole corpus put them, so that a set of documents changes
    their sizes and no place. None where there is no map: the run is still training, or an older
    version made it.
    """
    if "x" not in listing.measures or np.isnan(listing.measures["x"][listing.view.used]).any():
        return None
    layout = _spread(listing.run.snapshot_id)
    unit = min(WIDTH / layout.width, HEIGHT / layout.height)
    height = layout.height * unit
    middle = (layout.low + layout.high) / 2
    xy = (layout.xy - middle) * unit + np.array([WIDTH, height]) / 2
    radii = np.maximum(np.sqrt(COVERED * listing.share) * unit, LEAST_RADIUS)
    # The largest first, so that small ones lie on top
    largest_first = np.argsort(-listing.share[listing.numbers], kind="stable")
    words = topics.first_words(listing.view, WORDS_OF_LABEL)
    chosen_topics = set(shown_topics)
    circles = []
    for k in listing.numbers[largest_first].tolist():
        topic = links.topic_share(listing.view, k, float(listing.share[k]))
        circle = Circle(
            **vars(replace(topic, hue=listing.hue(k))),
            x=round(float(xy[k, 0]), 1),
            y=round(float(xy[k, 1]), 1),
            r=round(float(radii[k]), 1),
            text=listing.labels.name(k) or LIST.join(words[k]),
            chosen=k in chosen_topics,
            place=None,
        )
        circles.append(circle)
    circles = label_circles(circles[:LABELLED], height) + circles[LABELLED:]
    return TopicMap(circles, WIDTH, round(height), listing.view.snapshot.stress)


class _Layout(NamedTuple):
    """xy: float64[K, 2], NaN of topics that are not used. low, high: float64[2], the corners of
    what all circles take up with their labels."""

    xy: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def width(self) -> float:
        return float(self.high[0] - self.low[0])

    @property
    def height(self) -> float:
        return float(self.high[1] - self.low[1])


@cached(32)
def _spread(snapshot_id: int) -> _Layout:
    """Places moved apart until no circle covers another, in the units of the layout."""
    columns = measures.read(snapshot_id)
    used = columns["used"] > 0
    stored = np.column_stack([columns["x"], -columns["y"]])[used]  # on a screen y points down
    radii = np.sqrt(COVERED * columns["share"][used])
    separated = separate(stored, radii * RADII_APART)
    positions = np.full((len(used), 2), np.nan)
    positions[used] = separated
    margin = radii[:, None] + LABEL_MARGINS
    return _Layout(positions, (separated - margin).min(axis=0), (separated + margin).max(axis=0))


def label_circles(circles: list[Circle], height: float) -> list[Circle]:
    """Circles, the largest first, each with its name where there is room for it: right of the
    circle, left of it, below or above it, or at a corner, and twice as far from all others. Where all names stand,
    the number follows each that has room for it.

    static/js/map.js does the same for the part of the map that the reader zooms to.
    """
    room = _Room(circles, height)
    places_of_names = [room.take_name(i) for i in range(len(circles))]
    labelled = []
    for i, candidate in enumerate(places_of_names):
        label_place = None if candidate is None else room.take_number(i, candidate)
        labelled.append(replace(circles[i], place=label_place))
    return labelled


def label_width(text: str) -> float:
    """About how wide a label is, rather too wide than too narrow."""
    return LETTER * len(text) + PADDING


class _Candidate(NamedTuple):
    """Where a label might stand. x: of its anchor; y: of its middle."""

    anchor: Anchor
    x: float
    y: float

    def box(self, text: str) -> Box:
        width = label_width(text)
        lefts = {"start": self.x, "end": self.x - width, "middle": self.x - width / 2}
        left = lefts[self.anchor]
        top = self.y - LINE / 2
        return Box(left, top, left + width, top + LINE)


class _Room:
    """What stands on a map of this height. middles: float64[n, 2] and radii: float64[n], of
    circles."""

    def __init__(self, circles: list[Circle], height: float):
        self.height = height
        self.circles = circles
        self.middles = np.array([[circle.x, circle.y] for circle in circles]).reshape(-1, 2)
        self.radii = np.array([circle.r for circle in circles])
        self.labels = LabelBoxes(self._is_within_map)

    def take_name(self, i: int) -> _Candidate | None:
        """Where the name of a circle stands from now on."""
        text = self.circles[i].text
        candidates = [
            candidate
            for candidate in _candidates(self.circles[i])
            if self._names_alone(i, candidate.box(text))
        ]
        free = self.labels.take_first(candidate.box(text) for candidate in candidates)
        return None if free is None else candidates[free]

    def take_number(self, i: int, candidate: _Candidate) -> LabelPlace:
        """The place of a label whose name stands there, with its number where that has room."""
        circle = self.circles[i]
        name_box = candidate.box(circle.text)
        self.labels.taken.remove(name_box)
        numbered_box = candidate.box(f"{circle.text} {circle.label}")
        numbered = False
        if self._names_alone(i, numbered_box):
            numbered = self.labels.take_first([numbered_box]) is not None
        if not numbered:
            self.labels.taken.append(name_box)
        return LabelPlace(candidate.anchor, round(candidate.x, 1), round(candidate.y, 1), numbered)

    def _is_within_map(self, box: Box) -> bool:
        is_level = box.top >= 0 and box.bottom <= self.height
        return is_level and box.left >= 0 and box.right <= WIDTH

    def _names_alone(self, i: int, box: Box) -> bool:
        """Whether a label of circle i can be taken for that of no other one."""
        nearest_of_box = np.clip(self.middles, box[:2], box[2:])
        distances = np.sqrt(((nearest_of_box - self.middles) ** 2).sum(axis=1))
        is_clear = distances >= self.radii + CLEARANCE
        is_clear[i] = True
        return bool(is_clear.all())


def _candidates(circle: Circle) -> list[_Candidate]:
    """Right of the circle, left of it, below and above it, and at its four corners."""
    corner = DIAGONAL * circle.r
    to_right, to_left = circle.x + corner, circle.x - corner
    upper = circle.y - corner - LINE / 2
    lower = circle.y + corner + LINE / 2
    below = circle.y + circle.r + LINE / 2
    above = circle.y - circle.r - LINE / 2
    return [
        _Candidate("start", circle.x + circle.r + LABEL_GAP, circle.y),
        _Candidate("end", circle.x - circle.r - LABEL_GAP, circle.y),
        _Candidate("middle", circle.x, below),
        _Candidate("middle", circle.x, above),
        _Candidate("start", to_right, upper),
        _Candidate("start", to_right, lower),
        _Candidate("end", to_left, upper),
        _Candidate("end", to_left, lower),
    ]
