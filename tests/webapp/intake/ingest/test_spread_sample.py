"""A sample of an archive, or of many files, is spread evenly over it, so that what is said of
languages, documents and words is said of all of it."""

import random

import pytest

from tests.corpora import as_csv
from tests.webapp.intake.ingest.test_as_written import seen, zipped
from tests.webapp.intake.ingest.test_prepare import IN
from tests.webapp.intake.ingest.test_upload import prepare
from tests.webapp.page_text import in_one_line
from webapp.intake import file_formats
from webapp.intake.ingest.sample import limits

pytestmark = pytest.mark.django_db
DOCUMENTS = 40  # that are read of 400


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """A sample of few documents; on a busy machine, too, all of them are read."""
    monkeypatch.setattr(limits, "MOST_SECONDS", 60.0)
    monkeypatch.setattr(limits, "CHARACTERS", 40_000)
    monkeypatch.setattr(limits, "MOST_DOCUMENTS", DOCUMENTS)
    monkeypatch.setattr(limits, "COUNTED_CHARACTERS", 0)


def letters(languages: dict[str, int]) -> dict[str, str]:
    """Names and texts, each language in a folder of its own."""
    draw = random.Random(0)
    return {
        f"{number}-{code}/{i:03}.txt": IN[code] * draw.randint(1, 12) + f" {draw.random()} {i}"
        for number, (code, count) in enumerate(languages.items())
        for i in range(count)
    }


def test_the_languages_of_an_archive_are_those_of_all_its_parts(client):
    """Of 3,185 pages the last 337 were translations, and all were called English."""
    page, words = seen(client, "a.zip", zipped(letters({"en": 320, "de": 80})))
    assert page.sample.documents == DOCUMENTS and page.sample.spread
    assert page.sample.text_languages == {"en": 32, "de": 8}
    assert "English 80%, German 20%" in words
    assert f"of {DOCUMENTS} documents, spread evenly over the archive" in words
    assert f"Estimated from {DOCUMENTS} of them, spread evenly over the archive." in words
    assert "Some of the documents, as they will be read" in words


def test_documents_of_an_archive_are_counted_by_their_names(client):
    page, words = seen(client, "a.zip", zipped(letters({"en": 400})))
    assert page.sample.counted and page.words.of == 400 and "<dd>400</dd>" in words
    others = {"picture.png": "no text", "__MACOSX/._000.txt": "a note", "README": "a text"}
    page, _ = seen(client, "a.zip", zipped(letters({"en": 400}) | others))
    assert page.sample.counted and page.words.of == 401


def test_where_some_can_not_be_read_the_number_is_an_estimate(client):
    files = letters({"en": 300}) | {f"empty/{i}.txt": "" for i in range(100)}
    page, words = seen(client, "a.zip", zipped(files))
    assert page.sample.left_out and not page.sample.counted
    assert page.words.of == pytest.approx(300, rel=0.1) and "about 3" in words


def test_too_many_names_are_not_counted(client, monkeypatch):
    monkeypatch.setattr(limits, "MOST_COUNTED_NAMES", 100)
    page, _ = seen(client, "a.zip", zipped(letters({"en": 400})))
    assert not page.sample.counted and page.words.of == pytest.approx(400, rel=0.25)


def test_names_of_pictures_are_too_many_as_well(client, monkeypatch):
    monkeypatch.setattr(limits, "MOST_COUNTED_NAMES", 450)
    pictures = {f"{i}.png": "no text" for i in range(100)}
    page, _ = seen(client, "a.zip", zipped(letters({"en": 400}) | pictures))
    assert not page.sample.counted


def test_a_sample_is_kept_where_no_time_is_left_to_count(client, monkeypatch):
    def count_single(*_):
        raise file_formats.looking.Exhausted("It took too long.")

    monkeypatch.setattr(file_formats, "count_single", count_single)
    page, _ = seen(client, "a.zip", zipped(letters({"en": 400})))
    assert not page.trouble
    assert page.sample.documents == DOCUMENTS and not page.sample.counted


def test_characters_are_estimated_from_all_parts(client):
    files = {f"{i:03}.txt": IN["en"] * (1 + i // 20) for i in range(400)}
    page, _ = seen(client, "a.zip", zipped(files))
    assert page.sample.of_characters == pytest.approx(sum(map(len, files.values())), rel=0.2)


def test_many_files_are_read_as_long_as_there_is_room(client):
    files = letters({"en": 90, "de": 30})
    _, url = prepare(client, *((name, text.encode()) for name, text in files.items()))
    answer = client.get(url)
    page = answer.context["page"]
    assert page.sample.files == page.sample.documents == DOCUMENTS and page.words.of == 120
    assert page.sample.text_languages["de"] == pytest.approx(10, abs=2)
    assert f"of {DOCUMENTS} documents, spread evenly over the 120 files" in in_one_line(answer)


def test_tables_in_an_archive_give_their_beginnings(client):
    tables = {}
    for month in range(1, 11):
        rows = [[f"{month}-{row}", IN["de" if month > 5 else "en"] + str(row)] for row in range(90)]
        tables[f"{month:02}.csv"] = as_csv([["id", "text"], *rows]).decode()
    page, words = seen(client, "a.zip", zipped(tables))
    assert page.sample.text_languages == {"en": 20, "de": 20}
    assert "at the beginnings of files that are spread evenly over the archive" in words
    assert page.words.of == pytest.approx(900, rel=0.5)


def test_one_table_in_an_archive_is_read_from_its_beginning(client):
    rows = [[str(row), IN["en"] + str(row)] for row in range(900)]
    page, words = seen(client, "a.zip", zipped({"a.csv": as_csv([["id", "text"], *rows]).decode()}))
    assert not page.sample.spread and "at the beginning of the file. If the file is sorted" in words


def test_the_same_files_give_the_same_sample(client):
    archive = zipped(letters({"en": 320, "de": 80}))
    first, _ = seen(client, "a.zip", archive)
    second, _ = seen(client, "a.zip", archive)
    assert first.sample.first == second.sample.first
    assert first.words == second.words or first.words.kept == second.words.kept


def test_where_no_file_can_be_read_it_stops_after_a_few(client, monkeypatch):
    monkeypatch.setattr(limits, "MOST_SECONDS", -1.0)
    monkeypatch.setattr(limits, "MOST_FILES", 5)
    _, url = prepare(client, *((f"{i}.txt", b" \n" * 2_000) for i in range(30)))
    page = client.get(url).context["page"]
    assert page.sample.files == 5 and page.sample.documents == 0
    assert page.trouble.startswith("No document could be read")
    assert "has no text in it" in page.trouble
