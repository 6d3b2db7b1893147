"""CSV that a spreadsheet may open: a cell must not become a formula (OWASP, "CSV Injection")."""

import csv
import io
import math
from collections.abc import Iterable, Sequence

import numpy as np

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


def lines(rows: Iterable[Sequence]) -> bytes:
    """Rows as they stand in a file: each cell `safe`, and empty where it is None or a float that is
    no number, which says that nothing is known."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows(map(_written, rows))
    return buffer.getvalue().encode()


def _written(row: Sequence) -> list:
    return ["" if _is_unknown(cell) else cell for cell in safe(row)]


def _is_unknown(cell: object) -> bool:
    if isinstance(cell, float | np.floating):
        return not math.isfinite(cell)
    return cell is None
