"""ZIP archives."""

import contextlib
import itertools
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import IO

from webapp.readers import archive, encodings, looking
from webapp.readers.archive import DAMAGED
from webapp.readers.companions import Companions
from webapp.readers.copies import Copy, Stat
from webapp.readers.model import Unreadable
from webapp.readers.opening import MAX_UNPACKED, Source, clean, is_gzip, opened
from webapp.readers.zip_directory import UTF8_NAMES, Directory

_NAMES = 100_000  # of entries, by which the encoding of all names is guessed
_UNICODE_PATH = 0x7075  # Info-ZIP's field: a version, the checksum of the name as it stands, and the name in UTF-8
_OTHER = {  # encodings of names on machines where ZIP's own has not their letters
    "cp932", "euc_jp", "gb18030", "big5hkscs", "cp949", "johab", "cp866", "cp1251", "koi8-r", "koi8-u", "iso8859-5", "mac_cyrillic", "cp852", "cp1250",
    "iso8859-2", "cp1253", "iso8859-7", "cp1254", "cp1255", "cp1256", "iso8859-6", "cp874", "cp1257",
}  # fmt: skip


class _Entry:
    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, encoding: str):
        self.archive, self.info = archive, info
        self.path, self.name = info.filename, _shown(info, encoding)
        self.size, self.packed = info.file_size, info.compress_size

    @property
    def refused(self) -> str | None:
        if self.info.is_dir():
            return "is a folder"
        if stat.S_IFMT(self.info.external_attr >> 16) not in (0, stat.S_IFREG):
            return "is a link or a device, not a file"
        if self.info.flag_bits & 1:
            return "is encrypted; pack it without a password"
        return None

    def open(self, mode: str = "rb", buffering: int = 0) -> IO[bytes]:
        return self.archive.open(self.info)

    def stat(self) -> Stat:
        return Stat(self.size)


def _raw(info: zipfile.ZipInfo) -> bytes | None:
    """An entry's name where it does not say what it is written in; the zipfile module has taken it for cp437."""
    return None if info.flag_bits & UTF8_NAMES else info.filename.encode("cp437", "replace")


def _shown(info: zipfile.ZipInfo, encoding: str) -> str:
    """An entry's name. Where it is not marked as UTF-8 it is taken for it if it can be: most programs forget the
    mark."""
    raw = _raw(info)
    if raw is None or raw.isascii():
        return clean(info.filename)
    if own := _said(info.extra, raw):
        return clean(own)
    try:
        return clean(raw.decode())
    except UnicodeError:
        return clean(raw.decode(encoding, "replace"))


def _said(extra: bytes, raw: bytes) -> str | None:
    """The name in Unicode that some programs put beside it, where it is still the name of this entry."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == _UNICODE_PATH and len(field) > 5 and struct.unpack_from("<BL", field) == (1, zlib.crc32(raw)):
            with contextlib.suppress(UnicodeError):
                return field[5:].decode()
    return None


def _encoding(infos: Iterable[zipfile.ZipInfo]) -> str:
    """In which the names are that are neither marked nor UTF-8: what they all read like, or cp437, which is ZIP's
    own."""
    names, size = [], 0
    with contextlib.suppress(Unreadable):  # a list that is damaged: the entries before that are read
        for info in infos:
            raw = _raw(info)
            if raw is None or raw.isascii() or _said(info.extra, raw):
                continue
            try:
                raw.decode()
            except UnicodeError:
                names.append(raw)
                size += len(raw)
                if size > encodings.SAMPLE:
                    break
    if not names:
        return "cp437"
    guess = encodings.guess(b"\n".join(names))
    return guess if guess in _OTHER else "cp437"  # Western names are from DOS, as ZIP is


@contextlib.contextmanager
def entries(
    source: Source, name: str, advance: Callable[[int], None], within: bool
) -> Iterator[tuple[Iterator[_Entry], Companions]]:
    """As webapp.readers.archive asks. An archive within another, or one that is compressed once more, is copied first: its
    list of entries stands at its end."""
    with contextlib.ExitStack() as stack:
        with _damage(name):
            file: IO[bytes] = stack.enter_context(opened(source, name))
            if within or is_gzip(name):
                copy = Copy(file, name, MAX_UNPACKED)
                stack.callback(copy.close)
                file = copy.open()
            listed = _Entries(stack.enter_context(Directory(file)), name)
        yield iter(listed), Companions(lambda: ((entry, f"{name}/{entry.name}") for entry in listed))


@contextlib.contextmanager
def _damage(name: str) -> Iterator[None]:
    """Says what is wrong with the archive or its list of entries: Unreadable."""
    try:
        yield
    except DAMAGED as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable(
            f"“{name}” is not a complete ZIP archive ({error}). Pack it again, or upload the files in it themselves."
        ) from None


class _Entries:
    """Raises Unreadable where the list of entries can't be read on."""

    def __init__(self, directory: Directory, name: str):
        self.directory, self.name = directory, name
        self.encoding = _encoding(itertools.islice(self._infos(), _NAMES))

    def __iter__(self) -> Iterator[_Entry]:
        return (_Entry(self.directory, info, self.encoding) for info in self._infos())

    def _infos(self) -> Iterator[zipfile.ZipInfo]:
        infos = self.directory.entries()
        while True:
            with _damage(self.name):
                info = next(infos, None)
            if info is None:
                return
            looking.check()
            yield info


READER = archive.Archive("zip", entries)
