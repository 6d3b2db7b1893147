"""The list of entries at the end of a ZIP archive, read as it is gone through: zipfile would keep all of it in memory,
some 650 bytes of each entry."""

import struct
import zipfile
from collections.abc import Iterator
from typing import BinaryIO

_RECORD = struct.Struct("<4s6H3I5H2I")  # APPNOTE.TXT 4.3.12: what stands before an entry's name
_MARK = b"PK\x01\x02"
_LARGEST = _RECORD.size + 3 * 0xFFFF  # bytes of one entry's record with its name, extra fields and comment
_PIECE = 1 << 20  # bytes that are read at once
UTF8_NAMES = 0x800  # the flag of an entry whose name is UTF-8
_ZIP64 = 0x0001  # the extra field of sizes and places that need 64 bits
_FULL = 0xFFFF_FFFF  # what stands for them where they would be
_NEWEST = 63  # ten times the version that is needed to unpack an entry, of all that zipfile unpacks


class Directory(zipfile.ZipFile):
    """A ZIP archive whose entries are listed by `entries`, and opened by what that gives; by name there are none."""

    fp: BinaryIO  # until it is closed

    def _RealGetContents(self) -> None:
        """Find the list without reading it: what ZipFile calls this for. Raises BadZipFile where there is none."""
        end = zipfile._EndRecData(self.fp)  # type: ignore[attr-defined]  # None where there is none
        if not end:
            raise zipfile.BadZipFile("File is not a zip file")
        self._comment = end[zipfile._ECD_COMMENT]  # type: ignore[attr-defined]
        self.size, place = end[zipfile._ECD_SIZE], end[zipfile._ECD_OFFSET]  # type: ignore[attr-defined]
        self.shift = end[zipfile._ECD_LOCATION] - self.size - place  # type: ignore[attr-defined]
        if end[zipfile._ECD_SIGNATURE] == zipfile.stringEndArchive64:  # type: ignore[attr-defined]
            self.shift -= zipfile.sizeEndCentDir64 + zipfile.sizeEndCentDir64Locator  # type: ignore[attr-defined]
        self.start_dir = place + self.shift  # shift: bytes that stand before the archive, as a program that unpacks it
        if self.start_dir < 0:
            raise zipfile.BadZipFile("Bad offset for central directory")

    def entries(self) -> Iterator[zipfile.ZipInfo]:
        """Each entry in the order of the list; others may be opened meanwhile. Raises BadZipFile, NotImplementedError
        and UnicodeDecodeError at the first one that is damaged."""
        at, end = self.start_dir, self.start_dir + self.size
        piece, position = b"", 0
        while at < end:
            if len(piece) - position < _LARGEST:
                self.fp.seek(at)
                piece, position = self.fp.read(min(max(_PIECE, _LARGEST), end - at)), 0
            info, length = self._entry(piece, position)
            yield info
            at, position = at + length, position + length

    def _entry(self, piece: bytes, position: int) -> tuple[zipfile.ZipInfo, int]:
        """The entry whose record stands there, and the record's bytes."""
        if len(piece) < position + _RECORD.size:
            raise zipfile.BadZipFile("Truncated central directory")
        mark, made_by, version, flags, method, _, _, crc, packed, size, *lengths, volume, internal, external, place = (
            _RECORD.unpack_from(piece, position)
        )
        if mark != _MARK:
            raise zipfile.BadZipFile("Bad magic number for central directory")
        if version & 0xFF > _NEWEST:
            raise NotImplementedError(f"zip file version {(version & 0xFF) / 10:.1f}")
        fields, after = [], position + _RECORD.size
        for length in lengths:
            fields.append(piece[after : after + length])
            after += length
        if after > len(piece):
            raise zipfile.BadZipFile("Truncated central directory")
        name, extra, comment = fields
        info = zipfile.ZipInfo(name.decode("utf-8" if flags & UTF8_NAMES else "cp437"))
        info.create_system, info.create_version, info.extract_version = made_by >> 8, made_by & 0xFF, version & 0xFF
        info.flag_bits, info.compress_type, info.CRC, info.extra, info.comment = flags, method, crc, extra, comment
        info.volume, info.internal_attr, info.external_attr = volume, internal, external
        info.file_size, info.compress_size, place = _wide(extra, size, packed, place)
        info.header_offset = place + self.shift
        return info, after - position


def _wide(extra: bytes, *numbers: int) -> list[int]:
    """The numbers, those that need 64 bits from the extra field that holds them in this order (APPNOTE.TXT 4.5.3).
    Raises BadZipFile where it holds too few."""
    while len(extra) >= 4 and _FULL in numbers:
        kind, size = struct.unpack_from("<HH", extra)
        if kind == _ZIP64:
            wide = list(struct.unpack_from(f"<{min(size, len(extra) - 4) // 8}Q", extra, 4))
            if len(wide) < numbers.count(_FULL):
                raise zipfile.BadZipFile("Corrupt zip64 extra field")
            return [wide.pop(0) if number == _FULL else number for number in numbers]
        extra = extra[4 + size :]
    return list(numbers)
