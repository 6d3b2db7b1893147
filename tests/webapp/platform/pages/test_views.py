"""Every address: it answers, its twin is JSON, what is missing is a 404, the wrong method a 405."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.addresses import (
    ELSEWHERE,
    FILES,
    OF_ALL,
    OTHER,
    PAGES,
    POSTS,
    ROUTES,
    STREAMS,
    TUS,
    address,
    names,
)
from tests.webapp.page_json import undeclared
from webapp.core.runs import services as runs
from webapp.models import Corpus, Run
from webapp.platform.pages import typed

pytestmark = pytest.mark.django_db

MISSING = 10**12


def test_every_address_is_in_a_list():
    known = {*PAGES, *(f"{p}_json" for p in PAGES), *STREAMS, *FILES, *POSTS, *OTHER, *ELSEWHERE}
    assert names() == known, "a new address goes into tests/addresses.py"


@pytest.mark.parametrize("name", [*PAGES, "home"])
def test_page(client, trained, name):
    response = client.get(address(name, trained.corpus_id, trained.pk))
    assert response.status_code == 200
    html = response.content.decode()
    assert "<title>" in html and "Topograph" in html
    assert "{{" not in html and "{%" not in html


@pytest.mark.parametrize("name", PAGES)
def test_twin(client, trained, name):
    response = client.get(address(f"{name}_json", trained.corpus_id, trained.pk))
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert undeclared(ROUTES[name], response.json()) == []


@pytest.mark.parametrize(
    ("name", "part", "api"),
    [
        ("corpus", None, "corpora/{corpus}"),
        ("corpus_documents", None, "corpora/{corpus}/documents"),
        ("corpus_document", "document", "corpora/{corpus}/documents/2"),
        ("run", "run", "runs/{run}"),
        ("run_topics", None, "runs/{run}/topics"),
        ("run_topic", "topic", "runs/{run}/topics/2"),
        ("run_documents", None, "runs/{run}/documents"),
        ("run_words", None, "runs/{run}/words"),
        ("run_methods", None, "runs/{run}/methods"),
    ],
)
def test_a_twin_says_what_the_api_says(client, trained, name, part, api):
    """And maybe more: of a list of dictionaries each has all that the API's has."""
    twin = client.get(address(f"{name}_json", trained.corpus_id, trained.pk)).json()
    said = client.get("/api/v1/" + api.format(corpus=trained.corpus_id, run=trained.pk)).json()
    twin = twin[part] if part else twin
    for field, value in said.items():
        if field == "items":
            assert value and len(value) == len(twin[field])
            for mine, theirs in zip(twin[field], value, strict=True):
                assert {key: mine[key] for key in theirs} == theirs
        elif field != "next":  # each is an address of its own
            assert twin[field] == value, field


@pytest.mark.parametrize("name", [n for n in sorted(names()) if n not in (*OF_ALL, *POSTS, *TUS)])
def test_missing(client, trained, name):
    assert client.get(address(name, MISSING, MISSING)).status_code == 404


@pytest.mark.parametrize(
    "name",
    [
        p
        for p in POSTS
        if p
        not in (
            "corpora",
            "example",
            "reader",
            "notebook_new",
            "notebook_findings",
            "pin",
            "pin_finding",
        )
    ],
)
def test_missing_post(client, trained, name):
    assert client.post(address(name, MISSING, MISSING)).status_code == 404


@pytest.mark.parametrize("name", [*PAGES, *STREAMS, *FILES, "home"])
def test_pages_are_only_read(client, trained, name):
    assert client.post(address(name, trained.corpus_id, trained.pk)).status_code == 405


@pytest.mark.parametrize("name", POSTS)
def test_writes_are_only_posted(client, trained, name):
    """Whoever comes to such an address by the browser's own Back or Reload is told so."""
    answer = client.get(address(name, trained.corpus_id, trained.pk))
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"
    assert "Nothing was changed" in answer.content.decode()


@pytest.mark.parametrize("name", POSTS)
def test_writes_need_the_token(trained, name):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(address(name, trained.corpus_id, trained.pk)).status_code == 403
    assert Run.objects.filter(pk=trained.pk).exists()


@pytest.mark.parametrize(
    "query", ["after=x", "after=-1e9", "after=1,2,3", "before=%00", f"after={'9' * 40}"]
)
def test_nonsense_in_the_address_is_a_clear_400_or_ignored(client, trained, query):
    for name in ("home", "corpus", "run_topics", "run_topic", "run_documents", "run_words"):
        response = client.get(address(name, trained.corpus_id, trained.pk) + "?" + query)
        assert response.status_code in (200, 400), name
        if response.status_code == 400:
            assert "must be" in response.content.decode()


@pytest.mark.parametrize(
    "q",
    [
        "",
        "war",
        '"foreign affairs" -peace',
        "'",
        '"',
        "%",
        "\\",
        "\0",
        "&|!()",
        "a" * 5000,
        "😀",
        "<script>",
    ],
)
def test_search_takes_anything(client, trained, q):
    for name in ("corpus_documents", "run_documents", "run_words", "run_topics"):
        response = client.get(address(name, trained.corpus_id, trained.pk), {"q": q})
        html = response.content.decode()
        assert (
            response.status_code == 200
            or response.status_code == 400
            and ("no word to search for" in html or "longer" in html)
        )
        assert "<script>alert" not in html and "<script></" not in html


def test_search_finds_and_marks(client, ready):
    found = client.get(reverse("corpus_documents_json", args=[ready.pk]), {"q": "militia"}).json()
    assert 0 < found["count"] < ready.documents
    for document in found["items"]:
        text = "".join(part for part, _ in document["snippet"])
        marked = [part for part, match in document["snippet"] if match]
        assert marked and all("militia" in part.lower() for part in marked), text


def test_search_pages_hold_every_match_once(client, ready):
    url = reverse("corpus_documents_json", args=[ready.pk])
    numbers = []
    query = "?q=congress"
    while query:
        page = client.get(url + query).json()
        numbers += [d["number"] for d in page["items"]]
        query = page["next"]
    assert (
        len(numbers) == len(set(numbers)) == page["count"] or len(numbers) == len(set(numbers)) > 25
    )


def test_document_pages_hold_every_document_once(client, ready):
    url = reverse("corpus_documents_json", args=[ready.pk])
    numbers = []
    query = ""
    while query is not None:
        page = client.get(url + query).json()
        numbers += [d["number"] for d in page["items"]]
        query = page["next"]
    assert numbers == list(range(ready.documents))


def test_delete_of_a_run(client, ready, django_db_blocker):
    run = runs.create(ready.version, topics=5)
    response = client.post(reverse("run_delete", args=[run.pk]))
    assert response.status_code == 302 and not Run.objects.filter(pk=run.pk).exists()
    assert Corpus.objects.filter(pk=ready.pk).exists()


def test_train_form_says_what_is_wrong(client, ready):
    url = reverse("corpus_runs", args=[ready.pk])
    form = client.get(reverse("corpus", args=[ready.pk])).context["html"].train_form
    values = {
        name: "" if form[name].value() is None else form[name].value() for name in form.fields
    }
    for field, value, said in [
        ("topics", "-3", "topics"),
        ("topics", "99999999", "at most"),
        ("kappa", "0.2", "kappa"),
        ("seed", "x", "whole"),
    ]:
        response = client.post(url, values | {field: value})
        assert response.status_code == 400, field
        assert said in response.content.decode()
    assert Run.objects.filter(corpus=ready).exclude(status="done").count() == 0
    assert (
        client.post(url, values | {"topics": "5", "expectation": "mean", "eta": "0.1"}).status_code
        == 302
    )
    run = Run.objects.latest("pk")
    assert (
        run.settings["topics"],
        run.settings["expectation"],
        run.settings["eta"],
        run.status,
    ) == (
        5,
        "mean",
        0.1,
        "queued",
    )
    assert None not in run.settings.values()  # what was left empty is chosen then and there


def test_security_headers(client, trained):
    response = client.get(reverse("run", args=[trained.pk]))
    policy = response["Content-Security-Policy"]
    assert (
        "default-src 'none'" in policy
        and "script-src 'self';" in policy + ";"
        and "unsafe" not in policy
    )
    assert response["X-Frame-Options"] == "DENY"


def test_a_text_of_an_address_is_what_a_file_may_have():
    """Names of fields and words are looked up by it as they were read."""
    assert typed.text("by", ["Año\u00a0de\u200cx "]) == "Año\u00a0de\u200cx"
    assert typed.text("by", ["a\0b\u202ec\ud800\td\x9f"]) == "abc d"
