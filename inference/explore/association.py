"""How strongly two words are associated, from how often they stand near each other."""

from typing import NamedTuple

import numpy as np

from inference.log_likelihood import g2_of_parts, signed


class Association(NamedTuple):
    """float64[n] each. expected: tokens near the word, were all tokens spread evenly. log_dice: 14
    + log2 of Dice's coefficient (Rychlý 2008), the same whatever the size of the corpus: 1 more is
    twice as often. g2: the log-likelihood ratio of the four cells (Dunning 1993), below 0 where
    there are fewer than expected. t: (observed - expected) / sqrt(observed) (Church et al.
    1991)."""

    expected: np.ndarray
    log_dice: np.ndarray
    g2: np.ndarray
    t: np.ndarray


def association(
    near: np.ndarray, everywhere: np.ndarray, window: int, total: int, occurrences: int
) -> Association:
    """How strongly n words are associated with another one.

    near, everywhere: int64[n], tokens of each in the windows around the other word and in all
    texts, at least 1 near. window, total: all tokens in the windows and in all texts; of none of
    these counts is the other word a part. occurrences: its tokens.
    """
    expected = everywhere * (window / max(total, 1))
    evidence = g2_of_parts(
        np.stack([near, everywhere - near], axis=1), np.array([window, total - window])
    )
    log_dice = 14 + np.log2(2 * near / (occurrences + everywhere))
    t_score = (near - expected) / np.sqrt(near)
    return Association(expected, log_dice, signed(evidence, near, expected), t_score)


def expected_together(windows_of_pair: np.ndarray, windows: int) -> tuple[np.ndarray, np.ndarray]:
    """How many windows of so many would have each two of n words, were these independent, and G2 of
    the four cells, below 0 where fewer have: float64[n, n] each. windows_of_pair: int64[n, n],
    windows that have both; on the diagonal, that have one."""
    topic_sizes = np.diagonal(windows_of_pair)
    expected = np.outer(topic_sizes, topic_sizes) / max(windows, 1)
    evidence = np.zeros(windows_of_pair.shape)
    for i, topic_size in enumerate(topic_sizes):
        with_both = windows_of_pair[i]
        cells = np.stack([with_both, topic_sizes - with_both], axis=1)
        evidence[i] = g2_of_parts(cells, np.array([topic_size, windows - topic_size]))
    return expected, signed(evidence, windows_of_pair, expected)
