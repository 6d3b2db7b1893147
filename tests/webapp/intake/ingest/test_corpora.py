"""Ingest, run as a task runs it: what is kept, what is reported, what fails with a sentence."""

import csv
from dataclasses import asdict

import pytest

from tasks.corpora import read_corpus
from tests.corpora import as_csv, example_rows
from webapp.intake.ingest import corpora, guesses
from webapp.models import Corpus, Document, Word
from webapp.platform.jobs import claims, kinds
from webapp.platform.storage import files

pytestmark = pytest.mark.django_db(transaction=True)


def read(make, content: bytes, name: str = "a.csv", **reading) -> Corpus:
    corpus = make(content, name)
    options = asdict(guesses.sniff(corpus).options)
    corpora.read(
        corpus,
        corpora.ReadingSettings(
            options=options, **{"language": "en", "min_documents": 2} | reading
        ),
    )
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    return corpus


def test_bad_rows_do_not_lose_the_rest(draft):
    rows = example_rows(50)
    rows[7] = ["short"]
    rows[9][5] = "  "
    rows[11][5] += "\x00"
    corpus = read(draft, as_csv(rows))
    assert corpus.status == "ready", corpus.error
    assert corpus.documents == Document.objects.filter(corpus_id=corpus.pk).count() == 48
    # The row of one cell goes on with the text before it, as where a text has line ends unquoted
    assert corpus.report["problem_counts"] == {"dropped": 1, "repaired": 2}
    ids = list(
        Document.objects.filter(corpus_id=corpus.pk)
        .order_by("number")
        .values_list("source_id", flat=True)
    )
    assert ids == [row[0] for i, row in enumerate(rows) if i not in (0, 7, 9)]
    with (files.corpus_folder(corpus.pk) / "report.csv").open(newline="") as file:
        report = list(csv.DictReader(file))
    assert [r["dropped"] for r in report] == ["no", "yes", "no"]
    assert "joined again" in report[0]["problem"]
    assert "row 6" in report[0]["place"]


def test_a_document_that_loses_all_its_words_keeps_its_number(draft):
    rows = example_rows(30)
    rows[5][5] = "the of and 1 2 3"
    corpus = read(draft, as_csv(rows))
    assert corpus.documents == 30 and corpus.version.report["without_words"] == 1
    assert Document.objects.get(corpus_id=corpus.pk, number=4).text == "the of and 1 2 3"


def test_words_are_numbered_as_the_columns(draft):
    corpus = read(draft, as_csv(example_rows(60)))
    words = list(Word.objects.filter(version=corpus.version).order_by("number"))
    assert [w.number for w in words] == list(range(corpus.vocabulary))
    assert sum(w.tokens for w in words) == corpus.tokens
    assert all(a.tokens >= b.tokens for a, b in zip(words, words[1:], strict=False))
    assert corpus.report["words_read"] == corpus.tokens + sum(
        n for _, n in corpus.version.report["dropped"].values()
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"id,text\n1,the of and\n2,of the and\n", "No word is left"),
        (b"id,text\n1,alpha beta gamma\n", "No word is left"),
        (b"id,text\n1,\n2,\n", "no words at all"),
    ],
)
def test_nothing_left_is_said(draft, content, said):
    corpus = read(draft, content)
    assert corpus.status == "failed" and said in corpus.error
    assert not Document.objects.filter(corpus_id=corpus.pk).exists()


def test_it_can_be_read_again_in_another_way(draft):
    corpus = read(draft, as_csv(example_rows(40)), min_documents=1000)
    assert corpus.status == "failed"
    corpora.read(corpus, corpora.ReadingSettings(**corpus.settings | {"min_documents": 2}))
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "ready" and corpus.documents == 40


def test_a_task_that_comes_twice_does_nothing(draft):
    corpus = read(draft, as_csv(example_rows(40)))
    before = corpus.attempt
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.attempt == before and corpus.status == "ready"


def test_a_reading_that_was_killed_begins_anew(draft):
    """A half-filled partition and a half-written folder of another attempt are in nobody's way."""
    corpus = draft(as_csv(example_rows(40)), "a.csv")
    corpora.read(
        corpus,
        corpora.ReadingSettings(
            options=asdict(guesses.sniff(corpus).options), language="en", min_documents=2
        ),
    )
    assert claims.claim(kinds.READ, corpus.pk) == 1
    folder = files.version_folder(corpus.version_id) / "bow"
    folder.mkdir(parents=True)
    (folder / "spool").write_bytes(b"half")
    tokens = files.corpus_folder(corpus.pk) / "tokens"
    tokens.mkdir()
    (tokens / "words").write_bytes(b"half")
    Corpus.objects.filter(pk=corpus.pk).update(status="queued")
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "ready" and corpus.attempt == 2


def test_an_error_of_ours_has_an_id_and_no_text_in_it(draft, monkeypatch):
    def broken(*_):
        raise RuntimeError("secret words of a document")

    monkeypatch.setattr("inference.text.Tokeniser.pieces", broken)
    corpus = read(draft, as_csv(example_rows(10)))
    assert (
        corpus.status == "failed" and "(request " in corpus.error and "secret" not in corpus.error
    )
