"""Pages that a METS names are one document, in its order."""

import io
import tarfile
import time

import pytest

from benchmarks.faithful.written import packed
from tests.webapp.intake.file_formats.reading import load
from tests.webapp.intake.ingest.test_as_written import days, losses, patient, seen, text
from tests.webapp.intake.ingest.test_upload import prepare
from webapp.intake.file_formats import mets

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures(patient.__name__)]
__all__ = ["patient"]

ALTO = (
    '<alto xmlns="http://www.loc.gov/standards/alto/ns-v2#"><Layout><Page><PrintSpace><TextBlock>'
    '<TextLine><String CONTENT="{}"/></TextLine></TextBlock></PrintSpace></Page></Layout></alto>'
)


def described(day: str, names: list[str]) -> str:
    """A METS of an issue of a newspaper whose pages are in this order."""
    files = "".join(
        f'<mets:file ID="F{n}" MIMETYPE="text/xml"><mets:FLocat LOCTYPE="URL"'
        f' xlink:href="file://./alto/{name}"/></mets:file>'
        for n, name in enumerate(sorted(names))
    )
    ids = {name: f"F{n}" for n, name in enumerate(sorted(names))}
    order = "".join(
        f'<mets:div TYPE="PAGE"><mets:fptr FILEID="{ids[name]}"/></mets:div>' for name in names
    )
    return (
        '<mets:mets xmlns:mets="http://www.loc.gov/METS/" xmlns:xlink="x" LABEL="The Gazette">'
        f"<mets:dmdSec><mods:dateIssued>{day}</mods:dateIssued></mets:dmdSec><mets:fileSec>{files}"
        f'</mets:fileSec><mets:structMap TYPE="LOGICAL"><mets:fptr FILEID="F0"/></mets:structMap>'
        f'<mets:structMap TYPE="PHYSICAL">{order}</mets:structMap></mets:mets>'
    )


@pytest.fixture
def newspapers() -> dict[str, str]:
    files = {}
    for number, day in enumerate(("1890-05-03", "1890-05-10")):
        names = ["c.xml", "a.xml", "b.xml"]
        files[f"issue{number}/mets.xml"] = described(day, names)
        for place, name in enumerate(names):
            files[f"issue{number}/alto/{name}"] = ALTO.format(text(3 * number + place))
    return files


def test_pages_are_joined_in_the_order_of_their_mets(client, newspapers):
    page, words = seen(client, "news.zip", packed(newspapers))
    assert page.sample.documents == 2 and losses(page) == {"mets": 2}
    assert days(page) == ["1890-05-03", "1890-05-10"]
    first, second = page.sample.first
    assert first["title"] == "The Gazette, 1890-05-03"
    assert first["text"].split("\n\f") == [text(0), text(1), text(2)]
    assert second["text"].startswith(text(3))
    assert page.shaping["join"].value() == mets.DOCUMENT
    assert "say which pages are one document" in words


def test_lines_that_run_through_the_pages_are_left_out_and_counted_unless_they_are_wanted(client):
    line = '<TextLine><String CONTENT="{}"/></TextLine>'
    names = ["a.xml", "b.xml", "c.xml", "d.xml"]
    files = {"mets.xml": described("1890-05-03", names)}
    for number, name in enumerate(names):
        lines = line.format(f"THE GAZETTE {number}") + line.format(text(number))
        files[f"alto/{name}"] = (
            f"<alto><Layout><Page><TextBlock>{lines}</TextBlock></Page></Layout></alto>"
        )
    corpus, url = prepare(client, ("news.zip", packed(files)))
    page = client.get(url).context["page"]
    assert losses(page) == {"mets": 1, "running": 4}
    assert "GAZETTE" not in page.sample.first[0]["text"]
    sent = {**page.form.sent(), **page.shaping.sent()}
    assert sent.pop("running")
    page = client.post(url, sent | {"preview": "1"}).context["page"]
    assert losses(page) == {"mets": 1} and page.sample.first[0]["text"].count("GAZETTE") == 4


def test_several_pages_in_one_file_have_headers_too(client):
    pages = "".join(
        f"<div class='ocr_page'><span class='ocr_line'>THE GAZETTE {number}</span><span"
        f" class='ocr_line'>{text(number)}</span></div>"
        for number in range(4)
    )
    page, _ = seen(client, "a.hocr", f"<html><body>{pages}</body></html>")
    assert losses(page) == {"running": 4} and "GAZETTE" not in page.sample.first[0]["text"]


def test_issues_of_one_name_and_no_date_are_two(client, newspapers):
    plain = {
        name: content.replace("<mods:dateIssued>", "<x>").replace("</mods:dateIssued>", "</x>")
        for name, content in newspapers.items()
    }
    page, _ = seen(client, "news.zip", packed(plain))
    titles = {document["title"] for document in page.sample.first}
    assert titles == {"The Gazette", "The Gazette (news.zip/issue1/mets.xml)"}


@pytest.mark.parametrize("name", ["news.zip", "news.tar"])
def test_places_are_known_where_archives_are_read_for_good(tmp_path, newspapers, name):
    content = packed(newspapers)
    if name.endswith(".tar"):
        packing = io.BytesIO()
        with tarfile.open(fileobj=packing, mode="w") as archive:
            for inside, written in newspapers.items():
                info = tarfile.TarInfo(inside)
                info.size = len(written.encode())
                archive.addfile(info, io.BytesIO(written.encode()))
        content = packing.getvalue()
    path = tmp_path / name
    path.write_bytes(content)
    documents, _ = load(path, name)
    pages = [document.metadata[mets.PAGE] for document in documents]
    assert pages == ["1", "2", "3", "1", "2", "3"]
    assert {document.metadata[mets.DOCUMENT] for document in documents} == {
        "The Gazette, 1890-05-03",
        "The Gazette, 1890-05-10",
    }


def test_pages_without_a_mets_stay_apart(client, newspapers):
    apart = {name: content for name, content in newspapers.items() if "mets" not in name}
    page, _ = seen(client, "news.zip", packed(apart))
    assert page.sample.documents == 6 and page.shaping["join"].value() == ""


@pytest.mark.parametrize(
    "broken", ["", "<mets", "<mets:mets>" + "<file ID='a'>" * 9, "\x00<mets LABEL='" + "x" * 9000]
)
def test_a_damaged_mets_joins_nothing(client, newspapers, broken):
    page, _ = seen(client, "news.zip", packed(newspapers | {"issue0/mets.xml": broken}))
    assert page.sample.documents == 4  # three pages, and the other issue


@pytest.mark.parametrize(
    "part", ["<file ", "<mets ", "<structMap TYPE='PHYSICAL'>", "<FLocat href", "<mets LABEL = "]
)
def test_a_hostile_mets_takes_no_time(tmp_path, part):
    path = tmp_path / "mets.xml"
    path.write_text("<mets >" + part * (2_000_000 // len(part)))
    began = time.process_time()
    assert mets.pages(path, "mets.xml") == {}
    assert time.process_time() - began < 2
