"""The grid of an overview: words against topics, each circle the tokens that a word gives to a topic (Termite)."""

import numpy as np
import regex

from inference.explore import seriation
from inference.explore.saliency import saliency
from webapp.documents import sums
from webapp.models import Run
from webapp.results import evidence, links
from webapp.storage.sql import rows
from webapp.topics.overview import Overview

TOPICS = 60  # columns of a page
WORDS = 40  # lines of a page
CANDIDATES = 25  # first words of each topic, of which the most telling ones are shown
_WORD = regex.compile(r"[^\s,;]+")


def read_words(text: str) -> list[str]:
    """What was typed: words between spaces or commas, at most WORDS, each once."""
    return list(dict.fromkeys(_WORD.findall(text.lower()[:2000])))[:WORDS]


def of(overview: Overview, words: list[str], by_likeness: bool, after: int = 0) -> dict | None:
    """topics (columns) and lines [{word, url, tokens, cells}], with as many cells as topics; and where the next page
    begins.

    A cell is the tokens of the word in the topic, in the selected documents. words: those that are asked for; without
    any, the most salient ones of the topics shown. by_likeness: like stands beside like; else the overview's order and
    the most frequent word. None while the run is still training.
    """
    run = overview.run
    if overview.tokens is None:
        return None
    columns = overview.numbers[after : after + TOPICS]
    words_shown = [
        row
        for row in (_named(run, words) if words else _salient(overview, columns))
        if row["word"] not in overview.view.hidden_words.words
    ]
    table = _tokens(overview, [row["number"] for row in words_shown])[:, columns]
    if by_likeness and table.size:
        across, down = seriation.order(table.T), seriation.order(table)
        general = np.array([overview.labels.background(k) for k in columns[across].tolist()], bool)
        across = np.concatenate([across[~general], across[general]])  # what stands everywhere is like nothing
    else:
        across, down = np.arange(len(columns)), np.argsort(-table.sum(axis=1), kind="stable")
    most = int(table.max(initial=0)) or 1
    lines = []
    for i in down.tolist():
        row, cells = words_shown[i], table[i, across]
        lines.append(
            {
                "word": row["word"],
                "url": links.word_url(run, row["word"]),
                "tokens": int(cells.sum()),
                "cells": cells.tolist(),
            }
        )
    return {
        "topics": overview.named(columns[across].tolist(), 3),
        "lines": lines,
        "most": most,
        "unknown": sorted(set(words) - {row["word"] for row in words_shown} - set(overview.view.hidden_words.words)),
        "next": after + TOPICS if len(overview.numbers) > after + TOPICS else None,
    }


def _named(run: Run, words: list[str]) -> list[dict]:
    return rows(
        "SELECT number, word FROM word WHERE version_id = %s AND word = ANY(%s) ORDER BY number",
        [run.version_id, words],
    )


def _salient(overview: Overview, columns: np.ndarray) -> list[dict]:
    """The most salient words among the first ones of some topics, by the tokens of the whole corpus."""
    run = overview.run
    parts = np.flatnonzero(np.isin(overview.labels.into, columns)).tolist()  # with what was merged into them
    counts = rows(
        """
        SELECT topic, word, tokens FROM topic_word
        WHERE snapshot_id = %(snapshot)s AND tokens > 0 AND word IN (
            SELECT word FROM topic_word WHERE snapshot_id = %(snapshot)s AND topic = ANY(%(topics)s) AND rank < %(rank)s)
        """,
        {"snapshot": run.snapshot_id, "topics": parts, "rank": CANDIDATES},
    )
    candidates = sorted({row["word"] for row in counts} - set(overview.view.hidden_words.numbers))
    place = {word: i for i, word in enumerate(candidates)}
    table = np.zeros((len(candidates), run.topics))
    for row in counts:
        if row["word"] in place:
            table[place[row["word"]], row["topic"]] = row["tokens"]
    telling = saliency(overview.labels.merged(table), sums.whole(overview.view).tokens[0])
    best = np.argsort(-telling, kind="stable")[:WORDS]
    numbers = [candidates[i] for i in best.tolist()]
    names = rows("SELECT number, word FROM word WHERE version_id = %s AND number = ANY(%s)", [run.version_id, numbers])
    return sorted(names, key=lambda row: numbers.index(row["number"]))


def _tokens(overview: Overview, words: list[int]) -> np.ndarray:
    """int64[words, K]: in the selected documents."""
    tokens_given, mask, K = evidence.of(overview.run), overview.selection.mask, overview.run.topics
    table = np.zeros((len(words), K), np.int64)
    for i, w in enumerate(words):
        documents, counts, topics, _ = tokens_given.word(w)
        weights = counts if mask is None else counts * mask[documents]
        table[i] = np.bincount(topics, weights=weights, minlength=K)
    return overview.labels.merged(table)
