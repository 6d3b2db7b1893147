"""tar archives and archives in archives: entries as streams, and everything that an archive can do
to its reader."""

import contextlib
import gzip
import io
import tarfile
import tracemalloc
import zipfile

import pytest

from tests.webapp.intake.file_formats.reading import HEADER, ROWS, load, zipped
from webapp.intake import file_formats
from webapp.intake.file_formats import archive
from webapp.intake.file_formats.base import Document, Problem, Unreadable


def tarred(entries, compressed=True) -> bytes:
    """entries: (name or TarInfo, content)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in entries:
            content = content.encode() if isinstance(content, str) else content
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return gzip.compress(out.getvalue()) if compressed else out.getvalue()


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info


def zip_bytes(entries) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries:
            file.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tgz", "a.tar"])
def test_tar(file, tmp_path, name):
    entries = [
        ("letters/one.txt", "the first letter"),
        (special("letters", tarfile.DIRTYPE), b""),
        ("../out.txt", "x"),
        ("/etc/passwd.txt", "x"),
        (special("link.txt", tarfile.SYMTYPE, "/etc/passwd"), b""),
        (special("hard.txt", tarfile.LNKTYPE, "letters/one.txt"), b""),
        (special("device.txt", tarfile.CHRTYPE), b""),
        (special("pipe.txt", tarfile.FIFOTYPE), b""),
        ("two.txt", "the second letter"),
        ("two.txt", "the second, again"),
        ("picture.png", "x"),
        ("._one.txt", "x"),
        ("empty.txt", ""),
        ("a.csv", HEADER + ROWS),
        (b"na\xefve.txt".decode("utf-8", "surrogateescape"), "an undecodable name"),
    ]
    path, name = file(tarred(entries, name != "a.tar"), name)
    told = []
    items = list(file_formats.read(path, name, file_formats.sniff(path, name).options, told.append))
    documents = [i for i in items if isinstance(i, Document)]
    assert [d.text for d in documents[:3]] == [
        "the first letter",
        "the second letter",
        "the second, again",
    ] and len(documents) == 12
    assert (
        documents[0].file == f"{name}/letters/one.txt"
        and documents[-1].title == "na\ufffdve"
        and documents[3].source_id == "k0"
    )
    said = {i.file.removeprefix(name): i.message for i in items if isinstance(i, Problem)}
    assert (
        "leads out" in said["/../out.txt"]
        and "leads out" in said["//etc/passwd.txt"]
        and "no text in it" in said["/empty.txt"]
    )
    assert all("link or a device" in said[f"/{n}.txt"] for n in ("link", "hard", "device", "pipe"))
    assert (
        "file extension that Topograph does not know" in said["/picture.png"]
        and "more than once" in said["/two.txt"]
        and len(said) == 9
    )
    assert 0 < sum(told) <= path.stat().st_size
    assert [p.name for p in tmp_path.iterdir()] == ["stored"]


def test_a_truncated_tar_gives_what_comes_before(file):
    whole = tarred([(f"{i}.txt", f"text {i} " * 500) for i in range(20)], compressed=False)
    path, name = file(whole[: len(whole) // 2], "a.tar")
    documents = []
    with contextlib.suppress(Unreadable):
        for item in file_formats.read(path, name, file_formats.sniff(path, name).options):
            documents.append(item)
    assert len([d for d in documents if isinstance(d, Document)]) >= 9 and documents[
        9
    ].text.startswith("text 9")
    packed = gzip.compress(whole)
    path, name = file(packed[: len(packed) * 6 // 10], "a.tar.gz")
    with pytest.raises(Unreadable, match="is damaged"):
        list(file_formats.read(path, name, file_formats.Options(format="tar", entry="text")))
    with pytest.raises(Unreadable, match="not a tar archive"):
        file_formats.sniff(*file(b"no tar at all " * 100, "a.tar"))
    with pytest.raises(Unreadable, match="no file that can be read"):
        file_formats.sniff(*file(tarred([("a.exe", "x")]), "a.tgz"))


def test_any_damage_to_a_tar_is_a_sentence(file):
    whole = tarred(
        [("a.csv", "id,text\n1,fine words\n2,more words\n"), ("b.txt", "a plain text " * 9)],
        compressed=False,
    )
    for at in (*range(0, 600, 3), *range(1024, 1600, 7)):
        content = bytearray(whole)
        content[at] ^= 0xFF
        with contextlib.suppress(Unreadable):
            load(*file(bytes(content), "a.tar"))


def test_a_tar_header_does_not_fill_the_memory(file):
    """An entry's long name may say that it has any length."""
    info = special("x", tarfile.GNUTYPE_LONGNAME)
    info.size = 300_000_000
    content = info.tobuf(tarfile.GNU_FORMAT)
    path, name = file(
        gzip.compress(
            tarred([("a.txt", "fine words")], False)[:1024] + content + bytes(300_000_000), 1
        ),
        "a.tgz",
    )
    options = file_formats.Options(format="tar", entry="text")
    tracemalloc.start()
    found = []
    with pytest.raises(Unreadable, match="damaged after entry 1 .*header is longer"):
        for item in file_formats.read(path, name, options):
            found.append(item)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    assert [d.text for d in found] == ["fine words"]


def test_archives_in_archives(file, tmp_path):
    inner = zip_bytes(
        [
            ("deep/one.txt", "from the inner archive"),
            ("rows.csv", "id,text\nk1,from the inner table\n"),
            ("x/two.zip", zip_bytes([("t.txt", "too deep")])),
        ]
    )
    tar = tarred([("three.txt", "from the inner tar")])
    path = zipped(
        tmp_path,
        [
            ("first.txt", "from the outer archive"),
            ("inner.zip", inner),
            ("inner.tgz", tar),
            ("broken.zip", b"PK\x03\x04 no"),
            ("last.txt", "the last"),
        ],
    )
    documents, problems = load(path, "a.zip")
    assert [d.text for d in documents] == [
        "from the outer archive",
        "from the inner archive",
        "from the inner table",
        "from the inner tar",
        "the last",
    ]
    assert documents[1].file == "a.zip/inner.zip/deep/one.txt"
    said = {p.file: p.message for p in problems}
    assert (
        "within an archive within an archive" in said["a.zip/inner.zip/x/two.zip"]
        and "not a complete ZIP" in said["a.zip/broken.zip"]
        and len(said) == 2
    )
    path, name = file(tarred([("inner.zip", inner), ("last.txt", "the last")]), "b.tar.gz")
    assert [d.text for d in load(path, name)[0]] == [
        "from the inner archive",
        "from the inner table",
        "the last",
    ]


def test_nested_bombs_cost_themselves(file, tmp_path):
    """What is within stays within what its own size allows, and the others are read."""
    bomb = zip_bytes([(f"{i}.csv", b"a" * 30_000_000) for i in range(3)])
    tar_bomb = tarred([("a.csv", b"a" * 60_000_000), ("b.txt", "after it")])
    path = zipped(
        tmp_path,
        [("one.txt", "before"), ("bomb.zip", bomb), ("bomb.tgz", tar_bomb), ("two.txt", "after")],
    )
    documents, problems = load(path, "a.zip")
    assert [d.text for d in documents] == ["before", "after it", "after"]
    assert len(problems) == 4 and all("200 times its size" in p.message for p in problems)
    path, name = file(tar_bomb, "a.tgz")
    documents, problems = load(path, name, encoding="utf-8")
    assert [d.text for d in documents] == ["after it"] and "200 times" in problems[0].message


def test_too_many_entries(file, monkeypatch):
    monkeypatch.setattr(archive, "MAX_ENTRIES", 5)
    path, name = file(tarred([(f"{i}.txt", "words") for i in range(9)]), "a.tgz")
    with pytest.raises(Unreadable, match="more than 5 entries"):
        load(path, name)


def test_a_whole_archive_leaves_no_copies_behind(file, tmp_path, monkeypatch):
    import tempfile

    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    content = "id,text\n" + "".join(f"{i},{'words and words ' * 20}{i}\n" for i in range(30_000))
    path, name = file(tarred([("a.csv", content), ("b.txt", "short")]), "a.tgz")
    assert len(load(path, name)[0]) == 30_001
    rows = file_formats.read(path, name, file_formats.sniff(path, name).options)
    next(rows)
    rows.close()  # a reading that is given up
    assert not list(folder.iterdir())
