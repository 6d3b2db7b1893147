"""How sentences name a field, whose name may be that of a derived one: "id without its last number"
is said as a reader would say it."""

from collections.abc import Sequence

from django import template

from inference.answers import collection_unit

register = template.Library()

ORDINALS = ("first", "second", "third", "fourth", "fifth")


@register.filter
def column(name: str) -> str:
    """ "“president”"; of a derived field "part of “id” before the number": after "the same",
    "another". name: as it is stored."""
    derived = collection_unit.derivation(name)
    if derived is None:
        return f"“{name}”"
    source = f"“{derived.column}”"
    if derived.way == "before number":
        return f"part of {source} before the number"
    if derived.way == "first":
        return f"first entry of {source}"
    return f"{_ordinal(derived.word)} word of {source}"


@register.filter
def the_column(name: str) -> str:
    """A field in a sentence, after "of" or "values of": "“president”", "the part of “id” before the
    number"."""
    article = "" if collection_unit.derivation(name) is None else "the "
    return article + column(name)


@register.filter
def each_value(name: str) -> str:
    """One of its values: "each president", "each part of “id” before the number"."""
    return f"each {name if collection_unit.derivation(name) is None else column(name)}"


def values_of(name: str) -> str:
    """Several of its values: "values of “president”", "parts of “id” before the number"."""
    derived = collection_unit.derivation(name)
    if derived is None:
        return f"values of “{name}”"
    source = f"“{derived.column}”"
    if derived.way == "before number":
        return f"parts of {source} before the number"
    if derived.way == "first":
        return f"first entries of {source}"
    return f"{_ordinal(derived.word)} words of {source}"


def such_as(examples: Sequence[str]) -> str:
    """Some of its values behind its name: " (such as “pandas” or “numpy”)", "" for none."""
    values = " or ".join(f"“{example}”" for example in examples)
    return f" (such as {values})" if values else ""


def _ordinal(number: int) -> str:
    return ORDINALS[number - 1] if number <= len(ORDINALS) else f"{number}th"
