"""Which module reads a file, and where: in this process, or in the sandbox where hostile bytes
could end its parser, and while an upload is looked into whatever its format is.

An archive that is looked into is listed and read by one worker process. An archive that is read for
good is listed here, and each entry is a file like any other.
"""

import contextlib
import zipfile
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import regex

from webapp.intake.file_formats import column_roles, looking, mets, sandbox, sandbox_process
from webapp.intake.file_formats.base import (
    MAX_RATIO,
    NO_BOMB,
    ZIP,
    Descriptor,
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    clean,
    head,
    is_gzip,
    looks_like,
    opened,
    plain,
)
from webapp.intake.file_formats.companions import Companions
from webapp.intake.file_formats.formats import (
    FORMATS,
    Format,
    bare,
    by_name,
    encoded,
    instead,
    sentence,
)
from webapp.intake.file_formats.stream_copies import Copy

LONGEST_REASON = 200  # characters of an error that is quoted
LARGE_BYTES = 8 << 20  # bytes of a file that a worker process reads though no library parses it
# Bytes of an archive's entry that a worker process can have in memory for a library
MOST_COPIED = 256 << 20


# What its owner is told of a file at which a library failed: each library has its own ways to say
# that it is damaged.
@contextlib.contextmanager
def explain_errors(name: str, label: str) -> Iterator[None]:
    """Every error of a library becomes Unreadable, but MemoryError: the process is then of no more
    use. label: of the format."""
    try:
        yield
    except (
        Unreadable,
        MemoryError,
        ConnectionError,
    ):
        # The last: nobody waits for the answer any more
        raise
    except RecursionError:
        raise Unreadable(
            f"“{name}” can't be read: what is in it is nested too deeply. Save it again."
        ) from None
    except Exception as error:
        # Halves of surrogate pairs may stand in it, which can't be sent on
        reason = f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode()
        why = clean(reason)[:LONGEST_REASON]
        raise Unreadable(
            f"“{name}” can't be read: it is damaged, or no {label} ({why}). Save it again."
        ) from None


class Member(NamedTuple):
    """A file in an uploaded archive that is looked into: a worker process finds it."""

    path: Path
    archive: str  # its name
    format: str  # the archive's


def format_of(source: Source, name: str) -> str:
    """The format, by the file's name; its first bytes must not say that it is something else, or
    Unreadable is raised."""
    if source.stat().st_size == 0:
        raise Unreadable(f"“{name}” is empty (0 bytes). Choose a file that has text in it.")
    key = by_name(name)
    if key is None:
        advice = instead(name)
        if advice:
            raise Unreadable(f"“{name}” is of a format that Topograph can't read. {advice}")
        raise Unreadable(
            f"“{name}” has a file extension that Topograph does not know. {sentence()}"
        )
    if bare(name):
        key = _by_content(source, name)
    file_format = FORMATS[key]
    if key == "tar":  # may begin with anything: its module tells
        return key
    looks = looks_like(source, name)
    if looks == file_format.looks or (key == "zip" and not is_gzip(name) and _ends_as_zip(source)):
        return key
    if file_format.looks:
        raise Unreadable(
            f"“{name}” has the extension of another format ({file_format.label}): its content is"
            f" {looks or 'something else'}. Give it the right extension, or save it again."
        )
    expected = "plain text" if key == "text" else f"text in the form {file_format.endings[0]}"
    raise Unreadable(
        f"“{name}” was expected to be {expected}, but its content is {looks}. Give it the right"
        " extension, or save it as text."
    )


def _by_content(source: Source, name: str) -> str:
    """The format of a file whose name does not say it; text where its beginning says nothing
    else."""
    looks = looks_like(source, name)
    if looks == ZIP:
        return next(
            (key for mark, key in _PACKAGES.items() if mark in head(source, name, 4096)), "zip"
        )
    if looks:
        return next(
            (key for key, file_format in FORMATS.items() if file_format.looks == looks), "text"
        )
    start = head(source, name, 4096).lstrip(b"\xef\xbb\xbf \t\r\n")
    return next((key for mark, key in _BEGINNINGS if mark.match(start)), "text")


_PACKAGES = {
    b"word/": "docx",
    b"xl/": "xlsx",
    b"opendocument.text": "odt",
    b"opendocument.spreadsheet": "ods",
    b"application/epub+zip": "epub",
}
_BEGINNINGS = (
    (regex.compile(rb'[\[{]\s*["{\[]'), "json"),  # lines of JSON are known there, too
    (regex.compile(rb"<!doctype html|<html", regex.I), "html"),
    (regex.compile(rb"<\?xml|<TEI"), "xml"),
    (
        regex.compile(rb"From \S+@?\S* |(Received|Message-ID|Return-Path|MIME-Version): ", regex.I),
        "mail",
    ),
)


def _ends_as_zip(source: Source) -> bool:
    """Whether it is a ZIP archive behind something else, as those are that open themselves."""
    with contextlib.closing(source.open("rb", buffering=0)) as file:
        return file.seekable() and zipfile.is_zipfile(file)


def sniff(source: Source | Member, name: str, fixed_options: dict, companions: Companions) -> Sniff:
    if bag := companions.bag_of(name):
        source, name = bag
    if companions.page_of(name):
        raise Unreadable(f"“{name}” was saved with a page, and is left out.")
    if isinstance(source, Member):
        return sandbox.sniff(
            source.path, source.archive, source.format, Options(), fixed_options, True, entry=name
        )
    key = format_of(source, name)
    file_format = FORMATS[key]
    options = Options(format=key)
    if sandbox_process.now() or not (file_format.sandboxed or looking.now()):
        with_companions = [companions] if file_format.archive or file_format.bag else []
        with _parsable_sources(source, name, file_format) as (source, plain_name):
            sniffed = file_format.sniff(
                source, plain_name, options, fixed_options, *with_companions
            )
    else:
        vocabulary = companions.vocabulary_of(name) if file_format.bag else None
        sniffed = sandbox.sniff(
            source, name, key, options, fixed_options, not file_format.sandboxed, vocabulary
        )
    return (
        replace(sniffed, options=replace(sniffed.options, html=fixed_options["html"]))
        if "html" in fixed_options
        else sniffed
    )


@contextlib.contextmanager
def _parsable_sources(
    source: Source, name: str, file_format: Format, html: bool = False
) -> Iterator[tuple[Source, str]]:
    """What a format's module in this process is given. What a library reads is here only in a
    worker process; of an archive's entry it gets a copy in memory. html: whether texts in it are
    HTML."""
    if not (file_format.sandboxed or html):
        yield source, name
        return
    with explain_errors(name, file_format.label), contextlib.ExitStack() as stack:
        if file_format.sandboxed and not isinstance(source, Descriptor):
            file = stack.enter_context(opened(source, name))
            source = stack.enter_context(contextlib.closing(Copy(file, name, MOST_COPIED)))
            name = plain(name)
        yield source, name


def read(
    source: Source | Member,
    name: str,
    options: Options,
    advance: Callable[[int], None],
    companions: Companions,
) -> Generator[Document | Problem, None, None]:
    with contextlib.closing(Reading(source, name, options, companions)) as reading:
        yield from reading.items(advance)


class Reading:
    """A file that is read: from `begin` on, else from its first item on. Whoever begins it and does
    not take all items closes it."""

    def __init__(
        self, source: Source | Member, name: str, options: Options, companions: Companions
    ):
        self.source = source
        self.name = name
        self.options = options
        self.companions = companions
        self.request: sandbox.Request | None = None
        self.read: Callable[[Callable[[int], None]], Iterator[Document | Problem]] | None = None
        self.error: Exception | None = None

    @property
    def can_wait(self) -> bool:
        """Whether the next ones can be begun before it is read: a file lies where it is, of an
        archive's entry a worker process must have a copy."""
        return isinstance(self.source, Path) or self.request is not None

    def begin(self) -> None:
        """Have a worker process read it from now on, where one does and there may be one more. What
        is wrong with it `items` raises."""
        if sandbox.spare() and not is_gzip(self.name):  # which may have to be unpacked before
            try:
                self.read = self._reader()
            except Exception as error:
                self.error = error

    def items(self, advance: Callable[[int], None]) -> Iterator[Document | Problem]:
        """Its documents in their order, and what is wrong with it. advance: is told of its bytes.
        Raises Unreadable."""
        if self.error:
            raise self.error
        read = self.read or self._reader()
        items = read(advance)
        position = None
        if not isinstance(self.source, Member):
            position = self.companions.position_of(self.name)
        yield from mets.placed(items, position) if position else items

    def close(self) -> None:
        """End the process that reads it, if there is one."""
        if self.request:
            self.request.close()

    def _reader(self) -> Callable[[Callable[[int], None]], Iterator[Document | Problem]]:
        """What yields its items. A worker process is asked for them here."""
        source = self.source
        name = self.name
        companions = self.companions
        if isinstance(source, Member):
            return partial(
                sandbox.read_archive, source.path, source.archive, source.format, self.options, name
            )
        if companions.bag_of(name):
            return partial(_nothing, source)
        if page := companions.page_of(name):
            return partial(_saved_with, source, name, page)
        key = format_of(source, name)
        file_format = FORMATS[key]
        options = self.options
        if file_format.columns and key != (options.entry or options.format):
            options = _refitted(source, name, options, companions)
        if file_format.archive and looking.now():
            return partial(sandbox.read_archive, source, name, key, options, "")
        bag = file_format.bag
        ours = file_format.archive or not (file_format.sandboxed or options.html)
        if (
            sandbox_process.now()
            or file_format.archive
            or (ours and not looking.now() and (bag or not _is_large(source)))
        ):
            with_companions = [companions] if bag or file_format.archive else []

            def items(advance: Callable[[int], None]) -> Iterator[Document | Problem]:
                with _parsable_sources(
                    source, name, file_format, options.html and not file_format.archive
                ) as (
                    plain_source,
                    plain_name,
                ):
                    yield from file_format.module.read(
                        plain_source, plain_name, options, advance, *with_companions
                    )

        else:
            self.request = sandbox.begin(
                source, name, key, options, ours, companions.vocabulary_of(name) if bag else None
            )
            items = self.request.documents
        # What comes as a descriptor is bounded by the process that sent it
        unbounded = (ours and not bag) or isinstance(source, Descriptor)
        return items if unbounded else lambda advance: _bound_items(items(advance), source, name)


class InTurn(Protocol):
    """What is read in its turn: a Reading, or what has one."""

    @property
    def can_wait(self) -> bool: ...
    def close(self) -> None: ...


Turn = TypeVar("Turn", bound=InTurn)


def in_order(turns: Iterator[Turn], limit: int | None = None) -> Generator[Turn, None, None]:
    """Each of what is begun as it is asked for, in this order, to be read before the next is taken:
    meanwhile worker processes read those behind it.

    One that can't wait is read before another is begun. What `turns` raises comes after those
    before it. limit: that are begun at once; None: as many as there may be worker processes.
    """
    waiting: deque[Turn] = deque()
    has_more = True
    failed = None
    limit = sandbox.processes() if limit is None else limit
    try:
        while has_more:
            try:
                waiting.append(next(turns))
            except StopIteration:
                has_more = False
            except Exception as error:
                has_more = False
                failed = error
            while waiting and not (
                has_more and waiting[-1].can_wait and sandbox.spare() and len(waiting) < limit
            ):
                yield waiting[0]
                waiting.popleft()
        if failed:
            raise failed
    finally:
        for turn in waiting:
            turn.close()


def _nothing(source: Source, advance: Callable[[int], None]) -> Iterator[Document | Problem]:
    """No documents of a vocabulary: its bag reads it."""
    advance(source.stat().st_size)
    yield from ()


def _saved_with(
    source: Source, name: str, page: str, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    """No documents of what a browser saved with a page."""
    advance(source.stat().st_size)
    name_of_page = page.rpartition("/")[2]
    message = f"“{name}” was saved with the page “{name_of_page}”; it was left out."
    yield Problem(name, "", message, True, "saved page")


def _is_large(source: Source) -> bool:
    """Whether a file is worth a process of its own that reads it beside what is done with its
    documents."""
    return isinstance(source, Path) and source.stat().st_size >= LARGE_BYTES


def _bound_items(
    items: Iterator[Document | Problem], source: Source, name: str
) -> Iterator[Document | Problem]:
    """The documents and problems, as long as the file can hold them: a spreadsheet, a Parquet file
    and a bag of words say a text once, and then how often. Raises Unreadable."""
    characters_left = max(NO_BOMB, MAX_RATIO * source.stat().st_size)
    for item in items:
        texts = (
            (item.title, item.text, *item.metadata.values())
            if isinstance(item, Document)
            else (item.message,)
        )
        characters_left -= isinstance(item, Document) + sum(map(len, texts))
        if characters_left < 0:
            raise Unreadable(
                f"“{name}” holds texts of more than {MAX_RATIO} times its size, as no file of texts"
                " does; those after them were left out."
            )
        yield item


_ABOUT = (
    "“{name}” is a table without texts beside files of texts, and was left out. If it is about the"
    " files, choose it as the table about them, and its column with their names."
)


def _refitted(source: Source, name: str, options: Options, companions: Companions) -> Options:
    """Options for a file of another format than they were made for: what it seems to be, and the
    chosen columns by their names."""
    fixed_options = {"encoding": options.encoding} if encoded(options) else {}
    preview = sniff(source, name, fixed_options, companions)
    sniffed = preview.options
    if options.column("text") not in sniffed.names:
        has_text_role = column_roles.is_text(sniffed.column("text") or "")
        wordy = column_roles.words(sniffed, preview.rows)
        if not options.names and not has_text_role and wordy < column_roles.FEW_WORDS:
            raise Unreadable.of("about", _ABOUT.format(name=name))
        return sniffed
    return replace(sniffed, **options.places(sniffed.names))
