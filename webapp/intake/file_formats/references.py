"""Lists of literature (.ris, .bib): one document a reference, its abstract the text; authors,
journal and what else it says as fields."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import regex

from webapp.intake.file_formats import latex
from webapp.intake.file_formats.base import (
    MAX_TEXT,
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
_SEVERAL = {"author", "keywords"}  # roles of which a reference of RIS has a line for each
_ADDRESSES = {"url", "doi"}
# Characters of what `@string` defines, which are names of journals and publishers: of others defined
# by those before them each may be twice as long
MOST_OF_ABBREVIATION = 10_000
# The key of a reference may have spaces and quotation marks in it, the comma behind it may begin the
# next line, and some references have no key
_ENTRY = regex.compile(
    r"@([A-Za-z]+)\s*+[{(]\s*+(?:([^,{}=\n]{0,1000}+)\s*+,|(?=[A-Za-z][\w:-]{0,60}\s*+=))"
)
_ABBREVIATION = regex.compile(r"@string\s*+[{(]\s*+([^\s=,{}\"#]{1,100})\s*+=\s*+", regex.I)
FOLLOWING = regex.compile(r"\n[ \t]*@[A-Za-z]+[ \t]*[{(]")  # how the next reference begins
# A brace, a quotation mark, or a line that begins as a reference does
MARK = regex.compile(r'[{}"]|\n[ \t]*@[A-Za-z]+[ \t]*(?=[{(])')
_BEHIND_VALUE = regex.compile(r"\s*[,#})]")
_NAME = regex.compile(r"\s*,?\s*([A-Za-z][\w:-]{0,60})\s*=\s*")
_JOINED = regex.compile(r"\s*#\s*")
# A number, an abbreviation, or words that nothing encloses, before the name of the next field
_BARE = regex.compile(r"[^\s,{}\"#]++(?:[ \t]++(?![\w:-]++\s*+=)[^\s,{}\"#=]++)*+")
_END_OF_REFERENCE = regex.compile(r"\s*+,?\s*+(?:[})]|\Z)")
_BETWEEN_NAMES = regex.compile(r"[{}]|\sand(?=\s)")
UNCLOSED = (
    "“{}”, {}: a brace or a quotation mark is opened in this reference and not closed; what stands"
    " before the next reference was taken for the value."
)


CUT = (
    "“{}”, {}: something in this reference is no field; what stands behind it was left out of the"
    " reference."
)


class _Reference(NamedTuple):
    """unclosed: whether one of its values does not end before the next reference. cut: whether
    something is no field, so that those behind it are not read."""

    line: int
    fields: dict[str, list[str]]
    unclosed: bool = False
    cut: bool = False


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    text = yield from characters(path, name, options.encoding, advance)
    text = clean(text).replace("\r\n", "\n").replace("\r", "\n")
    is_ris = extension(name) == ".ris"
    count = bare = 0
    for reference in _ris(text) if is_ris else read_bibtex(text, name):
        count += 1
        fields = {key: "; ".join(values) for key, values in reference.fields.items()}
        title = fields.pop("title", "")
        abstract = fields.pop("abstract", "")
        place_in_file = f"line {reference.line}"
        bare += not abstract
        if reference.unclosed:
            yield Problem(name, place_in_file, UNCLOSED.format(name, place_in_file), False)
        if reference.cut:
            yield Problem(name, place_in_file, CUT.format(name, place_in_file), False)
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
    fields: dict[str, list[list[str]]] = {}  # the lines of each value
    open_value: list[str] | None = None  # which lines without a tag go on with
    begin = 1
    for number, row in enumerate(text.split("\n"), 1):
        tagged = _RIS.match(row)
        if tagged is None:
            if open_value is not None and row.strip():
                open_value.append(line(row))
            continue
        tag = tagged[1]
        open_value = None
        if tag in ("TY", "ER"):
            yield from _ris_reference(begin, fields)
            fields = {}
            begin = number
            continue
        role = _ROLES.get(tag, "")
        if role and (role in _SEVERAL or not any(fields.get(role, []))):
            first_line = line(tagged[2] or "")
            open_value = [first_line] if first_line else []
            fields.setdefault(role, []).append(open_value)
    yield from _ris_reference(begin, fields)


def _ris_reference(begin: int, fields: dict[str, list[list[str]]]) -> Iterator[_Reference]:
    """The reference that these fields are of, where there are any; begin: its first line."""
    if fields:
        values = {
            role: [" ".join(lines_of_value) for lines_of_value in several if lines_of_value]
            for role, several in fields.items()
        }
        yield _Reference(begin, values)


def read_bibtex(text: str, name: str) -> Iterator[_Reference]:
    """The references of a file in BibTeX, in its order. name: of the file, for its
    problems. Raises Unreadable where a value has more than MAX_TEXT characters."""
    return _BibText(text, name).references()


@dataclass(slots=True)
class _Group:
    """What an open brace holds. place: the brace's. lines: that began as a reference does, before
    it. quotation: the last quotation mark of the group itself; lines_at_quotation: before that."""

    place: int
    lines: int
    quotation: int | None = None
    lines_at_quotation: int = 0


class _BibText:
    """What a file of BibTeX says. Raises Unreadable where a value of it is too long."""

    def __init__(self, text: str, name: str):
        self.text = text
        self.name = name
        self.abbreviations: dict[str, str] = {}  # what @string defines, by lower-case names
        self._read_abbreviations()

    def _read_abbreviations(self) -> None:
        position = 0
        end = 0  # where the next reference begins
        while match := _ABBREVIATION.search(self.text, position):
            position = match.end()
            if end <= position:
                end = self._next_reference(position)
            value, position, closed = self._value(position, end)
            if closed:
                self.abbreviations[match[1].lower()] = value[:MOST_OF_ABBREVIATION]

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
            key = (entry[2] or "").strip()
            fields: dict[str, list[str]] = {"id": [key]} if key else {}
            unclosed = False
            while name_match := _NAME.match(text, at, end):
                value, at, closed = self._value(name_match.end(), end)
                if at > end:
                    end = self._next_reference(at)
                unclosed = unclosed or not closed
                field_name = name_match[1].lower()
                role = _ROLES.get(field_name, field_name)
                if role in _KEPT_ROLES and value:
                    fields.setdefault(role, _field_values(role, value))
            is_whole = unclosed or _END_OF_REFERENCE.match(text, at, end) is not None
            yield _Reference(number, fields, unclosed, cut=not is_whole)

    def _next_reference(self, at: int) -> int:
        following = FOLLOWING.search(self.text, at)
        return following.start() if following else len(self.text)

    def _value(self, at: int, end: int) -> tuple[str, int, bool]:
        """A value that begins there, where it ends, and whether it is closed; parts that “#” joins
        are one. end: of the reference, beyond which a value goes that has a line in it that begins
        as a reference does."""
        parts = []
        length = 0
        closed = True
        while at < end and closed:
            if self.text[at] in '{"':
                part, at, closed = self._enclosed(at, end)
            elif bare := _BARE.match(self.text, at, end):
                part = self.abbreviations.get(bare[0].lower(), bare[0])
                at = bare.end()
            else:
                break
            parts.append(part)
            length += len(part)
            if length > MAX_TEXT:
                raise Unreadable(
                    f"“{self.name}” has a value of more than {MAX_TEXT:,} characters; what begins"
                    " there was left out. Cut it into parts."
                )
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
        for mark in MARK.finditer(self.text):
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


def _field_values(role: str, value: str) -> list[str]:
    """What a field of BibTeX says."""
    if role in _ADDRESSES:
        return [latex.plain_address(value)]
    if role == "author":
        return [latex.plain_text(name) for name in _author_names(value)]
    return [latex.plain_text(value)]


def _author_names(value: str) -> Iterator[str]:
    """The names between which “and” stands; within braces it belongs to a name."""
    depth = 0
    begin = 0
    for mark in _BETWEEN_NAMES.finditer(value):
        if mark[0] == "{":
            depth += 1
        elif mark[0] == "}":
            depth -= 1
        elif depth <= 0:
            yield value[begin : mark.start()]
            begin = mark.end()
    yield value[begin:]
