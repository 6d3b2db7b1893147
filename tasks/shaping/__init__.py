"""What happens to documents between their files and their rows: fields from names, a table about them, joining, cutting.

All are generators over the documents and problems of the readers, and hold no more than one document, whatever their number.
"""

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path

from tasks.readers import Document, Problem
from tasks.shaping.joining import join
from tasks.shaping.names import Pattern, name_fields
from tasks.shaping.options import Shaping
from tasks.shaping.sections import cut
from tasks.shaping.table import Files, Guess, Table, guess

__all__ = ["Files", "Guess", "Pattern", "Shaping", "guess", "shape"]


def shape(
    items: Iterable[Document | Problem],
    shaping: Shaping,
    folder: Path,
    files: Files = (),
) -> Iterator[Document | Problem]:
    """The documents as they will be rows, and problems; whatever else comes is handed on.

    The same items give the same documents in the same order. Where `shaping.across`, the items are those of all files, else they
    may be one file's. `files`: the uploads, among which is `shaping.table`; the items may have it in them or not. What is written
    into `folder`, on the disk of the corpora, has no name and is gone when it ends.

    Raises Invalid("table" or "key", …) and Unreadable where the table is not there, or is none.
    """
    with Table(files, shaping.table, shaping.key, folder) if shaping.table else nullcontext() as about:
        if shaping.names or shaping.pattern:
            items = name_fields(items, shaping.names, shaping.pattern)
        if about:
            items = about.join(items)
        if shaping.joins:
            items = join(items, shaping, folder)
        if shaping.sections:
            items = cut(items, shaping)
        yield from items
