"""Texts of documents, or parts of them, as far as the embargo allows. All that is given out is
counted (budgets) and noted in the record of reading (readings)."""

import re
from collections.abc import Callable, Collection
from itertools import islice
from typing import NamedTuple

from inference.errors import Invalid
from webapp.models import Corpus
from webapp.platform.accounts import readings
from webapp.platform.accounts.embargo import sentences
from webapp.platform.accounts.embargo.budgets import Span, Wanted, charge
from webapp.platform.accounts.embargo.limits import (
    CUT_SLACK,
    FARTHEST_CHARACTER,
    PAGE_CHARACTERS,
    PASSAGE,
    QUOTE,
    SECTION_PART,
)
from webapp.platform.accounts.embargo.rules import refuse
from webapp.platform.accounts.embargo.who_reads import readers
from webapp.platform.storage.sql import rows

BYTES_OF_CHARACTER = 4  # of UTF-8, at most
SENTENCE_CONTEXT = 40  # characters around a quotation that say whether it is whole sentences
MISSING = "The document does not contain this passage. Copy it from the page unchanged."
USED_UP = " Or it does, and as much of its text was shown already as the embargo allows."
# A passage's longest, in SQL, of a row of `document`.
_LONGEST_PASSAGE = (
    f"CASE WHEN parts > 1 THEN least({PASSAGE}, length(text) / {SECTION_PART}) ELSE {PASSAGE} END"
)


class TextPart(NamedTuple):
    """text: the document's characters start … end - 1, "" under embargo; length: those of the whole
    document."""

    text: str
    start: int
    end: int
    length: int


def read_part(corpus: Corpus, number: int, at: int) -> TextPart | None:
    """The part of a document that holds character `at`. Parts follow one another without a gap,
    wherever one enters."""
    documents = rows(
        """
        SELECT digest, length, first, substr(text, greatest(first - %(slack)s, 0)::int + 1, %(part)s + %(slack)s) AS text
        FROM (SELECT text, digest, length(text) AS length FROM document WHERE corpus_id = %(corpus)s AND number = %(number)s) AS whole,
             LATERAL (SELECT least(%(at)s, greatest(length - 1, 0)) / %(part)s * %(part)s AS first) AS cut
        """,
        {
            "corpus": corpus.pk,
            "number": number,
            "at": at,
            "part": PAGE_CHARACTERS,
            "slack": CUT_SLACK,
        },
    )
    if not documents:
        return None
    length = documents[0]["length"]
    first = documents[0]["first"]
    text = documents[0]["text"]
    base = max(0, first - CUT_SLACK)
    start = base + _cut_before(text, first - base) if first else 0
    end = (
        length
        if first + PAGE_CHARACTERS >= length
        else base + _cut_before(text, first + PAGE_CHARACTERS - base)
    )
    if end <= at < length:
        return read_part(corpus, number, first + PAGE_CHARACTERS)
    given_text = "" if corpus.embargo else text[start - base : end - base]
    digest = bytes(documents[0]["digest"])
    readings.note_opened(corpus, number, digest, start, start + len(given_text))
    return TextPart(given_text, start, end, length)


def at_place(corpus: Corpus, number: int, start: int, end: int) -> "Piece | None":
    """The characters start … end - 1 of a document, at most QUOTE of them; None where it has none
    there.

    Under embargo without text: who names one place after another would read the whole.
    """
    if not start < end <= min(start + QUOTE, FARTHEST_CHARACTER):
        return None
    first = max(start - SENTENCE_CONTEXT, 0)
    read = 0 if corpus.embargo else end + SENTENCE_CONTEXT - first
    documents = rows(
        "SELECT digest, length(text) AS length, substr(text, %s, %s) AS text FROM document WHERE"
        " corpus_id = %s AND number = %s",
        [first + 1, read, corpus.pk, number],
    )
    if not documents or end > documents[0]["length"]:
        return None
    around = documents[0]["text"]
    text = around[start - first : end - first]
    digest = bytes(documents[0]["digest"])
    readings.note_opened(corpus, number, digest, start, start + len(text))
    if not text:
        return Piece(number=number, first=start, text="", more=False)
    is_to_the_end = end == documents[0]["length"]
    return Piece(
        number=number,
        first=start,
        text=text,
        more=not is_to_the_end,
        mid_sentence=start > 0 and not sentences.begins(around[: start - first]),
        ends_mid_sentence=not is_to_the_end and not sentences.ends(text, around[end - first :]),
    )


def _cut_before(text: str, limit: int) -> int:
    """Behind the last line, or else the last word, that ends within CUT_SLACK characters before the
    limit."""
    for mark in ("\n", " "):
        if (last := text.rfind(mark, max(0, limit - CUT_SLACK), limit)) >= 0:
            return last + 1
    return limit


def _length(corpus: Corpus) -> str:
    """A text's, in SQL. Without an embargo nobody asks for it, and a long text need not be read to
    its end."""
    return "length(text)" if corpus.embargo else "0"


class Piece(NamedTuple):
    """The characters of a document from `first` on; more: whether its text goes on behind them.
    mid_sentence, ends_mid_sentence: whether a quotation begins, and ends, within a sentence."""

    number: int
    first: int
    text: str
    more: bool
    mid_sentence: bool = False
    ends_mid_sentence: bool = False


def read_pieces(corpus: Corpus, places: list[tuple[int, int, int, int]]) -> list[Piece]:
    """A piece of a text for each (document, first character, how many, the character that matters),
    in their order.

    Under embargo shorter ones, each with the character that matters in its first third.
    """
    if not places:
        return []
    longest = _LONGEST_PASSAGE if corpus.embargo else "size"
    length = _length(corpus)
    numbers, firsts, sizes, marks = map(list, zip(*places, strict=True))
    cut = rows(
        f"""
        SELECT d.number, begin, asked, mark, d.digest, {length} AS length, substr(d.text, begin + 1, asked + 1) AS text
        FROM unnest(%(number)s::bigint[], %(first)s::int[], %(size)s::int[], %(mark)s::int[])
             WITH ORDINALITY AS p(number, first, size, mark, place)
        JOIN document d ON d.corpus_id = %(corpus)s AND d.number = p.number,
             LATERAL (SELECT {longest} AS most) AS allowed,
             LATERAL (SELECT greatest(p.first, CASE WHEN p.size > most THEN p.mark - most / 3 ELSE 0 END) AS begin) AS cut,
             LATERAL (SELECT least(p.first + p.size - begin, most) AS asked) AS wanted
        ORDER BY p.place
        """,
        {
            "corpus": corpus.pk,
            "number": numbers,
            "first": firsts,
            "size": sizes,
            "mark": marks,
        },
    )
    requests = [
        Wanted(
            bytes(row["digest"]),
            row["length"],
            row["begin"],
            row["begin"] + len(row["text"][: row["asked"]]),
            row["mark"],
        )
        for row in cut
    ]
    allowed = charge(corpus, requests)
    _note_passages(corpus, cut, allowed)
    pieces_read = []
    for row, (begin, end) in zip(cut, allowed, strict=True):
        first = begin - row["begin"]
        last = end - row["begin"]
        text = row["text"]
        pieces_read.append(
            Piece(number=row["number"], first=begin, text=text[first:last], more=last < len(text))
        )
    return pieces_read


def short_documents(corpus: Corpus, numbers: list[int], characters: int) -> set[int]:
    """Which of some documents have at most so many characters. None under embargo, where a list
    shows a shorter passage of each."""
    if corpus.embargo:
        return set()
    # The bytes of a text are known without reading it, so that a long one is not read
    found = rows(
        "SELECT number FROM document WHERE corpus_id = %s AND number = ANY(%s)"
        " AND CASE WHEN octet_length(text) <= %s THEN length(text) <= %s ELSE false END",
        [corpus.pk, numbers, BYTES_OF_CHARACTER * characters, characters],
    )
    return {row["number"] for row in found}


def _note_passages(corpus: Corpus, documents: list[dict], spans: list[Span]) -> None:
    """For the record of reading. documents: rows with "number" and "digest"."""
    readings.note_passages(
        corpus,
        (
            (row["number"], bytes(row["digest"]), begin, end)
            for row, (begin, end) in zip(documents, spans, strict=True)
        ),
    )


def note_coded(corpus: Corpus, number: int, text: str, coder: str) -> None:
    """For the record of reading: a text's beginning was opened to be coded."""
    if readings.keepers(corpus):
        digests = rows(
            "SELECT digest FROM document WHERE corpus_id = %s AND number = %s", [corpus.pk, number]
        )
        for row in digests:
            readings.note_opened(corpus, number, bytes(row["digest"]), 0, len(text), coder)


def beginnings(corpus: Corpus, numbers: Collection[int], most: int) -> dict[int, str]:
    """The first characters of documents, at most so many: number -> text, in the order of the
    numbers."""
    characters = f"least(%s, {_LONGEST_PASSAGE})" if corpus.embargo else "%s"
    documents = rows(
        f"SELECT number, digest, {_length(corpus)} AS length, left(text, {characters}) AS text"
        " FROM document WHERE corpus_id = %s AND number = ANY(%s) ORDER BY number",
        [most, corpus.pk, [*map(int, numbers)]],
    )
    requests = [
        Wanted(bytes(row["digest"]), row["length"], 0, len(row["text"]), 0) for row in documents
    ]
    allowed = charge(corpus, requests)
    _note_passages(corpus, documents, allowed)
    return {
        row["number"]: row["text"][:end] for row, (_, end) in zip(documents, allowed, strict=True)
    }


def read_chosen(
    corpus: Corpus, numbers: list[int], read: int, choose: Callable[[int, str], tuple[int, int]]
) -> dict[int, tuple[int, str]]:
    """number -> (first character, text) of the piece of each document that `choose(number, text)`
    wants: it returns the first character and the one behind the last.

    read: how many characters of a document it is given to choose from. Under embargo the beginning
    of that piece.
    """
    documents = rows(
        f"SELECT number, {_LONGEST_PASSAGE if corpus.embargo else 'NULL'} AS most, digest,"
        f" {_length(corpus)}"
        " AS length, left(text, %s) AS text FROM document WHERE corpus_id = %s AND number ="
        " ANY(%s)",
        [read, corpus.pk, numbers],
    )
    requests = []
    for row in documents:
        start, end = choose(row["number"], row["text"])
        if corpus.embargo:
            end = min(end, start + row["most"])
        end = max(start, min(end, len(row["text"])))
        requests.append(Wanted(bytes(row["digest"]), row["length"], start, end, start))
    allowed = charge(corpus, requests)
    _note_passages(corpus, documents, allowed)
    texts = {}
    for row, (begin, end) in zip(documents, allowed, strict=True):
        texts[row["number"]] = (begin, row["text"][begin:end])
    return texts


def quotation(
    corpus: Corpus, number: int, quote: str, start: int | None, end: int | None
) -> Piece | None:
    """Where a quotation stands in a document, in the document's own characters (`located`); None
    where there is no such document.

    Under embargo only what was sent comes back: a place alone, however it is written, gives
    nothing. It is counted, as the places of all words would be the text; where no more may be
    shown, it is as if the document did not have it. Raises Invalid.
    """
    documents = rows(
        "SELECT text, digest FROM document WHERE corpus_id = %s AND number = %s",
        [corpus.pk, number],
    )
    if not documents:
        return None
    text = documents[0]["text"]
    words = _words(quote)
    if not words:
        refuse(corpus, "A passage by its place alone")
    missing = MISSING + (USED_UP if readers(corpus) else "")
    start, end = located(text, quote, start, end, missing)
    if end - start > PASSAGE:
        refuse(corpus, f"A passage of more than {PASSAGE} characters")
    if text[start:end].split() != words:
        refuse(corpus, "A passage that was not sent")
    if charge(
        corpus, [Wanted(bytes(documents[0]["digest"]), len(text), start, end, start, whole=True)]
    ) != [(start, end)]:
        raise Invalid("quote", missing)
    _note_passages(corpus, [{"number": number, "digest": documents[0]["digest"]}], [(start, end)])
    # Under embargo nobody learns what is around a quotation
    before = "" if corpus.embargo else text[max(start - SENTENCE_CONTEXT, 0) : start]
    behind = "" if corpus.embargo else text[end : end + SENTENCE_CONTEXT]
    return Piece(
        number=number,
        first=start,
        text=text[start:end],
        more=end < len(text),
        mid_sentence=start > 0 and not sentences.begins(before),
        ends_mid_sentence=end < len(text) and not sentences.ends(text[start:end], behind),
    )


def located(
    text: str, quote: str, start: int | None, end: int | None, missing: str = MISSING
) -> tuple[int, int]:
    """Where a quotation stands in a text, spaces and line breaks aside: at `start` to `end` if it
    is there, else first; missing: the sentence where it is nowhere.

    Without a quotation it is those characters. The marks … around an excerpt don't count. Raises
    Invalid.
    """
    if len(quote) > 2 * QUOTE:
        raise Invalid(
            "quote", f"A passage has at most {QUOTE:,} characters; this one has {len(quote):,}."
        )
    words = _words(quote)
    marked_text = ""
    if start is not None and end is not None and 0 <= start < end <= len(text):
        marked_text = text[start:end]
    if start is not None and marked_text and (not words or marked_text.split() == words):
        blanks_before = len(marked_text) - len(marked_text.lstrip())
        end = start + len(marked_text.rstrip())
        start += blanks_before
    elif words:
        start, end = _find_words(text, words, missing)
    else:
        raise Invalid("quote", "Mark or paste the passage first.")
    if end - start > QUOTE:
        raise Invalid(
            "quote", f"A passage has at most {QUOTE:,} characters; this one has {end - start:,}."
        )
    return start, end


def _words(quote: str) -> list[str]:
    return quote.strip().strip("…").split()


def _find_words(text: str, words: list[str], missing: str) -> tuple[int, int]:
    """Where words stand first, whatever white space is between them, in one pass: an expression
    would try anew at every place."""
    flat = " ".join(text.split())
    if (at := flat.find(" ".join(words))) < 0:
        raise Invalid("quote", missing)
    before = flat.count(" ", 0, at)
    word_matches = list(islice(re.finditer(r"\S+", text), before, before + len(words)))
    # It may begin within a word
    start = word_matches[0].start() + at - (flat.rfind(" ", 0, at) + 1)
    return start, (start if len(words) == 1 else word_matches[-1].start()) + len(words[-1])
