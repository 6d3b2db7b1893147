"""A page whose files or rows another request takes away meanwhile: it is put together again, or
says that they are gone."""

import pytest
from asgiref.sync import async_to_sync
from django.db import DatabaseError, connection, transaction
from django.test import AsyncClient, Client

from webapp.core.notebooks import services as notebooks, views as notebook_views
from webapp.core.runs import services
from webapp.models import Pin, Run
from webapp.platform.accounts import tokens
from webapp.platform.pages import page
from webapp.service.corpora import deletion
from webapp.service.exports import views as export_views

pytestmark = pytest.mark.django_db


@pytest.fixture
def client():
    return Client(raise_request_exception=False)


@pytest.fixture
def run(trained):
    return trained


def fails(monkeypatch, times: int, happens=lambda: None) -> list[int]:
    """The page of a run meets so many times a file that is not there any more."""
    met = []
    there = page.unchecked_run

    def look(number):
        if len(met) < times:
            met.append(number)
            happens()
            raise FileNotFoundError("evidence")
        return there(number)

    monkeypatch.setattr(page, "unchecked_run", look)
    return met


@pytest.mark.parametrize("address", ["/runs/{}/", "/runs/{}.json"])
def test_a_page_that_was_overtaken_once_is_put_together_again(client, run, monkeypatch, address):
    fails(monkeypatch, 1)
    assert client.get(address.format(run.pk)).status_code == 200


@pytest.mark.parametrize("is_asgi", [False, True], ids=["wsgi", "asgi"])
def test_a_file_that_was_overtaken_once_is_made_again(run, monkeypatch, is_asgi):
    """The view of a file is a coroutine; pages' are functions."""
    met = []
    make_file = export_views.make_file

    def overtaken_once(*arguments):
        met.append(arguments)
        if len(met) == 1:
            raise DatabaseError("the partition was replaced")
        return make_file(*arguments)

    monkeypatch.setattr(export_views, "make_file", overtaken_once)
    get = async_to_sync(AsyncClient().get) if is_asgi else Client().get
    answer = get(f"/runs/{run.pk}/export/document-topics.csv")
    assert (answer.status_code, len(met)) == (200, 2)


def test_what_fails_twice_is_broken(client, run, monkeypatch):
    met = fails(monkeypatch, 9)
    assert client.get(f"/runs/{run.pk}/").status_code == 500 and len(met) == 2


@pytest.mark.parametrize("address", ["/runs/{}/", "/runs/{}.json"])
def test_what_is_deleted_while_it_is_read_is_gone(client, run, monkeypatch, address):
    met = fails(monkeypatch, 9, lambda: deletion.delete_run(run))
    answer = client.get(address.format(run.pk))
    assert answer.status_code == 404 and len(met) == 1
    assert "deleted a moment ago" in answer.content.decode() or address.endswith("/")


def test_a_form_about_what_was_deleted_meanwhile_is_told_so(client, run, monkeypatch):
    def stop(given):
        deletion.delete_run(run)
        raise Run.DoesNotExist

    monkeypatch.setattr(services, "stop", stop)
    assert client.post(f"/runs/{run.pk}/stop/").status_code == 404


def test_a_pin_in_a_notebook_that_is_deleted_meanwhile(client, run, monkeypatch):
    """Its address names no row: the notebook is in the form."""
    notebook = notebooks.create("Notes", "ada", run.corpus.owner)
    chosen = notebook_views.picked_notebook

    def look(request, corpus):
        row = chosen(request, corpus)
        type(row).objects.filter(pk=row.pk).delete()
        return row

    monkeypatch.setattr(notebook_views, "picked_notebook", look)
    sent = {"kind": "topic", "run": run.pk, "topic": 0, "notebook": notebook.pk}
    answer = client.post("/notebooks/pin/", sent)
    assert answer.status_code == 409 and "This changed in the meantime" in answer.content.decode()


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_form_that_names_a_row_which_is_gone(client, monkeypatch, accept):
    """As Postgres says it: a foreign key that no row has."""

    def chosen(request, corpus):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            Pin.objects.create(
                notebook_id=10**9, position=1, kind="chart", title="Years", address="/", by="ada"
            )

    monkeypatch.setattr(notebook_views, "picked_notebook", chosen)
    sent = {"kind": "chart", "title": "Years", "address": "/", "sentence": "x"}
    answer = client.post("/notebooks/pin/", sent, headers={"accept": accept})
    assert answer.status_code == 409 and "could not be carried out" in answer.content.decode()


def test_a_program_is_told_that_it_was_overtaken(client, run, monkeypatch):
    def stop(given):
        raise Run.DoesNotExist

    monkeypatch.setattr("webapp.service.api.runs.runs.stop", stop)
    secret = tokens.create("tests")[1]
    answer = client.post(
        f"/api/v1/runs/{run.pk}/stop", headers={"authorization": f"Bearer {secret}"}
    )
    assert answer.status_code == 409 and "could not be carried out" in answer.json()["error"]


def test_an_error_of_ours_in_a_form_stays_one(client, run, monkeypatch):
    def stop(given):
        raise DatabaseError("a column that is not there")

    monkeypatch.setattr(services, "stop", stop)
    assert client.post(f"/runs/{run.pk}/stop/").status_code == 500


def test_a_form_is_not_sent_twice(client, run, monkeypatch):
    sent = []

    def stop(given):
        sent.append(given)
        raise FileNotFoundError("checkpoint")

    monkeypatch.setattr(services, "stop", stop)
    assert client.post(f"/runs/{run.pk}/stop/").status_code == 500 and len(sent) == 1


def test_the_api(client, run, monkeypatch):
    whole = page.unchecked_run
    met = []

    def once(number):
        met.append(number)
        if len(met) == 1:
            raise FileNotFoundError("evidence")
        return whole(number)

    monkeypatch.setattr("webapp.service.api.runs.unchecked_run", once)
    assert client.get(f"/api/v1/runs/{run.pk}").status_code == 200 and len(met) == 2


def test_who_may_see_what_is_deleted_is_not_told_that_it_is_gone(client, run, monkeypatch):
    """The form that brings it back is about a row that is deleted."""
    deletion.delete_run(run)

    def broken(row):
        raise OSError("no")

    monkeypatch.setattr(deletion, "bring_back", broken)
    assert client.post(f"/runs/{run.pk}/deleted/bring-back/").status_code == 500
