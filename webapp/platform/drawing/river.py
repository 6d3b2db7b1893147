"""The river: shares of families and their topics over time, on one another, with their names where
they are largest. Drawn on the server as SVG; it needs no script."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from webapp.platform.drawing.curves import area, curve, smoothed, text_width, ticks
from webapp.platform.drawing.numbers import percent

WIDTH, HEIGHT = 880, 400
FAMILY_SIZES, TOPIC_SIZE, SMALL_SIZE = (15.0, 13.5, 12.0), 12.0, 11.0  # of names, in pixels
FAMILY_LINE, TOPIC_LINE = 1.12, 1.06  # height of a line of text, of its size
CLEAR_PEAK, LEAST_PEAK = 24, 9  # pixels: a topic's height where its name may leave its own band
NEAR_PEAK = 0.75  # of its peak: where a name that left it may stand
STEP, POINTS = 6, 9  # pixels between places that are tried; points of a text that are looked at
LANES, LANE = 3, 19  # of words under the axis; pixels
AXIS = 22
TWO_LINES = 8  # pixels of clearance that a family's name gives up to stand in one line
JOINER = " & "


@dataclass(frozen=True)
class Band:
    """A topic. share: of all words; shares: float64[n], of each bin."""

    name: str
    label: str
    url: str
    share: float
    shares: np.ndarray


@dataclass(frozen=True)
class Stream:
    """A family. hue: its colour's number. bands: its topics."""

    name: str
    url: str
    hue: int
    share: float
    bands: list[Band]

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


class Text(NamedTuple):
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
    taken: list[Text] = field(default_factory=list)

    def fit(
        self, top: np.ndarray, bottom: np.ndarray, lines: tuple[str, ...], size: float, bold: bool
    ) -> tuple[float, Text] | None:
        """The place between two lines where a text has most clearance, with that; None where it has
        none."""
        width = max(text_width(line, size, bold) for line in lines)
        height = size * (FAMILY_LINE if bold else TOPIC_LINE) * len(lines)
        middles = np.arange(width / 2 + 4, WIDTH - width / 2 - 4, STEP)
        if not len(middles):
            return None
        across = middles[:, None] + np.linspace(-width / 2, width / 2, POINTS)
        above = np.interp(across, self.xs, top).max(axis=1)
        below = np.interp(across, self.xs, bottom).min(axis=1)
        best: tuple[float, Text] | None = None
        for i in np.argsort(-(below - above), kind="stable").tolist():
            clearance = float(below[i] - above[i]) - height
            if clearance < 0 or (best is not None and clearance <= best[0]):
                break
            text = Text(float(middles[i]), 0.0, width, height, size, lines)
            y = self._free(text, float(above[i]), float(below[i]))
            if y is not None:
                best = clearance, text._replace(y=y)
        return best

    def _free(self, text: Text, above: float, below: float) -> float | None:
        """A height between two where a text meets no other: the middle, or above or below what is
        there."""
        y = (above + below) / 2
        for other in self.taken:
            if not _meet(text._replace(y=y), other):
                continue
            over = other.y - other.height / 2 - text.height / 2 - 1
            under = other.y + other.height / 2 + text.height / 2 + 1
            if over - text.height / 2 >= above:
                y = over
            elif under + text.height / 2 <= below:
                y = under
            else:
                return None
        return None if any(_meet(text._replace(y=y), other) for other in self.taken) else y

    def near_peak(
        self, band: Band, top: np.ndarray, bottom: np.ndarray, lines: tuple[str, ...]
    ) -> Text | None:
        """Where a topic's name stands around its peak, within the family, though not within the
        topic's own band."""
        width = max(text_width(line, TOPIC_SIZE) for line in lines)
        height = TOPIC_SIZE * TOPIC_LINE * len(lines)
        high = np.flatnonzero(band.shares >= NEAR_PEAK * band.shares.max())
        for i in high[np.argsort(-band.shares[high], kind="stable")].tolist():
            x = float(np.clip(self.xs[i], width / 2 + 3, WIDTH - width / 2 - 3))
            across = x + np.linspace(-width / 2 - 2, width / 2 + 2, POINTS)
            highest = float(np.interp(across, self.xs, self.top).max()) + height / 2 - 1
            lowest = float(np.interp(across, self.xs, self.bottom).min()) - height / 2 + 1
            if highest > lowest:
                continue
            y = float(np.clip((top[i] + bottom[i]) / 2, highest, lowest))
            text = Text(x, y, width, height, TOPIC_SIZE, lines)
            near = top[i] - 0.6 * height <= y <= bottom[i] + 0.6 * height
            if near and not any(_meet(text, other, 5) for other in self.taken):
                return text
        return None


def _meet(text: Text, other: Text, gap: float = 6) -> bool:
    return (
        abs(text.x - other.x) < (text.width + other.width) / 2 + gap
        and abs(text.y - other.y) < (text.height + other.height) / 2
    )


class River:
    """Families over time. starts: years with fractions, of each bin; end: behind the last."""

    def __init__(
        self,
        streams: Sequence[Stream],
        general: np.ndarray,
        starts: Sequence[float],
        end: float,
        words: Sequence[WordSpan],
        labels: Sequence[tuple[float, str]] = (),
    ):
        """general: float64[n], the share of each bin that is in no family. labels: of the axis, where
        round years don't do."""
        self.starts, self.end, self.words = starts, end, words
        self.labels = labels or [(float(t), str(t)) for t in ticks(starts[0] + 1, end - 1, 9)]
        self.n = len(starts)
        middles = (np.arange(self.n) + 0.5) * WIDTH / self.n
        middles[0], middles[-1] = 0.0, WIDTH
        self.xs = middles
        self.general = general
        twice = [_smooth(stream) for stream in streams]
        self.streams = sorted(twice, key=lambda stream: mean_time(stream.shares))

    def draw(self) -> SafeString:
        """The whole picture."""
        above = np.zeros(self.n)
        drawn, texts = [], []
        for stream in self.streams:
            below = above + stream.shares * HEIGHT
            paths, names = self._stream(stream, above, below)
            drawn.append(paths)
            texts.append(names)
            above = below
        floor = np.full(self.n, float(HEIGHT))
        talk = f'<path d="{area(self.xs, above, floor)}" class="general"><title>{GENERAL_TALK}</title></path>'
        space = Space(self.xs, above, floor)
        found = space.fit(above, floor, (GENERAL_TALK,), TOPIC_SIZE, bold=False)
        if found:
            texts.append(_text(found[1], "general-name"))
        lanes, height = self._word_lanes()
        total = HEIGHT + AXIS + height
        return mark_safe(
            f'<svg class="river" viewBox="0 0 {WIDTH} {total}" role="img"'
            f' aria-label="{LABEL}">{talk}{"".join(drawn)}'
            f'<g class="names">{"".join(texts)}</g>{self._axis()}{lanes}</svg>'
        )

    def _stream(self, stream: Stream, top: np.ndarray, bottom: np.ndarray) -> tuple[str, str]:
        """Paths and names of a family."""
        space = Space(self.xs, top, bottom)
        lines = np.concatenate(
            [[top], top + np.cumsum([b.shares * HEIGHT for b in stream.bands], axis=0)]
        )
        bands = list(zip(stream.bands, lines[:-1], lines[1:], strict=True))
        placed, family = _names(space, stream, bands)
        paths = [
            f'<a href="{escape(stream.url)}"><path d="{area(self.xs, top, bottom)}" class="family">'
            f"<title>{escape(stream.name)}: {percent(stream.share)} of the words</title></path></a>"
        ]
        second = False
        for i, (band, upper, lower) in enumerate(bands):
            if i not in placed:
                continue
            second = not second
            tone = " second" if second else ""
            says = f"{band.name} {band.label}: {percent(band.share)} of all words"
            paths.append(
                f'<a href="{escape(band.url)}"><path d="{area(self.xs, upper, lower)}"'
                f' class="topic{tone}"><title>{escape(says)}</title></path></a>'
            )
        paths.append(f'<path d="{curve(self.xs, bottom)}" class="edge"/>')
        names = [_text(text, "topic-name") for text in placed.values()]
        if family:
            names.append(_text(family, "family-name"))
        return f'<g class="t{stream.hue}">{"".join(paths)}</g>', "".join(names)

    def _x(self, year: float) -> float:
        """Where a time is: bins are as long as each other."""
        return float(np.interp(year, [*self.starts, self.end], np.linspace(0, WIDTH, self.n + 1)))

    def _axis(self) -> str:
        out = [
            f'<text x="{self._x(year):.0f}" y="{HEIGHT + 16}" class="axis">{escape(label)}</text>'
            f'<path d="M{self._x(year):.1f} {HEIGHT}v4" class="tick"/>'
            for year, label in self.labels
        ]
        tenth = HEIGHT - 6 - HEIGHT * 0.1
        out.append(
            f'<path d="M9 {HEIGHT - 6}h-4V{tenth:.0f}h4" class="scale"/>'
            f'<text x="13" y="{(HEIGHT - 6 + tenth) / 2:.0f}" class="scale-says">{SCALE}</text>'
        )
        return "".join(out)

    def _word_lanes(self) -> tuple[str, int]:
        """Words under the axis, the clearest first, each in the first lane that has room; and how
        high they are."""
        lanes: list[list[tuple[float, float]]] = [[] for _ in range(LANES)]
        out = []
        for span in self.words:
            begin, end = self._x(span.first), self._x(span.last)
            width = text_width(span.word, TOPIC_SIZE)
            x = max(0.0, min(WIDTH - width, (begin + end) / 2 - width / 2))
            left, right = min(begin, x), max(end, x + width)
            for place, lane in enumerate(lanes):
                if all(right + 7 < taken[0] or left - 7 > taken[1] for taken in lane):
                    lane.append((left, right))
                    y = HEIGHT + AXIS + place * LANE + 17
                    out.append(
                        f'<a href="{escape(span.url)}" class="word t{span.hue}"><path'
                        f' d="M{begin:.1f} {y + 4}H{max(end, begin + 3):.1f}"/><text x="{x:.1f}"'
                        f' y="{y}">{escape(span.word)}</text><title>{escape(span.says)}</title></a>'
                    )
                    break
        used = sum(bool(lane) for lane in lanes)
        return "".join(out), LANE * used + 8 * bool(used)


GENERAL_TALK = "General talk"
SCALE = "10% of the words"
LABEL = "Shares of the words over time, by family; the list beside it says the same in words"


def mean_time(shares: np.ndarray) -> float:
    """The bin around which the words of some shares lie."""
    return float(np.arange(len(shares)) @ shares / max(shares.sum(), 1e-12))


def _smooth(stream: Stream) -> Stream:
    bands = [
        Band(band.name, band.label, band.url, band.share, smoothed(smoothed(band.shares)))
        for band in stream.bands
    ]
    bands.sort(key=lambda band: mean_time(band.shares))
    return Stream(stream.name, stream.url, stream.hue, stream.share, bands)


Placed = tuple[Band, np.ndarray, np.ndarray]


def _names(
    space: Space, stream: Stream, bands: list[Placed]
) -> tuple[dict[int, Text], Text | None]:
    """Where names stand: of topics, by their place in the family, and of the family itself. The topic
    with the highest peak comes first, where the family's name has room beside it."""
    order = sorted(range(len(bands)), key=lambda i: -float(bands[i][0].shares.max()))
    placed: dict[int, Text] = {}
    clearest = order[0]
    first = _topic_name(space, bands[clearest], CLEAR_PEAK)
    family = None
    if first:
        space.taken.append(first)
        family = _family_name(space, stream.name)
        if family:
            placed[clearest] = first
        else:
            space.taken.pop()
    family = family or _family_name(space, stream.name)
    if family:
        space.taken.append(family)
    for i in order:
        if i in placed:
            continue
        text = _topic_name(space, bands[i], LEAST_PEAK)
        if text:
            placed[i] = text
            space.taken.append(text)
    return placed, family


def _topic_name(space: Space, placed: Placed, peak: float) -> Text | None:
    """Within its own band; where that is at least `peak` high, else within the family."""
    band, top, bottom = placed
    if not band.name:
        return None
    forms = _forms(band.name)
    for size in (TOPIC_SIZE, SMALL_SIZE):
        for lines in forms if size == TOPIC_SIZE else forms[:1]:
            found = space.fit(top, bottom, lines, size, bold=False)
            if found:
                return found[1]
    if float(band.shares.max()) * HEIGHT < peak:
        return None
    for lines in forms:
        text = space.near_peak(band, top, bottom, lines)
        if text:
            return text
    return None


def _family_name(space: Space, name: str) -> Text | None:
    for size in FAMILY_SIZES:
        found = []
        for lines in _forms(name):
            fit = space.fit(space.top, space.bottom, lines, size, bold=True)
            if fit:
                found.append((fit[0] - TWO_LINES * (len(lines) - 1), fit[1]))
        if found:
            return max(found, key=lambda item: item[0])[1]
    return None


def _forms(name: str) -> list[tuple[str, ...]]:
    """A name in one line, and in two: it is never shortened."""
    first, joiner, second = name.partition(JOINER)
    return [(name,), (first + " &", second)] if joiner else [(name,)]


def _text(text: Text, kind: str) -> str:
    line = FAMILY_LINE if kind == "family-name" else TOPIC_LINE
    out = []
    for i, words in enumerate(text.lines):
        y = text.y + (i - (len(text.lines) - 1) / 2) * text.size * line
        out.append(
            f'<text x="{text.x:.0f}" y="{y:.0f}" class="{kind}" font-size="{text.size:g}">'
            f"{escape(words)}</text>"
        )
    return "".join(out)
