"""The river: shares of families and their topics over time, on one another, with their names where
they are largest. Drawn on the server as SVG; it needs no script."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from webapp.platform.drawing.curves import area, curve, smoothed, text_width, ticks
from webapp.platform.drawing.directions import isolated
from webapp.platform.drawing.numbers import percent

# All lengths are pixels
WIDTH = 880
HEIGHT = 400

LEAST_SMOOTHED = 24  # bins of a river that is smoothed: five of fewer bins are an age

# Names
FAMILY_SIZES = (15.0, 13.5, 12.0)  # tried in this order
TOPIC_SIZE = 12.0
SMALL_SIZE = 11.0  # of topics in narrow bands
FAMILY_LINE = 1.12  # height of a line of text, of its size
TOPIC_LINE = 1.06
# Between the parts of a name, and between the names of two topics
JOINER = " & "
LIST = " · "
TWO_LINES = 8  # clearance that a family's name gives up to stand in one line

# Where names stand
NAME_PLACE_STEP = 6  # between places that are tried
POINTS = 9  # of a text, at which is looked how much room it has
EDGE_GAP = 4  # between a text and the end of the river
TEXT_GAP = 6  # between two texts side by side
LINE_GAP = 1  # between two texts one below the other
CLEAR_PEAK = 24  # height of a topic whose name may leave its band, and of which the family knows
LEAST_PEAK = 9  # height of any topic whose name may leave its band
NEAR_PEAK = 0.75  # of its peak: where a name that left it may stand
PEAK_EDGE_GAP = 3
PEAK_SIDE_GAP = 2  # a name near its peak has so much more room to both sides
PEAK_OVERLAP = 1  # so much of its height may lie outside the family
PEAK_GAP = 5  # between it and another text
FARTHEST_NAME = 0.6  # of its height: how far from its band it may stand

# Under the river
AXIS = 22  # height
AXIS_LABEL = 16  # from the river down to the line of its labels
MOST_YEARS = 9  # on it, or a few more
SCALE_BAR = 0.1  # the share that the bar at the left shows
SCALE_FLOOR = 6  # from its foot to the bottom of the river
SCALE_SIZE = 11.5  # of its text (static/css/river.css)
SCALE_LEFT = 13  # where its text begins
SCALE_MARGIN = 6  # names stay so far above it, and below
LANES = 3  # of words
LANE = 19  # height
WORD_LINE = 17  # from a lane's top to the line of its words
UNDER_WORD = 4  # from there to the line that shows how long it is frequent
WORD_GAP = 7  # between two of a lane
SHORTEST_SPAN = 3
LANES_FOOT = 8  # below the last lane


@dataclass(frozen=True)
class TopicBand:
    """A topic. share: of all words; shares: float64[n], of each bin. names_family: whether the name
    of its family has its own as a part, which is not written twice."""

    name: str
    label: str
    url: str
    share: float
    shares: np.ndarray
    names_family: bool = False


@dataclass(frozen=True)
class Stream:
    """A family. hue: its colour's number. bands: its topics."""

    name: str
    url: str
    hue: int
    share: float
    bands: list[TopicBand]

    @property
    def shares(self) -> np.ndarray:
        return np.sum([band.shares for band in self.bands], axis=0)


@dataclass(frozen=True)
class WordSpan:
    """A word of a time, first to last: years with fractions. says: for who points at it."""

    word: str
    url: str
    hue: int
    first: float
    last: float
    says: str


class PlacedText(NamedTuple):
    """Where a text stands: its middle, its size in pixels and its lines."""

    x: float
    y: float
    width: float
    height: float
    size: float
    lines: tuple[str, ...]


@dataclass
class Space:
    """A family's place: its upper and lower line, and the texts that stand there."""

    xs: np.ndarray
    top: np.ndarray
    bottom: np.ndarray
    taken: list[PlacedText] = field(default_factory=list)

    def fit(
        self, top: np.ndarray, bottom: np.ndarray, lines: tuple[str, ...], size: float, bold: bool
    ) -> "Fit | None":
        """The place between two lines where a text has most clearance; None where it has none."""
        width = max(text_width(line, size, bold) for line in lines)
        height = size * (FAMILY_LINE if bold else TOPIC_LINE) * len(lines)
        middles = np.arange(width / 2 + EDGE_GAP, WIDTH - width / 2 - EDGE_GAP, NAME_PLACE_STEP)
        if not len(middles):
            return None
        across = middles[:, None] + np.linspace(-width / 2, width / 2, POINTS)
        above = np.interp(across, self.xs, top).max(axis=1)
        below = np.interp(across, self.xs, bottom).min(axis=1)
        widest_first = np.argsort(-(below - above), kind="stable")
        for i in widest_first.tolist():
            clearance = float(below[i] - above[i]) - height
            if clearance < 0:
                return None
            text = PlacedText(float(middles[i]), 0.0, width, height, size, lines)
            y = self._free_height(text, float(above[i]), float(below[i]))
            if y is not None:  # all others have less clearance
                return Fit(clearance, text._replace(y=y))
        return None

    def _free_height(self, text: PlacedText, above: float, below: float) -> float | None:
        """A height between two where a text meets no other: the middle, or above or below what is
        there."""
        y = (above + below) / 2
        for neighbour in self.taken:
            if not _meet(text._replace(y=y), neighbour):
                continue
            distance = (neighbour.height + text.height) / 2 + LINE_GAP
            over = neighbour.y - distance
            under = neighbour.y + distance
            if over - text.height / 2 >= above:
                y = over
            elif under + text.height / 2 <= below:
                y = under
            else:
                return None
        return y if self._is_free(text._replace(y=y)) else None

    def _is_free(self, text: PlacedText, gap: float = TEXT_GAP) -> bool:
        return not any(_meet(text, neighbour, gap) for neighbour in self.taken)

    def near_peak(
        self, band: TopicBand, top: np.ndarray, bottom: np.ndarray, lines: tuple[str, ...]
    ) -> PlacedText | None:
        """Where a topic's name stands around its peak, within the family, though not within the
        topic's own band."""
        width = max(text_width(line, TOPIC_SIZE) for line in lines)
        height = TOPIC_SIZE * TOPIC_LINE * len(lines)
        from_edge = width / 2 + PEAK_EDGE_GAP
        half = width / 2 + PEAK_SIDE_GAP
        high_bins = np.flatnonzero(band.shares >= NEAR_PEAK * band.shares.max())
        highest_first = high_bins[np.argsort(-band.shares[high_bins], kind="stable")]
        for i in highest_first.tolist():
            x = float(np.clip(self.xs[i], from_edge, WIDTH - from_edge))
            across = x + np.linspace(-half, half, POINTS)
            ceiling = float(np.interp(across, self.xs, self.top).max())
            floor = float(np.interp(across, self.xs, self.bottom).min())
            highest = ceiling + height / 2 - PEAK_OVERLAP
            lowest = floor - height / 2 + PEAK_OVERLAP
            if highest > lowest:
                continue
            y = float(np.clip((top[i] + bottom[i]) / 2, highest, lowest))
            text = PlacedText(x, y, width, height, TOPIC_SIZE, lines)
            farthest = FARTHEST_NAME * height
            is_near = top[i] - farthest <= y <= bottom[i] + farthest
            if is_near and self._is_free(text, PEAK_GAP):
                return text
        return None


class Fit(NamedTuple):
    """A text that has room, and how many pixels more than it needs."""

    clearance: float
    text: PlacedText


def _meet(text: PlacedText, neighbour: PlacedText, gap: float = TEXT_GAP) -> bool:
    are_close = abs(text.x - neighbour.x) < (text.width + neighbour.width) / 2 + gap
    is_level = abs(text.y - neighbour.y) < (text.height + neighbour.height) / 2
    return are_close and is_level


class RiverPicture:
    """Families over time."""

    def __init__(
        self,
        streams: Sequence[Stream],
        general: np.ndarray,
        starts: Sequence[float],
        end: float,
        words: Sequence[WordSpan],
        labels: Sequence[tuple[float, str]] = (),
        few_words: Sequence[bool] = (),
    ):
        """general: float64[n], the share of each bin that is in no family. starts: of each bin, in
        years with fractions; end: behind the last. labels: of the axis, where round years don't
        do. few_words: of each bin, whether it has too few to say much, and is pale."""
        self.starts = starts
        self.end = end
        self.words = words
        self.labels = labels or _round_years(starts[0], end)
        self.n = len(starts)
        self.general = general
        self.few_words = few_words
        self.xs = (np.arange(self.n) + 0.5) * WIDTH / self.n
        self.xs[0] = 0.0
        self.xs[-1] = WIDTH
        smooth_streams = [smooth_stream(stream) for stream in streams]
        self.streams = sorted(smooth_streams, key=lambda stream: mean_time(stream.shares))

    def draw(self) -> SafeString:
        """The whole picture."""
        above = np.zeros(self.n)
        streams = []
        names = []
        for stream in self.streams:
            below = above + stream.shares * HEIGHT
            paths, names_of_stream = self._stream(stream, above, below)
            streams.append(paths)
            names.append(names_of_stream)
            above = below
        general_talk, its_name = self._general_talk(above)
        names.append(its_name)
        lanes, height_of_lanes = self._word_lanes()
        total = HEIGHT + AXIS + height_of_lanes
        parts = [
            f'<svg class="river" viewBox="0 0 {WIDTH} {total}" role="group" aria-label="{LABEL}">',
            general_talk,
            *streams,
            self._veils(),
            f'<g class="names">{"".join(names)}</g>',
            self._axis(),
            lanes,
            "</svg>",
        ]
        return mark_safe("".join(parts))  # numbers, and texts and addresses that are escaped

    def _pale_spans(self) -> list[tuple[float, float]]:
        """The bins with few words, from where to where."""
        edges = np.linspace(0, WIDTH, self.n + 1).tolist()
        return [
            (left, right)
            for left, right, has_few in zip(edges, edges[1:], self.few_words, strict=False)
            if has_few
        ]

    def _veils(self) -> str:
        """Over the bins with few words, so that they are pale."""
        return "".join(
            f'<rect class="few" x="{left:.1f}" width="{right - left:.1f}" height="{HEIGHT}"/>'
            for left, right in self._pale_spans()
        )

    def _space_of_family(self, top: np.ndarray, bottom: np.ndarray) -> Space:
        """Between its two lines, without the place of the scale and pale times, in which a white
        name can't be read."""
        taken = [_scale_bar()]
        for left, right in self._pale_spans():
            taken.append(_whole_height(left, right))
        return Space(self.xs, top, bottom, taken)

    def _general_talk(self, top: np.ndarray) -> tuple[str, str]:
        """What is in no family, below all of them; and its name, "" where that has no room."""
        floor = np.full(self.n, float(HEIGHT))
        path = (
            f'<path d="{area(self.xs, top, floor)}" class="general">'
            f"<title>{GENERAL_TALK}</title></path>"
        )
        space = Space(self.xs, top, floor, [_scale_bar()])
        fit = space.fit(top, floor, (GENERAL_TALK,), TOPIC_SIZE, bold=False)
        name = _text(fit.text, "general-name") if fit else ""
        return path, name

    def _stream(self, stream: Stream, top: np.ndarray, bottom: np.ndarray) -> tuple[str, str]:
        """Paths and names of a family."""
        heights = [band.shares * HEIGHT for band in stream.bands]
        edges = np.concatenate([[top], top + np.cumsum(heights, axis=0)])
        bands = list(zip(stream.bands, edges[:-1], edges[1:], strict=True))
        topic_names, family_name = _names(self._space_of_family(top, bottom), stream, bands)
        title = f"{escape(isolated(stream.name))}: {percent(stream.share)} of the words"
        paths = [
            f'<a href="{escape(stream.url)}"><path d="{area(self.xs, top, bottom)}" class="family">'
            f"<title>{title}</title></path></a>"
        ]
        named_bands = [band for i, band in enumerate(bands) if i in topic_names]
        for i, band in enumerate(named_bands):
            tone = "" if i % 2 else " second"  # so that neighbours are told apart
            paths.append(self._band(band, tone))
        paths.append(f'<path d="{curve(self.xs, bottom)}" class="edge"/>')
        names = [_text(text, "topic-name") for text in topic_names.values()]
        if family_name:
            names.append(_text(family_name, "family-name"))
        return f'<g class="t{stream.hue}">{"".join(paths)}</g>', "".join(names)

    def _band(self, placed: "Placed", tone: str) -> str:
        band, upper, lower = placed
        says = f"{isolated(band.name)} {band.label}: {percent(band.share)} of all words"
        return (
            f'<a href="{escape(band.url)}"><path d="{area(self.xs, upper, lower)}"'
            f' class="topic{tone}"><title>{escape(says)}</title></path></a>'
        )

    def _x(self, year: float) -> float:
        """Where a time is: bins are as long as each other."""
        edges = np.linspace(0, WIDTH, self.n + 1)
        return float(np.interp(year, [*self.starts, self.end], edges))

    def _axis(self) -> str:
        """Times, and a bar that shows how high a tenth of the words is."""
        label_y = HEIGHT + AXIS_LABEL
        marks = []
        for year, label in self.labels:
            x = self._x(year)
            marks += [
                f'<text x="{x:.0f}" y="{label_y}" class="axis">{escape(label)}</text>',
                f'<path d="M{x:.1f} {HEIGHT}v4" class="tick"/>',
            ]
        foot = HEIGHT - SCALE_FLOOR
        top = foot - HEIGHT * SCALE_BAR
        middle = (foot + top) / 2
        bar = f'd="M9 {foot}h-4V{top:.0f}h4"'
        marks += [
            f'<path {bar} class="scale-edge"/>',  # so that the bar is seen on any colour
            f'<path {bar} class="scale"/>',
            f'<text x="{SCALE_LEFT}" y="{middle:.0f}" class="scale-says">{SCALE}</text>',
        ]
        return "".join(marks)

    def _word_lanes(self) -> tuple[str, int]:
        """Words under the axis, the clearest first, each in the first lane that has room; and how
        high the lanes are."""
        lanes = [Lane(HEIGHT + AXIS + number * LANE + WORD_LINE) for number in range(LANES)]
        words = []
        for span in self.words:
            begin = self._x(span.first)
            end = self._x(span.last)
            width = text_width(span.word, TOPIC_SIZE)
            x = max(0.0, min(WIDTH - width, (begin + end) / 2 - width / 2))
            left = min(begin, x)
            right = max(end, x + width)
            lane = next((lane for lane in lanes if lane.is_free(left, right)), None)
            if lane is None:
                continue
            lane.taken.append((left, right))
            line_end = max(end, begin + SHORTEST_SPAN)
            line_y = lane.y + UNDER_WORD
            words += [
                f'<a href="{escape(span.url)}" class="word t{span.hue}">',
                f'<path d="M{begin:.1f} {line_y}H{line_end:.1f}"/>',
                f'<text x="{x:.1f}" y="{lane.y}">{escape(span.word)}</text>',
                f"<title>{escape(span.says)}</title></a>",
            ]
        used = sum(bool(lane.taken) for lane in lanes)
        height = LANE * used + LANES_FOOT if used else 0
        return "".join(words), height


@dataclass
class Lane:
    """A line of words under the axis. y: of their base line. taken: from where to where, of
    each."""

    y: int
    taken: list[tuple[float, float]] = field(default_factory=list)

    def is_free(self, left: float, right: float) -> bool:
        return all(right + WORD_GAP < begin or left - WORD_GAP > end for begin, end in self.taken)


def _round_years(start: float, end: float) -> list[tuple[float, str]]:
    """Not at the very ends, where a label would be cut."""
    return [(float(year), str(year)) for year in ticks(start + 1, end - 1, MOST_YEARS)]


GENERAL_TALK = "General talk"
SCALE = "10% of the words"
LABEL = "Shares of the words over time, by family; the list beside it says the same in words"


def _scale_bar() -> PlacedText:
    """The room that the bar at the left and its text take, where no name may stand."""
    right = SCALE_LEFT + text_width(SCALE, SCALE_SIZE)
    height = HEIGHT * SCALE_BAR
    middle = HEIGHT - SCALE_FLOOR - height / 2
    return PlacedText(right / 2, middle, right, height + 2 * SCALE_MARGIN, SCALE_SIZE, (SCALE,))


def _whole_height(left: float, right: float) -> PlacedText:
    """A time in which no name may stand, at any height."""
    return PlacedText(
        x=(left + right) / 2,
        y=HEIGHT / 2,
        width=right - left,
        height=2 * HEIGHT,
        size=TOPIC_SIZE,
        lines=(),
    )


def mean_time(shares: np.ndarray) -> float:
    """The bin around which the words of some shares lie."""
    return float(np.arange(len(shares)) @ shares / max(shares.sum(), 1e-12))


def smooth_stream(stream: Stream) -> Stream:
    """Its bands in the order of their times, without the bins' chance. Few bins are long, and have
    little of it: smoothed, they would show other shares than the sentences beside the river."""
    bands = list(stream.bands)
    if bands and len(bands[0].shares) >= LEAST_SMOOTHED:
        bands = [replace(band, shares=smoothed(smoothed(band.shares))) for band in bands]
    bands.sort(key=lambda band: mean_time(band.shares))
    return replace(stream, bands=bands)


Placed = tuple[TopicBand, np.ndarray, np.ndarray]  # with its upper and its lower line


def _names(
    space: Space, stream: Stream, bands: list[Placed]
) -> tuple[dict[int, PlacedText], PlacedText | None]:
    """Where names stand: of topics, by their number in the family, and of the family itself. The
    topic with the highest peak comes first, where the family's name has room beside it. Topics that
    are in the family's name have none of their own where that is written."""
    order = sorted(range(len(bands)), key=lambda i: -float(bands[i][0].shares.max()))
    not_in_name = [i for i in order if not bands[i][0].names_family]
    topic_names: dict[int, PlacedText] = {}
    family_name = None
    for clearest in not_in_name[:1]:
        name_of_clearest = _topic_name(space, bands[clearest], CLEAR_PEAK)
        if name_of_clearest is None:
            continue
        space.taken.append(name_of_clearest)
        family_name = _family_name(space, stream.name)
        if family_name:
            topic_names[clearest] = name_of_clearest
        else:
            space.taken.pop()
    if family_name is None:
        family_name = _family_name(space, stream.name)
    if family_name:
        space.taken.append(family_name)
    for i in not_in_name if family_name else order:
        if i in topic_names:
            continue
        text = _topic_name(space, bands[i], LEAST_PEAK)
        if text:
            topic_names[i] = text
            space.taken.append(text)
    return topic_names, family_name


def _topic_name(space: Space, placed: Placed, peak: float) -> PlacedText | None:
    """Within its own band; where that is at least `peak` high, else within the family."""
    band, top, bottom = placed
    if not band.name:
        return None
    forms = _forms(band.name)
    attempts = [(lines, TOPIC_SIZE) for lines in forms]
    attempts.append((forms[0], SMALL_SIZE))
    for lines, size in attempts:
        fit = space.fit(top, bottom, lines, size, bold=False)
        if fit:
            return fit.text
    if float(band.shares.max()) * HEIGHT < peak:
        return None
    for lines in forms:
        text = space.near_peak(band, top, bottom, lines)
        if text:
            return text
    return None


def _family_name(space: Space, name: str) -> PlacedText | None:
    """In the largest size that has room, in one line rather than in two."""
    for size in FAMILY_SIZES:
        fits: list[Fit] = []
        for lines in _forms(name):
            fit = space.fit(space.top, space.bottom, lines, size, bold=True)
            if fit:
                lost = TWO_LINES * (len(lines) - 1)
                fits.append(Fit(fit.clearance - lost, fit.text))
        if fits:
            return max(fits, key=lambda fit: fit.clearance).text
    return None


def _forms(name: str) -> list[tuple[str, ...]]:
    """A name in one line, and in two: it is never shortened."""
    for joiner in (LIST, JOINER):  # between the names of two topics rather than within one
        first, joint, second = name.partition(joiner)
        if joint:
            return [(name,), (first + joiner.rstrip(), second)]
    return [(name,)]


def _text(text: PlacedText, kind: str) -> str:
    line_height = text.size * (FAMILY_LINE if kind == "family-name" else TOPIC_LINE)
    first_y = text.y - (len(text.lines) - 1) / 2 * line_height
    lines = []
    for i, words in enumerate(text.lines):
        y = first_y + i * line_height
        lines.append(
            f'<text x="{text.x:.0f}" y="{y:.0f}" class="{kind}" font-size="{text.size:g}">'
            f"{escape(words)}</text>"
        )
    return "".join(lines)
