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
from webapp.core.runs.names import spelling
from webapp.models import Word
from webapp.platform.storage.cache import BoundedCache, cached
from webapp.platform.storage.sql import rows, tuples

WORDS_OF_PAGE = 30  # on the topic's own page
LEAST_TOKENS = 5  # tokens of a word that is shown for being nowhere else
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


def tallied(selection: RunSelection, k: int) -> Words:
    """The words of a topic and of those merged into it. Kept: a page of all words asks for them
    again."""
    view = selection.view
    parts = view.labels.merged_topics(k)

    def tally() -> Words:
        if not selection.has_conditions:
            return _of_all(view, parts)
        return _of_some(selection, parts)

    key = (view.run.snapshot_id, tuple(parts), *selection.key)
    return _tallies.get_or_set(key, tally)


def _of_all(view: RunView, parts: list[int]) -> Words:
    """In all documents: from the rows of the snapshot."""
    run = view.run
    counts = tuples(
        "SELECT word, sum(tokens)::bigint AS tokens FROM topic_word"
        " WHERE snapshot_id = %s AND topic = ANY(%s) AND tokens > 0 GROUP BY word ORDER BY word",
        [run.snapshot_id, parts],
    )
    numbers, tokens = np.array(counts, np.int64).reshape(-1, 2).T
    return Words(
        numbers=numbers,
        tokens=tokens,
        everywhere=_everywhere(run.version_id)[numbers],
        of_topic=int(tokens.sum()),
        of_all=run.version.tokens,
    )


def _of_some(selection: RunSelection, parts: list[int]) -> Words:
    """In the selected documents: one pass over their words."""
    run = selection.run
    row = np.full((1, run.topics), -1, np.int32)
    row[:, parts] = 0
    documents, group = selection.in_groups(None)
    sums = evidence.of(run).token_topics.word_sums(group, row, 1, documents)
    tokens = sums.of_rows[0].astype(np.int64)
    everywhere = sums.of_groups[0]
    numbers = np.flatnonzero(tokens)
    return Words(
        numbers=numbers,
        tokens=tokens[numbers],
        everywhere=everywhere[numbers],
        of_topic=int(tokens.sum()),
        of_all=int(everywhere.sum()),
    )


@cached(32)
def _everywhere(version_id: int) -> np.ndarray:
    """int64[V]: tokens of each word of a corpus."""
    return np.array(
        tuples("SELECT tokens FROM word WHERE version_id = %s ORDER BY number", [version_id]),
        np.int64,
    ).ravel()


def relevant(
    selection: RunSelection, k: int, lam: float, after: int = 0, limit: int = WORDS_OF_PAGE
) -> tuple[list[WeighedWord], int | None]:
    """A topic's words by relevance (Sievert and Shirley 2014), from place `after` on, without
    hidden ones; and the next place. Below a relevance of 1 words with fewer than LEAST_TOKENS
    tokens stand behind all others: each of them is nowhere else by chance."""
    view = selection.view
    words = tallied(selection, k)
    if not len(words.numbers):
        return [], None
    score = relevance(
        words.tokens, words.everywhere, lam, inside_total=words.of_topic, total=words.of_all
    )
    is_rare = (words.tokens < LEAST_TOKENS) & (lam < 1)
    order = np.lexsort((words.numbers, -words.tokens, -score, is_rare))
    order = order[~np.isin(words.numbers[order], view.hidden_words.numbers)]
    following = after + limit
    page = order[after:following]
    texts = spelling(view.run.version_id, words.numbers[page])
    largest = int(words.everywhere[page].max(initial=1))
    in_topic = selection.address(topic=k)
    in_documents = selection.address()
    words_shown = []
    for i in page.tolist():
        word = texts[int(words.numbers[i])]
        tokens = int(words.tokens[i])
        everywhere = int(words.everywhere[i])
        row = WeighedWord(
            word=word,
            url=view.go("run_word", word),
            lines=view.go("run_word", word, asked=in_topic),
            why=view.go("run_topic_word", k, word, asked=in_documents),
            tokens=tokens,
            everywhere=everywhere,
            share=tokens / everywhere,
            part=tokens / words.of_topic,
            relevance=float(score[i]),
            bar=tokens / largest,
            bar_everywhere=everywhere / largest,
        )
        words_shown.append(row)
    return words_shown, following if len(order) > following else None


TOPICS = 10  # that are named as having the word, too
WORDS_OF_TOPIC = 5  # with which each is named
LINES = 3  # examples of the word in context


def why_here(selection: RunSelection, k: int, word: Word) -> Why:
    """What the model says, what was counted, where the word's other tokens are, and LINES lines of
    text."""
    view = selection.view
    uses = senses.uses(view, word, selection)
    tokens, documents = (in_groups[0] for in_groups in uses.tally())  # the only group: all
    total = int(tokens.sum())
    largest_first = np.argsort(-tokens, kind="stable").tolist()
    order = [j for j in largest_first if tokens[j]]
    first = topics.top_words(view, order[:TOPICS], WORDS_OF_TOPIC)

    def lines(topic: int | None = None) -> str:
        return view.go("run_word", word.word, asked=selection.address(topic=topic))

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
    examples = []
    if concordance.has_places(view.run):
        examples = concordance.samples(selection, uses, [k], LINES)[k]
    return Why(
        word=word.word,
        url=lines(),
        lines_url=lines(topic=k),
        probability=_probability(view, k, word),
        usual=word.tokens / view.run.version.tokens,
        tokens=int(tokens[k]),
        documents=int(documents[k]),
        everywhere=total,
        everywhere_documents=uses.in_documents,
        divided=divided,
        elsewhere=len(order) - len(divided),
        lines=examples,
    )


def _probability(view: RunView, k: int, word: Word) -> float:
    """p(w|k) of the topic and those merged into it together."""
    parts = view.labels.merged_topics(k)
    columns = measures.of(view.run)
    weight = columns["floor"][parts]  # of topics that have no row for the word
    stored = rows(
        "SELECT topic, weight FROM topic_word WHERE snapshot_id = %s AND word = %s AND topic ="
        " ANY(%s)",
        [view.run.snapshot_id, word.number, parts],
    )
    for row in stored:
        weight[parts.index(row["topic"])] = row["weight"]
    size = columns["share"][parts]
    if not size.sum():
        return float(weight[0])
    return float((size * weight).sum() / size.sum())
