"""Lines over time: a period of too few documents is no peak, has no dot, and scales no other."""

import re
from types import SimpleNamespace

from inference.explore import bands
from webapp.platform.drawing import charts
from webapp.platform.drawing.lines import EDGE_UNITS

SHARES = [0.06, 0.02, 0.62]
FEW = bands.THIN - 1


def period(i: int, share: float, documents: int) -> SimpleNamespace:
    return SimpleNamespace(
        label=str(2015 + i),
        url="/",
        share=share,
        tokens=10,
        documents=documents,
        of_documents=documents,
    )


def periods(*documents: int) -> list[SimpleNamespace]:
    return [
        period(i, share, number)
        for i, (share, number) in enumerate(zip(SHARES, documents, strict=True))
    ]


def dot(svg: str) -> tuple[float, float]:
    x, y = re.search(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg).groups()
    return float(x), float(y)


def test_the_dot_of_a_small_line_is_at_the_peak_of_periods_with_enough_documents():
    svg = charts.spark(SHARES, 1, [True, True, False])
    assert dot(svg) == (EDGE_UNITS, EDGE_UNITS)  # the first period, at the top
    assert dot(charts.spark(SHARES, 1, [True, True, True]))[0] > EDGE_UNITS


def test_a_small_line_has_all_periods_where_none_has_enough_documents():
    assert charts.spark(SHARES, 1, [False] * 3) == charts.spark(SHARES, 1, [True] * 3)


def test_the_chart_of_a_topic_names_no_thin_period_as_its_peak():
    topic = SimpleNamespace(hue=1, number=0)
    drawn = charts.time_chart(periods(bands.THIN, 50, FEW), topic)
    assert (drawn["most"], drawn["peak_at"]) == (0.06, "2015") and drawn["leaves_out"]
    drawn = charts.time_chart(periods(bands.THIN, 50, bands.THIN), topic)
    assert (drawn["most"], drawn["peak_at"]) == (0.62, "2017") and not drawn["leaves_out"]
    assert charts.time_chart(periods(FEW, FEW, FEW), topic)["peak_at"] == "2017"


def test_the_small_chart_of_a_topic_names_no_thin_period_as_its_peak():
    topic = SimpleNamespace(
        hue=1, number=0, values=SimpleNamespace(shares=SHARES, tokens=[600, 20, 6])
    )
    time = SimpleNamespace(
        in_time=True,
        labels=["2015", "2016", "2017"],
        bins=periods(50, 50, FEW),
        most=SimpleNamespace(shares=0.06, tokens=600),
    )
    drawn = charts.multiple(topic, time, "shares", True)
    assert (drawn["peak"], drawn["peak_at"]) == ("6.0%", "2015")
    assert charts.multiple(topic, time, "tokens", True)["peak_at"] == "2015"
