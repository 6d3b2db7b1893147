"""What happens to documents between their files and their rows: fields from names, a table about them, joining, cutting.

All are generators over the documents and problems of the readers, and hold no more than one document, whatever their number.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from tasks.readers import Document, Problem
from tasks.shaping.joining import join
from tasks.shaping.names import Pattern, name_fields
from tasks.shaping.options import Shaping
from tasks.shaping.sections import cut
from tasks.shaping.table import Guess, Table, guess

__all__ = ["Guess", "Pattern", "Shaping", "Table", "guess", "shape"]


def shape(
    items: Iterable[Document | Problem], shaping: Shaping, folder: Path, table: Table | None = None
) -> Iterator[Document | Problem]:
    """The documents as they will be rows. Files in `folder`, on the disk of the corpora, are gone when it ends.

    The same items give the same documents in the same order. `table`: of the file `shaping.table`, which is not among the items.
    """
    if shaping.names or shaping.pattern:
        items = name_fields(items, shaping)
    if table is not None:
        items = table.join(items)
    if shaping.joins:
        items = join(items, shaping, folder)
    if shaping.sections:
        items = cut(items, shaping)
    return iter(items)
