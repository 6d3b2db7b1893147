"""Lists of literature (.ris, .bib): one document a reference, its abstract the text; authors,
journal and what else it says as fields."""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import regex

from webapp.intake.file_formats.base import (
    Document,
    Options,
    Problem,
    Source,
    Unreadable,
    clean,
    count_of,
    extension,
)
from webapp.intake.file_formats.prose import document, line
from webapp.intake.file_formats.text import characters, sniff

__all__ = ["read", "sniff"]

_RIS = regex.compile(r"^([A-Z][A-Z0-9])  ?-(?: (.*))?$")
_ROLES = {  # RIS's tags and BibTeX's names -> ours
    "TI": "title", "T1": "title", "CT": "title", "AB": "abstract", "N2": "abstract", "PY": "date", "Y1": "date", "DA": "date",
    "AU": "author", "A1": "author", "JO": "journal", "JF": "journal", "T2": "journal", "JA": "journal", "KW": "keywords", "DO": "doi",
    "UR": "url", "LA": "language", "PB": "publisher", "ID": "id", "booktitle": "journal", "journaltitle": "journal", "year": "date",
}  # fmt: skip
_KEPT_ROLES = {
    "title",
    "abstract",
    "date",
    "author",
    "journal",
    "keywords",
    "doi",
    "url",
    "language",
}
_KEPT_ROLES |= {"publisher", "id"}
_ENTRY = regex.compile(r"@([A-Za-z]+)\s*[{(]\s*([^,\s{}]*)\s*,")
_FOLLOWING = regex.compile(r"\n[ \t]*@[A-Za-z]+[ \t]*[{(]")  # how the next reference begins
# A brace, a quotation mark, or a line that begins as a reference does
_MARK = regex.compile(r'[{}"]|\n[ \t]*@[A-Za-z]+[ \t]*(?=[{(])')
_BEHIND_VALUE = regex.compile(r"\s*[,#})]")
_NAME = regex.compile(r"\s*,?\s*([A-Za-z][\w:-]{0,60})\s*=\s*")
_JOINED = regex.compile(r"\s*#\s*")
_BARE = regex.compile(r"[^\s,{}\"]+")
_ACCENT = regex.compile(r"\\([`'^\"~=.uvHckbdr])\s*\{?\s*\\?([A-Za-z])\}?")
_ACCENTS = dict(
    zip("`'^\"~=.uvHckbdr", map(chr, (0x300, 0x301, 0x302, 0x308, 0x303, 0x304, 0x307, 0x306, 0x30C, 0x30B, 0x327, 0x328, 0x331, 0x323, 0x30A)), strict=True)
)  # fmt: skip
_LETTERS = {"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å"}
_LETTERS |= {
    "AA": "Å",
    "l": "ł",
    "L": "Ł",
    "i": "ı",
    "&": "&",
    "%": "%",
    "$": "$",
    "_": "_",
    "#": "#",
}
_COMMAND = regex.compile(r"\\([A-Za-z]+|[&%$_#])\s*")


UNCLOSED = (
    "“{}”, {}: a brace or a quotation mark is opened in this reference and not closed; what stands"
    " before the next reference was taken for the value."
)


class _Reference(NamedTuple):
    """unclosed: whether one of its values does not end before the next reference."""

    line: int
    fields: dict[str, list[str]]
    unclosed: bool = False


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    text = yield from characters(path, name, options.encoding, advance)
    text = clean(text).replace("\r\n", "\n").replace("\r", "\n")
    is_ris = extension(name) == ".ris"
    count = bare = 0
    for reference in _ris(text) if is_ris else _bibtex(text):
        count += 1
        fields = {key: "; ".join(values) for key, values in reference.fields.items()}
        title = fields.pop("title", "")
        abstract = fields.pop("abstract", "")
        place_in_file = f"line {reference.line}"
        bare += not abstract
        if reference.unclosed:
            yield Problem(name, place_in_file, UNCLOSED.format(name, place_in_file), False)
        if not (abstract or title):
            message = f"“{name}”, {place_in_file}: the reference has no abstract and no title; it was left out."
            yield Problem(name, place_in_file, message, True)
            continue
        date = fields.pop("date", "").split("; ")[0].strip("/ ").replace("/", "-")
        fields.pop("id", "")
        yield document(abstract or title, name, title, date, fields, place_in_file)
    if not count:
        raise Unreadable(f"“{name}” holds no reference; it was left out.")
    if bare:
        yield Problem(
            name,
            "",
            f"“{name}”: {bare:,} of {count_of(count, 'reference', 'references')} {'has' if bare == 1 else 'have'} no"
            " abstract; the title is the text.",
            False,
            "no abstract",
            bare,
        )


def _ris(text: str) -> Iterator[_Reference]:
    fields: dict[str, list[str]] = {}
    role = ""
    begin = 1
    for number, row in enumerate(text.split("\n"), 1):
        tagged = _RIS.match(row)
        if tagged is None:
            if role and row.strip() and fields.get(role):  # a text goes on in the next line
                fields[role][-1] += f" {line(row)}"
            continue
        tag = tagged[1]
        value = line(tagged[2] or "")
        role = _ROLES.get(tag, "")
        if tag == "TY":
            fields = {}
            begin = number
        elif tag == "ER":
            if fields:
                yield _Reference(begin, fields)
            fields = {}
        elif role and value and (role in ("author", "keywords") or role not in fields):
            fields.setdefault(role, []).append(value)
    if fields:
        yield _Reference(begin, fields)


def _bibtex(text: str) -> Iterator[_Reference]:
    return _BibText(text).references()


@dataclass(slots=True)
class _Group:
    """What an open brace holds. place: the brace's. lines: that began as a reference does, before
    it. quotation: the last quotation mark of the group itself; lines_at_quotation: before that."""

    place: int
    lines: int
    quotation: int | None = None
    lines_at_quotation: int = 0


class _BibText:
    """What a file of BibTeX says."""

    def __init__(self, text: str):
        self.text = text

    def references(self) -> Iterator[_Reference]:
        text = self.text
        at = 0
        number = 1
        counted_to = 0
        # of the reference, where the next one begins; looked for once for those of one line
        end = 0
        while entry := _ENTRY.search(text, at):
            number += text.count("\n", counted_to, entry.start())
            counted_to = entry.start()
            at = entry.end()
            if entry[1].lower() in ("comment", "string", "preamble"):
                continue
            if end <= at:
                end = self._next_reference(at)
            fields: dict[str, list[str]] = {"id": [entry[2]]} if entry[2] else {}
            unclosed = False
            while name_match := _NAME.match(text, at, end):
                value, at, closed = self._value(name_match.end(), end)
                if at > end:
                    end = self._next_reference(at)
                unclosed = unclosed or not closed
                key = name_match[1].lower()
                role = _ROLES.get(key, key)
                if role in _KEPT_ROLES and value:
                    written = plain(value)
                    if role == "author":
                        written = written.replace(" and ", "; ")
                    fields.setdefault(role, [written])
            yield _Reference(number, fields, unclosed)

    def _next_reference(self, at: int) -> int:
        following = _FOLLOWING.search(self.text, at)
        return following.start() if following else len(self.text)

    def _value(self, at: int, end: int) -> tuple[str, int, bool]:
        """A value that begins there, where it ends, and whether it is closed; parts that “#” joins
        are one. end: of the reference, beyond which a value goes that has a line in it that begins
        as a reference does."""
        parts = []
        closed = True
        while at < end and closed:
            if self.text[at] in '{"':
                part, at, closed = self._enclosed(at, end)
            elif bare := _BARE.match(self.text, at, end):
                part = bare[0]
                at = bare.end()
            else:
                break
            parts.append(part)
            if at > end:
                end = self._next_reference(at)
            joined = _JOINED.match(self.text, at, end)
            if joined is None:
                break
            at = joined.end()
        return "".join(parts), at, closed

    def _enclosed(self, at: int, end: int) -> tuple[str, int, bool]:
        """What stands between a brace or a quotation mark and its other, where that ends, and
        whether there is the other before the end of the reference, or behind a line that only
        begins as a reference does."""
        closing = "}" if self.text[at] == "{" else '"'
        depth = 0
        begin = at + 1
        for position in range(begin, end):
            character = self.text[position]
            if character == closing and depth == 0:
                return self.text[begin:position], position + 1, True
            depth += (character == "{") - (character == "}")
        far_end = self._far_ends.get(at)
        if far_end is not None and _BEHIND_VALUE.match(self.text, far_end + 1):
            return self.text[begin:far_end], far_end + 1, True
        return self.text[begin:end], end, False

    @cached_property
    def _far_ends(self) -> dict[int, int]:
        """Of braces and quotation marks, by their places, where the other is: of those that have a
        line between them that begins as a reference does. Read once, however many are not
        closed."""
        ends = {}
        lines = 0  # so far, that begin so
        groups = [_Group(-1, 0)]
        for mark in _MARK.finditer(self.text):
            place = mark.start()
            if mark[0] == "{":
                groups.append(_Group(place, lines))
            elif mark[0] == "}":
                if len(groups) == 1:
                    continue
                group = groups.pop()
                if group.lines < lines:
                    ends[group.place] = place
            elif mark[0] == '"':
                group = groups[-1]
                if group.quotation is not None and group.lines_at_quotation < lines:
                    ends[group.quotation] = place
                group.quotation = place
                group.lines_at_quotation = lines
            else:
                lines += 1
        return ends


def _accented(match: regex.Match) -> str:
    letter = match[2]
    accent = _ACCENTS[match[1]]
    return unicodedata.normalize("NFC", letter + accent)


def plain(value: str) -> str:
    """What LaTeX's commands and braces stand for."""
    value = _ACCENT.sub(_accented, value)
    value = _COMMAND.sub(lambda match: _LETTERS.get(match[1], " "), value)
    value = value.replace("~", " ").replace("---", "—").replace("--", "–")
    return line(value.replace("{", "").replace("}", ""))
