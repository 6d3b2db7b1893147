"""Why a word is in a topic: what the model says, what was counted, and lines of text."""

import numpy as np

from webapp.documents.selection import RunSelection
from webapp.models import Word
from webapp.results import links, measures, topics
from webapp.results.view import RunView
from webapp.storage.sql import rows
from webapp.topics.shapes import TopicOfWord, Why
from webapp.words import concordance, senses

TOPICS = 10  # that are named as having the word, too
LINES = 3  # examples of the word in context


def why(view: RunView, k: int, word: Word, selection: RunSelection) -> Why:
    """What the model says, what was counted, where the word's other tokens are, and LINES lines of text."""
    uses = senses.uses(view, word, selection)
    tokens, documents = (array[0] for array in uses.tally())
    total, of_documents = int(tokens.sum()), uses.in_documents
    order = [int(j) for j in np.argsort(-tokens, kind="stable") if tokens[j]]
    first = topics.top_words(view, order[:TOPICS], 5)

    def lines(topic: int | None = None) -> str:
        return view.go("run_word", word.word, asked=selection.address(topic=topic)[1:])

    divided = [
        TopicOfWord(
            **vars(links.topic_link(view, j)),
            tokens=int(tokens[j]),
            documents=int(documents[j]),
            share=int(tokens[j]) / total,
            words=first[j],
            lines=lines(topic=j),
        )
        for j in order[:TOPICS]
    ]
    return Why(
        word=word.word,
        url=lines(),
        lines_url=lines(topic=k),
        probability=_probability(view, k, word),
        usual=word.tokens / view.run.version.tokens,
        tokens=int(tokens[k]),
        documents=int(documents[k]),
        everywhere=total,
        everywhere_documents=of_documents,
        divided=divided,
        elsewhere=len(order) - len(divided),
        lines=concordance.samples(selection, uses, [k], LINES)[k] if concordance.has_places(view.run) else [],
    )


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
