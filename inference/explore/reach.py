"""How far a phrase reaches: in which topics, and when, the documents are that have it. A family of
topics is called by phrases that are spread over it."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from inference.evidence import Evidence

MOST_DOCUMENTS = 20_000  # documents at most, evenly over all
SPANS = 3  # of time, with as many documents each
LEAST_REACHED_SHARE = (
    0.01  # of a topic's tokens that are in documents with a phrase, for it to reach the topic
)
# Topics at most of which each is kept by itself, those with most tokens in a phrase's documents:
# a phrase of all of 2,000 topics would take 60 kB
TOPICS = 12
OTHERS = -1  # stands for all topics that are not kept by themselves
DIGITS = 3  # of a stored share


class Reached(NamedTuple):
    """A topic that a phrase reaches, or OTHERS, where it reaches more than TOPICS. shares: of the
    topic's tokens in each span of time, those that are in documents with the phrase, 0 to 1."""

    topic: int
    shares: tuple[float, ...]


def equal_spans(days: np.ndarray, number: int) -> np.ndarray:
    """int32[D]: which of so many spans of time each document is of, with about as many documents
    each, fewer where many have one day; -1 for one without a date. days: int32[D], 0 for no
    date."""
    spans = np.full(len(days), -1, np.int32)
    dated = days > 0
    if dated.any():
        inner_ends = np.unique(np.quantile(days[dated], np.linspace(0, 1, number + 1)[1:-1]))
        spans[dated] = np.searchsorted(inner_ends, days[dated])
    return spans


def spans_of_time(days: np.ndarray) -> np.ndarray:
    """int32[D]: which of SPANS each document is of; those without a date are one more, behind the
    others. days: int32[D], 0 for no date."""
    spans = equal_spans(days, SPANS)
    undated = spans.max(initial=-1) + 1
    return np.where(spans < 0, np.int32(undated), spans)


def reach(
    evidence: Evidence, phrases: Sequence[tuple[int, ...]], spans: np.ndarray
) -> list[list[Reached]]:
    """The topics that each phrase reaches, those with most tokens in its documents first, and
    OTHERS last.

    phrases: the numbers of their words; a document with all of them has the phrase. spans: of
    `spans_of_time`.
    """
    documents = np.arange(0, len(spans), -(-len(spans) // MOST_DOCUMENTS) or 1, dtype=np.int32)
    number_of_spans = int(spans.max(initial=0)) + 1
    is_looked_at = np.zeros(len(spans), bool)
    is_looked_at[documents] = True
    sizes, _ = evidence.sums(spans[documents], number_of_spans, documents=documents)

    @cache
    def documents_with(word: int) -> np.ndarray:
        having = evidence.having(word)
        return having[is_looked_at[having]]

    reached_topics = []
    for words in phrases:
        with_phrase = documents_with(words[0])
        for word in words[1:]:
            with_phrase = np.intersect1d(with_phrase, documents_with(word), assume_unique=True)
        tokens, _ = evidence.sums(spans[with_phrase], number_of_spans, documents=with_phrase)
        reached_topics.append(_reached(tokens, sizes))
    return reached_topics


def _reached(tokens: np.ndarray, sizes: np.ndarray) -> list[Reached]:
    """tokens, sizes: int64[spans, K], of each topic in documents with a phrase, and in all."""
    tokens_of_topic = tokens.sum(axis=0)
    has_enough = tokens_of_topic >= np.maximum(LEAST_REACHED_SHARE * sizes.sum(axis=0), 1)
    topics = np.flatnonzero(has_enough)
    topics = topics[np.argsort(-tokens_of_topic[topics], kind="stable")]
    shares = np.round(tokens / np.maximum(sizes, 1), DIGITS)
    reached = [Reached(k, tuple(shares[:, k].tolist())) for k in topics[:TOPICS].tolist()]
    others = topics[TOPICS:]
    if len(others):
        is_other = np.ones(tokens.shape[1], bool)
        is_other[topics[:TOPICS]] = False
        size_of_others = sizes[:, is_other].sum(axis=1)
        mean = tokens[:, others].sum(axis=1) / np.maximum(size_of_others, 1)
        reached.append(Reached(OTHERS, tuple(np.round(mean, DIGITS).tolist())))
    return reached


def spread(sizes: np.ndarray, shares: np.ndarray) -> float:
    """How evenly a phrase is spread over a family, 0 to 1: the squared Bhattacharyya coefficient of
    the family's tokens over its topics and the spans of time, and those in documents with the
    phrase. A phrase of one topic alone has that topic's share of the family.

    sizes: float64[topics, spans], the family's tokens. shares: the same, of these in documents with
    the phrase.
    """
    tokens = float((sizes * shares).sum())
    if tokens <= 0:
        return 0.0
    return float((sizes * np.sqrt(shares)).sum()) ** 2 / (tokens * float(sizes.sum()))
