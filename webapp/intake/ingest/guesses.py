"""What the files of a draft seem to be: their format and columns, the table about them, their
language. The form shows it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from django.conf import settings

from inference.text import detect_language
from webapp.intake import file_formats
from webapp.intake.file_formats import looking
from webapp.intake.ingest import looks, shaping
from webapp.models import Corpus

TABLE = ["table"]  # the question to which `guess_table` is the answer
TABLE_SHARE = 0.25  # of the processor seconds of a look into a draft that may go into that guess
# Uploaded files, among which tables are offered, and which say how all are read
MOST_LOOKED_AT = 2_000


@dataclass(frozen=True)
class FilesQuestion:
    """What `sniff` is asked of a draft: Upload.question, as a dict."""

    # The name of the file that is a table about the others; "": none; None: what is guessed
    table: str | None = None
    # Options of webapp.intake.file_formats.Options that the user chose
    known: dict[str, Any] = field(default_factory=dict)


def stored_path(source) -> Path:
    """Where an uploaded file lies. source: a SourceFile, or what has its `path`."""
    return settings.FILES / source.path


def paths(corpus: Corpus, limit: int | None = None) -> list[tuple[Path, str]]:
    """Each stored file and the user's name of it, in order; the first `limit`."""
    return [
        (settings.FILES / path, name)
        for path, name in corpus.files.values_list("path", "name")[:limit]
    ]


def sniff(corpus: Corpus, table: str | None = None, **fixed_options) -> file_formats.Sniff:
    """What the first file that can be read seems to be: its first rows, and a guess at every option
    that is not among the fixed ones.

    table: the name of the file that is a table about the others, and so none of them; "" for none,
    and by default what is guessed.
    """
    if table is None:
        guess = guess_table(corpus)
        table = guess.name if guess else ""
    if table:
        fixed_options["without"] = table

    def look() -> dict:
        uploads = paths(corpus, MOST_LOOKED_AT)
        return asdict(
            file_formats.sniff_first(
                [file for file in uploads if file[1] != table] or uploads, **fixed_options
            )
        )

    return file_formats.Sniff.from_dict(looks.kept_answer(corpus, _look_key(fixed_options), look))


def look_long(corpus: Corpus, files_question: FilesQuestion, stopped: Callable[[], bool]) -> None:
    """Find out what `guess_table` and `sniff` say of a draft, for as long as a worker may: from
    then on they say it at once. What can't be found out is no table, or can't be read."""
    table = files_question.table
    try:
        with looking.within(looking.JOB_SECONDS, stopped, looking.PROCESSOR_SECONDS * TABLE_SHARE):
            guess = guess_table(corpus)
            if table is None:
                table = guess.name if guess else ""
    except looking.Exhausted:
        looks.answer(corpus, TABLE, [])
    look_key = _look_key(files_question.known | ({"without": table} if table else {}))
    try:
        with looking.within(
            looking.JOB_SECONDS, stopped, looking.PROCESSOR_SECONDS * (1 - TABLE_SHARE)
        ):
            sniff(corpus, table, **files_question.known)
    except looking.Exhausted as error:
        looks.answer(
            corpus,
            look_key,
            unreadable=(
                f"{error} By then no text had been found. Upload less at once, or save the files as"
                " text."
            ),
        )
    except file_formats.Unreadable as error:  # a page might need longer to come to that
        looks.answer(corpus, look_key, unreadable=error.message)


def _look_key(fixed_options: dict) -> list:
    return ["sniff", [field.name for field in fields(file_formats.Options)], fixed_options]


def keeps_columns(draft: Corpus) -> bool:
    """Whether a draft's files must be cut into columns as they were: under embargo, where its
    columns are known by their names."""
    return draft.embargo and bool(draft.settings.get("before"))


def keep_chosen_columns(sniff: file_formats.Sniff, options: dict) -> file_formats.Sniff:
    """With the columns that were chosen before, by their names, where the file has the one that was
    chosen for the text.

    options: webapp.intake.file_formats.Options as a dict, of an earlier choice."""
    before = file_formats.Options(**options) if options else file_formats.Options()
    if before.column("text") not in sniff.columns:
        return sniff
    kinds = sniff.options.kinds | {
        name: kind for name, kind in before.kinds.items() if name in sniff.columns
    }
    return replace(
        sniff,
        options=replace(
            sniff.options,
            **before.places(sniff.columns),
            kinds=kinds,
            date_order=before.date_order or sniff.options.date_order,
            html=before.html,
            running=before.running,
            lemmas=before.lemmas,
            surplus=before.surplus,
        ),
    )


def guess_table(corpus: Corpus) -> shaping.TableGuess | None:
    """The table about the other files, where one seems to be among them. A draft's files stay: it
    is looked for once."""

    def look_for_table() -> list:
        return list(shaping.guess_table(paths(corpus, shaping.table.NAMES)) or ())

    guess = looks.kept_answer(corpus, TABLE, look_for_table)
    return shaping.TableGuess(*guess) if guess else None


def possible_tables(corpus: Corpus) -> list[str]:
    """Names of the uploaded files that may be a table about the others; none where there are no
    others."""
    names = list(corpus.files.values_list("name", flat=True)[:MOST_LOOKED_AT])
    if len(names) < 2:
        return []
    return [name for name in names if file_formats.formats.format_of(name).columns]


def guess_language(sniff: file_formats.Sniff) -> tuple[str, float]:
    """Which language the first rows seem to be in (ISO 639-1), and which share of them; ("", 0.0)
    where that can't be told."""
    column = sniff.options.text if sniff.columns else 0
    if column is None:
        return detect_language(())
    return detect_language(row[column] for row in sniff.rows if column < len(row))
