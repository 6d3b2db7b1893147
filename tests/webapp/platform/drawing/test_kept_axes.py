"""What is written on the axes of a chart that a notebook keeps."""

import re
from datetime import date

import pytest

from webapp.analysis.findings.periods import name_bins
from webapp.core.notebooks import pictures
from webapp.platform.drawing import kept_axes, kept_chart
from webapp.platform.drawing.pictures import LETTER_WIDTH
from webapp.platform.drawing.tables import KeptTable

NINE_MONTHS = []
for begin in range(12 * 1995 + 3, 12 * 2026, 9):
    ends = [date(month // 12, month % 12 + 1, 1) for month in (begin, begin + 8)]
    NINE_MONTHS.append("–".join(f"{end:%B %Y}" for end in ends))
LETTERS = 60.0


@pytest.mark.parametrize(
    ("largest", "levels"),
    [
        (0.82, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.41, [0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        (0.05, [0, 0.01, 0.02, 0.03, 0.04, 0.05]),
        (0.0007, [0, 0.0002, 0.0004, 0.0006, 0.0008]),
        (1.0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
    ],
)
def test_shares_on_an_axis_are_round(largest, levels):
    """A chart had 82%, 41% and 0.0% at its side."""
    assert kept_axes.levels(largest) == pytest.approx(levels)


def test_without_any_share_the_axis_has_two_levels():
    assert kept_axes.levels(0.0)[0] == 0 and kept_axes.levels(0.0)[-1] > 0


@pytest.mark.parametrize(
    ("labels", "texts"),
    [
        (NINE_MONTHS, ["2000", "2005", "2010", "2015", "2020", "2025"]),
        (["1850s", "1860s", "1870s"], ["1850", "1860", "1870"]),
        (["the 1850s–the 1860s", "the 1870s–the 1880s"], ["1850", "1870"]),
        (["January 2020", "February 2020", "March 2020"], ["Jan 2020", "Feb 2020", "Mar 2020"]),
        (["2020-01", "2020-02"], ["Jan 2020", "Feb 2020"]),
        (["9 March 1945", "10 March 1945"], ["9 Mar 1945", "10 Mar 1945"]),
        (["Whig", "Democratic-Republican"], ["Whig", "Democratic-Re…"]),
        (["1990", "Whig"], ["1990", "Whig"]),
    ],
)
def test_an_axis_has_years_short_dates_or_names_that_fit(labels, texts):
    """“October 200” and “l 1995–December 1995” were cut at the edge of the chart."""
    assert [tick.text for tick in kept_axes.ticks(labels, LETTERS)] == texts


def test_a_year_is_where_it_begins():
    half_years = ["January 2000–June 2000", "July 2000–December 2000", "January 2001–June 2001"]
    more = [*half_years, "July 2001–December 2001", "January 2002–June 2002"]
    assert [tick.position for tick in kept_axes.ticks(more, LETTERS)] == [0, 2, 4]


def test_no_label_of_a_chart_is_cut():
    rows = [[label, 0.41] for label in NINE_MONTHS]
    drawn = kept_chart.draw(["nine months", "War"], rows)
    left, width = (
        float(number) for number in re.search(r'viewBox="(\S+) \S+ (\S+)', drawn).groups()
    )
    labels = re.findall(r'<text x="([\d.]+)" y="\d+" text-anchor="middle" [^>]*>([^<]+)', drawn)
    assert len(labels) > 3
    for x, text in labels:
        half = kept_chart.LETTER_UNITS * len(text) / 2
        assert left <= float(x) - half and float(x) + half <= left + width
    picture = pictures.picture_of(KeptTable(rows, ["nine months", "War"]))
    for text in picture.texts:
        if text.anchor == "middle":
            half = LETTER_WIDTH * text.size * len(text.text) / 2
            assert 0 <= text.at[0] - half and text.at[0] + half <= picture.width
    sides = [text.text for text in picture.texts if text.text.endswith("%")]
    assert sides == ["0%", "10%", "20%", "30%", "40%", "50%"]


def test_the_page_draws_the_axis_that_the_server_wrote():
    """The page's own labels were “December 1…”, slanted and cut: no year could be read."""
    half_years = [
        f"{months.format(year)}"
        for year in range(1996, 2020)
        for months in ("January {0}–June {0}", "July {0}–December {0}")
    ]
    drawn = kept_chart.draw(["half-year", "War"], [[label, 0.41] for label in half_years])
    written = re.findall(r'data-position="([\d.]+)">([^<]+)', drawn)
    assert ("8", "2000") in written
    assert all(int(year) == 1996 + float(position) / 2 for position, year in written)
    assert len(written) > 3


@pytest.mark.parametrize(
    ("length", "first_bin", "name"),
    [
        ("quarter", "April 1995–December 1995", "nine months"),
        ("quarter", "January 1995–March 1995", "quarter"),
        ("quarter", "January 1995–December 1995", "year"),
        ("month", "March 1945", "month"),
        ("year", "1790–1793", "four years"),
        ("year", "1790", "year"),
        ("decade", "the 1790s–the 1800s", "20 years"),
        ("week", "5 March 1945–11 March 1945", "week"),
        ("day", "5 March 1945–7 March 1945", "three days"),
    ],
)
def test_a_table_says_how_long_its_periods_are(length, first_bin, name):
    """The head was “quarter” over rows of nine months."""
    assert name_bins(length, [first_bin]) == name
