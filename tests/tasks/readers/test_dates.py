"""Dates in the forms that files have them in."""

from datetime import date

import pytest

from tasks.readers import parse_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1790", date(1790, 1, 1)), ("1914-1-3", date(1914, 1, 3)), ("26-FEB-1987", date(1987, 2, 26)), ("3 January 1914", date(1914, 1, 3)),
        ("January 3, 1914", date(1914, 1, 3)), ("2020-05", date(2020, 5, 1)), ("2024-01-14T10:00:00Z", date(2024, 1, 14)),
        ("3. März 1848", date(1848, 3, 3)), ("14.07.1789", date(1789, 7, 14)), ("20200131", date(2020, 1, 31)), ("May 1968", date(1968, 5, 1)),
        ("Thu, 26 Feb 1987 15:01:01 GMT", date(1987, 2, 26)), ("Monday, January 3, 1914", date(1914, 1, 3)), ("le 14 juillet 1789", date(1789, 7, 14)),
        ("2024-01-14 10:00:00.5+01:00", date(2024, 1, 14)), ("26-FEB-1987 15:01:01.79", date(1987, 2, 26)), ("0476", date(476, 1, 1)),
        ("12/3/1999", None), ("1914-02-30", None), ("12345", None), ("-300", None), ("0000", None), ("9999-99-99", None), ("", None), ("yesterday", None), ("1" * 500, None), ("30 Foo 1999", None),
    ],
)  # fmt: skip
def test_dates(text, expected):
    assert parse_date(text) == expected
