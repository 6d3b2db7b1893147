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

from inference.errors import Invalid
from inference.kernels import assign
from inference.senses import SenseUses
from webapp.core.documents import document_days, wording
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, links
from webapp.models import Corpus, Run
from webapp.platform.accounts import embargo
from webapp.platform.accounts.embargo import Piece

PAGE = 25
SIDE = 80  # characters on each side of the word
LONGEST_WRITTEN_PHRASE = 260  # characters of a word or a phrase as it is written
# Lines that are put in the order of their context, which takes their texts; the others follow by
# certainty
SORTED = 1_000
DIGITS = 3  # of a certainty
Order = Literal["certainty", "document", "left", "right", "oldest", "newest", "sample"]
ORDERS: dict[Order, str] = {
    "certainty": "most certain first",
    "document": "by document",
    "left": "by the words before",
    "right": "by the words after",
    "oldest": "oldest first",
    "newest": "newest first",
}
# Orders that are known only when the texts of up to SORTED lines have been read
BY_CONTEXT: tuple[Order, ...] = ("left", "right")
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


class LinePlace(NamedTuple):
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


def certainty_word(certainty: float) -> str:
    """A probability in words."""
    return next(word for least, word in _SURE if certainty >= least)


def has_places(run: Run) -> bool:
    """Whether it is known where the corpus's words stand: versions before 0.2 did not note it."""
    return evidence.of(run).document_bow.offsets is not None


def direction(word: str) -> str:
    """The direction of the script that a word is written in: "rtl" or "ltr"."""
    return "rtl" if unicodedata.bidirectional(word[0]) in ("R", "AL") else "ltr"


def offered_orders(corpus: Corpus) -> dict[Order, str]:
    """The orders that may be asked for, with what pages call them; of texts under embargo readers
    are offered none BY_CONTEXT (`ordered`)."""
    if not embargo.readers(corpus):
        return ORDERS
    return {order: says for order, says in ORDERS.items() if order not in BY_CONTEXT}


def page(
    selection: RunSelection,
    uses: SenseUses,
    topic: int | None,
    order: str = "certainty",
    first: int = 0,
    limit: int = PAGE,
) -> Lines:
    """Lines `first` and following of a sense, or of all (None), in a set of documents of a run.
    Raises Invalid, as `ordered`."""
    run = selection.run
    pairs = uses.pairs(topic)
    if order in ("oldest", "newest"):
        pairs = uses.by_day(pairs, document_days.read_days(run.version), newest=order == "newest")
    elif order != "document":
        pairs = uses.by_certainty(pairs)
    ends = _ends(run, uses, pairs)
    total = int(ends[-1]) if len(ends) else 0
    kept_back = int(uses.counts[pairs].sum()) - total

    def cut(first: int, limit: int) -> list[CutLine]:
        return _of_word(run, uses, tokens_of(pairs, ends, first, limit))

    return ordered(selection, cut, total, kept_back, order, first, limit)


def ordered(
    selection: RunSelection,
    cut: Callable[[int, int], list["CutLine"]],
    total: int,
    kept_back: int,
    order: str,
    first: int,
    limit: int,
) -> Lines:
    """Lines `first` and following. cut: pieces of text from one on, and how many, in the order that
    they have where it is not that of their context.

    Raises Invalid where a reader under embargo asks for an order by context: all pieces that are
    put in order would count as shown to them, and most are on no page that they see.
    """
    is_by_context = order in BY_CONTEXT
    if is_by_context and embargo.readers(selection.run.corpus):
        raise Invalid(
            "sort",
            "The texts of this corpus are under embargo: lines can’t be put in the order of the"
            f" words around them, as up to {SORTED:,} passages would count as shown to you. Choose"
            " another order.",
        )
    in_order = min(total, SORTED) if is_by_context else total
    cuts_in_order: list[CutLine] = []
    if is_by_context and first < SORTED:
        by_context = sorted(cut(0, SORTED), key=_words_before if order == "left" else _words_after)
        cuts_in_order = by_context[first : first + limit]
        first = max(first + len(cuts_in_order), SORTED)
    if len(cuts_in_order) < limit:
        cuts_in_order += cut(first, limit - len(cuts_in_order))
    return Lines(lines_of(selection, cuts_in_order), total, in_order, kept_back)


def _words_before(cut_text: "CutLine") -> list[str]:
    """The nearest first."""
    return WORD.findall(cut_text.before.lower())[::-1]


def _words_after(cut_text: "CutLine") -> list[str]:
    return WORD.findall(cut_text.after.lower())


def samples(
    selection: RunSelection, uses: SenseUses, topics: list[int], count: int
) -> dict[int, list[Line]]:
    """A line from each of the `count` documents in which each sense is most certain."""
    tokens: list[tuple[int, int]] = []  # the first one of each pair
    topic_of_token: list[int] = []
    for k in topics:
        most_certain = uses.by_certainty(uses.pairs(k))[:count].tolist()
        tokens += [(pair, 0) for pair in most_certain]
        topic_of_token += [k] * len(most_certain)
    lines_of_topic: dict[int, list[Line]] = {k: [] for k in topics}
    lines = lines_of(selection, _of_word(selection.run, uses, tokens))
    for k, line in zip(topic_of_token, lines, strict=True):
        lines_of_topic[k].append(line)
    return lines_of_topic


def all_lines(selection: RunSelection, uses: SenseUses, size: int = 10_000) -> Iterator[list[Line]]:
    """All lines, in the documents' order, a block at a time: under an embargo each block is a
    write."""
    pairs = uses.pairs(None)
    ends = _ends(selection.run, uses, pairs)
    total = int(ends[-1]) if len(ends) else 0
    for first in range(0, total, size):
        tokens = tokens_of(pairs, ends, first, size)
        yield lines_of(selection, _of_word(selection.run, uses, tokens))


def _ends(run: Run, uses: SenseUses, pairs: np.ndarray) -> np.ndarray:
    """int64: lines up to each pair, its own included; under embargo a document shows some of a
    word's alone."""
    counts = uses.counts[pairs].astype(np.int64)
    most_of_document = embargo.most_lines(run.corpus)
    if most_of_document:
        counts = allowed_tokens(uses.documents[pairs], counts, most_of_document)
    return np.cumsum(counts)


def allowed_tokens(documents: np.ndarray, counts: np.ndarray, most_lines: int) -> np.ndarray:
    """int64[n]: tokens of each pair that are among the first `most_lines` of its document, which
    may have several pairs. documents, counts: int[n], the document and the tokens of each pair."""
    order = np.argsort(documents, kind="stable")
    so_far = np.cumsum(counts[order])
    first_pair = np.searchsorted(documents[order], documents[order])  # of each document
    before_document = np.concatenate(([0], so_far))[first_pair]
    before = so_far - counts[order] - before_document  # in the document's pairs before this one
    allowed = np.empty(len(counts), np.int64)
    allowed[order] = np.clip(most_lines - before, 0, counts[order])
    return allowed


def tokens_of(pairs: np.ndarray, ends: np.ndarray, first: int, limit: int) -> list[tuple[int, int]]:
    """(pair, which of its tokens) of some consecutive lines. ends: lines up to each pair, its own
    included."""
    tokens: list[tuple[int, int]] = []
    i = int(np.searchsorted(ends, first, "right"))
    while i < len(pairs) and len(tokens) < limit:
        begin = int(ends[i - 1]) if i else 0
        tokens += [(int(pairs[i]), n) for n in range(max(0, first - begin), int(ends[i]) - begin)]
        i += 1
    return tokens[:limit]


class CutLine(NamedTuple):
    """A piece of a text: the place in its document, and what is before the word that begins there,
    the word, what is after it."""

    place: LinePlace
    title: str
    date: str
    before: str
    word: str
    after: str


def _of_word(run: Run, uses: SenseUses, tokens: list[tuple[int, int]]) -> list[CutLine]:
    """The pieces of text around some tokens of a word, in their order."""
    pairs, nth = np.array(tokens, np.int64).reshape(-1, 2).T
    characters = uses.evidence.token_places.of_rows(uses.rows[pairs], nth, uses.word)
    word_places = list(
        map(
            LinePlace,
            uses.documents[pairs].tolist(),
            characters.tolist(),
            uses.topics[pairs].tolist(),
            uses.certainty[pairs].tolist(),
        )
    )

    def stops(texts_read: list[Piece]) -> list[list[int]]:
        texts = [cut_text.text for cut_text in texts_read]
        begins = [
            np.array([word_place.at - cut_text.first])
            for cut_text, word_place in zip(texts_read, word_places, strict=True)
        ]
        return wording.stops(run.version, texts, begins)

    return cut_at(run, word_places, stops)


def cut_at(
    run: Run, line_places: list[LinePlace], stops: Callable[[list[Piece]], list[list[int]]]
) -> list[CutLine]:
    """The pieces of text around some places, in their order. stops: at which character of each
    piece the word ends that begins there."""
    documents = dict.fromkeys(word_place.document for word_place in line_places)
    columns = embargo.about(run.corpus, documents, "title", "date_text")
    cut_texts = embargo.read_pieces(
        run.corpus, [_piece_around(word_place) for word_place in line_places]
    )
    cuts = []
    for word_place, cut_text, (stop,) in zip(line_places, cut_texts, stops(cut_texts), strict=True):
        begin = word_place.at - cut_text.first
        about = columns[word_place.document]
        cut = CutLine(
            place=word_place,
            title=about["title"],
            date=about["date_text"],
            before=cut_text.text[:begin],
            word=cut_text.text[begin:stop],
            after=cut_text.text[stop : stop + SIDE],
        )
        cuts.append(cut)
    return cuts


def _piece_around(line_place: LinePlace) -> tuple[int, int, int, int]:
    """What embargo.read_pieces asks for: document, first character, how many, and the place
    itself."""
    first = max(0, line_place.at - SIDE)
    return (
        line_place.document,
        first,
        line_place.at - first + LONGEST_WRITTEN_PHRASE + SIDE,
        line_place.at,
    )


def _whole_words_before(cut: CutLine) -> str:
    """Without the rest of a word that was cut; all where a text has no spaces."""
    is_beginning_of_text = len(cut.before) == cut.place.at
    space = _SPACE.search(cut.before)
    if is_beginning_of_text or space is None:
        return cut.before
    return cut.before[space.end() :]


def _whole_words_after(cut: CutLine) -> str:
    is_end_of_text = len(cut.after) < SIDE
    spaces = list(_SPACE.finditer(cut.after))
    if is_end_of_text or not spaces:
        return cut.after
    return cut.after[: spaces[-1].start()]


def lines_of(selection: RunSelection, cut: list[CutLine]) -> list[Line]:
    """Lines as pages show them, with the address of each place."""
    return [_line(selection, cut_line) for cut_line in cut]


def _line(selection: RunSelection, cut: CutLine) -> Line:
    document, position, topic, stored_certainty = cut.place
    before = _whole_words_before(cut)
    after = _whole_words_after(cut)
    certainty = stored_certainty / assign.FULL_CERTAINTY
    is_withheld = not before and not cut.word and not after
    if is_withheld:
        at = None
        query = selection.address(topic=topic)
        passage_url = None
    else:
        at = position
        query = selection.address(topic=topic, at=at) + "#here"
        first = position - len(before)
        last = position + len(cut.word) + len(after)
        passage = links.passage_url(selection.run, document, first, last)
        passage_url = selection.view.go.with_set(passage)
    return Line(
        before=_SPACE.sub(" ", before),
        word=_SPACE.sub(" ", cut.word) or "…",
        after=_SPACE.sub(" ", after),
        document=document,
        title=cut.title,
        date=cut.date,
        at=at,
        topic=topic,
        certainty=round(certainty, DIGITS),
        sure="" if topic is None else certainty_word(certainty),
        url=selection.view.go.with_set(links.document_url(selection.run, document, query)),
        passage_url=passage_url,
    )
