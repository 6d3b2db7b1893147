"""The list of a ZIP archive's entries: as zipfile reads it, without its memory."""

import io
import struct
import tracemalloc
import zipfile

import pytest

from tests.webapp.intake.file_formats.reading import zipped
from webapp.intake import file_formats
from webapp.intake.file_formats.base import Unreadable
from webapp.intake.file_formats.zips import Directory

OPTIONS = file_formats.Options(format="zip", entry="text", encoding="utf-8")


@pytest.mark.parametrize("said", [10_000, 3])
def test_a_list_of_many_entries_is_not_kept_in_memory(tmp_path, said):
    """Whatever number of them the archive says: zipfile would take 5 MB for these."""
    list(
        file_formats.read(
            zipped(tmp_path, [("a.txt", "what is imported once is not counted")]), "a.zip", OPTIONS
        )
    )
    path = tmp_path / "stored"
    with zipfile.ZipFile(path, "w") as file:
        for i in range(10_000):
            file.writestr(f"{i}.txt", b"")
        file.writestr("last.txt", b"a few words")
    content = bytearray(path.read_bytes())
    content[-14:-10] = said.to_bytes(2, "little") * 2
    path.write_bytes(content)
    del content
    most = []
    while len(most) < 3 and min(most, default=4_500_000) >= 4_500_000:
        # it counts what every thread of this process allocates: the least of three readings
        tracemalloc.start()
        documents = [
            item
            for item in file_formats.read(path, "a.zip", OPTIONS)
            if isinstance(item, file_formats.Document)
        ]
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert [document.text for document in documents] == ["a few words"] and min(most) < 4_500_000


def test_the_list_is_read_as_zipfile_reads_it(tmp_path):
    path = tmp_path / "stored"
    with path.open("wb") as file:
        file.write(b"a program that unpacks it " * 100)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.comment = b"ours"
            for name in ("a.txt", "folder/", "folder/Übung.txt", "x" * 60_000):
                packed.writestr(name, b"words " * 50)
            with packed.open("large.txt", "w", force_zip64=True) as entry:
                entry.write(b"words")
            info = zipfile.ZipInfo("with a comment")
            info.comment = b"of mine"
            info.extra = struct.pack("<HH3s", 0x1234, 3, b"abc")
            info.external_attr = 0o100644 << 16
            packed.writestr(info, b"more")
    compared = (
        "filename orig_filename flag_bits compress_type CRC extra comment create_system"
        " external_attr compress_size file_size header_offset".split()
    )
    with zipfile.ZipFile(path) as theirs, Directory(path) as ours:
        expected = [[getattr(info, field) for field in compared] for info in theirs.infolist()]
        assert [[getattr(info, field) for field in compared] for info in ours.entries()] == expected
        assert [ours.open(info).read() for info in ours.entries()] == [
            theirs.read(info) for info in theirs.infolist()
        ]


def test_sizes_that_need_64_bits(tmp_path):
    """The numbers stand in an extra field, those that are too large for their places and no
    others."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a.txt", b"words")
    content = packed.getvalue()
    at = content.index(b"PK\x01\x02")
    record = bytearray(content[at : content.index(b"PK\x05\x06")])
    record[20:28] = b"\xff" * 8  # packed and unpacked
    record[30:32] = (20).to_bytes(2, "little")
    record += struct.pack("<HHQQ", 1, 16, 6 << 32, 5 << 32)
    path = tmp_path / "stored"
    end = bytearray(content[content.index(b"PK\x05\x06") :])
    end[12:16] = len(record).to_bytes(4, "little")
    path.write_bytes(content[:at] + record + end)
    with Directory(path) as file, zipfile.ZipFile(path) as theirs:
        (info,), (expected,) = file.entries(), theirs.infolist()
        assert (
            (info.file_size, info.compress_size)
            == (expected.file_size, expected.compress_size)
            == (6 << 32, 5 << 32)
        )


def test_the_entries_before_a_damaged_list_are_read(tmp_path):
    path = zipped(tmp_path, [("a.txt", "one"), ("b.txt", "two")])
    content = bytearray(path.read_bytes())
    second = content.rindex(b"PK\x01\x02")
    content[second : second + 4] = b"\0" * 4
    path.write_bytes(content)
    read = file_formats.read(path, "a.zip", OPTIONS)
    assert next(read).text == "one"
    with pytest.raises(Unreadable, match="not a complete ZIP archive"):
        list(read)


def test_entries_in_an_even_order_are_read_once_more_and_no_further(tmp_path):
    class Counting(io.BytesIO):
        read_bytes = 0

        def read(self, count=-1):
            content = super().read(count)
            self.read_bytes += len(content)
            return content

    path = zipped(tmp_path, [(f"{i}.txt", "a few words") for i in range(1_000)])
    file = Counting(path.read_bytes())
    with Directory(file) as directory:
        before = file.read_bytes
        assert sum(1 for _ in directory.evenly_spread_entries()) == 1_000
        assert file.read_bytes - before <= 3 * directory.size
