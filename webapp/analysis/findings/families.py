"""The families of a run's topics: its tree, which is stored with its findings, with what readers
changed, cut where an address asks."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import regex
from django.http import QueryDict

from inference.errors import Invalid
from inference.explore import cooccurrence
from inference.findings import families
from inference.findings.families import Node, Tree
from webapp.analysis.findings.shapes import Cuts, FamilyTopics
from webapp.core.documents.search import UNDER_EMBARGO
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, measures, topics
from webapp.core.results.view import RunView
from webapp.models import Findings, Run, Topic
from webapp.platform.drawing.colours import distinct
from webapp.platform.pages.here import Here
from webapp.platform.pages.page import number_in_address
from webapp.platform.storage.cache import cached

TREE, METHOD = (
    "tree",
    1,
)  # of models.Findings: key, and which way of making a tree is the present one
CUTS = (2, 20)  # families that a reader may ask for
NAMED = 2  # of its topics that a family is called by
PHRASES = 4


class Family(NamedTuple):
    """topics: those with most of the run's words first. Name and colour are those of its topics, at
    every cut."""

    name: str
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


def asked(name: str, values: list[str]) -> int:
    """A number of families in an address. Raises Invalid."""
    number = number_in_address(name, values[-1])
    if not CUTS[0] <= number <= CUTS[1]:
        raise Invalid(
            name, f"“{name}” in the address must be from {CUTS[0]} to {CUTS[1]}, got {number}."
        )
    return number


def in_address(query: QueryDict) -> int | None:
    """The same, of an address that may ask for no number."""
    return asked("families", query.getlist("families")) if query.get("families") else None


@cached(64)
def tree(snapshot_id: int) -> Tree:
    """Stored at the end of a run; of runs by older programs when it is first asked for."""
    row = Findings.objects.filter(snapshot=snapshot_id, key=TREE, method=METHOD).first()
    if row is None:
        values = {"method": METHOD, "data": _made(Run.objects.get(snapshot=snapshot_id))}
        row, _ = Findings.objects.update_or_create(
            snapshot_id=snapshot_id, key=TREE, defaults=values
        )
    topics, joins, proposed = row.data
    return Tree(topics, [(a, b) for a, b in joins], proposed)


def _made(run: Run) -> Tree:
    """Of the topics in use; without general talk, unless that is most of the words: then it is what
    the documents are about."""
    counted, columns = evidence.of(run), measures.of(run)
    size = np.where(columns["used"] > 0, columns["tokens"], 0.0)
    subjects = np.where(columns["background"] > 0, 0.0, size)
    arrays = counted.doc_ptr, counted.doc_topics, counted.doc_tokens, counted.lengths
    both = cooccurrence.together(*arrays, run.topics, families.PRESENT)
    similar = (
        Topic.objects.filter(snapshot=run.snapshot_id)
        .order_by("number")
        .values_list("similar", flat=True)
    )
    return families.tree(
        families.apart(both, list(similar)), subjects if 2 * subjects.sum() > size.sum() else size
    )


def nodes(view: RunView) -> list[Node]:
    """All families at all cuts. Topics that a reader grouped are one; merged topics are a part of
    their target, and one that a reader moved stays with the other."""
    labels, groups = view.labels, view.labels.groups()
    given = [
        groups.index(name) if (name := labels.group(k)) else -1 for k in range(view.run.topics)
    ]
    size = labels.merged(np.nan_to_num(measures.of(view.run)["tokens"]))
    every = families.families(tree(view.snapshot.pk), size, CUTS[1], np.array(given), labels.beside)
    return [node for node in every if node.last >= CUTS[0]]


def cut(view: RunView, number: int | None) -> Cut:
    """number: None for the usual one."""
    every, labels = nodes(view), view.labels
    grouped = sum(node.given >= 0 for node in every)
    least, most = (
        max(CUTS[0], grouped + (len(every) > grouped)),
        max((node.first for node in every), default=0),
    )
    usual = max(least, min(tree(view.snapshot.pk).proposed + grouped, most))
    number = max(least, min(number or usual, most))
    heads = list(dict.fromkeys(node.topics[0] for node in every))
    hues = distinct([labels.hue(k) for k in heads], [labels.coloured(k) for k in heads])
    here = [node for node in every if node.first <= number <= node.last]
    return Cut(
        number,
        least,
        most,
        usual,
        [
            Family(_name(view, node), hues[heads.index(node.topics[0])], node.topics)
            for node in here
        ],
    )


def phrases(view: RunView, sets: list[list[int]]) -> list[dict[str, int]]:
    """Of each set of topics, and of those merged into them: their phrases with the tokens in the
    documents that were looked at, the most frequent first. Under an embargo those that a pattern
    may have."""
    parts = [[m for k in numbers for m in view.labels.parts(k)] for numbers in sets]
    every = Topic.objects.filter(snapshot=view.snapshot, number__in=list(chain(*parts)))
    of_topic = dict(every.values_list("number", "phrases"))
    counts = [Counter[str]() for _ in sets]
    for own, numbers in zip(counts, parts, strict=True):
        for text, tokens, _ in chain(*filter(None, map(of_topic.get, numbers))):
            if not (view.run.corpus.embargo and len(regex.findall(r"\w+", text)) > UNDER_EMBARGO):
                own[text] += tokens
    return [dict(own.most_common()) for own in counts]


def with_phrases(view: RunView, some: list[Family]) -> list[Family]:
    """With those of its topics that a family has often, and has more of than the others."""
    own = phrases(view, [family.topics for family in some])
    total = sum(map(Counter, own), Counter[str]())
    first = [
        sorted(texts, key=lambda text: -(texts[text] ** 2) / total[text])[:PHRASES] for texts in own
    ]
    return [family._replace(phrases=texts) for family, texts in zip(some, first, strict=True)]


def counted(selection: RunSelection, number: int | None) -> list[FamilyTopics]:
    """The families at a cut in a set of documents, those with most words there first."""
    view, into = selection.view, selection.view.labels.into.copy()
    some = with_phrases(view, cut(view, number).families)
    for family in some:
        into[np.isin(view.labels.into, family.topics)] = family.topics[0]
    members, group = selection.in_groups(None)
    (tokens,), (documents,) = evidence.of(view.run).sums(group, 1, into, members)
    share, heads = tokens / max(1, tokens.sum()), [family.topics[0] for family in some]
    rows = [
        FamilyTopics(
            **family._asdict(),
            tokens=int(tokens[k]),
            documents=int(documents[k]),
            share=float(share[k]),
        )
        for family, k in zip(some, heads, strict=True)
    ]
    return sorted(rows, key=lambda family: -family.tokens)


def around(cut: Cut, here: Here) -> Cuts:
    return Cuts(
        number=len(cut.families),
        fewer=here.url(families=cut.number - 1) if cut.number > cut.least else "",
        more=here.url(families=cut.number + 1) if cut.number < cut.most else "",
        usual=here.url(families=cut.usual) if cut.number != cut.usual else "",
        computed=cut.usual,
    )


def _name(view: RunView, node: Node) -> str:
    if node.given >= 0:
        return view.labels.group(node.topics[0])
    named, words = node.topics[:NAMED], topics.top_words(view, node.topics[:NAMED], 1)
    return "; ".join(view.labels.name(k) or ", ".join(words[k]) for k in named)
