"""One topic: its shares over time and by category, its company, and how it stands among the others.

A topic is here what readers read as one: the numbers of topics that were merged into it are in its
own.
"""

import numpy as np
from django.http import Http404

from webapp.analysis.findings import families
from webapp.analysis.topics.shapes import (
    BesideTopic,
    GroupBin,
    Measure,
    SimilarTopic,
    TopicGroups,
    TopicPhrase,
)
from webapp.core.documents import fields, sums
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links, measures, topics
from webapp.core.results.view import RunView
from webapp.models import Run, Topic
from webapp.platform.storage.nulls import number_or_none

PHRASES = 8  # that are shown
NEIGHBOURS = 6  # of each kind
WORDS = 6  # of a neighbour
PERCENT = 10  # of a document, from which it counts as one with a topic
STROKES = 200  # of a line that shows every topic's value of a measure: more would touch


def described(view: RunView, number: int) -> topics.TopicDetail:
    """A topic. Raises Http404 where the run has none of that number."""
    topic = topics.described(view, number)
    if topic is None:
        raise Http404(f"Run {view.run.pk} has no topic {number}.")
    return topic


def groups(view: RunView, k: int, selection: RunSelection, by: str) -> TopicGroups | None:
    """The topic in groups of documents. Empty groups at both ends are left out; of a category,
    those without documents. None where there is nothing to group by."""
    choices = fields.choices(view.run.version)
    if not choices:
        return None
    groups = fields.groups(view.run.version, by or fields.usual(view.run.version) or choices[0])
    counted_sums = sums.of_selection(selection, groups.by)
    groups_listed = np.flatnonzero(counted_sums.of_documents)
    if len(groups_listed) and groups.in_time:
        groups_listed = np.arange(groups_listed[0], groups_listed[-1] + 1)
    bins = [
        GroupBin(
            label=counted_sums.labels[i],
            share=number_or_none(counted_sums.shares[i, k]),
            tokens=int(counted_sums.tokens[i, k]),
            documents=int(counted_sums.documents[i, k]),
            of_tokens=int(counted_sums.of_tokens[i]),
            of_documents=int(counted_sums.of_documents[i]),
            url=_documents_url(view, selection.within(groups, i).with_topic(k)),
        )
        for i in groups_listed.tolist()
    ]
    return TopicGroups(groups.by, groups.in_time, choices, bins)


def _documents_url(view: RunView, selection: RunSelection) -> str:
    return links.documents_url(view.run, selection.address())


def phrases(view: RunView, k: int) -> list[TopicPhrase]:
    (tokens_of_phrase,) = families.phrases(view, [[k]])
    first = list(tokens_of_phrase.items())[:PHRASES]
    return [
        TopicPhrase(text, tokens, view.go("run_pattern", pattern=text, topic=k))
        for text, tokens in first
    ]


def neighbours(
    view: RunView, k: int, selection: RunSelection
) -> tuple[list[SimilarTopic], list[BesideTopic]]:
    """Topics with like words; and those in the same documents of the whole run. The link to the
    documents in both stays within the selection."""
    row = Topic.objects.get(snapshot=view.snapshot, number=k)
    with_like_words = _first_visible(view, row.similar)
    in_same_documents = _first_visible(view, row.beside)
    numbers = [number for number, *_ in (*with_like_words, *in_same_documents)]
    first = topics.top_words(view, numbers, WORDS)
    with_topic = selection.with_topic(k, PERCENT)
    similar = [
        SimilarTopic(
            **vars(links.topic_link(view, number)), words=first[number], divergence=divergence
        )
        for number, divergence in with_like_words
    ]
    topics_beside = [
        BesideTopic(
            **vars(links.topic_link(view, number)),
            words=first[number],
            lift=lift,
            documents=documents,
            both=_documents_url(view, with_topic.with_topic(number, PERCENT)),
        )
        for number, lift, documents in in_same_documents
    ]
    return similar, topics_beside


def _first_visible(view: RunView, neighbours: list[list]) -> list[list]:
    """Without topics that are hidden or merged into others. neighbours: of each its number first."""
    labels = view.labels

    def is_visible(number: int) -> bool:
        return labels.into[number] == number and not labels.hidden(number)

    return [row for row in neighbours if is_visible(row[0])][:NEIGHBOURS]


# Column of models.Topic -> (its term in the glossary, what it is called, decimals, what it means in
# a sentence)
MEASURES = {
    "coherence": (
        "umass",
        "UMass coherence",
        1,
        "How often its first words occur in the same documents; nearer to 0 is better.",
    ),
    "npmi": (
        "npmi",
        "NPMI",
        2,
        (
            "The same, independent of how frequent the words are: from −1 to 1, above 0 for words"
            " that occur together more often than by chance."
        ),
    ),
    "exclusivity": (
        "exclusivity",
        "Exclusivity",
        2,
        "How exclusively its first words belong to it; near 0, many topics share them.",
    ),
    "effective_words": (
        "effective-words",
        "Effective words",
        0,
        "How many words it effectively consists of; few for a narrow topic.",
    ),
    "document_entropy": (
        "document-entropy",
        "Document entropy",
        1,
        "How widely it is spread over documents; low where a few hold most of it.",
    ),
    "rank_1_documents": (
        "rank-1",
        "First in documents",
        2,
        "The share of documents in which no topic is larger; low for a background topic.",
    ),
    "uniform_distance": (
        "uniform-distance",
        "Distance from uniform",
        1,
        "How far it is from giving all words the same weight; near 0 it has learned nothing.",
    ),
    "corpus_distance": (
        "corpus-distance",
        "Distance from the corpus",
        1,
        (
            "How much its words differ from those of the whole corpus; near 0 it is about nothing"
            " in particular."
        ),
    ),
}


def diagnostics(run: Run, k: int) -> list[Measure]:
    """Each measure of the topic as the model has it."""
    columns = measures.of(run)
    measured = []
    for name, (term, title, decimals, meaning) in MEASURES.items():
        value = columns[name][k]
        if np.isnan(value):
            continue
        values = columns[name][~np.isnan(columns[name])]
        measure = Measure(
            name=name,
            term=term,
            title=title,
            places=decimals,
            means=meaning,
            value=float(value),
            below=int(np.count_nonzero(values < value)),
            of=len(values),
            all=_drawn_apart(values).tolist(),
        )
        measured.append(measure)
    return measured


def _drawn_apart(values: np.ndarray) -> np.ndarray:
    """Values in their order, the least and the largest among them: of those within a STROKES-th of
    their range one."""
    values = np.sort(values)
    if len(values) <= STROKES:
        return values
    span = values[-1] - values[0]
    per_unit = STROKES / span if span else 0.0
    strokes = np.floor((values - values[0]) * per_unit)
    _, first_of_stroke = np.unique(strokes, return_index=True)
    return values[first_of_stroke]
