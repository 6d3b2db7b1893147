"""MALLET's import format: one document a line, its id, its label and its text, separated by tabs,
spaces or commas."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import regex

from webapp.intake.file_formats import cells
from webapp.intake.file_formats.base import (
    MAX_TEXT,
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    decoded,
    guess_encoding,
    head,
    lines,
    nothing,
    opened,
)
from webapp.intake.file_formats.rows import TOO_LONG, Row

COLUMNS = ("id", "label", "text")
# As MALLET's --line-regex has it, but for blank parts
_LINE = regex.compile(r"\s*([^\s,]+)[\s,]+([^\s,]+)[\s,]+(.*)", regex.S)


def sniff(path: Source, name: str, options: Options, fixed_options: dict) -> Sniff:
    options = replace(
        options,
        encoding=fixed_options.get("encoding") or guess_encoding(head(path, name)),
        names=COLUMNS,
    )
    rows = cells.beginning(_rows(path, name, options, nothing), cells.SAMPLE_ROWS)
    sniffed = cells.sniff([list(COLUMNS), *(row.cells for row in rows)], name, options, True)
    return replace(
        sniffed, options=replace(sniffed.options, header=False, text=2, id=0, html=False)
    )


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    yield from cells.documents(
        _rows(path, name, options, advance),
        name,
        replace(options, header=False, names=COLUMNS),
        "line {1}",
    )


def _rows(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Row]:
    with opened(path, name, advance) as file:
        for number, (line, is_complete) in enumerate(
            lines(decoded(file, options.encoding), MAX_TEXT), 1
        ):
            line = line.removeprefix("\ufeff").rstrip("\r\n")
            if not is_complete:
                yield Row(number, [], TOO_LONG)
            elif line.strip():
                cells = line.split("\t", 2)
                match = _LINE.match(line) if len(cells) < 3 else None
                yield Row(number, list(match.groups()) if match else (cells + ["", ""])[:3], None)
