"""Rich Text (.rtf), as word processors have written it since 1987: one document a file, its notes
at the end. Source: Microsoft, Rich Text Format Specification 1.9.1."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

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
    "fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator pict object themedata"
    " colorschememapping latentstyles datastore xmlnstbl fldinst header headerl headerr headerf footer"
    " footerl footerr footerf ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn nonshppict listtext pntext"
    " bkmkstart bkmkend atnid atnauthor annotation atnref atntime revtbl filetbl template operator"
    " userprops xe tc".split()
)
_ABOUT = {"title", "author", "subject", "keywords"}  # of the group `info`
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
_CHARSETS = {  # of fonts, by Windows' numbers
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5hkscs", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip


@dataclass(frozen=True)
class _State:
    """What holds within a group. skip: characters that stand for one in Unicode."""

    encoding: str
    skip: int = 1
    raised: bool = False
    dropped: bool = False
    about: str = ""  # which field of `info` it is
    note: bool = False


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
        self.state = _State("cp1252")
        self.stack: list[_State] = []
        self.fonts: dict[int, str] = {}
        self.font: int | None = None  # that the font table describes
        self.created: dict[str, int] | None = None
        self.bytes = bytearray()  # letters that wait for those behind them: two may be one
        self.to_skip = 0
        self.high = 0  # the first half of a surrogate pair
        self.ignorable = False  # whether `\*` was met: an unknown group is left out

    @property
    def unfinished(self) -> bool:
        return bool(self.stack)

    def read(self, raw: bytes) -> None:
        for match in _TOKEN.finditer(raw):
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
        if self.stack:
            self.state = self.stack.pop()
        self.to_skip = 0
        self.ignorable = False
        if self.created is not None and not self.state.about:
            parts = [self.created.get(key, 0) for key in ("yr", "mo", "dy")]
            self.date = "-".join(f"{part:02}" for part in parts) if all(parts) else ""
            self.created = None

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self.ignorable = True
        elif symbol in b"{}\\":
            self._text(symbol.decode())
        elif symbol == b"~":
            self._text(" ")
        elif symbol == b"_":
            self._text("-")
        elif symbol in b"\r\n":
            self._break(Prose.paragraph)

    def _word(self, word: str, number: int | None) -> None:
        ignorable = self.ignorable
        self.ignorable = False
        match word:
            case _ if word in _LEFT_OUT:
                is_font_table = word == "fonttbl"
                self.state = replace(
                    self.state, dropped=True, about="fonts" if is_font_table else ""
                )
            case "footnote":
                self.notes.append("")
                self.state = replace(self.state, note=True, raised=False)
            case _ if word in _ABOUT and self.state.about == "info":
                self.state = replace(self.state, about=word)
            case "info":
                self.state = replace(self.state, about="info", dropped=False)
            case "creatim":
                self.created = {}
                self.state = replace(self.state, about="creatim")
            case "yr" | "mo" | "dy" if self.created is not None and number:
                self.created[word] = number
            case "u" if number is not None:
                self._unicode(number)
            case "uc":
                self.state = replace(self.state, skip=min(max(number or 0, 0), 8))
            case "ansicpg" if number:
                code = encoding_labels.meant("utf-8" if number == 65001 else f"cp{number}")
                self.state = replace(self.state, encoding=code or "cp1252")
            case "mac":
                self.state = replace(self.state, encoding="mac_roman")
            case "f" if self.state.about == "fonts":
                self.font = number
            case "fcharset" if self.font is not None and number in _CHARSETS:
                self.fonts[self.font] = _CHARSETS[number]
            case "f" if number in self.fonts:
                self.state = replace(self.state, encoding=self.fonts[number])
            case "super":
                self.state = replace(self.state, raised=number != 0)
            case "nosupersub" | "plain":
                self.state = replace(self.state, raised=False)
                if word == "plain":
                    self.state = replace(self.state, dropped=self._outer_dropped())
            case "v" | "deleted":
                self.state = replace(self.state, dropped=number != 0 or self._outer_dropped())
            case _ if word in _BREAKS:
                self._break(_BREAKS[word])
            case _ if word in _CHARACTERS:
                self._text(_CHARACTERS[word])
            case _ if ignorable and word not in ("shppict", "shpinst"):
                self.state = replace(self.state, dropped=True)

    def _outer_dropped(self) -> bool:
        return bool(self.stack) and self.stack[-1].dropped

    def _unicode(self, number: int) -> None:
        code = number & 0xFFFF
        self.to_skip = self.state.skip
        if 0xD800 <= code < 0xDC00:
            self.high = code
        elif 0xDC00 <= code < 0xE000 and self.high:
            self._text(chr(0x10000 + ((self.high - 0xD800) << 10) + code - 0xDC00))
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
        if state.about in _ABOUT:
            self.about[state.about] = (self.about.get(state.about, "") + text)[:1000]
        elif state.about or state.dropped:
            return
        elif state.note:
            self.notes[-1] += text
        elif not (state.raised and note_marks.is_mark(text, self.prose.glued())):
            self.prose.text(text)

    def _break(self, act: Callable[[Prose], None]) -> None:
        if self.state.note:
            self.notes[-1] += " "
        elif not (self.state.dropped or self.state.about):
            act(self.prose)
