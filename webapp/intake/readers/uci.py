"""UCI's bags of words: docword.NAME.txt, three numbers, then lines of document, word and count;
with vocab.NAME.txt."""

from collections.abc import Callable, Iterator

from webapp.intake.readers import bag
from webapp.intake.readers.base import (
    Document,
    Options,
    Problem,
    Source,
    Unreadable,
    decoded,
    lines,
    opened,
)
from webapp.intake.readers.companions import Companions


def read(
    path: Source,
    name: str,
    options: Options,
    advance: Callable[[int], None],
    companions: Companions,
) -> Iterator[Document | Problem]:
    words = bag.vocabulary(name, companions)
    with opened(path, name, advance) as file:
        rows = (
            (number, line)
            for number, (line, _) in enumerate(lines(decoded(file, "utf-8"), 1000), 1)
            if line.strip()
        )
        _, width, _ = (
            bag.numbers(line, 1, name, number)[0]
            for number, line in (next(rows, (1, "")), next(rows, (2, "")), next(rows, (3, "")))
        )
        if width != len(words):
            yield Problem(
                name,
                "line 2",
                f"“{name}”, line 2: it has {width:,} words, but its vocabulary {len(words):,}. Is"
                " it the right vocabulary?",
                False,
            )
        yield from bag.documents(_entries(rows, name), words, name)


def _entries(rows: Iterator[tuple[int, str]], name: str) -> Iterator[tuple[int, int, int]]:
    """(document from 1, word from 0, count). Raises Unreadable where they are not sorted by
    documents."""
    before = 0
    for number, line in rows:
        document, word, count = bag.numbers(line, 3, name, number)
        if document < before:
            raise Unreadable(
                f"“{name}”, line {number}: document {document} comes after {before}. Sort the file"
                " by documents."
            )
        before = document
        yield document, word - 1, count
