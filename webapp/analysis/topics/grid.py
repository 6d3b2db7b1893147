"""The grid of the page of topics: words against topics, each circle the tokens that a word gives to a
topic (Termite)."""

import numpy as np
import regex

from inference.explore import seriation
from inference.explore.saliency import saliency
from webapp.analysis.topics.listing import TopicListing
from webapp.analysis.topics.shapes import NARROW_GRID, GridLine, WordGrid
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.core.runs.names import spelling
from webapp.intake.ingest.typed_words import find_words
from webapp.platform.storage.cache import BoundedCache
from webapp.platform.storage.sql import tuples
from webapp.platform.typed_text import as_counted

TOPICS = 60  # columns of a page
MOST_WORDS = 40  # lines of a page
TYPED = 2_000  # characters of what was typed that are read
WORDS_OF_TOPIC = 3  # that stand above its column
CANDIDATES = 25  # first words of each topic, of which the most telling ones are shown
# A word is shared where a second topic has it at least this often, as a part of the topic that has
# it most: less is often chance, or a few documents
SHARED = 0.25
_saliencies = BoundedCache(8 << 20)
_WORD = regex.compile(r"[^\s,;]+")


def read_words(text: str) -> list[str]:
    """What was typed: words between spaces or commas, at most MOST_WORDS, each once."""
    words = _WORD.findall(as_counted(text[:TYPED]))
    return list(dict.fromkeys(words))[:MOST_WORDS]


def word_grid(
    listing: TopicListing, words: list[str], by_likeness: bool, after: int = 0
) -> WordGrid | None:
    """Topics in columns, words in lines.

    A cell is the tokens of the word in the topic, in the selected documents. words: those that are
    asked for; without any, the most salient ones of the topics shown. by_likeness: like stands
    beside like, and of few topics the words that they share come first; else the order of the page
    and the most frequent word. None while the run is still training.
    """
    if listing.tokens is None:
        return None
    hidden = set(listing.view.hidden_words.words)
    columns = listing.numbers[after : after + TOPICS]
    unknown: list[str] = []
    if words:
        found = find_words(listing.run.version_id, words)
        unknown = sorted(word for word in words if word not in found)
        candidates = sorted({(row.number, row.word) for row in found.values()})
    else:
        candidates = _salient(listing, columns)
    shared = None
    compares = by_likeness and not words and 1 < len(columns) <= NARROW_GRID
    rows = [(number, word) for number, word in candidates if word not in hidden]
    tokens_counted = evidence.of(listing.run).word_topics.tokens_by_topic(
        [number for number, _ in rows], listing.selection.mask
    )
    table = listing.labels.merged(tokens_counted)[:, columns]  # int64[words, topics]
    across = np.arange(len(columns))
    if by_likeness and table.size:
        across = _by_likeness(listing, columns, table)
    if compares and table.size:
        shared, down = _shared_first(table[:, across])
    elif by_likeness and table.size:
        down = seriation.order(table)
    else:
        down = np.argsort(-table.sum(axis=1), kind="stable")
    lines = []
    for i in down.tolist():
        _, word = rows[i]
        cells = table[i, across]
        url = listing.view.go("run_word", word)
        lines.append(GridLine(word, url, int(cells.sum()), cells.tolist()))
    following = after + TOPICS
    return WordGrid(
        topics=listing.named(columns[across].tolist(), WORDS_OF_TOPIC),
        lines=lines,
        most=int(table.max(initial=0)) or 1,
        unknown=unknown,
        shared=shared,
        next=following if len(listing.numbers) > following else None,
    )


def _shared_first(table: np.ndarray) -> tuple[int, np.ndarray]:
    """How many words topics share, and the order of all: shared ones first, those that the second
    topic has most often before others; then the words of each topic, the frequent ones first."""
    ranked = np.sort(table, axis=1)
    second, largest = ranked[:, -2], ranked[:, -1]
    is_shared = (second > 0) & (second >= SHARED * largest)
    owner = np.where(is_shared, -1, table.argmax(axis=1))
    frequency = np.where(is_shared, second, largest)
    return int(is_shared.sum()), np.lexsort((-frequency, owner))


def _by_likeness(listing: TopicListing, columns: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The order of the columns. General talk stands last: what is everywhere is like nothing."""
    order = seriation.order(table.T)
    is_general = [listing.labels.is_background(k) for k in columns[order].tolist()]
    general = np.array(is_general, bool)
    return np.concatenate([order[~general], order[general]])


def _salient(listing: TopicListing, columns: np.ndarray) -> list[tuple[int, str]]:
    """The most salient words among the first ones of some topics, by the tokens of the whole
    corpus."""
    run = listing.run
    view = listing.view
    with_merged = np.flatnonzero(np.isin(listing.labels.into, columns)).tolist()
    first_words = tuples(
        "SELECT DISTINCT word FROM topic_word WHERE snapshot_id = %s AND topic = ANY(%s) AND rank <"
        " %s AND tokens > 0 ORDER BY word",
        [run.snapshot_id, with_merged, CANDIDATES],
    )
    hidden = np.array(view.hidden_words.numbers, np.int64)
    candidates = np.setdiff1d(np.array(first_words, np.int64), hidden)
    most_salient = np.argsort(-_saliency(view)[candidates], kind="stable")[:MOST_WORDS]
    numbers = candidates[most_salient].tolist()
    texts = spelling(run.version_id, numbers)
    return [(number, texts[number]) for number in numbers]


def _saliency(view: RunView) -> np.ndarray:
    """float64[V]: of every word, in the whole corpus."""
    targets = view.labels.into
    run_evidence = evidence.of(view.run)

    def make() -> np.ndarray:
        ptr, topics, tokens, _ = run_evidence.word_topics.held_by_word()
        tokens_of_topic = np.bincount(topics, tokens, minlength=run_evidence.K)
        return saliency(ptr, topics, tokens, tokens_of_topic, targets)

    return _saliencies.get_or_set(view.topics_key, make)
