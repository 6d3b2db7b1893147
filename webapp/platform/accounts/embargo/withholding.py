"""Which fields of documents an embargo withholds: those that were the text in any reading of the same
files."""

import hashlib
import json
import re
from collections.abc import Iterable
from typing import NamedTuple

from webapp.models import Corpus
from webapp.platform.accounts.embargo.limits import PASSAGE

# A column's role -> columns of the table
ROLES = {
    "title": ("title", "whole"),
    "id": ("source_id",),
    "date": ("date_text",),
}
# As names of columns that were texts. All of a table's, or those beyond so many, which have no name
# in its header: its rows have surplus cells there, and those of a text that has the separator in it
# are the text.
ALL_COLUMNS = "*"
_BEYOND = re.compile(r"\*(\d{1,9})")
_UNNAMED = re.compile(r"column (\d{1,9})")


def columns_read(settings: dict) -> list[dict[str, str]]:
    """Which column was the text in each way in which files were read: {"text": its name, or "",
    "cut": a digest of how the files were cut into columns and documents}. settings: a corpus's
    (ingest.corpus_settings.ReadingSettings as a dict)."""
    if not settings.get("options"):
        return []
    return [
        {
            "text": _column(reading["options"], "text"),
            "cut": _cut(reading["options"], reading["shaping"] or {}),
        }
        for reading in (settings, *settings.get("added", []))
    ]


def _column(options: dict, role: str) -> str:
    """The name of the column that has a role, as it stands in the metadata; "" where there is
    none."""
    position = options.get(role)
    names = options.get("names") or ()
    return "" if position is None or position >= len(names) else names[position][:100]


def _cut(options: dict, shaping: dict) -> str:
    """A digest of what decides how files become documents. It is stored: what is added to the list
    changes it only where it is set."""
    how = [options.get(name) or "" for name in ("encoding", "delimiter", "header", "sheet")]
    of_shaping = ("join", "period", "names", "pattern", "table", "key")
    how += [shaping.get(name) or "" for name in of_shaping]
    headings_become_titles = shaping.get("sections") == "headings"
    how.append(headings_become_titles and (shaping.get("marker") or ""))
    how.append(options.get("names") or ())
    if options.get("header_row"):
        how.append(options["header_row"])
    if options.get("surplus"):
        how.append("surplus")
    return hashlib.sha256(json.dumps(how).encode()).hexdigest()[:16]


class Withheld(NamedTuple):
    """Fields of a corpus's documents that must not be shown: metadata by name, and roles ("title",
    "id", "date"). everything: all."""

    names: frozenset[str]
    roles: frozenset[str]
    everything: bool

    def metadata(self, values: Iterable[tuple[str, str]]) -> dict[str, str]:
        return {name: value[:PASSAGE] for name, value in values if not self.hides(name)}

    def may_count(self, name: str, values: Iterable[str]) -> bool:
        """Whether documents may be counted by the values of a column."""
        return not self.hides(name) and max(map(len, values), default=0) <= PASSAGE

    def hides(self, name: str) -> bool:
        """Whether nothing of a column is shown."""
        if self.everything or name in self.names:
            return True
        unnamed = _UNNAMED.fullmatch(name)
        widths = [
            int(mark[1]) for mark in map(_BEYOND.fullmatch, self.names if unnamed else ()) if mark
        ]
        return unnamed is not None and any(int(unnamed[1]) > width for width in widths)

    def row(self, row: dict) -> dict:
        """A row of `document` with what is withheld taken out; "metadata" is text of JSON."""
        for role, columns in ROLES.items():
            for column in row.keys() & set(columns):
                row[column] = "" if role in self.roles else row[column][:PASSAGE]
        if "metadata" in row:
            row["metadata"] = json.dumps(
                self.metadata(json.loads(row["metadata"]).items()), ensure_ascii=False
            )
        return row


def withheld(corpus: Corpus, settings: dict | None = None) -> Withheld | None:
    """None without an embargo. settings: of a reading that a form proposes; by default the corpus's
    own."""
    if not corpus.embargo:
        return None
    return _withheld(corpus.settings if settings is None else settings)


def _withheld(settings: dict) -> Withheld:
    readings = columns_read(settings)
    before = settings.get("before", [])
    names = frozenset(reading["text"] for reading in (*readings, *before) if reading["text"])
    cuts = {reading["cut"] for reading in readings}
    cuts_before = {reading["cut"] for reading in before if reading["cut"]}
    everything = not cuts_before <= cuts or ALL_COLUMNS in names
    ways = [settings, *settings.get("added", [])] if readings else []
    widths = {_named_columns(reading["options"]) for reading in ways}
    names |= {f"*{width}" for width in widths if width}
    hidden = Withheld(names, frozenset(ROLES if everything else ()), everything)
    roles = set(hidden.roles)
    for reading in ways:
        for role in ROLES:
            if hidden.hides(_column(reading["options"], role)):
                roles.add(role)
    return hidden._replace(roles=frozenset(roles))


def _named_columns(options: dict) -> int:
    """How many columns a table has, up to the last one that its header names; 0 where it has none,
    or no surplus cells."""
    if not options.get("delimiter") or not options.get("header") or options.get("surplus"):
        return 0
    return max(
        (i for i, name in enumerate(options.get("names") or (), 1) if name != f"column {i}"),
        default=0,
    )


def inherited(settings: dict) -> list[dict[str, str]]:
    """What a part of a corpus, or an addition to it, must know of its texts (`before` in settings):
    columns by their names alone, as a part cuts no files, and an addition cuts other ones."""
    before = _withheld(settings)
    return [
        {"text": name, "cut": ""}
        for name in sorted({*before.names, *([ALL_COLUMNS] if before.everything else [])})
    ]


def preview(document: dict, hidden: Withheld | None) -> dict:
    """A document of a sample of files (ingest.sample): title, date, fields, text. hidden: what the
    reading of them withholds."""
    if hidden is None:
        return document
    fields = hidden.metadata((name, value) for name, value, _ in document["fields"])
    kinds = {name: kind for name, _, kind in document["fields"]}
    title = "" if "title" in hidden.roles else document["title"][:PASSAGE]
    date = "" if "date" in hidden.roles else document["date"]
    return document | {
        "title": title,
        "date": date,
        "fields": [(name, value, kinds[name]) for name, value in fields.items()],
        "text": "",
    }
