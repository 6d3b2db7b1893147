import pytest
from django.db import connection

from webapp.csvs import safe, safe_sql

CASES = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "plain", "a=b", "", "'quoted", "–dash"]


def test_numbers_stay_numbers():
    assert safe(["=HYPERLINK()", -3, 0.5, "word"]) == ["'=HYPERLINK()", -3, 0.5, "word"]


@pytest.mark.django_db
@pytest.mark.parametrize("text", CASES)
def test_python_and_sql_agree(text):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {safe_sql('t')} FROM (SELECT %s::text AS t) x", [text])
        assert cursor.fetchone()[0] == safe([text])[0]


def test_no_cell_begins_a_formula():
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in safe(CASES))
