"""The files that were read wrongly at 0.3.0, beside the project (../shared/inputs), as the form
proposes to read them: right, or said at the top of the preview."""

from pathlib import Path
from typing import NamedTuple

import pytest

from inference.text import Tokeniser
from tests.webapp.intake.file_formats.reading import load
from tests.webapp.intake.ingest.test_as_written import days, fields, losses, patient, seen
from tests.webapp.intake.ingest.test_upload import upload

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures(patient.__name__)]
__all__ = ["patient"]

FOLDER = Path(__file__).resolve().parents[5] / "shared/inputs"


class Expected(NamedTuple):
    """documents; the first and the last date; what is counted at the top; parts of the first text,
    and what it must not have; fields of the first document."""

    documents: int
    dates: tuple[str, ...] = ()
    counted: dict[str, int] = {}
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    fields: dict[str, str] = {}


RELEASES = Expected(60, ("2004-01-01", "2007-12-24"))
EXPECTED = {
    "02-merged-year.xlsx": Expected(12, ("1990-01-01", "1992-01-01"), fields={"Party": "Green"}),
    "05-sheet-per-year.xlsx": Expected(24, ("1999-01-01", "2001-01-01"), fields={"sheet": "1999"}),
    "09d-r-write-table-nodate.tsv": Expected(12, fields={"party": "Green"}),
    "101-ruby.html": Expected(1, lacks=("とうきょう",)),
    "10b-r-na.csv": Expected(48, counted={"mark": 12}, fields={"score": "103"}),
    "110-footnote-marks.html": Expected(1, has=("rose in the valley", "was lost.", "mc2")),
    "120-letters-pdf.zip": Expected(6, ("1890-05-03", "1895-05-08"), has=("London, 3 May 1890",)),
    "120e-named-by-year-plausible.zip": Expected(5, ("1950-01-01", "1954-01-01")),
    "122b-ids-without-zeros.zip": Expected(
        8, ("1850-01-01", "1857-01-01"), fields={"author": "Writer 0"}
    ),
    "130-likes-as-dates.csv": Expected(120, fields={"likes": "6305"}),
    "13d-backslash-newline.csv": Expected(10, has=('Line one "quoted"',)),
    "16-alto.zip": Expected(10, has=("The river rose in the",), lacks=("Software",)),
    "17-page-xml.zip": Expected(10, has=("The river rose in the\nspring",)),
    "20-tei.xml": Expected(
        1,
        has=("farmers of the valley rose", "the university and Mister", "went home. They slept"),
        lacks=("variantreading", "teh", "RUNNING", "vniuersitie"),
    ),
    "22-telegram-result.json": Expected(
        12, ("2021-01-01", "2021-01-12"), {"empty": 1}, has=("Look at https://example.org/x",)
    ),
    "24-slack-export.zip": Expected(
        18, ("2020-09-13", "2020-09-13"), {"no text field": 2, "file": 1}, lacks=("U1",)
    ),
    "30-two-columns.pdf": Expected(1, ("2026-11-27", "2026-11-27"), has=("country lost harvest",)),
    "35b-unknown-glyphs.pdf": Expected(1, counted={"letters": 4}),
    "42-arabic.jsonl": Expected(18),
    "43-hebrew.jsonl": Expected(18),
    "45-persian.jsonl": Expected(12),
    "47-long-s.jsonl": Expected(18),
    "49-ukrainian.jsonl": Expected(12),
    "61z-thai-months.csv": Expected(12, ("2021-05-03", "2023-03-12")),
    "62f-reddit-min.jsonl": Expected(12, ("2017-07-14", "2017-07-25")),
    "70-saved-pages.zip": Expected(4, counted={"saved page": 16}),
    "71b-wrong-meta.html": Expected(1, has=("Größe der Bäume", "–")),
    "71h-french-oe.html": Expected(1, has=("cœur de la sœur", "5 €")),
    "73b-blank-plain.mbox": Expected(5, ("2018-01-01", "2018-01-05"), has=("Only the html part",)),
    "86-cp932-names.zip": Expected(2),
    "dates-a_10Apr2006Clinton568.zip": RELEASES,
    "dates-b_10-Apr-2006.zip": RELEASES,
    "dates-c_10_Apr_2006.zip": RELEASES,
    "dates-d_10Apr2006_x.zip": RELEASES,
    "minutes_and_dates.zip": Expected(40, ("1998-02-15", "2008-05-15")),
}
REFUSED = {"33c-scan-with-stamp.pdf": ("on 10 of 10 pages", "ocrmypdf")}
# Language, and words that each stand for all ways in which the file has them
WORDS = {
    "42-arabic.jsonl": ("ar", {"كتب", "الطالب", "الدرس", "المدرسة"}),
    "43-hebrew.jsonl": ("he", {"בראשית", "ברא", "אלהים", "השמים", "צה״ל", "ארה״ב"}),
    "45-persian.jsonl": ("fa", {"دانشجویان", "دانشگاه"}),
    "47-long-s.jsonl": ("en", {"first", "house", "passed", "most", "necessary", "constitution"}),
    "49-ukrainian.jsonl": ("uk", {"подвірʼя", "сімʼя", "здоровʼя", "компʼютер", "обʼєднання"}),
}


@pytest.fixture(autouse=True)
def beside():
    if not FOLDER.exists():
        pytest.skip("the inputs are not beside the project")


def test_every_input_is_expected():
    there = {path.name for path in FOLDER.iterdir()} - {"README.md"}
    assert there == {*EXPECTED, *REFUSED}


@pytest.mark.parametrize("name", EXPECTED)
def test_input(client, name):
    expected = EXPECTED[name]
    page, words = seen(client, name, (FOLDER / name).read_bytes())
    first = page.sample.first[0]
    assert page.sample.documents == expected.documents
    assert tuple(page.sample.dates) == expected.dates
    assert losses(page) == expected.counted and bool(expected.counted) == ("left-out" in words)
    assert [part for part in expected.has if part not in first["text"]] == []
    assert [part for part in expected.lacks if part in first["text"]] == []
    assert fields(first).items() >= expected.fields.items()
    assert all(days(page)) or not expected.dates


@pytest.mark.parametrize("name", REFUSED)
def test_input_that_is_refused(client, name):
    answer = upload(client, (name, (FOLDER / name).read_bytes()))
    assert answer.status_code == 400
    assert [part for part in REFUSED[name] if part not in answer.content.decode()] == []


@pytest.mark.parametrize("name", WORDS)
def test_words_of_an_input(name):
    language, expected = WORDS[name]
    documents, _ = load(FOLDER / name, name)
    tokeniser = Tokeniser(language)
    found = {word for document in documents for _, _, word in tokeniser.spans(document.text)}
    assert expected <= found
    assert not {word for word in found if len(word) == 1 and word.isalpha() and language == "he"}


def test_names_in_an_archive_of_windows(client):
    page, _ = seen(client, "86-cp932-names.zip", (FOLDER / "86-cp932-names.zip").read_bytes())
    titles = [document["title"] for document in page.sample.first]
    assert titles == ["河川の記録一", "議会討論録二番"]
