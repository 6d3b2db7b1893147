from itertools import count

from webapp.platform.storage.csv_table import ROWS_OF_PIECE, CsvTable


def test_what_is_not_known_is_empty():
    row = [None, float("nan"), float("inf"), -float("inf"), 0.25, 0, ""]
    assert CsvTable("abcdefg", [row]).content() == b"a,b,c,d,e,f,g\r\n,,,,0.25,0,\r\n"


def test_names_and_cells_begin_no_formula():
    assert CsvTable(["=a", "b"], [["+b", -1]]).content() == b"'=a,b\r\n'+b,-1\r\n"


def test_rows_are_read_as_they_are_sent():
    pieces = CsvTable(["n"], ([n] for n in count())).pieces()
    assert next(pieces) == b"n\r\n"
    assert next(pieces).splitlines() == [b"%d" % n for n in range(ROWS_OF_PIECE)]
    assert next(pieces).startswith(b"%d\r\n" % ROWS_OF_PIECE)
