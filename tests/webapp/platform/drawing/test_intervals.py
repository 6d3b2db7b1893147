"""Intervals of all rows lie on one axis, in percentage points, and what reaches beyond it says
so."""

from types import SimpleNamespace

import pytest

from webapp.platform.drawing import intervals


def row(difference, low, high):
    return SimpleNamespace(difference=difference, difference_low=low, difference_high=high)


def number(length: str) -> float:
    return float(length.removesuffix("%"))


ROWS = [row(0.029, 0.022, 0.036), row(-0.011, -0.02, -0.002), row(0.001, -0.004, 0.006)]


def test_the_axis_is_symmetric_and_holds_all_rows():
    axis = intervals.axis_of(ROWS)
    labels = [tick.label for tick in axis.ticks]
    assert labels == ["−4", "−2", "0", "+2", "+4"]
    places = [number(tick.x) for tick in axis.ticks]
    assert places == sorted(places) and axis.zero == "50.00%"
    assert places[0] == pytest.approx(100 - places[-1])
    for one in ROWS:
        drawn = intervals.on_axis(one, axis)
        assert not drawn.before and not drawn.beyond
        assert number(drawn.start) <= number(drawn.x)
        assert number(drawn.x) <= number(drawn.start) + number(drawn.width)
    assert (
        number(intervals.on_axis(ROWS[0], axis).x) > 50 > number(intervals.on_axis(ROWS[1], axis).x)
    )


def test_an_interval_that_says_nothing_does_not_stretch_the_axis():
    axis = intervals.axis_of([*ROWS, row(0.01, -0.99, 0.06)])
    assert axis.reach < 0.15
    drawn = intervals.on_axis(row(0.01, -0.99, 0.06), axis)
    assert drawn.before and not drawn.beyond
    assert intervals.ends_said(row(0.01, -0.99, 0.06)) == "not known"
    assert intervals.ends_said(ROWS[0]) == "+2.2 to +3.6"


@pytest.mark.parametrize("size", [1e-6, 0.0004, 0.003, 0.07, 0.4, 1.0])
def test_few_ticks_at_round_numbers(size):
    axis = intervals.axis_of([row(size, size / 2, size * 1.5)])
    assert 3 <= len(axis.ticks) <= 9 and axis.reach >= size * 1.5 * (1 - 1e-9)


def test_nothing_known():
    axis = intervals.axis_of([row(None, None, None)])
    assert axis.ticks and intervals.on_axis(row(None, None, None), axis) is None
    assert intervals.on_axis(SimpleNamespace(difference=0.1, low=None, high=None), axis).width == ""


def test_the_axis_is_as_long_as_intervals_are_where_all_are_wide():
    """A difference of +0.1 points, −0.9 to +1.2, had an axis of ±0.4."""
    wide = [row(0.001, -0.009, 0.012), row(0.0015, -0.008, 0.01)]
    for rows in (wide[:1], wide):
        axis = intervals.axis_of(rows)
        assert axis.reach >= 0.012
        assert not any(intervals.on_axis(wide_row, axis).beyond for wide_row in rows)
