"""E-mail: .eml is one message, .mbox is many. Attachments are not read, and that is said."""

import contextlib
import email
import email.policy
import email.utils
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.message import EmailMessage, Message, MIMEPart

from webapp.intake.file_formats import encoding_labels
from webapp.intake.file_formats.base import (
    MAX_ID,
    Document,
    Options,
    Problem,
    Source,
    Unreadable,
    clean,
    content,
    extension,
    guess_encoding,
    opened,
)
from webapp.intake.file_formats.html import FLAT, add
from webapp.intake.file_formats.prose import Prose, line

MAX_MESSAGE = 64 << 20  # bytes, with attachments: more than servers pass on
# bytes of a header that are looked at: lists of thousands of addressees take minutes otherwise
MAX_HEADER = 2_000
LONGEST_REASON = 80  # characters of an error that is quoted
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


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    with opened(path, name, advance) as file:
        if extension(name) == ".eml":
            yield from _message(content(file, MAX_MESSAGE), name, "")
            return
        begin = file.peek(1 << 12).lstrip()
        number = 0
        if begin and not begin.startswith(b"From "):
            yield Problem(
                name,
                "",
                f"“{name}”: it does not begin with a line “From …”, as mailboxes do; what stands"
                " before the first such line was read as a message.",
                False,
            )
        for number, message in enumerate(_messages(_with_line_ends(file, name)), 1):
            yield from _message(message, name, f"message {number}")
        if not number:
            yield Problem(name, "", f"“{name}” has no messages: only blank lines.", True)


def _with_line_ends(file: io.BufferedReader, name: str) -> io.BufferedIOBase:
    """The file with line feeds at the ends of its lines: old ones have carriage returns alone."""
    begin = file.peek(1 << 12)
    if b"\n" in begin or b"\r" not in begin:
        return file
    if (message := content(file, MAX_MESSAGE)) is None:
        raise Unreadable(
            f"“{name}”: its lines end with carriage returns alone, and such a file may have"
            f" {MAX_MESSAGE >> 20} MB. Save it again with line feeds."
        )
    return io.BytesIO(message.replace(b"\r", b"\n"))


def _messages(file: io.BufferedIOBase) -> Iterator[bytes | None]:
    """The messages of a mailbox, each after a line that begins with "From " (_is_divider); None for
    one that is too long."""
    lines_of_message: list[bytes] = []
    size = 0
    blank = True
    has_begun = False
    following = file.readline(1 << 20)
    while row := following:
        following = file.readline(1 << 20)
        if blank and (_is_divider(row, following) or not has_begun and row.startswith(b"From ")):
            if has_begun:
                yield b"".join(lines_of_message) if size <= MAX_MESSAGE else None
            lines_of_message = []
            size = 0
            blank = False
            has_begun = True
            continue
        has_begun = has_begun or bool(row.strip())
        blank = row in (b"\n", b"\r\n")
        size += len(row)
        if size <= MAX_MESSAGE:
            lines_of_message.append(row[1:] if row.startswith((b">From ", b">>From ")) else row)
    if has_begun:
        yield b"".join(lines_of_message) if size <= MAX_MESSAGE else None


_SENTENCE = 200  # characters of what stands for a text in HTML, at most
_LETTER = re.compile(r"[^\W_]")
_DIVIDER = re.compile(rb"From .*\d\d:\d\d")  # with the time at which the message came
_HEADER = re.compile(rb"[!-9;-~]+:")


def _is_divider(row: bytes, following: bytes) -> bool:
    """Whether a line behind a blank one begins a message, and is none of a text that begins with
    "From "."""
    return bool(_DIVIDER.match(row)) or (
        row.startswith(b"From ") and bool(_HEADER.match(following))
    )


def _message(raw: bytes | None, name: str, place_in_file: str) -> Iterator[Document | Problem]:
    where = f"“{name}”, {place_in_file}" if place_in_file else f"“{name}”"
    if raw is None:
        yield Problem(
            name,
            place_in_file,
            f"{where}: the message is larger than {MAX_MESSAGE >> 20} MB; it was left out.",
            True,
        )
        return
    try:
        message = email.message_from_bytes(raw, policy=email.policy.default)
        prose, left_out, repaired = _body(message, name)
        heads = _heads(message)
    except _BROKEN as error:
        what = clean(str(error))[:LONGEST_REASON] or "its headers or parts"
        why = f"the message is damaged ({what})"
        if isinstance(error, RecursionError):
            why = "its parts are nested too deeply"
        yield Problem(name, place_in_file, f"{where}: {why}; it was left out.", True)
        return
    further_parts = (
        f"{left_out} attachment{'s' if left_out > 1 else ''} or other"
        f" part{'s' if left_out > 1 else ''} of it"
    )
    if not prose.length:
        also = f", and {further_parts} can't be read" if left_out else ""
        none = "its body holds no text"
        if _BASE64 in repaired:
            none = "nothing of its text could be decoded as base64"
        yield Problem(name, place_in_file, f"{where}: {none}{also}; it was left out.", True)
        return
    for sentence in repaired:
        yield Problem(name, place_in_file, f"{where}: {sentence}.", False)
    if left_out:
        done = (
            f"{further_parts} {'were' if left_out > 1 else 'was'} not read. Upload important ones"
            " separately."
        )
        yield Problem(name, place_in_file, f"{where}: {done}", False, "attachment", left_out)
    metadata: dict[str, str] = {
        key: heads[key] for key in ("from", "to", "cc", "list-id") if key in heads
    }
    message_document = prose.document(
        heads.get("subject", "") or "(no subject)",
        _date(heads.get("date", "")),
        metadata,
        place_in_file,
    )
    yield replace(
        message_document,
        source_id=(heads.get("message-id", "").strip("<> ") or message_document.source_id)[:MAX_ID],
    )


def _heads(message: EmailMessage) -> dict[str, str]:
    heads: dict[str, str] = {}
    for key, raw in message.raw_items():
        if key.lower() not in heads and len(heads) < 200:
            heads[key.lower()] = line(_head(str(raw)[:MAX_HEADER]))
    return heads


def _head(value: str) -> str:
    """A header as text: its encoded words by their labels, and bytes that have none by what they
    read like."""
    with contextlib.suppress(*_BROKEN, UnicodeError):
        value = "".join(
            _decoded(part, charset)[0] if isinstance(part, bytes) else part
            for part, charset in decode_header(value)
        )
    raw = value.encode("utf-8", "surrogateescape")
    return _decoded(raw, None)[0]


def _date(value: str) -> str:
    try:
        return email.utils.parsedate_to_datetime(value).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return value


def _body(message: EmailMessage, name: str) -> tuple[Prose, int, list[str]]:
    """The text of a message, plain where it has both forms; how many parts of it are not read; and
    what was wrong with it, as the ends of sentences."""
    prose = Prose(name)
    repaired = []
    body = message.get_body(preferencelist=("plain", "html"))
    if body is not None and _says_nothing(_text_of(body)):
        with_letters = message.get_body(preferencelist=("html",))
        if with_letters is not None and _LETTER.search(_text_of(with_letters)):
            body = with_letters
    if (
        body is None
        and message.get_content_maintype() == "multipart"
        and not message.is_multipart()
    ):
        body = message
    left_out = sum(not part.is_multipart() for part in message.walk()) - len(_forms(message, body))
    if body is not None:
        text, undecodable = _decoded(_payload(body), body.get_content_charset())
        defects = {type(defect).__name__ for part in message.walk() for defect in part.defects}
        for mark, sentence in _DEFECTS.items():
            if any(mark in defect for defect in defects):
                repaired.append(sentence)
        if undecodable:
            repaired.append(undecodable)
        if not message.keys():
            repaired.append(_NO_HEADERS)
        coding = str(body.get("content-transfer-encoding", "")).strip().lower()
        if coding and coding not in _CODINGS:
            repaired.append(
                f"its transfer encoding “{clean(coding)[:40]}” is not known here; its text was read"
                " as it stands"
            )
        if body.get_content_subtype() == "html":
            add(text, prose)
            repaired += [FLAT] if prose.flat else []
        else:
            for row in _unflowed(text, body).splitlines():
                if row.strip():
                    prose.text(row)
                    prose.line()
                else:
                    prose.paragraph()
    return prose, left_out, repaired


def _says_nothing(text: str) -> bool:
    """Whether a plain text holds no letters, or only says that the message is in HTML."""
    return not _LETTER.search(text) or (len(text) < _SENTENCE and "html" in text.lower())


def _unflowed(text: str, part: MIMEPart) -> str:
    """The lines of a plain text whole, where it says that a space at the end of a line goes on in
    the next one (RFC 3676)."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    attached = str(part.get_param("delsp", "")).lower() == "yes"
    lines: list[str] = []
    flows = False
    for row in text.splitlines():
        quoted = row.startswith(">")
        if flows and not quoted and row != "-- ":
            lines[-1] += row
        else:
            lines.append(row)
        flows = row.endswith(" ") and not quoted and row != "-- "
        if flows and attached:
            lines[-1] = lines[-1][:-1]
    return "\n".join(lines)


def _payload(part: Message) -> bytes:
    """The bytes of a part as they were before they were encoded for the way; none where it is made
    of parts."""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text_of(part: MIMEPart) -> str:
    return _decoded(_payload(part), part.get_content_charset())[0]


_CODINGS = {
    "7bit",
    "8bit",
    "binary",
    "quoted-printable",
    "base64",
    "x-uuencode",
    "uuencode",
    "uue",
    "x-uue",
}
_BASE64 = "its text is not whole as base64; what could be decoded was kept"
_NO_HEADERS = "it has no headers, such as From and Subject; all of it was read as its text"
_DEFECTS = {  # part of a defect's name in the email module -> what it means
    "Base64": _BASE64,
    "StartBoundary": (
        "the line that should divide it into parts is not in it; it was read as one part"
    ),
    "CloseBoundary": "it ends in the middle of a part; what came was kept",
}


def _forms(message: EmailMessage, body: MIMEPart | None) -> list:
    """The body, and the same text in other forms."""
    if body is None:
        return []
    for part in message.walk():
        if part.get_content_type() == "multipart/alternative" and any(
            inner is body for inner in part.walk()
        ):
            texts = (inner for inner in part.walk() if not inner.is_multipart())
            return [
                inner for inner in texts if inner is body or inner.get_content_maintype() == "text"
            ]
    return [body]


def _wrong(charset: str, guess: str) -> str:
    """Why a text was not read in the encoding that it says."""
    try:
        "".encode(charset)
    except (LookupError, ValueError):
        return (
            f"it says that it is in “{charset}”, which is no encoding that is known here; it was"
            f" read as {guess}"
        )
    return f"its bytes are not in {charset}, as it says; they were read as {guess}"


def _decoded(raw: bytes, charset: str | None) -> tuple[str, str]:
    """A text, and the end of a sentence where it is not in the encoding that it says."""
    encoding = encoding_labels.believed(charset, raw[: 1 << 16]) if charset else "utf-8"
    try:
        return raw.decode(encoding or ""), ""
    except (LookupError, ValueError):
        guess = guess_encoding(raw[: 1 << 16])
        return raw.decode(guess, "replace"), _wrong(clean(charset)[:40], guess) if charset else ""
