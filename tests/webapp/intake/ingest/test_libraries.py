"""Libraries of references with the files of their items beside them."""

import pytest

from benchmarks.faithful.pdf_file import Letters, pdf
from benchmarks.faithful.written import packed
from tests.webapp.intake.file_formats.test_examples import FOLDER
from tests.webapp.intake.ingest.test_as_written import days, fields, losses, patient, seen, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures(patient.__name__)]
__all__ = ["patient"]

LIBRARY = (FOLDER / "library.rdf").read_text(encoding="utf-8")


def printed(words: str) -> bytes:
    return pdf([[Letters(60, 700, words)]])


def test_a_library_by_itself_has_a_document_for_each_item(client):
    page, _ = seen(client, "library.rdf", LIBRARY)
    assert page.sample.documents == 2 and losses(page) == {"no abstract": 1}
    first, second = page.sample.first
    assert first["title"] == "Of peace and tariffs" and first["day"] == "1990-05-03"
    assert first["text"].startswith("The address speaks") and second["day"] == "1991-01-01"
    assert fields(first)["author"] == "Lee, Anna; Möller, Bo"
    assert fields(first)["journal"] == "Journal of Addresses"
    assert second["text"] == second["title"] == "The canals of the north"


def test_a_library_beside_its_files_is_about_them(client):
    files = {"export/library.rdf": LIBRARY.encode()}
    files["export/files/2/Lee and Möller - 1990 - Of peace.pdf"] = printed(text(1))
    page, words = seen(client, "export.zip", packed(files))
    assert page.sample.documents == 1 and days(page) == ["1990-05-03"]
    (document,) = page.sample.first
    assert document["title"] == "Of peace and tariffs" and text(1) in document["text"]
    assert fields(document)["journal"] == "Journal of Addresses"
    assert "is read as a table about the files" in words


def test_a_table_of_a_library_names_files_by_where_they_were(client):
    """Zotero's CSV, with the storage folder."""
    rows = '"Key","Title","Author","Publication Year","Publication Title","File Attachments"\n'
    files = {}
    for number in range(4):
        place = f"storage/AB12CD3{number}/Lee {number}.pdf"
        files[place] = printed(text(number))
        where = f"/home/anna/Zotero/{place}; /home/anna/Zotero/storage/EF{number}/Snapshot.html"
        rows += f'"K{number}","Of rivers {number}","Lee, Anna","199{number}","Journal","{where}"\n'
    page, words = seen(client, "zotero.zip", packed({"My Library.csv": rows, **files}))
    assert page.sample.documents == 4 and days(page)[0] == "1990-01-01"
    assert fields(page.sample.first[0])["Author"] == "Lee, Anna"
    assert page.sample.first[0]["title"] == "Of rivers 0"


def test_other_rdf_is_refused_with_what_was_expected(client):
    from tests.webapp.intake.ingest.test_upload import upload

    answer = upload(client, ("a.rdf", b'<rdf:RDF xmlns:rdf="r"><x/></rdf:RDF>'))
    assert answer.status_code == 400 and "Zotero exported as RDF" in answer.content.decode()
