"""What can't be concluded from an answer, in the same words on every page."""

from inference.answers import LEAST_UNITS, Obstacle
from webapp.core.documents import unit_words
from webapp.core.documents.corpus_unit import Unit

FEW_UNITS = 20  # of a side, below which intervals are too short where one rare unit has most


def units_named(unit: Unit) -> str:
    """What is independent, in words: more than one."""
    return unit_words.values_of(unit.name) if unit.field else "documents"


def caution(unit: Unit, units: tuple[int, int], obstacle: Obstacle | None) -> str:
    """Why nothing can be concluded, "" where something can. units: of either side."""
    plural = units_named(unit)
    if obstacle is Obstacle.WHO_SPEAKS:
        return (
            f"Hardly any {plural} have texts both then and at other times: what changed can’t be"
            " told from who speaks."
        )
    if obstacle is Obstacle.FEW_UNITS:
        return (
            f"One side has texts of only {min(units):,} {plural}. With fewer than {LEAST_UNITS},"
            " nothing can be said about other texts."
        )
    if obstacle is Obstacle.APART_IN_TIME:
        return (
            "The two have hardly any texts from the same times: their difference can’t be separated"
            " from what changed over time."
        )
    if obstacle is Obstacle.NOT_APART:
        return (
            "The difference can’t be separated from what is held constant, or rests on a single one"
            f" of the {plural}."
        )
    return ""


def few_units(unit: Unit, units: tuple[int, int], obstacle: Obstacle | None) -> str:
    """That units are few where something can be concluded, "" where they are not."""
    fewest = min(units)
    if obstacle is not None or fewest >= FEW_UNITS:
        return ""
    return (
        f"One side has texts of only {fewest:,} {units_named(unit)}, so the intervals are rough:"
        " where one of them makes most of a difference, its interval should be wider."
    )
