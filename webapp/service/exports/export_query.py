"""What an address says that an export is made of, read and written."""

from urllib.parse import urlencode

from django.http import QueryDict

from inference.errors import Invalid
from webapp.analysis.findings import families
from webapp.core.documents.selection import Selection
from webapp.core.results.topics import is_topic
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.service.exports.catalogue import ExportKind
from webapp.service.exports.tables import MAX_TOPICS, WIDE_WORDS, ExportSource

DIGITS_OF_WORDS = 8  # of a number of words, far beyond any vocabulary


def read_source(run: Run, query: QueryDict) -> ExportSource:
    """Raises Invalid, with a sentence, for an address that can't be understood."""
    return ExportSource(
        run=run,
        selection=Selection.read(query, RunView(run)),
        words=_words_of_topic(query.get("words", "")),
        by=query.get("by", ""),
        families=families.in_address(query),
        word=query.get("word", ""),
        pattern=query.get("pattern", ""),
        topics=_topics(query.getlist("topics"), run),
    )


def _words_of_topic(text: str) -> int:
    """How many words of each topic ?words=20 asks for; 0, which no kind takes, for what is no such
    number."""
    if not text:
        return WIDE_WORDS
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS_OF_WORDS):
        return 0
    return int(text)


def _topics(texts: list[str], run: Run) -> tuple[int, ...]:
    """The topics that ?topics=3,7 names, each once."""
    names = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    for name in names:
        if not is_topic(name, run):
            raise Invalid(
                "topics",
                f"“topics” in the address must be numbers below {run.topics}, got “{name[:20]}”.",
            )
    if len(names) > MAX_TOPICS:
        raise Invalid(
            "topics", f"At most {MAX_TOPICS} topics can stand in columns, got {len(names):,}."
        )
    return tuple(dict.fromkeys(map(int, names)))


def write_query(kind: ExportKind, source: ExportSource) -> str:
    """The query that `read_source` reads as `source` again: what a kind is made by, and nothing
    else."""
    parameters: list[tuple[str, str]] = []
    if kind.selected:
        parameters += source.selection.parameters
        parameters.append(("topics", ",".join(map(str, source.topics))))
    if source.words != WIDE_WORDS:
        parameters.append(("words", str(source.words)))
    if kind.choices:
        parameters.append(("by", source.by))
    if kind.name == "families":
        parameters.append(("families", str(source.families or "")))
    if kind.asks:
        parameters += [("word", source.word), ("pattern", source.pattern)]
    if source.deposit:
        parameters += source.deposit.parameters
    return urlencode([(name, value) for name, value in parameters if value])
