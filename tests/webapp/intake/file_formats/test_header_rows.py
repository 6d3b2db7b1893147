"""Titles and notes above the header of a table: the header is found, and a table that has none
above is read as ever."""

import csv
import io
import random

import pytest

from tests.webapp.intake.file_formats.reading import HEADER, ROWS, load, spreadsheet
from webapp.intake import file_formats
from webapp.intake.file_formats import header_rows

BODY = HEADER + ROWS
NOTES = [
    "Export of 3 March\n\n",
    "Export of 3 March,,,,,\n,,,,,\n",
    "Speeches\nSource:,National Archive\nRights:,free to use\n\n",
    "\n\nA collection of speeches by many people, all of them dead\n",
]


def found(path, name, **known):
    options = file_formats.sniff(path, name, **known).options
    return options.header_row, options.names


@pytest.mark.parametrize("notes", NOTES)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_header_below_titles_is_found_and_nothing_is_lost(file, notes, delimiter):
    name = "a.tsv" if delimiter == "\t" else "a.csv"
    where = file((notes + BODY).replace(",", delimiter), name)
    row, names = found(*where)
    assert row == notes.count("\n") + 1 and list(names) == HEADER.strip().split(",")
    documents, problems = load(*where)
    assert not problems and [d.source_id for d in documents] == [f"k{i}" for i in range(8)]
    assert documents[0].title.startswith("Headline") and documents[0].date == "1900"
    assert documents == [
        d
        for d in load(*file(BODY.replace(",", delimiter), name))[0]
        if setattr(d, "place", documents[int(d.date) - 1900].place) is None
    ]


def test_a_header_below_titles_in_a_spreadsheet(tmp_path):
    table = list(csv.reader(io.StringIO(BODY)))
    where = spreadsheet(tmp_path, [["Export of 3 March"], [], ["by", "me"], [], *table]), "a.xlsx"
    assert found(*where) == (5, tuple(table[0]))
    documents, problems = load(*where)
    assert len(documents) == 8
    assert not problems
    assert documents[0].place == "row 6"


TABLES = {
    "header": BODY,
    "two": (
        "id,text\nspeech1,Hello, my, friends of old\nspeech2,One two, three, four and so on for a"
        " long while\n" * 3
    ),
    "none": "".join(f"{i},{'Some words of a text. ' * 9}\n" for i in range(9)),
    "dialogue": (
        "Prologue,,\n" + "".join(f"Alice,line {i} is said,London\nBob,no,Paris\n" for i in range(9))
    ),
    "row names": (
        '"date","body"\n'
        + "".join(f'"{i}","{1900 + i}","A long text about {i}"\n' for i in range(9))
    ),
    "sparse": "key,,,year,,body\n" + ROWS,
    "one column": "text\n" + "".join(f"words, and more words {i}\n" for i in range(9)),
    "yes and no": "".join(f"{'yes' if i % 2 else 'no'},title,text {i}\n" for i in range(9)),
    "titles alone": "Export of 3 March\n\nof nothing\n",
}


@pytest.mark.parametrize("table", TABLES)
def test_no_other_table_is_read_differently(file, table):
    assert found(*file(TABLES[table], "a.csv"))[0] == 0


def test_random_tables_with_their_header_first(file):
    chance = random.Random(4)
    for _ in range(150):
        columns = chance.sample(
            ["id", "text", "year", "who", "side", "place", "remark"], chance.randint(2, 7)
        )
        rows = [columns] + [
            [
                chance.choice(
                    ["", "no", "x y", str(chance.randint(1, 3000)), "Some long words. " * 8]
                )
                for _ in columns
            ]
            for _ in range(chance.randint(1, 30))
        ]
        out = io.StringIO()
        csv.writer(out).writerows(rows)
        assert found(*file(out.getvalue(), "a.csv"))[0] == 0, rows


def test_the_row_can_be_said(file):
    table = "one,two\nthree,four\nfive,six words of text\n"
    assert found(*file(table, "a.csv"), header=True, header_row=2) == (2, ("three", "four"))
    documents, _ = load(*file(table, "a.csv"), header=True, header_row=2)
    assert len(documents) == 1
    assert found(*file(NOTES[0] + BODY, "a.csv"), header=True, header_row=1)[0] == 0
    with pytest.raises(
        file_formats.Unreadable, match="in row 90, but there is none among the first 100"
    ):
        found(*file(table, "a.csv"), header=True, header_row=90)
    with pytest.raises(file_formats.Unreadable, match="in row 101"):
        found(*file("a,b\n" * 300, "a.csv"), header=True, header_row=101)


def test_only_the_first_hundred_rows_are_looked_at(file):
    assert found(*file("a note\n" * 60 + BODY, "a.csv"))[0] == 61
    assert found(*file("a note\n" * header_rows.ROWS + BODY, "a.csv"))[0] == 0


def test_several_exports_each_with_another_number_of_titles(file):
    options = file_formats.sniff(*file(NOTES[2] + BODY, "a.csv")).options
    for notes in ("", NOTES[0], NOTES[2] * 3):
        documents = list(file_formats.read(*file(notes + BODY, "b.csv"), options))
        assert [d.source_id for d in documents] == [f"k{i}" for i in range(8)], notes
    with pytest.raises(
        file_formats.Unreadable, match="none of its first 100 rows has the column “body”"
    ):
        list(file_formats.read(*file("a,b\nc,d\n", "b.csv"), options))


def test_quotation_marks_without_end_are_mended_below_titles(file):
    documents, problems = load(
        *file(NOTES[0] + BODY.replace("1903,Someone,left,A", '1903,Someone,left,"A'), "a.csv")
    )
    assert len(problems) == 1 and {d.source_id for d in documents} >= {"k2", "k4", "k7"}
