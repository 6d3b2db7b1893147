"""From files to documents: one module per format. A file is data; nothing in it is run, followed or trusted.

`sniff` says what a file seems to be and how it would be read; `read` yields its documents, and its problems: one bad row
does not lose the rest.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from tasks.readers import archive, formats
from tasks.readers.dates import parse_date
from tasks.readers.model import Document, Options, Problem, Sniff, Unreadable

__all__ = ["Document", "Options", "Problem", "Sniff", "Unreadable", "parse_date", "read", "sniff"]


def sniff(path: Path, name: str, **known) -> Sniff:
    """What a file seems to be, by its name and its first bytes; `known` options are not guessed but taken.

    Raises Unreadable when nothing can be read from it.
    """
    form = formats.of(path, name)
    return archive.sniff(path, name, known) if form == "zip" else formats.sniff(path, name, form, known)


def read(path: Path, name: str, options: Options, advance: Callable[[int], None] = lambda n: None) -> Iterator[Document | Problem]:
    """The documents of a file in their order, and what is wrong with it.

    `options` may be another file's: a collection can be in several formats, and have its columns in another order in each file.
    `advance` is told how many more bytes of the file have been read. Raises Unreadable when the file can't be read on.
    """
    form = formats.of(path, name)
    return archive.read(path, name, options, advance) if form == "zip" else formats.read(path, name, form, options, advance)
