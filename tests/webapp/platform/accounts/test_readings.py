"""The record of reading says who opened which text, to the owner alone; it is bounded, has no words
that were searched, and never makes a page fail."""

import csv
import io
from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.webapp.making import corpus_of
from webapp.models import Corpus, Membership, Reading, User
from webapp.platform.accounts import embargo, readings, sharing
from webapp.platform.accounts.roles import Person
from webapp.service.own_data import contents

pytestmark = pytest.mark.django_db
ROWS = [["title", "text"], *([f"Letter {i}", f"harvest of letter {i} " * 40] for i in range(4))]


@pytest.fixture(scope="module")
def letters(draft, django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        yield corpus_of(draft, ROWS, "letters.csv", language="en", min_documents=1, max_share=1.0)


@pytest.fixture
def corpus(letters, settings) -> Corpus:
    """It is Olga's, and Ada may read it."""
    settings.ACCOUNTS = True
    olga = User.objects.create_user("olga@example.org", "Olga")
    ada = User.objects.create_user("ada@example.org", "Ada")
    Corpus.objects.filter(pk=letters.pk).update(owner=olga)
    Membership.objects.create(corpus=letters, user=ada, role="viewer")
    return Corpus.objects.get(pk=letters.pk)


def client(name: str) -> Client:
    signed_in = Client()
    signed_in.force_login(User.objects.get(name=name))
    return signed_in


def address(corpus: Corpus, number: int, name: str = "corpus_document") -> str:
    return reverse(name, args=[corpus.pk, number])


def keep(corpus: Corpus, on: str = "1") -> None:
    answer = client("Olga").post(reverse("corpus_readings_keep", args=[corpus.pk]), {"keep": on})
    assert answer.status_code == 302


def record(corpus: Corpus) -> list[dict]:
    return client("Olga").get(reverse("corpus_readings_json", args=[corpus.pk])).json()["rows"]


def test_nothing_is_recorded_unless_the_owner_wishes_it(corpus):
    ada = client("Ada")
    assert "A record is kept" not in ada.get(address(corpus, 1)).content.decode()
    assert not Reading.objects.exists()
    keep(corpus)
    body = ada.get(address(corpus, 1)).content.decode()
    assert "A record is kept for the owner of these texts" in body and "90 days" in body
    (row,) = record(corpus)
    assert (row["reader"], row["kind"], row["document"]) == ("Ada", "opened", 1)
    assert row["title"] == "Letter 1" and row["end"] > row["begin"] == 0
    keep(corpus, "")
    ada.get(address(corpus, 2))
    assert len(record(corpus)) == 1


def test_passages_by_their_address_and_json_are_openings_too(corpus):
    keep(corpus)
    ada = client("Ada")
    ada.get(reverse("corpus_passage", args=[corpus.pk, 2, 5, 50]))
    ada.get(address(corpus, 3, "corpus_document_json"))
    assert [(row["document"], row["begin"]) for row in record(corpus)] == [(3, 0), (2, 5)]


def test_what_its_owner_reads_is_not_recorded(corpus):
    keep(corpus)
    body = client("Olga").get(address(corpus, 1)).content.decode()
    assert "A record is kept" not in body and not Reading.objects.exists()


def test_lists_are_recorded_under_an_embargo_alone(corpus):
    keep(corpus)
    search = reverse("corpus_documents", args=[corpus.pk]) + "?q=harvest"
    ada = client("Ada")
    ada.get(search)
    assert record(corpus) == []
    keep(corpus, "")
    Corpus.objects.filter(pk=corpus.pk).update(embargo=True)
    body = ada.get(search).content.decode()
    assert "It says which passages you were shown" in body
    rows = record(corpus)
    assert {row["kind"] for row in rows} == {"passage"} and len(rows) == 4
    assert all(0 < row["end"] - row["begin"] <= embargo.PASSAGE for row in rows)
    assert "harvest" not in repr(list(Reading.objects.values()))


def test_readers_by_a_link_are_named_by_it(corpus):
    keep(corpus)
    _, token = sharing.make_link(corpus, corpus.owner, "the jury", 7)
    reader = Client()
    reader.get(reverse("share", args=[token]))
    reader.get(address(corpus, 0))
    assert record(corpus)[0]["reader"] == "anybody with the link “the jury”"


def test_what_is_read_of_a_part_is_on_the_record_of_its_whole(corpus):
    keep(corpus)
    part = Corpus.objects.create(
        name="part", owner=User.objects.get(name="Ada"), parent=corpus, status="ready"
    )
    person = Person(part.owner_id)
    text = embargo.about(corpus, [1], "digest")[1]["digest"]
    with embargo.reading(person):
        readings.note_opened(part, 77, bytes.fromhex(text), 0, 9)
    (row,) = record(corpus)
    assert (row["document"], row["part"], row["title"]) == (1, part.pk, "Letter 1")


def test_a_page_is_shown_where_the_record_can_t_be_written(corpus, monkeypatch):
    keep(corpus)

    def fail(rows):
        raise DatabaseError("no room")

    monkeypatch.setattr(Reading.objects, "bulk_create", fail)
    answer = client("Ada").get(address(corpus, 1))
    assert answer.status_code == 200 and "letter 1" in answer.content.decode()


def test_one_request_writes_at_most_so_many_rows(corpus, monkeypatch):
    monkeypatch.setattr(readings, "MOST_OF_REQUEST", 3)
    Corpus.objects.filter(pk=corpus.pk).update(embargo=True)
    corpus.refresh_from_db()
    with embargo.reading(Person(User.objects.get(name="Ada").pk)):
        readings.note_passages(corpus, ((i, b"", 0, 5) for i in range(9)))
    assert [row["kind"] for row in record(corpus)] == ["more", *["passage"] * 3]


def test_rows_go_by_age_and_by_number(corpus, monkeypatch):
    monkeypatch.setattr(readings, "MOST_ROWS", 3)
    now = timezone.now()
    for days in (100, 91, 80, 4, 3, 2, 1):
        Reading.objects.create(
            corpus=corpus,
            within=corpus.pk,
            at=now - timedelta(days=days),
            by="public",
            kind="opened",
        )
    readings.remove_old()
    ages = [(now - row.at).days for row in Reading.objects.order_by("pk")]
    assert ages == [3, 2, 1]


def test_all_of_it_is_a_table_without_formulas(corpus):
    keep(corpus)
    User.objects.filter(name="Ada").update(name="=Ada()")
    client("=Ada()").get(address(corpus, 1))
    rows = list(csv.DictReader(io.StringIO(read_table(corpus).content().decode())))
    assert rows[0]["reader"] == "'=Ada()" and rows[0]["document"] == "1"


def read_table(corpus: Corpus):
    from webapp.service.privacy import read_texts

    return read_texts.table(corpus)


def test_only_the_owner_sees_it(corpus):
    keep(corpus)
    for name in ("corpus_readings", "corpus_readings_json", "corpus_readings_csv"):
        assert client("Ada").get(reverse(name, args=[corpus.pk])).status_code == 403
    assert client("Olga").get(reverse("corpus_readings", args=[corpus.pk])).status_code == 200


def test_readers_take_along_what_is_on_record_of_them(corpus):
    keep(corpus)
    client("Ada").get(address(corpus, 1))
    ada = User.objects.get(name="Ada")
    assert b'"document": 1' in b"".join(contents.readings_of_user(ada))
    ada.delete()
    assert record(corpus)[0]["reader"] == "a deleted account"
