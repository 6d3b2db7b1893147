"""Plain text: one document a file."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from tasks.readers.model import MAX_ID, MAX_TEXT, MAX_TITLE, PREVIEW_CELL, Document, Options, Problem, Sniff
from tasks.readers.opening import SAMPLE, Source, by_mark, check_encoding, clean, guess_encoding, head, opened, repairs


def sniff(path: Source, name: str, options: Options, known: dict) -> Sniff:
    sample = head(path, name)
    encoding = known.get("encoding") or guess_encoding(sample)
    start = clean(sample[: 4 * PREVIEW_CELL].decode(check_encoding(encoding), "replace"))
    return Sniff(replace(options, encoding=encoding), [], [[start[:PREVIEW_CELL]]] if start.strip() else [])


def read(path: Source, name: str, options: Options, advance: Callable[[int], None]) -> Iterator[Document | Problem]:
    with opened(path, name, advance) as file:
        yield from document(file.read(4 * MAX_TEXT + 1), name, options.encoding)


def document(content: bytes, name: str, encoding: str) -> Iterator[Document | Problem]:
    """The one document of a file's content. Each file may have an encoding of its own: the chosen one is tried first."""
    if len(content) > 4 * MAX_TEXT:
        yield Problem(name, "", f"“{name}” is longer than {MAX_TEXT:,} characters; it was left out. Cut it into parts.", True)
        return
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
    cleaned = clean(text.removeprefix("\ufeff"))
    if not cleaned.strip():
        yield Problem(name, "", f"“{name}” has no text in it; it was left out.", True)
        return
    title = clean(name.rsplit("/", 1)[-1]).removesuffix(".gz").removesuffix(".txt")
    yield Document(cleaned, title=title[:MAX_TITLE], source_id=clean(name)[:MAX_ID], file=name)
