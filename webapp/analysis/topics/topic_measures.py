"""The measures of one topic as its page shows them: each beside those of all other topics."""

import numpy as np

from webapp.analysis.topics.shapes import Measure
from webapp.core.results import measures
from webapp.models import Run

STROKES = 200  # of a line that shows every topic's value of a measure: more would touch

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
        "The share of documents in which it is the largest topic; low for a background topic.",
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


def list_measures(run: Run, k: int) -> list[Measure]:
    """Each measure of a topic that is known, and where it is among all topics. run: a finished
    one."""
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
            all=values_drawn_apart(values).tolist(),
        )
        measured.append(measure)
    return measured


def values_drawn_apart(values: np.ndarray) -> np.ndarray:
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
