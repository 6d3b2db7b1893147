"""Periods: the finest that are not too many."""

from datetime import date, timedelta

import numpy as np
import pytest

from inference.answers import periods

FIRST = date(2001, 1, 3)


def ordinals(dates: list[date]) -> np.ndarray:
    return np.array([day.toordinal() for day in dates])


def naive_number(day: date, length: str) -> tuple:
    year = day.year
    return {
        "day": (day,),
        "week": day.isocalendar()[:2],
        "month": (year, day.month),
        "quarter": (year, (day.month - 1) // 3),
        "half-year": (year, (day.month - 1) // 6),
        "year": (year,),
        "decade": (year // 10,),
    }[length]


@pytest.mark.parametrize("length", periods.LENGTHS)
def test_days_of_one_period_have_one_number_and_periods_follow_one_another(length):
    dates = [date(1958, 11, 20) + timedelta(days) for days in range(0, 9_000, 3)]
    numbers = periods.numbers_of(ordinals(dates), length)
    naive = [naive_number(day, length) for day in dates]
    order = {key: place for place, key in enumerate(sorted(set(naive)))}
    if length != "day":  # every third is there
        assert (numbers - numbers[0]).tolist() == [order[key] for key in naive]
    assert len(np.unique(numbers)) == len(set(naive))


@pytest.mark.parametrize(
    ("days", "step", "expected"),
    [
        (300, 1, "day"),
        (301, 1, "week"),
        (310, 5, "week"),
        (301, 8, "month"),
        (301, 40, "quarter"),
        (301, 100, "half-year"),
        (301, 200, "year"),
        (301, 400, "decade"),
    ],
)
def test_the_finest_length_has_at_most_so_many_periods_with_documents(days, step, expected):
    dates = [FIRST + timedelta(step * i) for i in range(days)]
    counts = {
        length: len({naive_number(day, length) for day in dates}) for length in periods.LENGTHS
    }
    fine = [length for length, count in counts.items() if count <= periods.MOST_PERIODS]
    assert periods.finest_length(np.append(ordinals(dates), 0)) == fine[0] == expected


def test_dates_that_say_no_more_than_a_year_or_a_month_are_not_told_finer():
    years = ordinals([date(year, 1, 1) for year in range(1990, 2017)])
    assert periods.finest_length(years) == "year"
    months = ordinals([date(2000 + i // 12, i % 12 + 1, 1) for i in range(60)])
    assert periods.finest_length(months) == "month"
    centuries = ordinals([date(year, 1, 1) for year in range(1500, 2000)])
    assert periods.finest_length(centuries) == "decade"


def test_where_even_decades_are_too_many_it_is_decades():
    assert periods.finest_length(np.arange(1, 700_000, 3_000), most_periods=10) == "decade"
