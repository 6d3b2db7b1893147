"""Families of topics, which use similar words and occur in the same documents: one tree, cut where
a reader wishes."""

from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

# of which a tree proposes one number where there are enough topics
LEAST_FAMILIES = 4
MOST_FAMILIES = 7
FEW_TOPICS = 4  # topics up to which each is a family of its own
PRESENT = 0.1  # share of a document from which on it holds a topic
_LEAST_DISTANCE = 1e-12  # that is divided by: of topics that are the same but for rounding
MOST_CLUSTERED = 2_000  # topics that are clustered, the largest; the others join the nearest


class Tree(NamedTuple):
    """topics: the n leaves. joins: n - 1 pairs of nodes, the nearest first: the nodes are the
    leaves 0 to n - 1, then the joins. proposed: how many families it is best cut into."""

    topics: list[int]
    joins: list[tuple[int, int]]
    proposed: int


class Node(NamedTuple):
    """A family. topics: the largest first. first, last: the numbers of families, both included, at
    which it is one of them. given: the number of the reader's group that it is, -1 for a node of
    the tree."""

    topics: list[int]
    first: int
    last: int
    given: int


def distances_of_topics(
    together_counts: np.ndarray, similar: list[list[tuple[int, float]]]
) -> np.ndarray:
    """How far topics are apart, 0 to 1, symmetric: float64[K, K]; half by words, half by documents.

    together_counts: of cooccurrence.documents_together, with PRESENT. similar: of each topic others
    and their Jensen-Shannon divergences in nats (explore.distances); topics that are not among each
    other's count as wholly unlike. By documents: 1 - both / sqrt(a b) (Ochiai 1957)."""
    K = len(together_counts)
    sizes = np.diag(together_counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_documents = 1 - np.nan_to_num(together_counts / np.sqrt(np.outer(sizes, sizes)))
    of_words = np.ones((K, K))
    for k, similar_topics in enumerate(similar):
        for j, divergence in similar_topics:
            of_words[k, j] = of_words[j, k] = min(of_words[k, j], divergence / np.log(2))
    distances = (np.clip(of_documents, 0, 1) + np.clip(of_words, 0, 1)) / 2
    np.fill_diagonal(distances, 0.0)
    return distances


def tree(distances: np.ndarray, size: np.ndarray) -> Tree:
    """Ward's clustering (1963) of the topics of which `size`, float64[K], their words, is not 0.
    distances: float64[K, K].

    Its proposed number of families is the one from LEAST_FAMILIES to MOST_FAMILIES with the
    largest mean silhouette (Rousseeuw 1987).
    """
    used = np.flatnonzero(size > 0)
    n = len(used)
    leaf_place = np.arange(len(used))
    if n <= FEW_TOPICS:
        one_after_the_other = [(0 if i == 1 else n + i - 2, i) for i in range(1, n)]
        return Tree(used.tolist(), one_after_the_other, n)
    large = np.sort(leaf_place[np.argsort(-size[used], kind="stable")][:MOST_CLUSTERED])
    joins: list[tuple[int, int]] = []
    top = dict(zip(large.tolist(), large.tolist(), strict=True))
    for i in np.setdiff1d(leaf_place, large).tolist():
        nearest = int(large[np.argmin(distances[used[i], used[large]])])
        joins.append((top[nearest], i))
        top[nearest] = n + len(joins) - 1
    near = distances[np.ix_(used[large], used[large])]
    nodes = list(top.values())
    ward = linkage(squareform(near, checks=False), "ward")
    for left, right in ward[:, :2].astype(int).tolist():
        nodes.append(n + len(joins))
        joins.append((nodes[left], nodes[right]))
    most_families = min(MOST_FAMILIES, len(large) // 2)
    numbers = range(min(LEAST_FAMILIES, most_families), most_families + 1)

    def silhouette(families: int) -> float:
        return _silhouette(near, fcluster(ward, families, "maxclust") - 1)

    return Tree(used.tolist(), joins, max(numbers, key=silhouette))


def families(
    tree: Tree,
    size: np.ndarray,
    most_families: int,
    given_families: np.ndarray,
    stays_with: np.ndarray,
) -> list[Node]:
    """All families at the cuts of a tree into up to `most_families`: at each the highest join of
    those left is taken apart. In the order in which they come up, so that the first of a number of
    them differ from each other.

    size: float64[K], words of each topic; one of 0 is in none. given_families: int[K], topics with
    one number are a family at every cut, those of -1 are where the tree has them. stays_with:
    int[K], the topic that each stays with, itself for none. A topic that is neither in the tree nor
    given, nor beside such a one, is in none."""
    given, topics_of_leaf = _gathered(tree, size, given_families, stays_with)
    topics_of_node, splits = _joined(tree, topics_of_leaf)
    fewest = len(given) + bool(topics_of_leaf)
    most = max(most_families, fewest)
    first = dict.fromkeys(topics_of_node, fewest)
    last = dict.fromkeys(topics_of_node, most)
    for number, (node, parts) in enumerate(reversed(splits), fewest):
        last[node] = min(number, last[node])
        first |= dict.fromkeys(parts, number + 1)
    nodes = [Node(topics, 0, most, group) for group, topics in given.items()]
    for node, topics in topics_of_node.items():
        if first[node] <= last[node]:
            nodes.append(Node(topics, first[node], last[node], -1))
    nodes = [
        node._replace(topics=sorted(node.topics, key=lambda k: (-size[k], k))) for node in nodes
    ]
    return sorted(nodes, key=lambda node: (node.first, -sum(size[node.topics])))


def _gathered(
    tree: Tree, size: np.ndarray, given_families: np.ndarray, stays_with: np.ndarray
) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """The topics of each given family, and those of each leaf of the tree: its own, and others that
    stay with it. Parameters as of `families`."""
    leaf = np.full(len(size), -1)
    leaf[tree.topics] = np.arange(len(tree.topics))
    is_placed = (given_families >= 0) | (leaf >= 0)
    follows = (given_families < 0) & is_placed[stays_with]
    home = np.where(follows, stays_with, np.arange(len(size)))
    given: dict[int, list[int]] = {}
    topics_of_leaf: dict[int, list[int]] = {}
    for k in np.flatnonzero((size > 0) & is_placed[home]).tolist():
        family = int(given_families[home[k]])
        if family >= 0:
            given.setdefault(family, []).append(k)
        else:
            topics_of_leaf.setdefault(int(leaf[home[k]]), []).append(k)
    return given, topics_of_leaf


def _joined(
    tree: Tree, topics_of_leaf: dict[int, list[int]]
) -> tuple[dict[int, list[int]], list[tuple[int, list[int]]]]:
    """The topics of each node that has any, leaves first, but for joins that add none; and of each
    join its two parts, the nearest first."""
    topics_of_node = dict(topics_of_leaf)
    splits: list[tuple[int, list[int]]] = []
    # Of each node the highest one below it, or itself, that has all its topics
    top = {node: node for node in topics_of_leaf}
    for join, pair in enumerate(tree.joins, len(tree.topics)):
        parts = [top[node] for node in pair if node in top]
        if len(parts) == 2:
            topics_of_node[join] = topics_of_node[parts[0]] + topics_of_node[parts[1]]
            splits.append((join, parts))
            top[join] = join
        elif parts:
            top[join] = parts[0]
    return topics_of_node, splits


def _silhouette(distances: np.ndarray, label: np.ndarray) -> float:
    """Mean over topics; 0 for one that is alone."""
    member = np.eye(int(label.max()) + 1)[label]
    count = member.sum(axis=0)
    if np.count_nonzero(count) < 2:
        return -1.0
    total = distances @ member
    rows = np.arange(len(label))
    own_distance = total[rows, label] / np.maximum(count[label] - 1, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        other_distances = np.where(count > 0, total / count, np.inf)
    other_distances[rows, label] = np.inf
    nearest = other_distances.min(axis=1)
    value = (nearest - own_distance) / np.maximum(
        np.maximum(nearest, own_distance), _LEAST_DISTANCE
    )
    return float(np.where(count[label] > 1, value, 0.0).mean())
