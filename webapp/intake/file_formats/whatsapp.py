"""A chat as WhatsApp exports it (“WhatsApp Chat with ….txt”, “_chat.txt”): one document a message,
with who wrote it and when."""

from collections import Counter
from collections.abc import Callable, Iterator

import regex

from webapp.intake.file_formats import text
from webapp.intake.file_formats.base import (
    Document,
    Options,
    Problem,
    Source,
    clean,
    count_of,
    stem,
)
from webapp.intake.file_formats.prose import document
from webapp.intake.file_formats.text import sniff

__all__ = ["read", "sniff"]

_MESSAGE = regex.compile(
    r"^[\u200e\u200f]?\[?(?P<date>\d{1,4}[./-]\d{1,2}[./-]\d{1,4}),?[\s\u202f]+"
    r"(?P<time>\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[\s\u202f]?[ap]\.?[\s\u202f]?m\.?)?)\]?(?:\s-)?\s"
    r"(?:(?P<author>[^:\n]{1,80}):\s)?(?P<text>.*)$",
    regex.I,
)
_NO_TEXT = regex.compile(
    r"^\u200e|^<[^<>]{3,60}>$|^\S+\s(?:weggelassen|omis)$"
    r"|^(?:image|photo|video|audio|gif|sticker|document|contact card|media)\somitted$"
    r"|^(?:this message was deleted|you deleted this message|null)\.?$",
    regex.I,
)


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    chat = yield from text.characters(path, name, options.encoding, advance)
    rows = chat.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not any(_MESSAGE.match(row) for row in rows[:50]):  # only the name is that of a chat
        yield document(clean(chat), name)
        return
    order = _order(rows)
    message: regex.Match | None = None
    parts: list[str] = []
    left_out = number = 0
    for row in [*rows, None]:
        begins = _MESSAGE.match(row) if row is not None else None
        if row is not None and begins is None:
            parts.append(row)
            continue
        if message is not None:
            if not _NO_TEXT.search(message["text"]):
                parts.insert(0, message["text"])
            # Below the notice of a picture stands what was written with it
            written = clean("\n".join(parts)).strip()
            if not message["author"] or not written:
                left_out += 1
            else:
                number += 1
                yield _document(written, message, name, number, order)
        message = begins
        parts = []
    if left_out:
        yield Problem(
            name,
            "",
            f"“{name}”: {count_of(left_out, 'notice or message', 'notices and messages')} without text,"
            f" such as pictures, {'was' if left_out == 1 else 'were'} left out.",
            False,
            "notice",
            left_out,
        )


def _document(written: str, message: regex.Match, name: str, number: int, order: str) -> Document:
    fields = {"author": message["author"].strip("~\u200e\u202a\u202c "), "time": message["time"]}
    date = _iso(message["date"], order)
    return document(written, name, f"{stem(name)} {number}", date, fields, f"message {number}")


def _order(rows: list[str]) -> str:
    """What the numbers of dates are, by those that can't be months: “dmy”, “mdy” or “ymd”."""
    seen: Counter[int] = Counter()
    for row in rows:
        if match := _MESSAGE.match(row):
            numbers = [int(part) for part in regex.split("[./-]", match["date"])]
            if numbers[0] > 31:
                return "ymd"
            seen.update(date_part for date_part in (0, 1) if numbers[date_part] > 12)
    return "mdy" if seen[1] > seen[0] else "dmy"


def _iso(date: str, order: str) -> str:
    parts = dict(zip(order, regex.split("[./-]", date), strict=True))
    year = int(parts["y"])
    return f"{year + 2000 if year < 100 else year}-{int(parts['m']):02}-{int(parts['d']):02}"
