"""Packs of small files that a hostile program made: each is refused in a sentence, within bounds,
and leaves nothing."""

import io
import tarfile
import time
import tracemalloc

import pytest
from django.conf import settings
from django.urls import reverse

from inference.errors import Invalid
from webapp.intake.ingest import uploads
from webapp.intake.ingest.storing import packed_files
from webapp.models import Corpus

JSON = {"HTTP_ACCEPT": "application/json"}


def entry(
    name: str = "a.txt",
    content: bytes = b"some words",
    kind: bytes = tarfile.REGTYPE,
    size: int | None = None,
):
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = len(content) if size is None else size
    return info.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512)


def with_sum(header: bytes) -> bytes:
    """The first block with its checksum made anew."""
    total = sum(header[:148]) + 256 + sum(header[156:512])
    return header[:148] + b"%06o\0 " % total + header[156:]


def pax(headers: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    return entry("x", headers, kind)


def record(key: str, value: str) -> bytes:
    body = f" {key}={value}\n"
    length = len(body) + len(str(len(body) + 3))
    return f"{length}{body}".encode()


FIRST = entry("first.txt")
HOSTILE = {
    "names in names": FIRST + entry("x", b"n" * 600, tarfile.GNUTYPE_LONGNAME) * 2_000 + entry(),
    "a size beyond the pack": FIRST + entry(size=40 << 30),
    "a size beyond everything": FIRST + entry(size=1 << 62),
    "a size below nothing": FIRST + entry(size=-1024),
    "a size in attributes": FIRST + pax(record("size", str(1 << 60))) + entry(),
    "a size below nothing in attributes": FIRST + pax(record("size", "-1024")) + entry(),
    "a name without end": FIRST + entry("x", b"", tarfile.GNUTYPE_LONGNAME, size=1 << 40),
    "holes without an end": FIRST
    + with_sum(entry("x", b"", tarfile.GNUTYPE_SPARSE)[:482] + b"\1" + bytes(29)),
    "a damaged header": FIRST + entry()[:100] + b"!" + entry()[101:] + entry("lost.txt"),
    "attributes that are no numbers": FIRST
    + pax(b"9999999999999999999999 path=x\n")
    + entry()
    + pax(b"0 a=b\n")
    + entry(),
    "attributes for all that follow": FIRST
    + b"".join(pax(record(f"k{i}", "v" * 100_000), tarfile.XGLTYPE) + entry() for i in range(20)),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_pack_is_refused_at_once(content, tmp_path):
    path = tmp_path / "pack"
    path.write_bytes(content)
    began = time.process_time()
    tracemalloc.start()
    with pytest.raises(Invalid, match="pack of small files could not be opened"):
        for file in packed_files(path):
            assert len(file.bytes) <= len(content)
    assert tracemalloc.get_traced_memory()[1] < 8 * len(content) + 4_000_000
    tracemalloc.stop()
    assert time.process_time() - began < 5


def test_files_with_holes_are_passed_over(tmp_path):
    path = tmp_path / "pack"
    old = entry("old.txt", bytes(512), tarfile.GNUTYPE_SPARSE)
    new = pax(record("GNU.sparse.major", "1") + record("GNU.sparse.minor", "0")) + entry(
        "new.txt", b"999999999\n"
    )
    path.write_bytes(FIRST + old + new + entry("last.txt", b"the last") + bytes(1024))
    assert [(file.name, file.bytes) for file in packed_files(path)] == [
        ("first.txt", b"some words"),
        ("last.txt", b"the last"),
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_refused_corpus_leaves_nothing(client, content):
    upload = uploads.create(len(content), "pack.tar", pack=True)
    upload.path.write_bytes(content)
    before = set((settings.FILES / "corpora").glob("*")), Corpus.everything.count()
    answer = client.post(reverse("corpora"), {"uploads": upload.id}, **JSON)
    assert answer.status_code == 400 and "pack of small files" in answer.json()["error"]
    assert (set((settings.FILES / "corpora").glob("*")), Corpus.everything.count()) == before
    assert not upload.path.exists()


def test_an_ordinary_pack_is_opened(tmp_path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for i in range(30):
            info = tarfile.TarInfo(f"{'folder/' * 40}ünï {i}.txt")
            info.size = i
            tar.addfile(info, io.BytesIO(b"x" * i))
    path = tmp_path / "pack"
    path.write_bytes(out.getvalue())
    files = list(packed_files(path, 10))
    assert [(file.number, len(file.bytes)) for file in files] == [(i + 1, i) for i in range(10, 30)]
    assert files[0].name.endswith("folder/ünï 10.txt")
