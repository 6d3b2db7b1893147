"""The map of a run's topics: where each circle lies, how large it is, and which labels find
room."""

from dataclasses import replace
from typing import Literal

import numpy as np

from inference.explore.layout import separate
from inference.explore.naming import LIST
from webapp.analysis.topics.overview import Overview
from webapp.analysis.topics.shapes import Circle, LabelPlace, TopicMap
from webapp.core.results import links, measures, topics
from webapp.platform.storage.cache import cached

WIDTH, HEIGHT = 1100, 780  # units of the drawing, pixels on a large screen; a flat map is lower
COVERED = 0.16  # of the disc on which the map lies, by all circles together
LEAST = 3.0  # radius that can still be hit
LETTER, LINE, GAP = (
    6.9,
    17,
    4,
)  # width and height of a label's letters, its distance from the circle
LABELLED = 150  # topics, the largest, that may have a label before the reader zooms in
WORDS = 2  # of a topic that has no name


def topic_map(overview: Overview, chosen: list[int]) -> TopicMap | None:
    """Circles lie where the sizes of the whole corpus put them, so that a set of documents changes
    their sizes and no place. None where there is no map: the run is still training, or an older
    version made it.
    """
    if "x" not in overview.measures or np.isnan(overview.measures["x"][overview.view.used]).any():
        return None
    scale = _spread(overview.run.snapshot_id)
    low, high = scale["low"], scale["high"]
    unit = min(WIDTH / (high[0] - low[0]), HEIGHT / (high[1] - low[1]))
    height = float((high[1] - low[1]) * unit)
    xy = (scale["xy"] - (low + high) / 2) * unit + np.array([WIDTH, height]) / 2
    radii = np.maximum(np.sqrt(COVERED * overview.share) * unit, LEAST)
    # The largest first, so that small ones lie on top
    numbers = overview.numbers[
        np.argsort(-overview.share[overview.numbers], kind="stable")
    ].tolist()
    words = topics.first_words(overview.view, WORDS)
    picked = set(chosen)
    circles = [
        Circle(
            **vars(links.topic_share(overview.view, k, float(overview.share[k])))
            | {"hue": overview.hue(k)},
            x=round(float(xy[k, 0]), 1),
            y=round(float(xy[k, 1]), 1),
            r=round(float(radii[k]), 1),
            text=name or LIST.join(words[k]),
            chosen=k in picked,
            place=None,
        )
        for k, name in zip(numbers, map(overview.labels.name, numbers), strict=True)
    ]
    circles = _labelled(circles[:LABELLED], height) + circles[LABELLED:]
    return TopicMap(circles, WIDTH, round(height), overview.view.snapshot.stress)


@cached(32)
def _spread(snapshot_id: int) -> dict[str, np.ndarray]:
    """Places moved apart until no circle covers another, in the units of the layout; and the
    corners of what they take up."""
    columns = measures.read(snapshot_id)
    used = columns["used"] > 0
    places = np.full((len(used), 2), np.nan)
    xy = np.column_stack([columns["x"], -columns["y"]])[used]  # on a screen y points down
    radii = np.sqrt(COVERED * columns["share"][used])
    places[used] = xy = separate(xy, radii * 1.04)
    margin = radii[:, None] + np.array([0.16, 0.05])  # for labels at the edge
    return {"xy": places, "low": (xy - margin).min(axis=0), "high": (xy + margin).max(axis=0)}


def _labelled(circles: list[Circle], height: float) -> list[Circle]:
    """With a label where there is room for it, the largest first: right of the circle, left of it,
    below or above it.

    static/js/map.js does the same for the part of the map that the reader zooms to.
    """
    places: list[LabelPlace | None] = [None] * len(circles)
    taken = np.empty((0, 4))
    discs = np.array([[c.x, c.y, c.r] for c in circles]).reshape(-1, 3)
    for i, circle in enumerate(circles):
        x, y, r = discs[i]
        w = LETTER * (len(circle.label) + 1 + len(circle.text))
        tried: list[tuple[Literal["start", "end", "middle"], float, float]] = [
            ("start", x + r + GAP, y),
            ("end", x - r - GAP - w, y),
            ("middle", x - w / 2, y + r + LINE / 2),
            ("middle", x - w / 2, y - r - LINE / 2),
        ]
        for anchor, left, middle in tried:
            box = np.array([left, middle - LINE / 2, left + w, middle + LINE / 2])
            outside = box[0] < 0 or box[2] > WIDTH or box[1] < 0 or box[3] > height
            over = (
                (taken[:, 0] < box[2])
                & (taken[:, 2] > box[0])
                & (taken[:, 1] < box[3])
                & (taken[:, 3] > box[1])
            )
            near = np.clip(discs[:, :2], box[:2], box[2:]) - discs[:, :2]
            if outside or np.any(over) or np.any((near**2).sum(axis=1) < (0.8 * discs[:, 2]) ** 2):
                continue
            taken = np.vstack([taken, box])
            at = {"start": left, "end": left + w, "middle": x}[anchor]
            places[i] = LabelPlace(anchor, round(float(at), 1), round(float(middle), 1))
            break
    return [replace(circle, place=place) for circle, place in zip(circles, places, strict=True)]
