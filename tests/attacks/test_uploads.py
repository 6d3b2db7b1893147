"""Hostile uploads: each of docs/security.md's list is refused in seconds with its sentence, and
leaves nothing."""

import gzip
import html
import io
import re
import tarfile
import time
import zipfile

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from webapp.models import Corpus, User

pytestmark = pytest.mark.django_db
SECONDS = 10  # of processor time of the web process; each takes one or two
DOCUMENTATION = settings.BASE_DIR / "docs" / "security.md"


def zip_of(*entries: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries:
            file.writestr(name, content)
    return out.getvalue()


def encrypted() -> bytes:
    content = bytearray(zip_of(("a.txt", b"words")))
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.index(mark) + place] |= 1
    return bytes(content)


def tar_of(size: int = 5, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo("a.txt")
    info.type = kind
    info.size = size
    info.linkname = "/etc/passwd"
    return info.tobuf(tarfile.GNU_FORMAT) + (b"words" + bytes(507) if size else b"") + bytes(1024)


def laughs() -> bytes:
    entities = "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    return (
        f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "ha ha ha">{entities}]><a>&j;</a>'.encode()
    )


def long_docx() -> bytes:
    word = (
        b"<w:document"
        b' xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>'
    )
    return zip_of(
        ("[Content_Types].xml", b"<Types/>"), ("word/document.xml", word + b"a" * 100_000_000)
    )


GZ_BOMB = gzip.compress(b"id,text\n") + gzip.compress(b"a" * (10 << 20), 9) * 100  # 1 GB in 1 MB
HOSTILE = {  # as docs/security.md calls it -> its name and content
    "a .gz of 1 GB in 1 MB": ("a.csv.gz", GZ_BOMB),
    "a file in a zip that unpacks to a thousand times its size": (
        "a.zip",
        zip_of(("a.csv", b"a" * 30_000_000)),
    ),
    "an archive in an archive in an archive": (
        "a.zip",
        zip_of(("b.zip", zip_of(("c.zip", zip_of(("a.txt", b"x")))))),
    ),
    "a path that leads out of the archive": ("a.zip", zip_of(("../a.txt", b"words"))),
    "a link in a tar": ("a.tar", tar_of(0, tarfile.SYMTYPE)),
    "a tar entry that says it has 40 GB": ("a.tar", tar_of(40 << 30)),
    "an encrypted zip": ("a.zip", encrypted()),
    "a zip that is none": ("a.zip", b"not a zip at all"),
    "a table of 10,000 columns": ("a.csv", b"x," * 9_999 + b"x\n" + b"1," * 9_999 + b"1\n"),
    "XML whose entities grow to gigabytes": ("a.xml", laughs()),
    "XML that names a file of the server": (
        "a.xml",
        b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    ),
    "a Word document of 100 million letters": ("a.docx", long_docx()),
    "JSON of 200,000 brackets": ("a.json", b'{"a":' * 200_000),
    "a damaged PDF": ("a.pdf", b"%PDF-1.7\n" + b"x" * 1000),
    "a picture with the ending of a table": ("a.csv", b"\x89PNG\r\n\x1a\n" + bytes(90)),
    "a program with the ending of a text": ("a.txt", b"\x7fELF" + bytes(range(256)) * 9),
    "an empty file": ("a.txt", b""),
    "an ending that is not known": ("a.xyz", b"words"),
    "a table of 5,000,000 blank lines": ("a.csv", b"\n" * 5_000_000),
    "JSON of 1,000,000 lists in each other": ("a.json", b"[" * 1_000_000),
}
_TABLE = b"id,text\n1,some words of a text\n"
# what can be read of, and quickly: its name, its content, and what the report, or the page where it
# fails, says
READ = {
    "blank lines in a table": ("a.csv", _TABLE + b"\n" * 5_000_000 + _TABLE[8:], ""),
    "brackets in Markdown": ("a.md", b"words of a text\n\n" + b"[" * 200_000, ""),
    "marks in Markdown": ("a.md", b"words of a text\n\n" + b"*_" * 200_000, ""),
    "HTML that is nested a million deep": (
        "a.html",
        b"<div>" * 1_000_000 + b"some words of a text",
        "too deep in each other",
    ),
    "surplus cells": (
        "a.csv",
        _TABLE + b"2,words, of, a text\n",
        "choose that surplus cells belong to the text",
    ),
    "a mailbox that is none": (
        "a.mbox",
        b"Dear diary,\n\nsome words of a text\n",
        "does not begin with a line",
    ),
    "a mailbox of blank lines": ("a.mbox", b"\n" * 100, "has no messages: only blank lines"),
    "a mailbox of a message that is no base64": (
        "a.mbox",
        (
            b"From a Mon Jan  1 00:00:00 2001\nSubject: x\nContent-Transfer-Encoding:"
            b" base64\n\n!!!!\n\nFrom a Mon Jan  1 00:00:00 2001\nSubject: y\n\nsome words of a"
            b" text\n"
        ),
        "could be decoded as base64",
    ),
    "a message of parts 20,000 deep in each other": (
        "a.eml",
        b"Subject: x\n"
        + b"".join(
            b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i)
            for i in range(20_000)
        ),
        "its parts are nested too deeply",
    ),
    "a matrix that says that it has 9,000,000,000 entries": (
        "a.zip",
        zip_of(
            ("a.mtx", b"%%MatrixMarket matrix coordinate integer general\n9 2 9000000000\n1 1 3\n"),
            ("vocab.txt", b"war\npeace\n"),
        ),
        "says that it has 9,000,000,000 entries, and 1 were found",
    ),
    "a message in a message": (
        "a.eml",
        (
            b"Subject: x\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nwords of a"
            b" text\n--x\nContent-Type: message/rfc822\n\nSubject: y\n\nmore\n--x--\n"
        ),
        "attachment or other part",
    ),
    "a table of 1,000,000 short rows": (
        "a.csv",
        b"id,text\n" + b"".join(b"%d,some words here\n" % i for i in range(1_000_000)),
        "",
    ),
}


def listed() -> dict[str, str]:
    """What docs/security.md lists, with its sentence."""
    section = DOCUMENTATION.read_text().partition("## Hostile uploads")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| (.+?) \| “(.+?)” \|$", section, re.M))


def test_the_documentation_lists_what_is_tried():
    assert listed().keys() == HOSTILE.keys()


@pytest.mark.parametrize("what", HOSTILE)
def test_each_is_refused_with_its_sentence_and_leaves_nothing(client, what):
    (name, content), sentence = HOSTILE[what], listed()[what]
    before = (set((settings.FILES / "corpora").glob("*")), Corpus.everything.count())
    began = time.process_time()
    answer = client.post(
        reverse("corpora"),
        {"files": [SimpleUploadedFile(name, content)]},
        HTTP_ACCEPT="application/json",
    )
    assert answer.status_code == 400 and sentence in answer.json()["error"]
    assert time.process_time() - began < SECONDS
    assert (set((settings.FILES / "corpora").glob("*")), Corpus.everything.count()) == before
    assert not list(settings.FILE_UPLOAD_TEMP_DIR.iterdir())


@pytest.mark.parametrize("most", [None, 1 << 40])
@pytest.mark.parametrize(
    "what", ["a zip that is none", "JSON of 200,000 brackets", "an empty file"]
)
def test_a_page_refuses_them_with_400_while_accounts_are_on_too(client, settings, what, most):
    settings.ACCOUNTS = True
    settings.MOST = {"bytes": most, "documents": None, "jobs": None}
    client.force_login(User.objects.create_user("ann@example.org", "ann"))
    name, content = HOSTILE[what]
    answer = client.post(reverse("corpora"), {"files": [SimpleUploadedFile(name, content)]})
    assert answer.status_code == 400 and listed()[what] in html.unescape(answer.content.decode())
