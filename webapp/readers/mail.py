"""E-mail: .eml is one message, .mbox is many. Attachments are not read, and that is said."""

import email
import email.policy
import email.utils
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from email.errors import HeaderParseError, MessageError
from email.header import decode_header, make_header
from email.message import EmailMessage

from webapp.readers.html import lay_out, parsed
from webapp.readers.model import MAX_ID, MAX_TITLE, Document, Options, Problem, Sniff
from webapp.readers.opening import Source, clean, content, extension, guess_encoding, opened
from webapp.readers.prose import Prose, line, nothing, preview

MAX_MESSAGE = 64 << 20  # bytes, with attachments: more than servers pass on
MAX_HEADER = 2_000  # bytes of a header that are looked at: lists of thousands of addressees take minutes otherwise
_BROKEN = (
    MessageError,
    HeaderParseError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    KeyError,
    AssertionError,
    RecursionError,
)


def sniff(path: Source, name: str, options: Options, known: dict) -> Sniff:
    return preview(read(path, name, options, nothing), options)


def read(path: Source, name: str, options: Options, advance: Callable[[int], None]) -> Iterator[Document | Problem]:
    with opened(path, name, advance) as file:
        if extension(name) == ".eml":
            yield from _message(content(file, MAX_MESSAGE), name, "")
            return
        for number, message in enumerate(_messages(file), 1):
            yield from _message(message, name, f"message {number}")


def _messages(file: io.BufferedIOBase) -> Iterator[bytes | None]:
    """The messages of a mailbox, each after a line that begins with "From "; None for one that is too long."""
    kept, size, blank, begun = [], 0, True, False
    while row := file.readline(1 << 20):
        if blank and row.startswith(b"From "):
            if begun:
                yield b"".join(kept) if size <= MAX_MESSAGE else None
            kept, size, blank, begun = [], 0, False, True
            continue
        begun = begun or bool(row.strip())
        blank = row in (b"\n", b"\r\n")
        size += len(row)
        if size <= MAX_MESSAGE:
            kept.append(row[1:] if row.startswith((b">From ", b">>From ")) else row)
    if begun:
        yield b"".join(kept) if size <= MAX_MESSAGE else None


def _message(raw: bytes | None, name: str, place: str) -> Iterator[Document | Problem]:
    where = f"“{name}”, {place}" if place else f"“{name}”"
    if raw is None:
        yield Problem(
            name, place, f"{where}: the message is larger than {MAX_MESSAGE >> 20} MB; it was left out.", True
        )
        return
    try:
        message = email.message_from_bytes(raw, policy=email.policy.default)
        prose, left_out = _body(message, name)
        heads = _heads(message)
    except _BROKEN as error:
        yield Problem(
            name,
            place,
            f"{where}: the message is damaged ({type(error).__name__}: {clean(str(error))[:80]}); it was left out.",
            True,
        )
        return
    if not prose.length:
        yield Problem(name, place, f"{where}: its body holds no text; it was left out.", True)
        return
    if left_out:
        yield Problem(
            name,
            place,
            f"{where}: {left_out} attachment{'s were' if left_out > 1 else ' was'} not read. Upload important ones separately.",
            False,
        )
    metadata = {key: heads[key] for key in ("from", "to", "cc", "list-id") if key in heads}
    message_document = prose.document(
        heads.get("subject", "") or "(no subject)", _date(heads.get("date", "")), metadata, place
    )
    yield replace(
        message_document,
        title=message_document.title[:MAX_TITLE],
        source_id=(heads.get("message-id", "").strip("<> ") or message_document.source_id)[:MAX_ID],
    )


def _heads(message: EmailMessage) -> dict[str, str]:
    heads: dict[str, str] = {}
    for key, raw in message.raw_items():
        if key.lower() not in heads and len(heads) < 200:
            value = str(raw)[:MAX_HEADER]
            try:
                value = str(make_header(decode_header(value)))
            except (*_BROKEN, UnicodeError):
                pass
            heads[key.lower()] = line(value.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    return heads


def _date(value: str) -> str:
    try:
        return email.utils.parsedate_to_datetime(value).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return value


def _body(message: EmailMessage, name: str) -> tuple[Prose, int]:
    """The text of a message, plain where it has both forms, and how many parts of it are not read."""
    prose, left_out = Prose(name), 0
    body = message.get_body(preferencelist=("plain", "html"))
    parts = list(message.walk())
    for part in parts:
        if part.is_multipart():
            continue
        if part is not body and (
            part.get_content_disposition() == "attachment" or part.get_content_maintype() != "text"
        ):
            left_out += 1
    if body is not None:
        text = _decoded(body.get_payload(decode=True) or b"", body.get_content_charset())
        if body.get_content_subtype() == "html":
            tree = parsed(text.encode("utf-8", "replace"))
            if tree is not None:
                lay_out(tree, prose)
        else:
            for row in text.splitlines():
                if row.strip():
                    prose.text(row)
                    prose.line()
                else:
                    prose.paragraph()
    return prose, left_out


def _decoded(raw: bytes, charset: str | None) -> str:
    try:
        return raw.decode(charset or "utf-8")
    except (LookupError, ValueError):
        return raw.decode(guess_encoding(raw[: 1 << 16]), "replace")
