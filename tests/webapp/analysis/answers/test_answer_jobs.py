"""Answers as they are stored, of this program and of older ones."""

import json

import numpy as np
import pytest

from inference.answers import Answers, Obstacle
from webapp.analysis.answers.answer_jobs import pack_answers, unpack_answers


def answers(obstacle: Obstacle | None) -> Answers:
    arrays = {name: np.arange(2.0) for name in Answers._fields}
    return Answers(**arrays)._replace(
        level=0.99, rows=7, df=3.0, calibrated="t", units=(4, 9), obstacle=obstacle
    )


@pytest.mark.parametrize("obstacle", [None, *Obstacle])
def test_answers_are_read_as_they_were_stored(obstacle):
    data, arrays = pack_answers(answers(obstacle), "of all ")
    again = unpack_answers((json.loads(json.dumps(data)), arrays), "of all ")
    assert again.obstacle is obstacle
    assert again.units == (4, 9) and again.level == 0.99
    np.testing.assert_array_equal(again.difference, np.arange(2.0))


@pytest.mark.parametrize(
    ("verdict", "obstacle"), [("", None), ("apart in time", Obstacle.APART_IN_TIME)]
)
def test_answers_of_older_programs_are_read(verdict, obstacle):
    data, arrays = pack_answers(answers(None))
    of_older_program = {**data, "verdict": verdict}
    assert of_older_program.keys() == data.keys()
    assert unpack_answers((of_older_program, arrays)).obstacle is obstacle
