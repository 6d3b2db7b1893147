"""What an address says that an export is made of, read and written."""

from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import QueryDict

from inference.errors import Invalid
from webapp.analysis.families import family_cuts
from webapp.core.documents.selection import Selection
from webapp.core.results import topic_numbers
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.service.exports.catalogue import ExportKind
from webapp.service.exports.tables import MAX_TOPICS, WIDE_WORDS, ExportSource

DIGITS_OF_WORDS = 8  # of a number of words, far beyond any vocabulary


class AskedField(NamedTuple):
    """A field of an ExportSource that an address names. read: its value, of a query and a run; raises
    Invalid. write: the parameters of which `read` makes the same value; "" for one that is left
    out."""

    read: Callable[[QueryDict, Run], Any]
    write: Callable[[ExportSource], list[tuple[str, str]]]


# By the names of the fields of an ExportSource; in the order in which an address has them, by which
# files that a user asked for before are known again
ASKED_FIELDS = {
    "selection": AskedField(
        lambda query, run: Selection.read(query, RunView(run)),
        lambda source: source.selection.parameters,
    ),
    "topics": AskedField(
        lambda query, run: _topics_in_columns(query.getlist("topics"), run),
        lambda source: [("topics", ",".join(map(str, source.topics)))],
    ),
    "words": AskedField(
        lambda query, run: _words_of_topic(query.get("words", "")),
        lambda source: [("words", "" if source.words == WIDE_WORDS else str(source.words))],
    ),
    "by": AskedField(
        lambda query, run: query.get("by", ""),
        lambda source: [("by", source.by)],
    ),
    "families": AskedField(
        lambda query, run: family_cuts.in_address(query),
        lambda source: [("families", str(source.families or ""))],
    ),
    "word": AskedField(
        lambda query, run: query.get("word", ""),
        lambda source: [("word", source.word)],
    ),
    "pattern": AskedField(
        lambda query, run: query.get("pattern", ""),
        lambda source: [("pattern", source.pattern)],
    ),
}


def read_source(run: Run, query: QueryDict) -> ExportSource:
    """Raises Invalid, with a sentence, for an address that can't be understood."""
    fields = {name: asked.read(query, run) for name, asked in ASKED_FIELDS.items()}
    return ExportSource(run=run, **fields)


def write_query(kind: ExportKind, source: ExportSource) -> str:
    """The query that `read_source` reads as `source` again: what a kind is made by, and nothing
    else. With a deposit's answers, which webapp.service.exports.deposit reads."""
    parameters: list[tuple[str, str]] = []
    for name, asked in ASKED_FIELDS.items():
        if name in kind.options:
            parameters += asked.write(source)
    if source.deposit:
        parameters += source.deposit.parameters
    return urlencode([(name, value) for name, value in parameters if value])


def _words_of_topic(text: str) -> int:
    """How many words of each topic ?words=20 asks for; 0, which no kind takes, for what is no such
    number."""
    if not text:
        return WIDE_WORDS
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS_OF_WORDS):
        return 0
    return int(text)


def _topics_in_columns(texts: list[str], run: Run) -> tuple[int, ...]:
    """The topics that ?topics=3,7 names. Raises Invalid."""
    numbers = topic_numbers.read_several(texts, run, "topics")
    if len(numbers) > MAX_TOPICS:
        raise Invalid(
            "topics", f"At most {MAX_TOPICS} topics can stand in columns, got {len(numbers):,}."
        )
    return tuple(numbers)
