"""CSV that a spreadsheet may open: a cell must not become a formula (OWASP, "CSV Injection")."""

import csv
import io
from collections.abc import Sequence

# What a spreadsheet takes for the start of a formula, some in wide letters, too.
DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe(row: Sequence) -> list:
    """The row with an apostrophe before each text that a spreadsheet would run, and before each
    that has one there already, which reading back would take off; numbers stay numbers."""
    return [f"'{cell}" if isinstance(cell, str) and _is_marked(cell) else cell for cell in row]


def unsafe(cell: str) -> str:
    """A cell as it was before `safe`: what we wrote can be read back."""
    return cell[1:] if cell.startswith("'") and _is_marked(cell[1:]) else cell


def _is_marked(cell: str) -> bool:
    """Whether `safe` puts an apostrophe before it."""
    return cell.lstrip("'").startswith(DANGEROUS)


def lines(rows: list[list]) -> bytes:
    """Rows as they stand in a file, each cell `safe`."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows(map(safe, rows))
    return buffer.getvalue().encode()
