"""A family is called by its two largest topics that have names, else by a word of each of three."""

import pytest

from inference.findings.families import Node
from webapp.analysis.families import family_cuts
from webapp.analysis.families.family_names import name_family
from webapp.core.curation import services as curation
from webapp.core.results.labels import Labels, Proposal
from webapp.core.results.view import RunView
from webapp.models import Edit

K = 5
NAMED = {1: "Navy & ships", 2: "Army", 3: "Treasury"}
WORDS = {0: "man · wage · hand", 4: "man · treasury · bank"}


def labels_of(named: dict[int, str], **values: dict[int, str]) -> Labels:
    """Of K topics, those that are `named`; of the others only the words are known. values: what
    readers say, by field."""
    proposed = [
        Proposal(named[k], (named[k],)) if k in named else Proposal(WORDS[k]) for k in range(K)
    ]
    said: dict[str, dict[int, str]] = {field: {} for field in Edit.Field.values}
    return Labels(K, said | values, proposed)


def family_of(*topics: int, given: int = -1) -> Node:
    return Node(topics=list(topics), first=2, last=9, given=given)


@pytest.mark.parametrize(
    ("topics", "name", "named_by"),
    [
        ([1, 2, 3], "Navy & ships · Army", [1, 2]),
        ([0, 3, 4, 2], "Treasury · Army", [3, 2]),  # what has no name is left out
        ([0, 3], "man · Treasury", [0, 3]),
        ([3, 0, 4], "Treasury · man · bank", [3, 0, 4]),  # no word is said twice
        ([0, 4], "man · treasury", [0, 4]),
        ([3], "Treasury", [3]),
        ([4], "T04 (man · treasury · bank)", [4]),
    ],
)
def test_the_largest_topics_stand_for_a_family(topics, name, named_by):
    assert name_family(labels_of(NAMED), family_of(*topics)) == (name, named_by)


def test_a_label_of_a_reader_is_a_name_and_a_hidden_topic_names_nothing():
    labels = labels_of(NAMED, label={0: "Speeches"}, hidden={1: "1"})
    assert name_family(labels, family_of(0, 1, 2)) == ("Speeches · Army", [0, 2])


def test_a_family_of_hidden_topics_is_called_by_them_nevertheless():
    labels = labels_of(NAMED, hidden={1: "1", 2: "1"})
    assert name_family(labels, family_of(1, 2)) == ("Navy & ships · Army", [1, 2])


def test_a_family_of_which_one_topic_is_visible_is_called_as_this_one():
    labels = labels_of(NAMED, hidden={1: "1"})
    assert name_family(labels, family_of(1, 0)) == ("T00 (man · wage · hand)", [0])


def test_a_group_has_the_name_that_its_reader_gave_it():
    labels = labels_of(NAMED, group={1: "War", 2: "War"})
    assert name_family(labels, family_of(1, 2, given=0)) == ("War", [])


@pytest.mark.django_db
def test_names_of_the_families_of_a_run_follow_what_readers_say(trained):
    largest = max(family_cuts.cut(RunView(trained), 2).families, key=lambda f: len(f.topics))
    first = largest.topics[0]
    curation.change(trained, first, {"label": "Speeches & toasts"}, "owner")
    renamed = {family.name for family in family_cuts.cut(RunView(trained), 2).families}
    assert any(name.startswith("Speeches & toasts · ") for name in renamed)
    all_names = [family.name for family in family_cuts.cut(RunView(trained), 7).families]
    assert len(set(all_names)) == len(all_names)
