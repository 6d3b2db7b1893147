"""A run is trained when a corpus has been read, unless that was declined; and the example is there
from the start."""

import re

import pytest
from django.db.models.functions import Now
from django.urls import reverse

from inference.errors import Invalid
from tasks.corpora import read_corpus
from tests.conftest import ROOT
from tests.corpora import as_csv, example_rows
from tests.webapp.intake.ingest.test_upload import fields, prepare
from webapp.intake.ingest import corpora
from webapp.models import Corpus, Run
from webapp.platform.accounts import quotas

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(client):
    corpus, url = prepare(client, ("a.csv", as_csv(example_rows(60))))
    return corpus, url, fields(client, url)


def test_a_run_with_the_usual_settings_follows(client, sent):
    corpus, url, data = sent
    assert data["train"] is True
    client.post(url, data)
    read_corpus(corpus.pk)
    run = Run.objects.get(corpus=corpus)
    assert run.status == "queued" and run.topics == 10 and run.settings["passes"] > 1
    assert client.get(reverse("corpus_json", args=[corpus.pk])).json()["run"] == reverse(
        "run", args=[run.pk]
    )


def test_it_can_be_declined(client, sent):
    corpus, url, data = sent
    del data["train"]
    client.post(url, data)
    read_corpus(corpus.pk)
    assert not Run.objects.filter(corpus=corpus).exists()
    assert client.get(reverse("corpus_json", args=[corpus.pk])).json()["run"] is None


def test_a_corpus_is_ready_where_no_run_can_be_made(client, sent):
    corpus, url, data = sent
    client.post(url, data)
    Corpus.objects.filter(pk=corpus.pk).update(train_settings={"topics": 10**6})
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "ready" and not corpus.runs.exists()


def test_one_screen_says_what_was_understood(client, sent):
    page = client.get(sent[1]).content.decode()
    understood = page[page.index('data-part="understood"') : page.index('id="change"')]
    for said in (
        "column “text”",
        "1790-01-01 to ",
        "English",
        "Read the corpus",
        'name="train"',
        'name="name"',
    ):
        assert said in understood, said
    assert understood.count('class="beginning"') == 3
    assert not page.split('id="change"')[1].startswith(" open")


def test_the_example_is_made_once_and_led_to(client, settings):
    before = Corpus.everything.count()
    settings.EXAMPLE = False
    corpora.create_first_example()
    assert Corpus.everything.count() == before
    first = client.post(reverse("example"))
    example = Corpus.objects.latest("pk")
    assert first.url == reverse("corpus", args=[example.pk]) and example.train_settings == {
        "passes": corpora.EXAMPLE_PASSES
    }
    assert (
        client.post(reverse("example")).url == first.url and Corpus.everything.count() == before + 1
    )
    page = client.get(reverse("home")).content.decode()
    assert "Open the example" in page or "Watch the example being read" in page


@pytest.mark.parametrize("status", ["reading", "ready"])
def test_the_first_lesson_says_how_the_button_begins_before_the_example_is_done(
    client, settings, status
):
    settings.EXAMPLE = False
    client.post(reverse("example"))
    example = Corpus.objects.latest("pk")
    Corpus.objects.filter(pk=example.pk).update(status=status)
    # On a first visit there is nothing else
    Corpus.objects.exclude(pk=example.pk).update(deleted_at=Now())
    lesson = " ".join((ROOT / "docs" / "lessons" / "1-what-is-it-about.md").read_text().split())
    (beginning,) = re.findall("the button begins with “([^”]+)”", lesson)
    page = client.get(reverse("home")).content.decode()
    (button,) = re.findall(r'<a class="button primary"[^>]*>\s*([^<]+)<', page)
    assert button.startswith(beginning)


def test_the_example_opens_its_first_run_as_later_ones_may_be_variants(client, settings):
    settings.EXAMPLE = False
    client.post(reverse("example"))
    corpus = Corpus.objects.latest("pk")
    version = corpus.versions.create(status="ready", number=1)
    first, _ = (
        Run.objects.create(corpus=corpus, version=version, status="done", seed=seed)
        for seed in (0, 1)
    )
    assert f"/runs/{first.pk}/" in client.post(reverse("example")).url


def test_an_example_that_may_not_be_read_leaves_no_draft(client, settings, monkeypatch):
    """The next press led to the draft, which nothing reads."""
    settings.EXAMPLE = False
    before = Corpus.everything.count()

    def refuse(user, more=1):
        raise Invalid("jobs", "You have too many jobs.")

    with monkeypatch.context() as patched:
        patched.setattr(quotas, "check_job", refuse)
        answer = client.post(reverse("example"), follow=True)
    assert answer.status_code == 200 and "You have too many jobs." in answer.content.decode()
    assert Corpus.everything.count() == before
    client.post(reverse("example"))
    example = Corpus.objects.latest("pk")
    assert (example.status, example.train_settings) == (
        "queued",
        {"passes": corpora.EXAMPLE_PASSES},
    )
