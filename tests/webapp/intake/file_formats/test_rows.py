"""Rows of damaged tables: no more is lost than is damaged."""

import csv
import io
import random

from tests.webapp.intake.file_formats.reading import load
from webapp.intake.file_formats import rows


def test_a_quotation_mark_that_is_never_closed_costs_its_own_row_only(file):
    documents, problems = load(
        *file(
            'id,text\n1,first text\n2,"second, text\n3,"third ""text"""\n4,fourth text\n', "a.csv"
        )
    )
    assert [d.text for d in documents] == [
        "first text",
        "second, text",
        'third "text"',
        "fourth text",
    ]
    assert [p.message for p in problems] == [
        "“a.csv”, row 2 (line 3): a quotation mark is opened and not closed; its row was taken to"
        " end with its line. Correct the file there."
    ]
    assert [d.place for d in documents] == [
        "row 1 (line 2)",
        "row 2 (line 3)",
        "row 3 (line 4)",
        "row 4 (line 5)",
    ]


def test_a_text_that_is_cut_off_with_its_file_stays_one(file):
    documents, problems = load(
        *file('id,text\n1,first text\n2,"second text\n\nits other part', "a.csv")
    )
    assert [d.text for d in documents] == ["first text", "second text\n\nits other part"]
    assert (
        len(problems) == 1
        and "row 2 (line 3): a quotation mark is opened and never closed" in problems[0].message
    )


def test_a_quotation_mark_within_a_cell_is_a_letter(file):
    documents, problems = load(*file('id,text\n1,a 5" pipe\n2,fine text\n', "a.csv"))
    assert documents[0].text == 'a 5" pipe' and not problems


def test_only_so_many_rows_are_mended(file, monkeypatch):
    monkeypatch.setattr(rows, "MOST_MENDED", 1)
    documents, problems = load(*file('id,text\n1,"one\n2,two\n3,three\n4,"four\n5,five\n', "a.csv"))
    assert len(documents) >= 3 and problems


def test_a_cell_beyond_the_limit(file, monkeypatch):
    monkeypatch.setattr(rows, "MAX_TEXT", 1000)
    before = csv.field_size_limit(1000)
    try:
        for long in (
            "x" * 5000,
            '"' + "x\n" * 800 + '"',
            '"' + "x" * 5000 + '"',
            '"y ""quoted""\n' + "x" * 5000 + '"',
        ):
            documents, problems = load(
                *file(f"id,text\n1,fine words\n2,{long}\n3,fine again\n", "a.csv")
            )
            assert {"1", "3"} <= {d.source_id for d in documents}
            assert (
                "row 2 (line 3): a cell or line has more than" in problems[0].message
                and problems[0].dropped
            )
            assert len(documents) + len(problems) == 3
    finally:
        csv.field_size_limit(before)


def rows_of(text: str) -> list[rows.Row]:
    return list(rows.Rows(io.StringIO(text, newline=""), {"delimiter": ","}))


def test_whole_tables_are_read_as_the_csv_module_does():
    """Cells of every awkward kind: nothing of them is taken for damage."""
    chance = random.Random(1)
    for _ in range(2000):
        cells = ["a", "b c", 'd"e', "f,g", "h\ni", "", '"', "x\r\ny", '"q",\n"r"']
        table = [["x", *(chance.choice(cells) for _ in range(3))] for _ in range(6)]
        buffer = io.StringIO(newline="")
        csv.writer(buffer).writerows(table)
        found = rows_of(buffer.getvalue())
        assert [row.cells for row in found] == table and not any(row.damage for row in found)


def test_any_text_can_be_read_as_rows():
    chance = random.Random(2)
    for _ in range(5000):
        text = "".join(chance.choice('ab,,"""\n\n \r\0') for _ in range(chance.randrange(60)))
        lines = [row.line for row in rows_of(text)]
        assert lines == sorted(lines)
