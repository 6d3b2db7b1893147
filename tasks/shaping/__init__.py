"""What happens to documents between their files and their rows: fields from names, a table about them, joining, cutting.

All are generators over the documents and problems of the readers, and hold no more than one document, whatever their number.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path

from inference.errors import Invalid
from tasks.readers import Document, Problem
from tasks.shaping.joining import join
from tasks.shaping.names import Pattern, name_fields
from tasks.shaping.options import Shaping
from tasks.shaping.sections import cut
from tasks.shaping.table import Guess, Table, guess

__all__ = ["Guess", "Pattern", "Shaping", "Table", "guess", "shape", "shape_files"]
Files = list[tuple[Path, str]]  # where each is, and the user's name of it


def shape(
    items: Iterable[Document | Problem], shaping: Shaping, folder: Path, table: Table | None = None
) -> Iterator[Document | Problem]:
    """The documents as they will be rows. Files in `folder`, on the disk of the corpora, are gone when it ends.

    The same items give the same documents in the same order. `table`: of the file `shaping.table`, which is not among the items.
    """
    if shaping.names or shaping.pattern:
        items = name_fields(items, shaping.names, shaping.pattern)
    if table is not None:
        items = table.join(items)
    if shaping.joins:
        items = join(items, shaping, folder)
    if shaping.sections:
        items = cut(items, shaping)
    return iter(items)


def shape_files(
    files: Files,
    shaping: Shaping,
    folder: Path,
    read: Callable[[Files], Iterable[Document | Problem]],
    advance: Callable[[int], None] = lambda n: None,
) -> Iterator[Document | Problem]:
    """The same of uploaded files: `read` is given those that are not the table, whose bytes `advance` is told.

    Raises Invalid where the table is not among them, and Unreadable where it is no table.
    """
    table = next((file for file in files if file[1] == shaping.table), None) if shaping.table else None
    if shaping.table and table is None:
        raise Invalid("table", f"The table “{shaping.table}” is not among the files.")
    others = [file for file in files if file is not table]
    with Table(*table, shaping.key, folder, advance) if table else nullcontext() as opened:
        yield from shape(read(others), shaping, folder, opened)
