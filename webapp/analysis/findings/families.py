"""The families of a run's topics: its tree, which is stored with its findings, with what readers
changed, cut where an address asks."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import regex
from django.http import QueryDict

from inference.errors import Invalid
from inference.explore import reach
from inference.explore.naming import joined
from inference.findings.families import Node
from webapp.analysis.findings.shapes import Cuts, FamilyTopics
from webapp.core.documents import corpus_unit, fields
from webapp.core.documents.search import UNDER_EMBARGO
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, families
from webapp.core.results.families import CUTS
from webapp.core.results.labels import Labels
from webapp.core.results.view import RunView
from webapp.models import Run, Topic
from webapp.platform.pages.page import number_in_address
from webapp.platform.pages.page_query import PageQuery
from webapp.platform.storage.cache import cached

PHRASES_NAMED = 2  # phrases that a family is called by
PHRASES = 8
AND_MORE = " and {count} more"  # topics of a family that is called by one of them
# Of inference.explore.reach.spread: what is spread less over a family is no name of it
LEAST_SPREAD = 0.25
WORTH_OF_SPREAD = 2  # the power of the spread that a phrase's score is multiplied by
STEM = 5  # letters that two phrases of a name may not have in common at the beginning of a word
# Phrases with a small word between others make long names, or begin with what is done ("reported by
# Google"): they come last
_SMALL_WORD_WITHIN = regex.compile(r" \p{Ll}{1,3} ")


class Family(NamedTuple):
    """name: of a reader's group; else two noun phrases, or one, that no other family of the cut
    has and that are spread over it; else of its largest topic that has a name, and how many more
    there are. topics: those with most of the run's words first. phrases: neighbouring words that it
    has often, and has more of than the others. slot: its colour; hue: what it is drawn in."""

    name: str
    slot: int
    hue: int
    topics: list[int]
    phrases: Sequence[str] = ()


class Cut(NamedTuple):
    """number: at which it is made, from least to most. usual: at which the run is cut where no
    address asks for another. families: in the order in which they come up."""

    number: int
    least: int
    most: int
    usual: int
    families: list[Family]


def read_number(name: str, values: list[str]) -> int:
    """A number of families in an address. Raises Invalid."""
    number = number_in_address(name, values[-1])
    if not CUTS[0] <= number <= CUTS[1]:
        raise Invalid(
            name, f"“{name}” in the address must be from {CUTS[0]} to {CUTS[1]}, got {number}."
        )
    return number


def in_address(query: QueryDict) -> int | None:
    """The number of families that an address asks for; None where it asks for none."""
    return read_number("families", query.getlist("families")) if query.get("families") else None


def cut(view: RunView, number: int | None) -> Cut:
    """number: None for the usual one."""
    all_nodes = families.nodes(view.run, view.labels)
    labels = view.labels
    least, largest = families.ends(all_nodes)
    usual = families.usual(view.run, all_nodes)
    number = max(least, min(number or usual, largest))
    nodes_at_cut = [
        (node, slot)
        for node, slot in zip(all_nodes, families.slots(all_nodes), strict=True)
        if node.first <= number <= node.last
    ]
    topics_of_families = [node.topics for node, _ in nodes_at_cut]
    names_somebody = corpus_unit.names_somebody(view.run.version)
    stored_phrases = _read_phrases(view, topics_of_families)
    every_phrase = {k: of_topic.every for k, of_topic in stored_phrases.items()}
    nouns = {k: _noun_phrases(of_topic) for k, of_topic in stored_phrases.items()}
    telling_phrases = _telling(_add_up(view, topics_of_families, every_phrase), names_somebody)
    noun_phrases = _telling(
        _add_up(view, topics_of_families, nouns),
        names_somebody,
        _spread(view, topics_of_families, nouns),
    )
    names_of_topics = {labels.name(k).casefold() for k in range(view.run.topics)}
    families_cut = [
        Family(
            _name_node(labels, node, proposed),
            slot,
            families.hue(labels, node, slot),
            node.topics,
            texts,
        )
        for (node, slot), proposed, texts in zip(
            nodes_at_cut, names(noun_phrases, names_of_topics), telling_phrases, strict=True
        )
    ]
    return Cut(number, least, largest, usual, families_cut)


def names(phrases: Sequence[Sequence[str]], names_of_topics: Set[str] = frozenset()) -> list[str]:
    """The name of each family: of its noun phrases, the best first, two that no other family has,
    and that say different things; one where there are no two, "" where there is none.
    names_of_topics: in small letters; a family gets none of these where it has another phrase."""
    families_with: Counter[str] = Counter()
    for phrases_of_family in phrases:
        families_with.update({text.casefold() for text in phrases_of_family})
    names_of_families = []
    for phrases_of_family in phrases:
        own_phrases = [text for text in phrases_of_family if families_with[text.casefold()] == 1]
        own_phrases.sort(key=lambda text: _SMALL_WORD_WITHIN.search(text) is not None)
        unlike_phrases: list[str] = []
        for text in own_phrases:
            if not any(_stems(text) & _stems(earlier) for earlier in unlike_phrases):
                unlike_phrases.append(text)
        first, rest = unlike_phrases[: PHRASES_NAMED - 1], unlike_phrases[PHRASES_NAMED - 1 :]
        proposed = [joined([*first, text]) for text in rest] or [joined(first)]
        not_of_topics = (name for name in proposed if name.casefold() not in names_of_topics)
        names_of_families.append(next(not_of_topics, proposed[0]))
    return names_of_families


def _name_node(labels: Labels, node: Node, proposed: str) -> str:
    if node.given >= 0:
        return labels.group(node.topics[0])
    largest_named = next(filter(labels.has_name, node.topics), None)
    is_one_named_topic = len(node.topics) == 1 and largest_named is not None
    if proposed and not is_one_named_topic:
        return proposed
    if largest_named is None:
        return labels.name(node.topics[0])
    more_topics = len(node.topics) - 1
    return labels.name(largest_named) + (AND_MORE.format(count=more_topics) if more_topics else "")


def _stems(text: str) -> set[str]:
    """The beginnings of its words but for the small ones."""
    words = regex.findall(r"\w{3,}|\p{Lu}{2}", text)
    return {word[:STEM].casefold() for word in words}


StoredPhrase = Sequence[Any]  # text, tokens, and what else is stored of it


class TopicPhrases(NamedTuple):
    """Phrases of one topic. nouns: those that a family may be called by;
    None, of a run by an older program: every one."""

    every: list[StoredPhrase] | None
    nouns: list[StoredPhrase] | None


def _noun_phrases(of_topic: TopicPhrases) -> list[StoredPhrase]:
    if of_topic.nouns is not None:
        return of_topic.nouns
    return [(text, tokens) for text, tokens, *_ in of_topic.every or ()]


def phrases(view: RunView, sets: list[list[int]]) -> list[dict[str, int]]:
    """The phrases of each set of topics, and of those merged into them, with their tokens in the
    documents that were looked at, the most frequent first. Under an embargo those that a pattern
    may have."""
    stored_phrases = _read_phrases(view, sets)
    return _add_up(view, sets, {k: of_topic.every for k, of_topic in stored_phrases.items()})


def _read_phrases(view: RunView, sets: list[list[int]]) -> dict[int, TopicPhrases]:
    """By topic."""
    numbers = [part for topics in sets for k in topics for part in view.labels.parts(k)]
    stored_topics = Topic.objects.filter(snapshot=view.snapshot, number__in=numbers)
    return {
        number: TopicPhrases(every_phrase, noun_phrases)
        for number, every_phrase, noun_phrases in stored_topics.values_list(
            "number", "phrases", "noun_phrases"
        )
    }


def _add_up(
    view: RunView,
    sets: list[list[int]],
    phrases_of_topic: Mapping[int, list[StoredPhrase] | None],
) -> list[dict[str, int]]:
    """What `phrases` gives, of phrases by topic."""
    counts = []
    for topics in sets:
        tokens_of_phrase: Counter[str] = Counter()
        for part in chain.from_iterable(map(view.labels.parts, topics)):
            for text, tokens, *_ in phrases_of_topic.get(part) or ():
                if _may_be_shown(view, text):
                    tokens_of_phrase[text] += tokens
        counts.append(dict(tokens_of_phrase.most_common()))
    return counts


def _may_be_shown(view: RunView, phrase: str) -> bool:
    return not view.run.corpus.embargo or len(regex.findall(r"\w+", phrase)) <= UNDER_EMBARGO


def _telling(
    all_counts: list[dict[str, int]],
    names_somebody: Callable[[str], bool],
    spread_of_phrases: Sequence[Mapping[str, float]] = (),
) -> list[list[str]]:
    """The phrases that tell each family: PHRASES that it has often, and has more of than the
    others; none that names one of those who speak. all_counts: phrases of each family with their
    tokens. spread_of_phrases: of each family how evenly phrases are spread over it, where that is
    asked for: those that are spread further come first, and those of a part of it are left out."""
    phrase_counts = [
        {text: tokens for text, tokens in of_family.items() if not names_somebody(text)}
        for of_family in all_counts
    ]
    total = sum(map(Counter, phrase_counts), Counter[str]())
    telling = []
    for family, counts in enumerate(phrase_counts):
        spread = spread_of_phrases[family] if spread_of_phrases else {}
        scores = {}
        for text, tokens in counts.items():
            evenly = spread.get(text, 1.0)
            if evenly >= LEAST_SPREAD:
                scores[text] = tokens**2 / total[text] * evenly**WORTH_OF_SPREAD
        telling.append(sorted(scores, key=lambda text: -scores[text])[:PHRASES])
    return telling


def _spread(
    view: RunView, sets: list[list[int]], nouns: dict[int, list[StoredPhrase]]
) -> list[dict[str, float]]:
    """How evenly the noun phrases of each family are spread over its topics and the time; none of a
    phrase that an older program stored without the topics that it reaches."""
    assert view.run.snapshot_id is not None, f"run {view.run.pk} has no topics yet"
    spread_of_families = []
    for topics in sets:
        members = [part for k in topics for part in view.labels.parts(k)]
        row_of_topic = {k: row for row, k in enumerate(members)}
        spread_of_phrases: dict[str, float] = {}
        for text, _, *reached in chain.from_iterable(nouns.get(k, ()) for k in members):
            if not reached or text in spread_of_phrases:
                continue
            sizes = _sizes(view.run.snapshot_id)[members]
            shares = np.zeros_like(sizes)
            of_topics = dict(reached[0])
            if reach.OTHERS in of_topics:
                shares[:] = of_topics[reach.OTHERS]
            for topic, of_spans in of_topics.items():
                if topic in row_of_topic:
                    shares[row_of_topic[topic]] = of_spans
            spread_of_phrases[text] = reach.spread(sizes, shares)
        spread_of_families.append(spread_of_phrases)
    return spread_of_families


@cached(64)
def _sizes(snapshot_id: int) -> np.ndarray:
    """float64[K, spans]: tokens of each topic in each span of time."""
    run = Run.objects.select_related("version").get(snapshot=snapshot_id)
    spans = reach.spans_of_time(fields.dates(run.version))
    tokens, _ = evidence.of(run).sums(spans, int(spans.max(initial=0)) + 1)
    return tokens.T.astype(np.float64)


def count_families(selection: RunSelection, number: int | None) -> list[FamilyTopics]:
    """The families at a cut in a set of documents, those with most words there first."""
    view = selection.view
    targets = selection.view.labels.into.copy()
    families_cut = cut(view, number).families
    for family in families_cut:
        targets[np.isin(view.labels.into, family.topics)] = family.topics[0]
    members, group = selection.in_groups(None)
    (tokens,), (documents,) = evidence.of(view.run).sums(group, 1, targets, members)
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
    return Cuts(
        number=len(cut.families),
        fewer=page_query.url(families=cut.number - 1) if cut.number > cut.least else "",
        more=page_query.url(families=cut.number + 1) if cut.number < cut.most else "",
        usual=page_query.url(families=cut.usual) if cut.number != cut.usual else "",
        computed=cut.usual,
    )
