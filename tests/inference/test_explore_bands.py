"""Bands: the sums they are made of, how often they hold the truth, and what they say where there is
little."""

import numpy as np
import pytest

from inference.errors import Invalid
from inference.explore import bands
from tests.inference import naive_explore


def flat(groups: int, each: int, share: float, concentration: float, seed: int):
    """Documents of two topics; topic 0 has the same share everywhere, but a small concentration
    gives it to few documents."""
    rng = np.random.default_rng(seed)
    D = groups * each
    lengths = rng.poisson(rng.gamma(2, 30, D)) + 1
    x = rng.binomial(lengths, rng.beta(share * concentration, (1 - share) * concentration, D))
    tokens = np.column_stack([x, lengths - x])
    return sparse(tokens) + (lengths, np.repeat(np.arange(groups, dtype=np.int32), each)), x


def sparse(tokens: np.ndarray):
    """doc_ptr, doc_topics, doc_tokens of int[D, K]."""
    documents, topics = np.nonzero(tokens)
    ptr = np.concatenate([[0], np.cumsum((tokens > 0).sum(axis=1))])
    return ptr, topics.astype(np.uint16), tokens[documents, topics].astype(np.int32)


def test_shares_are_sums_of_tokens():
    rng = np.random.default_rng(1)
    tokens = rng.poisson(0.8, (200, 5)) * rng.integers(0, 9, (200, 5))
    tokens[:7] = 0
    group = rng.integers(-1, 4, 200).astype(np.int32)
    found = bands.shares(*sparse(tokens), tokens.sum(axis=1), group, 5, [3, 0])
    for g in range(4):
        mine = tokens[group == g]
        assert found.share[:, g] == pytest.approx(mine[:, [3, 0]].sum(axis=0) / mine.sum())
        assert found.tokens[g] == mine.sum() and found.documents[g] == (mine.sum(axis=1) > 0).sum()
    assert (found.low <= found.share)[:, :4].all() and (found.share <= found.high)[:, :4].all()
    assert (
        np.isnan([found.share[:, 4], found.low[:, 4], found.high[:, 4]]).all()
        and found.thin[4]
        and found.documents[4] == 0
    )


@pytest.mark.parametrize(
    ("share", "concentration"), [(0.05, 30.0), (0.05, 3.0), (0.3, 10.0), (0.005, 10.0)]
)
@pytest.mark.parametrize("each", [3, 10, 30, 300])
def test_a_flat_trend_stays_within_its_bands(each, share, concentration):
    """Group by group: 95% hold what is true. 88% is what chance may make of it in so many
    groups."""
    groups = 1200 if each < 100 else 300
    arrays, _ = flat(groups, each, share, concentration, each)
    found = bands.shares(*arrays, groups, [0])
    held = (found.low[0] <= share) & (share <= found.high[0])
    assert held.mean() > 0.88
    half = bands.shares(*arrays, groups, [0], level=0.5)
    assert ((half.high - half.low) < (found.high - found.low)).mean() > 0.9


def test_many_documents_and_a_bootstrap_agree():
    arrays, x = flat(6, 1500, 0.1, 10.0, 5)
    found = bands.shares(*arrays, 6, [0])
    *_, lengths, group = arrays
    for g in range(6):
        low, high = naive_explore.bootstrap(x[group == g], lengths[group == g], 0.95, 2000, g)
        assert found.low[0, g] == pytest.approx(low, rel=0.02) and found.high[
            0, g
        ] == pytest.approx(high, rel=0.02)


def test_a_clear_change_is_seen():
    before, _ = flat(1, 200, 0.05, 20.0, 1)
    after, _ = flat(1, 200, 0.15, 20.0, 2)
    ptr = np.concatenate([before[0], before[0][-1] + after[0][1:]])
    joined = [np.concatenate([a, b]) for a, b in zip(before[1:4], after[1:4], strict=True)]
    found = bands.shares(ptr, *joined, np.repeat(np.array([0, 1], np.int32), 200), 2, [0])
    assert found.high[0, 0] < found.low[0, 1]


def test_where_there_is_little():
    """One document; none with the topic; one of twenty; all of them entirely; identical ones; an
    unknown topic."""
    tokens = np.array(
        [[1, 9]] + [[0, 10]] * 20 + [[0, 10]] * 19 + [[4, 6]] + [[10, 0]] * 3 + [[2, 8]] * 12
    )
    group = np.repeat(np.arange(5, dtype=np.int32), [1, 20, 20, 3, 12])
    found = bands.shares(*sparse(tokens), tokens.sum(axis=1), group, 5, [0, 7])
    assert (found.low[0, 0], found.high[0, 0]) == (0, 1)
    # 1 - 0.025^(1/20) of documents
    assert found.share[0, 1] == found.low[0, 1] == 0 and 0.01 < found.high[0, 1] < 0.17
    assert found.low[0, 2] < 0.02 < 0.05 < found.high[0, 2] < 0.25
    assert found.low[0, 3] == found.share[0, 3] == found.high[0, 3] == 1
    assert found.low[0, 4] == pytest.approx(0.2) and found.high[0, 4] == pytest.approx(0.2)
    assert (found.share[1] == 0).all() and found.high[1, 1] == 0
    assert found.thin.tolist() == [True, False, False, True, False]


def test_no_documents():
    found = bands.shares(
        *sparse(np.zeros((0, 2), int)), np.zeros(0, np.int64), np.zeros(0, np.int32), 2, [0]
    )
    assert np.isnan(found.share).all() and found.thin.all()


@pytest.mark.parametrize("level", [0, 1, 1.5])
def test_a_level_that_is_none(level):
    arrays, _ = flat(2, 3, 0.1, 3.0, 1)
    with pytest.raises(Invalid, match="between 0 and 1"):
        bands.shares(*arrays, 2, [0], level=level)


def test_arrays_of_other_documents():
    arrays, _ = flat(2, 3, 0.1, 3.0, 1)
    with pytest.raises(Invalid, match="6 rows and 5 lengths"):
        bands.shares(*arrays[:3], arrays[3][:5], arrays[4][:5], 2, [0])


def test_merged_topics_are_one():
    rng = np.random.default_rng(2)
    tokens = rng.poisson(0.8, (200, 5)) * rng.integers(0, 9, (200, 5))
    group = rng.integers(-1, 4, 200).astype(np.int32)
    merged = tokens.copy()
    merged[:, 1] += merged[:, 3]
    merged[:, 3] = 0
    expected = bands.shares(*sparse(merged), tokens.sum(axis=1), group, 4, [1, 4])
    found = bands.shares(
        *sparse(tokens),
        tokens.sum(axis=1),
        group,
        4,
        [1, 4],
        column_of_topic=np.array([0, 1, 2, 1, 4]),
    )
    for a, b in zip(found, expected, strict=True):
        assert np.array_equal(a, b, equal_nan=True)
