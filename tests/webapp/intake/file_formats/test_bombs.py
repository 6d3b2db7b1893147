"""What is small and unpacks to something huge: refused in seconds, in a sentence, within bounds of
memory."""

import gzip
import tarfile
import time
import zipfile
from dataclasses import replace

import pyarrow.parquet
import pytest

from tests.webapp.intake.file_formats.reading import EXAMPLES, zipped
from webapp.intake import file_formats
from webapp.intake.file_formats import looking
from webapp.intake.file_formats.base import NO_BOMB, Unreadable, opened

MEMBER = gzip.compress(bytes(10 << 20), 9)  # 10 MB in 10 kB
SECONDS = 20  # of processor time, on any machine: today's refusals take one


def bomb(tmp_path, start: bytes = b"", filler: bytes = MEMBER, times: int = 4096):
    path = tmp_path / "stored"
    path.write_bytes((gzip.compress(start) if start else b"") + filler * times)
    return path


def letters(letter: bytes) -> bytes:
    return gzip.compress(letter * (10 << 20), 9)


@pytest.mark.parametrize(
    ("name", "start", "letter"),
    [
        ("a.csv.gz", b"id,text\n", b"a"),
        ("a.tsv.gz", b"id\ttext\n", b"\t"),
        ("a.jsonl.gz", b'{"text": "', b"a"),
        ("a.json.gz", b'{"x": [', b" "),
        ("a.mallet.gz", b"1 en ", b"a"),
    ],
)
def test_a_gz_bomb_is_refused_in_seconds(tmp_path, name, start, letter):
    """Of 40 GB in 40 MB."""
    path = bomb(tmp_path, start, letters(letter))
    began = time.process_time()
    with pytest.raises(Unreadable, match="200 times its size") as refused:
        options = file_formats.sniff(path, name).options
        list(file_formats.read(path, name, options))
    assert str(refused.value).startswith(f"“{name}”") and time.process_time() - began < SECONDS


@pytest.mark.parametrize(
    "name",
    ["a.txt.gz", "a.html.gz", "a.pdf.gz", "a.xlsx.gz", "a.zip.gz", "docword.a.txt.gz", "a.mtx.gz"],
)
def test_a_gz_bomb_of_any_kind_is_refused_in_seconds(tmp_path, name):
    start = {
        "a.pdf.gz": b"%PDF",
        "a.xlsx.gz": b"PK\3\4",
        "a.zip.gz": b"PK\3\4",
        "a.mtx.gz": b"%%MatrixMarket matrix coordinate\n%",
    }
    path = bomb(tmp_path, start.get(name, b"1\n2\n3\n"), letters(b"1"))
    began = time.process_time()
    with pytest.raises(Unreadable):
        for _ in file_formats.read(
            path, name, file_formats.sniff(path, name, [(path, "vocab.a.txt")]).options
        ):
            pass
    assert time.process_time() - began < SECONDS


def test_blank_lines_are_not_looked_through_to_their_end(tmp_path):
    path = bomb(tmp_path, b"id,text\n1,words\n", letters(b"\n"))
    began = time.process_time()
    assert (
        file_formats.sniff(path, "a.csv.gz").columns == ["id", "text"]
        and time.process_time() - began < SECONDS
    )


def test_text_that_repeats_itself_is_no_bomb(tmp_path):
    path = tmp_path / "stored"
    text = b"".join(b"%d,the same words again and again\n" % i for i in range(200_000))
    path.write_bytes(gzip.compress(text, 1) * 12)
    with opened(path, "a.csv.gz") as file:
        assert sum(map(len, iter(lambda: file.read(1 << 20), b""))) == 12 * len(text) > NO_BOMB


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tgz"])
@pytest.mark.parametrize("size", [40 << 30, 1 << 62, -1])
def test_an_entry_of_40_gb_is_refused_in_seconds(tmp_path, name, size):
    """Whether it is there, compressed, or only says so."""
    info = tarfile.TarInfo("a.csv")
    info.size = size
    path = tmp_path / "stored"
    header = info.tobuf(tarfile.GNU_FORMAT)
    if name == "a.tar":
        path.write_bytes(header + b"id,text\n" * 100)
    else:
        bomb(tmp_path, header + b"id,text\n", letters(b"a"))
    began = time.process_time()
    with pytest.raises(Unreadable, match="can't be in the archive|200 times its size"):
        file_formats.sniff(path, name)
    with pytest.raises(Unreadable, match="can't be in the archive|200 times its size"):
        list(
            file_formats.read(
                path, name, file_formats.Options(format="tar", entry="csv", text=0, names=("id",))
            )
        )
    assert time.process_time() - began < SECONDS


def test_of_a_large_entry_only_the_beginning_is_copied_to_look_at_it(tmp_path, monkeypatch):
    path = tmp_path / "stored"
    info = tarfile.TarInfo("a.csv")
    # So many words that it is taken for texts, and no entry behind it is looked for
    row = b"1,a text of more words than a list of names or of places has in any of its cells\n"
    info.size = len(row) * 1_200_000
    with path.open("wb") as file:
        file.write(
            info.tobuf(tarfile.GNU_FORMAT) + row * 1_200_000 + bytes(-info.size % 512 + 1024)
        )
    spent = []
    monkeypatch.setattr(looking, "spend", lambda count: spent.append(count))
    assert file_formats.sniff(path, "a.tar").options.entry == "csv"
    assert sum(spent) < 30_000_000 < info.size


def rows_that_repeat(tmp_path):
    """A billion letters in some kB."""
    path = tmp_path / "stored"
    some = pyarrow.table({"text": ["war and peace " * 100] * 10_000})
    with pyarrow.parquet.ParquetWriter(path, some.schema, compression="zstd") as writer:
        for _ in range(70):
            writer.write_table(some)
    return path, "a.parquet", ()


def cells_that_repeat(tmp_path):
    """A text of 14 kB that 2,000 cells name."""
    with zipfile.ZipFile(EXAMPLES / "addresses.xlsx") as example:
        parts = {name: example.read(name) for name in example.namelist()}
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    rows = "".join(f'<row r="{i}"><c r="A{i}" t="s"><v>0</v></c></row>' for i in range(1, 2_000))
    parts["xl/worksheets/sheet1.xml"] = (
        f"<worksheet {space}><sheetData>{rows}</sheetData></worksheet>"
    )
    parts["xl/sharedStrings.xml"] = f"<sst {space}><si><t>{'war and peace ' * 1_000}</t></si></sst>"
    return zipped(tmp_path, parts.items()), "a.xlsx", ()


def words_that_repeat(tmp_path):
    """A line for each document of 400 kB."""
    path = tmp_path / "stored"
    vocabulary = tmp_path / "words"
    vocabulary.write_text("peace\nwar\n")
    path.write_text("1000\n2\n1000\n" + "".join(f"{i} 2 100000\n" for i in range(1, 1001)))
    return path, "docword.a.txt", ((vocabulary, "vocab.a.txt"),)


@pytest.mark.parametrize("make", [rows_that_repeat, cells_that_repeat, words_that_repeat])
def test_a_file_that_names_its_texts_again_and_again_is_read_to_a_bound(
    tmp_path, monkeypatch, make
):
    monkeypatch.setattr("webapp.intake.file_formats.dispatch.NO_BOMB", 4 << 20)
    path, name, companions = make(tmp_path)
    options = file_formats.sniff(path, name, companions).options
    size = 0
    options = replace(options, text=0) if options.names else options
    with pytest.raises(Unreadable, match="200 times its size"):
        for item in file_formats.read(path, name, options, companions=companions):
            size += len(item.text)
    assert 1 << 20 < size <= max(4 << 20, 200 * path.stat().st_size)
