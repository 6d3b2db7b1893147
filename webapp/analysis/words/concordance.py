"""Keyword in context: the lines of a corpus in which a word stands, a page of them at a time.

Which lines there are, and their order, comes from the arrays; only those of a page are cut from
their texts, by Postgres.
"""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import regex

from inference.kernels import assign
from inference.senses import Uses
from webapp.core.documents import fields, wording
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, links
from webapp.models import Run
from webapp.platform.accounts import embargo
from webapp.platform.accounts.embargo import Piece

PAGE = 25
SIDE = 80  # characters on each side of the word
LONGEST = 260  # characters of a word or a phrase as it is written
# lines that are put in the order of their context, which takes their texts; the others follow by
# certainty
SORTED = 1_000
Order = Literal["certainty", "document", "left", "right", "oldest", "newest", "sample"]
ORDERS: dict[Order, str] = {
    "certainty": "most certain first",
    "document": "by document",
    "left": "by the words before",
    "right": "by the words after",
    "oldest": "oldest first",
    "newest": "newest first",
}
_SURE = [
    (0.95, "almost certain"),
    (0.8, "very likely"),
    (0.6, "likely"),
    (0.4, "as likely as not"),
    (0.0, "a guess"),
]
_SPACE = regex.compile(r"\s+")
WORD = regex.compile(r"\p{L}[\p{L}\p{M}\p{N}]*")  # by which lines are put in order


@dataclass(frozen=True)
class Line:
    """A word in its context. at: the character of the text at which it begins. topic, certainty: to
    which it is assigned, and how probable that is, from 0 to 1; sure: in words. Words that no topic
    has: None, 0 and "". url: of the place in the document; passage_url: of the page of these
    characters.

    Where an embargo shows nothing of it, `at` and `passage_url` are None, and `url` leads to the
    document: the places of all words would be the text.
    """

    before: str
    word: str
    after: str
    document: int
    title: str
    date: str
    at: int | None
    topic: int | None
    certainty: float
    sure: str
    url: str
    passage_url: str | None


class Place(NamedTuple):
    """Where a line is cut from. topic: as a Line has it. certainty: as Evidence has it."""

    document: int
    at: int
    topic: int | None
    certainty: int


class Lines(NamedTuple):
    """lines: of this page. total: of all pages. in_order: how many of them are in the order asked
    for. kept_back: by embargo."""

    lines: list[Line]
    total: int
    in_order: int
    kept_back: int


def sure(certainty: float) -> str:
    """A probability in words."""
    return next(word for least, word in _SURE if certainty >= least)


def has_places(run: Run) -> bool:
    """Whether it is known where the corpus's words stand: versions before 0.2 did not note it."""
    return evidence.of(run).bow.offsets is not None


def direction(word: str) -> str:
    """Of the script that a word is written in: "rtl" or "ltr"."""
    return "rtl" if unicodedata.bidirectional(word[0]) in ("R", "AL") else "ltr"


def page(
    selection: RunSelection,
    uses: Uses,
    topic: int | None,
    order: str = "certainty",
    first: int = 0,
    limit: int = PAGE,
) -> Lines:
    """Lines `first` and following of a sense, or of all (None), in a set of documents of a run."""
    run = selection.run
    pairs = uses.pairs(topic)
    if order in ("oldest", "newest"):
        pairs = uses.by_day(pairs, fields.dates(run.version), newest=order == "newest")
    elif order != "document":
        pairs = uses.by_certainty(pairs)
    ends = _ends(run, uses, pairs)
    total = int(ends[-1]) if len(ends) else 0

    kept_back = int(uses.counts[pairs].sum()) - total
    return ordered(
        selection,
        lambda first, limit: _of_word(run, uses, tokens_of(pairs, ends, first, limit)),
        total,
        kept_back,
        order,
        first,
        limit,
    )


def ordered(
    selection: RunSelection,
    cut: Callable[[int, int], list["Cut"]],
    total: int,
    kept_back: int,
    order: str,
    first: int,
    limit: int,
) -> Lines:
    """Lines `first` and following. cut: pieces of text from one on, and how many, in the order that
    they have where it is not that of their context."""
    in_order = min(total, SORTED) if order in ("left", "right") else total
    pieces = list[Cut]()
    if order in ("left", "right") and first < SORTED:
        side, step = ("before", -1) if order == "left" else ("after", 1)  # the nearest word first
        by_words = sorted(
            cut(0, SORTED), key=lambda piece: WORD.findall(getattr(piece, side).lower())[::step]
        )
        pieces = by_words[first : first + limit]
        first = max(first + len(pieces), SORTED)
    if len(pieces) < limit:
        pieces += cut(first, limit - len(pieces))
    return Lines(lines_of(selection, pieces), total, in_order, kept_back)


def samples(
    selection: RunSelection, uses: Uses, topics: list[int], count: int
) -> dict[int, list[Line]]:
    """A line from each of the `count` documents in which each sense is most certain."""
    places = {k: [(int(i), 0) for i in uses.by_certainty(uses.pairs(k))[:count]] for k in topics}
    lines = iter(
        lines_of(
            selection, _of_word(selection.run, uses, [place for k in topics for place in places[k]])
        )
    )
    return {k: [next(lines) for _ in places[k]] for k in topics}


def every(selection: RunSelection, uses: Uses, size: int = 10_000) -> Iterator[list[Line]]:
    """All lines, in the documents' order, a block at a time: under an embargo each block is a
    write."""
    pairs = uses.pairs(None)
    ends = _ends(selection.run, uses, pairs)
    for first in range(0, int(ends[-1]) if len(ends) else 0, size):
        yield lines_of(
            selection, _of_word(selection.run, uses, tokens_of(pairs, ends, first, size))
        )


def _ends(run: Run, uses: Uses, pairs: np.ndarray) -> np.ndarray:
    """int64: lines up to each pair, its own included; under embargo a document shows some of a
    word's alone."""
    counts, most = uses.counts[pairs].astype(np.int64), embargo.lines(run.corpus)
    return np.cumsum(counts if not most else _allowed(uses.documents[pairs], counts, most))


def _allowed(documents: np.ndarray, counts: np.ndarray, most: int) -> np.ndarray:
    """int64[n]: tokens of each pair that are among the first `most` of its document, which may have
    several pairs."""
    order = np.argsort(documents, kind="stable")
    so_far = np.cumsum(counts[order])
    first = np.searchsorted(documents[order], documents[order])  # of each document's pairs
    before = (
        so_far - counts[order] - np.concatenate(([0], so_far))[first]
    )  # in pairs of the document before this one
    allowed = np.empty(len(counts), np.int64)
    allowed[order] = np.clip(most - before, 0, counts[order])
    return allowed


def tokens_of(pairs: np.ndarray, ends: np.ndarray, first: int, limit: int) -> list[tuple[int, int]]:
    """(pair, which of its tokens) of some consecutive lines. ends: lines up to each pair, its own
    included."""
    tokens: list = []
    i = int(np.searchsorted(ends, first, "right"))
    while i < len(pairs) and len(tokens) < limit:
        begin = int(ends[i - 1]) if i else 0
        tokens += [(int(pairs[i]), n) for n in range(max(0, first - begin), int(ends[i]) - begin)]
        i += 1
    return tokens[:limit]


class Cut(NamedTuple):
    """A piece of a text: the place in its document, and what is before the word that begins there,
    the word, what is after it."""

    place: Place
    title: str
    date: str
    before: str
    word: str
    after: str


def _of_word(run: Run, uses: Uses, tokens: list[tuple[int, int]]) -> list[Cut]:
    """The pieces of text around some tokens of a word, in their order."""
    pairs, nth = np.array(tokens, np.int64).reshape(-1, 2).T
    places = [
        *map(
            Place,
            uses.documents[pairs].tolist(),
            uses.evidence.places(uses.rows[pairs], nth, uses.word).tolist(),
            uses.topics[pairs].tolist(),
            uses.certainty[pairs].tolist(),
        )
    ]
    return cut_at(
        run,
        places,
        lambda pieces: wording.stops(
            run.version,
            [piece.text for piece in pieces],
            [
                np.array([place.at - piece.first])
                for piece, place in zip(pieces, places, strict=True)
            ],
        ),
    )


def cut_at(
    run: Run, places: list[Place], stops: Callable[[list[Piece]], list[list[int]]]
) -> list[Cut]:
    """The pieces of text around some places, in their order. stops: at which character of each
    piece the word ends that begins there."""
    known = embargo.about(
        run.corpus, dict.fromkeys(place.document for place in places), "title", "date_text"
    )
    wanted = [
        (
            place.document,
            first := max(0, place.at - SIDE),
            place.at - first + LONGEST + SIDE,
            place.at,
        )
        for place in places
    ]
    pieces = embargo.pieces(run.corpus, wanted)

    def cut(place: Place, piece: Piece, stop: int) -> Cut:
        begin, about = place.at - piece.first, known[place.document]
        before, word, after = (
            piece.text[:begin],
            piece.text[begin:stop],
            piece.text[stop : stop + SIDE],
        )
        return Cut(place, about["title"], about["date_text"], before, word, after)

    return [
        cut(place, piece, *stop)
        for place, piece, stop in zip(places, pieces, stops(pieces), strict=True)
    ]


def _whole(cut: Cut) -> tuple[int, int]:
    """Characters to leave out at either end of a line, so that it ends at words; none where a text
    has no spaces."""
    begins = None if len(cut.before) == cut.place.at else _SPACE.search(cut.before)
    spaces = list(_SPACE.finditer(cut.after)) if len(cut.after) == SIDE else []
    return begins.end() if begins else 0, len(cut.after) - spaces[-1].start() if spaces else 0


def lines_of(selection: RunSelection, cut: list[Cut]) -> list[Line]:
    """As pages show them, with the address of each place."""
    lines, go = [], selection.view.go
    for piece in cut:
        document, at, topic, certainty = piece.place
        left_out, right_out = _whole(piece)
        before, after = piece.before[left_out:], piece.after[: len(piece.after) - right_out]
        first, last = at - len(before), at + len(piece.word) + len(after)
        withheld = not (before or piece.word or after)
        here = selection.address(topic=topic, at=None if withheld else at) + (
            "" if withheld else "#here"
        )
        lines.append(
            Line(
                before=_SPACE.sub(" ", before),
                word=_SPACE.sub(" ", piece.word) or "…",
                after=_SPACE.sub(" ", after),
                document=document,
                title=piece.title,
                date=piece.date,
                at=None if withheld else at,
                topic=topic,
                certainty=round(certainty / assign.SURE, 3),
                sure="" if topic is None else sure(certainty / assign.SURE),
                url=go.with_set(links.document_url(selection.run, document, here)),
                passage_url=None
                if withheld
                else go.with_set(links.passage_url(selection.run, document, first, last)),
            )
        )
    return lines
