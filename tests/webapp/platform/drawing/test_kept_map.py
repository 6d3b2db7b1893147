"""The map that a notebook draws of places that it kept, whatever was sent as such."""

import pytest

from webapp.platform.drawing import kept_map


@pytest.mark.parametrize(
    "places",
    [
        [(0.4, 0.1), (0.41, 0.6)],  # nearly above each other
        [(0.4, 0.1), (0.4001, 0.6)],
        [(0.0, 0.0), (5e-324, 1.0)],
        [(0.0, 0.0), (0.0, 5e-324)],
        [(0.2, 0.3)],
        [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0)],
    ],
)
def test_no_map_is_higher_than_wide(places):
    rows = [[f"Topic {i}", 0.01, left, top] for i, (left, top) in enumerate(places)]
    read = kept_map.read_map(rows, [], 0.01)
    assert 0 < read.height <= 1 + 1e-9
    for circle in read.circles:
        assert 0 <= circle.x <= 1 and 0 <= circle.y <= read.height
    height = int(kept_map.draw(rows, []).split('viewBox="0 0 720 ')[1].split('"')[0])
    assert 0 < height <= 720


def test_distances_have_one_scale_on_both_sides():
    rows = [["A", 0.1, 0.1, 0.1], ["B", 0.1, 0.2, 0.1], ["C", 0.1, 0.1, 0.5]]
    a, b, c = kept_map.read_map(rows, [], 0.01).circles
    assert c.y - a.y == pytest.approx(4 * (b.x - a.x))
    assert a.x + b.x == pytest.approx(1), "what is narrow stands in the middle"


def test_a_name_does_not_stand_between_two_circles():
    """It has just the room right of its own, where it would be as near to the next one."""
    letter_size = 0.02
    rows = [["Army", 0.1, 0.0, 0.5], ["Navy", 0.1, 0.121, 0.5], ["Tax", 0.1, 1.0, 0.7]]
    drawn = kept_map.read_map(rows, [], letter_size)
    army, navy, _ = drawn.circles
    width = kept_map.LETTER * letter_size * len("Army")
    gap = kept_map.GAP * letter_size
    assert width + 2 * gap <= navy.x - army.x - army.radius - navy.radius < width + 3 * gap
    _, (x, y) = drawn.names[0]
    assert x == army.x and y > army.y + army.radius
