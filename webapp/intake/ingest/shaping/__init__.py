"""What happens to documents between their files and their rows: fields from names, a table about
them, joining, cutting.

All are generators over the documents and problems of the files, and hold no more than one
document, whatever their number.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path

from webapp.intake.file_formats import Document, Problem
from webapp.intake.ingest.shaping.file_name_fields import (
    FILES,
    FOLDERS,
    NO_NAMES,
    Pattern,
    file_dates,
    name_fields,
    usual_fields,
)
from webapp.intake.ingest.shaping.first_lines import date_order_of
from webapp.intake.ingest.shaping.joining import join
from webapp.intake.ingest.shaping.languages import (
    is_another_language,
    language_column,
    language_fields,
    said_language,
)
from webapp.intake.ingest.shaping.name_dates import DatesInNames, usual_name_dates
from webapp.intake.ingest.shaping.options import Shaping
from webapp.intake.ingest.shaping.parts import PlaceInWhole, are_parts, place_in_whole
from webapp.intake.ingest.shaping.sections import cut
from webapp.intake.ingest.shaping.silent import (
    CERTAIN,
    RULES,
    blank_silent,
    certain_rules,
    is_rule,
    is_shared,
    ordered_rules,
    rule_of,
    rule_shares,
)
from webapp.intake.ingest.shaping.table import (
    TableGuess,
    UploadedTable,
    guess_table,
    upload_with_table,
)

__all__ = [
    "CERTAIN",
    "FILES",
    "FOLDERS",
    "NO_NAMES",
    "RULES",
    "DatesInNames",
    "TableGuess",
    "PlaceInWhole",
    "Pattern",
    "Shaping",
    "are_parts",
    "certain_rules",
    "guess_table",
    "is_another_language",
    "is_rule",
    "is_shared",
    "language_column",
    "date_order_of",
    "ordered_rules",
    "place_in_whole",
    "rule_of",
    "said_language",
    "shape",
    "rule_shares",
    "blank_silent",
    "upload_with_table",
    "usual_name_dates",
]


def shape(
    items: Iterable[Document | Problem],
    shaping: Shaping,
    folder: Path,
    upload: tuple[Path, str] | None = None,
    advance: Callable[[int], None] = lambda n: None,
    order: str = "",
    running: bool = True,
) -> Iterator[Document | Problem]:
    """The documents as they will be rows, and problems; whatever else comes is handed on.

    The same items give the same documents in the same order. Where `shaping.across`, the items are
    those of all files, else they may be one file's. `upload`: where the file is that is
    `shaping.table`, and the user's name of it, or those of the archive that holds it (`upload_with_table`).
    order, running: file_formats.Options.date_order and running. The table by itself is not among
    the items: its bytes `advance` is told. What is written into `folder`, on the disk of the
    corpora, has no name and is gone when it ends.

    Raises Invalid("table" or "key", …) and Unreadable where the table is not there, or is none.
    """
    with (
        UploadedTable(upload, shaping.table, shaping.key, folder, advance)
        if shaping.table
        else nullcontext() as about
    ):
        if shaping.names or shaping.pattern:
            items = name_fields(items, shaping.names, shaping.pattern)
        items = usual_fields(
            items,
            shaping.dated,
            shaping.name_dates,
            folders=not (shaping.names or shaping.table),
        )
        if about:
            items = about.join(items)
        if shaping.made:
            items = file_dates(items)
        if shaping.joins:
            items = join(items, shaping, folder, order=order, running=running)
        if shaping.each_language:
            items = language_fields(items, shaping.languages_anew)
        if shaping.sections:
            items = cut(items, shaping)
        yield from items
