"""Labels under the charts of time."""

from types import SimpleNamespace

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


def draw_decades(first: int, last: int, marks: object = "") -> dict:
    """The small chart of a topic that has the same share in each decade of these."""
    years = range(first, last + 1, 10)
    bins = [SimpleNamespace(label=f"{year}s", thin=False, tokens=100) for year in years]
    page = SimpleNamespace(by="decade", in_time=True, bins=bins)
    shares = [0.1] * len(bins)
    unknown = [None] * len(bins)
    topic = SimpleNamespace(
        share=shares, low=unknown, high=unknown, overall=0.1, with_label="Trade (T01)"
    )
    return trends.trend(page, topic, 0.2, marks=marks)


def test_tinted_years_begin_and_end_where_the_axis_writes_them():
    marks = SimpleNamespace(window=(1850, 1900), levels=[(1790, 2020, 0.1), (1850, 1900, 0.2)])
    drawn = draw_decades(1790, 2020, marks)
    places = {tick["text"]: tick["x"] for tick in drawn["ticks"]}
    tinted = drawn["window"]
    assert tinted["x"] == pytest.approx(places["1850"])
    assert tinted["x"] + tinted["width"] == pytest.approx(places["1900"])


def test_a_year_of_the_axis_that_has_room_is_written_at_its_place():
    """Of 1790 to 2020 the first label, 1800, is no further from the edge than a decade."""
    ticks = draw_decades(1790, 2020)["ticks"]
    assert [(tick["text"], tick["anchor"]) for tick in ticks][0] == ("1800", "middle")


def test_a_year_at_the_edge_of_the_axis_does_not_leave_the_chart():
    drawn = draw_decades(1800, 2000)
    assert (drawn["ticks"][0]["text"], drawn["ticks"][0]["anchor"]) == ("1800", "start")
