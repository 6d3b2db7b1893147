"""Archives of files in the other formats, whatever packs them. Entries are read as streams: nothing
is unpacked to a path that the archive names. zips.py and tars.py list the entries; what is read of
them, and how much, is decided here."""

import contextlib
import gzip
import itertools
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial
from typing import IO, NamedTuple, Protocol

from webapp.intake.file_formats import column_roles, dispatch, formats, looking, sandbox_process
from webapp.intake.file_formats.base import (
    DETECT,
    MAX_RATIO,
    MAX_TEXT,
    MAX_UNPACKED,
    PREVIEW_CELL,
    PREVIEW_ROWS,
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    check_encoding,
    clean,
    common_encoding,
    guess_encoding,
    head,
    looks_like,
    nothing,
    unreadable,
)
from webapp.intake.file_formats.companions import Companions
from webapp.intake.file_formats.stream_copies import Stat

MAX_ENTRIES = 2_000_000
# Bytes of an entry, at most, that is unpacked while others are read: each lies on the disk till then
MOST_AHEAD_BYTES = 64 << 20
NO_BOMB_BYTES = 1 << 20  # bytes: what is smaller when unpacked is no bomb, whatever its ratio
PARTS = 24  # of what is wanted of an archive: an entry with many documents gives one at a time
# Bytes, unpacked, of the entries that are read in turn: they share the memory of one worker of the
# sandbox, and a format may need a multiple of its bytes
MOST_BEGUN_BYTES = 16 << 20
SAMPLE_ENTRIES = 50  # by which the encoding is guessed
_HEAD = 1 << 13  # bytes of each
# What reading damaged bytes raises, and nothing else does; and what may have other reasons, too
BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    struct.error,
)
DAMAGED = (*BROKEN, NotImplementedError, OSError, RuntimeError, ValueError)


class Entry(Protocol):
    """A file in an archive; a source of bytes, like a path."""

    name: str  # as it is shown
    path: str  # as the archive has it
    size: int  # bytes, unpacked
    packed: int  # bytes of it in the archive; 0 where that is not known: its format's module tells

    @property
    def refused(self) -> str | None:
        """Why it is no file that can be read, as the end of a sentence."""

    def open(self, mode: str = "rb", buffering: int = 0) -> IO[bytes]: ...
    def stat(self) -> Stat: ...


class Budget:
    """How much an archive may unpack to; one within another stays within both's."""

    def __init__(self, packed: int, outer: "Budget | None" = None):
        self.limit = min(MAX_UNPACKED, max(NO_BOMB_BYTES, MAX_RATIO * packed))
        self.spent = 0
        self.outer = outer

    def left(self) -> int:
        left = self.limit - self.spent
        return min(left, self.outer.left()) if self.outer else left

    def spend(self, count: int) -> None:
        self.spent += count
        if self.outer:
            self.outer.spend(count)


class Listed(NamedTuple):
    """An archive's entries. companions: of each other, what they are. is_spread: whether they come
    in an order of which every beginning is spread evenly, and each can be read after others; else
    they come in the archive's order, and each is gone when the next is asked for."""

    entries: Iterator[Entry]
    companions: Companions
    is_spread: bool = False


class Listing(Protocol):
    """How archives of one kind are listed: `entries` of webapp.intake.file_formats.zips and
    tars."""

    def __call__(
        self,
        source: Source,
        name: str,
        advance: Callable[[int], None],
        within: bool,
        spread: bool,
    ) -> contextlib.AbstractContextManager[Listed]:
        """The entries. advance: is told of bytes that the entries' `packed` does not count. within:
        whether the archive is an entry of another. spread: whether they are wanted in an even
        order, where that is cheap. Raises Unreadable."""


class Archive:
    """How archives of one kind are read, as the module of their format. key: of that format.
    can_be_spread: whether it is cheap to read the entries of an archive in any order."""

    def __init__(self, key: str, listing: Listing, can_be_spread: Callable[[Source, str], bool]):
        self.key = key
        self.listing = listing
        self.can_be_spread = can_be_spread

    def sniff(
        self,
        source: Source,
        name: str,
        options: Options,
        fixed_options: dict,
        companions: Companions,
    ) -> Sniff:
        with self._opened(source, name) as listed:
            return _sniff(listed.entries, name, self.key, fixed_options, listed.companions)

    def read(
        self,
        source: Source,
        name: str,
        options: Options,
        advance: Callable[[int], None],
        companions: Companions,
        budget: Budget | None = None,
    ) -> Iterator[Document | Problem]:
        """budget: of an archive within another."""
        limits = looking.spread_limits()
        is_within = budget is not None
        with self._opened(source, name, advance, is_within, limits is not None) as listed:
            budget = budget or Budget(source.stat().st_size)
            with contextlib.closing(_turns(listed, name, options, advance, budget)) as turns:
                if limits and listed.is_spread:
                    yield from _take_turns(turns, *limits)
                else:
                    yield from _in_their_order(turns)

    def files(self, source: Source, name: str) -> Iterator[tuple[Entry, str]]:
        """Each file in it, and its name with the archive's before it."""
        with self._opened(source, name) as listed:
            for entry in listed.entries:
                if entry.refused is None:
                    yield entry, f"{name}/{entry.name}"

    def _opened(
        self,
        source: Source,
        name: str,
        advance: Callable[[int], None] = nothing,
        within: bool = False,
        spread: bool = False,
    ) -> contextlib.AbstractContextManager[Listed]:
        if deep(name):
            raise Unreadable(
                f"“{name}” is an archive within an archive within an archive; it was left out."
                " Upload it by itself."
            )
        return self.listing(source, name, advance, within, spread)


def _sniff(
    entries: Iterator[Entry],
    name: str,
    file_format: str,
    fixed_options: dict,
    companions: Companions,
) -> Sniff:
    """What the first entry seems to be that can be read; of plain texts, a preview of several.
    Entries whose names have no ending count where there is no other."""
    first = None
    bare = {}
    # Those whose rows have few words, as lists of users and of channels have beside messages
    tables: list[tuple[float, Sniff]] = []
    for entry in itertools.islice(entries, MAX_ENTRIES):
        looking.check()
        inside = f"{name}/{entry.name}"
        why = _refusal(entry) or _of_page(inside, companions)
        if first is None and why != "is a folder":
            first = f"Its first entry {why}." if why else "Its first entry can't be read."
        if why or inside == fixed_options.get("without"):  # a table about the others
            continue
        if died := sandbox_process.passed_over(inside):
            first = died
            continue
        sandbox_process.reads(inside)
        try:
            if formats.bare(entry.name):
                if looks_like(entry, entry.name) is None:
                    bare[entry.name] = head(entry, entry.name, _HEAD)
                if len(bare) == SAMPLE_ENTRIES:
                    break
                continue
            if formats.by_name(entry.name) == "text" and not companions.bag_of(inside):
                return _sniff_texts(
                    itertools.chain([entry], itertools.islice(entries, SAMPLE_ENTRIES)),
                    file_format,
                    fixed_options,
                )
            sniffed = dispatch.sniff(entry, inside, fixed_options, companions)
            if not sniffed.columns or column_roles.has_texts(sniffed.options, sniffed.rows):
                return _of_entry(sniffed, file_format)
            tables.append((column_roles.words(sniffed.options, sniffed.rows), sniffed))
            if len(tables) == SAMPLE_ENTRIES:
                break
        except (Unreadable, *DAMAGED) as error:
            first = f"{error}"
    if tables:
        return _of_entry(max(tables, key=lambda table: table[0])[1], file_format)
    if bare:
        return _of_samples(bare, file_format, fixed_options)
    raise Unreadable(
        f"“{name}” holds no file that can be read. {first or 'It is empty.'} {formats.sentence()}"
    )


def _of_entry(sniffed: Sniff, file_format: str) -> Sniff:
    """What an archive seems to be by one of its entries."""
    options = replace(
        sniffed.options,
        format=file_format,
        entry=sniffed.options.entry or sniffed.options.format,
    )
    return replace(sniffed, options=options)


def _sniff_texts(entries: Iterator[Entry], file_format: str, fixed_options: dict) -> Sniff:
    samples = {}
    with contextlib.suppress(Unreadable):  # an archive that ends too soon
        for entry in entries:
            with contextlib.suppress(Unreadable, *DAMAGED):
                if formats.by_name(entry.name) == "text" and _refusal(entry) is None:
                    samples[entry.name] = head(entry, entry.name, _HEAD)
    return _of_samples(samples, file_format, fixed_options)


def _of_samples(samples: dict[str, bytes], file_format: str, fixed_options: dict) -> Sniff:
    own_encodings = {name: guess_encoding(sample) for name, sample in samples.items()}
    encoding = check_encoding(
        fixed_options.get("encoding") or common_encoding(samples.values(), own_encodings.values())
    )
    rows = []
    for name, sample in itertools.islice(samples.items(), PREVIEW_ROWS):
        decoded_by = own_encodings[name] if encoding == DETECT else encoding
        text = clean(sample.decode(decoded_by, "replace"))
        rows.append([f"{name}: {text}"[:PREVIEW_CELL]])
    return Sniff(Options(format=file_format, entry="text", encoding=encoding), [], rows)


def _refusal(entry: Entry) -> str | None:
    """Why an entry is not read, as the end of a sentence; None for an entry that is."""
    leads_out = _leads_out(entry.path.replace("\\", "/"))
    leads_out = leads_out or ".." in entry.name.replace("\\", "/").split("/")
    file_format = formats.by_name(entry.name)
    reasons = (
        (entry.refused, entry.refused),
        (leads_out, "has a path that leads out of the archive"),
        (is_system(entry.name), "is a note of the system, not a document"),
        (file_format is None, _say_unknown(entry.name)),
        (
            file_format == "text" and entry.size > 4 * MAX_TEXT,
            f"is longer than {MAX_TEXT:,} characters",
        ),
        (
            entry.packed and entry.size > max(NO_BOMB_BYTES, MAX_RATIO * entry.packed),
            f"unpacks to more than {MAX_RATIO} times its size, as no text does",
        ),
    )
    return next((why for applies, why in reasons if applies), None)


def _leads_out(path: str) -> bool:
    folders = path.split("/")
    on_a_drive = len(folders[0]) == len("C:") and folders[0].endswith(":")
    return ".." in folders or path.startswith("/") or on_a_drive


def _say_unknown(name: str) -> str:
    instead = formats.instead(name)
    if instead is None:
        return "has a file extension that Topograph does not know"
    return f"is of a format that Topograph can't read ({instead.rstrip('.')})"


def _of_page(inside: str, companions: Companions) -> str | None:
    """Why what a browser saved with a page is not read, as the end of a sentence."""
    page = companions.page_of(inside)
    return f"was saved with the page “{page.rpartition('/')[2]}”; it was left out" if page else None


def is_system(name: str) -> bool:
    """Whether an entry is a note of the system that packed the archive, by its name there."""
    parts = name.split("/")
    return (
        parts[0] == "__MACOSX"
        or parts[-1].startswith("._")
        or parts[-1] in (".DS_Store", "Thumbs.db", "desktop.ini")
    )


class _Step:
    """An entry's turn: what is said of it before it is read, and what reads it, if anything
    does."""

    def __init__(self, inside: str, progress: "_Progress"):
        self.inside = inside
        self.size = progress.entry.size
        self.progress = progress
        self.said: list[Problem] = []
        self.read: Callable[[], Iterator[Document | Problem]] | None = None
        self.reading: dispatch.Reading | None = None

    @property
    def can_wait(self) -> bool:
        """Whether the entries behind it can be looked at first: a worker process reads it, or
        nothing does."""
        return self.read is None or (self.reading is not None and self.reading.can_wait)

    def say(self, sentence: str, dropped: bool, kind: str = "") -> None:
        kind = kind or ("file" if dropped else "")
        self.said.append(Problem(self.inside, "", sentence, dropped, kind))

    def items(self) -> Generator[Document | Problem, None, None]:
        """Its documents. What is wrong with it does not end the archive."""
        yield from self.said
        try:
            if self.read:
                sandbox_process.reads(self.inside)
                yield from self.read()
        except Unreadable as error:
            yield Problem(self.inside, "", str(error), True, error.kind)
        except DAMAGED as error:
            sentence = (
                f"“{self.inside}” is damaged ({error or 'it ends too soon'}); what follows in it"
                " was left out. Pack the archive again."
            )
            yield Problem(self.inside, "", sentence, True, "file")
        self.progress.finish()

    def close(self) -> None:
        if self.reading:
            self.reading.close()


def _in_their_order(turns: Iterator[_Step]) -> Iterator[Document | Problem]:
    for step in turns:
        yield from step.items()


class _Begun:
    """An entry with many documents, of which some are read after those of others."""

    def __init__(self, step: _Step):
        self.step = step
        step.progress.waits = True
        self.items = step.items()
        self.given = 0  # items
        self.read_bytes = 0  # of the documents that were given
        self.ended = False

    def read_on(self, characters: int, documents: int) -> Iterator[Document | Problem]:
        """Its next items, up to so many characters or documents."""
        sandbox_process.reads(self.step.inside)
        for item in self.items:
            self.given += 1
            yield item
            if isinstance(item, Document):
                characters -= len(item.text)
                documents -= 1
                self.read_bytes += len(item.text.encode("utf-8", "replace"))
            if characters <= 0 or documents <= 0:
                self.step.progress.has_used(self.read_bytes)
                return
        self.ended = True

    def read_again(self) -> Iterator[Document | Problem]:
        """What it holds behind the items that it gave before it was closed."""
        yield from itertools.islice(self.step.items(), self.given, None)

    def close(self) -> None:
        self.items.close()


def _take_turns(
    turns: Iterator[_Step], characters: int, documents: int
) -> Iterator[Document | Problem]:
    """The documents of an archive's entries, of which about so many are wanted: of an entry with
    many some at a time, in turn with the others, so that each has its part of them."""
    part = (max(1, characters // PARTS), max(1, documents // PARTS))
    begun: deque[_Begun] = deque()
    closed: list[_Begun] = []  # that gave one part: there was no room for them
    try:
        for step in turns:
            # Outside the sandbox each entry that is begun may have a process of its own
            is_whole = formats.single(step.inside) or not sandbox_process.now()
            if is_whole or len(begun) + len(closed) == PARTS:
                yield from step.items()
                continue
            entry = _Begun(step)
            bytes_of_begun = sum(other.step.size for other in begun)
            has_room = not begun or bytes_of_begun + step.size <= MOST_BEGUN_BYTES
            begun.append(entry)
            yield from entry.read_on(*part)
            if entry.ended or not has_room:
                begun.pop()
                entry.close()
            if not entry.ended and not has_room:
                closed.append(entry)
        while begun:
            yield from begun[0].read_on(*part)
            if begun[0].ended:
                begun.popleft()
            else:
                begun.rotate(-1)
        for entry in closed:
            yield from entry.read_again()
    finally:
        for entry in begun:
            entry.close()


def _turns(
    listed: Listed,
    name: str,
    options: Options,
    advance: Callable[[int], None],
    budget: Budget,
) -> Generator[_Step, None, None]:
    """An archive's entries, each to be read before the next is asked for, while worker processes
    read the next ones where they can."""

    def steps() -> Iterator[_Step]:
        seen: set[int] = set()  # hashes of names: two million names would fill the memory
        for count, entry in enumerate(listed.entries):
            if count == MAX_ENTRIES:
                raise Unreadable(
                    f"“{name}” holds more than {MAX_ENTRIES:,} entries; those after them were left"
                    " out. Split it."
                )
            step = _Step(f"{name}/{entry.name}", _Progress(entry, advance))
            of_page = None if entry.refused else _of_page(step.inside, listed.companions)
            why = of_page or _refusal(entry)
            if why is None and entry.size > budget.left():
                why = (
                    f"makes the archive unpack to more than {budget.limit / 1e9:,.3g} GB,"
                    f" {MAX_RATIO} times its size or the most that can be read"
                )
            if why:
                if of_page:
                    step.say(f"“{entry.name}” in “{name}” {why}.", dropped=True, kind="saved page")
                elif why != "is a folder" and not is_system(entry.name):
                    step.say(f"“{entry.name}” in “{name}” {why}; it was left out.", dropped=True)
            else:
                if hash(entry.path) in seen:
                    step.say(
                        f"“{entry.name}” is in “{name}” more than once; each is read.",
                        dropped=False,
                    )
                seen.add(hash(entry.path))
                budget.spend(entry.size)
                _begin(step, entry, options, listed.companions, budget)
            yield step

    # The entries of which nothing is read count, too
    return dispatch.in_order(steps(), 100)


def _begin(
    step: _Step, entry: Entry, options: Options, companions: Companions, budget: Budget
) -> None:
    inside = step.inside
    empty = "" if entry.size else f"“{inside}” has no text in it; it was left out."
    if why := sandbox_process.passed_over(inside) or empty:
        step.say(why, dropped=True)
        return
    file_format = formats.format_of(inside)
    if file_format.archive:
        step.read = partial(
            file_format.module.read,
            entry,
            inside,
            options,
            step.progress,
            companions,
            Budget(entry.size, budget),
        )
        return
    step.reading = dispatch.Reading(entry, inside, options, companions)
    step.read = partial(step.reading.items, step.progress)
    if entry.size <= MOST_AHEAD_BYTES and not looking.now():
        step.reading.begin()


@contextlib.contextmanager
def entry(source: Source, name: str, inside: str) -> Iterator[Source]:
    """One file in an archive. name: the archive's; inside: the file's, with the archive's before
    it. Raises Unreadable where the archive does not hold it, or is damaged there."""
    with contextlib.closing(formats.format_of(name).module.files(source, name)) as entries:
        entry_inside = next((entry for entry, its_name in entries if its_name == inside), None)
        if entry_inside is None:
            raise Unreadable(f"“{name}” does not hold “{inside}”.")
        with unreadable(
            BROKEN,
            lambda error: (
                f"“{inside}” can't be read, as its archive is damaged"
                f" ({str(error) or 'it ends too soon'}). Pack it again."
            ),
        ):
            yield entry_inside


def deep(name: str) -> bool:
    """Whether a name is that of an archive within an archive within an archive."""
    return (
        sum(
            formats.by_name(part) in ("zip", "tar")
            for part in name.replace("\\", "/").split("/")[:-1]
        )
        > 1
    )


class _Progress:
    """Tells of an entry's bytes as they are in the archive, while those that come out of it are
    counted."""

    def __init__(self, entry: Entry, advance: Callable[[int], None]):
        self.entry = entry
        self.advance = advance
        self.out = 0
        self.told = 0
        # Whether others are read before its end: then of what was read ahead nothing is told
        self.waits = False

    def __call__(self, count: int) -> None:
        self.out += count
        if not self.waits:
            self._tell(self.out)

    def has_used(self, count: int) -> None:
        """So many bytes are those of documents that were given."""
        self._tell(min(count, self.out))

    def _tell(self, count: int) -> None:
        total = min(self.entry.packed * count // max(1, self.entry.size), self.entry.packed)
        if total > self.told:
            self.advance(total - self.told)
            self.told = total

    def finish(self) -> None:
        self._tell(max(1, self.entry.size))
