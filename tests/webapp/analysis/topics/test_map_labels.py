"""Labels of the map: names first, and numbers where there is room for both."""

import re
from dataclasses import replace

from tests.webapp.topic_links import topic_link
from webapp.analysis.topics import maps
from webapp.analysis.topics.shapes import Circle
from webapp.platform.drawing import charts

HEIGHT = 780
RADIUS = 10.0


def circle(number: int, name: str, x: float) -> Circle:
    link = topic_link(number, name, has_name=True)
    return Circle(
        **vars(link), share=0.1, x=x, y=100.0, r=RADIUS, text=name, chosen=False, place=None
    )


def labels(*circles: Circle) -> list[str]:
    html = charts.map_labels(maps.label_circles(list(circles), HEIGHT))
    return re.findall("<text[^>]*>(.*)</text>", html)


def test_a_name_is_followed_by_its_number():
    apart = [circle(0, "Farming & land", 300.0), circle(1, "Taxes", 700.0)]
    assert labels(*apart) == [
        "Farming &amp; land <tspan>T00</tspan>",
        "Taxes <tspan>T01</tspan>",
    ]


def test_a_crowded_label_keeps_its_name_and_drops_its_number():
    """The second circle begins between the end of the name and where its number would end."""
    name = "Farming & land"
    end_of_name = 300.0 + RADIUS + maps.LABEL_GAP + maps.label_width(name)
    crowded = [circle(0, name, 300.0), circle(1, "Taxes", end_of_name + maps.CLEARANCE + RADIUS)]
    assert labels(*crowded) == ["Farming &amp; land", "Taxes <tspan>T01</tspan>"]


def test_no_label_stands_where_it_might_name_another_circle():
    """“Army” stood in the gap of two circles, as near to either one. It goes to the other side of its
    own, and is left out where each side has a circle."""
    gap_of_army = 2 * maps.LABEL_GAP + maps.label_width("Army")
    next_circle = 500.0 + 2 * RADIUS + gap_of_army
    pair = [circle(0, "Army", 500.0), circle(1, "Navy & ships", next_circle)]
    army, navy = maps.label_circles(pair, HEIGHT)
    assert (army.place.anchor, navy.place.anchor) == ("end", "start")
    around = [
        circle(2, "x" * 50, 500.0 - (next_circle - 500.0)),
        replace(circle(3, "x" * 50, 500.0), y=100.0 - 2 * RADIUS - maps.LINE),
        replace(circle(4, "x" * 50, 500.0), y=100.0 + 2 * RADIUS + maps.LINE),
    ]
    army, *_ = maps.label_circles([*pair, *around], HEIGHT)
    assert army.place is None


def test_no_number_takes_the_room_of_a_name():
    """The second name stands left of its circle, as the map ends right of it, and reaches to where
    the first one's number would be."""
    first_name, second_name = "Farming & land", "Navy & ships"
    first_x = 860.0
    end_of_name = first_x + RADIUS + maps.LABEL_GAP + maps.label_width(first_name)
    start_of_circle = end_of_name + maps.label_width(second_name) + maps.LABEL_GAP + 1
    pair = [circle(0, first_name, first_x), circle(1, second_name, start_of_circle + RADIUS)]
    assert pair[1].x > maps.WIDTH - maps.label_width(second_name)
    assert labels(*pair) == ["Farming &amp; land", "Navy &amp; ships"]
