"""Why a word is in a topic: what the model says, what was counted, and lines of text."""

import numpy as np

from webapp.documents.selection import RunSelection
from webapp.models import Word
from webapp.results import links, measures, topics
from webapp.results.view import RunView
from webapp.storage.sql import rows
from webapp.words import concordance, senses

TOPICS = 10  # that are named as having the word, too
LINES = 3  # examples of the word in context


def why(view: RunView, k: int, word: Word, selection: RunSelection) -> dict:
    """Why a word is in a topic: what the model says, what was counted, where its other tokens are, and LINES lines of
    text.

    probability: p(w|k) as the model has it; usual: the word's share of the corpus. The rest is of the selected
    documents.
    """
    uses = senses.uses(view, word, selection)
    tokens, documents = (array[0] for array in uses.tally())
    total, of_documents = int(tokens.sum()), len(uses.documents)
    order = [int(j) for j in np.argsort(-tokens, kind="stable") if tokens[j]]
    first = topics.top_words(view, order[:TOPICS], 5)
    divided = [
        links.topic(view, j)
        | {"tokens": int(tokens[j]), "documents": int(documents[j]), "share": int(tokens[j]) / total, "words": first[j],
           "lines": links.word_url(view.run, word.word, selection.address(topic=str(j)))}
        for j in order[:TOPICS]
    ]  # fmt: skip
    lines = concordance.samples(selection, uses, [k], LINES)[k] if concordance.has_places(view.run) else []
    return {
        "word": word.word,
        "url": links.word_url(view.run, word.word, selection.address()),
        "lines_url": links.word_url(view.run, word.word, selection.address(topic=str(k))),
        "probability": _probability(view, k, word),
        "usual": word.tokens / view.run.version.tokens,
        "tokens": int(tokens[k]),
        "documents": int(documents[k]),
        "everywhere": total,
        "everywhere_documents": of_documents,
        "divided": divided,
        "elsewhere": len(order) - len(divided),
        "lines": lines,
    }


def _probability(view: RunView, k: int, word: Word) -> float:
    """p(w|k) of the topic and those merged into it together."""
    parts, columns = view.labels.parts(k), measures.of(view.run)
    listed = rows(
        "SELECT topic, weight FROM topic_word WHERE snapshot_id = %s AND word = %s AND topic = ANY(%s)",
        [view.run.snapshot_id, word.number, parts],
    )
    weight = columns["floor"][parts]
    for row in listed:
        weight[parts.index(row["topic"])] = row["weight"]
    size = columns["share"][parts]
    return float((size * weight).sum() / size.sum()) if size.sum() else float(weight[0])
