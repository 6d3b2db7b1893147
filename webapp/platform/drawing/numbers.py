"""How numbers, topics and documents are written on every page; static/js/format.js says the same for live
numbers."""

import math
from collections.abc import Iterable
from typing import Literal

from django import template

register = template.Library()

NAME_FIRST = "{name} ({label})"
NUMBER_FIRST = "{label} ({words})"

NONE = "–"  # for what is not known, also a template's value that is not there, ""


def join_names(names: Iterable[str]) -> str:
    """One after the other, the last after "and"; at least one."""
    *first, last = names
    if not first:
        return last
    return f"{', '.join(first)} and {last}"


@register.filter
def hue(number: int) -> str:
    """The class of a colour (drawing.colours)."""
    return f"t{int(number)}"


@register.filter
def topic_label(number) -> str:
    """7 -> T07."""
    return f"T{int(number):02d}"


def topic_title(label: str, name: str, has_name: bool) -> str:
    """A topic in text without links: "Navy & ships (T22)"; what has only words in place of a name by
    its number, "T31 (man · industrial · wage)"."""
    if has_name:
        return NAME_FIRST.format(name=name, label=label)
    return number_with_words(label, name)


def number_with_words(label: str, words: str) -> str:
    """What has no name, in a sentence: its number is part of the sentence, its words are in
    brackets, "T31 (man · industrial · wage)"."""
    return NUMBER_FIRST.format(label=label, words=words) if words else label


@register.filter
def document_name(title: str, number: int) -> str:
    """A document in lists, headings and citations: its title, else by its number in the corpus,
    "Document 1,312". No value of a field and no words of the text: these may be withheld."""
    return title or f"Document {int(number):,}"


WORDS_OF_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()


def in_words(number: int) -> str:
    """ "nine"; numbers above twelve in digits, as newspapers write them."""
    return WORDS_OF_NUMBERS[number] if number < len(WORDS_OF_NUMBERS) else count(number)


@register.filter
def count(number) -> str:
    if number is None or number == "":
        return NONE
    return f"{int(number):,}"


TENTH = 0.1  # from here on a share has no decimal
FIFTH_OF_A_PERCENT = 0.002  # below it a share has two
LEAST_WRITTEN = 0.00005  # what is rounded up to 0.01%


@register.filter
def percent(share):
    """A share in words: one decimal below ten per cent, two below a fifth of one, as topics among
    2,000 have; and never a misleading 0.0%."""
    if share is None or share == "":
        return NONE
    if 0 < share < LEAST_WRITTEN:
        return "<0.01%"
    if 0 < share < FIFTH_OF_A_PERCENT:
        return f"{100 * share:.2f}%"
    if share < TENTH:
        return f"{100 * share:.1f}%"
    return f"{100 * share:.0f}%"


NEAREST_TO_ALL = 1e-9  # a level is never told from 100% by more than nine digits


@register.filter
def level(part: float) -> str:
    """The level of intervals: "95%", "99.87%"; as many digits as tell it from 100%."""
    distance = max(1 - part, NEAREST_TO_ALL)
    digits = max(1, math.ceil(-math.log10(distance)) - 1)
    return f"{100 * part:.{digits}f}".rstrip("0").rstrip(".") + "%"


USUAL_LEVEL = 0.95


@register.filter
def strict(part: float) -> bool:
    """Whether intervals are wider than usual, as many differences are looked at together."""
    return part > USUAL_LEVEL + NEAREST_TO_ALL


SLIVER = 0.3  # percent: a thinner rectangle would not be seen


@register.filter
def width(share: float | None) -> str:
    """A share as the width of an SVG rectangle: a thin sliver stays visible."""
    percents = 100 * (share or 0)
    return f"{max(SLIVER, min(100.0, percents)):.2f}%"


HALF_A_DOT = 3  # percent of a line


@register.filter
def along(share: float) -> str:
    """Where a share stands on a line from 0 to 1, as an SVG length; half a dot is left at either
    end."""
    return f"{HALF_A_DOT + (100 - 2 * HALF_A_DOT) * share:.2f}%"


@register.filter
def decimals(number, digits: int = 3) -> str:
    """A fixed number of decimals, with a true minus sign."""
    if number is None or number == "":
        return NONE
    return f"{number:.{digits}f}".replace("-", "−")


SIGNIFICANT_DIGITS = 3
MOST_DECIMALS = 7


@register.filter
def weight(probability: float | None) -> str:
    """Three significant digits without an exponent: 0.0123."""
    if probability is None:
        return NONE
    if not probability:
        return "0"
    for decimals_written in range(SIGNIFICANT_DIGITS, MOST_DECIMALS):
        if probability >= 10 ** (SIGNIFICANT_DIGITS - 1 - decimals_written):
            return f"{probability:.{decimals_written}f}"
    return f"{probability:.{MOST_DECIMALS}f}"


MINUTE = 60  # seconds
HOUR = 60 * MINUTE


@register.filter
def duration(seconds: float | Literal[""] | None) -> str:
    if seconds is None or seconds == "":
        return NONE
    whole_seconds = round(seconds)
    if whole_seconds < MINUTE:
        return f"{whole_seconds} s"
    if whole_seconds < HOUR:
        return f"{whole_seconds // MINUTE} min {whole_seconds % MINUTE:02d} s"
    return f"{whole_seconds // HOUR} h {whole_seconds % HOUR // MINUTE:02d} min"


@register.filter("bytes")
def byte_size(number: float | str | None) -> str:
    """Decimal units, as file managers show them."""
    size = float(number or 0)
    if size < 1000:
        return f"{size:.0f} B"
    *smaller_units, largest_unit = ("kB", "MB", "GB")
    size /= 1000
    for unit in smaller_units:
        if size < 1000:
            return _with_unit(size, unit)
        size /= 1000
    return _with_unit(size, largest_unit)


def _with_unit(size: float, unit: str) -> str:
    """With one decimal below a hundred."""
    if size >= 100:
        return f"{size:.0f} {unit}"
    return f"{size:.1f} {unit}"
