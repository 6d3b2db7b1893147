"""Trying a text: what comes out is the model's, nothing is kept, and what can't be read is said."""

import re
from html import unescape

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from webapp.core.documents import infer, queries as documents
from webapp.core.documents.infer_views import LONGEST_TRIED_TEXT
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Document

pytestmark = pytest.mark.django_db


def post(client, run, text="", **more):
    return client.post(reverse("run_try", args=[run.pk]), {"text": text} | more)


def test_a_document_of_the_training_gets_nearly_its_own_mixture(trained):
    found = evidence.of(trained)
    differences = []
    for number in np.argsort(-found.lengths, kind="stable")[:40].tolist():
        text = Document.objects.get(corpus_id=trained.corpus_id, number=number).text
        data, words = infer.text(RunView(trained), text)
        assert data.tokens == found.lengths[number]
        assert "".join(word.text for word in words) == text
        stored = {p.number: p.share for p in documents.proportions(RunView(trained), number)}
        mine = {p.number: p.share for p in data.proportions}
        assert sum(mine.values()) == pytest.approx(1)
        differences.append(
            sum(abs(stored.get(k, 0) - mine.get(k, 0)) for k in stored.keys() | mine.keys()) / 2
        )
        assert data.similar[0].likeness > 0.8
    assert np.mean(differences) < 0.1 and np.max(differences) < 0.35, differences


def test_the_same_text_gives_the_same(trained):
    text = Document.objects.get(corpus_id=trained.corpus_id, number=7).text
    assert infer.text(RunView(trained), text) == infer.text(RunView(trained), text)


def test_page_shows_words_in_their_topics_and_counts_the_unknown(client, trained):
    response = post(client, trained, "Congress & <b>militia</b> xyzzy congress the navy\0")
    html = response.content.decode()
    assert response.status_code == 200 and response["Cache-Control"] == "no-store"
    marked = [unescape(word) for word in re.findall(r'<span class="w [^>]*>([^<]*)</span>', html)]
    assert set(marked) <= {"Congress", "militia", "congress", "navy"} and "militia" in marked
    result = response.context["page"].tried.read
    assert result.tokens == len(marked) and result.unknown >= 2
    assert "&lt;b&gt;" in html and "<b>militia" not in html


def test_nothing_is_written(client, trained):
    with CaptureQueriesContext(connection) as asked:
        assert post(client, trained, "war and peace among nations").status_code == 200
    assert all(
        query["sql"].lstrip().startswith(("SELECT", "WITH")) for query in asked.captured_queries
    )


def test_a_file_is_read(client, trained):
    text = "The militia and the navy of the nation".encode("utf-16")
    response = post(client, trained, file=SimpleUploadedFile("a.txt", text))
    assert response.status_code == 200 and "militia" in response.content.decode()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "There is no text"),
        ({"text": " \n "}, "There is no text"),
        ({"text": "\0"}, "There is no text"),
        ({"text": "a " * (LONGEST_TRIED_TEXT // 2 + 1)}, "at most 500,000 characters"),
        ({"file": ("a.pdf", b"%PDF")}, "must be plain text"),
        ({"file": ("a.txt", b"")}, "empty"),
        ({"file": ("a.txt", b"a " * 2_500_000)}, "at most 500,000 characters"),
    ],
)
def test_what_cannot_be_read_is_said(client, trained, given, said):
    if "file" in given:
        given = {"file": SimpleUploadedFile(*given["file"])}
    response = post(client, trained, **given)
    assert response.status_code == 400 and said in response.content.decode()


@pytest.mark.parametrize("text", ["xyzzy plugh", "12345 !!!", "שלום עולם"])
def test_a_text_without_known_words_has_no_mixture(client, trained, text):
    response = post(client, trained, text)
    assert response.status_code == 200 and response.context["page"].tried.read.proportions == []
    assert "in the" in response.content.decode()


def test_it_needs_the_token(trained):
    assert (
        Client(enforce_csrf_checks=True)
        .post(reverse("run_try", args=[trained.pk]), {"text": "war"})
        .status_code
        == 403
    )
