"""Plain text: one document a file."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from tasks.readers.model import MAX_ID, MAX_TEXT, MAX_TITLE, PREVIEW_CELL, Document, Options, Problem, Sniff, Unreadable
from tasks.readers.opening import SAMPLE, Source, by_mark, check_encoding, clean, guess_encoding, head, opened, repairs, stem


def sniff(path: Source, name: str, options: Options, known: dict) -> Sniff:
    sample = head(path, name)
    encoding = known.get("encoding") or guess_encoding(sample)
    start = clean(sample[: 4 * PREVIEW_CELL].decode(check_encoding(encoding), "replace"))
    return Sniff(replace(options, encoding=encoding), [], [[start[:PREVIEW_CELL]]] if start.strip() else [])


def read(path: Source, name: str, options: Options, advance: Callable[[int], None]) -> Iterator[Document | Problem]:
    text = yield from characters(path, name, options.encoding, advance)
    cleaned = clean(text)
    if not cleaned.strip():
        raise Unreadable(f"“{name}” has no text in it; it was left out.")
    yield Document(cleaned, title=stem(name)[:MAX_TITLE], source_id=clean(name)[:MAX_ID], file=name)


def characters(path: Source, name: str, encoding: str, advance: Callable[[int], None]) -> Iterator[Problem]:
    """Yields what is wrong with a file's characters and returns them. Each file may have an encoding of its own: the chosen one
    is tried first."""
    with opened(path, name, advance) as file:
        content = file.read(4 * MAX_TEXT + 1)
    if len(content) > 4 * MAX_TEXT:
        raise Unreadable(f"“{name}” is longer than {MAX_TEXT:,} characters; it was left out. Cut it into parts.")
    encoding = by_mark(content) or encoding
    try:
        text = content.decode(check_encoding(encoding))
    except UnicodeDecodeError as error:
        guess = guess_encoding(content[:SAMPLE])
        line = content.count(b"\n", 0, error.start) + 1
        text = content.decode(guess, "replace")
        yield Problem(
            name, f"line {line}", f"“{name}”, line {line}: the bytes are no characters in {encoding}; the file was read as {guess}.", False
        )
    else:
        if done := repairs(text, encoding):
            yield Problem(name, "", f"“{name}”: {done}.", False)
    if len(text) > MAX_TEXT:
        raise Unreadable(f"“{name}” is longer than {MAX_TEXT:,} characters; it was left out. Cut it into parts.")
    return text.removeprefix("\ufeff")
