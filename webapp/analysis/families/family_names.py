"""What a family of topics is called: its two largest topics that have names. Other rules were tried,
and judged worse: words and phrases that are found all over a family name it falsely in a third of
all cases (docs/measurements/names.md)."""

from typing import NamedTuple

from inference.explore.naming import LIST
from inference.findings.families import Node
from webapp.core.results.labels import Labels
from webapp.platform.drawing.numbers import number_with_words, topic_label

NAMING = 2  # topics that a family is called by


class FamilyName(NamedTuple):
    """topics: those whose names, or words, it consists of."""

    text: str
    topics: list[int]


def name_family(labels: Labels, node: Node) -> FamilyName:
    """A reader's group is called as they called it, and a family of one topic as this topic. Where
    one topic has a name the others are counted, and where none has one, the words of the largest
    stand for it."""
    if node.given >= 0:
        return FamilyName(labels.group(node.topics[0]), [])
    if len(node.topics) == 1:
        return FamilyName(_name_topic(labels, node.topics[0]), node.topics)
    visible = [k for k in node.topics if not labels.is_hidden(k)] or node.topics
    topics_with_names = [k for k in visible if labels.has_name(k)]
    naming_topics = topics_with_names[:NAMING]
    if not naming_topics:
        return FamilyName(labels.name(visible[0]), visible[:1])
    texts = [labels.name(k) for k in naming_topics]
    if len(naming_topics) < NAMING:
        texts.append(_count_further(len(node.topics) - len(naming_topics)))
    return FamilyName(LIST.join(texts), naming_topics)


def _count_further(topics: int) -> str:
    if topics == 1:
        return "1 more topic"
    return f"{topics} more topics"


def _name_topic(labels: Labels, k: int) -> str:
    if labels.has_name(k):
        return labels.name(k)
    return number_with_words(topic_label(k), labels.name(k))
