"""How sentences name a field, whose name may be that of a derived one: "id without its last number"
is said as a reader would say it."""

import re
from collections.abc import Sequence

from django import template

from inference.answers import collection_unit

register = template.Library()

ORDINALS = ("first", "second", "third", "fourth", "fifth")
# Of columns that say who speaks: readers understand "14 presidents" sooner than "14 values of
# “president”". The values of a column of another name are called values.
PLURALS = {
    "author": "authors",
    "candidate": "candidates",
    "country": "countries",
    "journal": "journals",
    "maintainer": "maintainers",
    "newspaper": "newspapers",
    "outlet": "outlets",
    "party": "parties",
    "president": "presidents",
    "publisher": "publishers",
    "reviewer": "reviewers",
    "sender": "senders",
    "source": "sources",
    "speaker": "speakers",
    "user": "users",
    "writer": "writers",
}
FOLDER = re.compile(r"folder (\d+)")  # of a file's path, by how deep it is


@register.filter
def column(name: str) -> str:
    """ "“president”"; of a derived field "beginning of “id” up to its number": after "the same",
    "another". name: as it is stored."""
    derived = collection_unit.derivation(name)
    if derived is None:
        return f"“{name}”"
    source = f"“{derived.column}”"
    if derived.way == "before number":
        return f"beginning of {source} up to its number"
    if derived.way == "first":
        return f"first entry of {source}"
    return f"{_ordinal(derived.word)} word of {source}"


@register.filter
def the_column(name: str) -> str:
    """A field in a sentence, after "of" or "values of": "“president”", "the beginning of “id” up to
    its number"."""
    article = "" if collection_unit.derivation(name) is None else "the "
    return article + column(name)


@register.filter
def each_value(name: str) -> str:
    """One of its values: "each president", "each beginning of “id” up to its number"."""
    return f"each {name if collection_unit.derivation(name) is None else column(name)}"


def values_of(name: str) -> str:
    """Several of its values: "presidents", "values of “place”", "sources (the same beginning of
    “id” up to its number)"."""
    derived = collection_unit.derivation(name)
    if derived is None:
        return _plural(name)
    return f"sources (the same {column(name)})"


@register.filter
def same_values(name: str) -> str:
    """The same of its values in both of two sets: "the same presidents", "the same “place”", "the same
    beginning of “id” up to its number"."""
    return f"the same {PLURALS.get(name.casefold(), column(name))}"


def _plural(name: str) -> str:
    folder = FOLDER.fullmatch(name)
    if folder:
        return f"folders of level {folder[1]}"
    return PLURALS.get(name.casefold(), f"values of “{name}”")


def such_as(examples: Sequence[str]) -> str:
    """Some of its values behind its name: " (such as “pandas” or “numpy”)", "" for none."""
    values = " or ".join(f"“{example}”" for example in examples)
    return f" (such as {values})" if values else ""


def _ordinal(number: int) -> str:
    return ORDINALS[number - 1] if number <= len(ORDINALS) else f"{number}th"
