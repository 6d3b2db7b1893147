"""Columns of time that are few enough, whatever dates a corpus has."""

from datetime import date

import numpy as np
import pytest

from webapp.analysis.topics import word_columns
from webapp.core.documents import days as parsed


def divided(*days: date) -> word_columns.Columns:
    ordinals = np.array([day.toordinal() for day in days])
    return word_columns.divide(ordinals, np.ones(len(ordinals), bool))


@pytest.mark.parametrize(
    ("first", "last", "labels"),
    [
        (date(1900, 1, 1), date(1911, 1, 1), ["1900", "1911"]),
        (date(1790, 1, 1), date(2010, 1, 1), ["1780–1799", "2000–2019"]),
        (date(1790, 1, 1), date(1905, 1, 1), ["1790s", "1900s"]),
        (date(2001, 3, 5), date(2001, 3, 9), ["5 March 2001", "9 March 2001"]),
        (
            date(2001, 3, 5),
            date(2001, 4, 20),
            ["5 March 2001 – 11 March 2001", "16 April 2001 – 22 April 2001"],
        ),
        (date(2001, 3, 5), date(2002, 4, 20), ["March 2001", "April 2002"]),
        (date(1, 1, 1), date(2010, 1, 1), ["0001–0199", "2000–2199"]),
    ],
)
def test_the_narrowest_columns_that_are_few_enough(first, last, labels):
    columns = divided(first, last)
    assert [columns.labels[0], columns.labels[-1]] == labels
    assert len(columns.labels) <= word_columns.MOST_COLUMNS
    assert columns.group.tolist() == [0, len(columns.labels) - 1]


def test_the_ends_of_a_column_hold_all_its_days():
    chance = np.random.default_rng(1)
    for span in (5, 60, 400, 4000, 40_000, 700_000):
        days = chance.integers(1, span, 200) + 1000
        columns = word_columns.divide(days, days > 0)
        for day, group in zip(days.tolist(), columns.group.tolist(), strict=True):
            first, last = columns.ends[group]
            begin = parsed.ordinal(first, "from", last=False)
            assert begin <= day <= parsed.ordinal(last, "to", last=True)


def test_documents_that_do_not_count_are_in_no_column():
    days = np.array([0, date(1900, 1, 1).toordinal(), date(1950, 1, 1).toordinal()])
    columns = word_columns.divide(days, np.array([False, True, False]))
    assert columns.group.tolist() == [-1, 0, -1]
