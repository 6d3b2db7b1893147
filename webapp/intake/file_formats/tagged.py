"""Texts that are divided into words already (.conllu, .vrt): the words as they are given, with the
spaces that they had, or their lemmas; one document for each text in the file."""

import html
import itertools
from collections import Counter
from collections.abc import Callable, Iterator

import regex

from webapp.intake.file_formats.base import (
    MAX_FIELDS,
    MAX_TEXT,
    Document,
    Options,
    Problem,
    Source,
    Unreadable,
    clean,
    decoded,
    extension,
    lines,
    opened,
    stem,
)
from webapp.intake.file_formats.prose import document
from webapp.intake.file_formats.text import sniff

__all__ = ["read", "sniff"]

_INDEX = regex.compile(r"\d+(?:[-.]\d+)?")  # of a word in its sentence, by CoNLL-U
_NEW_TEXT = "-DOCSTART-"  # of CoNLL 2003
_DECLARATIONS = ("<?", "<!")  # of XML, and its comments
_LEMMA = 1  # the column of CoNLL-U behind that of the words
_SAMPLE_LINES = 2_000  # lines by which it is known which column has lemmas
_ALIKE = 2  # letters with which a lemma begins as its word does

_COMMENT = regex.compile(r"#\s*(newdoc|newpar|meta::\w+|date|title|author)\b(?:\s+id)?\s*=?\s*(.*)")
_ELEMENT = regex.compile(r"<(/?)([A-Za-z][\w.-]*)((?:\s[^<>]*)?)/?>\s*$")
_ATTRIBUTE = regex.compile(r"""([\w:.-]{1,100})\s*=\s*(?:"([^"]{0,2000})"|'([^']{0,2000})')""")
_TEXTS = {"text", "doc", "document"}
_CLOSES = set(".,;:!?)]}»”’%…") | {"n't", "'s", "’s"}  # before which is no space
_OPENS = set("([{«„“‘")


class _Text:
    """A text as it comes together."""

    def __init__(self, name: str):
        self.name = name
        self.pieces: list[str] = []
        self.fields: dict[str, str] = {}
        self.length = 0
        self.space = ""

    def add(self, word: str, space: str) -> None:
        """space: behind the word."""
        self.pieces += [self.space, word]
        self.space = space
        self.length += len(word) + 1
        if self.length > MAX_TEXT:
            raise Unreadable(f"“{self.name}” has a text of more than {MAX_TEXT:,} characters.")

    def divide(self, between: str) -> None:
        if self.pieces:
            self.space = max(self.space.strip(" "), between, key=len)

    def document(self, number: int, among_several: bool) -> Document:
        fields = dict(list(self.fields.items())[:MAX_FIELDS])
        title = fields.pop("title", "")
        date = fields.pop("date", "") or fields.pop("year", "")
        name = fields.get("id", "") or (f"{stem(self.name)} {number}" if among_several else "")
        return document(
            clean("".join(self.pieces)),
            self.name,
            title or name,
            date,
            fields,
            f"text {number}" if among_several else "",
        )


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    is_conll = extension(name) in (".conllu", ".conll")
    has_indexes = is_conll and _has_indexes(path, name, options)
    add = _vrt
    if is_conll:
        add = _conllu if has_indexes else _words_first
    text = _Text(name)
    number = 0
    column = 0
    if options.lemmas:
        column = _LEMMA if has_indexes else _lemma_column(path, name, options)
    with opened(path, name, advance) as file:
        state = {"skip": 0, "column": column}
        for row, _ in lines(decoded(file, options.encoding), 1 << 16):
            begins = add(row.rstrip("\r\n"), text, state)
            if begins is not None:
                if text.pieces:
                    number += 1
                    yield text.document(number, among_several=True)
                text = _Text(name)
                text.fields.update(begins)
    if text.pieces:
        yield text.document(number + 1, among_several=number > 0)
    elif not number:
        raise Unreadable(
            f"“{name}” holds no words, one a line, as files of this form do; it was left out."
        )


def _has_indexes(path: Source, name: str, options: Options) -> bool:
    """Whether most lines of words begin with a number, as those of CoNLL-U do; the tables of CoNLL
    2003 begin with the word."""
    indexes = 0
    words = 0
    with opened(path, name) as file:
        rows = lines(decoded(file, options.encoding), 1 << 16)
        for row, _ in itertools.islice(rows, _SAMPLE_LINES):
            first, tab, _ = row.partition("\t")
            if tab and not row.startswith("#"):
                words += 1
                indexes += _INDEX.fullmatch(first) is not None
    return 2 * indexes >= words


def _lemma_column(path: Source, name: str, options: Options) -> int:
    """The column behind the words whose values mostly begin as the words do; 0, for the words
    themselves, where there is none."""
    alike: Counter[int] = Counter()
    count = 0
    with opened(path, name) as file:
        for row, _ in itertools.islice(
            lines(decoded(file, options.encoding), 1 << 16), _SAMPLE_LINES
        ):
            word, *columns = row.rstrip("\r\n").split("\t")
            if columns and not word.startswith("<"):
                count += 1
                begin = word[:_ALIKE].casefold()
                alike.update(
                    n for n, cell in enumerate(columns, 1) if cell.casefold()[:_ALIKE] == begin
                )
    column, often = max(alike.items(), key=lambda item: item[1], default=(0, 0))
    return column if 2 * often > count else 0


def _word(cells: list[str], column: int) -> str:
    """What is read of a word's cells: a lemma, or the word itself where it has none."""
    value = cells[column] if column < len(cells) else ""
    return cells[0] if value.strip() in ("", "_", "<unknown>", "--") else value


def _conllu(row: str, text: _Text, state: dict) -> dict[str, str] | None:
    """Add a line. Where a text begins: its fields."""
    if row.startswith("#"):
        comment = _COMMENT.match(row)
        if comment and comment[1] == "newdoc":
            return {"id": comment[2]} if comment[2] else {}
        if comment and comment[1] == "newpar":
            text.divide("\n\n")
        elif comment and comment[2]:
            text.fields.setdefault(comment[1].removeprefix("meta::"), comment[2])
        return None
    cells = row.split("\t")
    if len(cells) < 2:
        text.divide("\n")  # a sentence ends
        state["skip"] = 0
        return None
    first, _, last = cells[0].partition("-")
    if "." in first:  # a word that is not written
        return None
    if last.isdigit() and state["column"]:
        return None  # the parts that follow have lemmas
    if last.isdigit():  # “1-2 du”: the parts that follow are not written
        state["skip"] = int(last)
    elif first.isdigit() and int(first) <= state["skip"]:
        return None
    glued = len(cells) > 9 and "SpaceAfter=No" in cells[9]
    text.add(_word(cells[1:], state["column"]), "" if glued else " ")
    return None


def _words_first(row: str, text: _Text, state: dict) -> dict[str, str] | None:
    """Add a line of CoNLL 2003."""
    first, tab, _ = row.partition("\t")
    if first == _NEW_TEXT:
        return {}
    if not row.strip():
        text.divide("\n")  # a sentence ends
    elif tab:
        return _vrt(row, text, state)
    return None


def _vrt(row: str, text: _Text, state: dict) -> dict[str, str] | None:
    if row.startswith(_DECLARATIONS) and row.rstrip().endswith(">"):
        return None
    element = _ELEMENT.match(row)
    if element is None:
        word = html.unescape(_word(row.split("\t"), state["column"]))
        if word.strip():
            if word in _CLOSES and text.space == " ":
                text.space = ""
            text.add(word, "" if word in _OPENS else " ")
        return None
    end, tag, attributes = element.groups()
    if tag == "g":  # glue: no space between two words
        text.space = ""
    elif tag in _TEXTS and not end:
        pairs = _ATTRIBUTE.findall(attributes)
        return {key: html.unescape(double or single) for key, double, single in pairs}
    elif tag in ("s", "sentence"):
        text.divide("\n")
    elif tag in ("p", "head", "div"):
        text.divide("\n\n")
    return None
