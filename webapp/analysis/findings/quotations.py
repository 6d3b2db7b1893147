"""Quotations that stand for a topic: passages with many of its words that begin and end with a
sentence."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import regex

from inference.errors import Invalid
from webapp.core.documents import texts
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence
from webapp.intake.ingest import repeats
from webapp.platform.accounts import embargo

DOCUMENTS_SEARCHED = 10  # of a topic that are looked into
# characters of a quotation
SHORTEST_QUOTATION = 90
LONGEST_QUOTATION = 260
AROUND = 500  # characters read before and behind the densest place
LEAST_WORDS = 30  # of a document that is quoted
LENGTH_ADDED = 60  # characters, to each passage: of equally dense ones the longer comes first
DIGITS_WEIGHT = 8  # of the part of the characters that are digits: an eighth leaves LEAST_PROSE
LEAST_PROSE = 0.1  # what a passage of digits alone counts
ALIKE = 0.5  # share of words that two quotations may have in common
# Behind these a full stop ends no sentence: titles, of months and numbers, initials
_ABBREVIATIONS = (
    "Mr|Mrs|Ms|Messrs|Dr|Prof|St|Gov|Sen|Rep|Gen|Col|Lt|Capt|Sgt|Maj|Adm|Rev|Hon|Supt|Mt|Ft"
    "|Jan|Feb|Mar|Apr|Aug|Sep|Sept|Oct|Nov|Dec|No|Nos|Vol|Fig|vs|pp|U\\.S|U\\.N|[A-Z]"
)
# Nor does what a small letter follows: “Stop!” he said
_END = regex.compile(rf"(?<!\b(?:{_ABBREVIATIONS}))[.!?][\"”’')]?(?=\s|$)(?!\s+\p{{Ll}})")
_BEHIND_END = regex.compile(r"\s{1,6}(?=[\"“‘(]?\p{Lu})")
_CAPITAL = regex.compile(r"[\"“‘(]?\p{Lu}")
_WORD = regex.compile(r"\p{L}{3,}")


@dataclass(frozen=True)
class Quote:
    """Characters start … end - 1 of a document, which stand for a topic."""

    topic: int
    document: int
    start: int
    end: int


def repeating(selection: RunSelection) -> np.ndarray:
    """bool[D]: documents that repeat an earlier one, word for word or nearly."""
    version = selection.view.run.version
    with suppress(Invalid):  # read by a version that kept no list of them
        return repeats.repeating(version, "repeated")
    return np.zeros(version.documents, bool)


def quote_topics(
    selection: RunSelection, topics: list[int], count: int, repeated: np.ndarray
) -> list[Quote]:
    """At most one quotation of each topic, `count` in all, of different documents."""
    quoted: list[tuple[Quote, set[str]]] = []
    for k in topics:
        if len(quoted) < count and (best_quote := _best(selection, k, repeated, quoted)):
            quoted.append(best_quote)
    return [quote for quote, _ in quoted]


def _best(
    selection: RunSelection,
    k: int,
    repeated: np.ndarray,
    earlier_quotes: list[tuple[Quote, set[str]]],
) -> tuple[Quote, set[str]] | None:
    """With its words. earlier_quotes: that are quoted already."""
    view = selection.view
    run_evidence = evidence.of(selection.view.run)
    topic_tokens = run_evidence.mixtures.tokens_held(view.labels.merged_topics(k)).astype(
        np.float64
    )
    lengths = run_evidence.lengths
    allowed = (lengths >= LEAST_WORDS) & (topic_tokens > 0) & ~repeated
    if selection.mask is not None:
        allowed &= selection.mask
    allowed_documents = np.flatnonzero(allowed)
    quoted_documents = {quote.document for quote, _ in earlier_quotes}
    # Many of its words, and much of the document
    score = topic_tokens[allowed_documents] ** 2 / lengths[allowed_documents]
    numbers = [
        n
        for n in allowed_documents[np.argsort(-score, kind="stable")[:DOCUMENTS_SEARCHED]].tolist()
        if n not in quoted_documents
    ]
    tokens = {number: texts.tokens(view, number) for number in numbers}
    densest_places = {
        number: texts.densest_place(document_tokens, k, LONGEST_QUOTATION)
        for number, document_tokens in tokens.items()
    }
    texts_to_read = [
        (n, max(0, at - AROUND), AROUND + LONGEST_QUOTATION + AROUND, at)
        for n, at in densest_places.items()
        if at is not None
    ]
    best_quote: tuple[Quote, set[str]] | None = None
    highest_density = 0.0
    for cut_text in embargo.read_pieces(selection.corpus, texts_to_read):
        document_tokens = tokens[cut_text.number]
        offsets = document_tokens.offsets[document_tokens.topics == k] - cut_text.first
        for start, end in find_sentences(cut_text.text, begins_document=cut_text.first == 0):
            passage = cut_text.text[start:end]
            topic_words = int(np.searchsorted(offsets, end) - np.searchsorted(offsets, start))
            density = _density(passage, topic_words)
            if density <= highest_density:
                continue
            words = {word.lower() for word in _WORD.findall(passage)}
            is_like_earlier = any(
                len(words & seen) > ALIKE * min(len(words), len(seen)) for _, seen in earlier_quotes
            )
            if not is_like_earlier:
                first = cut_text.first
                best_quote = (Quote(k, cut_text.number, first + start, first + end), words)
                highest_density = density
    return best_quote


def _density(passage: str, topic_words: int) -> float:
    """How densely so many words of a topic stand in a passage; less where it has many digits, as
    rows of tables do."""
    digits = sum(character.isdigit() for character in passage) / len(passage)
    prose = max(LEAST_PROSE, 1 - DIGITS_WEIGHT * digits)
    return topic_words / (len(passage) + LENGTH_ADDED) * prose


def find_sentences(text: str, begins_document: bool) -> list[tuple[int, int]]:
    """Where one or more whole sentences lie that are neither too short nor too long, as quotations
    go."""
    ends = [m.end() for m in _END.finditer(text)]
    begins = [m.end() for end in ends if (m := _BEHIND_END.match(text, end))]
    if begins_document and _CAPITAL.match(text):
        begins.insert(0, 0)
    spans = [
        (start, end)
        for start in begins
        for end in ends
        if SHORTEST_QUOTATION <= end - start <= LONGEST_QUOTATION
    ]
    return [
        (start, end) for start, end in spans if not regex.search(r"\n\s*\n", text[start:end])
    ] or spans


def shorten(selection: RunSelection, quotes: list[Quote]) -> list[list[tuple[str, bool]]]:
    """The quotations in the text's own words, shortened where the texts are under embargo: pieces,
    and whether each is a word of the topic."""
    view = selection.view
    run = selection.view.run
    cut_texts = embargo.read_pieces(
        run.corpus,
        [(quote.document, quote.start, quote.end - quote.start, quote.start) for quote in quotes],
    )
    shortened = []
    for quote, cut_text in zip(quotes, cut_texts, strict=True):
        short = cut_text.text + (
            " …" if run.corpus.embargo and len(cut_text.text) < quote.end - quote.start else ""
        )
        words = texts.words(run, texts.tokens(view, quote.document), short, cut_text.first)
        shortened.append(_join_pieces([(w.text, w.topic == quote.topic) for w in words]))
    return shortened


def _join_pieces(parts: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Neighbours of a kind as one; white space of any kind as one space."""
    return [
        ("".join(regex.sub(r"\s+", " ", text) for text, _ in joined_parts), is_marked)
        for is_marked, joined_parts in groupby(parts, key=lambda part: part[1])
    ]
