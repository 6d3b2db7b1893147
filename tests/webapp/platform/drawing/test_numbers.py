"""How numbers are written."""

import pytest

from webapp.platform.drawing.numbers import interval_kind, percent, strict


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (None, "–"),
        (0, "0.0%"),
        (0.00001, "<0.01%"),
        (0.00005, "0.01%"),
        (0.0005, "0.05%"),
        (0.0015, "0.15%"),
        (0.002, "0.2%"),
        (0.042, "4.2%"),
        (0.42, "42%"),
    ],
)
def test_shares(share, said):
    assert percent(share) == said


def test_a_head_of_a_column_names_no_level_that_a_reader_cannot_place():
    assert interval_kind(0.95) == "95% interval" and not strict(0.95)
    assert interval_kind(1 - 0.05 / 60) == "strict interval" and strict(1 - 0.05 / 60)
    assert strict(0.9602)
