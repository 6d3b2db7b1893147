"""Where in a document's text its words are, and which topic each was given to: from offsets, so the length does not matter."""

from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from webapp.accounts import embargo
from webapp.documents import wording
from webapp.models import Corpus, Run
from webapp.results import evidence
from webapp.results.view import RunView
from webapp.storage.sql import rows

PART = 50_000  # characters of a document that a page shows
SLACK = 1_000  # before the end of a part in which a line or a space is looked for, to cut there
SECTIONS = 80  # of the strip along a document
SECTION = 500  # characters of each, at least: in fewer a few words make a mixture
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


def tokens(view: RunView, number: int) -> Tokens:
    counted = evidence.of(view.run)
    if counted.bow.offsets is None:
        raise Invalid(
            "run",
            "This corpus was read by a version that did not keep where its words stand. Upload it again to mark them.",
        )
    words, counts, topics, certainty = counted.document(number)
    offsets = counted.bow.offsets[counted.bow.first_token[number] : counted.bow.first_token[number + 1]]
    order = np.argsort(offsets, kind="stable")
    pair = np.repeat(np.arange(len(words)), counts)[order]
    return Tokens(offsets[order], words[pair], view.labels.into[topics[pair]], certainty[pair])


class Part(NamedTuple):
    """text: the document's characters start … end - 1; length: those of the whole document."""

    text: str
    start: int
    end: int
    length: int


def part(corpus: Corpus, number: int, at: int) -> Part | None:
    """The part of a document that holds character `at`. Parts follow one another without a gap, wherever one enters."""
    cut = rows(
        """
        SELECT length, first, substr(text, greatest(first - %(slack)s, 0)::int + 1, %(part)s + %(slack)s) AS text
        FROM (SELECT text, length(text) AS length FROM document WHERE corpus_id = %(corpus)s AND number = %(number)s) AS whole,
             LATERAL (SELECT least(%(at)s, greatest(length - 1, 0)) / %(part)s * %(part)s AS first) AS cut
        """,
        {"corpus": corpus.pk, "number": number, "at": at, "part": PART, "slack": SLACK},
    )
    if not cut:
        return None
    length, first, text = cut[0]["length"], cut[0]["first"], cut[0]["text"]
    base = max(0, first - SLACK)
    start = base + _cut_before(text, first - base) if first else 0
    end = length if first + PART >= length else base + _cut_before(text, first + PART - base)
    if end <= at < length:
        return part(corpus, number, first + PART)
    return Part(text[start - base : end - base], start, end, length)


def _cut_before(text: str, limit: int) -> int:
    """Behind the last line, or else the last word, that ends within SLACK characters before the limit."""
    for mark in ("\n", " "):
        end = text.rfind(mark, max(0, limit - SLACK), limit)
        if end >= 0:
            return end + 1
    return limit


class Word(NamedTuple):
    """What the page shows of a word, or of what stands between words: then topic is None."""

    text: str
    start: int
    word: int = -1
    topic: int | None = None
    certainty: float = 0.0


def words(run: Run, of: Tokens, text: str, start: int) -> list[Word]:
    """A text that begins at character `start` of its document, in words of the vocabulary and what stands between them."""
    inside = slice(*np.searchsorted(of.offsets, [start, start + len(text)]))
    (stops,) = wording.stops(run.version, [text], [of.offsets[inside] - start])
    pieces, at = [], 0
    for offset, word, topic, certainty, end in zip(*(column[inside].tolist() for column in of), stops, strict=True):
        begin = offset - start
        if begin > at:
            pieces.append(Word(text[at:begin], start + at))
        pieces.append(Word(text[begin:end], offset, word, topic, certainty / 255))
        at = end
    return [*pieces, Word(text[at:], start + at)] if at < len(text) else pieces


class Strip(NamedTuple):
    """A document along its length. edges: where each of S sections begins, and the end; topics: T numbers, largest first;
    tokens: int64[S, T]."""

    edges: list[int]
    topics: list[int]
    tokens: np.ndarray


def strip(of: Tokens, length: int) -> Strip:
    """Sections of equal length; the tokens of all of them are the document's."""
    sections = max(1, min(SECTIONS, length // SECTION))
    topics, column, count = np.unique(of.topics, return_inverse=True, return_counts=True)
    order = np.argsort(-count, kind="stable")
    tokens = np.zeros((sections, len(topics)), np.int64)
    np.add.at(tokens, (of.offsets.astype(np.int64) * sections // max(length, 1), np.argsort(order)[column]), 1)
    return Strip([-(-length * i // sections) for i in range(sections + 1)], topics[order].tolist(), tokens)


def passages(view: RunView, numbers: list[int], topic: int) -> dict[int, list[tuple[str, bool]]]:
    """Of each document that has the topic, the passage with most words of it: (text, is such a word) parts."""
    of = {number: tokens(view, number) for number in numbers}
    densest = {number: _densest(of[number], topic) for number in numbers}
    first = {number: max(0, at - MARGIN) for number, at in densest.items() if at is not None}
    cut_texts = around(view.run.corpus, first)
    cuts = [ends(row, first[row["number"]]) for row in cut_texts]
    places = [
        _within(of[row["number"]], topic, first[row["number"]], *cut) for row, cut in zip(cut_texts, cuts, strict=True)
    ]
    stops = wording.stops(view.run.version, [row["text"] for row in cut_texts], places)
    return {
        row["number"]: embargo.passage(view.run.corpus, marked(row, first[row["number"]], *of_row))
        for row, *of_row in zip(cut_texts, cuts, places, stops, strict=True)
    }


def _densest(of: Tokens, topic: int) -> int | None:
    """Where the PASSAGE characters begin that have most words of a topic."""
    own = of.offsets[of.topics == topic]
    return int(own[np.argmax(np.searchsorted(own, own + PASSAGE) - np.arange(len(own)))]) if len(own) else None


def around(corpus: Corpus, first: dict[int, int]) -> list[dict]:
    """Of each document the text from a character on, as long as a passage with its margins: number, length of the whole, text."""
    return rows(
        "SELECT number, length(text) AS length, substr(text, at::int + 1, %s) AS text FROM unnest(%s::bigint[], %s::bigint[]) AS passage (n, at)"
        " JOIN document ON corpus_id = %s AND number = n",
        [PASSAGE + 2 * MARGIN, list(first), list(first.values()), corpus.pk],
    )


def ends(row: dict, first: int) -> tuple[int, int]:
    """Where a passage begins and ends in row["text"], which is from character `first` of its document, so that its words are whole."""
    text, end = row["text"], first + len(row["text"])
    a = text.find(" ", 0, MARGIN) + 1 if first else 0
    b = text.rfind(" ", len(text) - MARGIN) if end < row["length"] else len(text)
    return a, b if b > a else len(text)


def _within(of: Tokens, topic: int, first: int, a: int, b: int) -> np.ndarray:
    """The places of a topic's words between a and b of a text that is from character `first` of its document."""
    return of.offsets[(of.topics == topic) & (of.offsets >= first + a) & (of.offsets < first + b)] - first


def marked(row: dict, first: int, cut: tuple[int, int], places: np.ndarray, stops: list[int]) -> list[tuple[str, bool]]:
    """The passage between the ends `cut` with the words marked that begin at `places` and end at `stops`."""
    text, end = row["text"], first + len(row["text"])
    at, b = cut
    parts = [("… ", False)] if first else []
    for begin, stop in zip(places.tolist(), stops, strict=True):
        parts += [(text[at:begin], False), (text[begin:stop], True)]
        at = stop
    parts.append((text[at : max(at, b)] + (" …" if end < row["length"] else ""), False))
    return [part for part in parts if part[0]]
