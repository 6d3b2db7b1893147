"""The families of a run's topics: its tree, which is stored with its findings, with what readers
changed, cut where an address asks."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import regex
from django.http import QueryDict

from inference.errors import Invalid
from inference.explore.family_names import FamilyName
from inference.explore.naming import LIST, joined
from inference.findings.families import Node
from webapp.analysis.families import family_names
from webapp.analysis.families.shapes import Cuts, FamilyTopics
from webapp.core.documents import corpus_unit
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, family_tree
from webapp.core.results.family_tree import CUTS
from webapp.core.results.labels import Labels
from webapp.core.results.view import RunView
from webapp.models import Topic
from webapp.platform.drawing.numbers import number_with_words, topic_label
from webapp.platform.pages.page import number_in_address
from webapp.platform.pages.page_query import PageQuery
from webapp.platform.storage.cache import BoundedCache

PHRASES = 8
TOPICS_FOR_NAME = 2  # topics that stand for a family without a name of its own
# Phrases with a small word between others make long names: they come last
_SMALL_WORD_WITHIN = regex.compile(r" \p{Ll}{1,3} ")
# By what names depend on, what readers say of the topics, and the number of families
_cuts = BoundedCache(8 << 20)


class NamedFamily(NamedTuple):
    """name: of a reader's group; else a noun or noun phrase, or two, that are found all over it
    (inference.explore.family_names); else its first words. topics: those with most of the run's
    words first. phrases: neighbouring words that it has often, and has more of than the others. slot: its colour; hue: what it is drawn in."""

    name: str
    slot: int
    hue: int
    topics: list[int]
    phrases: Sequence[str] = ()


class Cut(NamedTuple):
    """number_of_families: at which it is made, from least to most; groups of readers may make more.
    usual: at which the run is cut where no address asks for another. families: in the order in
    which they come up."""

    number_of_families: int
    least: int
    most: int
    usual: int
    families: list[NamedFamily]


def read_families(name: str, values: list[str]) -> int:
    """A number of families in an address. Raises Invalid."""
    families = number_in_address(name, values[-1])
    if not CUTS[0] <= families <= CUTS[1]:
        raise Invalid(
            name, f"“{name}” in the address must be from {CUTS[0]} to {CUTS[1]}, got {families}."
        )
    return families


def in_address(query: QueryDict) -> int | None:
    """The number of families that an address asks for; None where it asks for none."""
    return read_families("families", query.getlist("families")) if query.get("families") else None


def cut(view: RunView, families: int | None) -> Cut:
    """families: how many, None for the usual number."""
    key = (family_names.names_key(view.run), view.labels.every_key, families)
    return _cuts.get_or_set(key, partial(_make_cut, view, families))


def _make_cut(view: RunView, asked: int | None) -> Cut:
    all_nodes = family_tree.nodes(view.run, view.labels)
    labels = view.labels
    least, largest = family_tree.ends(all_nodes)
    usual = family_tree.usual(view.run, all_nodes)
    number_of_families = max(least, min(asked or usual, largest))
    nodes: list[Node] = []
    slots: list[int] = []
    for node, slot in zip(all_nodes, family_tree.slots(all_nodes), strict=True):
        if node.first <= number_of_families <= node.last:
            nodes.append(node)
            slots.append(slot)
    phrases_of_families = _telling(
        phrases(view, [node.topics for node in nodes]),
        corpus_unit.names_somebody(view.run.version),
    )
    families_cut = []
    in_order = zip(nodes, slots, _names(view, nodes), phrases_of_families, strict=True)
    for node, slot, name, texts in in_order:
        hue = family_tree.hue(labels, node, slot)
        families_cut.append(NamedFamily(name, slot, hue, node.topics, texts))
    return Cut(number_of_families, least, largest, usual, families_cut)


def _names(view: RunView, nodes: list[Node]) -> list[str]:
    """What each family of a cut is called; the larger ones choose first. A family of one topic has
    that topic's name, and no other has one of a topic or of a reader's group."""
    labels = view.labels
    to_name = [node.topics for node in nodes if node.given < 0 and len(node.topics) > 1]
    # By the largest topic, as no two families of a cut share one
    proposed = {
        topics[0]: family_name
        for topics, family_name in zip(to_name, family_names.proposed(view, to_name), strict=True)
    }
    forbidden = {_alike([labels.name(k)]) for k in range(view.run.topics)}
    forbidden |= {_alike(labels.parts_of_name(k)) for k in range(view.run.topics)}
    forbidden |= {_alike([group]) for group in labels.groups()}
    return [
        _name_node(labels, node, proposed.get(node.topics[0], family_names.NO_NAME), forbidden)
        for node in nodes
    ]


def _alike(parts: Sequence[str]) -> str:
    """What is equal of names with the same parts, in whatever order."""
    return joined(sorted(map(str.casefold, parts))).casefold()


def _name_node(labels: Labels, node: Node, proposed: FamilyName, forbidden: set[str]) -> str:
    """forbidden: what is `_alike` of names that it may not have; its own is added."""
    if node.given >= 0:
        return labels.group(node.topics[0])
    if len(node.topics) == 1:
        return _name_topic(labels, node.topics[0])
    for parts in proposed.names:
        in_order = sorted(parts, key=lambda text: _SMALL_WORD_WITHIN.search(text) is not None)
        name = joined(in_order)
        if forbidden.isdisjoint((_alike(parts), _alike([name]))):
            forbidden.add(_alike(parts))
            return name
    with_names = [k for k in node.topics if labels.has_name(k)]
    if len(with_names) < TOPICS_FOR_NAME and proposed.words:
        return LIST.join(proposed.words)
    # Of several topics without names the words would look like those of one
    standing = with_names[:TOPICS_FOR_NAME] or node.topics[:1]
    return LIST.join(labels.name(k) for k in standing)


def _name_topic(labels: Labels, k: int) -> str:
    if labels.has_name(k):
        return labels.name(k)
    return number_with_words(topic_label(k), labels.name(k))


StoredPhrase = Sequence[Any]  # text, tokens, and what else is stored of it


def phrases(view: RunView, sets: list[list[int]]) -> list[dict[str, int]]:
    """The phrases of each set of topics, and of those merged into them, with their tokens in the
    documents that were looked at, the most frequent first. Under an embargo those that a pattern
    may have."""
    sets_with_merged = [family_names.with_merged(view.labels, topics) for topics in sets]
    numbers = list(chain.from_iterable(sets_with_merged))
    stored_topics = Topic.objects.filter(snapshot=view.snapshot, number__in=numbers)
    phrases_of_topic: Mapping[int, list[StoredPhrase] | None] = dict(
        stored_topics.values_list("number", "phrases")
    )
    counts = []
    for topics in sets_with_merged:
        tokens_of_phrase: Counter[str] = Counter()
        for k in topics:
            for text, tokens, *_ in phrases_of_topic.get(k) or ():
                if family_names.may_be_shown(view.run.corpus, text):
                    tokens_of_phrase[text] += tokens
        counts.append(dict(tokens_of_phrase.most_common()))
    return counts


def _telling(
    all_counts: list[dict[str, int]], names_somebody: Callable[[str], bool]
) -> list[list[str]]:
    """The phrases that tell each family: PHRASES that it has often, and has more of than the
    others; none that names one of those who speak. all_counts: phrases of each family with their
    tokens."""
    phrase_counts: list[Counter[str]] = []
    total: Counter[str] = Counter()
    for of_family in all_counts:
        sayable = [text for text in of_family if not names_somebody(text)]
        counts_of_family = Counter({text: of_family[text] for text in sayable})
        phrase_counts.append(counts_of_family)
        total += counts_of_family
    telling = []
    for counts in phrase_counts:
        scores = {text: tokens**2 / total[text] for text, tokens in counts.items()}
        telling.append(sorted(scores, key=lambda text: -scores[text])[:PHRASES])
    return telling


def members(view: RunView, families: int | None, topic: int) -> list[int]:
    """The topics of the family that a topic is in, at a cut. Raises Invalid where it is in none."""
    if view.run.final:
        for family in cut(view, families).families:
            if topic in family.topics:
                return sorted(family.topics)
    raise Invalid("family", f"{topic_label(topic)} is in no family.")


def count_families(selection: RunSelection, families: int | None) -> list[FamilyTopics]:
    """The families at a cut in a set of documents, those with most words there first."""
    view = selection.view
    targets = selection.view.labels.into.copy()
    families_cut = cut(view, families).families
    for family in families_cut:
        targets[np.isin(view.labels.into, family.topics)] = family.topics[0]
    members, group = selection.in_groups(None)
    (tokens,), (documents,) = evidence.of(view.run).mixtures.sums(group, 1, targets, members)
    share = tokens / max(1, tokens.sum())
    heads = [family.topics[0] for family in families_cut]
    rows = [
        FamilyTopics(
            **family._asdict(),
            tokens=int(tokens[k]),
            documents=int(documents[k]),
            share=float(share[k]),
        )
        for family, k in zip(families_cut, heads, strict=True)
    ]
    return sorted(rows, key=lambda family: -family.tokens)


def around(cut: Cut, page_query: PageQuery) -> Cuts:
    """Addresses of the page with one family less, one more, and the usual number; "" for those that
    can't be had."""
    fewer = ""
    more = ""
    usual = ""
    if cut.number_of_families > cut.least:
        fewer = page_query.url(families=cut.number_of_families - 1)
    if cut.number_of_families < cut.most:
        more = page_query.url(families=cut.number_of_families + 1)
    if cut.number_of_families != cut.usual:
        usual = page_query.url(families=cut.usual)
    return Cuts(len(cut.families), fewer, more, usual, computed=cut.usual)
