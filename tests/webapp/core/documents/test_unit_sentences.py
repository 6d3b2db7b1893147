"""What pages say of the unit, and when they ask."""

from dataclasses import asdict, replace

import pytest
from django.urls import reverse

from inference.answers.collection_unit import TOO_FEW_VALUES, UnitField
from webapp.core.documents import unit_sentences, unit_words
from webapp.models import Corpus, Version

pytestmark = pytest.mark.django_db  # a corpus looks for its owner, unless a test before it has


def field(name: str, effect: float, correlation: float = 0.05, **more) -> UnitField:
    return UnitField(name, 40, 30.0, 1.0, 1.0, 0.9, effect, correlation, **more)


def of_fields(
    *fields: UnitField, answer: str | None = None, embargo: bool = False
) -> unit_sentences.UnitSaid:
    rows = [asdict(each) | {"file": "codes-0"} for each in fields]
    version = Version(
        corpus=Corpus(unit=answer, embargo=embargo),
        documents=8375,
        unit_fields={"method": 1, "fields": rows},
    )
    return unit_sentences.of_version(version)


def test_how_alike_texts_are_is_said_in_words():
    said = of_fields(field("speaker", 7.3, aliases=("user_id", "handle")))
    assert said.sentence == (
        "Texts with the same “speaker” resemble each other and count as one. Because of this, the"
        " intervals of 8,375 texts are about as wide as those of 1,100 unrelated texts."
        " The groups are the same by “user_id” and “handle”."
    )
    assert (said.question, said.offers) == ("", [])
    slightly = of_fields(field("author", 1.32)).sentence
    assert (
        "“author” resemble each other slightly and count as one. Because of this, the intervals of"
        in slightly
    )


@pytest.mark.parametrize(
    ("name", "same", "of_all"),
    [
        ("president", "“president”", "“president”"),
        (
            "id without its last number",
            "beginning of “id” up to its number",
            "the beginning of “id” up to its number",
        ),
        ("authors, the first", "first entry of “authors”", "the first entry of “authors”"),
        ("file, word 2", "second word of “file”", "the second word of “file”"),
    ],
)
def test_a_derived_field_is_named_as_a_reader_would(name, same, of_all):
    assert (unit_words.column(name), unit_words.the_column(name)) == (same, of_all)


@pytest.mark.parametrize(
    ("name", "several"),
    [
        ("president", "presidents"),
        ("Party", "parties"),
        ("place", "values of “place”"),
        ("folder 2", "folders of level 2"),
        ("id without its last number", "sources (the same beginning of “id” up to its number)"),
        ("authors, the first", "sources (the same first entry of “authors”)"),
        ("file, word 2", "sources (the same second word of “file”)"),
    ],
)
def test_several_values_of_a_field_are_named_as_a_reader_would(name, several):
    assert unit_words.values_of(name) == several


def test_who_speaks_is_said_by_the_field_and_some_of_its_values():
    derived = field("id without its last number", 7.3, derived="id", examples=("pandas", "numpy"))
    sentence = of_fields(derived, answer="id without its last number").sentence
    assert sentence == (
        "Texts with the same beginning of “id” up to its number (such as “pandas” or “numpy”) count as"
        " one, as a reader decided."
    )
    assert "pandas" not in of_fields(derived, embargo=True).sentence


def test_rivals_are_asked_for():
    said = of_fields(field("source", 29.0), field("maintainer", 27.0))
    assert said.question == (
        "Texts with the same “maintainer” are alike, too. Which of them belong together?"
    )
    assert [offer.sent for offer in said.offers] == ["=source", "=maintainer"]


def test_a_subject_is_asked_for_and_never_said_to_speak():
    said = of_fields(field("category", 46.0, correlation=0.21))
    assert "speak" not in said.sentence + said.question
    assert said.question.startswith("Does “category” say who the texts come from, or only")
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


def test_authors_who_are_too_few_are_named():
    """Two people wrote all texts: nobody is not who was found."""
    user = UnitField("user", 2, 2.0, 1.0, 1.0, 0.9, 40.0, 0.2, unfit=TOO_FEW_VALUES)
    genre = replace(user, name="genre", effect=1.2)
    assert of_fields(genre, user).sentence == (
        "Texts with the same “user” resemble each other, but there are only 2 users, too few to say"
        " anything about others. So each text counts for itself, and intervals are about more texts"
        " of these 2 users."
    )
    assert of_fields(genre).sentence.startswith("We found nobody who has several texts")


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
