"""tar archives, compressed by gzip or not. They are read once from their beginning; each entry is
copied, so that it can be looked at before it is read."""

import contextlib
import itertools
import tarfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import IO

from webapp.intake.file_formats import archive, looking
from webapp.intake.file_formats.base import (
    MAX_UNPACKED,
    Descriptor,
    Source,
    Unreadable,
    clean,
    is_gzip,
    opened,
    unpacked,
    unpacked_size,
)
from webapp.intake.file_formats.companions import Companions, is_bag, is_page, is_vocabulary
from webapp.intake.file_formats.even_order import even_order
from webapp.intake.file_formats.mets import is_mets
from webapp.intake.file_formats.stream_copies import Copy, Sized

# Bytes of an entry's names and attributes together: tarfile keeps them in memory
MAX_HEADER = 1 << 20
# Bytes of an archive, when unpacked, that is copied, so that its entries can be read in any order:
# half a second, and a part of what a process of the sandbox may have in memory
MOST_SPREAD_BYTES = looking.BEGINNING
MOST_HEADERS = 16  # of one entry: they are nested, a call in a call
_HEADERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)


class _Info(tarfile.TarInfo):
    """An entry whose header can neither fill the memory nor lead astray: tarfile believes every
    number in it."""

    most = MAX_UNPACKED  # bytes that an entry can have: `members` says it

    @classmethod
    def fromtarfile(cls, tar):
        """tarfile would take a damaged header for the end, and what follows would be lost without a
        word."""
        try:
            return super().fromtarfile(tar)
        except tarfile.InvalidHeaderError as error:  # type: ignore[attr-defined]  # typeshed lacks it
            raise tarfile.ReadError(str(error)) from None

    def _proc_member(self, tar):
        if self.type in _HEADERS:
            self._spend(tar, "header", max(self.size, MAX_HEADER // MOST_HEADERS))
            if self.type == tarfile.XGLTYPE:  # for all entries that follow
                self._spend(tar, "kept", self.size)
        else:
            tar.header = 0
        return super()._proc_member(tar)  # type: ignore[misc]  # typeshed lacks it

    @staticmethod
    def _spend(tar, subject: str, count: int) -> None:
        setattr(tar, subject, getattr(tar, subject, 0) + count)
        if getattr(tar, subject) > MAX_HEADER:
            raise tarfile.HeaderError("an entry's header is longer than any is")

    def _block(self, count: int) -> int:
        """What is read or passed over at once: here every size comes by."""
        if not 0 <= count <= self.most:
            raise tarfile.HeaderError(
                f"an entry says that it has {count:,} bytes, which can't be in the archive"
            )
        return super()._block(count)  # type: ignore[misc]  # typeshed lacks it

    def _proc_sparse(self, tar):
        """Passes over the map of a file with holes: such a file is not read."""
        goes_on = self._sparse_structs[1]  # type: ignore[attr-defined]  # typeshed lacks it
        while goes_on:
            self._spend(tar, "header", tarfile.BLOCKSIZE)
            goes_on = tar.fileobj.read(tarfile.BLOCKSIZE)[504]
        self.sparse = []  # type: ignore[assignment]  # typeshed has bytes, tarfile a list
        self.offset_data = tar.fileobj.tell()
        tar.offset = self.offset_data + self._block(self.size)
        return self

    def _mark_sparse(self, entry, *_) -> None:
        """Notes that a file has holes, where the map of them has another form: it is not read,
        either."""
        entry.sparse = []

    _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _mark_sparse


def members(file: IO[bytes], limit: int) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """What a tar file holds, in its order. limit: bytes that one entry can have.

    Raises tarfile.TarError whatever is wrong: tarfile itself meets hostile headers with exceptions
    of any kind.
    """
    try:
        with tarfile.open(
            fileobj=file, mode="r|", tarinfo=type("Info", (_Info,), {"most": limit})
        ) as tar:
            while info := tar.next():
                # A list of all that was read.
                tar.members = []  # type: ignore[attr-defined]  # typeshed lacks it
                info._block(info.size)  # type: ignore[attr-defined]  # of _Info
                looking.check()
                yield tar, info
    except (Unreadable, looking.Exhausted, tarfile.TarError):
        raise
    except Exception as error:
        raise tarfile.ReadError(str(error) or type(error).__name__) from error


class _Entry(Sized):
    packed = 0  # opened() counts the archive's own bytes

    def __init__(self, tar: tarfile.TarFile, info: tarfile.TarInfo):
        self.tar = tar
        self.info = info
        self.copy: Copy | None = None
        self.path = info.name
        self.name = _name_of(info)
        self.size = 0 if info.isdir() else info.size

    @property
    def refused(self) -> str | None:
        return _refusal(self.info)

    def open(self, mode: str = "rb", buffering: int = 0) -> IO[bytes]:
        if self.copy is None:
            self.copy = self.copied(to_the_end=False)
        return self.copy.open()

    def copied(self, to_the_end: bool) -> Copy:
        """A copy of its bytes, made at once (`to_the_end`) or as they are asked for. Raises
        Unreadable for what is no file."""
        if (file := self.tar.extractfile(self.info)) is None:
            raise Unreadable(f"“{self.name}” is no file.")
        return Copy(file, self.name, MAX_UNPACKED, to_the_end)

    def close(self) -> None:
        if self.copy is not None:
            self.copy.close()


def _name_of(info: tarfile.TarInfo) -> str:
    """As it is shown."""
    name = info.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return clean(name.removeprefix("./"))


def _refusal(info: tarfile.TarInfo) -> str | None:
    """Why it is no file that can be read, as the end of a sentence."""
    if info.isreg() and not info.issparse():
        return None
    return "is a folder" if info.isdir() else "is a link or a device, not a file"


class _EntryOfCopy(Sized):
    """An entry that is read from a copy of the archive, in any order."""

    def __init__(self, copy: Copy, info: tarfile.TarInfo, packed: int):
        self.copy = copy
        self.begin = info.offset_data
        self.path = info.name
        self.name = _name_of(info)
        self.size = 0 if info.isdir() else info.size
        self.packed = packed
        self.refused = _refusal(info)

    def open(self, mode: str = "rb", buffering: int = 0) -> IO[bytes]:
        return self.copy.open_stretch(self.begin, self.begin + self.size)


@contextlib.contextmanager
def entries(
    source: Source, name: str, advance: Callable[[int], None], within: bool, spread: bool
) -> Iterator[archive.Listed]:
    """The entries of a tar file, and what stands beside the texts in it (archive.Listing)."""
    companions = _companions(source, name)
    with contextlib.ExitStack() as stack:
        found = _entries_of_copy(source, name, stack) if spread else None
        if found is not None:
            in_order = (found[place] for place in even_order(len(found)))
            yield archive.Listed(in_order, companions, is_spread=True)
            return
        open_entries = stack.enter_context(contextlib.closing(_entries(source, name, advance)))
        yield archive.Listed(open_entries, companions)


def _entries_of_copy(
    source: Source, name: str, stack: contextlib.ExitStack
) -> list[_EntryOfCopy] | None:
    """All entries of an archive of which a copy is made, in its order; None where it is too large
    or damaged. stack: closes the copy."""
    if not _can_be_spread(source, name):
        return None
    try:
        with opened(source, name) as file:
            copy = stack.enter_context(contextlib.closing(Copy(file, name, MOST_SPREAD_BYTES)))
        packed_share = source.stat().st_size / max(1, copy.size)
        return [
            _EntryOfCopy(copy, info, round(info.size * packed_share))
            for _, info in members(copy.open_stretch(0, copy.size), copy.size)
        ]
    except (Unreadable, tarfile.TarError):
        return None


def _entries(
    source: Source, name: str, advance: Callable[[int], None] = lambda n: None
) -> Generator[_Entry, None, None]:
    read = 0
    with opened(source, name, advance) as file:
        try:
            for tar, info in members(file, unpacked(source, name)):
                read += 1
                with contextlib.closing(_Entry(tar, info)) as entry:
                    yield entry
        except tarfile.TarError as error:
            why = (
                f"is damaged after entry {read:,} ({error}); what follows was left out"
                if read
                else f"is not a tar archive, or is damaged ({error})"
            )
            raise Unreadable(f"“{name}” {why}. Pack it again.") from None


class _EntryByNumber(Sized):
    """An entry that is read after others: the archive is read from its beginning for it."""

    def __init__(self, source: Source, name: str, number: int, size: int):
        self.source = source
        self.name = name
        self.number = number
        self.size = size

    def open(self, mode: str = "rb", buffering: int = 0) -> IO[bytes]:
        with contextlib.closing(_entries(self.source, self.name)) as entries:
            return (
                next(itertools.islice(entries, self.number, None))
                .copied(to_the_end=True)
                .open_once()
            )


def _companions(source: Source, name: str) -> Companions:
    """Bags of words, vocabularies, pages and METS among the entries, by reading the archive once
    more."""

    def files() -> Iterator[tuple[_EntryByNumber, str]]:
        with contextlib.closing(_entries(source, name)) as entries:
            for number, entry in enumerate(entries):
                inside = f"{name}/{entry.name}"
                if entry.refused is None and (
                    is_bag(inside) or is_vocabulary(inside) or is_page(inside) or is_mets(inside)
                ):
                    yield _EntryByNumber(source, name, number, entry.size), inside

    return Companions(files)


def _can_be_spread(source: Source, name: str) -> bool:
    """Whether a copy of all of it is small (archive.Archive); not known of what is compressed in
    another archive."""
    if is_gzip(name) and not isinstance(source, (Path, Descriptor)):
        return False
    return unpacked_size(source, name) <= MOST_SPREAD_BYTES


ARCHIVE = archive.Archive("tar", entries, _can_be_spread)
