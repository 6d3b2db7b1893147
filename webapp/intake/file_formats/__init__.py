"""From files to documents: one module per format. A file is data; nothing in it is run, followed or
trusted.

`sniff` says what a file seems to be and how it would be read; `read` yields its documents, and its
problems: one bad row does not lose the rest.
"""

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from webapp.intake.file_formats import (
    archive,
    column_roles,
    dispatch,
    formats,
    looking,
    mets,
    running_lines,
    sandbox,
)
from webapp.intake.file_formats.base import (
    DETECT,
    EVIDENCE,
    ROLES,
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    by_mark,
    common_encoding,
    guess_encoding,
    head,
    packed_share,
    stem,
)
from webapp.intake.file_formats.companions import Companions
from webapp.intake.file_formats.dispatch import Member, Reading, in_order
from webapp.intake.file_formats.even_order import even_order
from webapp.intake.file_formats.formats import by_name as kind, format_of, single
from webapp.intake.file_formats.header_rows import ROWS as HEADER_ROWS
from webapp.intake.metadata.dates import parse_date

__all__ = [
    "EVIDENCE",
    "HEADER_ROWS",
    "ROLES",
    "Companions",
    "Document",
    "Options",
    "Problem",
    "Reading",
    "Sniff",
    "Unreadable",
    "can_be_spread",
    "count_single",
    "encoding",
    "even_order",
    "in_order",
    "kind",
    "looking",
    "mets",
    "names_inside",
    "opened",
    "packed_share",
    "parse_date",
    "read",
    "running_lines",
    "single",
    "sniff",
    "sniff_first",
    "stem",
]

_SAMPLE = 1 << 15  # bytes of each file, by which the encoding of several is found
MOST_TRIED = 50  # files of an upload that are looked at, where the first ones can't be read


def sniff(
    path: Source | Member,
    name: str,
    companions: Iterable[tuple[Source, str]] | Companions = (),
    **fixed_options,
) -> Sniff:
    """What a file seems to be, by its name and its first bytes; fixed options are not guessed but
    taken.

    companions: (path, name) of the other files that came with it. Raises Unreadable when nothing
    can be read from it.
    """
    return dispatch.sniff(path, name, fixed_options, Companions.among(companions))


def sniff_first(files: list[tuple[Path, str]], **fixed_options) -> Sniff:
    """What the first file seems to be that can be read: one bad file does not refuse the rest.
    Raises Unreadable for the first.

    The encoding is what the first files have in common; where they differ it is found anew for
    each.
    """
    companions = Companions.among(files)
    first = Unreadable("There is no file.")
    # A README says nothing of the others
    files = sorted(files, key=lambda file: formats.bare(file[1]))
    # Those whose rows have few words: others may have the texts
    tables: list[tuple[float, Sniff]] = []
    for number, (path, name) in enumerate(files[:MOST_TRIED]):
        try:
            sniffed = sniff(path, name, companions, **fixed_options)
        except Unreadable as error:
            first = error if number == 0 else first
            continue
        if tables and formats.bare(name):
            break
        if not sniffed.columns or column_roles.has_texts(sniffed.options, sniffed.rows):
            return _encoded_as(files, companions, sniffed, fixed_options)
        tables.append((column_roles.words(sniffed.options, sniffed.rows), sniffed))
    if tables:
        fullest = max(tables, key=lambda table: table[0])[1]
        return _encoded_as(files, companions, fullest, fixed_options)
    raise first


def _encoded_as(
    files: list[tuple[Path, str]], companions: Companions, sniffed: Sniff, fixed_options: dict
) -> Sniff:
    """With the encoding that the first files have in common, where it is not known."""
    if not formats.encoded(sniffed.options) or len(files) < 2 or "encoding" in fixed_options:
        return sniffed
    encoding = _in_common(files[:MOST_TRIED], companions)
    return replace(sniffed, options=replace(sniffed.options, encoding=encoding))


def _in_common(files: list[tuple[Path, str]], companions: Companions) -> str:
    """The encoding of several files; that of an archive's entries is the archive's."""
    samples = []
    own_encodings = []
    for path, name in files:
        with contextlib.suppress(Unreadable):
            file_format = formats.format_of(name)
            if file_format.archive:
                own_encodings.append(sniff(path, name, companions).options.encoding)
                samples.append(b"\xff")  # no ASCII, as far as is known
            elif file_format.encoded:
                samples.append(head(path, name, _SAMPLE))
                own_encodings.append(guess_encoding(samples[-1]))
    return common_encoding(samples, own_encodings)


def read(
    path: Source | Member,
    name: str,
    options: Options,
    advance: Callable[[int], None] = lambda n: None,
    companions: Iterable[tuple[Source, str]] | Companions = (),
) -> Generator[Document | Problem, None, None]:
    """The documents of a file in their order, and what is wrong with it.

    `options` may be another file's: a collection can be in several formats, and have its columns in
    another order in each file. `advance` is told how many more bytes of the file have been read.
    companions: (path, name) of the files that came with it, best as a Companions where many are
    read. Raises Unreadable when the file can't be read on.
    """
    return dispatch.read(path, name, options, advance, Companions.among(companions))


def encoding(path: Path, name: str, options: Options) -> str:
    """In which a file is read, or the files of an archive; "" for formats that say it themselves,
    or have none."""
    file_format = formats.format_of(name)
    if file_format.archive:
        return options.encoding if formats.encoded(options) else ""
    if file_format.encoded:
        with contextlib.suppress(Unreadable, OSError):
            beginning = head(path, name, _SAMPLE if options.encoding == DETECT else 4)
            return by_mark(beginning) or (
                guess_encoding(beginning) if options.encoding == DETECT else options.encoding
            )
    return ""


def names_inside(path: Path, name: str) -> Iterator[str]:
    """The names of the files in an archive, the archive's before each; none of another file. Raises
    Unreadable where the archive can't be read on."""
    file_format = formats.format_of(name)
    if file_format.archive and looking.now():
        yield from sandbox.names(path, name, formats.by_name(name) or "")
    elif file_format.archive:
        with contextlib.closing(file_format.module.files(path, name)) as entries:
            yield from (inside for _, inside in entries)


def can_be_spread(path: Path, name: str) -> bool:
    """Whether a file is an archive whose entries come in an even order where that is asked for
    (looking.spread)."""
    file_format = format_of(name)
    return file_format.archive and file_format.module.can_be_spread(path, name)


class NamesCount(NamedTuple):
    """names: of files in an archive. documents: of them those that are one document each."""

    names: int
    documents: int


def count_single(path: Path, name: str, most: int) -> NamesCount | None:
    """How many files an archive holds, and of how many each is one document, as far as names say;
    None where it holds others with documents, or more files than `most`."""
    names = 0
    documents = 0
    for inside in names_inside(path, name):
        names += 1
        if names > most:
            return None
        file_in_archive = inside.removeprefix(f"{name}/")
        if kind(inside) is None or archive.is_system(file_in_archive):
            continue
        if not (single(inside) or formats.bare(inside)):
            return None
        documents += 1
    return NamesCount(names, documents)


@contextlib.contextmanager
def opened(path: Path, name: str, inside: str) -> Iterator[Source | Member]:
    """An uploaded file, or one in an uploaded archive, to be sniffed and read under the name
    `inside`. Raises Unreadable where the archive does not hold it, or is damaged there."""
    if name == inside:
        yield path
    elif looking.now():
        yield Member(path, name, formats.by_name(name) or "")
    else:
        with archive.entry(path, name, inside) as entry:
            yield entry
