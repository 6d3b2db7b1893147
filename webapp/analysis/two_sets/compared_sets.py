"""Two sides of a comparison, as an address says them: two sets of documents, or one and all
others."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.http import QueryDict

from inference.errors import Invalid, called
from inference.index.query import narrowed
from webapp.core.documents import document_days
from webapp.core.documents.conditions import DayLimit, HasTopic, Range, Value
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import links
from webapp.core.results.view import RunView
from webapp.platform.drawing.numbers import topic_label

KINDS_OF_A_SIDE = (DayLimit, Value, Range)
CONDITIONS_OF_A_SIDE = tuple(name for kind in KINDS_OF_A_SIDE for name in kind.PARAMETERS)
PARAMETERS_OF_SIDES = tuple(f"{name}_{letter}" for letter in "ab" for name in CONDITIONS_OF_A_SIDE)
# What says two sides
PARAMETERS = (*PARAMETERS_OF_SIDES, "topic", "topic_a", "topic_b")


# What a file of two sets says where its address has none
NO_SETS = "This address names no two sets of documents: choose them on the page that compares two."


ALL_OTHERS = "all others"  # what the second side is called where it is what the first is not
FIRST_DAYS = ("-01-01", "-01")  # of a year, as a day or as a month
LAST_DAYS = ("-12-31", "-12")


class Side(NamedTuple):
    """documents: of this side, within those of the page. complement: it is all of those that the
    other side has not."""

    name: str
    documents: RunSelection
    complement: bool


def side(query: QueryDict, letter: str, base: RunSelection) -> Side | None:
    """?from_a= ?to_a= ?in_a= ?between_a=; None where nothing is said."""
    conditions = QueryDict(mutable=True)
    for name in CONDITIONS_OF_A_SIDE:
        conditions.setlist(
            name, [value for value in query.getlist(f"{name}_{letter}") if value.strip()]
        )
    with called({name: f"{name}_{letter}" for name in CONDITIONS_OF_A_SIDE}):
        selection = Selection.read(conditions, base.view)
    if not selection.has_conditions:
        return None
    values = _values_of_both(base, selection)
    if values is None:
        raise Invalid(f"in_{letter}", nothing_on(selection.name))
    first, last = _dates_of_both(base, selection)
    documents = (
        base.with_other(Value, *values).with_conditions(*selection.between).with_dates(first, last)
    )
    return Side(_name_between_ends(selection, documents), documents, False)


def nothing_on(name: str) -> str:
    """What is said of a side without documents."""
    return f"No document is on the side “{name}”. Choose another time or value."


def _values_of_both(base: Selection, side: Selection) -> list[Value] | None:
    """Values of one category are alternatives, so those stay that both sets allow; None where
    they allow none in common."""
    values_of_base = base.of_kind(Value)
    of_base = {value.category for value in values_of_base}
    of_side = {value.category for value in side.of_kind(Value)}
    values = [value for value in values_of_base if value.category not in of_side]
    for value in side.of_kind(Value):
        if value.category not in of_base or value in values_of_base:
            values.append(value)
    left = {value.category for value in values}
    if not of_side <= left:
        return None
    return values


def _dates_of_both(base: Selection, side: Selection) -> tuple[str, str]:
    """The later of both first days and the earlier of both last ones, as they were asked for; ""
    where neither set has one."""
    base_first, base_last = base.days
    side_first, side_last = side.days
    first = side.first if side_first and side_first >= base_first else base.first
    last = base.last
    if side_last and (not base_last or side_last <= base_last):
        last = side.last
    return first, last


def _name_between_ends(selection: RunSelection, documents: RunSelection) -> str:
    """What is selected in a few words, with both ends of its time: "1946–2020", as "1860 compared
    with from 1946" is no heading. documents: those of the side, which the page's own time
    bounds."""
    days = document_days.first_and_last(selection.version)
    if days is None or not (selection.first or selection.last):
        return selection.name
    first_year, last_year = (f"{day.year:04d}" for day in days)
    first = _in_years(documents.first or first_year, FIRST_DAYS)
    last = _in_years(documents.last or last_year, LAST_DAYS)
    if first[: len(last)] > last:  # behind all documents, or before them
        return selection.name
    length = max(len(first), len(last))
    return selection.with_dates(
        _in_full(first, length, "-01-01"), _in_full(last, length, "-12-31")
    ).name


def _in_years(day: str, ends_of_year: tuple[str, ...]) -> str:
    """An end of a period as a year where it is an end of that year, else as it was asked for."""
    year = day[: len("1945")]
    return year if day.removeprefix(year) in ends_of_year else day


def _in_full(day: str, length: int, end_of_year: str) -> str:
    """A year as a month or a day, so that both ends of a period have one form; a month is as it
    is. length: letters of the longer end."""
    if len(day) > len("1945"):
        return day
    return day + end_of_year[: length - len(day)]


def read_sides(
    query: QueryDict, selection: RunSelection, rest: bool
) -> tuple[RunSelection, Side, Side] | None:
    """What an address compares: the documents of the page, and two sides of them. None where it
    says no side. rest: the chosen documents, with all others of the run."""
    side_a = side(query, "a", selection)
    side_b = side(query, "b", selection)
    if side_a is None and side_b is not None:
        raise Invalid("from_a", "First choose the documents to compare with these.")
    if side_a is not None:
        return selection, side_a, side_b or _all_others(selection)
    if not (selection.has_conditions and rest):
        return None
    base = Selection.all(selection.view)
    return base, Side(selection.name, selection, False), _all_others(base)


def addresses_of(base: RunSelection, first: Side, second: Side) -> list[str]:
    """Queries of the documents of which both are parts, and of both: what a worker is told of
    them, beside whether the second is all others."""
    sets = (base, first.documents, second.documents)
    return [one_set.address().removeprefix("?") for one_set in sets]


def sides_of_addresses(
    view: RunView, addresses: list[str], complement: bool
) -> tuple[RunSelection, Side, Side]:
    """The documents of a page and its two sides, for a worker: without names. complement: whether
    the second is all others."""
    base, first, second = (Selection.read(QueryDict(address), view) for address in addresses)
    return base, Side("", first, False), Side("", second, complement)


def _all_others(base: RunSelection) -> Side:
    return Side(ALL_OTHERS, base, True)


def address(side: Side, base: RunSelection, *, topic: int | None = None, terms: str = "") -> str:
    """The documents of a side, those that have any of a topic, most of it first, or that a search
    for some terms finds there; of a complement, which no address can say, those of both sides."""
    documents = base if side.complement else side.documents
    parameters = documents.parameters
    if terms:
        query = narrowed(documents.q, terms)
        parameters = [("q", query)] + [(name, value) for name, value in parameters if name != "q"]
    if topic is not None:
        parameters = [*parameters, HasTopic(topic, 0).parameter]
        if not terms:
            parameters.append(("by", topic_label(topic)))
    return links.documents_url(base.run, "?" + urlencode(parameters))
