"""Topics side by side against their count, and what chance brings together."""

import numpy as np
import pytest

from inference.explore import cooccurrence
from tests.inference import naive_explore


def arrays(documents: list[dict[int, int]], lengths: list[int]):
    sizes = [len(d) for d in documents]
    topics = [k for d in documents for k in sorted(d)]
    tokens = [d[k] for d in documents for k in sorted(d)]
    return (
        np.concatenate([[0], np.cumsum(sizes)]),
        np.array(topics, np.uint16),
        np.array(tokens, np.int32),
        np.array(lengths, np.int64),
    )


def random_documents(D: int, K: int, seed: int) -> tuple[list[dict[int, int]], list[int]]:
    """Topics 0 and 1 often come together, as do 2 and 3; some documents are empty."""
    rng = np.random.default_rng(seed)
    documents = []
    for d in range(D):
        topics = set(rng.choice(K, rng.integers(0, 4), replace=False).tolist())
        topics |= {0, 1} if d % 5 == 0 else {2, 3} if d % 7 == 0 else set()
        documents.append({k: int(rng.integers(1, 20)) for k in topics})
    return documents, [sum(d.values()) for d in documents]


def test_they_are_counted():
    documents, lengths = random_documents(1500, 8, 1)
    topics, lift, both = cooccurrence.companions(*arrays(documents, lengths), 8, 4, least=0.15)
    expected = naive_explore.beside(documents, lengths, 8, 0.15)
    assert topics[0, 0] == 1 and topics[1, 0] == 0 and topics[2, 0] == 3
    for k in range(8):
        listed = topics[k] >= 0
        for other, value, count in zip(
            topics[k][listed], lift[k][listed], both[k][listed], strict=True
        ):
            assert expected[k, other] == (count, pytest.approx(value))
            assert count >= cooccurrence.LEAST_DOCUMENTS and value > 1
        assert (np.diff(lift[k][listed]) <= 0).all()
        assert np.isnan(lift[k][~listed]).all() and (both[k][~listed] == 0).all()


def test_chance_brings_nobody_together():
    rng = np.random.default_rng(4)
    documents = [{k: 1 for k in range(20) if rng.random() < 0.2} for _ in range(2000)]
    topics, _, _ = cooccurrence.companions(
        *arrays(documents, [sum(d.values()) for d in documents]), 20, 3, least=0.0
    )
    assert (topics >= 0).sum() <= 4  # of 380 ordered pairs


@pytest.mark.parametrize(("both", "partner"), [(13, -1), (14, 1)])
def test_at_most_one_pair_in_700_comes_together_by_chance(both, partner):
    """Five documents with both are expected: 13 or more come in 1 of 495, 14 in 1 of 1,430."""
    alone = 100 - both
    documents = [{0: 5, 1: 5}] * both + [{0: 10}] * alone + [{1: 10}] * alone
    documents += [{2: 10}] * (2_000 - len(documents))
    topics, _, _ = cooccurrence.companions(*arrays(documents, [10] * 2_000), 3, 1)
    assert topics[0, 0] == partner


def test_a_pair_in_few_documents_is_not_listed():
    documents = [{0: 5, 1: 5}] * (cooccurrence.LEAST_DOCUMENTS - 1) + [{2: 10}] * 500
    for extra, expected in (([], -1), ([{0: 5, 1: 5}], 1)):
        found = cooccurrence.companions(
            *arrays(documents + extra, [10] * len(documents + extra)), 3, 2
        )
        assert found[0][0].tolist() == [expected, -1]


def test_nothing_to_count():
    for D in (0, 3):
        topics, lift, both = cooccurrence.companions(*arrays([{}] * D, [0] * D), 2, 3)
        assert (topics == -1).all() and np.isnan(lift).all() and (both == 0).all()
