"""The treemap: areas are the shares, none lies over another, and names stay in their tiles."""

import re

import numpy as np
import pytest

from webapp.platform.drawing.curves import text_width
from webapp.platform.drawing.treemap import (
    HEIGHT,
    WIDTH,
    Branch,
    Leaf,
    Rectangle,
    squarify,
    treemap,
    wrapped,
)

RECT = r'<rect class="(\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/>'


@pytest.mark.parametrize("seed", range(6))
def test_areas_are_in_proportion_and_fill_the_box_without_overlap(seed):
    chance = np.random.default_rng(seed)
    sizes = np.sort(chance.dirichlet(np.full(12, 0.5)))[::-1]
    box = Rectangle(10, 20, 300, 170)
    boxes = squarify(sizes.tolist(), box)
    areas = [tile.width * tile.height for tile in boxes]
    assert areas == pytest.approx((sizes * 300 * 170).tolist())
    for i, tile in enumerate(boxes):
        assert tile.x >= 10 - 1e-6 and tile.x + tile.width <= 310 + 1e-6
        assert tile.y >= 20 - 1e-6 and tile.y + tile.height <= 190 + 1e-6
        for other in boxes[:i]:
            across = min(tile.x + tile.width, other.x + other.width) - max(tile.x, other.x)
            down = min(tile.y + tile.height, other.y + other.height) - max(tile.y, other.y)
            assert min(across, down) < 1e-6


def test_the_example_of_the_paper():
    """Bruls, Huizing and van Wijk: 6, 6, 4, 3, 2, 2, 1 in a box of 6 by 4; the first two stand one
    above the other, 3 wide and 2 high."""
    boxes = squarify([6, 6, 4, 3, 2, 2, 1], Rectangle(0, 0, 6, 4))
    assert boxes[0] == pytest.approx((0, 0, 3, 2)) and boxes[1] == pytest.approx((0, 2, 3, 2))
    assert boxes[2] == pytest.approx((3, 0, 12 / 7, 7 / 3))


def test_nothing_fills_nothing():
    assert (
        squarify([0.0, 0.0], Rectangle(0, 0, 5, 5)) == []
        and squarify([], Rectangle(0, 0, 5, 5)) == []
    )


def test_a_size_of_zero_has_no_area():
    boxes = squarify([3.0, 1.0, 0.0], Rectangle(0, 0, 4, 4))
    assert [tile.width * tile.height for tile in boxes] == pytest.approx([12, 4, 0])


def test_names_are_whole_and_within_their_tiles():
    names = ["Navy & ships", "Health care & Social Security", "Tariff <b>"]
    leaves = [Leaf(name, f"T{i}", f"/{i}", 0.2 - 0.05 * i) for i, name in enumerate(names)]
    leaves.append(Leaf("", "T9", "/9", 0.05))
    drawn = treemap([Branch("War & peace", "/war", 3, 0.5, leaves)], 0.2, leaves[:1])
    rects = re.findall(RECT, drawn)
    assert [kind for kind, *_ in rects] == ["family", *["tile"] * 4, "general"]
    assert all(float(x) + float(width) <= WIDTH for _, x, _, width, _ in rects)
    assert all(float(y) + float(height) <= HEIGHT for _, _, y, _, height in rects)
    assert "<b>" not in drawn and drawn.count("<a ") == 6
    said = re.findall(r'<text class="topic-name"[^>]*>([^<]*)<', drawn)
    said = [line.replace("\N{NO-BREAK SPACE}", " ") for line in said]
    assert " ".join(said) == ("Navy &amp; ships Health care &amp; Social Security Tariff &lt;b&gt;")


def test_a_name_is_broken_between_words_or_left_out():
    lines = wrapped("Health care & Social Security", 90, 12)
    assert lines == ["Health care\N{NO-BREAK SPACE}&", "Social Security"]
    assert all(text_width(line, 12) <= 90 for line in lines)
    assert wrapped("Incomprehensibilities", 40, 12) == []
