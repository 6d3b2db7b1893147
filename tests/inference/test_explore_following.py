"""Whether the words of a name move as its topic does."""

import numpy as np
import pytest

from inference.explore.following import LEAST_FACTOR, Course, Groups, moves

EARLY = np.arange(4)
LATE = np.arange(4, 8)
ALL = np.arange(8)
IN_TIME = Groups(np.array([0] * 4 + [1] * 4, np.int32), np.array([4_000.0, 4_000.0]))


def uses(*numbers: float) -> np.ndarray:
    return np.repeat(np.array(numbers), 8 // len(numbers))


@pytest.mark.parametrize(
    ("documents", "of_each", "followed"),
    [
        (LATE, np.full(4, 100.0), 1.0),  # used where the topic is
        (ALL, uses(100.0), 0.0),  # in other topics elsewhere
        (EARLY, np.full(4, 100.0), 0.0),  # the other way
        (ALL, uses(20.0, 100.0), 0.5),  # less than the topic
    ],
)
def test_a_word_follows_its_topic_where_it_is_used_with_it(documents, of_each, followed):
    late_topic = Course([IN_TIME], ALL, uses(4.0, 100.0))
    assert late_topic.followed(documents, of_each) == pytest.approx(followed, abs=0.01)


def test_a_topic_that_is_everywhere_alike_tells_nothing():
    same_everywhere = Course([IN_TIME], ALL, uses(100.0))
    assert same_everywhere.factor(EARLY, np.full(4, 100.0)) == 1.0


def test_a_word_that_does_not_follow_keeps_a_part_of_its_score():
    late_topic = Course([IN_TIME], ALL, uses(4.0, 100.0))
    assert late_topic.factor(ALL, uses(100.0)) == LEAST_FACTOR


def test_moves_are_against_all_other_groups():
    tokens = np.array([100.0, 300.0, 0.0])
    moved = moves(np.array([19.5, 29.5, 0.0]), tokens)
    assert moved.tolist() == pytest.approx([np.log(2), -np.log(2), 0.0], abs=0.02)
