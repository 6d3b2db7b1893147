"""Each kind of bad input from the upload to the words: what is good of it is there, what is not is
said, and nothing is left behind."""

import csv
import io

import pytest
from django.urls import reverse

from tasks.corpora import read_corpus
from tests.bad_input import CASES, REFUSED, Case
from tests.webapp.intake.ingest.test_upload import fields, upload
from webapp.models import Corpus, Document
from webapp.platform.storage import files

pytestmark = pytest.mark.django_db(transaction=True)
LEAST = {"min_documents": "1", "max_share": "100"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_input(client, settings, case: Case):
    answer = upload(client, *case.files())
    if answer.status_code == 400:  # nothing can be read of it, which is seen at once
        assert not case.documents and all(
            sentence in answer.content.decode() for sentence in case.said
        )
        assert not Corpus.objects.exists() and not list(settings.FILE_UPLOAD_TEMP_DIR.iterdir())
        return
    corpus = Corpus.objects.latest("pk")
    prepared = client.get(answer.url, follow=True)
    said = prepared.content.decode()
    assert prepared.status_code == 200 and "<img src=x" not in said
    corpus.refresh_from_db()
    if corpus.status == "draft":
        chosen = fields(client, answer.url) | LEAST | dict(case.options)
        assert client.post(answer.url, chosen).url == reverse("corpus", args=[corpus.pk])
        read_corpus(corpus.pk)
        corpus = Corpus.objects.select_related("version").get(pk=corpus.pk)
    shown = client.get(reverse("corpus", args=[corpus.pk]))
    said += shown.content.decode()
    assert (
        shown.status_code == 200 and "<img src=x" not in said and "Something went wrong" not in said
    )
    if case.documents:
        assert corpus.status == "ready", corpus.error
        assert (corpus.documents, Document.objects.filter(corpus_id=corpus.pk).count()) == (
            case.documents,
            case.documents,
        )
        assert not Document.objects.filter(
            corpus_id=corpus.pk, text__contains="root:"
        ).exists()  # of /etc/passwd
        for page in ("corpus_words", "corpus_phrases", "corpus_documents", "corpus_files"):
            answer = client.get(reverse(page, args=[corpus.pk]), follow=True)
            assert answer.status_code == 200 and "<img src=x" not in answer.content.decode(), page
        report = b"".join(client.get(reverse("corpus_report", args=[corpus.pk]))).decode()
        said += report
        dropped = [row for row in csv.DictReader(io.StringIO(report)) if row["dropped"] == "yes"]
        assert len(dropped) == corpus.report["problem_counts"].get("dropped", 0)
    else:
        assert corpus.status == "failed" and corpus.error
    for sentence in case.said:
        assert sentence in said, sentence
    assert not list(settings.FILE_UPLOAD_TEMP_DIR.iterdir())
    kept = {
        "source",
        "tokens",
        "index",
        "fields.jsonl",
        "report.csv",
        "duplicates.npz",
        "sample",
        "lock",
    }
    folder = files.corpus_folder(corpus.pk)
    left = {path.name for path in folder.iterdir()} - kept | {
        path.name for path in folder.glob("shaping/*")
    }
    assert left <= {"shaping"}, left


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_refused_at_once(client, settings, case: Case):
    page = upload(client, *case.files(), follow=True)
    assert all(sentence in page.content.decode() for sentence in case.said)
    assert not Corpus.objects.exists() and not list(settings.FILE_UPLOAD_TEMP_DIR.iterdir())
