"""Documents without a title have a name by their number, the same one wherever they are named."""

import io
import re
import zipfile
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse

from tests.corpora import example_rows
from tests.webapp.making import corpus_of, run_on
from tests.webapp.page_text import in_one_line
from tests.webapp.taking import taken
from webapp.core.documents import whole_documents
from webapp.models import Corpus, Document, Notebook, Pin, Run

pytestmark = pytest.mark.django_db

NUMBER = 7


@pytest.fixture(scope="module")
def run(draft, django_db_setup, django_db_blocker):
    """A run on texts that have a date, and nothing else."""
    rows = [[row[5], row[2]] for row in example_rows(60)]
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, rows, "rows.csv", language="en", min_documents=2, max_share=0.9)
        yield run_on(corpus, seed=1, topics=4, passes=3)


def addresses(run: Run) -> list[str]:
    document = [run.pk, NUMBER]
    corpus_document = [run.corpus_id, NUMBER]
    return [
        reverse("run_document", args=document),
        reverse("corpus_document", args=corpus_document),
        reverse("run_documents", args=[run.pk]),
        reverse("run_documents", args=[run.pk]) + "?q=congress",
        reverse("run_topic", args=[run.pk, 0]),
        reverse("run_word", args=[run.pk, "congress"]),
        reverse("run_overview", args=[run.pk]),
        reverse("run_passage", args=[*document, 0, 40]),
    ]


def test_pages_name_a_document_without_a_title_by_its_number(client, run):
    assert not Document.objects.filter(corpus=run.corpus).exclude(title="").exists()
    for address in addresses(run):
        page = in_one_line(client.get(address))
        assert "Untitled" not in page.replace("rows.csv", ""), address
        assert re.search(r"Document \d+", page), address


def pin_passage(client, run: Run) -> Pin:
    """The first words of one document, in a notebook of their own."""
    client.post(
        reverse("pin"),
        {
            "kind": "passage", "notebook": "own", "run": run.pk, "document": NUMBER, "start": 0,
            "end": 40, "quote": "", "next": "/",
        },
    )  # fmt: skip
    return Pin.objects.get(notebook=Notebook.objects.latest("pk"))


def test_a_pin_and_the_pages_of_a_folder_name_it_so(client, run):
    pin = pin_passage(client, run)
    assert pin.title.startswith(f"Document {NUMBER}, ")
    with zipfile.ZipFile(io.BytesIO(taken(run, "site.zip"))) as folder:
        topic = folder.read("topics/0000.html").decode()
    assert "Untitled" not in topic and re.search(r"<bdi>Document \d+</bdi>", topic)


def test_no_template_has_a_rule_of_its_own():
    for template in Path(settings.BASE_DIR, "templates").rglob("*.*"):
        assert 'title|default:"Untitled"' not in template.read_text(), template


@pytest.mark.parametrize("title", ["3", "Untitled · 3", ""])
def test_a_section_of_a_text_without_a_title_has_no_label_but_its_number(run, title):
    """The second is how such a section was called in corpora that were read before."""
    Document.objects.filter(corpus=run.corpus, number=2).update(title=title)
    whole = whole_documents.WholeDocument(0, 3, "")
    Document.objects.filter(corpus=run.corpus, number=2).update(part=3)
    third = whole_documents.sections(run.corpus, whole, 2, str)[0]
    assert third.label == ""


@pytest.fixture(scope="module")
def spoken(draft, django_db_setup, django_db_blocker):
    """A run on texts of which who spoke is known, and no title."""
    rows = [[row[5], f"Speaker {i % 4}", row[2]] for i, row in enumerate(example_rows(60))]
    with django_db_blocker.unblock():
        corpus = corpus_of(
            draft,
            [["day", "speaker", "words"], *rows],
            "spoken.csv",
            language="en",
            min_documents=2,
            max_share=0.9,
        )
        yield run_on(corpus, seed=1, topics=4, passes=3)


def test_who_spoke_stands_beside_a_number(client, spoken):
    """“Document 166” was quoted, listed and pinned, and nobody knew of whom."""
    for address in (
        reverse("run_documents", args=[spoken.pk]),
        reverse("run_documents", args=[spoken.pk]) + "?q=congress",
        reverse("run_topic", args=[spoken.pk, 0]),
    ):
        page = in_one_line(client.get(address))
        assert re.search(r'Document \d+</bdi></a> <bdi class="aside">Speaker \d</bdi>', page), (
            address
        )
    pin = pin_passage(client, spoken)
    assert pin.title == f"Document {NUMBER}, Speaker {NUMBER % 4}"


def test_a_withheld_speaker_is_not_named(client, spoken):
    """A column that the texts were read from before is withheld as they are."""
    corpus = Corpus.objects.get(pk=spoken.corpus_id)
    corpus.settings["before"] = [{"text": "speaker", "cut": ""}]
    corpus.embargo = True
    corpus.save()
    page = in_one_line(client.get(reverse("run_topic", args=[spoken.pk, 0])))
    assert re.search(r"Document \d+</bdi>", page) and not re.search(r"Speaker \d", page)
