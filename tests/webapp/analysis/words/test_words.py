"""Finding a word: by its beginning, without its accents, by its likeness; and those whose senses
lie far apart."""

import pytest
from django.db import connection
from django.urls import reverse

from webapp.analysis.words import queries as words
from webapp.core.results.view import RunView
from webapp.models import TopicWord, Word

pytestmark = pytest.mark.django_db


def test_every_word_can_be_found_by_its_beginning_and_its_likeness(ready):
    for word in list(Word.objects.filter(version=ready.version_id))[::97]:
        assert word.word in [found.word for found in words.matching(ready.version, word.word)[0]]
        assert (
            word.word in [found.word for found in words.alike(ready.version, word.word)]
            or len(word.word) < 4
        )
        assert words.word(ready.version, word.word.upper()).number == word.number


def test_beginnings_are_literal_and_most_frequent_first(ready):
    found, _ = words.matching(ready.version, "mi")
    assert found and all(row.word.startswith("mi") for row in found)
    assert [row.tokens for row in found] == sorted((row.tokens for row in found), reverse=True)
    assert (
        words.matching(ready.version, "m_l")[0]
        == words.matching(ready, "%")[0]
        == words.matching(ready, "\\")[0]
        == []
    )


def test_accents_do_not_matter(ready):
    with connection.cursor() as cursor:  # rolled back with the test
        cursor.execute(
            "UPDATE word SET word = 'pèñsión' WHERE version_id = %s AND word = 'militia' RETURNING"
            " plain",
            [ready.version_id],
        )
        assert cursor.fetchone() == (words.plain("Pèñsión"),) == ("pension",)
    for typed in ("pens", "PÈN", "pèñs", "pe\u0301ns"):
        assert "pèñsión" in [row.word for row in words.matching(ready.version, typed)[0]]
    # Letters and their marks apart
    assert words.word(ready.version, "Pe\u0300n\u0303sio\u0301n").word == "pèñsión"


def test_a_slip_of_the_finger_is_understood(client, trained):
    page = client.get(reverse("run_word", args=[trained.pk, "milittia"]))
    assert page.status_code == 404
    assert reverse("run_word", args=[trained.pk, "militia"]) in page.content.decode()
    assert (
        client.get(reverse("run_words_json", args=[trained.pk]), {"word": "milittia"}).json()[
            "alike"
        ][0]["word"]
        == "militia"
    )
    nothing = client.get(reverse("run_word", args=[trained.pk, "zzzzqqqq"]))
    assert nothing.status_code == 404 and "Did you mean" not in nothing.content.decode()


def test_a_word_that_does_not_count_has_its_documents_course_and_a_way_to_count(client, trained):
    url = reverse("run_word", args=[trained.pk, "Which"])
    answer = client.get(url)
    page = answer.context["page"]
    text = answer.content.decode()
    assert answer.status_code == 200 and page.word == "which" and page.reason == "is a stop word"
    assert 0 < page.documents <= page.among == trained.version.documents
    # All of the example are dated
    assert sum(bar.documents for bar in page.years) == page.documents
    assert client.get(page.lines).status_code == client.get(page.years[0].url).status_code == 200
    assert (
        "Count this word" in text
        and client.get(reverse("run_word_json", args=[trained.pk, "which"])).status_code == 404
    )
    form = client.post(
        reverse("corpus_words", args=[trained.corpus_id]), {"kept_words": "which"}
    ).context["page"]
    assert form.form["kept_words"].value() == ["which"]
    assert "which" in {row.word for row in form.words.kept} | {
        row.word for row in form.words.stops if row.kept
    }


def test_words_to_begin_with_are_ambiguous(trained):
    found = words.beginnings(RunView(trained))
    assert found
    for row in found:
        assert len(row.topics) > 1 and row.tokens >= words.LEAST_TOKENS
        held = TopicWord.objects.filter(
            snapshot_id=trained.snapshot_id,
            word=row.number,
            topic__in=[t.number for t in row.topics],
        )
        assert all(
            of.tokens >= words.LEAST_SHARE * row.tokens for of in held
        ) and held.count() == len(row.topics)


def test_pages_hold_every_word_once(client, trained):
    url = reverse("run_words_json", args=[trained.pk])
    found = []
    query = "?word=s"
    while query:
        page = client.get(url + query).json()
        found += [row["word"] for row in page["items"]]
        query = page["next"]
    assert found == list(
        Word.objects.filter(version=trained.version_id, word__startswith="s")
        .order_by("number")
        .values_list("word", flat=True)
    )


def test_a_whole_word_opens_its_page_with_the_chosen_documents(client, trained):
    url = reverse("run_words", args=[trained.pk])
    word = reverse("run_word", args=[trained.pk, "militia"])
    assert client.get(url, {"word": " Militia "}).headers["Location"] == word
    assert (
        client.get(url, {"word": "militia", "from": "1800"}).headers["Location"]
        == f"{word}?from=1800"
    )
    # A beginning: the words that begin so
    assert client.get(url, {"word": "militi"}).status_code == 200
