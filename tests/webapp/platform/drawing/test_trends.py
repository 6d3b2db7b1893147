"""Labels under the charts of time."""

import pytest

from webapp.platform.drawing import trends

MONTHS = 12


@pytest.mark.parametrize(
    ("label", "year", "month"),
    [("1850-03", 1850, 3), ("44-03", 44, 3), ("0044-03", 44, 3), ("-44-12", -44, 12)],
)
def test_months_of_any_year_have_their_place(label, year, month):
    assert trends.number_of_bin("month", label) == year * MONTHS + month - 1


@pytest.mark.parametrize(("label", "said"), [("1850-01", "1850"), ("-44-01", "-44")])
def test_of_january_only_the_year_is_said(label, said):
    number = trends.number_of_bin("month", label)
    assert trends.tick_label("month", label, number) == said


@pytest.mark.parametrize(
    ("difference", "said"),
    [
        (0.0003, "+0.03"),
        (-0.0004, "−0.04"),
        (0.0006, "+0.1"),
        (0.0, "+0.0"),
        (0.02, "+2.0"),
        (-0.2, "−20"),
    ],
)
def test_a_difference_is_not_rounded_to_nothing(difference, said):
    assert trends.points(difference) == said
