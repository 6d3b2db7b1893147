"""Families of topics over time as one picture, the same as on the overview of a run."""

import numpy as np

from webapp.analysis.findings import families
from webapp.analysis.findings.river import FEW, River, river
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links
from webapp.core.results.view import RunView
from webapp.platform.drawing.river import Band, River as Picture, Stream

MONTHS = 3  # years: a river that is shorter has months on its axis
LABELS = 8  # of them


def picture(selection: RunSelection, by: str) -> Picture | None:
    """Of all families by periods `by`; None of a set whose periods are too few to make a river."""
    bins = river(selection, by)
    if bins is None or len(bins.totals) < FEW:
        return None
    totals = np.maximum(np.array(bins.totals, np.float64), 1.0)
    shares = {topic.number: np.array(topic.tokens, np.float64) / totals for topic in bins.topics}
    streams = []
    for family in families.count_families(selection, None):
        bands = [_band(selection.view, k, shares[k], totals) for k in family.topics if k in shares]
        if bands:
            url = links.topics_url(selection.run) + selection.address(
                topics=",".join(str(k) for k in family.topics)
            )
            streams.append(Stream(family.name, url, family.hue, family.share, bands))
    if not streams:
        return None
    inside = np.sum([stream.shares for stream in streams], axis=0)
    with_words = np.array(bins.totals) > 0
    talk = np.clip(np.where(with_words, 1.0, 0.0) - inside, 0.0, 1.0)
    return Picture(streams, talk, bins.starts, bins.end, [], _months(bins))


def _band(view: RunView, k: int, shares: np.ndarray, totals: np.ndarray) -> Band:
    link = links.topic_link(view, k)
    share = float(shares @ totals / totals.sum())
    return Band(link.name if link.has_name else "", link.label, link.url, share, shares)


def _months(bins: River) -> list[tuple[float, str]]:
    """Labels of the axis where years are too long; [] elsewhere."""
    if bins.end - bins.starts[0] > MONTHS:
        return []
    step = -(-len(bins.bins) // LABELS)
    return list(zip(bins.starts, bins.bins, strict=True))[::step]
