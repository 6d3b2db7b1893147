"""Families of topics over time as one picture, the same as on the overview of a run."""

from dataclasses import dataclass

from webapp.analysis.families import family_cuts
from webapp.analysis.families.family_address import topics_address
from webapp.analysis.findings import river_picture
from webapp.analysis.findings.river import river, say_few_words, say_undated
from webapp.analysis.findings.river_picture import LinkedFamily
from webapp.core.documents import sums
from webapp.core.documents.selection import RunSelection
from webapp.platform.drawing.river import RiverPicture


@dataclass(frozen=True)
class FamiliesOverTime:
    """undated: the share of the words that the picture lacks, as their documents have no date, ""
    where it is too small to be told. few_words: what is pale in it, "" where nothing is."""

    picture: RiverPicture | None = None
    undated: str = ""
    few_words: str = ""


def families_over_time(selection: RunSelection, by: str) -> FamiliesOverTime:
    """All families by periods `by`; without a picture for a set whose periods are too few to make a
    river."""
    bins = river(selection, by)
    if bins is None or not bins.is_drawn:
        return FamiliesOverTime()
    families = family_cuts.cut(selection.view, None).number_of_families
    linked = []
    for family in family_cuts.count_families(selection, families):
        url = topics_address(selection, family.topics, families)
        linked.append(LinkedFamily(family, url))
    picture = river_picture.picture(selection.view, linked, bins)
    if picture is None:
        return FamiliesOverTime()
    words = int(sums.of_selection(selection).all_tokens[0])
    return FamiliesOverTime(picture, say_undated(words, bins), say_few_words(bins))
