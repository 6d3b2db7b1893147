"""Plain text: one document per file. Words that the ends of lines break are made whole."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

import regex

from webapp.intake.file_formats import hyphens, running_lines
from webapp.intake.file_formats.base import (
    DETECT,
    MAX_ID,
    MAX_TEXT,
    MAX_TITLE,
    PREVIEW_CELL,
    REPLACE,
    SAMPLE,
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    by_mark,
    check_encoding,
    clean,
    content,
    damage,
    guess_encoding,
    head,
    opened,
    repairs,
    stem,
)

# What UTF-8 looks like where it was taken for windows-1252 and saved again: “Ã¶” for “ö”
_TWICE = regex.compile("(?:[Ãâ]|Â(?=[\u00a0-\u00bf]))[\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]")
_LEAST_SEQUENCES = 3  # such sequences in a text


def sniff(path: Source, name: str, options: Options, fixed_options: dict) -> Sniff:
    sample = head(path, name)
    encoding = check_encoding(fixed_options.get("encoding") or guess_encoding(sample))
    start = clean(
        sample[: 4 * PREVIEW_CELL].decode(
            guess_encoding(sample) if encoding == DETECT else encoding, "replace"
        )
    )
    return Sniff(
        replace(options, encoding=encoding), [], [[start[:PREVIEW_CELL]]] if start.strip() else []
    )


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    text = yield from characters(path, name, options.encoding, advance)
    cleaned, running = without_running_lines(clean(text), options)
    yield from running_lines.report_left_out(name, running)
    cleaned, _ = hyphens.joined(cleaned)
    if not cleaned.strip():
        raise Unreadable(f"“{name}” has no text in it; it was left out.")
    yield Document(cleaned, title=stem(name)[:MAX_TITLE], source_id=clean(name)[:MAX_ID], file=name)


def without_running_lines(text: str, options: Options) -> tuple[str, list[running_lines.Running]]:
    """A text whose pages end with form feeds without the lines that run through them, and these."""
    if not options.running or text.count("\f") < running_lines.MIN_PAGES - 1:
        return text, []
    pages, running = running_lines.without_running(text.split("\f"))
    return "\f".join(pages), running


def characters(
    path: Source, name: str, encoding: str, advance: Callable[[int], None]
) -> Generator[Problem, None, str]:
    """Yields what is wrong with a file's characters and returns them. Each file may have an
    encoding of its own: the chosen one is tried first."""
    with opened(path, name, advance) as file:
        raw = content(file, 4 * MAX_TEXT)
    if raw is None:
        raise Unreadable(
            f"“{name}” is longer than {MAX_TEXT:,} characters; it was left out. Cut it into parts."
        )
    own_encoding = by_mark(raw) or (
        guess_encoding(raw[:SAMPLE]) if encoding == DETECT else check_encoding(encoding)
    )
    damage.count = 0
    try:
        text = raw.decode(own_encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        begin = raw.rfind(b"\n", 0, error.start) + 1
        guess = own_encoding if encoding == DETECT else guess_encoding(raw[begin : begin + SAMPLE])
        text = raw.decode(guess, REPLACE)
        done = (
            repairs(text, clean(text), own_encoding)
            if guess == own_encoding
            else f"the bytes are not characters in {own_encoding}; the file was read as {guess}"
        )
        message = f"“{name}”, line {line}: {done}."
        kind = "characters" if guess == own_encoding else "encoding"
        yield Problem(name, f"line {line}", message, False, kind)
    else:
        if done := repairs(text, clean(text), own_encoding):
            yield Problem(name, "", f"“{name}”: {done}.", False, "characters")
    twice = sum(1 for _ in _TWICE.finditer(text[: SAMPLE * 4]))
    if twice >= _LEAST_SEQUENCES:
        odd_characters = next(match[0] for match in _TWICE.finditer(text))
        yield Problem(
            name,
            "",
            f"“{name}”: {twice:,} sequences such as “{odd_characters}” stand for letters: the text was read in"
            " a wrong encoding before it was saved. Repair it where it comes from.",
            False,
            "twice",
            twice,
        )
    if len(text) > MAX_TEXT:
        raise Unreadable(
            f"“{name}” is longer than {MAX_TEXT:,} characters; it was left out. Cut it into parts."
        )
    return text.removeprefix("\ufeff")
