"""Errors that the person who chose the values can correct."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class Invalid(ValueError):
    """A value that can't be: `field` names it, `message` says what was expected, what came, and
    what to do."""

    def __init__(self, field: str, message: str):
        super().__init__(message)
        self.field = field
        self.message = message


LONGEST_VALUE = 40  # characters of a value that a sentence quotes


def shown(value: object) -> str:
    """A value as a sentence quotes it: a text in quotation marks, and no more than its beginning."""
    if isinstance(value, str):
        beginning = value[:LONGEST_VALUE]
        return f"“{beginning}…”" if beginning != value else f"“{value}”"
    text = str(value)
    return f"{text[:LONGEST_VALUE]}…" if len(text) > LONGEST_VALUE else text


@contextmanager
def called(names: Mapping[str, str]) -> Iterator[None]:
    """Around what raises Invalid of a field that the person knows by another name. names: that name
    by the one that is raised."""
    try:
        yield
    except Invalid as error:
        if error.field not in names:
            raise
        name = names[error.field]
        message = error.message.replace(f"“{error.field}”", f"“{name}”", 1)
        raise Invalid(name, message) from None


def number_of(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, as a sentence has them: 1 document, 2,000 documents, 3 passes. plural:
    of a noun that has another one than with -s, or with -es where it ends in s."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {plural or noun + ('es' if noun.endswith('s') else 's')}"


def first_passes(passes: int) -> str:
    """The first passes of a training, as a sentence has them: the first pass, the first 2
    passes."""
    return "the first pass" if passes == 1 else f"the first {number_of(passes, 'pass')}"
