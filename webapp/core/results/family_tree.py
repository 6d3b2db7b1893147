"""The families of a run's topics, and their colours: its tree, which is stored at the end of a run,
with what readers changed, cut into any number of families."""

from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from inference.explore import cooccurrence
from inference.findings import families
from inference.findings.families import Node, Tree
from webapp.core.results import evidence, measures
from webapp.core.results.labels import Labels
from webapp.models import Run, StoredResult, Topic
from webapp.platform.drawing.colours import CHOSEN, GENERAL, SLOTS
from webapp.platform.storage.cache import BoundedCache, cached

TREE = "tree"  # its key, of models.StoredResult
KEYS_OF_ALL = ("", TREE)  # of what is kept of all documents for good
METHOD = 1  # which way of making a tree is the present one
CUTS = (2, 20)  # families that a reader may ask for


class Home(NamedTuple):
    """Where a topic is at the usual cut. head: the number of the family's largest topic, None for
    general talk and while the run trains. slot: of the family, GENERAL for none. hue: what the
    family is drawn in: its slot, or a colour that a reader chose (drawing.colours)."""

    head: int | None
    slot: int
    hue: int


@cached(64)
def tree(snapshot_id: int) -> Tree:
    """Stored at the end of a run; of runs by older programs when it is first asked for."""
    row = StoredResult.objects.filter(snapshot=snapshot_id, key=TREE, method=METHOD).first()
    if row is None:
        values = {"method": METHOD, "data": make_tree(Run.objects.get(snapshot=snapshot_id))}
        row, _ = StoredResult.objects.update_or_create(
            snapshot_id=snapshot_id, key=TREE, defaults=values
        )
    topics, joins, proposed = row.data
    return Tree(topics, [(a, b) for a, b in joins], proposed)


def make_tree(run: Run) -> Tree:
    """The tree of a finished run's topics in use; without general talk, unless that is most of the
    words: then it is what the documents are about."""
    run_evidence = evidence.of(run)
    columns = measures.of(run)
    size = np.where(columns["used"] > 0, columns["tokens"], 0.0)
    subjects = np.where(columns["background"] > 0, 0.0, size)
    arrays = (
        run_evidence.mixtures.doc_ptr,
        run_evidence.mixtures.doc_topics,
        run_evidence.mixtures.doc_tokens,
        run_evidence.lengths,
    )
    cooccurring = cooccurrence.documents_together(*arrays, run.topics, families.PRESENT)
    similar = (
        Topic.objects.filter(snapshot=run.snapshot_id)
        .order_by("number")
        .values_list("similar", flat=True)
    )
    return families.tree(
        families.distances_of_topics(cooccurring, list(similar)),
        subjects if 2 * subjects.sum() > size.sum() else size,
    )


def nodes(run: Run, labels: Labels) -> list[Node]:
    """All families at all cuts of a finished run. Topics that a reader grouped are one; merged
    topics are a part of their target, one that a reader moved stays with the other, and general
    talk that a reader labelled is where its words are most alike."""
    assert run.snapshot_id is not None, f"run {run.pk} has no topics yet"
    groups = {name: number for number, name in enumerate(labels.groups())}
    groups_of_topics = np.array([groups.get(labels.group(k), -1) for k in range(run.topics)])
    size = labels.merged(np.nan_to_num(measures.of(run)["tokens"]))
    family_nodes = families.families(
        tree(run.snapshot_id), size, CUTS[1], groups_of_topics, _stays_with(run, labels)
    )
    return [node for node in family_nodes if node.last >= CUTS[0]]


def _stays_with(run: Run, labels: Labels) -> np.ndarray:
    """int32[K]: the topic that each stays with, itself for none. The tree is without general talk;
    a topic of it that a reader labelled stays with the one of the tree that has the most similar
    words, unless the reader moved or grouped it. It is in no family where none of those in the tree
    is among its similar ones."""
    assert run.snapshot_id is not None, f"run {run.pk} has no topics yet"
    beside = labels.beside.copy()
    in_tree = set(tree(run.snapshot_id).topics)
    labelled = [k for k in labels.labelled_talk if beside[k] == k and k not in in_tree]
    rows = Topic.objects.filter(snapshot=run.snapshot_id, number__in=labelled)
    for k, similar_topics in rows.values_list("number", "similar"):
        targets = [int(labels.beside[similar]) for similar, _ in similar_topics]
        nearest = [j for j in targets if j in in_tree and not labels.group(j)]
        if nearest:
            beside[beside == k] = nearest[0]
    return beside


def usual(run: Run, nodes: list[Node]) -> int:
    """The number of families that a run is cut into where no address asks for another."""
    least, largest = ends(nodes)
    grouped = sum(node.given >= 0 for node in nodes)
    assert run.snapshot_id is not None, f"run {run.pk} has no topics yet"
    return max(least, min(tree(run.snapshot_id).proposed + grouped, largest))


def ends(nodes: list[Node]) -> tuple[int, int]:
    """The smallest and the largest number of families."""
    grouped = sum(node.given >= 0 for node in nodes)
    largest = max((node.first for node in nodes), default=0)
    return max(CUTS[0], grouped + (len(nodes) > grouped)), largest


def slots(nodes: list[Node]) -> list[int]:
    """The colour of each family, 0 to 2 SLOTS - 1, so that more or fewer families recolour nothing
    that stays: where one is taken apart the part with more words keeps its slot, the other takes
    the next free one. Where none is free it takes the second tone of its parent's, SLOTS more."""
    assigned: list[int] = []
    free = list(range(SLOTS))
    split: set[int] = set()  # families whose larger part has their slot
    for node_index in range(len(nodes)):
        parent = _parent(nodes, node_index)
        if parent is not None and parent not in split:
            split.add(parent)
            assigned.append(assigned[parent])
        elif free:
            assigned.append(free.pop(0))
        else:
            first_tone = node_index if parent is None else assigned[parent]
            assigned.append(first_tone % SLOTS + SLOTS)
    return assigned


def _parent(nodes: list[Node], node_number: int) -> int | None:
    """The place of the family that one was a part of, with one family less; None where there was
    none: of the first ones, and of readers' groups."""
    node = nodes[node_number]
    if node.given >= 0:
        return None
    for i, candidate in enumerate(nodes[:node_number]):
        if (
            candidate.given < 0
            and candidate.last == node.first - 1
            and node.topics[0] in candidate.topics
        ):
            return i
    return None


def hue(labels: Labels, node: Node, slot: int) -> int:
    """What a family is drawn in: the colour that a reader chose for its largest topic, else its
    slot."""
    chosen_colour = labels.chosen_colour(node.topics[0])
    return slot if chosen_colour is None else CHOSEN + chosen_colour


def homes(run: Run, labels: Labels) -> list[Home]:
    """The family of each topic at the usual cut, and its colours, which are the same on every page.
    While the run trains, and where an old one kept no evidence, there are no families: then slots
    follow the topics' numbers."""
    if run.snapshot is None or not run.snapshot.final:
        return _by_number(run.topics)
    key = run.snapshot.pk, labels.key
    if (homes_of_topics := _homes_of_run.get(key)) is None:
        try:
            homes_of_topics = _homes(run, labels)
        except Invalid:  # it kept no evidence
            homes_of_topics = _by_number(run.topics)
        _homes_of_run.set(key, homes_of_topics)
    return homes_of_topics


# by snapshot and what readers said: of 2,000 topics a list of 16 KB
_homes_of_run = BoundedCache(1_000, weigh=lambda homes: 1 + len(homes) // 100)


def _by_number(K: int) -> list[Home]:
    return [Home(None, k % SLOTS, k % SLOTS) for k in range(K)]


def _homes(run: Run, labels: Labels) -> list[Home]:
    all_nodes = nodes(run, labels)
    number = usual(run, all_nodes)
    homes_of_topics = [Home(None, GENERAL, GENERAL)] * run.topics
    for node, slot in zip(all_nodes, slots(all_nodes), strict=True):
        if node.first <= number <= node.last:
            for k in node.topics:
                homes_of_topics[k] = Home(node.topics[0], slot, hue(labels, node, slot))
    # merged topics are in the family of their target
    return [homes_of_topics[int(target)] for target in labels.into]
