"""Documents that the model reads in sections: they stay whole on every page and in every count."""

import csv
import io
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from django.http import QueryDict
from django.urls import reverse

from inference.text import Tokeniser
from tests.corpora import as_csv, example_rows
from tests.webapp.making import corpus_of, run_on
from tests.webapp.page_text import in_one_line
from tests.webapp.taking import taken
from webapp.analysis.words import concordance, patterns, senses
from webapp.core.documents.selection import Selection
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.intake.file_formats import looking
from webapp.intake.ingest import version_history, versions
from webapp.intake.ingest.corpus_settings import VocabularySettings
from webapp.intake.ingest.sample import limits
from webapp.intake.ingest.word_estimates import SectionedDocuments
from webapp.models import Version, Word
from webapp.service.exports import sizes
from webapp.service.exports.export_query import read_source

pytestmark = pytest.mark.django_db
SIZE = 100


def rows() -> list[list[str]]:
    """40 documents: every second is six sections of the example, the others are a short one
    each."""
    own = example_rows(200)[1:]
    made = [["id", "title", "date", "text"]]
    while own and len(made) <= 40:
        part = [own.pop(0) for _ in range(6 if len(made) % 2 else 1)]
        text = "\n\n".join(row[5] for row in part)
        made.append(
            [f"d{len(made)}", part[0][1], part[0][2], text if len(part) > 1 else text[:400]]
        )
    return made


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """On a busy machine, too, all of a small file is looked at."""
    monkeypatch.setattr(limits, "MOST_SECONDS", 60.0)
    monkeypatch.setattr(looking, "PAGE_SECONDS", 300.0)


@pytest.fixture(scope="module")
def run(draft, django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        corpus = corpus_of(
            draft, rows(), "long.csv", language="en", min_documents=2, section_words=SIZE
        )
        yield run_on(corpus, seed=1, topics=5, passes=4)


def test_documents_are_counted_whole(run):
    version = run.version
    counted = evidence.of(run)
    assert (
        version.documents == run.corpus.documents == 40 == counted.document_bow.D
        and version.rows == counted.section_bow.D > 100
    )
    assert version.report["cut"] == 20
    vocabulary = list(
        Word.objects.filter(version=version.pk).order_by("number").values_list("word", "documents")
    )
    texts = [[w for _, _, w in Tokeniser("en").spans(row[3])] for row in rows()[1:]]
    for word, documents in vocabulary[::9]:
        assert documents == sum(word in words for words in texts)
    assert counted.lengths.sum() == version.tokens and counted.topic_documents.counts.max() <= 40


def test_lines_of_a_word_are_all_that_the_texts_have(run):
    view = RunView(run)
    word = Word.objects.filter(version=run.version_id).order_by("number")[2]
    selection = Selection.all(view)
    uses = senses.uses(view, word, selection)
    lines = concordance.page(selection, uses, None, limit=5000)
    places = [(row.document, row.at) for row in lines.lines]
    assert sorted(places) == [
        (d, at)
        for d, row in enumerate(rows()[1:])
        for at, _, w in Tokeniser("en").spans(row[3])
        if w == word.word
    ]


def test_hits_of_a_pattern_have_the_topics_of_their_sections(run):
    view = RunView(run)
    word = Word.objects.filter(version=run.version_id).order_by("number")[2]
    selection = Selection.all(view)
    uses = senses.uses(view, word, selection)
    every = patterns.hits(selection, word.word, None)
    assert every.counts.sum() == uses.counts.sum()
    for topic in range(run.topics):
        hits = patterns.hits(selection, word.word, topic)
        assert hits.counts.sum() == uses.counts[uses.pairs(topic)].sum()
        lines = concordance.page(selection, uses, topic, "document", limit=5000).lines
        assert sorted(patterns.page(selection, hits, "document", 0, 5000).lines, key=str) == sorted(
            lines, key=str
        )


def test_of_a_document_under_embargo_no_more_lines_are_shown_for_its_sections():
    documents = np.array([3, 1, 3, 3, 1, 2])
    counts = np.array([1, 5, 1, 4, 1, 1])
    assert concordance.allowed_tokens(documents, counts, 3).tolist() == [1, 3, 1, 1, 0, 1]


@pytest.mark.parametrize("name", ["run", "run_documents", "run_topic", "run_document", "run_words"])
def test_pages_show_documents(client, run, name):
    arguments = {"run_topic": [run.pk, 0], "run_document": [run.pk, 0]}.get(name, [run.pk])
    assert client.get(reverse(name, args=arguments), follow=True).status_code == 200


def test_exports_have_documents_and_sections(client, run):
    def table(name: str) -> list[dict]:
        return list(csv.DictReader(io.StringIO(taken(run, f"{name}.csv").decode("utf-8-sig"))))

    documents = table("document-topics")
    sections = table("section-topics")
    assert len({row["document"] for row in documents}) == 40
    assert len({(row["document"], row["section"]) for row in sections}) == run.version.rows
    expected = sizes.BYTES["section-topics"](read_source(run, QueryDict()))
    assert expected == pytest.approx(sizes.DOCUMENT_TOPIC * len(sections), rel=0.2)
    for row in documents:
        own = [
            s for s in sections if (s["document"], s["topic"]) == (row["document"], row["topic"])
        ]
        assert sum(int(s["tokens"]) for s in own) == int(row["tokens"])
    starts = [int(s["start"]) for s in sections if s["document"] == "0"]
    assert starts == sorted(starts) and len(set(starts)) > 3
    assert (
        "sections of about 100"
        in client.get(reverse("run_methods", args=[run.pk])).content.decode()
    )


def test_a_bundle_trains_to_the_same_run(run, tmp_path):
    path = tmp_path / "bundle.zip"
    out = StringIO()
    path.write_bytes(taken(run, "bundle.zip"))
    call_command("verify", str(path), stdout=out)
    assert "The run is the same, bit for bit." in out.getvalue()


def test_the_prepare_page_says_what_is_cut_and_another_length_is_one_choice(client, draft):
    corpus = draft(
        as_csv([["id", "text"], *([f"k{i}", "Some words on ships. " * 500] for i in range(8))]),
        "long.csv",
    )
    url = reverse("corpus_prepare", args=[corpus.pk])
    page = client.get(url)
    assert page.context["page"].words.sections == SectionedDocuments(8, 16)
    assert "8 long texts are read in 16 sections" in in_one_line(page)
    sent = page.context["page"].form.sent()
    for size, expected in (("500", SectionedDocuments(8, 32)), ("0", None)):
        answer = client.post(
            url,
            {name: value for name, value in sent.items() if value}
            | {"section_words": size, "preview": "1"},
        )
        assert answer.context["page"].words.sections == expected
    assert (
        "at least 50 words"
        in client.post(url, sent | {"section_words": "3", "preview": "1"}).content.decode()
    )


def test_a_version_of_an_older_program_is_not_cut():
    settings = vars(VocabularySettings())
    older = {
        name: value
        for name, value in settings.items()
        if name not in ("section_words", "spread_evenly")
    }
    assert (
        VocabularySettings.from_dict(older).section_words == 0
        and VocabularySettings.from_dict({}).section_words == 1000
    )
    now = Version(settings=settings | {"section_words": 0})
    assert version_history.difference(Version(settings=settings), now) == "no sections"


def test_another_length_is_a_version_without_reading_again(run):
    from tasks.corpora import choose

    words = replace(VocabularySettings.from_dict(run.version.settings), section_words=0)
    version = versions.choose(run.corpus, words)
    choose(version.pk)
    version.refresh_from_db()
    assert version.status == "ready", version.error
    assert version.rows == version.documents == 40 and version.report["cut"] == 0
