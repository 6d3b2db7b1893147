"""The page of how a corpus is read: sections, joining, tables about files, sheets; and what stays
chosen when it is shown again."""

from dataclasses import asdict
from pathlib import Path

import pytest

from tests.corpora import as_csv, example_rows
from tests.webapp.intake.ingest.test_prepare import changed
from tests.webapp.intake.ingest.test_upload import fields, prepare
from tests.webapp.page_text import in_one_line
from webapp.intake.ingest.sample import limits

pytestmark = pytest.mark.django_db
FORMATS = Path(__file__).parents[4] / "docs" / "formats"


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """On a busy machine, too, all of a small file is read."""
    monkeypatch.setattr(limits, "MOST_SECONDS", 60.0)


def book(chapters: int) -> bytes:
    return "\n\n".join(
        f"CHAPTER {i}\n\n" + f"Words of chapter {i} on ships and harbours. " * 40
        for i in range(1, chapters + 1)
    ).encode()


def test_sections_are_shown_as_they_will_be_read_and_kept(client):
    corpus, url = prepare(client, ("book.txt", book(6)))
    assert client.get(url).context["page"].sample.documents == 1
    shown = changed(client, url, sections="headings", marker="CHAPTER")
    assert shown.context["page"].sample.documents == 6 and shown.context["page"].words.of == 6
    assert "part 2 of 6" in shown.content.decode()
    assert (
        client.post(
            url, fields(client, url) | {"sections": "headings", "marker": "CHAPTER"}
        ).status_code
        == 302
    )
    corpus.refresh_from_db()
    assert (
        corpus.settings["shaping"]["sections"] == "headings"
        and corpus.settings["shaping"]["marker"] == "CHAPTER"
    )


def test_documents_are_joined_and_names_give_fields(client):
    files = [
        (f"{year}_{who}.txt", f"A letter of {who}, {year}. ".encode() * 9)
        for year in (1901, 1902)
        for who in ("adams", "burke")
    ]
    _, url = prepare(client, *files)
    shown = (
        changed(client, url, pattern="{year}_{author}.txt", join="author").context["page"].sample
    )
    assert shown.documents == 2 and {
        tuple(field) for document in shown.first for field in document["fields"]
    } >= {("author", "adams", "category")}


def test_what_is_wrong_with_shaping_is_said_and_not_done(client):
    corpus, url = prepare(client, ("book.txt", book(3)))
    answer = client.post(url, fields(client, url) | {"sections": "words", "length": "10"})
    assert answer.status_code == 400 and "A section has from 50" in answer.content.decode()
    assert "Correct what is marked" in changed(client, url, sections="verses").content.decode()
    corpus.refresh_from_db()
    assert corpus.status == "draft" and not corpus.settings


def test_a_table_about_the_files_is_found_and_can_be_refused(client):
    letters = [
        (f"letter{i}.txt", f"Letter {i}, on ships and harbours. ".encode() * 5) for i in range(4)
    ]
    table = as_csv(
        [["file", "author"], *([name, f"Author {i}"] for i, (name, _) in enumerate(letters))]
    )
    corpus, url = prepare(client, ("about.csv", table), *letters)
    shown = client.get(url)
    assert (
        "4 of its first 4 rows name another file" in in_one_line(shown)
        and shown.context["page"].sniff.options.format == "text"
    )
    assert ["author", "Author 0", "category"] in shown.context["page"].sample.first[0]["fields"]
    form = shown.context["page"].shaping
    chosen = fields(client, url) | {name: form[name].value() for name in ("table", "key")}
    refused = client.post(url, chosen | {"table": "", "preview": "1"}).context["page"]
    assert refused.sniff.options.format == "text" and refused.sample.left_out == {"about": 1}
    assert (
        client.post(url, chosen | {"table": "letter1.txt", "preview": "1"})
        .context["page"]
        .shaping.errors
    )
    wrong = client.post(url, chosen | {"key": "no such column"})
    assert (
        wrong.status_code == 400
        and wrong.context["page"].shaping.errors
        and "no such column" in wrong.content.decode()
    )
    assert client.post(url, chosen).status_code == 302
    corpus.refresh_from_db()
    assert (corpus.settings["shaping"]["table"], corpus.settings["shaping"]["key"]) == (
        "about.csv",
        "file",
    )


def test_no_table_is_offered_where_there_is_one_file(client):
    _, url = prepare(client, ("a.csv", as_csv(example_rows(20))))
    assert (
        'name="sections"' in (page := client.get(url).content.decode())
        and 'name="table"' not in page
    )


def test_a_sheet_is_chosen_and_its_first_row_can_be_a_document(client):
    corpus, url = prepare(client, ("a.xlsx", (FORMATS / "addresses.xlsx").read_bytes()))
    shown = client.get(url)
    assert [value for value, _ in shown.context["page"].form.fields["sheet"].choices] == [
        "*",
        "Addresses",
        "Later",
    ]
    assert (
        "delimiter" not in shown.context["page"].form.fields
        and shown.context["page"].sample.documents == 4
    )
    first = client.post(url, fields(client, url) | {"sheet": "Addresses", "preview": "1"})
    values = first.context["page"].form.sent() | {"columns": first.context["page"].columns}
    assert first.context["page"].sample.documents == 3
    without = client.post(
        url, {name: value for name, value in values.items() if name != "header"} | {"preview": "1"}
    )
    assert (
        without.context["page"].sample.documents == 4
        and without.context["page"].form["text"].value() == "4"
    )
    later = client.post(url, values | {"sheet": "Later", "preview": "1"})
    assert (
        later.context["page"].sniff.options.sheet == "Later"
        and later.context["page"].columns != values["columns"]
    )
    assert (
        client.post(url, values | {"sheet": "None such", "preview": "1"})
        .context["page"]
        .form.errors
    )
    assert client.post(url, values).status_code == 302
    corpus.refresh_from_db()
    assert (
        corpus.settings["options"]["sheet"] == "Addresses" and corpus.settings["options"]["header"]
    )


def test_columns_kinds_and_the_order_of_dates_stay_when_it_is_shown_again(client):
    rows = [["id", "one", "two", "grade", "text"]]
    rows += [
        [
            str(i),
            "1999-03-04",
            f"{i % 9 + 1}/{i % 7 + 2}/1999",
            str(i % 3),
            f"words of text number {i} " * 9,
        ]
        for i in range(40)
    ]
    _, url = prepare(client, ("a.csv", as_csv(rows)))
    values = fields(client, url) | {
        "columns": client.get(url).context["page"].columns,
        "date": "2",
        "date_order": "mdy",
        "kind_3": "number",
        "title": "0",
        "id": "",
    }
    form = client.post(url, values | {"encoding": "cp1252", "preview": "1"}).context["page"].form
    assert [form[name].value() for name in ("date", "date_order", "kind_3", "title", "kind_1")] == [
        "2",
        "mdy",
        "number",
        "0",
        "date",
    ]
    headless = {name: value for name, value in values.items() if name != "header"}
    form = client.post(url, headless | {"preview": "1"}).context["page"].form
    assert [form[name].value() for name in ("date", "date_order", "kind_3")] == [
        "2",
        "mdy",
        "number",
    ]


def test_a_page_says_why_some_shared_lines_are_ticked(client):
    """Of three maintainers' lines one was ticked, and nothing said why."""
    rows = [["text"]]
    for number, row in enumerate(example_rows(40)[1:]):
        speech = row[-1][:2000]
        maintainer = ""
        if number % 2:
            maintainer = "Julian Klode\n"
        elif number % 8 == 0:
            maintainer = "Marc Haber\n"
        rows.append([maintainer + speech])
    _, url = prepare(client, ("changes.csv", as_csv(rows)))
    page = client.get(url)
    shown = in_one_line(page)
    chosen = {silence.label: silence.chosen for silence in page.context["page"].silences}
    ticked = [label for label in chosen if "Julian Klode" in label and chosen[label]]
    unticked = [label for label in chosen if "Marc Haber" in label and not chosen[label]]
    assert ticked and unticked
    assert (
        "ticked if at least a quarter of these texts have it; rarer ones are left to you" in shown
    )


@pytest.mark.parametrize("sections", ["", "paragraphs"])
def test_how_many_documents_there_are_is_told_from_the_beginning(client, monkeypatch, sections):
    monkeypatch.setattr(limits, "MOST_DOCUMENTS", 400)
    text = "\n\n".join(
        f"Paragraph {i} of a long text. " + "words of some length on ships and harbours " * 20
        for i in range(1000)
    )
    _, url = (
        prepare(client, ("a.txt", text.encode()))
        if sections
        else prepare(client, ("a.csv", as_csv(example_rows(3000))))
    )
    shown = changed(client, url, sections=sections)
    assert shown.context["page"].sample.beginnings and shown.context["page"].sample.documents == 400
    assert shown.context["page"].words.of == pytest.approx(1000 if sections else 3000, rel=0.5)
    assert (
        "Estimated from 400 of them, at the beginning of the file. If the file is sorted"
        in in_one_line(shown)
    )


def test_the_settings_of_a_corpus_that_failed_come_back(client):
    corpus, url = prepare(client, ("book.txt", book(3)))
    client.post(url, fields(client, url) | {"sections": "words", "length": "60", "least": "50"})
    corpus.refresh_from_db()
    corpus.status = "failed"
    corpus.save()
    shown = client.get(url).context["page"].shaping
    assert asdict(shown.shaping())["length"] == 60 and shown["sections"].value() == "words"


def test_numbers_in_a_few_names_are_no_dates_unless_one_takes_them(client):
    """Of 3,185 pages ten are called after chips, such as max1619."""
    names = ["max1619", *(f"driver {letter}" for letter in "abcdef")]
    files = [
        (f"{name}.txt", f"The chip of {name} measures temperatures. ".encode() * 9)
        for name in names
    ]
    corpus, url = prepare(client, *files)
    answer = client.get(url)
    page = answer.context["page"]
    assert not page.sample.dates and page.shaping["name_dates"].value() == "none"
    assert "1 of 7 documents without a date has what may be one" in in_one_line(answer)
    taken = changed(client, url, name_dates="")
    assert taken.context["page"].sample.dates == ["1619-01-01", "1619-01-01"]
    assert "from names of files (1 of 7 documents)" in in_one_line(taken)
    proposed = client.post(url, {"propose": "1"}).context["page"].shaping.sent()
    client.post(url, fields(client, url) | proposed)
    corpus.refresh_from_db()
    assert corpus.settings["shaping"]["name_dates"] == "none"


def test_dates_in_most_names_are_taken_unless_one_refuses_them(client):
    years = range(1901, 1907)
    files = [(f"adams_{year}.txt", f"A letter of {year}. ".encode() * 9) for year in years]
    _, url = prepare(client, *files)
    answer = client.get(url)
    assert answer.context["page"].sample.dates == ["1901-01-01", "1906-01-01"]
    assert "from names of files (6 of 6 documents)" in in_one_line(answer)
    refused = changed(client, url, name_dates="none").context["page"].sample
    assert not refused.dates and refused.untaken_dates == 6


def test_the_day_on_which_one_file_of_many_was_made_is_no_date(client):
    """A PDF among texts says when it was made."""
    pdf = ("address.pdf", (FORMATS / "address.pdf").read_bytes())
    texts = [(f"{letter}.txt", b"The river rose in the spring. " * 9) for letter in "abc"]
    _, url = prepare(client, pdf)
    alone = client.get(url).context["page"]
    assert alone.sample.dates and alone.shaping["made"].value()
    _, url = prepare(client, pdf, *texts)
    among_texts = client.get(url).context["page"]
    assert among_texts.sample.made == 1 and not among_texts.shaping["made"].value()
