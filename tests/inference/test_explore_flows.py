"""Tokens that topics of two trainings share, and which topics stay, are parts, or are spread."""

import numpy as np
import pytest

from inference.errors import Invalid
from inference.explore import flows


def counted(block: int | None = None, monkeypatch=None):
    chance = np.random.default_rng(67)
    fine = chance.integers(0, 7, 500).astype(np.uint16)
    coarse = chance.integers(0, 3, 500).astype(np.uint16)
    counts = chance.integers(1, 9, 500).astype(np.int32)
    return fine, coarse, counts, flows.count(fine, coarse, counts, 8, 4)


def test_every_token_is_counted_once(monkeypatch):
    fine, coarse, counts, whole = counted()
    table = np.zeros((8, 4), np.int64)
    for k, j, n in zip(fine, coarse, counts, strict=True):
        table[k, j] += n
    assert np.array_equal(whole.of_fine, table.sum(axis=1))
    assert np.array_equal(whole.of_coarse, table.sum(axis=0))
    assert [(k, j, n) for k, j, n in zip(*whole[:3], strict=True)] == [
        (k, j, table[k, j]) for k, j in np.argwhere(table)
    ]
    monkeypatch.setattr(flows, "BLOCK", 64)
    for one, other in zip(counted()[3], whole, strict=True):
        assert np.array_equal(one, other)


def test_topics_stay_or_are_parts_or_are_spread():
    """Fine 0 is coarse 0; 1 and 2 are parts of 1; 3 is spread over both; 4 has no tokens."""
    table = np.array([[80, 5], [10, 60], [0, 40], [50, 50], [0, 0]])
    fine, coarse = np.nonzero(table)
    shared = flows.count(
        fine.astype(np.uint16), coarse.astype(np.uint16), table[fine, coarse], 5, 2
    )
    found = flows.descent(shared)
    assert found.parent.tolist() == [0, 1, 1, 0, -1]
    assert found.part[:4].tolist() == pytest.approx([80 / 85, 60 / 70, 1.0, 0.5])
    assert found.stays.tolist() == [True, False, False, False, False]
    assert found.inside.tolist() == [False, True, True, False, False]


def test_other_words_are_refused():
    with pytest.raises(Invalid, match="same words"):
        flows.count(np.zeros(3, int), np.zeros(2, int), np.ones(3, int), 1, 1)
