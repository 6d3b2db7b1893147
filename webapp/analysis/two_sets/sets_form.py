"""The form that asks for two sets: what an address says of them, and what can be chosen."""

from datetime import date, timedelta

import numpy as np
from django.http import QueryDict

from inference.answers import LEAST_UNITS
from webapp.analysis.two_sets.compared_sets import PARAMETERS
from webapp.analysis.two_sets.shapes import CategoryChoice, SetsForm, SideForm
from webapp.core.documents import corpus_unit, document_days, document_groups, fields
from webapp.core.documents.shapes import ValueChoice
from webapp.intake.metadata.field import ValueField
from webapp.models import Version
from webapp.platform.pages.page_query import PageQuery

VALUES_OFFERED = 60  # values of a category to choose from, the most frequent
SUGGESTED = 3  # categories whose values are suggested to be compared
DECADE = 10  # years
THIRDS = 3
SIDES = 2


def sets_form(
    query: QueryDict, version: Version, page_query: PageQuery, *, proposes: bool = False
) -> SetsForm:
    """What an address says of two sets, and what can be chosen: values of each category, the most
    frequent. proposes: whether the form has the two halves of the time where the address says no
    set."""
    cleared = dict.fromkeys(PARAMETERS)
    proposed: dict[str, str] = {}
    if proposes and not any(query.get(name) for name in PARAMETERS):
        proposed = _halves(version)
    return SetsForm(
        form=[
            _side_form(query, "a", "First set", proposed),
            _side_form(query, "b", "Second set", proposed),
        ],
        categories=[_category_choice(category) for category in fields.categories(version)],
        dated=document_days.first_and_last(version),
        suggestions=[
            (text, page_query.url(**cleared | parameters))
            for text, parameters in _suggestions(version)
        ],
    )


def _side_form(query: QueryDict, letter: str, legend: str, proposed: dict[str, str]) -> SideForm:
    """What was typed of a set, or is proposed."""
    days = proposed or query
    return SideForm(
        letter=letter,
        legend=legend,
        first=days.get(f"from_{letter}", ""),
        last=days.get(f"to_{letter}", ""),
        values=query.getlist(f"in_{letter}"),
        proposed=bool(proposed),
    )


def _category_choice(category: ValueField) -> CategoryChoice:
    """A category with its most frequent values, the one of most documents first, as the form that
    chooses documents has them."""
    values = category.values[:VALUES_OFFERED]
    return CategoryChoice(
        category.name, [ValueChoice(value, f"{category.name}:{value}") for value in values]
    )


def _suggestions(version: Version) -> list[tuple[str, dict[str, str]]]:
    """What might be compared, and the parameters that say so: both halves of the time, the first
    years and the last, the two most frequent values of each category. Only what can be answered:
    both sides have texts of LEAST_UNITS units."""
    suggestions: list[tuple[str, dict[str, str]]] = []
    for times in (_halves(version), _years_at_both_ends(version)):
        if times:
            suggestions.append(("{from_a}–{to_a} and {from_b}–{to_b}".format(**times), times))
    for category in fields.categories(version)[:SUGGESTED]:
        values = _values_of_enough_units(version, category)
        if len(values) == SIDES:
            name = category.name
            first_value, second_value = values
            suggestions.append(
                (
                    f"{name} {first_value} and {second_value}",
                    {"in_a": f"{name}:{first_value}", "in_b": f"{name}:{second_value}"},
                )
            )
    return suggestions


def _halves(version: Version) -> dict[str, str]:
    """The time before a year, or before a day where all texts are of one year, and the time since
    it: of about as many documents; {} where there are no two such times, or one has texts of too
    few units."""
    days = document_days.read_days(version)
    dated = days[days > 0]
    if not len(dated):
        return {}
    half = len(dated) // 2
    middle = date.fromordinal(int(np.partition(dated, half)[half]))
    newest = date.fromordinal(int(dated.max()))
    oldest = date.fromordinal(int(dated.min()))
    if oldest.year == newest.year:
        return _times_before_and_since(version, oldest, middle, newest, of_days=True)
    of_years = [date(year, 1, 1) for year in (middle.year, middle.year + 1)]
    cuts = [cut for cut in of_years if oldest < cut <= newest]
    if not cuts:
        return {}
    cut = min(cuts, key=lambda day: abs(np.count_nonzero(dated < day.toordinal()) - half))
    return _times_before_and_since(version, oldest, cut, newest, of_days=False)


def _times_before_and_since(
    version: Version, oldest: date, cut: date, newest: date, of_days: bool
) -> dict[str, str]:
    """Both times, as an address says them; {} where one has texts of too few units. cut: the first
    day of the second. of_days: whether days are said, not years."""
    days = document_days.read_days(version)
    unit_codes = corpus_unit.unit_codes(version)
    before = (days > 0) & (days < cut.toordinal())
    since = days >= cut.toordinal()
    if min(_count_units(unit_codes, before), _count_units(unit_codes, since)) < LEAST_UNITS:
        return {}
    last_before = cut - timedelta(days=1)
    ends = {"from_a": oldest, "to_a": last_before, "from_b": cut, "to_b": newest}
    if of_days:
        return {name: day.isoformat() for name, day in ends.items()}
    return {name: f"{day.year:04d}" for name, day in ends.items()}


def _years_at_both_ends(version: Version) -> dict[str, str]:
    """The first years and the last: a decade, or a third of all years where a decade has texts of
    too few units; {} where a third has, too."""
    span = document_days.first_and_last(version)
    if span is None:
        return {}
    oldest = span[0].year
    newest = span[1].year
    all_years = newest - oldest + 1
    unit_codes = corpus_unit.unit_codes(version)
    days = document_days.read_days(version)
    for years in sorted({DECADE, all_years // THIRDS}):
        last_of_first = oldest + years - 1
        first_of_last = newest - years + 1
        if years < DECADE or last_of_first >= first_of_last:
            continue
        in_first = (days > 0) & (days < date(last_of_first + 1, 1, 1).toordinal())
        in_last = days >= date(first_of_last, 1, 1).toordinal()
        fewest = min(_count_units(unit_codes, in_first), _count_units(unit_codes, in_last))
        if fewest >= LEAST_UNITS:
            return {
                "from_a": f"{oldest:04d}",
                "to_a": f"{last_of_first:04d}",
                "from_b": f"{first_of_last:04d}",
                "to_b": f"{newest:04d}",
            }
    return {}


def _values_of_enough_units(version: Version, category: ValueField) -> list[str]:
    """The two most frequent values of a category that have texts of LEAST_UNITS units, of those
    that the form offers; fewer where there are no two."""
    unit_codes = corpus_unit.unit_codes(version, category.name)
    value_of_document = document_groups.read_groups(version, category.name).group
    found: list[str] = []
    for i, value in enumerate(category.values[:VALUES_OFFERED]):
        if _count_units(unit_codes, value_of_document == i) >= LEAST_UNITS:
            found.append(value)
        if len(found) == SIDES:
            break
    return found


def _count_units(unit_codes: np.ndarray | None, is_on_side: np.ndarray) -> int:
    """Units with texts on a side. unit_codes: int32[D], the unit of each document, -1 for one that
    is a unit by itself; None where each is. is_on_side: bool[D]."""
    if unit_codes is None:
        return int(np.count_nonzero(is_on_side))
    codes = unit_codes[is_on_side]
    return len(np.unique(codes[codes >= 0])) + int(np.count_nonzero(codes < 0))
