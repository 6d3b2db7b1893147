"""A set of documents as a corpus of its own: the same documents, counted anew, and where they came
from."""

import numpy as np
import pytest
from django.urls import reverse

from inference.errors import Invalid
from tasks.corpora import choose, read_corpus
from tests.corpora import as_csv, example_rows
from webapp.intake.ingest import corpora, guesses, versions
from webapp.models import Corpus, Document, Word
from webapp.platform.accounts.embargo import set_embargo
from webapp.platform.jobs import claims, kinds
from webapp.service.corpora import deletion

pytestmark = pytest.mark.django_db(transaction=True)

KEPT = (
    "source_id",
    "file",
    "place",
    "title",
    "date_text",
    "date",
    "metadata",
    "text",
    "digest",
    "words",
)


@pytest.fixture
def parent(draft):
    corpus = draft(as_csv(example_rows(90)))
    corpora.read(
        corpus,
        corpora.ReadingSettings(
            options=vars(guesses.sniff(corpus).options), language="en", min_documents=2
        ),
    )
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "ready", corpus.error
    return corpus


def made(client, parent, query="?q=war", **changes) -> Corpus:
    url = reverse("corpus_subset", args=[parent.pk]) + query
    form = client.get(url).context["page"].form
    values = {
        name: "" if form[name].value() is None else form[name].value() for name in form.fields
    } | changes
    response = client.post(url, values)
    assert response.status_code == 302, response.content.decode()
    return Corpus.objects.latest("pk")


def read(corpus: Corpus) -> Corpus:
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    return corpus


def test_a_part_has_the_same_documents(client, parent):
    part = made(client, parent)
    assert part.status == "queued" and part.parent == parent
    part = read(part)
    assert part.status == "ready", part.error
    found = client.get(
        reverse("corpus_documents_json", args=[parent.pk]) + "?q=war&by=order"
    ).json()
    assert part.documents == found["count"] < parent.documents
    numbers = np.load(corpora.files.corpus_folder(part.pk) / corpora.NUMBERS)
    assert numbers[:5].tolist() == [d["number"] for d in found["items"]][:5]
    old = list(
        Document.objects.filter(corpus_id=parent.pk, number__in=numbers.tolist())
        .order_by("number")
        .values_list(*KEPT)
    )
    new = list(Document.objects.filter(corpus_id=part.pk).order_by("number").values_list(*KEPT))
    assert new == old
    assert list(
        Document.objects.filter(corpus_id=part.pk)
        .order_by("number")
        .values_list("number", flat=True)
    ) == list(range(part.documents))
    assert Word.objects.filter(version=part.version).count() == part.vocabulary
    assert part.bytes_total == part.bytes_read == sum(len(row[7].encode()) for row in new)


def test_its_words_are_chosen_again_without_copying_a_document(client, parent):
    part = read(made(client, parent))
    version = versions.choose(part, versions.VocabularySettings(language="en", min_documents=2))
    choose(version.pk)
    part = Corpus.objects.select_related("version").get(pk=part.pk)
    assert part.version == version and version.number == 2
    assert (
        part.documents
        == Document.objects.filter(corpus_id=part.pk).count()
        == part.versions.get(number=1).documents
    )


def test_it_says_where_it_came_from_and_outlives_its_parent(client, parent):
    part = read(made(client, parent, "?q=war&to=1795", name="War <b>years</b>"))
    kept = part.provenance
    assert part.is_part and not (part.has_own_files or part.is_read_anew or part.is_replacement)
    with pytest.raises(Invalid, match="a part of another corpus, which has the files"):
        corpora.copy_as_draft(part)
    assert (
        kept["parameters"] == [["q", "war"], ["to", "1795"]]
        and kept["sentence"] == "documents with “war”, to 1795"
    )
    assert kept["parent"] == {
        "id": parent.pk,
        "name": parent.name,
        "digest": parent.version.report["digest"],
    }
    assert (kept["documents"], kept["of"], kept["run"]) == (part.documents, parent.documents, None)
    html = client.get(reverse("corpus", args=[part.pk])).content.decode()
    assert (
        "A part of" in html
        and reverse("corpus", args=[parent.pk]) in html
        and "War &lt;b&gt;years" in html
    )
    deletion.delete_corpus(parent)
    deletion.expire_now(parent)
    deletion.remove_due()
    html = client.get(reverse("corpus", args=[part.pk])).content.decode()
    assert "has since been deleted" in html and parent.name in html
    assert Document.objects.filter(corpus_id=part.pk).count() == part.documents


def test_a_parent_that_is_gone_too_soon_is_said(client, parent):
    part = made(client, parent)
    deletion.delete_corpus(parent)
    deletion.expire_now(parent)
    deletion.remove_due()
    part = read(part)
    assert part.status == "failed" and "was deleted before" in part.error
    assert not Document.objects.filter(corpus_id=part.pk).exists()


def test_what_failed_can_be_tried_with_other_words(client, parent):
    part = read(made(client, parent, min_documents="1000"))
    assert part.status == "failed" and "No word is left" in part.error
    url = reverse("corpus_prepare", args=[part.pk])
    form = client.get(url).context["page"].form
    values = {
        name: "" if form[name].value() is None else form[name].value() for name in form.fields
    } | {"min_documents": "2"}
    assert client.post(url, values).status_code == 302
    assert read(part).status == "ready"


def test_an_attempt_that_was_killed_begins_anew(client, parent):
    part = made(client, parent)
    assert claims.claim(kinds.READ, part.pk) == 1
    Corpus.objects.filter(pk=part.pk).update(status="queued")
    assert read(part).status == "ready" and part.attempt == 2


def test_a_part_of_a_part_and_an_embargo_that_is_inherited(client, parent):
    set_embargo(parent, True)
    part = read(made(client, parent, min_documents="1"))
    assert part.embargo
    again = read(made(client, part, "?q=peace", min_documents="1"))
    assert (
        again.status == "ready"
        and again.embargo
        and again.parent == part
        and 0 < again.documents < part.documents
    )


@pytest.mark.parametrize("query", ["", "?q=", "?q=nosuchwordanywhere", "?from=x"])
def test_all_or_nothing_is_no_part(client, parent, query):
    response = client.get(reverse("corpus_subset", args=[parent.pk]) + query)
    assert response.status_code == 400
    assert (
        client.get(reverse("corpus_subset", args=[parent.pk]) + "?q=war&run=999999").status_code
        == 404
    )
