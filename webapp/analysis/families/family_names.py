"""What a family of topics is called: its two largest topics that have names; where it has no two, its
three largest by what each has, a name or its first word. Other rules were tried, and judged worse:
words and phrases that are found all over a family name it falsely in a third of all cases
(docs/measurements/names.md)."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from inference.explore.naming import LIST
from inference.findings.families import Node
from webapp.core.results.labels import Labels
from webapp.platform.drawing.numbers import number_with_words, topic_label

NAMING = 2  # topics with names that a family is called by
# Topics where it has fewer with names: one part of a larger family would stand for all of it
LISTED = 3


class FamilyName(NamedTuple):
    """topics: those whose names, or words, it consists of."""

    text: str
    topics: list[int]


def name_family(labels: Labels, node: Node) -> FamilyName:
    """A reader's group is called as they called it, and a family of one topic as this topic."""
    if node.given >= 0:
        return FamilyName(labels.group(node.topics[0]), [])
    visible = [k for k in node.topics if not labels.is_hidden(k)] or node.topics
    if len(node.topics) == 1 or len(visible) == 1:
        return FamilyName(_name_topic(labels, visible[0]), visible)
    with_names = [k for k in visible if labels.has_name(k)][:NAMING]
    if len(with_names) == NAMING:
        return FamilyName(LIST.join(labels.name(k) for k in with_names), with_names)
    largest = visible[:LISTED]
    return FamilyName(LIST.join(_name_each(labels, largest)), largest)


def _name_each(labels: Labels, topics: Sequence[int]) -> list[str]:
    """The name of each topic; of those without one the first of its words that is not said yet."""
    texts: list[str] = []
    for k in topics:
        if labels.has_name(k):
            texts.append(labels.name(k))
            continue
        said_words = set(LIST.join(texts).casefold().split())
        listed_words = labels.listed_words(k)
        new_words = (word for word in listed_words if word.casefold() not in said_words)
        texts.extend(islice(new_words, 1))
    return texts


def _name_topic(labels: Labels, k: int) -> str:
    if labels.has_name(k):
        return labels.name(k)
    return number_with_words(topic_label(k), labels.name(k))
