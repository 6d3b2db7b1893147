"""Sheets of names: what is counted of judges' verdicts."""

import csv

import pytest

from benchmarks.insight.named import (
    NameRow,
    agreement,
    join_sheets,
    print_counts,
    write_sheet_files,
)

ROWS = [
    NameRow("speeches", "texts", "Army & navy", "army navy", "The army …"),
    NameRow("speeches", "words", "Army & navy", "army navy", "The army …"),
    NameRow("speeches", "family", "Defence", "Army; Navy", ""),
    NameRow("posts", "texts", "Old & man", "old man", "An old …"),
]


@pytest.fixture
def sheet(tmp_path):
    write_sheet_files(tmp_path / "names.csv", ROWS)
    return tmp_path / "names.csv"


def judge(sheet, who: str, verdict_of: dict[str, str]):
    """A copy of the sheet with verdicts by name."""
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    copy = sheet.with_name(f"names.{who}.csv")
    with copy.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(row | {"verdict": verdict_of[row["name"]]} for row in rows)
    return copy


def test_the_sheet_does_not_tell_which_rule_made_a_name(sheet):
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert sorted(row["name"] for row in rows) == sorted(row.name for row in ROWS)
    assert not {"rule", "collection"} & rows[0].keys()
    assert {row["of"] for row in rows if row["name"] == "Defence"} == {"family"}


def test_verdicts_are_counted_by_collection_and_rule(sheet, capsys):
    first = judge(sheet, "a", {"Army & navy": "good", "Defence": "fair", "Old & man": "bad"})
    second = judge(sheet, "b", {"Army & navy": "good", "Defence": "bad", "Old & man": "bad"})
    table = sheet.with_name("judged.csv")
    join_sheets([first, second], table)
    print_counts(table)
    printed = " ".join(capsys.readouterr().out.split())
    assert "all texts 2 names: 1 good, 0 fair, 1 bad" in printed
    assert "speeches words 1 names: 1 good, 0 fair, 0 bad" in printed
    assert printed.startswith("a all family 1 names: 0 good, 1 fair")
    assert "The army" not in table.read_text(), "texts may not be handed on"
    assert printed.endswith("equal: 0.75 kappa: 0.60 of 4")


def test_a_row_without_a_verdict_is_refused(sheet):
    blank = judge(sheet, "a", {"Army & navy": "good", "Defence": " ", "Old & man": "so so"})
    with pytest.raises(SystemExit, match="for good, fair, bad"):
        join_sheets([blank], sheet.with_name("judged.csv"))


def test_agreement_is_one_where_both_say_one_thing():
    assert agreement([("good", "good")]) == "equal: 1.00 kappa: 1.00 of 1"
