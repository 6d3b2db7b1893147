"""Archives: every format in them, and everything that an archive can do to its reader."""

import contextlib
import gzip
import struct
import zipfile
import zlib

import pytest

from tests.webapp.intake.file_formats.reading import FRENCH, HEADER, ROWS, load, roles, zipped
from webapp.intake import file_formats
from webapp.intake.file_formats import archive
from webapp.intake.file_formats.base import Document, Problem, Unreadable


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_zip(tmp_path):
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    bomb = b"a" * 40_000_000
    entries = [
        ("letters/one.txt", "the first letter"),
        ("letters/", ""),
        ("two.TXT", "the second letter"),
        ("../out.txt", "x"),
        ("/etc/passwd.txt", "x"),
        ("C:/x.txt", "x"),
        (link, "/etc/passwd"),
        ("bomb.txt", bomb),
        ("inner.zip", "PK"),
        ("picture.png", "x"),
        ("__MACOSX/._one.txt", "x"),
        ("two.TXT", "the second, again"),
        ("empty.txt", ""),
        ("latin.txt", FRENCH.encode("cp1252")),
    ]
    path = zipped(tmp_path, entries)
    read_bytes = []
    options = file_formats.sniff(path, "a.zip", encoding="utf-8").options
    items = list(file_formats.read(path, "a.zip", options, read_bytes.append))
    documents = [i for i in items if isinstance(i, Document)]
    assert [d.text for d in documents] == [
        "the first letter",
        "the second letter",
        "the second, again",
        FRENCH,
    ]
    assert documents[0].file == "a.zip/letters/one.txt" and documents[0].title == "one"
    said = {i.file: i.message for i in items if isinstance(i, Problem)}
    assert (
        "leads out" in said["a.zip/../out.txt"]
        and "leads out" in said["a.zip//etc/passwd.txt"]
        and "leads out" in said["a.zip/C:/x.txt"]
    )
    assert (
        "link" in said["a.zip/link.txt"]
        and "200 times" in said["a.zip/bomb.txt"]
        and "not a complete ZIP archive" in said["a.zip/inner.zip"]
    )
    assert "file extension that Topograph does not know" in said["a.zip/picture.png"]
    assert "more than once" in said["a.zip/two.TXT"] and "no text in it" in said["a.zip/empty.txt"]
    assert "not characters in utf-8" in said["a.zip/latin.txt"]
    assert sum(read_bytes) <= path.stat().st_size
    assert sorted(p.name for p in tmp_path.iterdir()) == ["stored"]


def test_damaged_and_encrypted_entries(tmp_path):
    path = zipped(
        tmp_path, [("good.txt", "a good text " * 50), ("bad.txt", bytes(range(97, 123)) * 100)]
    )
    content = bytearray(path.read_bytes())
    at = content.index(b"bad.txt") + len(b"bad.txt")
    content[at + 5] ^= 0xFF
    path.write_bytes(content)
    documents, problems = load(path, "a.zip")
    assert [d.title for d in documents] == ["good"] and "is damaged" in problems[0].message
    directory = bytes(content).rindex(b"PK\x01\x02")
    content[directory + 8 : directory + 10] = struct.pack("<H", 1)
    path.write_bytes(content)
    assert "is encrypted" in load(path, "a.zip")[1][0].message


def test_not_a_zip_and_half_a_zip(tmp_path, file):
    with pytest.raises(Unreadable, match=r"\(ZIP archive\)"):
        file_formats.sniff(*file("hello there", "a.zip"))
    path = zipped(tmp_path, [("one.txt", "text " * 10_000)])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(Unreadable, match="not a complete ZIP archive"):
        file_formats.sniff(path, "a.zip")
    with pytest.raises(
        Unreadable,
        match=r"holds no file that can be read. Its first entry has a file extension .* not know",
    ):
        file_formats.sniff(zipped(tmp_path, [("a.exe", "x")]), "a.zip")


def test_zip_of_tables_and_lines(tmp_path):
    lines = '{"body": "from the lines, a fine text", "key": "j1"}\n{"text": 1}\n'
    entries = [
        ("a.csv", HEADER + ROWS),
        ("b.csv", "body,key\nthe other order of columns,k9\n"),
        ("c.tsv", "key\tbody\nk10\tfrom tabs, with a comma\n"),
        ("d.jsonl", lines),
        ("e.txt", "a plain text"),
        ("f.csv.gz", gzip.compress(b"key,body\nk11,compressed twice\n")),
        ("g.csv", b"\x89PNG\r\n\x1a\n" + bytes(100)),
        ("h.csv", "words,number\nsome words without a body,1\n"),
    ]
    path = zipped(tmp_path, entries)
    sniff = file_formats.sniff(path, "a.zip")
    assert (
        sniff.options.format == "zip"
        and sniff.columns[5] == "body"
        and roles(sniff.options)["text"] == 5
    )
    read = []
    items = list(file_formats.read(path, "a.zip", sniff.options, read.append))
    documents = [i for i in items if isinstance(i, Document)]
    assert [d.source_id for d in documents] == [
        *(f"k{i}" for i in range(8)),
        "k9",
        "k10",
        "j1",
        "a.zip/e.txt",
        "k11",
    ]
    assert (
        documents[9].text == "from tabs, with a comma"
        and documents[0].place == "row 1 (line 2)"
        and documents[0].file == "a.zip/a.csv"
    )
    said = " ".join(i.message for i in items if isinstance(i, Problem))
    assert (
        "a.zip/d.jsonl”, line 2" in said
        and "a PNG picture" in said
        and "“a.zip/h.csv” has no column “body”" in said
    )
    assert 0 < sum(read) <= path.stat().st_size


def test_files_of_several_formats_together(file):
    options = file_formats.sniff(*file("some words", "a.txt")).options
    (document,) = file_formats.read(*file("id,text\n1,fine words\n", "b.csv"), options)
    assert (document.source_id, document.text) == ("1", "fine words")
    options = file_formats.sniff(*file('{"id": 1, "body": "fine words"}\n', "a.jsonl")).options
    (document,) = file_formats.read(*file("a,body\n1,other words\n", "b.csv"), options)
    assert (document.source_id, document.text, document.metadata) == ("", "other words", {"a": "1"})


def test_a_compressed_zip_and_names_in_other_letters(tmp_path):
    path = zipped(tmp_path, [("été.txt", "the first letter"), ("b.txt", "the second")])
    content = path.read_bytes().replace("été".encode(), b"\xe9t\xe9xx")
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert [d.title for d in load(path, "a.zip.gz")[0]] == ["été", "b"]
    path.write_bytes(content)  # the name is marked as UTF-8 and is not
    try:
        assert len(load(path, "a.zip")[0]) == 2
    except Unreadable as error:
        assert "“a.zip” is not a complete ZIP archive" in str(error)


def test_names_that_are_not_marked_as_utf8(tmp_path):
    path = zipped(tmp_path, [("naïve.txt", "words")])
    content = bytearray(path.read_bytes())
    for at, signature in ((6, b"PK\x03\x04"), (8, b"PK\x01\x02")):
        start = content.index(signature)
        content[start + at : start + at + 2] = b"\0\0"
    path.write_bytes(content)
    assert load(path, "a.zip")[0][0].title == "naïve"


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("cp932", ["手紙の一覧", "日本の歴史", "夏の日記帳", "東京の新聞記事", "表と図"]),
        ("gb18030", ["我的信件", "中国历史", "日记第一年", "新闻报道"]),
        ("cp866", ["письмо брату", "дневник", "письмо отцу", "рассказ о войне"]),
        ("cp437", ["été", "Käse", "señor"]),
    ],
)
def test_names_in_the_letters_of_another_machine(tmp_path, encoding, names):
    """The names of an archive are in one encoding, which nothing in it says: they are read
    together."""
    entries = [
        (f"{i}{'x' * (len(name.encode(encoding)) - 1)}.txt", "words")
        for i, name in enumerate(names)
    ]
    path = zipped(tmp_path, entries)
    content = path.read_bytes()
    for (stored, _), name in zip(entries, names, strict=True):
        content = content.replace(stored.encode(), name.encode(encoding) + b".txt")
    path.write_bytes(content)
    assert [d.title for d in load(path, "a.zip")[0]] == names


def test_a_name_that_stands_beside_in_unicode(tmp_path):
    path = tmp_path / "stored"
    with zipfile.ZipFile(path, "w") as archive:
        for name, checked in (("right.txt", b"right.txt"), ("wrong.txt", b"other.txt")):
            raw = b"\xff" + checked[1:]
            found = zipfile.ZipInfo(name)
            field = struct.pack("<BL", 1, zlib.crc32(raw)) + "große Reise.txt".encode()
            found.extra = struct.pack("<HH", 0x7075, len(field)) + field
            archive.writestr(found, "words")
    path.write_bytes(
        path.read_bytes()
        .replace(b"right.txt", b"\xffight.txt")
        .replace(b"wrong.txt", b"\xffrong.txt")
    )
    assert [d.title for d in load(path, "a.zip")[0]] == ["große Reise", "\xa0rong"]


def test_a_damaged_table_in_a_zip_gives_what_comes_before(tmp_path):
    path = zipped(
        tmp_path,
        [
            (
                "a.csv",
                HEADER
                + "".join(
                    f"k{i},Headline,{i % 90 + 1900},x,y,{i * i} text\n" for i in range(60_000)
                ),
            )
        ],
    )
    content = bytearray(path.read_bytes())
    content[-4000] ^= 0xFF
    path.write_bytes(content)
    documents, problems = load(path, "a.zip")
    assert len(documents) > 1000 and "is damaged" in problems[-1].message


@pytest.mark.filterwarnings("error")
def test_any_damage_to_a_zip_is_a_sentence(tmp_path):
    """Every byte of a small archive changed in turn: documents, problems or Unreadable, and nothing
    else."""
    path = zipped(
        tmp_path,
        [("a.csv", "id,text\n1,fine words\n2,more words\n"), ("b.txt", "a plain text " * 9)],
    )
    whole = path.read_bytes()
    for at in range(len(whole)):
        for change in (0xFF, 0x01, 0x80):
            content = bytearray(whole)
            content[at] ^= change
            path.write_bytes(content)
            with contextlib.suppress(Unreadable):
                load(path, "a.zip")


def test_too_much_inside(tmp_path, monkeypatch):
    path = zipped(tmp_path, [(f"{i}.txt", f"{i} " * 40) for i in range(9)])
    monkeypatch.setattr(archive, "MAX_UNPACKED", 200)
    documents, problems = load(path, "a.zip")
    assert (
        len(documents) == 2
        and len(problems) == 7
        and "makes the archive unpack to more than" in problems[0].message
    )
