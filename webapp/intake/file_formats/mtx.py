"""Matrix Market: a matrix of documents by words, or of words by documents; with a vocabulary, whose
length tells which."""

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from webapp.intake.file_formats import bag
from webapp.intake.file_formats.base import (
    Document,
    Options,
    Problem,
    Source,
    Unreadable,
    clean,
    decoded,
    lines,
    opened,
)
from webapp.intake.file_formats.companions import Companions

MAX_UNSORTED = (
    20_000_000  # entries, 12 bytes each, of a matrix that must be sorted by documents first
)
_HEAD = "%%MatrixMarket matrix coordinate"


def read(
    path: Source,
    name: str,
    options: Options,
    advance: Callable[[int], None],
    companions: Companions,
) -> Iterator[Document | Problem]:
    words = bag.vocabulary(name, companions)
    rows, columns, entries = _shape(path, name)
    if len(words) not in (rows, columns):
        raise Unreadable(
            f"“{name}” has {rows:,} rows and {columns:,} columns, but its vocabulary has"
            f" {len(words):,} words. Is it the right one?"
        )
    by_rows = columns == len(words)  # where a matrix is square, documents are its rows
    with opened(path, name, advance) as file:
        triples = _entries(file, name, by_rows)
        present, is_sorted = _count(path, name, by_rows)
        if not is_sorted:
            if present > MAX_UNSORTED:
                raise Unreadable(
                    f"“{name}” is sorted by words and has {present:,} entries; at most"
                    f" {MAX_UNSORTED:,} can be sorted here. Save the matrix with the documents as"
                    " columns if they are rows now, or the other way round."
                )
            triples = _sorted(triples)
        yield from bag.documents(triples, words, name)
    if present != entries:
        done = "Is it complete?" if present < entries else "All of them were read."
        yield Problem(
            name,
            "",
            f"“{name}” says that it has {entries:,} entries, and {present:,} were found. {done}",
            False,
        )


def _rows(file) -> tuple[str, Iterator[tuple[int, str]]]:
    """The first line; and of the others that are no comments (number, line): the matrix's shape,
    then its entries."""
    text = decoded(file, "utf-8")
    numbered = enumerate(lines(text, 10_000), 2)
    return text.readline(1000), (
        (number, line)
        for number, (line, _) in numbered
        if line.strip() and not line.startswith("%")
    )


def _shape(path: Source, name: str) -> list[int]:
    """Rows, columns and entries."""
    with opened(path, name) as file:
        first, numbered = _rows(file)
        if not first.lower().startswith(_HEAD.lower()) or any(
            kind in first.lower() for kind in ("complex", "symmetric", "hermitian")
        ):
            raise Unreadable(
                f"“{name}”: expected a sparse matrix that begins with “{_HEAD} integer general”,"
                f" found “{clean(first.strip())[:60]}”."
            )
        for number, line in numbered:
            return bag.read_numbers(line, 3, name, number)
    raise Unreadable(f"“{name}” ends before its first entry. Save it again.")


def _entries(file, name: str, by_rows: bool) -> Iterator[tuple[int, int, int]]:
    """(document from 1, word from 0, count)."""
    first, numbered = _rows(file)
    pattern = "pattern" in first.lower()
    for number, line in itertools.islice(numbered, 1, None):
        row, column, *count = bag.read_numbers(line, 2 if pattern else 3, name, number)
        document, word = (row, column) if by_rows else (column, row)
        yield document, word - 1, count[0] if count else 1


def _count(path: Source, name: str, by_rows: bool) -> tuple[int, bool]:
    """How many entries there are, and whether each document's follow each other."""
    with opened(path, name) as file:
        before = 0
        present = 0
        is_sorted = True
        for document, _, _ in _entries(file, name, by_rows):
            is_sorted = is_sorted and document >= before
            before = document
            present = present + 1
    return present, is_sorted


def _sorted(entries: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    try:
        table = np.fromiter(entries, dtype=np.dtype((np.int32, 3)))
    except OverflowError:
        raise Unreadable(
            "The matrix has numbers beyond 2,147,483,647, which can’t be counts of words."
        ) from None
    order = np.argsort(table[:, 0], kind="stable")
    in_order = (table[place] for place in order)
    return ((int(document), int(word), int(count)) for document, word, count in in_order)
