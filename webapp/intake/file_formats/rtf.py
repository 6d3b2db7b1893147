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
_LEFT_OUT = set(
    "colortbl stylesheet listtable listoverridetable rsidtbl generator pict object themedata"
    " colorschememapping latentstyles datastore xmlnstbl fldinst header headerl headerr headerf footer"
    " footerl footerr footerf ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn nonshppict listtext pntext"
    " bkmkstart bkmkend atnid atnauthor annotation atnref atntime revtbl filetbl template operator"
    " userprops xe tc sp shprslt".split()
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


_ABOUT = {
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
    about = parser.about
    document = parser.prose.document(about.pop("title", ""), "", about)
    yield replace(document, made=parser.date)
    if parser.unfinished:
        yield Problem(
            name, "", f"“{name}” ends in the middle of a group; what came was kept.", False
        )


class _Parser:
    def __init__(self, name: str):
        self.name = name
        self.prose = Prose(name)
        self.about: dict[str, str] = {}
        self.date = ""
        self.notes: list[str] = []
        self.encoding = "cp1252"  # of fonts that name none
        self.state = _State(self.encoding)
        self.stack: list[_State] = []
        self.fonts: dict[int, str] = {}  # their encodings
        self.font: int | None = None  # that the font table describes
        self.default_font: int | None = None
        self.created: dict[str, int] | None = None
        self.bytes = bytearray()  # letters that wait for those behind them: two may be one
        self.to_skip = 0
        self.high = 0  # the first half of a surrogate pair
        self.is_optional = False  # whether `\*` was met: an unknown group is left out

    @property
    def unfinished(self) -> bool:
        return bool(self.stack)

    def read(self, raw: bytes) -> None:
        position = 0
        while match := _TOKEN.search(raw, position):
            position = match.end()
            word, number, hexadecimal, symbol, brace, letters = match.groups()
            if hexadecimal:
                self._byte(bytes.fromhex(hexadecimal.decode()))
                continue
            if letters:
                self._byte(letters)
                continue
            if word or symbol or brace:
                self._flush()
            if brace == b"{":
                self._open()
            elif brace == b"}":
                self._close()
            elif symbol:
                self._symbol(symbol)
            elif word == b"bin" and number:  # so many bytes of a picture follow, as they are
                position += max(0, int(number))
            elif word:
                self._word(word.decode().lower(), int(number) if number else None)
        self._flush()

    def _open(self) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise Unreadable(
                f"“{self.name}” has groups more than {MAX_DEPTH:,} deep in each other; it was left"
                " out."
            )
        self.stack.append(self.state)
        self.to_skip = 0

    def _close(self) -> None:
        was_created = self.state.destination is _Destination.CREATED
        if self.stack:
            self.state = self.stack.pop()
        self.to_skip = 0
        self.is_optional = False
        if was_created and self.created is not None:
            parts = [self.created.get(key, 0) for key in _DATE_PARTS]
            self.date = "-".join(f"{part:02}" for part in parts) if all(parts) else ""

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self.is_optional = True
        elif symbol in b"{}\\":
            self._text(symbol.decode())
        elif symbol == b"~":
            self._text(" ")
        elif symbol == b"_":
            self._text("-")
        elif symbol in b"\r\n":
            self._break(Prose.paragraph)

    def _word(self, word: str, number: int | None) -> None:
        is_optional = self.is_optional
        self.is_optional = False
        if word in _BREAKS:
            self._break(_BREAKS[word])
        elif word in _CHARACTERS:
            self._text(_CHARACTERS[word])
        elif word in _LEFT_OUT:
            self._begin(_Destination.LEFT_OUT)
        elif word in _ABOUT:
            self._begin_about(_ABOUT[word])
        elif word in _DATE_PARTS:
            self._date_part(word, number)
        elif word in _ENCODINGS:
            self._encode(_ENCODINGS[word])
        elif word in _CONTROLS:
            _CONTROLS[word](self, number)
        elif is_optional and word not in _READ_IF_OPTIONAL:
            self._begin(_Destination.LEFT_OUT)

    def _begin(self, destination: _Destination) -> None:
        """Have the rest of the group go there; what is left out is so with all that is in it."""
        if self.state.destination is not _Destination.LEFT_OUT:
            self.state = replace(self.state, destination=destination)

    def _begin_about(self, destination: _Destination) -> None:
        """A field of `info`; elsewhere its word means nothing."""
        if self.state.destination is _Destination.INFO:
            self._begin(destination)

    def begin_fonts(self, number: int | None) -> None:
        self._begin(_Destination.FONTS)

    def begin_info(self, number: int | None) -> None:
        self._begin(_Destination.INFO)

    def begin_note(self, number: int | None) -> None:
        if self.state.destination is not _Destination.LEFT_OUT:
            self.notes.append("")
        self._begin(_Destination.NOTE)
        self.state = replace(self.state, raised=False)

    def begin_date(self, number: int | None) -> None:
        self.created = {}
        self._begin(_Destination.CREATED)

    def _date_part(self, word: str, number: int | None) -> None:
        if self.state.destination is _Destination.CREATED and self.created is not None and number:
            self.created[word] = number

    def begin_two_forms(self, number: int | None) -> None:
        """A text in a code page, which is passed over, and again in Unicode (`ud`)."""
        self._begin(_Destination.LEFT_OUT)

    def begin_unicode_form(self, number: int | None) -> None:
        """The second one of the two, within the group of both: it goes where that group stands."""
        if len(self.stack) > 1:
            outside = self.stack[-2]
            self.state = replace(self.state, destination=outside.destination)

    def set_code_page(self, number: int | None) -> None:
        if number:
            label = "utf-8" if number == _UTF_8 else f"cp{number}"
            self._encode(encoding_labels.meant(label) or "cp1252")

    def _encode(self, encoding: str) -> None:
        self.encoding = encoding
        self.state = replace(self.state, encoding=encoding)

    def set_font(self, number: int | None) -> None:
        """In the table of fonts the one that it describes, elsewhere the one of the text."""
        if self.state.destination is _Destination.FONTS:
            self.font = number
        else:
            self.state = replace(self.state, encoding=self._encoding_of(number))

    def _encoding_of(self, font: int | None) -> str:
        return self.encoding if font is None else self.fonts.get(font, self.encoding)

    def set_charset(self, number: int | None) -> None:
        if self.font is not None and number in _CHARSETS:
            self.fonts[self.font] = _CHARSETS[number]

    def set_default_font(self, number: int | None) -> None:
        self.default_font = number

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
            encoding=self._encoding_of(self.default_font),
        )

    def set_skip(self, number: int | None) -> None:
        skip = min(max(number or 0, 0), _MOST_SKIPPED)
        self.state = replace(self.state, skip=skip)

    def add_unicode(self, number: int | None) -> None:
        if number is None:
            return
        code = number & 0xFFFF  # those from 0x8000 on are written as negative numbers
        self.to_skip = self.state.skip
        if code in _HIGH_SURROGATES:
            self.high = code
        elif code in _LOW_SURROGATES and self.high:
            pair = struct.pack("<HH", self.high, code)
            self._text(pair.decode("utf-16-le"))
            self.high = 0
        else:
            self._text(chr(code))

    def _byte(self, letters: bytes) -> None:
        skipped = min(self.to_skip, len(letters))
        self.to_skip -= skipped
        self.bytes += letters[skipped:]

    def _flush(self) -> None:
        if self.bytes:
            letters = self.bytes.decode(self.state.encoding, "replace")
            self.bytes.clear()
            self._text(letters)

    def _text(self, text: str) -> None:
        state = self.state
        if state.hidden or state.deleted:
            return
        destination = state.destination
        if destination.value in _ABOUT:
            field = destination.value
            self.about[field] = (self.about.get(field, "") + text)[:_MAX_ABOUT]
        elif destination is _Destination.NOTE:
            self.notes[-1] += text
        elif destination is _Destination.TEXT:
            is_mark = state.raised and note_marks.is_mark(text, self.prose.glued())
            if not is_mark:
                self.prose.text(text)

    def _break(self, act: Callable[[Prose], None]) -> None:
        state = self.state
        if state.hidden or state.deleted:
            return
        if state.destination is _Destination.NOTE:
            self.notes[-1] += " "
        elif state.destination is _Destination.TEXT:
            act(self.prose)


_CONTROLS: dict[str, Callable[[_Parser, int | None], None]] = {
    "fonttbl": _Parser.begin_fonts,
    "info": _Parser.begin_info,
    "footnote": _Parser.begin_note,
    "creatim": _Parser.begin_date,
    "upr": _Parser.begin_two_forms,
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
