"""ZIP archives."""

import contextlib
import itertools
import stat
import struct
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import IO, BinaryIO

import regex

from webapp.intake.file_formats import archive, encodings, looking
from webapp.intake.file_formats.base import (
    MAX_UNPACKED,
    Source,
    Unreadable,
    clean,
    is_gzip,
    opened,
    unreadable,
)
from webapp.intake.file_formats.companions import Companions
from webapp.intake.file_formats.even_order import even_order
from webapp.intake.file_formats.stream_copies import Copy, Sized

_NAMES = 100_000  # of entries, by which the encoding of all names is guessed
# Info-ZIP's field: a version, the checksum of the name as it stands, and the name in UTF-8
_UNICODE_PATH = 0x7075
_OTHER = {  # encodings of names on machines where ZIP's own has not their letters
    "cp932", "euc_jp", "gb18030", "big5hkscs", "cp949", "johab", "cp866", "cp1251", "koi8-r", "koi8-u", "iso8859-5", "mac_cyrillic", "cp852", "cp1250",
    "iso8859-2", "cp1253", "iso8859-7", "cp1254", "cp1255", "cp1256", "iso8859-6", "cp874", "cp1257",
}  # fmt: skip
_IDEOGRAPHIC = {"cp932", "euc_jp", "gb18030", "big5hkscs", "cp949"}
_SCORE_OF_NAMES = 0.3  # which `encodings.guess` must give them, at least
_EAST = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\u3000-\u303f\u30fb\u30fc\uff01-\uff60"
_FOREIGN = regex.compile(rf"[^\x00-\x7f{_EAST}]|[a-zA-Z][{_EAST}][a-zA-Z]")


# The list of entries at the end of a ZIP archive, read as it is gone through: zipfile would keep
# all of it in memory, some 650 bytes of each entry.
_RECORD = struct.Struct("<4s6H3I5H2I")  # APPNOTE.TXT 4.3.12: what stands before an entry's name
_MARK = b"PK\x01\x02"
_LENGTHS = struct.Struct("<3H")  # of what stands behind it: name, extra fields, comment
_LENGTHS_PLACE = 28  # in the record
# Entries that can be read in an even order: to find where they are takes some tenths of a second
MOST_SPREAD = 200_000
# Bytes of one entry's record with its name, extra fields and comment
_LARGEST_RECORD_BYTES = _RECORD.size + 3 * 0xFFFF
_PIECE_BYTES = 1 << 20  # bytes that are read at once
UTF8_NAMES = 0x800  # the flag of an entry whose name is UTF-8
_ZIP64 = 0x0001  # the extra field of sizes and places that need 64 bits
_FULL = 0xFFFF_FFFF  # what stands for them where they would be
_NEWEST = 63  # ten times the version that is needed to unpack an entry, of all that zipfile unpacks


class Directory(zipfile.ZipFile):
    """A ZIP archive whose entries are listed by `entries`, and opened by what that gives; by name
    there are none."""

    fp: BinaryIO  # until it is closed

    def _RealGetContents(self) -> None:
        """Find the list without reading it: what ZipFile calls this for. Raises BadZipFile where
        there is none."""
        end = zipfile._EndRecData(self.fp)  # type: ignore[attr-defined]  # None where there is none
        if not end:
            raise zipfile.BadZipFile("File is not a zip file")
        self._comment = end[zipfile._ECD_COMMENT]  # type: ignore[attr-defined]
        self.size = end[zipfile._ECD_SIZE]  # type: ignore[attr-defined]
        directory_offset = end[zipfile._ECD_OFFSET]  # type: ignore[attr-defined]
        self.shift = end[zipfile._ECD_LOCATION] - self.size - directory_offset  # type: ignore[attr-defined]
        if end[zipfile._ECD_SIGNATURE] == zipfile.stringEndArchive64:  # type: ignore[attr-defined]
            self.shift -= zipfile.sizeEndCentDir64 + zipfile.sizeEndCentDir64Locator  # type: ignore[attr-defined]
        # shift: bytes that stand before the archive, as a program that unpacks it
        self.start_dir = directory_offset + self.shift
        if self.start_dir < 0:
            raise zipfile.BadZipFile("Bad offset for central directory")

    def entries(self) -> Iterator[zipfile.ZipInfo]:
        """Each entry in the order of the list; others may be opened meanwhile. Raises BadZipFile,
        NotImplementedError and UnicodeDecodeError at the first one that is damaged."""
        for _, block, position in self._records():
            yield self._entry(block, position)

    def evenly_spread_entries(self) -> Iterator[zipfile.ZipInfo]:
        """The first MOST_SPREAD entries in an order of which every beginning is spread evenly over
        them. Raises as `entries`, after those before the one that is damaged."""
        places = array("Q")
        damage = None
        try:
            for place, _, _ in itertools.islice(self._records(), MOST_SPREAD):
                places.append(place)
        except zipfile.BadZipFile as error:
            damage = error
            places.pop()
        for i in even_order(len(places)):
            self.fp.seek(places[i])
            record = self.fp.read(_RECORD.size)
            record += self.fp.read(_record_bytes(record, 0) - _RECORD.size)
            yield self._entry(record, 0)
        if damage:
            raise damage

    def _records(self) -> Iterator[tuple[int, bytes, int]]:
        """Where each entry's record stands: in the file, and in a block of the list."""
        place = self.start_dir
        end = self.start_dir + self.size
        block = b""
        position = 0
        while place < end:
            if len(block) - position < min(_LARGEST_RECORD_BYTES, end - place):
                self.fp.seek(place)
                block = self.fp.read(min(max(_PIECE_BYTES, _LARGEST_RECORD_BYTES), end - place))
                position = 0
            yield place, block, position
            length = _record_bytes(block, position)
            place += length
            position += length

    def _entry(self, block: bytes, position: int) -> zipfile.ZipInfo:
        """The entry whose record stands there."""
        record_end = position + _record_bytes(block, position)
        (
            _,
            made_by,
            version,
            flags,
            method,
            _,
            _,
            crc,
            packed,
            size,
            *lengths,
            volume,
            internal,
            external,
            header_offset,
        ) = _RECORD.unpack_from(block, position)
        if version & 0xFF > _NEWEST:
            raise NotImplementedError(f"zip file version {(version & 0xFF) / 10:.1f}")
        if record_end > len(block):
            raise zipfile.BadZipFile("Truncated central directory")
        ends = list(itertools.accumulate(lengths, initial=position + _RECORD.size))
        name, extra, comment = (block[begin:end] for begin, end in itertools.pairwise(ends))
        info = zipfile.ZipInfo(name.decode("utf-8" if flags & UTF8_NAMES else "cp437"))
        info.create_system = made_by >> 8
        info.create_version = made_by & 0xFF
        info.extract_version = version & 0xFF
        info.flag_bits = flags
        info.compress_type = method
        info.CRC = crc
        info.extra = extra
        info.comment = comment
        info.volume = volume
        info.internal_attr = internal
        info.external_attr = external
        info.file_size, info.compress_size, header_offset = _wide(
            extra, size, packed, header_offset
        )
        info.header_offset = header_offset + self.shift
        return info


def _record_bytes(block: bytes, position: int) -> int:
    """How long the record is that stands there. Raises BadZipFile where none does."""
    if len(block) < position + _RECORD.size:
        raise zipfile.BadZipFile("Truncated central directory")
    if block[position : position + len(_MARK)] != _MARK:
        raise zipfile.BadZipFile("Bad magic number for central directory")
    return _RECORD.size + sum(_LENGTHS.unpack_from(block, position + _LENGTHS_PLACE))


def _wide(extra: bytes, *numbers: int) -> list[int]:
    """The numbers, those that need 64 bits from the extra field that holds them in this order
    (APPNOTE.TXT 4.5.3). Raises BadZipFile where it holds too few."""
    while len(extra) >= 4 and _FULL in numbers:
        kind, size = struct.unpack_from("<HH", extra)
        if kind == _ZIP64:
            wide = list(struct.unpack_from(f"<{min(size, len(extra) - 4) // 8}Q", extra, 4))
            if len(wide) < numbers.count(_FULL):
                raise zipfile.BadZipFile("Corrupt zip64 extra field")
            return [wide.pop(0) if number == _FULL else number for number in numbers]
        extra = extra[4 + size :]
    return list(numbers)


class ZipEntry(Sized):
    """An entry of an archive that is open. encoding: of names that do not say theirs."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, encoding: str):
        self.archive = archive
        self.info = info
        known_name = _known(info)
        self.name = clean(
            _raw(info).decode(encoding, "replace") if known_name is None else known_name
        )
        self.path = info.filename
        self.size = info.file_size
        self.packed = info.compress_size

    @property
    def refused(self) -> str | None:
        reasons = (
            (self.info.is_dir(), "is a folder"),
            (
                stat.S_IFMT(self.info.external_attr >> 16) not in (0, stat.S_IFREG),
                "is a link or a device, not a file",
            ),
            (self.info.flag_bits & 1, "is encrypted; pack it without a password"),
        )
        return next((why for applies, why in reasons if applies), None)

    def open(self, mode: str = "rb", buffering: int = 0) -> IO[bytes]:
        return self.archive.open(self.info)


def _raw(info: zipfile.ZipInfo) -> bytes:
    """An entry's name where it does not say what it is written in; the zipfile module has taken it
    for cp437."""
    return info.filename.encode("cp437", "replace")


def _known(info: zipfile.ZipInfo) -> str | None:
    """An entry's name. Where it is not marked as UTF-8 it is taken for it if it can be: most
    programs forget the mark. None where its encoding must be guessed."""
    if info.flag_bits & UTF8_NAMES or info.filename.isascii():
        return info.filename
    with contextlib.suppress(UnicodeError):
        return _said(info.extra, _raw(info)) or _raw(info).decode()
    return None


def _said(extra: bytes, raw: bytes) -> str | None:
    """The name in Unicode that some programs put beside it, where it is still the name of this
    entry."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        field = extra[4 : 4 + size]
        extra = extra[4 + size :]
        if (
            kind == _UNICODE_PATH
            and len(field) > 5
            and struct.unpack_from("<BL", field) == (1, zlib.crc32(raw))
        ):
            with contextlib.suppress(UnicodeError):
                return field[5:].decode()
    return None


def _encoding(infos: Iterable[zipfile.ZipInfo]) -> str:
    """In which the names are that are neither marked nor UTF-8: what they all read like, or cp437,
    which is ZIP's own."""
    names = b""
    # A list that is damaged: the entries before that are read
    with contextlib.suppress(Unreadable):
        for info in infos:
            if len(names) <= encodings.SAMPLE and _known(info) is None:
                names += _raw(info) + b"\n"
    if not names:
        return "cp437"
    guess = encodings.guess(names)
    if guess in _OTHER:
        return guess
    ideographic = encodings.guess(names, _SCORE_OF_NAMES)
    if ideographic in _IDEOGRAPHIC and _is_ideographic(names, ideographic):
        return ideographic
    return "cp437"  # Western names are from DOS, as ZIP is


def _is_ideographic(names: bytes, encoding: str) -> bool:
    """Whether names are of ideographs, kana or Hangul alone, apart from ASCII, and none of these is
    attached to a letter of ASCII: a few names have too few characters for their scores to say
    so."""
    try:
        text = names.decode(encoding)
    except UnicodeDecodeError:
        return False
    return not _FOREIGN.search(text)


@contextlib.contextmanager
def entries(
    source: Source, name: str, advance: Callable[[int], None], within: bool, spread: bool
) -> Iterator[archive.Listed]:
    """The entries of a ZIP file, and what stands beside the texts in it (archive.Listing). An
    archive within another, or one that is compressed once more, is copied first: its list of
    entries stands at its end."""
    with contextlib.ExitStack() as stack:
        with _damage(name):
            file: IO[bytes] = stack.enter_context(opened(source, name))
            if within or is_gzip(name):
                file = stack.enter_context(
                    contextlib.closing(Copy(file, name, MAX_UNPACKED))
                ).open()
            open_entries = _Entries(stack.enter_context(Directory(file)), name)

        def files() -> Iterator[tuple[Source, str]]:
            for entry in open_entries:
                yield entry, f"{name}/{entry.name}"

        in_order = open_entries.evenly_spread() if spread else iter(open_entries)
        yield archive.Listed(in_order, Companions(files), spread)


def _damage(name: str) -> contextlib.AbstractContextManager[None]:
    """Says what is wrong with the archive or its list of entries: Unreadable."""
    return unreadable(
        archive.DAMAGED,
        lambda error: (
            f"“{name}” is not a complete ZIP archive ({error}). Pack it again, or upload the files"
            " in it themselves."
        ),
    )


class _Entries:
    """Raises Unreadable where the list of entries can't be read on."""

    def __init__(self, directory: Directory, name: str):
        self.directory = directory
        self.name = name
        infos = self._checked(directory.entries())
        self.encoding = _encoding(itertools.islice(infos, _NAMES))

    def __iter__(self) -> Iterator[ZipEntry]:
        return self._entries_of(self.directory.entries())

    def evenly_spread(self) -> Iterator[ZipEntry]:
        return self._entries_of(self.directory.evenly_spread_entries())

    def _entries_of(self, infos: Iterator[zipfile.ZipInfo]) -> Iterator[ZipEntry]:
        return (ZipEntry(self.directory, info, self.encoding) for info in self._checked(infos))

    def _checked(self, infos: Iterator[zipfile.ZipInfo]) -> Iterator[zipfile.ZipInfo]:
        with _damage(self.name):
            for info in infos:
                looking.check()
                yield info


def _can_be_spread(source: Source, name: str) -> bool:
    """Whether the entries can be read in any order (archive.Archive)."""
    return True


ARCHIVE = archive.Archive("zip", entries, _can_be_spread)
