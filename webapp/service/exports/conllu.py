"""Texts as CoNLL-U (https://universaldependencies.org/format.html), one word a line, with the topic
of each word in the column MISC.

Lemma, part of speech and syntax are not annotated: their columns hold “_”. White space that is not
one blank is kept as UDPipe writes it (SpacesAfter), so that the text can be put together again.
"""

from collections.abc import Iterator
from typing import NamedTuple

import regex

from webapp.core.documents.texts import Word
from webapp.core.results import provenance
from webapp.service.exports.tables import ExportSource
from webapp.service.exports.texts import Document, documents_in_words

_WRITTEN_WORD = regex.compile(r"\S+")
# What stands between words of the vocabulary: words that don't count, numbers, single marks
_TOKEN = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’\-][\p{L}\p{M}\p{N}]+)*|\S")
_BLANK_LINE = regex.compile(r"\n[^\S\n]*\n")
_ENDS = frozenset(".!?…。！？")
_CLOSES = frozenset("\"'”’»)]」』")
_NOT_IN_NAMES = regex.compile(r"\W+")
_ESCAPES = {"\t": r"\t", "\r": r"\r", "\n": r"\n", "|": r"\p", "\\": "\\\\"}
_ESCAPES_OF_SPACE = str.maketrans(_ESCAPES | {" ": r"\s"})
_ESCAPES_OF_NAMES = str.maketrans(_ESCAPES)
# A sentence is cut after so many words, wherever it is: lists and tables have no full stops
LONGEST_SENTENCE = 500


class Token(NamedTuple):
    """A word or a mark as it stands in a text. topic: None of what was not counted."""

    form: str
    start: int
    end: int
    topic: int | None


def corpus(request: ExportSource) -> Iterator[bytes]:
    """All chosen documents one after another, in one file."""
    made_by = provenance.made_by(request.run)
    yield f"# generator = {made_by['made by']}\n".encode()
    yield f"# corpus = {_line(request.run.corpus.name)}\n".encode()
    yield f"# run = {request.run.pk}\n".encode()
    labels = request.selection.view.labels
    topic_notes = [_topic_note(k, labels.title(k)) for k in range(request.run.topics)]
    for document, words in documents_in_words(request):
        yield _write_document(document, tokenise(words), topic_notes).encode("utf-8", "replace")


def _write_document(document: Document, tokens: list[Token], topic_notes: list[str]) -> str:
    """topic_notes: what a word of each topic has in the column MISC."""
    lines = _head(document)
    end_before = 0
    for number, sentence in enumerate(sentences(tokens, document.text), 1):
        first = sentence[0]
        last = sentence[-1]
        if number > 1 and _BLANK_LINE.search(document.text, end_before, first.start):
            lines.append("# newpar")
        end_before = last.end
        # By the document's number: several may have one id, as sections of a long text do
        lines.append(f"# sent_id = d{document.number}-{number}")
        lines.append(f"# text = {_line(document.text[first.start : last.end])}")
        for token_number, token in enumerate(sentence, 1):
            topic_note = "" if token.topic is None else topic_notes[token.topic]
            notes = [topic_note, _space_note(token, document.text)]
            notes_text = "|".join(note for note in notes if note) or "_"
            lines.append("\t".join([str(token_number), token.form, *"_______", notes_text]))
        lines.append("")
    return "\n".join(lines) + "\n"


def _head(document: Document) -> list[str]:
    lines = [f"# newdoc id = {_line(document.id) or document.number}"]
    if document.title:
        lines.append(f"# title = {_line(document.title)}")
    if document.date:
        lines.append(f"# date = {_line(document.date)}")
    for name, value in document.fields.items():
        if value:
            lines.append(f"# meta::{_NOT_IN_NAMES.sub('_', name)} = {_line(value)}")
    return lines


def _line(text: str) -> str:
    return " ".join(text.split())


def tokenise(words: list[Word]) -> list[Token]:
    """Words and marks of a text. Each word of a phrase has the topic of the phrase."""
    tokens = []
    for word in words:
        pattern = _TOKEN if word.topic is None else _WRITTEN_WORD
        for match in pattern.finditer(word.text):
            start = word.start + match.start()
            tokens.append(Token(match[0], start, start + len(match[0]), word.topic))
    return tokens


def sentences(tokens: list[Token], text: str) -> Iterator[list[Token]]:
    """Tokens by sentence: it ends behind . ! ? … and their like, with what closes a quotation,
    and at an empty line. A full stop behind a single letter, or before a small letter, ends none;
    other abbreviations are not known."""
    sentence: list[Token] = []
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        sentence.append(token)
        if following is None or _ends(sentence, following, text):
            yield sentence
            sentence = []


def _ends(sentence: list[Token], following: Token, text: str) -> bool:
    token = sentence[-1]
    if len(sentence) >= LONGEST_SENTENCE:
        return True
    if _BLANK_LINE.search(text, token.end, following.start):
        return True
    mark = _last_mark(sentence)
    if mark is None:
        return False
    ideographic = sentence[mark].form in "。！？"
    if not ideographic and following.start == token.end:
        return False
    if sentence[mark].form == "." and _is_abbreviated(sentence, mark):
        return False
    return not following.form[0].islower()


def _last_mark(sentence: list[Token]) -> int | None:
    """Where the mark stands that ends a sentence, if nothing but what closes follows it."""
    for position in range(len(sentence) - 1, -1, -1):
        form = sentence[position].form
        if form in _ENDS:
            return position
        if form not in _CLOSES:
            return None
    return None


def _is_abbreviated(sentence: list[Token], mark: int) -> bool:
    """Whether a full stop stands behind a single letter: “J. Smith”."""
    if mark == 0:
        return False
    before = sentence[mark - 1]
    return len(before.form) == 1 and before.form.isalpha() and before.end == sentence[mark].start


def _topic_note(topic: int, title: str) -> str:
    return f"Topic={topic}|TopicName={title.translate(_ESCAPES_OF_NAMES)}"


def _space_note(token: Token, text: str) -> str:
    """What stands behind a word where it is not one blank."""
    end = token.end
    while end < len(text) and text[end].isspace():
        end += 1
    space = text[token.end : end]
    if space == " ":
        return ""
    if not space:
        return "" if end == len(text) else "SpaceAfter=No"
    return f"SpacesAfter={space.translate(_ESCAPES_OF_SPACE)}"
