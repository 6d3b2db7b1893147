"""Drawn documents: known probabilities, nested draws, and beginnings that are about
proportional."""

import numpy as np
import pytest

from inference.codes.draw import draw, strata


def test_strata_are_of_shares_within_groups():
    share = np.array([0, 0.1, 0.2, 0.3, 0.9, 0, 0.5])
    groups = np.array([0, 0, 0, 0, 0, -1, -7])
    assert strata(share, groups).tolist() == [2, 3, 3, 3, 4, 0, 1]
    assert strata(share, None).tolist() == [0, 1, 1, 1, 2, 0, 2]
    assert strata(None, groups).tolist() == [1, 1, 1, 1, 1, 0, 0]
    assert strata(np.zeros(3), None).tolist() == [0, 0, 0]
    assert strata(share, groups).dtype == np.int32


@pytest.fixture
def uneven():
    return np.repeat(np.arange(4), [1, 9, 90, 900])


def test_draws_are_proportional_with_a_floor(uneven):
    made = draw(uneven, 100, 3, seed=1)
    counts = np.bincount(made.strata)
    assert counts.sum() == 100 == len(set(made.documents.tolist()))
    assert counts[:2].tolist() == [1, 3] and abs(counts[2] - 9.6) < 1.5
    assert np.array_equal(uneven[made.documents], made.strata)
    assert np.allclose(made.pi, (counts / [1, 9, 90, 900])[made.strata])
    again = draw(uneven, 100, 3, seed=1)
    assert all(np.array_equal(a, b) for a, b in zip(made, again, strict=True))
    assert not np.array_equal(made.documents, draw(uneven, 100, 3, seed=2).documents)


def test_a_larger_draw_holds_a_smaller_one(uneven):
    sizes = (5, 20, 33, 100, 101, 500, 1000)
    drawn = [set(draw(uneven, size, 2, seed=3).documents.tolist()) for size in sizes]
    assert all(a <= b for a, b in zip(drawn, drawn[1:], strict=False))
    assert len(drawn[-1]) == 1000 == len(draw(uneven, 5_000, 2, seed=3).documents)
    assert len(drawn[0]) == 7  # floors


def test_a_draw_is_what_it_was_when_documents_were_coded(uneven):
    """By the program's earlier versions, too: a larger draw has to hold it."""
    of_seed_5 = [204, 88, 0, 540, 888, 7, 550, 811, 112, 129, 310, 460]
    assert draw(uneven, 12, 1, seed=5).documents.tolist() == of_seed_5


def test_beginnings_are_proportional(uneven):
    made = draw(uneven, 300, 1, seed=4)
    for n in (50, 100, 200):
        share = np.bincount(made.strata[:n], minlength=4) / n
        assert np.abs(share - np.bincount(made.strata) / 300).max() < 2 / n


def test_every_document_of_a_stratum_is_as_likely(uneven):
    times = np.zeros(len(uneven))
    for seed in range(400):
        times[draw(uneven, 60, 2, seed).documents] += 1
    pi = draw(uneven, 60, 2, 0)
    expected = np.zeros(4)
    expected[pi.strata] = pi.pi
    spread = np.sqrt(400 * expected * (1 - expected))[uneven]
    assert np.all(np.abs(times - 400 * expected[uneven]) <= 5 * spread + 1e-9)


def test_first_of_the_list_are_random_within_strata(uneven):
    first = [int(draw(uneven, 60, 0, seed).documents[0]) for seed in range(300)]
    assert len(set(first)) > 200
