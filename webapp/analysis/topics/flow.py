"""Families of topics over time as one picture, the same as on the overview of a run."""

from dataclasses import dataclass

from webapp.analysis.families import family_cuts
from webapp.analysis.families.family_address import topics_address
from webapp.analysis.findings import river_picture
from webapp.analysis.findings.river import river, say_undated
from webapp.analysis.findings.river_picture import LinkedFamily
from webapp.core.documents import sums
from webapp.core.documents.selection import RunSelection
from webapp.platform.drawing.river import River as RiverPicture


@dataclass(frozen=True)
class FamiliesOverTime:
    """undated: the share of the words that the picture lacks, as their documents have no date, ""
    where it is too small to be told."""

    picture: RiverPicture | None = None
    undated: str = ""


def families_over_time(selection: RunSelection, by: str) -> FamiliesOverTime:
    """All families by periods `by`; without a picture for a set whose periods are too few to make a
    river."""
    bins = river(selection, by)
    if bins is None or not bins.is_drawn:
        return FamiliesOverTime()
    number = family_cuts.cut(selection.view, None).number
    linked = []
    for family in family_cuts.count_families(selection, number):
        url = topics_address(selection, family.topics, number)
        linked.append(LinkedFamily(family, url))
    picture = river_picture.picture(selection.view, linked, bins)
    if picture is None:
        return FamiliesOverTime()
    words = int(sums.of_selection(selection).of_tokens[0])
    return FamiliesOverTime(picture, say_undated(words, bins))
