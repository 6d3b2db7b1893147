"""Similar documents against every distance written out."""

import numpy as np
import pytest

from inference.explore import similar


def corpus(rng, D: int, K: int):
    tokens = np.where(rng.random((D, K)) < 0.4, rng.integers(1, 30, (D, K)), 0)
    tokens[rng.random(D) < 0.1] = 0  # documents without words
    document, topic = np.nonzero(tokens)
    doc_ptr = np.concatenate([[0], np.cumsum(np.bincount(document, minlength=D))])
    return tokens, (doc_ptr, topic, tokens[document, topic], tokens.sum(axis=1))


def naive(tokens, mixture, leave_out: int) -> list[tuple[float, int]]:
    found = []
    for d, row in enumerate(tokens):
        if d != leave_out and row.sum() and (row * mixture).any():
            found.append((np.sqrt(max(0.0, 1 - np.sqrt(row / row.sum() * mixture).sum())), d))
    return sorted(found)


@pytest.mark.parametrize("small", [similar.SMALL, 10])
@pytest.mark.parametrize("seed", range(4))
def test_nearest(seed, small, monkeypatch):
    monkeypatch.setattr(similar, "SMALL", small)  # one thread, and several
    rng = np.random.default_rng(seed)
    tokens, arrays = corpus(rng, 300, 8)
    for number in (3, 77):
        mixture = tokens[number] / max(tokens[number].sum(), 1)
        numbers, distances = similar.nearest(*arrays, mixture, 10, number)
        expected = naive(tokens, mixture, number)[:10]
        assert len(numbers) == len(expected)
        assert np.allclose(distances, [h for h, _ in expected], atol=1e-3)  # added up in single precision
        assert number not in numbers
        again = similar.nearest(*arrays, mixture, 10, number, similar.by_topic(*arrays[:3], 8))
        assert again[0].tolist() == numbers.tolist() and again[1].tolist() == distances.tolist()
        everything = {d: h for h, d in naive(tokens, mixture, number)}
        assert all(
            everything[d] == pytest.approx(h, abs=1e-3) for d, h in zip(numbers.tolist(), distances, strict=True)
        )


def test_equal_mixtures_come_by_number_and_nothing_in_common_never():
    tokens = np.array([[2, 0], [0, 5], [4, 0], [6, 0], [0, 0]])
    document, topic = np.nonzero(tokens)
    doc_ptr = np.concatenate([[0], np.cumsum(np.bincount(document, minlength=5))])
    arrays = doc_ptr, topic, tokens[document, topic], tokens.sum(axis=1)
    numbers, distances = similar.nearest(*arrays, np.array([1.0, 0.0]), 10)
    assert numbers.tolist() == [0, 2, 3] and np.allclose(distances, 0, atol=1e-3)
    assert similar.nearest(*arrays, np.array([1.0, 0.0]), 2)[0].tolist() == [0, 2]
    assert similar.nearest(*arrays, np.array([1.0, 0.0]), 10, 2)[0].tolist() == [0, 3]
    assert len(similar.nearest(*arrays, np.zeros(2), 3)[0]) == 0
    of_topics = similar.by_topic(*arrays[:3], 2)
    assert similar.nearest(*arrays, np.array([1.0, 0.0]), 10, 2, of_topics)[0].tolist() == [0, 3]
    assert [len(array) for array in of_topics] == [3, 4, 4]
