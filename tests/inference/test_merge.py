"""Topics joined in pairs, against a slow twin."""

import numpy as np
import pytest

from inference.kernels import merge


def lost(a: np.ndarray, b: np.ndarray) -> float:
    """By how much two topics say their tokens worse as one."""

    def likelihood(tokens: np.ndarray) -> float:
        own = tokens[tokens > 0]
        return float((own * np.log(own / own.sum())).sum())

    return likelihood(a) + likelihood(b) - likelihood(a + b)


def naive_groups(tokens: np.ndarray, K: int) -> np.ndarray:
    """tokens: float64[n, V]."""
    members = {k: [k] for k in range(len(tokens))}
    sums = {k: tokens[k] for k in members}
    while len(members) > K:
        pairs = [(a, b) for a in members for b in members if a < b]
        a, b = min(pairs, key=lambda pair: lost(sums[pair[0]], sums[pair[1]]))
        sums[a] = sums[a] + sums.pop(b)
        members[a] += members.pop(b)
    groups = np.empty(len(tokens), np.int64)
    for number, k in enumerate(sorted(members)):
        groups[members[k]] = number
    return groups


def rows_of(tokens: np.ndarray) -> tuple:
    """The arguments of `join_nearest`, but for K. tokens: float64[n, V]."""
    word, topic = np.nonzero(tokens.T)
    indptr = np.append(0, np.cumsum(np.bincount(word, minlength=tokens.shape[1])))
    return indptr, topic.astype(np.int32), tokens.T[word, topic], tokens.sum(axis=1)


def drawn(n: int, V: int, seed: int) -> np.ndarray:
    chance = np.random.default_rng(seed)
    return chance.integers(1, 60, (n, V)) * (chance.random((n, V)) < 0.4) + 0.5 * np.eye(n, V)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("K", [1, 3, 8, 12])
def test_groups_are_those_of_the_slow_twin(K, seed):
    tokens = drawn(12, 30, seed)
    assert merge.join_nearest(*rows_of(tokens), K).tolist() == naive_groups(tokens, K).tolist()


def test_topics_of_the_same_words_are_joined_first():
    chance = np.random.default_rng(4)
    subjects = np.kron(np.eye(5), np.ones(8))
    tokens = chance.poisson(40 * np.repeat(subjects, 4, axis=0)).astype(float)
    order = chance.permutation(20)
    groups = merge.join_nearest(*rows_of(tokens[order]), 5)
    subject = np.repeat(np.arange(5), 4)[order]
    assert len(set(zip(groups.tolist(), subject.tolist(), strict=True))) == 5


def test_a_topic_without_words_is_joined_to_some_other():
    tokens = np.array([[3.0, 0, 0], [0, 0, 0], [0, 4.0, 1.0]])
    groups = merge.join_nearest(*rows_of(tokens), 2)
    assert groups[0] != groups[2]
