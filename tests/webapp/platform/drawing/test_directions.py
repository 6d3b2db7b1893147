"""Names that are written from right to left, in pictures."""

from webapp.platform.drawing.directions import isolated
from webapp.platform.drawing.treemap import Branch, Leaf, treemap

ARABIC = "قوله & الماء"


def test_only_names_from_right_to_left_are_isolated():
    assert isolated("Navy & ships") == "Navy & ships"
    assert isolated("海軍") == "海軍"
    assert isolated(ARABIC) == f"\u2068{ARABIC}\u2069"


def test_the_share_of_a_family_stands_behind_its_name():
    leaf = Leaf("الماء", "T00", "/t0", 0.4)
    drawn = str(treemap([Branch(ARABIC, "/f", 1, 0.4, [leaf])], 0.6, []))
    assert f'\u2068{ARABIC.replace("&", "&amp;")}\u2069<tspan class="share"> 40%' in drawn
