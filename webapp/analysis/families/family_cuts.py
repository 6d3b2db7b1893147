"""The families of a run's topics: its tree, which is stored with its findings, with what readers
changed, cut where an address asks."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import regex
from django.http import QueryDict

from inference.errors import Invalid
from inference.findings.families import Node
from webapp.analysis.families.family_names import name_family
from webapp.analysis.families.shapes import Cuts, FamilyTopics
from webapp.core.documents import corpus_unit
from webapp.core.documents.search import UNDER_EMBARGO
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, family_tree
from webapp.core.results.family_tree import CUTS
from webapp.core.results.labels import Labels
from webapp.core.results.view import RunView
from webapp.models import Corpus, Topic
from webapp.platform.drawing.numbers import topic_label
from webapp.platform.pages.page import number_in_address
from webapp.platform.pages.page_query import PageQuery
from webapp.platform.storage.cache import BoundedCache

PHRASES = 8  # of a family
_WORD = regex.compile(r"\w+")
# By what names depend on, what readers say of the topics, and the number of families
_cuts = BoundedCache(8 << 20)


class NamedFamily(NamedTuple):
    """name: of webapp.analysis.families.family_names. topics: those with most of the run's words
    first; named_by: those whose names its name consists of. phrases: neighbouring words that it has
    often, and has more of than the others. slot: its colour; hue: what it is drawn in."""

    name: str
    slot: int
    hue: int
    topics: list[int]
    named_by: list[int]
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
    run = view.run
    key = (
        view.snapshot.pk,
        view.snapshot.naming,
        view.labels.every_key,
        # What phrases may be shown, and which name somebody
        run.corpus.embargo,
        corpus_unit.speaker_fields(run.version),
        families,
    )
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
    for node, slot, texts in zip(nodes, slots, phrases_of_families, strict=True):
        name = name_family(labels, node)
        hue = family_tree.hue(labels, node, slot)
        families_cut.append(
            NamedFamily(
                name=name.text,
                slot=slot,
                hue=hue,
                topics=node.topics,
                named_by=name.topics,
                phrases=texts,
            )
        )
    return Cut(number_of_families, least, largest, usual, families_cut)


StoredPhrase = Sequence[Any]  # text, tokens, and what else is stored of it


def phrases(view: RunView, sets: list[list[int]]) -> list[dict[str, int]]:
    """The phrases of each set of topics, and of those merged into them, with their tokens in the
    documents that were looked at, the most frequent first. Under an embargo those that a pattern
    may have."""
    sets_with_merged = [_with_merged(view.labels, topics) for topics in sets]
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
                if _may_be_shown(view.run.corpus, text):
                    tokens_of_phrase[text] += tokens
        counts.append(dict(tokens_of_phrase.most_common()))
    return counts


def _with_merged(labels: Labels, topics: Iterable[int]) -> list[int]:
    """Topics, each followed by those that are merged into it."""
    return list(chain.from_iterable(map(labels.merged_topics, topics)))


def _may_be_shown(corpus: Corpus, phrase: str) -> bool:
    """Of texts under embargo phrases have no more words than a pattern may have."""
    return not corpus.embargo or len(_WORD.findall(phrase)) <= UNDER_EMBARGO


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
