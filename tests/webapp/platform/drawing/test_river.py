"""The river: names stand in their own bands and never over each other; curves rise and fall only
where the shares do; bins have enough words."""

import re
from datetime import date
from types import SimpleNamespace

import numpy as np
import pytest

from inference.explore import change
from webapp.analysis.findings import families_by_group, river as bins
from webapp.platform.drawing import curves
from webapp.platform.drawing.river import (
    HEIGHT,
    WIDTH,
    RiverPicture,
    Space,
    Stream,
    TopicBand,
    WordSpan,
    smooth_stream,
)

NAMES = ["Navy & ships", "Health care & Social Security", "Tariff", "Supreme Court & cases", ""]


def streams(chance: np.random.Generator, n: int) -> list[Stream]:
    shares = chance.dirichlet(np.full(16, 0.6), n).T[:15]
    return [
        Stream(
            f"Family {f} & others",
            f"/{f}",
            f,
            0.2,
            [
                TopicBand(NAMES[i], f"T{f}{i}", f"/{f}/{i}", 0.01, shares[5 * f + i])
                for i in range(5)
            ],
        )
        for f in range(3)
    ]


@pytest.mark.parametrize(("bins", "is_smoothed"), [(8, False), (40, True)])
def test_few_bins_have_the_shares_that_sentences_say(bins, is_smoothed):
    """Of eight bins in thirty years the picture showed 31%, and the sentence above it said 42%."""
    shares = np.zeros(bins)
    shares[bins // 2] = 0.8
    stream = Stream("Navy", "/", 1, 0.2, [TopicBand("Navy", "T1", "/1", 0.2, shares)])
    drawn_peak = smooth_stream(stream).shares.max()
    assert (drawn_peak < 0.8) == is_smoothed


@pytest.mark.parametrize("seed", range(6))
def test_names_never_stand_over_each_other(seed):
    chance = np.random.default_rng(seed)
    n = int(chance.integers(8, 50))
    drawn = RiverPicture(
        streams(chance, n), np.zeros(n), list(range(1900, 1900 + n)), 1900 + n, []
    ).draw()
    texts = re.findall(
        r'<text x="(\d+)" y="(\d+)" class="(family|topic)-name" font-size="([\d.]+)">([^<]*)<',
        drawn,
    )
    assert texts
    boxes = []
    for x, y, kind, size, words in texts:
        width = curves.text_width(words.replace("&amp;", "&"), float(size), kind == "family")
        boxes.append((float(x), float(y), width, float(size), words))
        assert width / 2 <= float(x) + 1 and float(x) + width / 2 <= WIDTH + 1
        assert 0 <= float(y) <= HEIGHT
    for i, (x, y, width, size, words) in enumerate(boxes):
        # Never shortened
        assert words.replace("&amp;", "&").strip(" &") in " ".join(
            [*NAMES, "Family 0 & others", "Family 1 & others", "Family 2 & others"]
        )
        for other_x, other_y, other_width, other_size, _ in boxes[:i]:
            apart = abs(x - other_x) >= (width + other_width) / 2 - 1
            assert apart or abs(y - other_y) >= 0.9 * min(size, other_size)


def test_times_with_few_words_are_pale():
    n = 10
    few_words = [True, True] + [False] * (n - 2)
    picture = RiverPicture(
        streams(np.random.default_rng(0), n),
        np.zeros(n),
        list(range(1900, 1900 + n)),
        1900 + n,
        [],
        few_words=few_words,
    )
    veils = re.findall(r'<rect class="few" x="([\d.]+)" width="([\d.]+)"', picture.draw())
    assert [float(x) for x, _ in veils] == [0, WIDTH / n]
    assert {float(width) for _, width in veils} == {WIDTH / n}


def test_no_name_stands_where_a_time_is_pale():
    """Its letters are white. The family and its topic are widest in the last years, which are
    pale."""
    n = 20
    few_words = [False] * (n - 6) + [True] * 6
    widening = np.linspace(0.3, 0.9, n)
    bands = [
        TopicBand("Energy", "T00", "/0/0", 0.3, widening / 2),
        TopicBand("Schools", "T01", "/0/1", 0.3, widening / 2),
    ]
    stream = Stream("Law & order", "/0", 0, 0.6, bands)
    years = list(range(1900, 1900 + n))
    picture = RiverPicture([stream], 1 - widening, years, 1900 + n, [], few_words=few_words)
    names = re.findall(
        r'<text x="(\d+)" y="\d+" class="(family|topic)-name" font-size="([\d.]+)">([^<]*)<',
        picture.draw(),
    )
    assert {words for *_, words in names} == {"Law &amp; order", "Energy", "Schools"}
    first_pale = WIDTH * (n - 6) / n
    for x, kind, size, words in names:
        width = curves.text_width(words.replace("&amp;", "&"), float(size), kind == "family")
        assert float(x) + width / 2 <= first_pale, words


def test_no_name_touches_the_bar_that_shows_the_scale():
    n = 12
    # most room for the name of what is in no family is at the left, where the bar is
    rest = np.linspace(0.25, 0.12, n)
    stream = Stream("Law & order", "/0", 0, 0.8, [TopicBand("", "T00", "/0/0", 0.8, 1 - rest)])
    drawn = RiverPicture([stream], rest, list(range(1900, 1900 + n)), 1900 + n, []).draw()
    x, y = re.search(r'<text x="(\d+)" y="(\d+)" class="general-name"', drawn).groups()
    foot, top = re.search(r'd="M9 (\d+)h-4V(\d+)h4" class="scale[^"]*"', drawn).groups()
    width = curves.text_width("General talk", 12)
    beside = float(x) - width / 2 > 13 + curves.text_width("10% of the words", 11.5)
    assert beside or float(y) + 6 < float(top) - 3 or float(y) - 6 > float(foot) + 3


def test_bins_have_the_words_of_every_topic_however_many_there_are(monkeypatch):
    years, topics = 20, 2_000
    tokens = np.random.default_rng(0).integers(1, 9, (years, topics))
    first_day = date(1900, 1, 1)
    groups = SimpleNamespace(
        starts=[first_day.replace(year=1900 + i).toordinal() for i in range(years + 1)],
        labels=[str(1900 + i) for i in range(years)],
    )
    by_year = SimpleNamespace(groups=groups, topic_tokens=tokens, all_tokens=tokens.sum(axis=1))
    monkeypatch.setattr(bins.sums, "of_selection", lambda selection, by: by_year)
    over_time = bins.river(None, "year")
    assert np.array([topic.tokens for topic in over_time.topics]).sum(axis=0).tolist() == (
        over_time.totals
    )
    assert sum(over_time.totals) == tokens.sum()


@pytest.mark.parametrize("general_talk", [0.5, 0.0, 0.05])
def test_the_scale_has_an_edge_whatever_it_stands_on(general_talk):
    n = 12
    rest = np.full(n, general_talk)
    stream = Stream("Law & order", "/0", 0, 0.8, [TopicBand("", "T00", "/0/0", 0.8, 1 - rest)])
    drawn = RiverPicture([stream], rest, list(range(1900, 1900 + n)), 1900 + n, []).draw()
    assert drawn.index('class="scale-edge"') < drawn.index('class="scale"')
    assert 'class="scale-says"' in drawn and "on-family" not in drawn


def test_a_text_fits_between_its_lines_or_nowhere():
    xs = np.linspace(0, WIDTH, 20)
    top = np.full(20, 100.0)
    bottom = np.full(20, 130.0)
    space = Space(xs, top, bottom)
    clearance, text = space.fit(top, bottom, ("Navy",), 12, bold=False)
    assert text.y - text.height / 2 >= 100 and text.y + text.height / 2 <= 130
    assert clearance == pytest.approx(30 - text.height)
    assert space.fit(top, top + 8, ("Navy",), 12, bold=False) is None
    assert space.fit(top, bottom, ("n" * 400,), 12, bold=False) is None


def places(path: str) -> list[tuple[float, float]]:
    """Of a path of steps: its first point, then both control points and the end of each step."""
    first, _, steps = path.partition("c")
    number = r"-?(?:\d+\.?\d*|\.\d+)"
    x, y = (float(part) for part in re.findall(number, first))
    out = [(x, y)]
    numbers = [float(part) for part in re.findall(number, steps)]
    assert len(numbers) % 6 == 0
    for i in range(0, len(numbers), 6):
        out += [(x + numbers[j], y + numbers[j + 1]) for j in range(i, i + 6, 2)]
        x, y = out[-1]
    return out


def test_a_curve_goes_through_its_points_and_no_higher():
    xs = [0.0, 1.0, 2.0, 3.0]
    ys = [0.0, 5.0, 5.0, 1.0]
    drawn = places(curves.curve(xs, ys))
    assert np.allclose(drawn[::3], np.column_stack([xs, ys]))
    heights = [y for _, y in drawn]
    assert max(heights) == pytest.approx(5) and min(heights) == pytest.approx(0)


@pytest.mark.parametrize("seed", range(5))
def test_steps_of_a_long_curve_add_up(seed):
    chance = np.random.default_rng(seed)
    xs = np.sort(chance.uniform(0, 900, 60))
    ys = chance.uniform(-5, 400, 60)
    xs += np.arange(60)  # apart
    drawn = places(curves.curve(xs, ys))[::3]
    assert np.allclose(drawn, np.column_stack([xs, ys]), atol=0.051)


def test_words_under_the_axis_are_links_in_lanes_of_their_own():
    chance = np.random.default_rng(1)
    words = [WordSpan(f"word{i}", f"/{i}", 0, 1900, 1905, "says <b>") for i in range(5)]
    drawn = RiverPicture(
        streams(chance, 20), np.zeros(20), list(range(1900, 1920)), 1920, words
    ).draw()
    assert drawn.count('class="word t0"') == 3  # as many as there are lanes
    assert "says &lt;b&gt;" in drawn and "<b>" not in drawn


@pytest.mark.parametrize("seed", range(5))
def test_bins_have_enough_words_or_are_few(seed):
    chance = np.random.default_rng(seed)
    totals = chance.integers(0, 900, int(chance.integers(8, 400))).astype(float)
    edges = bins.edges_of_bins(totals)
    assert edges[0] == 0 and edges[-1] == len(totals) and edges == sorted(set(edges))
    words = [totals[a:b].sum() for a, b in zip(edges, edges[1:], strict=False)]
    assert sum(words) == totals.sum() and len(words) <= bins.BINS + 1
    length = edges[1]
    enough = np.mean([w >= bins.BIN_WORDS for w in words]) >= bins.OF_BINS - 0.1
    assert enough or len(totals) // (length + 1) < bins.FEWEST_RIVER_BINS


def test_information_is_that_of_a_slow_twin():
    """What chooses the field whose groups the picture shows: of all topics together."""
    tokens = np.array([[8.0, 2.0], [1.0, 9.0]])
    total = tokens.sum()
    slow = 0.0
    for row in tokens:
        for k, x in enumerate(row):
            apart = row.sum() * tokens[:, k].sum() / total**2
            slow += x / total * np.log(x / total / apart)
    assert change.information(tokens).sum() == pytest.approx(slow)
    assert change.information(np.ones((2, 2))).sum() == pytest.approx(0)


def test_alike_groups_stand_beside_each_other():
    shares = np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1], [0.1, 0.9]])
    order = families_by_group.alike(shares)
    assert sorted(order) == [0, 1, 2, 3]
    assert {frozenset(order[:2]), frozenset(order[2:])} == {frozenset({0, 2}), frozenset({1, 3})}
