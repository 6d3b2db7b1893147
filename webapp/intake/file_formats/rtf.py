"""Rich Text (.rtf), as word processors have written it since 1987: one document a file, its notes
at the end. Source: Microsoft, Rich Text Format Specification 1.9.1."""

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from webapp.intake.file_formats import encoding_labels, note_marks
from webapp.intake.file_formats.base import (
    MAX_TEXT,
    Document,
    Options,
    Problem,
    Source,
    Unreadable,
    content,
    opened,
)
from webapp.intake.file_formats.prose import Prose

MAX_DEPTH = 2_000  # groups within groups
_TOKEN = re.compile(
    rb"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)",
    re.I | re.S,
)
_LEFT_OUT = (  # words that begin a group without text
    "colortbl stylesheet listtable listoverridetable rsidtbl generator pict object themedata"
    " colorschememapping latentstyles datastore xmlnstbl fldinst header headerl headerr headerf footer"
    " footerl footerr footerf ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn nonshppict listtext pntext"
    " bkmkstart bkmkend atnid atnauthor annotation atnref atntime revtbl filetbl template operator"
    " userprops xe tc sp shprslt"
    " upr"  # a text in a code page, which is in Unicode again (`begin_unicode_form`)
)
# Read although `\*` stands before them: pictures and shapes may hold text
_READ_IF_OPTIONAL = {"shppict", "shpinst"}
_BREAKS = {
    "par": Prose.paragraph,
    "sect": Prose.paragraph,
    "row": Prose.line,
    "cell": Prose.line,
    "nestcell": Prose.line,
    "line": Prose.line,
    "page": Prose.page,
}
_CHARACTERS = {
    "tab": " ",
    "emdash": "—",
    "endash": "–",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
    "emspace": " ",
    "enspace": " ",
}
_ENCODINGS = {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_CHARSETS = {  # of fonts, by Windows' numbers
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5hkscs", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
_DATE_PARTS = ("yr", "mo", "dy")
_MOST_SKIPPED = 8  # characters that stand for one in Unicode: more would eat the text
_MAX_ABOUT = 1000  # characters of a field of `info`
_UTF_8 = 65001  # Windows' number
_HIGH_SURROGATES = range(0xD800, 0xDC00)  # the first half of a character beyond 0xFFFF
_LOW_SURROGATES = range(0xDC00, 0xE000)


class _Destination(Enum):
    """Where the letters of a group go."""

    TEXT = "text"
    NOTE = "footnote"
    LEFT_OUT = "left out"  # headers, comments, pictures
    FONTS = "fonttbl"
    INFO = "info"  # what the file says of itself: its groups are those below
    CREATED = "creatim"
    TITLE = "title"
    AUTHOR = "author"
    SUBJECT = "subject"
    KEYWORDS = "keywords"


_GROUPS = dict.fromkeys(_LEFT_OUT.split(), _Destination.LEFT_OUT)
_GROUPS |= {
    destination.value: destination for destination in (_Destination.FONTS, _Destination.INFO)
}
_FIELDS_OF_INFO = {
    destination.value: destination
    for destination in (
        _Destination.TITLE,
        _Destination.AUTHOR,
        _Destination.SUBJECT,
        _Destination.KEYWORDS,
    )
}


@dataclass(frozen=True)
class _State:
    """What holds within a group. skip: characters that stand for one in Unicode."""

    encoding: str
    skip: int = 1
    raised: bool = False
    hidden: bool = False
    deleted: bool = False  # while changes were tracked
    destination: _Destination = _Destination.TEXT

    @property
    def is_shown(self) -> bool:
        return not (self.hidden or self.deleted)


class _Fonts:
    """In which encoding the letters of each font are."""

    def __init__(self) -> None:
        self.usual = "cp1252"  # of fonts that name none
        self.default: int | None = None  # of letters without marks
        self.described: int | None = None  # that the font table describes now
        self._encodings: dict[int, str] = {}

    def set_charset(self, number: int | None) -> None:
        if self.described is not None and number in _CHARSETS:
            self._encodings[self.described] = _CHARSETS[number]

    def encoding_of(self, font: int | None) -> str:
        return self.usual if font is None else self._encodings.get(font, self.usual)


class _Info:
    """What the file says of itself: fields by their names, and the day on which it was made (ISO),
    or ""."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.day = ""
        self._parts_of_day: dict[str, int] = {}

    def add(self, field: str, text: str) -> None:
        self.fields[field] = (self.fields.get(field, "") + text)[:_MAX_ABOUT]

    def begin_day(self) -> None:
        self._parts_of_day = {}

    def add_part_of_day(self, word: str, number: int | None) -> None:
        if number:
            self._parts_of_day[word] = number

    def end_day(self) -> None:
        parts = [self._parts_of_day.get(key, 0) for key in _DATE_PARTS]
        self.day = "-".join(f"{part:02}" for part in parts) if all(parts) else ""


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    with opened(path, name, advance) as file:
        raw = content(file, 16 * MAX_TEXT)
    if raw is None:
        raise Unreadable(f"“{name}” is longer than {16 * MAX_TEXT >> 20} MB; it was left out.")
    if not raw.lstrip().startswith(b"{\\rtf"):
        raise Unreadable(
            f"“{name}” has the extension of rich text, but does not begin with “{{\\rtf”. Give it"
            " the right extension, or save it again."
        )
    parser = _Parser(name)
    parser.read(raw)
    for text in parser.notes:
        parser.prose.paragraph()
        parser.prose.text(text)
    fields = parser.info.fields
    document = parser.prose.document(fields.pop("title", ""), "", fields)
    yield replace(document, made=parser.info.day)
    if parser.is_unfinished:
        yield Problem(
            name, "", f"“{name}” ends in the middle of a group; what came was kept.", False
        )


class _Parser:
    """Reads a file from its beginning to its end. A group `{…}` inherits the state of the one that
    it is in, which holds again behind it; within it words such as `\\b` change the state."""

    def __init__(self, name: str):
        self.name = name
        self.prose = Prose(name)
        self.notes: list[str] = []
        self.info = _Info()
        self.fonts = _Fonts()
        self.state = _State(self.fonts.usual)
        self.outer_states: list[_State] = []
        self.undecoded = bytearray()  # letters that wait for those behind them: two may be one
        self.to_skip = 0  # letters that stand for the last one in Unicode
        self.high_surrogate = 0  # the first half of a character whose second is to come
        self.is_optional = False  # whether `\*` was met: an unknown group is left out

    @property
    def is_unfinished(self) -> bool:
        return bool(self.outer_states)

    def read(self, raw: bytes) -> None:
        position = 0
        while match := _TOKEN.search(raw, position):
            position = match.end()
            word, number, hexadecimal, symbol, brace, letters = match.groups()
            if hexadecimal:
                self._add_letters(bytes.fromhex(hexadecimal.decode()))
                continue
            if letters:
                self._add_letters(letters)
                continue
            if word or symbol or brace:
                self._decode()
            if brace == b"{":
                self._open_group()
            elif brace == b"}":
                self._close_group()
            elif symbol:
                self._read_symbol(symbol)
            elif word == b"bin" and number:  # so many bytes of a picture follow, as they are
                position += max(0, int(number))
            elif word:
                self._read_word(word.decode().lower(), int(number) if number else None)
        self._decode()

    def _open_group(self) -> None:
        if len(self.outer_states) >= MAX_DEPTH:
            raise Unreadable(
                f"“{self.name}” has groups more than {MAX_DEPTH:,} deep in each other; it was left"
                " out."
            )
        self.outer_states.append(self.state)
        self.to_skip = 0

    def _close_group(self) -> None:
        if self.state.destination is _Destination.CREATED:
            self.info.end_day()
        if self.outer_states:
            self.state = self.outer_states.pop()
        self.to_skip = 0
        self.is_optional = False

    def _read_symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self.is_optional = True
        elif symbol in b"{}\\":
            self._add_text(symbol.decode())
        elif symbol == b"~":
            self._add_text(" ")
        elif symbol == b"_":
            self._add_text("-")
        elif symbol in b"\r\n":
            self._break(Prose.paragraph)

    def _read_word(self, word: str, number: int | None) -> None:
        is_optional = self.is_optional
        self.is_optional = False
        if word in _BREAKS:
            self._break(_BREAKS[word])
        elif word in _CHARACTERS:
            self._add_text(_CHARACTERS[word])
        elif word in _GROUPS:
            self._send_to(_GROUPS[word])
        elif word in _FIELDS_OF_INFO:
            self._begin_field(_FIELDS_OF_INFO[word])
        elif word in _DATE_PARTS:
            self._add_part_of_day(word, number)
        elif word in _ENCODINGS:
            self._encode(_ENCODINGS[word])
        elif word in _CONTROLS:
            _CONTROLS[word](self, number)
        elif is_optional and word not in _READ_IF_OPTIONAL:
            self._send_to(_Destination.LEFT_OUT)

    # Where the letters of the group go

    def _send_to(self, destination: _Destination) -> None:
        """Have the rest of the group go there; what is left out is so with all that is in it."""
        if self.state.destination is not _Destination.LEFT_OUT:
            self.state = replace(self.state, destination=destination)

    def _begin_field(self, destination: _Destination) -> None:
        """A field of `info`; elsewhere its word means nothing."""
        if self.state.destination is _Destination.INFO:
            self._send_to(destination)

    def begin_note(self, number: int | None) -> None:
        if self.state.destination is not _Destination.LEFT_OUT:
            self.notes.append("")
        self._send_to(_Destination.NOTE)
        self.state = replace(self.state, raised=False)

    def begin_day(self, number: int | None) -> None:
        self.info.begin_day()
        self._send_to(_Destination.CREATED)

    def _add_part_of_day(self, word: str, number: int | None) -> None:
        if self.state.destination is _Destination.CREATED:
            self.info.add_part_of_day(word, number)

    def begin_unicode_form(self, number: int | None) -> None:
        """The second form of a text, within the group of both (`upr`): it goes where that group
        is."""
        if len(self.outer_states) > 1:
            outside = self.outer_states[-2]
            self.state = replace(self.state, destination=outside.destination)

    # In which encoding they are

    def set_code_page(self, number: int | None) -> None:
        if number:
            label = "utf-8" if number == _UTF_8 else f"cp{number}"
            self._encode(encoding_labels.meant(label) or "cp1252")

    def _encode(self, encoding: str) -> None:
        self.fonts.usual = encoding
        self.state = replace(self.state, encoding=encoding)

    def set_font(self, number: int | None) -> None:
        """In the table of fonts the one that it describes, elsewhere the one of the text."""
        if self.state.destination is _Destination.FONTS:
            self.fonts.described = number
        else:
            self.state = replace(self.state, encoding=self.fonts.encoding_of(number))

    def set_charset(self, number: int | None) -> None:
        self.fonts.set_charset(number)

    def set_default_font(self, number: int | None) -> None:
        self.fonts.default = number

    # How they look. A number 0 behind a word ends what the word alone begins.

    def set_raised(self, number: int | None) -> None:
        self.state = replace(self.state, raised=number != 0)

    def set_level(self, number: int | None) -> None:
        self.state = replace(self.state, raised=False)

    def set_hidden(self, number: int | None) -> None:
        self.state = replace(self.state, hidden=number != 0)

    def set_deleted(self, number: int | None) -> None:
        self.state = replace(self.state, deleted=number != 0)

    def set_plain(self, number: int | None) -> None:
        """The letters are as they are without marks; where they go stays."""
        self.state = replace(
            self.state,
            raised=False,
            hidden=False,
            deleted=False,
            encoding=self.fonts.encoding_of(self.fonts.default),
        )

    # Characters in Unicode, with letters behind them for programs that know none

    def set_skip(self, number: int | None) -> None:
        skip = min(max(number or 0, 0), _MOST_SKIPPED)
        self.state = replace(self.state, skip=skip)

    def add_unicode(self, number: int | None) -> None:
        if number is None:
            return
        code = number & 0xFFFF  # those from 0x8000 on are written as negative numbers
        self.to_skip = self.state.skip
        if code in _HIGH_SURROGATES:
            self.high_surrogate = code
        elif code in _LOW_SURROGATES and self.high_surrogate:
            pair = struct.pack("<HH", self.high_surrogate, code)
            self._add_text(pair.decode("utf-16-le"))
            self.high_surrogate = 0
        else:
            self._add_text(chr(code))

    # The letters themselves

    def _add_letters(self, letters: bytes) -> None:
        skipped = min(self.to_skip, len(letters))
        self.to_skip -= skipped
        self.undecoded += letters[skipped:]

    def _decode(self) -> None:
        """Add the letters that have come, of which none can be a half of one any more."""
        if self.undecoded:
            letters = self.undecoded.decode(self.state.encoding, "replace")
            self.undecoded.clear()
            self._add_text(letters)

    def _add_text(self, text: str) -> None:
        if not self.state.is_shown:
            return
        destination = self.state.destination
        if destination.value in _FIELDS_OF_INFO:
            self.info.add(destination.value, text)
        elif destination is _Destination.NOTE:
            self.notes[-1] += text
        elif destination is _Destination.TEXT and not self._is_mark_of_note(text):
            self.prose.text(text)

    def _is_mark_of_note(self, text: str) -> bool:
        return self.state.raised and note_marks.is_mark(text, self.prose.glued())

    def _break(self, add_break: Callable[[Prose], None]) -> None:
        if not self.state.is_shown:
            return
        if self.state.destination is _Destination.NOTE:
            self.notes[-1] += " "
        elif self.state.destination is _Destination.TEXT:
            add_break(self.prose)


_CONTROLS: dict[str, Callable[[_Parser, int | None], None]] = {
    "footnote": _Parser.begin_note,
    "creatim": _Parser.begin_day,
    "ud": _Parser.begin_unicode_form,
    "ansicpg": _Parser.set_code_page,
    "deff": _Parser.set_default_font,
    "f": _Parser.set_font,
    "fcharset": _Parser.set_charset,
    "super": _Parser.set_raised,
    "nosupersub": _Parser.set_level,
    "v": _Parser.set_hidden,
    "deleted": _Parser.set_deleted,
    "plain": _Parser.set_plain,
    "uc": _Parser.set_skip,
    "u": _Parser.add_unicode,
}
