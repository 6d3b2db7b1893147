"""REFI-QDA projects: our own comes back as it was, those of other programs come in by text or name,
hostile ones are refused."""

import io
import tracemalloc
import zipfile
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from inference.errors import Invalid
from tasks.codebook import take_in
from tests.webapp.service.codebook.making import code_all, concept_of, drawn, one_seed
from tests.webapp.service.codebook.test_coding import about_war
from webapp.intake.file_formats import qda_project
from webapp.intake.file_formats.base import Unreadable
from webapp.models import CodeFile, Coding, Document, Draw
from webapp.platform.jobs import dispatch
from webapp.service.codebook import coding, concepts, exports, imports, taking_in

__all__ = ["one_seed"]
pytestmark = pytest.mark.django_db

PROJECT = """<?xml version="1.0" encoding="utf-8"?><Project xmlns="urn:QDA-XML:project:1.0" name="p">
<Users><User guid="U1" name="Zoë"/><User guid="U2" name="Bea"/></Users>
<CodeBook><Codes>{codes}</Codes></CodeBook><Sources>{sources}</Sources></Project>"""
MARK = (
    '<PlainTextSelection guid="s" startPosition="0"'
    ' endPosition="9"><Description>{remark}</Description><Coding guid="c"'
    ' creatingUser="{user}"><CodeRef targetGUID="{code}"/></Coding></PlainTextSelection>'
)


def zipped(members: dict[str, str | bytes]) -> bytes:
    with ZipFile(file := io.BytesIO(), "w", ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def source(name: str, *marks: tuple[str, str], path: str = "", written: str = "") -> str:
    inner = "".join(MARK.format(user=user, code=code, remark="so") for user, code in marks)
    content = f"<PlainTextContent>{written}</PlainTextContent>" if written else ""
    return (
        f'<TextSource guid="t" name="{name}"'
        f' plainTextPath="internal://{path}">{content}{inner}</TextSource>'
    )


def code(guid: str, name: str, inner: str = "") -> str:
    return f'<Code guid="{guid}" name="{name}" isCodable="true">{inner}</Code>'


def documents(run, n: int) -> list[Document]:
    return list(Document.objects.filter(corpus_id=run.corpus_id).order_by("number")[:n])


def said(concept) -> list[tuple]:
    columns = "item__document", "coder__name", "code", "unsure", "remark", "item__pi"
    return sorted(Coding.objects.filter(item__draw__concept=concept).values_list(*columns))


def test_our_own_project_comes_back_as_it_was(client, trained):
    sent = {"kind": "one_of", "codes": "Krieg & Frieden\nweder – noch"}
    concept = drawn(trained, 60, columns=("decade",), **sent)
    ann, zoe = (coding.join(concept, name) for name in ("Ann", "Zoë <Ü>"))
    first = coding.following(ann).item
    coding.save(ann, first, concepts.defined(concept).holds, 1, True, "“wohl” & so")
    code_all(concept, [ann, zoe], about_war)
    content = b"".join(exports.project(concept))
    other = concept_of(trained, **sent)
    file = SimpleUploadedFile("codes.qdpx", content)
    change = reverse("concept_change", args=[trained.pk, other.pk])
    page = client.post(change, {"act": "take", "codes": file}, follow=True).content.decode()
    assert f"{len(said(concept))} codes were taken in.</" in page.replace("\n", "").replace(
        " <", "<"
    )
    assert said(other) == said(concept) and len({pi for *_, pi in said(other)}) > 1


def test_passages_of_another_program_count_for_their_document(trained):
    concept, (a, b, c, *_) = concept_of(trained, called="Krieg – é"), documents(trained, 6)
    sources = [
        # By name alone
        source(a.title.replace("&", "&amp;"), ("U1", "W"), ("U1", "W"), ("U1", "X")),
        source("renamed", ("U2", "W"), path="B.txt"),  # by its text
        # Nothing of it is coded
        source("a third", path="", written=c.text.replace("&", "&amp;").replace("<", "&lt;")),
        source("of another collection", ("U1", "W"), path="x.txt"),
        (
            '<PDFSource guid="p" name="scan"><Coding guid="k" creatingUser="U1"><CodeRef'
            ' targetGUID="W"/></Coding></PDFSource>'
        ),
    ]
    # The accent is a character of its own, as a Mac writes it
    codes = code("W", "Krieg – e\u0301") + code("X", "tax")
    content = zipped(
        {
            "project.qde": PROJECT.format(codes=codes, sources="".join(sources)),
            "Sources/b.txt": b"\xef\xbb\xbf" + b.text.replace("\n", "\r\n").encode(),
            "Sources/x.txt": "Something else.",
        }
    )
    said_of_it = taking_in.receive(concept, trained, content, "owner")
    assert [row[:3] for row in said(concept)] == [
        (a.number, "Zoë", 1),
        (b.number, "Bea", 1),
        (c.number, imports.ELSEWHERE, 0),
    ]
    assert (
        said_of_it.startswith("3 codes were taken in.")
        and "1 of the texts, “of another collection”" in said_of_it
        and "no plain texts were left out: 1." in said_of_it
    )


def test_a_text_with_two_codes_of_one_coder_is_left_out_and_named(trained):
    concept, (a, b, *_) = (
        concept_of(trained, kind="one_of", codes="some\nmuch"),
        documents(trained, 3),
    )
    codes = code("R", "war", code("S", "some") + code("M", "much")) + code(
        "E", "elsewhere", code("O", "some")
    )
    sources = source(a.title, ("U1", "S"), ("U1", "M"), ("U2", "M")) + source(
        b.title, ("U1", "O"), ("U2", "S")
    )
    said_of_it = taking_in.receive(
        concept,
        trained,
        zipped({"project.qde": PROJECT.format(codes=codes, sources=sources)}),
        "owner",
    )
    assert [row[:3] for row in said(concept)] == [
        (a.number, "Bea", 1),
        (b.number, "Bea", 0),
    ]
    assert said_of_it.startswith("2 codes were taken in.")
    assert f"several of these codes: 1, “{a.title[:60]}”" in said_of_it


BOMB = '<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE p [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"project.qde": "<Project"}, "not well-formed"),
        ({"other.txt": ""}, "has a file project.qde"),
        ({"project.qde": b" " * 20_000_001}, "at most 20 MB"),
        ({"project.qde": "<a>" * 2_000 + "</a>" * 2_000}, "deep in each other"),
        ({"project.qde": "<a>" + "<b/>" * 500_001 + "</a>"}, "elements of XML"),
        ({"project.qde": PROJECT.format(codes=code("C", "tax"), sources="")}, "It has: tax"),
        (
            {"project.qde": PROJECT.format(codes=code("C", "war"), sources=source("nobody’s"))},
            "“nobody’s”",
        ),
    ],
)
def test_hostile_and_foreign_projects_are_refused_and_nothing_is_kept(trained, members, says):
    concept = concept_of(trained)
    with pytest.raises(Invalid, match=says):
        taking_in.receive(concept, trained, zipped(members), "owner")
    assert not Draw.objects.filter(concept=concept).exists()
    with pytest.raises(Invalid):
        taking_in.receive(concept, trained, zipped(members)[:-30], "owner")


def test_texts_that_unpack_to_too_much_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(qda_project, "MOST_TEXTS", 100_000)
    sources = "".join(source(f"t{i}", path="a.txt") for i in range(3))
    content = zipped(
        {
            "project.qde": PROJECT.format(codes=code("C", "war"), sources=sources),
            "sources/a.txt": "a" * 50_000,
        }
    )
    path = tmp_path / "codes.qdpx"
    path.write_bytes(content)
    with pytest.raises(Unreadable, match="the most"):
        qda_project.read(path, "codes.qdpx")
    monkeypatch.setattr(qda_project, "MOST_SOURCES", 2)
    with pytest.raises(Unreadable, match="more than 2 texts"):
        qda_project.read(path, "codes.qdpx")


@pytest.mark.parametrize("doctype", [BOMB, OUTSIDE])
def test_entities_are_neither_expanded_nor_loaded(trained, doctype):
    head, _, rest = PROJECT.format(
        codes=code("W", "war"), sources=source(documents(trained, 1)[0].title, ("U1", "W"))
    ).partition("<Project")
    markup = (head + doctype + "<Project" + rest).replace(">so<", ">so&a;&b;<")
    concept = concept_of(trained)
    taking_in.receive(concept, trained, zipped({"project.qde": markup}), "owner")
    assert [remark for *_, remark, _ in said(concept)] == ["so"]


# What a hostile one may cost


def test_a_project_is_parsed_by_a_process_of_the_sandbox(trained, monkeypatch):
    """Not in that of a page, which has no limits."""
    content = zipped(
        {
            "project.qde": PROJECT.format(
                codes=code("W", "war"),
                sources=source(documents(trained, 1)[0].title, ("U1", "W")),
            )
        }
    )
    for module in (zipfile, expat):
        monkeypatch.setattr(module, REFUSED[module], lambda *_, **__: pytest.fail("parsed here"))
    concept = concept_of(trained)
    assert taking_in.receive(concept, trained, content, "owner").startswith("1 code was")


REFUSED = {zipfile: "ZipFile", expat: "ParserCreate"}


def test_what_is_said_once_takes_memory_once(trained):
    """Of a long name, and of a long remark with very many codes: a small file once took 400 MB."""
    long = "x" * 200_000
    marks = '<CodeRef targetGUID="W"/>' * 2_000
    selection = (
        f'<PlainTextSelection guid="s"><Description>{long}</Description>'
        f'<Coding guid="c" creatingUser="U1">{marks}</Coding></PlainTextSelection>'
    )
    title = documents(trained, 1)[0].title
    sources = f'<TextSource guid="t" name="{title}">{selection}</TextSource>'
    codes = code("L", long, "".join(code(f"N{n}", "tax") for n in range(2_000))) + code("W", "war")
    content = zipped({"project.qde": PROJECT.format(codes=codes, sources=sources)})
    concept = concept_of(trained)
    tracemalloc.start()
    try:
        taking_in.receive(concept, trained, content, "owner")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    ((_, _, _, _, remark, _),) = said(concept)
    assert remark == long[: concepts.TEXT]
    assert most < 100_000_000


def test_a_project_that_takes_long_is_left_to_a_worker(trained, monkeypatch):
    monkeypatch.setattr(taking_in, "QUICK_SECONDS", 0.0)
    monkeypatch.setattr(dispatch, "send", lambda *_: None)
    title = documents(trained, 1)[0].title
    content = zipped(
        {"project.qde": PROJECT.format(codes=code("W", "war"), sources=source(title, ("U1", "W")))}
    )
    concept = concept_of(trained)
    assert "A worker" in taking_in.receive(concept, trained, content, "owner")
    row = CodeFile.objects.get(concept=concept)
    monkeypatch.setattr(taking_in, "PROCESSOR_SECONDS", 0.0)  # nor does it take for ever
    take_in(row.pk)
    row.refresh_from_db()
    assert row.status == "failed" and "fewer texts" in row.error
