"""The registry of metadata types: whatever a new type needs is said in its class and found by its
name in TYPES."""

import re
from dataclasses import dataclass
from types import SimpleNamespace
from urllib.parse import urlencode

import numpy as np
from django.http import QueryDict

from webapp.core.documents.conditions import ranges
from webapp.intake import metadata
from webapp.intake.metadata import RangeField, columns
from webapp.intake.metadata.groups import Groups
from webapp.intake.metadata.number import RangeWriter

_LENGTH = re.compile(r"(\d+):([0-5]\d)")


@dataclass(frozen=True)
class Duration(RangeField):
    """Minutes and seconds, 3:05."""

    kind = "duration"
    label = "duration, minutes:seconds"
    priority = 5
    stored_as = "durations"
    file_prefix = "duration-"
    missing = -1
    writer = RangeWriter

    low: int
    high: int

    @classmethod
    def claims(cls, values, name):
        return all(map(_LENGTH.fullmatch, values))

    @staticmethod
    def parse(text, date_order):
        match = _LENGTH.fullmatch(text)
        return 60 * int(match[1]) + int(match[2]) if match else None

    @classmethod
    def summary(cls, low, high, whole, documents):
        return {"low": low, "high": high}

    @property
    def limits(self):
        return f"{self.low // 60}:{self.low % 60:02d}", f"{self.high // 60}:{self.high % 60:02d}"

    def ends(self, low, high):
        return self.parse(low, "") or 0, self.parse(high, "") or np.inf

    def known(self, values):
        return values >= 0

    def groups(self, values):
        return Groups(
            self.name, ["short", "long"], np.where(values < 0, -1, values >= 180).astype(np.int32)
        )


def test_a_new_type_is_a_class_and_its_name_in_the_list(tmp_path, monkeypatch):
    monkeypatch.setattr(metadata, "TYPES", (*metadata.TYPES, Duration))
    rows = [["2:30", "Whig"], ["3:05", "Whig"], ["10:00", "Tory"], ["1:01", "Tory"]]
    assert metadata.guess(["length", "party"], rows) == {"length": "duration", "party": "category"}
    assert metadata.choices()[-1] == ("duration", "duration, minutes:seconds")
    with columns.Writer(tmp_path, {"length": "duration"}) as writer:
        for i, (length, party) in enumerate(rows):
            writer.add(i, None, {"length": length, "party": party} if i != 3 else {"party": party})
        writer.finish(len(rows))
    stored = columns.Columns(tmp_path)
    field = stored.field("length")
    assert field == Duration("length", 150, 600) and field.limits == ("2:30", "10:00")
    values = stored.values(field)
    assert values.tolist() == [150, 185, 600, -1] and field.known(values).tolist() == [
        True,
        True,
        True,
        False,
    ]
    assert field.groups(values).group.tolist() == [0, 1, 1, -1]


def test_kinds_are_stored_and_so_never_renamed():
    stored = [(each.kind, each.stored_as, each.file_prefix) for each in metadata.TYPES]
    assert {
        ("category", "categories", ""),
        ("number", "numbers", "number-"),
        ("date", "dates", "date-"),
        ("text", "", ""),
    } <= set(stored)
    for names in zip(*stored, strict=True):
        used = [name for name in names if name]
        assert len(set(used)) == len(used), used


def test_ends_with_colons_stand_in_an_address(monkeypatch):
    wanted = ranges.Range("length", "1:30", "<10:00")
    assert wanted.address == "length:1%3A30:<10%3A00"
    monkeypatch.setattr(ranges.fields, "ranges", lambda version: [Duration("length", 150, 600)])
    address = QueryDict(urlencode({"between": wanted.address}))
    assert ranges.Range.read(address, SimpleNamespace(version=None)) == [wanted]


def test_a_kind_that_is_not_known_is_a_category():
    assert metadata.type_of("colour") is metadata.type_of(None) is metadata.Category
