"""Sheets of names: what is counted of judges' verdicts."""

import csv
import json

import pytest

from benchmarks.insight.named import (
    NameRow,
    agreement,
    compared,
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


def test_a_name_that_two_rules_give_is_judged_once_and_counts_for_both(tmp_path, capsys):
    old = [ROWS[0], ROWS[3], ROWS[2]]
    new = [ROWS[0], ROWS[3]._replace(rule="none", name=""), ROWS[2]._replace(name="Army")]
    for rule, rows in (("old", old), ("new", new)):
        (tmp_path / f"{rule}.json").write_text(json.dumps(rows))
    rows = compared([tmp_path / "old.json", tmp_path / "new.json"])
    assert "posts: new names 0 of 1 topics" in capsys.readouterr().out
    rules = {(row.name, row.rule) for row in rows}
    assert rules == {
        ("Army & navy", "old+new"),
        ("Old & man", "old"),
        ("Defence", "old family"),
        ("Army", "new family"),
    }
    write_sheet_files(tmp_path / "names.csv", rows)
    verdicts = {"Army & navy": "good", "Old & man": "bad", "Defence": "fair", "Army": "good"}
    join_sheets([judge(tmp_path / "names.csv", "a", verdicts)], tmp_path / "judged.csv")
    print_counts(tmp_path / "judged.csv")
    printed = " ".join(capsys.readouterr().out.split())
    assert "all new 1 names: 1 good, 0 fair, 0 bad" in printed
    assert "all old 2 names: 1 good, 0 fair, 1 bad" in printed
