"""A family keeps its colour, however many there are; a topic has its family's on every page."""

import numpy as np
import pytest

from inference.findings import families as trees
from inference.findings.families import Node, Tree
from webapp.core.curation import services as curation
from webapp.core.results import family_tree, links
from webapp.core.results.view import RunView
from webapp.platform.drawing.colours import CHOSEN, GENERAL, SLOTS


def slots_slowly(every: list[Node], most: int) -> dict[tuple[int, ...], int]:
    """Cut into 2, 3, … families; at each cut the larger part keeps its slot."""
    free = list(range(SLOTS))
    slot = {}
    before = set()
    for number in range(family_tree.CUTS[0], most + 1):
        here = [node for node in every if node.first <= number <= node.last]
        for node in here:  # the larger first
            if tuple(node.topics) in slot:
                continue
            parent = next((p for p in slot if set(node.topics) < set(p) and p in before), None)
            taken = {slot[tuple(n.topics)] for n in here if tuple(n.topics) in slot}
            if parent is not None and slot[parent] not in taken:
                slot[tuple(node.topics)] = slot[parent]
            elif free:
                slot[tuple(node.topics)] = free.pop(0)
            else:
                slot[tuple(node.topics)] = slot[parent] % SLOTS + SLOTS
        before = {tuple(node.topics) for node in here}
    return slot


@pytest.mark.parametrize("seed", range(8))
def test_slots_are_those_of_a_slow_twin(seed):
    chance = np.random.default_rng(seed)
    n = int(chance.integers(5, 40))
    joins = []
    left = list(range(n))
    for i in range(n - 1):
        a, b = chance.choice(len(left), 2, replace=False).tolist()
        joins.append((left[a], left[b]))
        left = [node for k, node in enumerate(left) if k not in (a, b)] + [n + i]
    tree = Tree(list(range(n)), joins, 4)
    size = chance.integers(1, 1000, n).astype(float)
    none = np.full(n, -1)
    every = trees.families(tree, size, family_tree.CUTS[1], none, np.arange(n))
    every = [node for node in every if node.last >= family_tree.CUTS[0]]
    of_node = family_tree.slots(every)
    slow = slots_slowly(every, min(n, family_tree.CUTS[1]))
    assert {tuple(v.topics): s for v, s in zip(every, of_node, strict=True)} == slow
    for number in range(2, min(n, family_tree.CUTS[1]) + 1):
        here = [
            s for node, s in zip(every, of_node, strict=True) if node.first <= number <= node.last
        ]
        if number <= SLOTS:  # no two have one colour
            assert len(set(here)) == len(here) and max(here) < SLOTS


@pytest.mark.django_db
def test_a_topic_has_its_familys_colour_and_a_chosen_one_wins(trained):
    view = RunView(trained)
    every = [links.topic_link(view, k) for k in range(6)]
    for link in every:
        home = view.homes[link.number]
        assert (link.head, link.slot, link.hue) == home
        assert link.hue == (GENERAL if link.head is None else every[link.head].hue)
    head = next(link.head for link in every if link.head is not None)
    members = [link.number for link in every if link.head == head]
    curation.change(trained, head, {"colour": "4"}, "owner")
    view = RunView(trained)
    assert {view.hue(k) for k in members} == {CHOSEN + 4}
    others = [link for link in every if link.number not in members]
    assert [view.hue(link.number) for link in others] == [link.hue for link in others]
    assert [view.homes[k].slot for k in range(6)] == [link.slot for link in every]
