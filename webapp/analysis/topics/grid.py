"""The grid of an overview: words against topics, each circle the tokens that a word gives to a
topic (Termite)."""

import numpy as np
import regex

from inference.explore import seriation
from inference.explore.saliency import saliency
from webapp.analysis.topics.overview import Overview
from webapp.analysis.topics.shapes import GridLine, WordGrid
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.platform.storage.cache import BoundedCache
from webapp.platform.storage.sql import tuples

TOPICS = 60  # columns of a page
WORDS = 40  # lines of a page
CANDIDATES = 25  # first words of each topic, of which the most telling ones are shown
_saliencies = BoundedCache(8 << 20)
_WORD = regex.compile(r"[^\s,;]+")


def read_words(text: str) -> list[str]:
    """What was typed: words between spaces or commas, at most WORDS, each once."""
    return list(dict.fromkeys(_WORD.findall(text.lower()[:2000])))[:WORDS]


def word_grid(
    overview: Overview, words: list[str], by_likeness: bool, after: int = 0
) -> WordGrid | None:
    """Topics in columns, words in lines.

    A cell is the tokens of the word in the topic, in the selected documents. words: those that are
    asked for; without any, the most salient ones of the topics shown. by_likeness: like stands
    beside like; else the overview's order and the most frequent word. None while the run is still
    training.
    """
    run, go = overview.run, overview.view.go
    if overview.tokens is None:
        return None
    columns = overview.numbers[after : after + TOPICS]
    words_shown = [
        (number, word)
        for number, word in (
            tuples(
                "SELECT number, word FROM word WHERE version_id = %s AND word = ANY(%s) ORDER BY"
                " number",
                [run.version_id, words],
            )
            if words
            else _salient(overview, columns)
        )
        if word not in overview.view.hidden_words.words
    ]
    given = evidence.of(overview.run).word_topics_of(
        [number for number, _ in words_shown], overview.selection.mask
    )
    table = overview.labels.merged(given)[:, columns]  # int64[words, K]: in the selected documents
    if by_likeness and table.size:
        across, down = seriation.order(table.T), seriation.order(table)
        general = np.array([overview.labels.background(k) for k in columns[across].tolist()], bool)
        across = np.concatenate(
            [across[~general], across[general]]
        )  # what stands everywhere is like nothing
    else:
        across, down = np.arange(len(columns)), np.argsort(-table.sum(axis=1), kind="stable")
    return WordGrid(
        topics=overview.named(columns[across].tolist(), 3),
        lines=[
            GridLine(word, go("run_word", word), int(cells.sum()), cells.tolist())
            for (_, word), cells in ((words_shown[i], table[i, across]) for i in down.tolist())
        ],
        most=int(table.max(initial=0)) or 1,
        unknown=sorted(
            set(words) - {word for _, word in words_shown} - set(overview.view.hidden_words.words)
        ),
        next=after + TOPICS if len(overview.numbers) > after + TOPICS else None,
    )


def _salient(overview: Overview, columns: np.ndarray) -> list[tuple[int, str]]:
    """The most salient words among the first ones of some topics, by the tokens of the whole
    corpus."""
    run, view = overview.run, overview.view
    parts = np.flatnonzero(
        np.isin(overview.labels.into, columns)
    ).tolist()  # with what was merged into them
    listed = tuples(
        "SELECT DISTINCT word FROM topic_word WHERE snapshot_id = %s AND topic = ANY(%s) AND rank <"
        " %s AND tokens > 0 ORDER BY word",
        [run.snapshot_id, parts, CANDIDATES],
    )
    candidates = np.setdiff1d(
        np.array(listed, np.int64), np.array(view.hidden_words.numbers, np.int64)
    )
    numbers = candidates[np.argsort(-_saliency(view)[candidates], kind="stable")[:WORDS]].tolist()
    query = "SELECT number, word FROM word WHERE version_id = %s AND number = ANY(%s)"
    return sorted(tuples(query, [run.version_id, numbers]), key=lambda row: numbers.index(row[0]))


def _saliency(view: RunView) -> np.ndarray:
    """float64[V]: of every word, in the whole corpus."""
    into, counted = view.labels.into, evidence.of(view.run)

    def make() -> np.ndarray:
        ptr, given, tokens, _ = counted.by_word()
        return saliency(ptr, given, tokens, np.bincount(given, tokens, minlength=counted.K), into)

    return _saliencies.get_or_set((view.run.snapshot_id, into.tobytes()), make)
