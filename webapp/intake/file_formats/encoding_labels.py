"""What a file's own label of its encoding means: as browsers read it, and not against its bytes.

Source: WHATWG, Encoding, 4.2: “latin1” has been the label of windows-1252 for decades.
"""

import codecs

import regex

from webapp.intake.file_formats.base import Source, by_mark, head

_AS_BROWSERS = {  # Python's name of what the label says -> of what is read
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_ALIASES = {  # labels that Python does not know
    "x-sjis": "cp932",
    "shift-jis": "cp932",
    "windows-31j": "cp932",
    "x-gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "windows-949": "cp949",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859-8",
    "x-mac-cyrillic": "mac_cyrillic",
    "x-cp1250": "cp1250",
    "x-cp1251": "cp1251",
    "x-cp1252": "cp1252",
    "unicode-1-1-utf-8": "utf-8",
    "utf8mb4": "utf-8",
}
# Of which two bytes are often valid UTF-8, too
_SEVERAL_BYTES = {"cp932", "gb18030", "big5hkscs", "cp949", "euc_jp", "iso2022_jp", "johab"}
_MULTIBYTE = regex.compile(rb"[\xc2-\xf4][\x80-\xbf]{1,3}")
_CHARSET = regex.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([A-Za-z0-9._-]+)""", regex.I)
WITHIN = 4096  # bytes from the beginning of a page in which it names its encoding
ENOUGH_CHARACTERS = (
    2  # characters of UTF-8 beyond ASCII that no text in another encoding has by chance
)
ENOUGH_OF_SEVERAL = 8  # where a label says that characters are several bytes


def meant(label: str) -> str | None:
    """Python's name of the encoding that a label means; None where it is none that is known."""
    label = label.strip().strip("\"'").lower()
    if alias := _ALIASES.get(label):
        return alias
    try:
        name = codecs.lookup(label).name
        "".encode(name)  # refuses what is no encoding of texts
    except (LookupError, ValueError):
        return None
    return _AS_BROWSERS.get(name, name)


def believed(label: str, sample: bytes) -> str | None:
    """The encoding of bytes under a label: UTF-8 where they are it, whatever the label says. None
    where the label is not known. sample: from the beginning of a text."""
    encoding = meant(label)
    if encoding in (None, "utf-8"):
        return encoding
    enough = ENOUGH_OF_SEVERAL if encoding in _SEVERAL_BYTES else ENOUGH_CHARACTERS
    return "utf-8" if _is_utf8(sample, enough) else encoding


def _is_utf8(sample: bytes, enough: int) -> bool:
    if sample.isascii():
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # it may end within a character
    except UnicodeDecodeError:
        return False
    return sum(1 for _ in _MULTIBYTE.finditer(sample, endpos=1 << 16)) >= enough


def declared(path: Source, name: str) -> str | None:
    """The encoding that a page of HTML names; None where it names none that is known."""
    start = head(path, name)
    charset = _CHARSET.search(start, endpos=WITHIN)
    return by_mark(start) or (believed(charset[1].decode(), start) if charset else None)
