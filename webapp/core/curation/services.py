"""Labels, notes, colours and groups of topics, and which are hidden or merged, as readers want
them. All of it can be undone.

Nothing here touches the model's own results. Edits are rows that are only added (models.Edit); an
edit is undone by a mark on its row. Each change of a run's edits locks the run's row, so that two
readers can't make a circle of merges.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.utils import timezone

from inference.errors import Invalid
from webapp.core.results import labels, topic_numbers
from webapp.core.results.labels import Labels
from webapp.models import Edit, Run
from webapp.platform import received_table
from webapp.platform.drawing.colours import CHOICES
from webapp.platform.drawing.numbers import topic_label
from webapp.platform.typed_text import one_line, several_lines

LABEL = 80  # characters of a label or the name of a group: what a chart or a chip can carry
NOTE = 4000
TABLE = 5_000_000  # bytes of a table of labels: 10,000 topics with notes are a tenth of it
COLUMNS = tuple(Edit.Field.values)


def change(run: Run, topic: int, values: dict[str, str], by: str) -> int:
    """Edit a topic: `values` is field of Edit -> text as it was typed. Returns how many fields
    changed.

    Raises Invalid, naming the field; then nothing has changed.
    """
    return change_many(run, {topic: values}, by)


def change_many(run: Run, values: dict[int, dict[str, str]], by: str) -> int:
    """Edit several topics at once: topic -> as in `change`. It can be undone at once, too."""
    with _editing(run, _placing_field(values)):
        return _store_edits(run, labels.read(run), values, by)


def fill_empty(run: Run, values: dict[int, dict[str, str]], by: str) -> dict[int, dict[str, str]]:
    """As `change_many`, but a field of which a reader said something stays as it is. Returns the
    values that were taken, of topics with any."""
    with _editing(run, _placing_field(values)):
        present = labels.read(run)
        empty_fields: dict[int, dict[str, str]] = {}
        for topic, fields in values.items():
            said = present.present(topic)
            unsaid = {field: text for field, text in fields.items() if not said[field]}
            if unsaid:
                empty_fields[topic] = unsaid
        _store_edits(run, present, empty_fields, by)
    return empty_fields


def _placing_field(values: dict[int, dict[str, str]]) -> str:
    """The field that is named where the values would make a circle."""
    has_merges = any(fields.get("into") for fields in values.values())
    return "into" if has_merges else "beside"


def _store_edits(run: Run, present: Labels, values: dict[int, dict[str, str]], by: str) -> int:
    """Store what differs from the present labels, which were read while `_editing`. Returns how
    many fields changed. Raises Invalid."""
    batch = uuid.uuid4()
    edits = []
    for topic, fields in values.items():
        topic_numbers.check(topic, run, "topic")
        before = present.present(topic)
        for field, text in fields.items():
            value = _clean(run, topic, field, text)
            if value != before[field]:
                edits.append(
                    Edit(run=run, topic=topic, field=field, value=value, batch=batch, by=by)
                )
    Edit.objects.bulk_create(edits)
    return len(edits)


def undo(run: Run, edit: Edit, by: str) -> None:
    """Take an edit back; the value before it holds again. Undoing twice changes nothing."""
    with _editing(run):
        Edit.objects.filter(pk=edit.pk, undone_at=None).update(
            undone_at=timezone.now(), undone_by=by
        )


def redo(run: Run, edit: Edit) -> None:
    """Let an undone edit hold again, unless a newer one says otherwise."""
    with _editing(run):
        Edit.objects.filter(pk=edit.pk).update(undone_at=None, undone_by="")


def undo_batch(run: Run, batch: uuid.UUID, by: str) -> int:
    """Take back all edits that were made at once, with one form or one table. Returns how many
    these were."""
    with _editing(run):
        return Edit.objects.filter(run=run, batch=batch, undone_at=None).update(
            undone_at=timezone.now(), undone_by=by
        )


@contextmanager
def _editing(run: Run, placed_by: str = "into") -> Iterator[None]:
    """One reader at a time; at the end no topic may be merged into itself or moved beside itself,
    by however many steps. placed_by: the field that Invalid names then."""
    with transaction.atomic():
        locked = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
        if locked.status != Run.Status.DONE:
            raise Invalid(
                "topic", f"Run {run.pk} is {locked.status}; topics can be named when it is done."
            )
        yield
        _refuse_circles(run, placed_by)


def _refuse_circles(run: Run, placed_by: str) -> None:
    present = labels.read(run)
    targets = {}
    for k in present.edited():
        fields = present.present(k)
        target = fields["into"] or fields["beside"]
        if target:
            targets[k] = int(target)
    for topic in targets:
        visited = [topic]
        while (following := targets.get(visited[-1])) is not None:
            if following in visited:
                around = [*visited[visited.index(following) :], following]
                circle = " into ".join(map(topic_label, around))
                raise Invalid(
                    placed_by,
                    f"This would merge or move topics in a circle ({circle}). Undo one of these"
                    " first.",
                )
            visited.append(following)


def _clean(run: Run, topic: int, field: str, text: str) -> str:
    """The value as it is stored; Invalid where the field can't hold it."""
    if field in ("label", "group"):
        return _short(field, one_line(text), LABEL)
    if field == "note":
        return _short(field, several_lines(text), NOTE)
    text = text.strip()
    if field == "hidden":
        if text not in ("", "0", "1"):
            raise Invalid(field, f"hidden must be 1 or empty, got “{text[:20]}”.")
        return text.strip("0")
    if field == "colour":
        if text and not (
            text.isascii() and text.isdigit() and len(text) < 3 and int(text) < CHOICES
        ):
            raise Invalid(
                field,
                f"colour must be a number from 0 to {CHOICES - 1} or empty, got “{text[:20]}”.",
            )
        return str(int(text)) if text else ""
    if field in ("into", "beside"):
        return _target(run, topic, field, text)
    raise Invalid("field", f"There is no field “{field[:20]}”; there are {', '.join(COLUMNS)}.")


def _short(field: str, text: str, limit: int) -> str:
    if len(text) > limit:
        raise Invalid(
            field, f"A {field} has at most {limit:,} characters; this one has {len(text):,}."
        )
    return text


def _target(run: Run, topic: int, field: str, text: str) -> str:
    if not text:
        return ""
    target = topic_numbers.read(text, run, field)
    relation = "merged into" if field == "into" else "moved to the family of"
    if target == topic:
        raise Invalid(
            field,
            f"{topic_label(topic)} can’t be {relation} itself; leave the field empty to keep it"
            " separate.",
        )
    return str(target)


def read_table(run: Run, content: bytes, by: str) -> int:
    """Take labels from a CSV: column topic (7 or T07) and any of label, note, group, colour,
    hidden, into, beside.

    An empty cell leaves what is there. All rows or none. Returns how many fields changed; raises
    Invalid, naming the line.
    """
    if len(content) > TABLE:
        raise Invalid(
            "table",
            f"A table of labels has at most {TABLE // 10**6} MB; this one has"
            f" {len(content) / 1e6:.1f}.",
        )
    table = received_table.read(content, "table", ("topic", *COLUMNS))
    if "topic" not in table.columns or len(table.columns) < 2:
        raise Invalid(
            "table",
            "The first line must name the columns: topic, and one or more of"
            f" {', '.join(COLUMNS)}.",
        )
    values: dict[int, dict[str, str]] = {}
    for row in table.rows:
        fields = {name: cell for name, cell in row.cells.items() if cell}
        if "topic" not in fields:
            continue
        try:
            topic = topic_numbers.read(fields.pop("topic"), run, "topic")
            if topic in values:
                raise Invalid("topic", f"{topic_label(topic)} has two lines.")
            for field, text in fields.items():
                _clean(run, topic, field, text)
        except Invalid as error:
            raise Invalid("table", f"Line {row.line:,}: {error.message}") from None
        values[topic] = fields
    return change_many(run, values, by)
