"""A book of 30 chapters, cut by its headings, read and trained: what is shown of the whole is the
sum of its sections."""

import csv
import io
import zipfile
from dataclasses import asdict

import numpy as np
import pytest
from django.urls import reverse

from tests.corpora import example_rows
from tests.webapp.making import run_on
from tests.webapp.taking import taken
from webapp.core.curation import services as curation
from webapp.core.documents import whole_documents
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Corpus, Document

pytestmark = pytest.mark.django_db

CHAPTERS = 30
TITLE = "moby <b>dick"


def book() -> bytes:
    rows = example_rows(CHAPTERS + 20)
    text = rows[0].index("text")
    chapters = [
        f"# Chapter {n} <i>\n\n{row[text][:4000]}\n\n"
        for n, row in enumerate(rows[1 : CHAPTERS + 1], 1)
    ]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for n, row in enumerate(rows[CHAPTERS + 1 :]):
            archive.writestr(f"short/s{n}.txt", row[text][:3000])
        archive.writestr(f"books/{TITLE}.txt", "".join(chapters))
        archive.writestr(
            "meta.csv", f'file,author,year\n"{TITLE}",Melville,1851\nnone,Nobody,1900\n'
        )
    return buffer.getvalue()


@pytest.fixture(scope="module")
def run(draft, django_db_setup, django_db_blocker):
    from tasks.corpora import read_corpus
    from webapp.intake.ingest import corpora, guesses
    from webapp.intake.ingest.shaping import Shaping

    with django_db_blocker.unblock():
        corpus = draft(book(), "all.zip")
        table = guesses.guess_table(corpus)
        assert table.name == "all.zip/meta.csv" and table.key == "file"
        shaping = Shaping(sections="headings", names=True, table=table.name, key=table.key)
        sniff = guesses.sniff(corpus)
        assert not sniff.columns, "the table about the files is not what is read"
        corpora.read(
            corpus,
            corpora.ReadingSettings(
                options=asdict(sniff.options),
                language="en",
                min_documents=2,
                shaping=asdict(shaping),
            ),
        )
        read_corpus(corpus.pk)
        corpus.refresh_from_db()
        assert corpus.status == "ready", corpus.error
        yield run_on(corpus, seed=1, topics=5, passes=3)


FIRST = 20  # the short ones come before


def test_the_chapters_are_documents(run):
    sections = list(
        Document.objects.filter(corpus_id=run.corpus_id, parts__gt=1).order_by("number")
    )
    assert [document.number for document in sections] == list(range(FIRST, FIRST + CHAPTERS))
    assert [document.part for document in sections] == list(range(1, CHAPTERS + 1))
    assert {(document.parts, document.whole, document.date_text) for document in sections} == {
        (CHAPTERS, TITLE, "1851")
    }
    assert all(
        document.metadata["author"] == "Melville" and document.metadata["folder 1"] == "books"
        for document in sections
    )
    assert sections[4].title == f"{TITLE} · Chapter 5 <i>" and "Chapter 5" in sections[4].text
    problems = " ".join(problem["message"] for problem in run.corpus.report["problems"])
    assert "no document is named “none”" in problems and "no headings" in problems


def test_the_whole_is_the_sum_of_its_sections(client, run):
    data = client.get(reverse("run_whole_json", args=[run.pk, FIRST])).json()
    of = evidence.of(run)
    expected = np.zeros(run.topics, int)
    for number in range(FIRST, FIRST + CHAPTERS):
        np.add.at(expected, of.mixtures.of_document(number)[0], of.mixtures.of_document(number)[1])
    assert {part["number"]: part["tokens"] for part in data["proportions"]} == {
        k: n for k, n in enumerate(expected.tolist()) if n
    }
    assert [section["tokens"] for section in data["sections"]] == of.lengths[
        FIRST : FIRST + CHAPTERS
    ].tolist()
    assert (
        sum(step["tokens"] for step in data["strip"]) == expected.sum()
        and len(data["strip"]) == CHAPTERS
    )
    for step, number in zip(data["strip"], range(FIRST, FIRST + CHAPTERS), strict=True):
        topics, tokens = of.mixtures.of_document(number)
        assert dict(step["topics"]) == pytest.approx(
            {k: n / tokens.sum() for k, n in zip(topics.tolist(), tokens.tolist(), strict=True)}
        )
    words = Document.objects.filter(corpus_id=run.corpus_id, number__gte=FIRST).values_list(
        "words", flat=True
    )
    assert data["whole"]["words"] == sum(words) and data["whole"]["parts"] == CHAPTERS
    api = client.get(f"/api/v1/runs/{run.pk}/wholes/{FIRST + 3}").json()
    assert api["first"] == FIRST and {part["number"]: part["tokens"] for part in api["topics"]} == {
        k: n for k, n in enumerate(expected.tolist()) if n
    }


def test_merged_topics_are_counted_as_one(client, run):
    before = whole_documents.mixture(
        RunView(run), whole_documents.WholeDocument(FIRST, CHAPTERS, TITLE)
    )
    curation.change(run, 1, {"into": "0"}, by="owner")
    data = client.get(reverse("run_whole_json", args=[run.pk, FIRST])).json()
    tokens = {part["number"]: part["tokens"] for part in data["proportions"]}
    assert tokens[0] == before[0] + before[1] and 1 not in tokens
    assert all(k != 1 for step in data["strip"] for k, _ in step["topics"])


def test_sections_come_before_topics_and_the_largest_are_named_above_them(client, run):
    """In this order a phone shows them, and a screen reader reads them."""
    html = client.get(reverse("run_whole", args=[run.pk, FIRST])).content.decode()
    places = [html.index(mark) for mark in ('class="in-short"', 'id="sections"', 'id="made-of"')]
    assert places == sorted(places)


def test_long_wholes_are_shown_in_steps_and_pages(client, run, monkeypatch):
    monkeypatch.setattr(whole_documents, "STRETCHES", 7)
    monkeypatch.setattr(whole_documents, "PAGE", 12)
    url = reverse("run_whole_json", args=[run.pk, FIRST])
    data = client.get(url).json()
    assert [step["parts"] for step in data["strip"]] == [5, 4, 4, 5, 4, 4, 4] and [
        step["part"] for step in data["strip"]
    ][:3] == [1, 6, 10]
    of = evidence.of(run)
    assert data["strip"][1]["tokens"] == of.lengths[FIRST + 5 : FIRST + 9].sum()
    seen = []
    after = 0
    while after is not None:
        data = client.get(url, {"after": after}).json()
        seen += [section["number"] for section in data["sections"]]
        after = after + 12 if data["next"] else None
    assert seen == list(range(FIRST, FIRST + CHAPTERS))
    assert (
        client.get(url, {"after": 10**15}).status_code == 200
        and client.get(url, {"after": "x"}).status_code == 400
    )


@pytest.mark.parametrize("kind", ["run", "corpus"])
def test_pages(client, run, kind):
    owner = run.pk if kind == "run" else run.corpus_id
    html = client.get(reverse(f"{kind}_whole", args=[owner, FIRST])).content.decode()
    assert (
        "moby &lt;b&gt;dick" in html
        and "Chapter 5 &lt;i&gt;" in html
        and f"cut into {CHAPTERS} sections" in html
        and "Melville" in html
    )
    assert html.count(reverse(f"{kind}_document", args=[owner, FIRST + 4])) >= 1
    section = client.get(reverse(f"{kind}_document", args=[owner, FIRST + 4])).content.decode()
    assert (
        f"Section 5 of {CHAPTERS} of" in section
        and reverse(f"{kind}_whole", args=[owner, FIRST]) in section
    )
    assert client.get(reverse(f"{kind}_whole", args=[owner, FIRST + 4])).url == reverse(
        f"{kind}_whole", args=[owner, FIRST]
    )
    assert client.get(reverse(f"{kind}_whole_json", args=[owner, FIRST + 4])).url == reverse(
        f"{kind}_whole_json", args=[owner, FIRST]
    )
    # The chosen set and the place in the list stay
    asked = "?q=whale&after=10"
    assert client.get(reverse(f"{kind}_whole", args=[owner, FIRST + 4]) + asked).url == (
        reverse(f"{kind}_whole", args=[owner, FIRST]) + asked
    )
    assert client.get(reverse(f"{kind}_whole_json", args=[owner, FIRST + 4]) + asked).url == (
        reverse(f"{kind}_whole_json", args=[owner, FIRST]) + asked
    )
    assert (
        "It was not cut" in client.get(reverse(f"{kind}_whole", args=[owner, 0])).content.decode()
    )
    assert client.get(reverse(f"{kind}_whole", args=[owner, 10**12])).status_code == 404
    assert client.post(reverse(f"{kind}_whole", args=[owner, FIRST])).status_code == 405


@pytest.mark.parametrize("name", ["documents", "document-topics", "document-topics-wide"])
def test_tables_say_which_whole(run, name):
    for row in csv.DictReader(io.StringIO(taken(run, f"{name}.csv").decode())):
        number = int(row["document"])
        cut = number >= FIRST
        assert (int(row["whole"]), int(row["part"])) == (
            (FIRST, number - FIRST + 1) if cut else (number, 1)
        )


@pytest.mark.django_db(transaction=True)
def test_sections_in_a_part_are_a_whole_there(run):
    from tasks.corpora import read_corpus
    from webapp.intake.ingest import corpora

    numbers = np.array([3, FIRST, FIRST + 4, FIRST + 5, FIRST + 29])
    part = corpora.create_subset(
        run.corpus,
        numbers,
        "part",
        corpora.ReadingSettings(language="en", min_documents=1, max_share=1.0),
        {},
    )
    read_corpus(part.pk)
    assert Corpus.objects.get(pk=part.pk).status == "ready"
    found = (
        Document.objects.filter(corpus_id=part.pk)
        .order_by("number")
        .values_list("part", "parts", "whole")
    )
    assert list(found) == [(1, 1, ""), (1, 4, TITLE), (2, 4, TITLE), (3, 4, TITLE), (4, 4, TITLE)]
