"""Finding a word: by its beginning, without its accents, by its likeness; and those whose senses
lie far apart."""

import pytest
from django.db import connection
from django.urls import reverse
from django.utils.html import escape

from tests.webapp.making import corpus_of, run_on
from webapp.analysis.words import queries as words, uncounted
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


@pytest.fixture(scope="module")
def joined(draft, django_db_setup, django_db_blocker):
    """A run on texts in which apostrophes and a phrase make words of several parts."""
    rows = [["text"]]
    for number in range(40):
        rows += [
            [f"a Qur’anic school reads the Qur’an{' clock' * (number < 2)}"],
            ["New York counts votes at nine o’clock, and votes again"],
        ]
    with django_db_blocker.unblock():
        options = {"language": "en", "min_documents": 5, "phrases": ["new york"]}
        yield run_on(corpus_of(draft, rows, "joined.csv", **options), topics=2, passes=2)


@pytest.mark.parametrize(
    ("word", "wholes"),
    [("Qur", ["qur'an", "qur'anic"]), ("anic", ["qur'anic"]), ("york", ["new_york"])],
)
def test_a_word_that_is_only_a_part_of_others_leads_to_these_and_is_not_offered(
    client, joined, word, wholes
):
    answer = client.get(reverse("run_word", args=[joined.pk, word]))
    page = answer.context["page"]
    text = answer.content.decode()
    assert page.reason == "is counted as a part of other words" and page.documents == 40
    assert [whole.word for whole in page.wholes] == wholes
    assert all(client.get(whole.url).status_code == 200 for whole in page.wholes)
    assert escape(page.wholes[0].url) in text
    assert "Count this word" not in text and "choose words again" not in text


def test_a_word_that_is_by_itself_in_few_documents_and_a_part_in_more_says_so(client, joined):
    answer = client.get(reverse("run_word", args=[joined.pk, "clock"]))
    page = answer.context["page"]
    assert page.documents == 42 and not page.can_count and not page.is_part
    assert page.reason == "is by itself in fewer than 5 documents"
    assert "choose words again" in answer.content.decode()


def test_of_long_texts_some_tell_whether_a_word_is_a_part(client, joined, monkeypatch):
    monkeypatch.setattr(uncounted, "MOST_PIECES", 50)
    view = RunView(joined)
    assert uncounted.find_uncounted(view, "qur").is_part
    assert uncounted.find_uncounted(view, "the").reason == "is a stop word"
    assert not uncounted.find_uncounted(view, "the").is_part


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
