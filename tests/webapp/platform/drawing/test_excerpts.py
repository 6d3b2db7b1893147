"""Beginnings of texts end at a word, with an ellipsis."""

import pytest

from webapp.platform.drawing.excerpts import cut_at_word


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("The Union is at peace.", 100, "The Union is at peace."),
        ("The Union is at peace", 6, "The …"),
        ("The Union is at peace", 10, "The Union …"),
        ("The Union", 9, "The …"),  # whether a document goes on is not known
        ("", 10, ""),
        ("共和国的和平", 3, "共和国 …"),
    ],
)
def test_a_beginning_ends_at_a_word(text, most, shown):
    assert cut_at_word(text, most) == shown
