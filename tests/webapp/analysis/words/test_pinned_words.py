"""What the Pin of a word's lines, of a pattern and of two words keeps."""

import json

import pytest
from django.urls import reverse

from tests.webapp.pin_forms import pinned_of
from webapp.core.notebooks import services as notebooks
from webapp.models import Corpus, Document
from webapp.platform.drawing.numbers import percent
from webapp.platform.storage.cache import clear_all

pytestmark = pytest.mark.django_db


def pinned(client, address: str) -> dict[str, str]:
    page = client.get(address)
    assert page.status_code == 200
    return pinned_of(page.content.decode())


def quotes(fields: dict[str, str]) -> list[dict]:
    return json.loads(fields["passages"])


def test_lines_of_a_word_are_kept_as_passages(client, trained):
    address = reverse("run_word", args=[trained.pk, "war"])
    fields = pinned(client, address + "?topic=all")
    data = client.get(reverse("run_word_json", args=[trained.pk, "war"]) + "?topic=all").json()
    assert fields["sentence"] == f"{data['total']:,} lines with “war” in all documents."
    assert len(quotes(fields)) == 5
    for sent, line in zip(quotes(fields), data["lines"], strict=False):
        assert sent["document"] == line["document"] and line["word"] in sent["quote"]


def test_a_pattern_keeps_counts_groups_course_and_lines(client, trained):
    query = "?pattern=war&by=run-topic"
    fields = pinned(client, reverse("run_pattern", args=[trained.pk]) + query)
    data = client.get(reverse("run_pattern_json", args=[trained.pk]) + query).json()
    assert f"occurs {data['hits']:,} times in {data['documents']:,} documents" in fields["sentence"]
    largest = data["groups"][0]
    assert f"By topic: {largest['label']}, {largest['hits']:,} time" in fields["sentence"]
    rows = json.loads(fields["table"])["rows"]
    assert [row[0] for row in rows] == [bar["label"] for bar in data["years"]]
    assert max(row[1] for row in rows) == pytest.approx(data["most_often"] / 10_000, abs=1e-6)
    assert len(quotes(fields)) == 5


def test_what_is_pinned_of_a_pattern_is_kept(client, trained):
    """The lines stand in their documents, so the notebook takes them."""
    notebook = notebooks.create("Evidence", "Ada")
    fields = pinned(client, reverse("run_pattern", args=[trained.pk]) + "?pattern=war")
    client.post(reverse("pin"), fields | {"notebook": notebook.pk, "comment": ""})
    chart, *passages = notebook.pins.order_by("position")
    assert chart.table["rows"] and len(passages) == 5
    for pin in passages:
        text = Document.objects.get(corpus_id=trained.corpus_id, number=pin.source["document"]).text
        assert text[pin.start : pin.end] == pin.quote and "war" in pin.quote.lower()


def test_under_embargo_no_lines_are_sent(client, trained):
    """Each would be counted as read once more."""
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=True)
    clear_all()
    fields = pinned(client, reverse("run_pattern", args=[trained.pk]) + "?pattern=war")
    assert "occurs" in fields["sentence"] and "passages" not in fields


def test_two_words_keep_their_senses(client, trained):
    query = "?word=war&word=peace"
    fields = pinned(client, reverse("run_compare_words", args=[trained.pk]) + query)
    data = client.get(reverse("run_compare_words_json", args=[trained.pk]) + query).json()
    comparison = data["comparison"]
    assert f"overlap by {percent(comparison['overlap'])}" in fields["sentence"]
    table = json.loads(fields["table"])
    assert table["columns"] == ["topic", "war", "war, times", "peace", "peace, times"]
    for row, sense in zip(table["rows"], comparison["senses"], strict=True):
        first, second = sense["sides"]
        assert row[2] == first["tokens"] and row[4] == second["tokens"]
        assert row[1] == percent(first["share"])
