"""The form that asks for two sets: what an address says of them, and what can be chosen."""

from django.http import QueryDict

from webapp.analysis.two_sets.compared_sets import PARAMETERS
from webapp.analysis.two_sets.shapes import CategoryChoice, SetsForm, SideForm
from webapp.core.documents import document_days, document_groups, fields
from webapp.core.documents.shapes import ValueChoice
from webapp.intake.metadata.field import ValueField
from webapp.models import Version
from webapp.platform.pages.page_query import PageQuery

VALUES_OFFERED = 60  # values of a category to choose from, the most frequent
SUGGESTED = 3  # categories whose values are suggested to be compared
DECADE = 10  # years
TWO_DECADES = 20  # years that a corpus must span before its ends are suggested


def sets_form(query: QueryDict, version: Version, page_query: PageQuery) -> SetsForm:
    """What an address says of two sets, and what can be chosen: values of each category, the most
    frequent."""
    cleared = dict.fromkeys(PARAMETERS)
    return SetsForm(
        form=[_side_form(query, "a", "First set"), _side_form(query, "b", "Second set")],
        categories=[_category_choice(version, category) for category in fields.categories(version)],
        dated=document_days.first_and_last(version),
        suggestions=[
            (text, page_query.url(**cleared | parameters))
            for text, parameters in _suggestions(version)
        ],
    )


def _side_form(query: QueryDict, letter: str, legend: str) -> SideForm:
    """What was typed of a set."""
    first_day = query.get(f"from_{letter}", "")
    last_day = query.get(f"to_{letter}", "")
    return SideForm(letter, legend, first_day, last_day, query.getlist(f"in_{letter}"))


def _category_choice(version: Version, category: ValueField) -> CategoryChoice:
    """A category with its most frequent values, in their order."""
    count = min(len(category.values), VALUES_OFFERED)
    value_order = document_groups.order_groups(
        version, document_groups.read_groups(version, category.name), list(range(count))
    )
    values = [category.values[value_number] for value_number in value_order]
    return CategoryChoice(
        category.name, [ValueChoice(value, f"{category.name}:{value}") for value in values]
    )


def _suggestions(version: Version) -> list[tuple[str, dict[str, str]]]:
    """What might be compared, and the parameters that say so: the first and the last decade, the
    two most frequent values of each category."""
    suggestions: list[tuple[str, dict[str, str]]] = []
    span = document_days.first_and_last(version)
    if span and span[1].year - span[0].year >= TWO_DECADES:
        oldest = span[0].year
        newest = span[1].year
        decades = {
            "from_a": f"{newest - DECADE + 1:04d}",
            "to_a": f"{newest:04d}",
            "from_b": f"{oldest:04d}",
            "to_b": f"{oldest + DECADE - 1:04d}",
        }
        suggestions.append(("{from_a}–{to_a} and {from_b}–{to_b}".format(**decades), decades))
    for category in fields.categories(version)[:SUGGESTED]:
        if len(category.values) > 1:
            name = category.name
            first_value, second_value = category.values[:2]
            suggestions.append(
                (
                    f"{name} {first_value} and {second_value}",
                    {"in_a": f"{name}:{first_value}", "in_b": f"{name}:{second_value}"},
                )
            )
    return suggestions
