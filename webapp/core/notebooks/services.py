"""Notebooks: collections of evidence, and the link that shares one."""

import json
import secrets
from itertools import pairwise

from django.db import transaction
from django.db.models import Max, Sum, TextField
from django.db.models.functions import Cast, Length
from django.utils import timezone

from inference.errors import Invalid
from webapp.core.notebooks.shapes import PinContent
from webapp.models import Notebook, Pin, User
from webapp.platform.drawing import tables
from webapp.platform.drawing.colours import COLOURS
from webapp.platform.drawing.tables import Cell, KeptTable
from webapp.platform.pages import addresses
from webapp.platform.typed_text import one_line, several_lines

TITLE = 200  # characters
TEXT = 10_000  # of an introduction, a comment, a sentence
PINS = 500  # of a notebook: its page shows and prints all of them at once
# of a chart's table: what a page can print
CELL = 500
# characters of one as JSON, and of all of a notebook
TABLE = 100_000
TABLES = 5_000_000
NOTEBOOKS = 500  # of one user, with those that were removed
OF_STUDENT = 20  # the same of a student (webapp.service.courses)


def create(title: str, by: str, owner: User | None = None) -> Notebook:
    """By default the local owner's. Raises Invalid."""
    owner = owner or User.objects.local()
    limit = NOTEBOOKS if owner.email or owner.local else OF_STUDENT
    if Notebook.objects.filter(owner=owner, student="").count() >= limit:
        raise Invalid(
            "notebook", f"You have {limit} notebooks, which is the most. Pin to one of them."
        )
    return Notebook.objects.create(title=_title(title), by=by, owner=owner)


def change(notebook: Notebook, title: str, intro: str) -> None:
    """Raises Invalid for a title that is empty or a text that is too long."""
    title = _title(title)
    intro = _text("introduction", intro)
    Notebook.objects.filter(pk=notebook.pk).update(title=title, intro=intro, used_at=timezone.now())


def remove(notebook: Notebook) -> None:
    """Take it off the list, and its link away; `restore` puts it back, but not the link."""
    Notebook.objects.filter(pk=notebook.pk).update(removed_at=timezone.now(), token=None)


def restore(notebook: Notebook) -> None:
    """Put a notebook that was removed back on the list."""
    Notebook.objects.filter(pk=notebook.pk).update(removed_at=None, used_at=timezone.now())


def share(notebook: Notebook) -> str:
    """A token for a link that nobody can guess (256 random bits); the one there is, where there is
    one."""
    Notebook.objects.filter(pk=notebook.pk, token=None, removed_at=None).update(
        token=secrets.token_urlsafe(32)
    )
    notebook.refresh_from_db()
    return notebook.token or ""


def revoke(notebook: Notebook) -> None:
    """The link answers no more; a later `share` makes another."""
    Notebook.objects.filter(pk=notebook.pk).update(token=None)


def pin(notebook: Notebook, content: PinContent, comment: str, by: str) -> Pin:
    """Keep a piece of evidence at the end of the notebook. Raises Invalid."""
    if not (address := addresses.own_path(content.address)):
        raise Invalid("address", "Only pages of this Topograph can be pinned.")
    title = one_line(content.title)[:TITLE]
    sentence = _text("sentence", content.sentence)
    table = _table(content.table)
    comment = _text("comment", comment)
    with transaction.atomic():
        _lock(notebook)
        pins = notebook.pins.all()
        if pins.count() >= PINS:
            raise Invalid(
                "notebook",
                f"“{notebook.title}” is full: a notebook holds {PINS} pieces. Begin another.",
            )
        if table and _size(table) + _tables(notebook) > TABLES:
            raise Invalid(
                "notebook",
                f"“{notebook.title}” is full: its charts hold {TABLES:,} characters at most. Begin"
                " another.",
            )
        new_pin = Pin.objects.create(
            notebook=notebook,
            position=(pins.aggregate(last=Max("position"))["last"] or 0) + 1,
            kind=content.kind,
            title=title or address,
            address=address,
            quote=content.quote,
            start=content.start,
            end=content.end,
            sentence=sentence,
            table=table and vars(table),
            source=content.source,
            comment=comment,
            by=by,
        )
        Notebook.objects.filter(pk=notebook.pk).update(used_at=timezone.now())
    return new_pin


def find_same(notebook: Notebook, content: PinContent) -> Pin | None:
    """The first pin of a notebook that shows the same; None where there is none. What was removed
    from it does not count, nor what was pinned of a page whose numbers were others then. Raises
    Invalid for a table that is none."""
    table = _table(content.table)
    kept_table = vars(table) if table else None
    pins = notebook.pins.filter(
        removed_at=None,
        kind=content.kind,
        address=addresses.own_path(content.address),
        title=one_line(content.title)[:TITLE] or content.address,
        quote=content.quote,
        sentence=several_lines(content.sentence),
    )
    return next((pin for pin in pins if pin.table == kept_table), None)


def comment(pin: Pin, text: str) -> None:
    """Replace what is said of a pin. Raises Invalid for a text that is too long."""
    Pin.objects.filter(pk=pin.pk).update(comment=_text("comment", text))


def move(pin: Pin, up: bool) -> None:
    """Change places with the neighbour that is shown before or behind it."""
    with transaction.atomic():
        _lock(pin.notebook)
        pins = list(pin.notebook.pins.filter(removed_at=None))
        pairs = pairwise(reversed(pins) if up else pins)
        if pair := next((pair for pair in pairs if pair[0].pk == pin.pk), None):
            first_pin, second_pin = pair
            first_pin.position, second_pin.position = second_pin.position, first_pin.position
            Pin.objects.bulk_update(pair, ["position"])


def remove_pin(pin: Pin) -> None:
    """Take a pin off its notebook; `restore_pin` puts it back."""
    Pin.objects.filter(pk=pin.pk, removed_at=None).update(removed_at=timezone.now())


def restore_pin(pin: Pin) -> None:
    """Put a pin back where it was."""
    Pin.objects.filter(pk=pin.pk).update(removed_at=None)


def _lock(notebook: Notebook) -> None:
    Notebook.objects.select_for_update(no_key=True).get(pk=notebook.pk)


def _title(text: str) -> str:
    if not (title := one_line(text)):
        raise Invalid("title", "Give the notebook a title.")
    if len(title) > TITLE:
        raise Invalid(
            "title", f"A title has at most {TITLE} characters; this one has {len(title):,}."
        )
    return title


def _text(name: str, text: str) -> str:
    text = several_lines(text)
    if len(text) > TEXT:
        raise Invalid(
            name, f"A {name} has at most {TEXT:,} characters; this one has {len(text):,}."
        )
    return text


UNEQUAL_ROWS = "A table must be columns and rows of the same length."


def _is_row(row: object, columns: int) -> bool:
    return isinstance(row, list) and len(row) == columns


def _table(table: object) -> KeptTable | None:
    """A table that a page sent along with a chart. Raises Invalid where it is none."""
    if table is None:
        return None
    if not isinstance(table, dict):
        raise Invalid("table", UNEQUAL_ROWS)
    columns = table.get("columns")
    rows = table.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        raise Invalid("table", UNEQUAL_ROWS)
    if not all(_is_row(row, len(columns)) for row in rows):
        raise Invalid("table", UNEQUAL_ROWS)
    if len(columns) > tables.COLUMNS or len(rows) > tables.ROWS:
        raise Invalid(
            "table",
            f"A table has at most {tables.ROWS} rows and {tables.COLUMNS} columns; this one has"
            f" {len(rows):,} and {len(columns):,}.",
        )
    cells_of_rows = []
    for row in rows:
        cells_of_rows.append([_cell(cell) for cell in row])
    kept_table = KeptTable(
        columns=[_cell(cell) for cell in columns],
        rows=cells_of_rows,
        hues=_hues(table.get("hues", []), len(rows)),
    )
    size = _size(kept_table)
    if size > TABLE:
        raise Invalid("table", f"A table has at most {TABLE:,} characters; this one has {size:,}.")
    return kept_table


def _hues(hues: object, rows: int) -> list[int]:
    """Raises Invalid for what are no colours of so many rows."""
    if not isinstance(hues, list) or len(hues) not in (0, rows):
        raise Invalid("table", "The colours of a table must be a list, one for each row.")
    for hue in hues:
        if not isinstance(hue, int) or not 0 <= hue < COLOURS:
            raise Invalid("table", f"A colour must be a number from 0 to {COLOURS - 1}.")
    return hues


def _size(table: KeptTable) -> int:
    """Characters of a table as JSON."""
    return len(json.dumps(vars(table), ensure_ascii=False))


def _tables(notebook: Notebook) -> int:
    """Characters of all tables of a notebook."""
    return notebook.pins.aggregate(n=Sum(Length(Cast("table", TextField()))))["n"] or 0


def _cell(cell: object) -> Cell:
    if cell is None or isinstance(cell, (bool, int, float)):
        return cell
    if isinstance(cell, str):
        return one_line(cell)[:CELL]
    raise Invalid("table", "A cell of a table must be a text or a number.")
