"""Where in a document's text its words are, and which topic each was given to: from offsets, so the
length does not matter."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import regex

from inference.errors import Invalid
from webapp.core.documents import wording
from webapp.core.results import evidence, links, topics
from webapp.core.results.view import RunView
from webapp.models import Corpus, Run
from webapp.platform.accounts import embargo

STRETCHES = 80  # of the strip along a document, at most
SHORTEST_STRETCH = 500  # characters: in fewer a few words make a mixture
PASSAGE = 300  # characters that a list shows of a document
MARGIN = 40  # more on either side, in which it is cut between words
_SPACE = regex.compile(r"\s+")


class Tokens(NamedTuple):
    """The words of a document in the order of its text. All of one length.

    offsets: int32, the character at which each begins. words: int32, numbers in the vocabulary.
    topics: int64; certainty: uint8, p(k | w, d) times 255 of the topic that
    the model gave.
    """

    offsets: np.ndarray
    words: np.ndarray
    topics: np.ndarray
    certainty: np.ndarray


def tokens(view: RunView, number: int) -> Tokens:
    """The counted words of a document, n tokens in the order of its text; arrays of length 0 where
    it has none. number: of the document. Raises Invalid where the corpus kept no places of
    words."""
    as_assigned = assigned_tokens(view, number)
    return as_assigned._replace(topics=view.labels.into[as_assigned.topics])


def assigned_tokens(view: RunView, number: int) -> Tokens:
    """As `tokens`, each with the topic that the model assigned it to, whatever readers merged."""
    run_evidence = evidence.of(view.run)
    if run_evidence.document_bow.offsets is None:
        raise Invalid(
            "run",
            "This corpus was read by a version that did not keep where its words stand. Upload it"
            " again to mark them.",
        )
    words, counts, topics, certainty = run_evidence.token_topics.of_document(number)
    offsets = run_evidence.document_bow.offsets_of(number)
    order = np.argsort(offsets, kind="stable")
    pair = np.repeat(np.arange(len(words)), counts)[order]
    return Tokens(offsets[order], words[pair], topics[pair], certainty[pair])


class Word(NamedTuple):
    """What the page shows of a word, or of what stands between words: then topic is None."""

    text: str
    start: int
    word: int = -1
    topic: int | None = None
    certainty: float = 0.0

    @property
    def end(self) -> int:
        """The character behind it."""
        return self.start + len(self.text)


def parted(words: list[Word], start: int, end: int) -> tuple[list[Word], list[Word], list[Word]]:
    """Words before, within and behind the characters start … end - 1; a word on an edge is within
    as a whole."""
    fragments: list[Word] = []
    for word in words:
        fragments += _cut_at(word, (start, end))
    before = [fragment for fragment in fragments if fragment.end <= start]
    within = [fragment for fragment in fragments if fragment.end > start and fragment.start < end]
    behind = [fragment for fragment in fragments if fragment.start >= end]
    return before, within, behind


def _cut_at(word: Word, characters: tuple[int, int]) -> list[Word]:
    """What stands between words, cut before two characters of the document; a word as it is."""
    if word.topic is not None:
        return [word]
    inside = {at - word.start for at in characters if word.start < at < word.end}
    edges = [0, *sorted(inside), len(word.text)]
    return [word._replace(text=word.text[a:b], start=word.start + a) for a, b in pairwise(edges)]


def words(run: Run, assigned: Tokens, text: str, start: int) -> list[Word]:
    """A text that begins at character `start` of its document, in words of the vocabulary and what
    stands between them."""
    inside = slice(*np.searchsorted(assigned.offsets, [start, start + len(text)]))
    in_text = Tokens(*(column[inside] for column in assigned))
    (stops,) = wording.stops(run.version, [text], [in_text.offsets - start])
    return _words(in_text, stops, text, start)


def words_of_whole(run: Run, assigned: list[Tokens], texts: list[str]) -> Iterator[list[Word]]:
    """The same of some whole documents, which are cut together: much faster than one by one."""
    all_stops = wording.stops(run.version, texts, [tokens.offsets for tokens in assigned])
    for tokens, stops, text in zip(assigned, all_stops, texts, strict=True):
        yield _words(tokens, stops, text, 0)


def _words(assigned: Tokens, stops: list[int], text: str, start: int) -> list[Word]:
    """assigned: the tokens in the text. stops: where each ends in it. start: of the text in its
    document."""
    parts = []
    at = 0
    for offset, word, topic, certainty, end in zip(
        *(column.tolist() for column in assigned), stops, strict=True
    ):
        begin = offset - start
        if begin > at:
            parts.append(Word(text[at:begin], start + at))
        parts.append(Word(text[begin:end], offset, word, topic, certainty / 255))
        at = end
    return [*parts, Word(text[at:], start + at)] if at < len(text) else parts


class Excerpt(NamedTuple):
    """A passage of a document in (text, is marked) parts: the characters start … end - 1, ellipses
    aside."""

    parts: list[tuple[str, bool]]
    start: int
    end: int


class Strip(NamedTuple):
    """A document along its length. edges: the characters at which its S stretches begin, and the
    last one ends; topics: T numbers, the largest first; tokens: int64[S, T]."""

    edges: list[int]
    topics: list[int]
    tokens: np.ndarray


def strip(assigned: Tokens, length: int) -> Strip:
    """Stretches of equal length; all their tokens are the document's. length: characters."""
    stretches = max(1, min(STRETCHES, length // SHORTEST_STRETCH))
    topics, column, count = np.unique(assigned.topics, return_inverse=True, return_counts=True)
    order = np.argsort(-count, kind="stable")
    place_in_order = np.argsort(order)
    stretch = assigned.offsets.astype(np.int64) * stretches // max(length, 1)
    tokens = np.zeros((stretches, len(topics)), np.int64)
    np.add.at(tokens, (stretch, place_in_order[column]), 1)
    # The first character of a stretch is the first that the division above puts there
    edges = [-(-length * i // stretches) for i in range(stretches + 1)]
    return Strip(edges, topics[order].tolist(), tokens)


def passages(view: RunView, numbers: list[int], topic: int) -> dict[int, Excerpt]:
    """The passage of each document that has the topic with most of the topic's own words
    (results.topics.own_words) that were assigned to it, these marked. A document without any shows
    and marks the other words assigned to it. A topic that is merged into another has the passages
    that it has alone."""
    words_of_topic = np.array(topics.own_words(view, topic), np.int64)
    marks = {
        number: _marks(_tokens_of_topic(view, number, topic), topic, words_of_topic)
        for number in numbers
    }
    begins = {number: _densest(places, PASSAGE) for number, places in marks.items() if len(places)}
    cut_texts = around(view.run.corpus, begins)
    cuts = [ends(cut_text) for cut_text in cut_texts]
    inside = []
    for cut_text, (begin, end) in zip(cut_texts, cuts, strict=True):
        places = marks[cut_text.number] - cut_text.first
        inside.append(places[(places >= begin) & (places < end)])
    stops = wording.stops(view.run.version, [cut_text.text for cut_text in cut_texts], inside)
    aligned = zip(cut_texts, cuts, inside, stops, strict=True)
    return {
        cut_text.number: mark_passage(cut_text, cut, marks_of_text, words)
        for cut_text, cut, marks_of_text, words in aligned
    }


def _tokens_of_topic(view: RunView, number: int, topic: int) -> Tokens:
    if view.labels.is_merged(topic):
        return assigned_tokens(view, number)
    return tokens(view, number)


def _marks(tokens: Tokens, topic: int, with_topic: np.ndarray) -> np.ndarray:
    """Where the words begin that a passage of the topic marks."""
    assigned = tokens.topics == topic
    telling = assigned & np.isin(tokens.words, with_topic)
    return tokens.offsets[telling if telling.any() else assigned]


def densest_place(tokens: Tokens, topic: int, length: int = PASSAGE) -> int | None:
    """Where the characters begin, `length` of them, that have most words of a topic."""
    offsets = tokens.offsets[tokens.topics == topic]
    return _densest(offsets, length) if len(offsets) else None


def _densest(positions: np.ndarray, length: int) -> int:
    """Which of these places begins the `length` characters that hold most of them. positions:
    ascending."""
    positions_before_end = np.searchsorted(positions, positions + length)
    held = positions_before_end - np.arange(len(positions))
    return int(positions[np.argmax(held)])


class ShownPassage(NamedTuple):
    """snippet: the passage in pieces, and whether each is to be marked. passage_url: its page, in a
    run with the set that is chosen; None where there is no passage."""

    snippet: list[tuple[str, bool]]
    passage_url: str | None


def shown_passage(
    corpus: Corpus, view: RunView | None, number: int, passage: Excerpt | None
) -> ShownPassage:
    """A passage of a document as pages show it, without one where it has none."""
    if passage is None or passage.end <= passage.start:
        return ShownPassage(passage.parts if passage else [], None)
    url = links.passage_url(view.run if view else corpus, number, passage.start, passage.end)
    return ShownPassage(passage.parts, view.go.with_set(url) if view else url)


def around(corpus: Corpus, begins: dict[int, int]) -> list[embargo.Piece]:
    """The passage of each document that begins at a character, with its margins; under embargo a
    shorter one. A document that is as short as a passage is shown whole: of a post of 140
    characters a passage would lack the beginning."""
    short = embargo.short_documents(corpus, list(begins), PASSAGE + MARGIN)
    pieces = []
    for number, begin in begins.items():
        first = 0 if number in short else max(0, begin - MARGIN)
        pieces.append((number, first, begin - first + PASSAGE + MARGIN, begin))
    return embargo.read_pieces(corpus, pieces)


def beginnings(corpus: Corpus, numbers: list[int]) -> dict[int, Excerpt]:
    """How each document begins, nothing marked."""
    return {
        cut_text.number: mark_passage(cut_text, ends(cut_text), np.zeros(0, np.int64), [])
        for cut_text in around(corpus, dict.fromkeys(numbers, 0))
    }


def ends(cut_text: embargo.Piece) -> tuple[int, int]:
    """Where a passage begins and ends in a piece of a text, so that its words are whole. What has
    no space within the margin, as in scripts that write none, is cut where the piece ends."""
    text = cut_text.text
    first = _SPACE.search(text, 0, MARGIN)
    near_end = list(_SPACE.finditer(text, max(0, len(text) - MARGIN))) if cut_text.more else []
    a = first.end() if cut_text.first and first else 0
    b = near_end[-1].start() if near_end else len(text)
    return a, b if b > a else len(text)


def mark_passage(
    cut_text: embargo.Piece, cut: tuple[int, int], positions: np.ndarray, stops: list[int]
) -> Excerpt:
    """The passage between the ends `cut` with the words marked that begin at `positions` and end at
    `stops`."""
    text = cut_text.text
    begin, end = cut
    # A word that is marked is not cut
    end = max(begin, end, *stops)
    parts = [("… ", False)] if cut_text.first else []
    unmarked_from = begin
    for first, stop in zip(positions.tolist(), stops, strict=True):
        parts += [(text[unmarked_from:first], False), (text[first:stop], True)]
        unmarked_from = stop
    behind = text[unmarked_from:end]
    parts.append((behind + " …" if cut_text.more else behind, False))
    return Excerpt(
        [part for part in parts if part[0]], cut_text.first + begin, cut_text.first + end
    )
