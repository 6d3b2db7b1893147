"""Which topic of a run a text names: by its number, 7, or as pages write it, T07."""

from collections.abc import Iterable
from typing import Annotated

import regex
from django.core.exceptions import BadRequest

from inference.errors import Invalid
from webapp.models import Run
from webapp.platform.drawing.numbers import topic_label

QUOTED = 20  # characters of what is wrong
_TOPIC = regex.compile(r"[Tt]?(\d{1,5})", regex.ASCII)
_BETWEEN = regex.compile(r"[,\s]+")


def is_written(text: str) -> bool:
    """Whether a text is written as topics are, also as one that a run does not have."""
    return _TOPIC.fullmatch(text) is not None


def find(text: str, run: Run) -> int | None:
    """The topic that a text names; None where it names none of the run."""
    match = _TOPIC.fullmatch(text)
    number = int(match[1]) if match else run.topics
    return number if number < run.topics else None


def find_several(texts: Iterable[str], run: Run) -> list[int]:
    """The topics among some texts, ascending, each once."""
    found = {find(text, run) for text in texts}
    return sorted(number for number in found if number is not None)


def read(text: str, run: Run, field: str) -> int:
    """The topic that a text names. field: of the form or address. Raises Invalid."""
    number = find(text.strip(), run)
    if number is None:
        raise _invalid(field, run, f"“{text[:QUOTED]}”")
    return number


def read_several(texts: Iterable[str], run: Run, field: str) -> list[int]:
    """The topics that texts such as “3,7 T12” name, each once in their order. Raises Invalid."""
    names = [name for text in texts for name in _BETWEEN.split(text) if name]
    return list(dict.fromkeys(read(name, run, field) for name in names))


def read_in_address(name: str, values: list[str]) -> int:
    """A parameter of an address (webapp.platform.pages.typed): a number, which the run need not have
    (`check`). Raises BadRequest."""
    match = _TOPIC.fullmatch(values[-1])
    if match is None:
        raise BadRequest(
            f"“{name}” in the address must be the number of a topic, such as 7 or T07, got"
            f" “{values[-1][:QUOTED]}”."
        )
    return int(match[1])


TopicParameter = Annotated[int | None, read_in_address]


def check(number: int, run: Run, field: str) -> int:
    """The number, where the run has a topic of it. Raises Invalid."""
    if not 0 <= number < run.topics:
        raise _invalid(field, run, str(number))
    return number


def _invalid(field: str, run: Run, quoted: str) -> Invalid:
    last = run.topics - 1
    return Invalid(
        field, f"Run {run.pk} has topics 0 to {last} (T00 to {topic_label(last)}); got {quoted}."
    )
