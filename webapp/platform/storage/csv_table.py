"""A table as CSV: a line of names, then its rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from webapp.platform.storage import csv_cells

ROWS_OF_PIECE = 1_000  # a piece has some 100 KB, which is sent at once


@dataclass(frozen=True)
class CsvTable:
    """columns: their names. rows: with a cell for each column; read once."""

    columns: Sequence[str]
    rows: Iterable[Sequence[object]]

    def pieces(self) -> Iterator[bytes]:
        """The bytes of the file; no more than ROWS_OF_PIECE rows are held at a time."""
        yield csv_cells.lines([self.columns])
        remaining_rows = iter(self.rows)
        while rows_of_piece := list(islice(remaining_rows, ROWS_OF_PIECE)):
            yield csv_cells.lines(rows_of_piece)

    def content(self) -> bytes:
        """All bytes of the file."""
        return b"".join(self.pieces())
