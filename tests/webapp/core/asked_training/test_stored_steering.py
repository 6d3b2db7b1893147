"""What a run keeps of what is said of its topics before they are trained."""

import json

import pytest

from webapp.core.asked_training.named_topics import NamedTopic
from webapp.core.asked_training.stored_steering import Steering, TopicChanges


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"join": True},
        {"consensus": [1, 2]},
        {"merge": [], "split": [], "together": []},
        {"merge": [[1, 4]], "split": [2], "together": [["tax", "income"]]},
        {"merge": [[0, 2]], "split": [], "together": [], "seeds": [{"name": "A", "words": ["a"]}]},
    ],
)
def test_a_row_is_written_as_it_was_read(stored):
    steering = Steering.from_dict(json.loads(json.dumps(stored)))
    assert steering.stored == stored
    assert steering.is_empty == (not stored)


def test_what_is_said_has_types():
    steering = Steering.from_dict(
        {"merge": [[1, 4]], "seeds": [{"name": "Economy", "words": ["tax", "jobs"]}]}
    )
    assert steering.changes == TopicChanges(merge=[[1, 4]])
    assert steering.merged_groups == [[1, 4]]
    assert steering.named == [NamedTopic("Economy", ("tax", "jobs"))]


def test_a_wish_that_only_leaves_words_out_is_a_change():
    assert not Steering(changes=TopicChanges()).is_empty
    assert Steering().changes is None
