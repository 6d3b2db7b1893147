"""The river: families of topics over time as one picture, on the overview and on the page of all
topics over time."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from webapp.analysis.families.shapes import FamilyTopics
from webapp.analysis.findings.river import River, shares_of_topics
from webapp.core.results import links
from webapp.core.results.view import RunView
from webapp.platform.drawing.river import RiverPicture, Stream, TopicBand, WordSpan

SHORT_RIVER_YEARS = 3  # years: a river that is not longer has the names of its bins on the axis
LABELS = 8  # of them, at most


class LinkedFamily(NamedTuple):
    """url: of the page that its stream opens."""

    family: FamilyTopics
    url: str


def picture(
    view: RunView, families: Sequence[LinkedFamily], river: River, spans: Sequence[WordSpan] = ()
) -> RiverPicture | None:
    """Streams of families, those first that are given first; None where no family has words. spans:
    of words that stand below it."""
    totals = np.maximum(np.array(river.totals, np.float64), 1.0)
    shares = shares_of_topics(river)
    streams = [_stream(view, linked, shares, totals) for linked in families]
    streams = [stream for stream in streams if stream.bands]
    if not streams:
        return None
    of_families = np.sum([stream.shares for stream in streams], axis=0)
    has_words = np.array(river.totals) > 0
    general_talk = np.clip(np.where(has_words, 1.0, 0.0) - of_families, 0.0, 1.0)
    labels = _labels(river)
    return RiverPicture(
        streams,
        general_talk,
        river.starts,
        river.end,
        list(spans),
        labels=labels,
        few_words=river.few_words,
    )


def _stream(
    view: RunView, linked: LinkedFamily, shares: dict[int, np.ndarray], totals: np.ndarray
) -> Stream:
    """A band for each of its topics that has words. shares: of each topic in each bin; totals: the
    bins' words."""
    family = linked.family
    bands = []
    for k in family.topics:
        if k not in shares:
            continue
        link = links.topic_link(view, k)
        share = float(shares[k] @ totals / totals.sum())
        name = link.name if link.has_name else ""
        names_family = k in family.named_by
        bands.append(TopicBand(name, link.label, link.url, share, shares[k], names_family))
    return Stream(family.name, linked.url, family.hue, family.share, bands)


def _labels(river: River) -> list[tuple[float, str]]:
    """Labels of the axis where years are too long; [] elsewhere."""
    if river.end - river.starts[0] > SHORT_RIVER_YEARS:
        return []
    step = -(-len(river.bins) // LABELS)
    return list(zip(river.starts, river.bins, strict=True))[::step]
