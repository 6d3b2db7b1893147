"""Which row of a table holds the names of its columns: the first, or one below titles and notes, as
exports have them.

The header is the first row from which on the number of filled cells is stable, and whose cells look
like names, unlike those below.
"""

from webapp.intake.file_formats import column_roles
from webapp.intake.file_formats.base import Unreadable
from webapp.intake.file_formats.rows import Row
from webapp.intake.metadata.dates import parse_date
from webapp.intake.metadata.number import parse_number

ROWS = 100  # of a table in which its header is looked for
LABEL = 60  # characters of a name, at most
# filled cells of a row above a header, as in “Source:,National Archive”, or half as many as the
# header has
NOTES = 2
# of the rows below it have more than half as many filled cells as the header, and at most one more
STABLE = 0.8


def header_position(rows: list[Row], name: str, fixed_options: dict) -> int:
    """The position among `rows` of the one that names the columns, 0 where nothing says that it is
    not the first.

    fixed_options: with `header_row` it is the first row there that is not blank. Raises Unreadable
    where there is none."""
    header_row = fixed_options.get("header_row")
    if header_row:
        return _said_header(rows, header_row, name)
    cells = [[cell.strip() for cell in row.cells or []] for row in rows]
    filled = [sum(map(bool, row)) for row in cells]
    if cells and _surely_names_columns(cells[0]):
        return 0
    for position in range(1, len(rows)):
        filled_above = filled[position - 1]
        is_note_above = filled_above <= NOTES or 2 * filled_above <= max(filled)
        if rows[position].line > ROWS or not is_note_above:
            return 0
        if _below_notes(filled, position) and _unlike(cells[position], cells[position + 1 :]):
            return position
    return 0


def _surely_names_columns(cells: list[str]) -> bool:
    """Whether several cells of a row are known names of columns, or the only one that is filled."""
    filled_cells = list(filter(None, cells))
    known_names = sum(map(column_roles.has_role, filled_cells))
    return known_names > 1 or known_names == len(filled_cells) == 1


def _said_header(rows: list[Row], header_row: int, name: str) -> int:
    """The place of the first row from `header_row` on that is not blank. Raises Unreadable."""
    if header_row <= ROWS:
        for place, row in enumerate(rows):
            if row.line >= header_row and row.cells:
                return place
    raise Unreadable(
        f"“{name}”: the header was said to be in row {header_row:,}, but there is none among the"
        f" first {ROWS}. Say in which of them it is."
    )


def _below_notes(filled: list[int], at: int) -> bool:
    """Whether the rows above have few filled cells, and those below as many as this one."""
    filled_cells = filled[at]
    below = filled[at + 1 :]
    if (
        filled_cells < 2
        or not below
        or max(filled[:at]) > min(filled_cells - 1, max(NOTES, filled_cells // 2))
    ):
        return False
    return sum(filled_cells < 2 * n and n <= filled_cells + 1 for n in below) >= STABLE * len(below)


def _unlike(labels: list[str], below: list[list[str]]) -> bool:
    """Whether cells look like names of columns, and none of them stands in its column again."""
    named_columns = [(i, label) for i, label in enumerate(labels) if label]
    again = any(label == row[i] for row in below for i, label in named_columns if i < len(row))
    return (
        not again
        and len({label for _, label in named_columns}) == len(named_columns)
        and guess([labels, *below], blank=True)
    )


def guess(rows: list[list[str]], blank: bool = False) -> bool:
    """Whether the first row names the columns: known names, or short labels over cells of another
    kind. blank: whether a column may be without a name."""
    first = [cell.strip() for cell in rows[0]]
    if any(len(cell) > LABEL or _number_or_date(cell) for cell in first):
        return False
    if sum(map(column_roles.has_role, first)) >= (2 if blank or len(rows) < 2 else 1):
        return True
    if len(rows) < 2 or not (blank or (all(first) and len(set(first)) == len(first))):
        return False
    for i, label in enumerate(first):
        if not label:
            continue
        column = [row[i].strip() for row in rows[1:] if i < len(row)]
        below = list(filter(None, column))
        longer = sum(map(len, below)) > len(below) * max(LABEL, 3 * len(label))
        if below and (longer or all(map(_number_or_date, below))):
            return True
    return False


def _number_or_date(cell: str) -> bool:
    return parse_number(cell) is not None or parse_date(cell, "dmy") is not None
