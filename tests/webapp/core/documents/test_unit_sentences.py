"""What pages say of the unit, and when they ask."""

from dataclasses import asdict

import pytest
from django.urls import reverse

from inference.answers.units import Field
from webapp.core.documents import unit_sentences
from webapp.models import Corpus, Version


def field(name: str, effect: float, correlation: float = 0.05, **more) -> Field:
    return Field(name, 40, 30.0, 1.0, 1.0, 0.9, effect, correlation, **more)


def of_fields(*fields: Field, answer: str | None = None) -> unit_sentences.UnitSaid:
    rows = [asdict(each) | {"file": "codes-0"} for each in fields]
    version = Version(
        corpus=Corpus(unit=answer), documents=8375, unit_fields={"method": 1, "fields": rows}
    )
    return unit_sentences.of_version(version)


def test_how_alike_texts_are_is_said_in_words():
    said = of_fields(field("speaker", 7.3, aliases=("user_id", "handle")))
    assert said.sentence == (
        "Texts with the same “speaker” resemble each other and count as one: 8,375 texts say as"
        " much as about 1,100 unrelated ones. “user_id” and “handle” divide the texts in the same"
        " way."
    )
    assert (said.question, said.offers) == ("", [])
    slightly = of_fields(field("author", 1.32)).sentence
    assert "“author” resemble each other slightly and count as one: 8,375 texts" in slightly


def test_rivals_are_asked_for():
    said = of_fields(field("source", 29.0), field("maintainer", 27.0))
    assert said.question == (
        "Texts with the same “maintainer” are alike, too. Which of them belong together?"
    )
    assert [offer.sent for offer in said.offers] == ["=source", "=maintainer"]


def test_a_subject_is_asked_for_and_never_said_to_speak():
    said = of_fields(field("category", 46.0, correlation=0.21))
    assert "speak" not in said.sentence + said.question
    assert said.question.startswith("Does “category” say whose the texts are")
    assert [offer.sent for offer in said.offers] == ["=category", ""]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("", "Each text counts for itself, as a reader decided."),
        ("source", "Texts with the same “source” count as one, as a reader decided."),
    ],
)
def test_an_answer_is_not_asked_again(answer, sentence):
    said = of_fields(field("source", 29.0), field("maintainer", 27.0), answer=answer)
    assert (said.sentence, said.question) == (sentence, "")


def test_where_nothing_was_found_or_nobody_has_looked_it_is_said():
    assert of_fields().sentence.startswith("We found nobody who has several texts")
    version = Version(pk=0, corpus=Corpus(unit=""), unit_fields={"method": 1, "fields": []})
    assert unit_sentences.of_version(version).sentence.startswith("Each text counts for itself")


@pytest.mark.django_db
def test_the_pages_of_a_corpus_and_its_overview_say_and_ask_it(client, trained):
    rows = [asdict(field("category", 46.0, correlation=0.21)) | {"file": ""}]
    found = {"method": 1, "fields": rows}
    before = trained.version.unit_fields
    Version.objects.filter(pk=trained.version_id).update(unit_fields=found)
    try:
        corpus_page = client.get(reverse("corpus", args=[trained.corpus_id])).content.decode()
        assert "resemble each other and count as one" in corpus_page
        assert "the values of “category”" in corpus_page
    finally:
        Version.objects.filter(pk=trained.version_id).update(unit_fields=before)
    overview = client.get(reverse("run_overview", args=[trained.pk])).content.decode()
    assert "We found nobody who has several texts: each text counts for itself." in overview
