"""Similar documents against every distance written out."""

from types import SimpleNamespace

import numpy as np
import pytest

from inference.explore import similar
from inference.kernels import assign
from inference.kernels.transpose import transpose


def documents(tokens: np.ndarray):
    """What `nearest` reads of TopicDocuments, of int[D, K]."""
    document, topic = np.nonzero(tokens)
    of = SimpleNamespace(
        doc_ptr=np.concatenate([[0], np.cumsum(np.bincount(document, minlength=len(tokens)))]),
        doc_topics=topic.astype(np.uint16),
        doc_tokens=tokens[document, topic].astype(np.int32),
        lengths=tokens.sum(axis=1),
    )
    by_share, by_tokens = (np.empty(len(topic), np.int32) for _ in range(2))
    rows = of.doc_ptr, of.doc_topics, of.doc_tokens
    topic_ptr = transpose(*rows, tokens.shape[1], by_share, by_tokens)
    assign.rank(0, tokens.shape[1], topic_ptr, of.lengths, by_share, by_tokens)
    return SimpleNamespace(mixtures=of, topic_ptr=topic_ptr, by_share=by_share)


def made(rng, D: int, K: int) -> np.ndarray:
    tokens = np.where(rng.random((D, K)) < 0.4, rng.integers(1, 30, (D, K)), 0)
    tokens[rng.random(D) < 0.1] = 0  # documents without words
    return tokens


def naive(tokens, mixture, leave_out: int) -> list[tuple[float, int]]:
    found = []
    for d, row in enumerate(tokens):
        if d != leave_out and row.sum() and (row * mixture).any():
            found.append((np.sqrt(max(0.0, 1 - np.sqrt(row / row.sum() * mixture).sum())), d))
    return sorted(found)


@pytest.mark.parametrize("first", [3, 2_000])
@pytest.mark.parametrize("seed", range(4))
def test_nearest(seed, first):
    rng = np.random.default_rng(seed)
    tokens = made(rng, 300, 8)
    of = documents(tokens)
    mixtures = [(tokens[n] / max(tokens[n].sum(), 1), n) for n in (3, 77, 120)] + [
        (rng.dirichlet(np.ones(8)), -1)
    ]
    for mixture, number in mixtures:
        found = similar.nearest(of, mixture, 10, number, first=first)
        expected = naive(tokens, mixture, number)
        assert found.exact and len(found.numbers) == len(expected[:10])
        # Added up in single precision
        assert np.allclose(found.distances, [h for h, _ in expected[:10]], atol=1e-3)
        everything = {d: h for h, d in expected}
        for d, h in zip(found.numbers.tolist(), found.distances, strict=True):
            assert everything[d] == pytest.approx(h, abs=1e-3)


@pytest.mark.parametrize("most", [1, 5, 20, 60])
def test_what_was_not_looked_at_is_no_more_alike_than_is_said(most):
    rng = np.random.default_rng(5)
    tokens = made(rng, 400, 6)
    of = documents(tokens)
    vague = 0
    for number in np.flatnonzero(tokens.sum(axis=1))[:30].tolist():
        mixture = tokens[number] / tokens[number].sum()
        found = similar.nearest(of, mixture, 5, number, limit=most, first=min(most, 3))
        assert found.looked <= most
        others = [h for h, d in naive(tokens, mixture, number) if d not in found.numbers]
        if found.exact:
            assert not others or found.distances[-1] <= min(others) + 1e-3
        else:
            vague += 1
            assert 1 - min(others) ** 2 <= found.unseen + 1e-5
    assert vague > 5 or most > 20


def test_few_are_looked_at():
    """Documents of one topic each, or evenly of two: who is like one of these need not be compared
    with all others."""
    tokens = np.zeros((3_000, 50), int)
    tokens[np.arange(3_000), np.arange(3_000) % 50] = 10
    tokens[np.arange(0, 3_000, 7), 0] = 10
    mixture = np.zeros(50)
    mixture[[0, 7]] = 0.5
    found = similar.nearest(documents(tokens), mixture, 5, first=20)
    assert found.exact and (tokens[found.numbers][:, [0, 7]] == 10).all() and found.looked < 600


def test_a_rare_topic_is_looked_through_rather_than_one_of_all_documents():
    tokens = np.zeros((3_000, 50), int)
    tokens[:, 0] = 10
    tokens[np.arange(3_000), 1 + np.arange(3_000) % 49] = 9
    mixture = np.zeros(50)
    mixture[[0, 7]] = 10 / 19, 9 / 19
    found = similar.nearest(documents(tokens), mixture, 5, first=60)
    assert found.exact and (tokens[found.numbers, 7] == 9).all() and found.looked < 200


def test_equal_mixtures_come_by_number_and_nothing_in_common_never():
    of = documents(np.array([[2, 0], [0, 5], [4, 0], [6, 0], [0, 0]]))
    found = similar.nearest(of, np.array([1.0, 0.0]), 10)
    assert (
        found.numbers.tolist() == [0, 2, 3]
        and np.allclose(found.distances, 0, atol=1e-3)
        and found.exact
    )
    assert similar.nearest(of, np.array([1.0, 0.0]), 2).numbers.tolist() == [0, 2]
    assert similar.nearest(of, np.array([1.0, 0.0]), 10, 2).numbers.tolist() == [0, 3]
    assert len(similar.nearest(of, np.zeros(2), 3).numbers) == 0
