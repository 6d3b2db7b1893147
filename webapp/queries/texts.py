"""Where in a document's text its words are, and which topic each was given to: from offsets, so the length does not matter."""

from typing import NamedTuple

import numpy as np

from inference.text.tokenise import WORD
from webapp.models import Run
from webapp.queries import embargo, evidence
from webapp.queries.names import names
from webapp.queries.sql import rows

PASSAGE = 300  # characters that a list shows of a document
MARGIN = 40  # more on either side, in which it is cut between words


class Tokens(NamedTuple):
    """The words of a document in the order of its text. All of one length.

    offsets: int32, the character at which each begins. words: int32, numbers in the vocabulary. topics: int64, as readers fold
    them; certainty: uint8, p(k | w, d) times 255 of the topic that the model gave.
    """

    offsets: np.ndarray
    words: np.ndarray
    topics: np.ndarray
    certainty: np.ndarray


def tokens(run: Run, number: int) -> Tokens:
    found = evidence.of(run)
    words, counts, topics, certainty = found.document(number)
    offsets = found.bow.offsets[found.bow.first_token[number] : found.bow.first_token[number + 1]]
    order = np.argsort(offsets, kind="stable")
    pair = np.repeat(np.arange(len(words)), counts)[order]
    return Tokens(offsets[order], words[pair], names(run).into[topics[pair]], certainty[pair])


def passages(run: Run, numbers: list[int], topic: int) -> dict[int, list[tuple[str, bool]]]:
    """Of each document that has the topic, the passage with most words of it: (text, is such a word) parts."""
    of = {number: tokens(run, number) for number in numbers}
    densest = {number: _densest(of[number], topic) for number in numbers}
    first = {number: max(0, at - MARGIN) for number, at in densest.items() if at is not None}
    found = rows(
        "SELECT number, length(text) AS length, substr(text, at::int + 1, %s) AS text FROM unnest(%s::bigint[], %s::bigint[]) AS passage (n, at)"
        " JOIN document ON corpus_id = %s AND number = n",
        [PASSAGE + 2 * MARGIN, list(first), list(first.values()), run.corpus_id],
    )
    return {row["number"]: embargo.passage(run.corpus, _cut(row, first[row["number"]], of[row["number"]], topic)) for row in found}


def _densest(of: Tokens, topic: int) -> int | None:
    """Where the PASSAGE characters begin that have most words of a topic."""
    own = of.offsets[of.topics == topic]
    return int(own[np.argmax(np.searchsorted(own, own + PASSAGE) - np.arange(len(own)))]) if len(own) else None


def _cut(row: dict, first: int, of: Tokens, topic: int) -> list[tuple[str, bool]]:
    """The passage with whole words at its ends, its words of the topic marked. first: where row["text"] begins in the document."""
    text, end = row["text"], first + len(row["text"])
    a = text.find(" ", 0, MARGIN) + 1 if first else 0
    b = text.rfind(" ", len(text) - MARGIN) if end < row["length"] else len(text)
    b = b if b > a else len(text)
    parts = [("… ", False)] if first else []
    at = a
    for offset in of.offsets[(of.topics == topic) & (of.offsets >= first + a) & (of.offsets < first + b)].tolist():
        begin = offset - first
        stop = WORD.match(text, begin).end()
        parts += [(text[at:begin], False), (text[begin:stop], True)]
        at = stop
    parts.append((text[at : max(at, b)] + (" …" if end < row["length"] else ""), False))
    return [part for part in parts if part[0]]
