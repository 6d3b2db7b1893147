"""One topic: its shares over time and by category, its company, and how it stands among the others.

A topic is here what readers read as one: the numbers of topics that were merged into it are in its
own.
"""

import numpy as np

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
STROKES = 200  # of a line that shows every topic's value of a measure: more would touch


def groups(view: RunView, k: int, selection: RunSelection, by: str) -> TopicGroups | None:
    """The topic in groups of documents. Empty groups at both ends are left out; of a category,
    those without documents. None where there is nothing to group by."""
    choices = fields.choices(view.run.version)
    if not choices:
        return None
    groups = fields.groups(view.run.version, by or fields.usual(view.run.version) or choices[0])
    counted = sums.of_selection(selection, groups.by)
    some = np.flatnonzero(counted.of_documents)
    if len(some) and groups.in_time:
        some = np.arange(some[0], some[-1] + 1)
    bins = [
        GroupBin(
            label=counted.labels[i],
            share=number_or_none(counted.shares[i, k]),
            tokens=int(counted.tokens[i, k]),
            documents=int(counted.documents[i, k]),
            of_tokens=int(counted.of_tokens[i]),
            of_documents=int(counted.of_documents[i]),
            url=links.documents_url(view.run, selection.within(groups, i).with_topic(k).address()),
        )
        for i in some.tolist()
    ]
    return TopicGroups(groups.by, groups.in_time, choices, bins)


def phrases(view: RunView, k: int) -> list[TopicPhrase]:
    return [
        TopicPhrase(text, tokens, view.go("run_pattern", pattern=text, topic=k))
        for text, tokens in list(families.phrases(view, [[k]])[0].items())[:PHRASES]
    ]


def neighbours(
    view: RunView, k: int, selection: RunSelection
) -> tuple[list[SimilarTopic], list[BesideTopic]]:
    """Topics with like words; and those in the same documents of the whole run. The link to the
    documents in both stays within the selection."""
    row, labels = Topic.objects.get(snapshot=view.snapshot, number=k), view.labels

    def shown(pairs: list) -> list:
        return [
            pair for pair in pairs if labels.into[pair[0]] == pair[0] and not labels.hidden(pair[0])
        ][:6]

    def both(j: int) -> str:
        return links.documents_url(
            view.run, selection.with_topic(k, 10).with_topic(j, 10).address()
        )

    similar, beside = shown(row.similar), shown(row.beside)
    first = topics.top_words(view, [j for j, *_ in (*similar, *beside)], 6)
    return (
        [
            SimilarTopic(**vars(links.topic_link(view, j)), words=first[j], divergence=d)
            for j, d in similar
        ],
        [
            BesideTopic(
                **vars(links.topic_link(view, j)),
                words=first[j],
                lift=lift,
                documents=n,
                both=both(j),
            )
            for j, lift, n in beside
        ],
    )


# column of models.Topic -> (its term in the glossary, what it is called, decimals, what it means in
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
    known = {name: columns[name][~np.isnan(columns[name])] for name in MEASURES}
    return [
        Measure(
            name,
            *about,
            float(columns[name][k]),
            int(np.count_nonzero(known[name] < columns[name][k])),
            len(known[name]),
            _apart(known[name]).tolist(),
        )
        for name, about in MEASURES.items()
        if not np.isnan(columns[name][k])
    ]


def _apart(values: np.ndarray) -> np.ndarray:
    """Values in their order, the least and the largest among them: of those within a STROKES-th of
    their range one."""
    values = np.sort(values)
    if len(values) <= STROKES:
        return values
    span = values[-1] - values[0]
    _, first = np.unique(
        np.floor((values - values[0]) * (STROKES / span if span else 0.0)), return_index=True
    )
    return values[first]
