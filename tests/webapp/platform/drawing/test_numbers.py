"""How numbers are written."""

import pytest

from webapp.platform.drawing.numbers import percent


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
