"""Codes that were made elsewhere, in files that anybody may have: of documents that came later, and
of coders whose names are alike."""

from collections import Counter

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tasks.corpora import choose
from tests.corpora import as_csv, example_rows
from tests.webapp.making import corpus_of, run_on
from tests.webapp.service.codebook.making import concept_of
from tests.webapp.service.codebook.test_qdpx import PROJECT, code, source, zipped
from webapp.intake.ingest import corpora
from webapp.models import Coding, Concept, Document, Draw, Item, Run, User
from webapp.service.codebook import coding, concepts

pytestmark = pytest.mark.django_db
SPEECHES = 40
LATER = 20


def send(client, run: Run, concept: Concept, content: bytes, name: str = "codes.csv") -> str:
    """The page that answers a file of codes."""
    change = reverse("concept_change", args=[run.pk, concept.pk])
    form = {"act": "take", "codes": SimpleUploadedFile(name, content)}
    answer = client.post(change, form, follow=True)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


@pytest.fixture
def grown(draft, tmp_path) -> Run:
    """A run of a corpus to which documents were added since."""
    head, *speeches = example_rows(SPEECHES + LATER)
    corpus = corpus_of(draft, [head, *speeches[:SPEECHES]], "speeches.csv", min_documents=2)
    run = run_on(corpus, topics=2, passes=2)
    later = tmp_path / "later.csv"
    later.write_bytes(as_csv([head, *speeches[SPEECHES:]]))
    addition = corpora.create_addition(corpus, [corpora.ReceivedFile("later.csv", later)])
    choose(corpora.add_files(addition, corpora.ReadingSettings(**addition.settings)).pk)
    return run


def test_codes_of_documents_that_the_run_does_not_know_are_refused(client, grown):
    texts = list(Document.objects.filter(corpus_id=grown.corpus_id).order_by("number"))
    D = grown.version.documents
    assert D == SPEECHES and len(texts) == SPEECHES + LATER
    rows = [f"{text.source_id},{text.number % 2}" for text in (*texts[:12], texts[D])]
    concept = concept_of(grown)
    page = send(client, grown, concept, "\n".join(["id,code", *rows]).encode())
    assert f"Line 14: “{texts[D].source_id}” was added to the corpus after run {grown.pk}" in page
    assert not Draw.objects.filter(concept=concept).exists()
    known = "\n".join(["id,code", *rows[:-1]]).encode()
    assert "12 codes were taken in." in send(client, grown, concept, known)
    estimates = reverse("concept_estimates_json", args=[grown.pk, concept.pk])
    assert client.get(estimates).json()["all"]["coded"] == 12


def test_texts_of_a_project_that_the_run_does_not_know_are_left_out_and_named(client, grown):
    early, late = Document.objects.filter(
        corpus_id=grown.corpus_id, number__in=(0, grown.version.documents)
    ).order_by("number")
    sources = source(early.title, ("U1", "W"), path="a.txt") + source(
        "the later one", ("U1", "W"), path="b.txt"
    )
    members = {
        "project.qde": PROJECT.format(codes=code("W", "war"), sources=sources),
        "Sources/a.txt": early.text,
        "Sources/b.txt": late.text,
    }
    concept = concept_of(grown)
    page = send(client, grown, concept, zipped(members), "codes.qdpx")
    assert "1 code was taken in." in page
    assert f"after run {grown.pk} began: 1 of the texts, “the later one”" in page
    coded = Coding.objects.filter(coder__concept=concept).values_list("item__document", flat=True)
    assert list(coded) == [early.number]


def test_codes_of_later_documents_that_were_taken_in_once_spoil_no_estimate(client, grown):
    """There was a time when such codes were taken in."""
    texts = Document.objects.filter(corpus_id=grown.corpus_id).order_by("number")[:12]
    rows = [f"{text.source_id},{text.number % 2}" for text in texts]
    concept = concept_of(grown)
    send(client, grown, concept, "\n".join(["id,code", *rows]).encode())
    Item.objects.filter(draw__concept=concept, document=0).update(document=SPEECHES + 5)
    estimates = reverse("concept_estimates_json", args=[grown.pk, concept.pk])
    answer = client.get(estimates)
    assert answer.status_code == 200
    assert answer.json()["all"]["coded"] == 11
    assert client.get(estimates.removesuffix(".json") + "/").status_code == 200


# Coders


def rows_of(run: Run, *coders: str) -> bytes:
    """A code of each coder, of a document each."""
    texts = Document.objects.filter(corpus_id=run.corpus_id).order_by("number")[: len(coders)]
    rows = [f"{text.source_id},1,{name}" for text, name in zip(texts, coders, strict=True)]
    return "\n".join(["id,code,coder", *rows]).encode()


def coders_of(concept: Concept) -> dict[str, int]:
    """Coder -> how many codings."""
    names = Coding.objects.filter(coder__concept=concept).values_list("coder__name", flat=True)
    return dict(Counter(names))


def test_names_that_differ_in_capitals_or_spaces_are_one_coder(client, trained):
    """They are one on the pages, and the file was refused as if somebody had taken the name."""
    concept = concept_of(trained)
    file = rows_of(trained, "Anna", "anna", "A  B", "A B", "", "Elsewhere")
    assert "6 codes were taken in." in send(client, trained, concept, file)
    assert coders_of(concept) == {"Anna": 2, "A B": 2, "elsewhere": 2}


def test_one_coder_codes_a_document_once_however_they_are_written(client, trained):
    concept = concept_of(trained)
    first = Document.objects.filter(corpus_id=trained.corpus_id).order_by("number")[0]
    file = f"id,code,coder\n{first.source_id},1,Anna\n{first.source_id},0,ANNA".encode()
    page = send(client, trained, concept, file)
    assert "Line 3: Anna has coded" in page and coders_of(concept) == {}


def test_coders_of_a_project_whose_names_are_alike_are_one(client, trained):
    concept = concept_of(trained)
    texts = Document.objects.filter(corpus_id=trained.corpus_id).order_by("number")[:2]
    sources = "".join(
        source(text.title, (user, "W")) for text, user in zip(texts, ("U1", "U2"), strict=True)
    )
    project = PROJECT.format(codes=code("W", "war"), sources=sources).replace("Bea", "ZOË")
    page = send(client, trained, concept, zipped({"project.qde": project}), "codes.qdpx")
    assert "2 codes were taken in." in page and coders_of(concept) == {"Zoë": 2}


def test_who_joined_by_the_link_is_the_coder_of_that_name(client, trained):
    concept = concept_of(trained)
    ann = coding.join(concept, "Ann", by_link=True)
    assert "2 codes were taken in." in send(client, trained, concept, rows_of(trained, "ANN", "Bo"))
    assert coders_of(concept) == {"Ann": 1, "Bo": 1}
    assert ann.codings.count() == 1


def test_the_name_of_somebody_elses_account_is_refused(client, trained):
    concept = concept_of(trained)
    ann = User.objects.create_user("ann@example.org", "Ann")
    coder = coding.join(concept, ann.name, ann)
    page = send(client, trained, concept, rows_of(trained, "ann", "Bo"))
    assert "“Ann” codes here with an account of their own" in page and coders_of(concept) == {}
    concepts.withdraw(concept, coder.pk, on=True)
    page = send(client, trained, concept, rows_of(trained, "Ann", "Bo"))
    assert "don&#x27;t count any more" in page and not Draw.objects.filter(concept=concept).exists()


def test_who_imports_a_file_of_their_own_is_its_coder(client, trained):
    """The reader of this browser is called “owner”."""
    concept = concept_of(trained)
    own = coding.join(concept, "owner", User.objects.local())
    assert "1 code was taken in." in send(client, trained, concept, rows_of(trained, "Owner"))
    assert own.codings.count() == 1


def test_a_name_that_is_too_long_is_refused_with_its_line(client, trained):
    concept = concept_of(trained)
    page = send(client, trained, concept, rows_of(trained, "Ann", "x" * 61))
    assert "Line 3: The name of a coder has at most 60 characters" in page
