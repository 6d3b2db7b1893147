"""What a formula holds constant, as sentences say it: what is taken out of the differences."""

from collections.abc import Sequence

from webapp.analysis.effects import variables
from webapp.analysis.effects.formula import Formula, Term
from webapp.intake.metadata.groups import PERIODS
from webapp.platform.drawing.numbers import join_names

CHANGE_OVER_TIME = "the general change over time"


def say_what_is_taken_out(terms: Sequence[Term]) -> str:
    """ "The general change over time is taken out."; "" where nothing is held constant."""
    parts = _name_parts(terms)
    if not parts:
        return ""
    verb = "are" if parts != [CHANGE_OVER_TIME] else "is"
    names = join_names(parts)
    return f"{names[0].upper()}{names[1:]} {verb} taken out."


def say_who_has_no_share(names: Sequence[str], terms: Sequence[Term]) -> str:
    """ "“–”: Whig and Federalist have hardly any documents at the dates of most others, so no share
    is given for them."; "" without names. names: the values whose shares are not given; terms: what is
    held constant."""
    if not names:
        return ""
    places: list[str] = []
    for term in terms:
        place = f"values of “{term.name}”"
        if _is_of_time(term):
            place = "dates"
        if place not in places:
            places.append(place)
    return (
        f"“–”: {join_names(names)} {'have' if len(names) > 1 else 'has'} hardly any documents at"
        f" the {join_names(places)} of most others, so no share is given for"
        f" {'them' if len(names) > 1 else 'it'}."
    )


def describe_formula(formula: Formula) -> str:
    """ "by “party”, with the general change over time taken out"."""
    description = f"by “{formula.effect.name}”"
    if formula.across:
        description += f" and “{formula.across}”"
    parts = _name_parts(formula.held)
    if not parts:
        return description
    return f"{description}, with {join_names(parts)} taken out"


def _name_parts(terms: Sequence[Term]) -> list[str]:
    """What each term takes out. No two documents need have the same date or the same genre: a
    regression estimates what the date and the genre do, and takes it out."""
    parts: list[str] = []
    for term in terms:
        part = f"differences by “{term.name}”"
        if _is_of_time(term):
            part = CHANGE_OVER_TIME
        if part not in parts:
            parts.append(part)
    return parts


def _is_of_time(term: Term) -> bool:
    return term.name == variables.DATE or term.name in PERIODS
