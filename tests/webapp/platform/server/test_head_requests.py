"""HEAD says what GET does, without a body, at every address that takes GET."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests import addresses
from webapp.core.notebooks import services as notebooks
from webapp.platform.accounts import sharing
from webapp.platform.server import live
from webapp.service.api import api
from webapp.service.codebook import concepts

pytestmark = pytest.mark.django_db

# Another at each request
CHANGING = {
    "X-Request-ID",
    "Set-Cookie",
    "Content-Length",
    "Vary",
    "Expires",
}


def of_get(trained) -> list[str]:
    book = notebooks.create("Mine", "owner")
    notebooks.share(book)
    concept = concepts.create(
        trained.corpus, {"called": "war", "kind": "yes_no", "text": "About war."}, "owner"
    )
    values = {"notebook_id": book.pk, "token": book.token, "concept_id": concept.pk}
    of_accounts = {"share", "course", "course_zip", "join", "come_back", "class"}
    closed = {*addresses.POSTS, *addresses.TUS, *of_accounts, "corpus_deleted", "run_deleted"}
    pages = [
        addresses.address(n, trained.corpus_id, trained.pk, **values) + f"?{addresses.states(n)[0]}"
        for n in sorted(addresses.names() - closed)
    ]
    values = {
        "corpus_id": trained.corpus_id,
        "run_id": trained.pk,
        "other": trained.pk,
        "number": 1,
        "word": "war",
    }
    paths = [
        path for path, methods in api.get_openapi_schema()["paths"].items() if "get" in methods
    ]
    return pages + [
        re.sub(r"\{(\w+)\}", lambda m: str(values[m[1]]), path)
        for path in [*paths, "/api/v1/openapi.json"]
    ]


def test_every_page_twin_file_and_stream(trained, monkeypatch):
    monkeypatch.setattr(live, "stream", lambda about, reader: iter(()))
    client = Client()
    wrong = []
    refused = []
    urls = of_get(trained)
    for url in urls:
        got = client.get(url)
        head = client.head(url)
        said = [
            {k: v for k, v in answer.headers.items() if k not in CHANGING} for answer in (got, head)
        ]
        if head.content or head.status_code != got.status_code or said[0] != said[1]:
            wrong.append(
                (
                    url,
                    got.status_code,
                    head.status_code,
                    *({*a.items()} ^ {*b.items()} for a, b in [said]),
                )
            )
        for close in got._resource_closers:
            close()
        if got.status_code >= 400:
            refused.append((url, got.status_code))
    assert not wrong
    assert len(urls) > 100
    assert len(refused) < len(urls) / 10, f"most addresses are really there: {refused}"


def test_nothing_is_made_for_nobody(trained, monkeypatch):
    """Neither a stream, whose reader would never go, nor a file that may have millions of rows."""
    made = []

    async def stream(about, reader):
        made.append(about)
        yield b""

    monkeypatch.setattr(live, "stream", stream)
    head = Client().head(reverse("run_events", args=[trained.pk]))
    assert (head.status_code, head.streaming, head["Content-Type"], made) == (
        200,
        False,
        "text/event-stream",
        [],
    )
    head = Client().head(reverse("export", args=[trained.pk, "documents.csv"]))
    assert not head.streaming and head["Content-Disposition"].startswith("attachment")


def test_the_schema_of_the_api_knows_get_and_post_alone():
    assert {
        method for methods in api.get_openapi_schema()["paths"].values() for method in methods
    } == {"get", "post"}


def test_what_takes_a_form_alone_does_not_take_head(trained):
    for name in addresses.POSTS:
        url = addresses.address(name, trained.corpus_id, trained.pk)
        assert Client().head(url).status_code in (404, 405), name


def test_a_link_is_followed_by_head_as_by_get(trained, settings):
    """Programs that show what a link leads to ask so."""
    settings.ACCOUNTS = True
    _, secret = sharing.make_link(trained.corpus, trained.corpus.owner, "", 7)
    assert Client().head(reverse("share", args=[secret])).status_code == 302
