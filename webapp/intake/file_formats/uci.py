"""UCI's bags of words: docword.NAME.txt, three numbers, then lines of document, word and count;
with vocab.NAME.txt."""

from collections.abc import Callable, Iterator

from webapp.intake.file_formats import bag
from webapp.intake.file_formats.base import (
    Document,
    Options,
    Problem,
    Source,
    Unreadable,
    decoded,
    lines,
    opened,
)
from webapp.intake.file_formats.companions import Companions

LONGEST_LINE = 1_000  # characters: it has three numbers
HEADER_LINES = (1, 2, 3)  # how many documents, words and entries there are


def read(
    path: Source,
    name: str,
    options: Options,
    advance: Callable[[int], None],
    companions: Companions,
) -> Iterator[Document | Problem]:
    words = bag.vocabulary(name, companions)
    with opened(path, name, advance) as file:
        numbered = enumerate(lines(decoded(file, "utf-8"), LONGEST_LINE), 1)
        rows = ((number, line) for number, (line, _) in numbered if line.strip())
        _, width, _ = [_number_of_header(rows, line_number, name) for line_number in HEADER_LINES]
        if width != len(words):
            yield Problem(
                name,
                "line 2",
                f"“{name}”, line 2: it has {width:,} words, but its vocabulary {len(words):,}. Is"
                " it the right vocabulary?",
                False,
            )
        yield from bag.documents(_entries(rows, name), words, name)


def _number_of_header(rows: Iterator[tuple[int, str]], line_number: int, name: str) -> int:
    """The number that the next line that is not blank has. line_number: where it should be, for
    what is said of a file that ends before it. Raises Unreadable."""
    number, line = next(rows, (line_number, ""))
    return bag.read_numbers(line, 1, name, number)[0]


def _entries(rows: Iterator[tuple[int, str]], name: str) -> Iterator[tuple[int, int, int]]:
    """(document from 1, word from 0, count). Raises Unreadable where they are not sorted by
    documents."""
    before = 0
    for number, line in rows:
        document, word, count = bag.read_numbers(line, 3, name, number)
        if document < before:
            raise Unreadable(
                f"“{name}”, line {number}: document {document} comes after {before}. Sort the file"
                " by documents."
            )
        before = document
        yield document, word - 1, count
