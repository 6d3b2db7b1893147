"""Labels take the first of their places that is free, and never lie over each other."""

from webapp.platform.drawing.label_boxes import Box, LabelBoxes

LEFT = Box(0, 0, 10, 10)
RIGHT = Box(10, 0, 20, 10)
BETWEEN = Box(5, 0, 15, 10)


def test_boxes_that_share_an_edge_do_not_cross():
    assert not LEFT.crosses(RIGHT) and LEFT.crosses(BETWEEN) and BETWEEN.crosses(RIGHT)


def test_a_label_takes_the_first_place_that_is_free():
    labels = LabelBoxes(lambda box: True)
    assert labels.take_first([LEFT, RIGHT]) == 0
    assert labels.take_first([LEFT, BETWEEN, RIGHT]) == 2
    assert labels.take_first([LEFT, BETWEEN, RIGHT]) is None


def test_a_label_stands_neither_where_it_may_not_nor_where_something_is():
    labels = LabelBoxes(lambda box: box.right <= 10, [LEFT])
    assert labels.take_first([LEFT, RIGHT]) is None
