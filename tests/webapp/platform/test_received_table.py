"""A small table that somebody uploads."""

import pytest

from inference.errors import Invalid
from webapp.platform import received_table

COLUMNS = ("id", "code")


def rows_of(content: str) -> list[tuple[int, dict[str, str]]]:
    table = received_table.read(content.encode(), "codes", COLUMNS)
    return [(row.line, row.cells) for row in table.rows]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_known_columns_are_read_as_a_spreadsheet_writes_them(delimiter, line_end):
    lines = [["ID ", "note", "Code"], ["a", "x", "yes"], ["'=1", "", " no "]]
    content = "\ufeff" + line_end.join(map(delimiter.join, lines))
    table = received_table.read(content.encode(), "codes", COLUMNS)
    assert table.columns == {"id", "code"}
    assert list(table.rows) == [
        (2, {"id": "a", "code": "yes"}),
        (3, {"id": "=1", "code": "no"}),
    ]


def test_a_row_has_the_line_at_which_it_ends_and_a_cell_of_each_column():
    assert rows_of('id,code\n\n"a\nb",yes\n,,x\nc\n') == [
        (4, {"id": "a\nb", "code": "yes"}),
        (6, {"id": "c", "code": ""}),
    ]


def test_of_a_table_without_a_column_no_column_is_known():
    for content in ("", "\n\n", "label\nx"):
        assert received_table.read(content.encode(), "codes", COLUMNS).columns == set()
        assert rows_of(content) == []


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"id,\xe9", "must be UTF-8 text; byte 3 is not"),
        (b"id,code,CODE\na,yes,no", "names the column “code” twice"),
        (b"id,code\na,y\0es", "Line 2 can't be read"),
        (b'id,code\na,"yes', "Line 2: the table is not CSV"),
    ],
)
def test_what_can_not_be_read_is_refused_with_its_place(content, sentence):
    with pytest.raises(Invalid, match=sentence) as refused:
        list(received_table.read(content, "codes", COLUMNS).rows)
    assert refused.value.field == "codes"


def test_columns_that_are_not_read_may_have_one_name():
    assert rows_of("id,x,x,code\na,1,2,yes\n") == [(2, {"id": "a", "code": "yes"})]
