"""The words of one topic: how often each was given to it, and their order by relevance; and why a
word is in it: what the model says, what was counted, and lines of text.
"""

from typing import NamedTuple

import numpy as np

from inference.explore.relevance import relevance
from webapp.analysis.topics.shapes import TopicOfWord, WeighedWord, Why
from webapp.analysis.words import concordance, senses
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, links, measures, topics
from webapp.core.results.view import RunView
from webapp.models import Word
from webapp.platform.storage.cache import BoundedCache, cached
from webapp.platform.storage.sql import rows, tuples

WORDS = 30  # on the topic's own page
LEAST = 5  # tokens of a word that is shown for being nowhere else
_tallies = BoundedCache(8 << 20)  # the words of topics that a web process remembers


class Words(NamedTuple):
    """Every word that has tokens in a topic: numbers int64[n]; tokens: in the topic; everywhere: in
    all topics.

    All in the selected documents. of_topic, of_all: the tokens of the topic and of all topics
    there.
    """

    numbers: np.ndarray
    tokens: np.ndarray
    everywhere: np.ndarray
    of_topic: int
    of_all: int


def tallied(view: RunView, k: int, selection: RunSelection) -> Words:
    """The words of a topic and of those merged into it. Kept: a page of all words asks for them
    again."""
    run, parts = view.run, view.labels.parts(k)
    merges = (
        view.labels.into.tobytes() if selection.topics else b""
    )  # a condition on a topic depends on all merges
    key = (run.snapshot_id, tuple(parts), tuple(selection.parameters), merges)
    return _tallies.get_or_set(
        key, lambda: _of_all(view, parts) if not selection else _of_some(view, parts, selection)
    )


def _of_all(view: RunView, parts: list[int]) -> Words:
    """In all documents: from the rows of the snapshot."""
    run = view.run
    counts = tuples(
        "SELECT word, sum(tokens)::bigint AS tokens FROM topic_word"
        " WHERE snapshot_id = %s AND topic = ANY(%s) AND tokens > 0 GROUP BY word ORDER BY word",
        [run.snapshot_id, parts],
    )
    number, tokens = np.array(counts, np.int64).reshape(-1, 2).T
    return Words(
        number, tokens, _everywhere(run.version_id)[number], int(tokens.sum()), run.version.tokens
    )


def _of_some(view: RunView, parts: list[int], selection: RunSelection) -> Words:
    """In the selected documents: one pass over their words."""
    slot = np.full(view.run.topics, -1, np.int32)
    slot[parts] = 0
    documents, group = selection.in_groups(None)
    tokens, everywhere = evidence.of(view.run).word_sums(group, 1, slot, 1, documents)[0]
    some = np.flatnonzero(tokens)
    return Words(some, tokens[some], everywhere[some], int(tokens.sum()), int(everywhere.sum()))


@cached(32)
def _everywhere(version_id: int) -> np.ndarray:
    """int64[V]: tokens of each word of a corpus."""
    return np.array(
        tuples("SELECT tokens FROM word WHERE version_id = %s ORDER BY number", [version_id]),
        np.int64,
    ).ravel()


def relevant(
    view: RunView, k: int, selection: RunSelection, lam: float, after: int = 0, limit: int = WORDS
) -> tuple[list[WeighedWord], int | None]:
    """A topic's words by relevance (Sievert and Shirley 2014), from place `after` on, without
    hidden ones; and the next place. Below a relevance of 1 words with fewer than LEAST tokens stand
    behind all others: each of them is nowhere else by chance."""
    words = tallied(view, k, selection)
    if not len(words.numbers):
        return [], None
    score = relevance(
        words.tokens, words.everywhere, lam, inside_total=words.of_topic, total=words.of_all
    )
    order = np.lexsort((words.numbers, -words.tokens, -score, (words.tokens < LEAST) & (lam < 1)))
    order = order[~np.isin(words.numbers[order], view.hidden_words.numbers)]
    page = order[after : after + limit]
    texts = dict(
        tuples(
            "SELECT number, word FROM word WHERE version_id = %s AND number = ANY(%s)",
            [view.run.version_id, words.numbers[page].tolist()],
        )
    )
    most = int(words.everywhere[page].max(initial=1))
    lines, why = selection.address(topic=k)[1:], selection.address()[1:]
    return [
        WeighedWord(
            word=(word := texts[number]),
            url=view.go("run_word", word),
            lines=view.go("run_word", word, asked=lines),
            why=view.go("run_topic_word", k, word, asked=why),
            tokens=tokens,
            everywhere=everywhere,
            share=tokens / everywhere,
            part=tokens / words.of_topic,
            relevance=relevant,
            bar=tokens / most,
            bar_everywhere=everywhere / most,
        )
        for number, tokens, everywhere, relevant in zip(
            *(
                column[page].tolist()
                for column in (words.numbers, words.tokens, words.everywhere, score)
            ),
            strict=True,
        )
    ], (after + limit if len(order) > after + limit else None)


TOPICS = 10  # that are named as having the word, too
LINES = 3  # examples of the word in context


def why_here(view: RunView, k: int, word: Word, selection: RunSelection) -> Why:
    """What the model says, what was counted, where the word's other tokens are, and LINES lines of
    text."""
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
        lines=(
            concordance.samples(selection, uses, [k], LINES)[k]
            if concordance.has_places(view.run)
            else []
        ),
    )


def _probability(view: RunView, k: int, word: Word) -> float:
    """p(w|k) of the topic and those merged into it together."""
    parts, columns = view.labels.parts(k), measures.of(view.run)
    weight = columns["floor"][parts]
    for row in rows(
        "SELECT topic, weight FROM topic_word WHERE snapshot_id = %s AND word = %s AND topic ="
        " ANY(%s)",
        [view.run.snapshot_id, word.number, parts],
    ):
        weight[parts.index(row["topic"])] = row["weight"]
    size = columns["share"][parts]
    return float((size * weight).sum() / size.sum()) if size.sum() else float(weight[0])
