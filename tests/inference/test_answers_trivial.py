"""What comes again every year, furniture, and a name's own words."""

from datetime import date

import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_matrix

from inference.answers import trivial
from inference.answers.outcome import AmountTable


@pytest.fixture
def days():
    """Two documents a day for three years."""
    first = date(2005, 1, 1).toordinal()
    return np.repeat(first + np.arange(3 * 365), 2)


def month_of(days: np.ndarray) -> np.ndarray:
    return np.array([date.fromordinal(int(day)).month for day in days])


def year_of(days: np.ndarray) -> np.ndarray:
    return np.array([date.fromordinal(int(day)).year for day in days])


def test_a_word_of_every_december_comes_again_and_one_of_a_single_december_does_not(days):
    span = (month_of(days) == 12) & (year_of(days) == 2006)
    christmas = month_of(days) == 12
    flood = span.copy()
    x = np.stack([christmas, flood], axis=1).astype(float)
    again = trivial.comes_again(AmountTable(csr_matrix(x), np.ones(len(days))), days, span)
    assert again.tolist() == [True, False]


def test_the_same_months_are_those_of_other_years(days):
    span = np.isin(month_of(days), [6, 7]) & (year_of(days) == 2006)
    elsewhere = trivial.same_months_elsewhere(days, span)
    naive = [
        date.fromordinal(int(day)).month in (6, 7) and date.fromordinal(int(day)).year != 2006
        for day in days
    ]
    assert elsewhere.tolist() == naive


def test_under_two_years_or_of_a_whole_year_nothing_can_come_again(days):
    x = np.ones((len(days), 1))
    whole_year = year_of(days) == 2006
    assert not trivial.comes_again(
        AmountTable(csr_matrix(x), np.ones(len(days))), days, whole_year
    ).any()
    short = days[: 2 * 400]
    span = month_of(short) == 2
    assert not trivial.comes_again(
        AmountTable(csr_matrix(x[:800]), np.ones(800)), short, span
    ).any()


def test_twice_as_much_as_in_other_years_is_worth_a_sentence(days):
    span = (month_of(days) == 8) & (year_of(days) == 2005)
    august = month_of(days) == 8
    x = np.where(span, 21.0, np.where(august, 10.0, 0.0))[:, None]
    assert not trivial.comes_again(
        AmountTable(csr_matrix(x), np.full(len(days), 100.0)), days, span
    ).any()
    x = np.where(span, 19.0, np.where(august, 10.0, 0.0))[:, None]
    assert trivial.comes_again(
        AmountTable(csr_matrix(x), np.full(len(days), 100.0)), days, span
    ).all()


def test_furniture_is_on_nearly_all_documents_of_a_value_for_a_time():
    values = np.repeat([0, 1, 2], [100, 100, 20])
    days = np.arange(220)
    has = np.zeros((220, 4))
    has[:60, 0] = 1  # a signature of the first value, given up later
    has[::3, 1] = 1  # a word that everybody has
    has[100:200:2, 2] = 1  # a word on half of the second's: its subject
    has[200:, 3] = 1  # of a value with too few documents
    found = trivial.furniture(csc_matrix(has), values, days)
    assert [(each.value, each.word, each.here) for each in found] == [(0, 0, 0.6)]
    assert found[0].elsewhere == 0.0


def test_the_words_of_a_name_and_of_months_tell_nothing():
    words = ["clinton", "budget", "December", "health_care", "bill"]
    telling = trivial.telling_words(words, value="Bill Clinton", months=["december"])
    assert telling == ["budget", "health_care"]


def test_days_without_a_date_are_in_no_month():
    days = np.append(np.zeros(50, int), date(2001, 5, 1).toordinal() + np.arange(900))
    span = np.zeros(950, bool)
    span[60:80] = True
    assert not trivial.same_months_elsewhere(days, span)[:50].any()
