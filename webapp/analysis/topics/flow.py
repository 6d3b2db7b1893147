"""Families of topics over time as one picture, the same as on the overview of a run."""

from webapp.analysis.findings import families, river_picture
from webapp.analysis.findings.river import FEWEST_RIVER_BINS, river
from webapp.analysis.findings.river_picture import LinkedFamily
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links
from webapp.platform.drawing.river import River as Picture


def picture(selection: RunSelection, by: str) -> Picture | None:
    """All families by periods `by`; None for a set whose periods are too few to make a river."""
    bins = river(selection, by)
    if bins is None or len(bins.totals) < FEWEST_RIVER_BINS:
        return None
    linked = []
    for family in families.count_families(selection, None):
        topics = ",".join(str(k) for k in family.topics)
        url = links.topics_url(selection.run) + selection.address(topics=topics)
        linked.append(LinkedFamily(family, url))
    return river_picture.picture(selection.view, linked, bins)
