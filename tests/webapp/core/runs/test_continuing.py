"""A run continues with documents that were added: from the topics it has."""

from dataclasses import asdict

import numpy as np
import pytest
from django.urls import reverse

from inference.errors import Invalid
from inference.explore import matching
from tasks.corpora import choose, read_corpus
from tasks.runs import train
from tests.corpora import as_csv, example_rows
from webapp.analysis.words import patterns
from webapp.core.asked_training.forms import TrainForm
from webapp.core.curation import services as curation
from webapp.core.documents import facets
from webapp.core.documents.selection import Selection
from webapp.core.results import weights
from webapp.core.results.view import RunView
from webapp.core.runs import services as runs
from webapp.intake.ingest import corpora, guesses
from webapp.models import Corpus, Run

pytestmark = pytest.mark.django_db(transaction=True)


def assert_a_document_that_was_added_later_has_no_topics(client, run, number: int) -> None:
    page = reverse("run_document", args=[run.pk, number])
    in_corpus = reverse("corpus_document", args=[run.corpus_id, number])
    assert client.get(page)["Location"] == in_corpus
    passage = reverse("run_passage_json", args=[run.pk, number, 0, 20])
    word = reverse("document_word", args=[run.pk, number, 0])
    in_api = f"/api/v1/runs/{run.pk}/documents/{number}"
    as_json = reverse("run_document_json", args=[run.pk, number])
    for address in (as_json, passage, word, in_api):
        assert client.get(address).status_code == 404, address


def assert_a_rate_is_of_the_words_of_the_run(run) -> None:
    selection = Selection.all(RunView(run))
    hits = patterns.hits(selection, "war", None)
    words = int(hits.index.stream.lengths[: run.version.documents].sum())
    for row in patterns.by_group(selection, hits, patterns.TOPIC, [("pattern", "war")]):
        assert row.rate == pytest.approx(facets.RATE_WORDS * row.hits / words)


def test_its_topics_stay_recognisable(draft, client, tmp_path):
    found = example_rows(300)
    corpus = draft(as_csv(found[:201]))
    corpora.read(
        corpus,
        corpora.ReadingSettings(
            options=asdict(guesses.sniff(corpus).options), language="en", min_documents=3
        ),
    )
    read_corpus(corpus.pk)
    corpus = Corpus.objects.select_related("version").get(pk=corpus.pk)
    first = runs.create(corpus.version, topics=6, seed=1, engine_settings={"passes": 8})
    with pytest.raises(Invalid):
        runs.continue_with(first, corpus.version)
    train(first.pk)
    first = Run.objects.select_related("version", "snapshot").get(pk=first.pk)
    curation.change(first, 2, {"label": "a name"}, "reader")
    later = tmp_path / "later.csv"
    later.write_bytes(as_csv([found[0], *found[201:]]))
    addition = corpora.create_addition(corpus, [corpora.ReceivedFile("later.csv", later)])
    version = corpora.add_files(addition, corpora.ReadingSettings(**addition.settings))
    choose(version.pk)
    version.refresh_from_db()
    assert_a_document_that_was_added_later_has_no_topics(client, first, 200)
    assert_a_rate_is_of_the_words_of_the_run(first)
    assert "1: 200 documents" in client.get(reverse("corpus", args=[corpus.pk])).content.decode()
    form = TrainForm(corpus=Corpus.objects.select_related("version").get(pk=corpus.pk))
    values = {
        name: "" if field.initial is None else field.initial for name, field in form.fields.items()
    }
    for chosen, expected in ((str(first.version_id), first.version), ("", version)):
        made = client.post(reverse("corpus_runs", args=[corpus.pk]), values | {"version": chosen})
        assert made.status_code == 302 and Run.objects.latest("pk").version == expected
    at = reverse("run", args=[first.pk])
    assert "Continue with version 2" in client.get(at).content.decode()
    answer = client.post(at + "onward/")
    second = Run.objects.select_related("version").get(
        pk=int(answer["Location"].rstrip("/").rsplit("/", 1)[1])
    )
    assert (
        second.version == version
        and second.parent == first
        and second.settings["passes"] < first.settings["passes"]
    )
    train(second.pk)
    second = Run.objects.select_related("version", "snapshot").get(pk=second.pk)
    assert second.status == "done", second.error
    pairs = matching.match(
        weights.topics(first.snapshot),
        weights.topics(second.snapshot),
        *weights.words(first, second),
    )
    assert (pairs.partner == np.arange(6)).sum() >= 5  # a topic keeps its number, and is the same
    kept = second.edits.get(field="label")
    assert f"run {first.pk}</a>" in client.get(answer["Location"]).content.decode()
    assert (kept.value, kept.topic) == ("a name", int(pairs.partner[2]))
