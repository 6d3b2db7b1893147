"""Files of the collections beside the project: rows and days."""

import gzip
from datetime import date

import pytest

from benchmarks.collection_files import american_day, csv_rows, json_rows, reuters_day


@pytest.mark.parametrize(
    ("read", "text", "day"),
    [
        (american_day, "10/16/17 22:59", date(2017, 10, 16)),
        (american_day, "1/2/2017", date(2017, 1, 2)),
        (american_day, "2017-01-02", None),
        (reuters_day, "26-FEB-1987 15:01:01.79", date(1987, 2, 26)),
        (reuters_day, " 2-MAR-1987 05:01", date(1987, 3, 2)),
        (reuters_day, "", None),
    ],
)
def test_days_are_read_as_the_collections_write_them(read, text, day):
    assert read(text) == day


def test_rows_are_read_as_they_were_written(tmp_path):
    table = tmp_path / "a.csv.gz"
    table.write_bytes(gzip.compress('\ufefftext,year\r\n"one\ntwo",1987\r\n'.encode()))
    assert csv_rows(table) == [{"text": "one\ntwo", "year": "1987"}]
    lines = tmp_path / "a.jsonl.gz"
    lines.write_bytes(gzip.compress(b'{"text": "one"}\n{"text": "two"}\n'))
    assert json_rows(lines) == [{"text": "one"}, {"text": "two"}]
