"""Uploads by programs: a token in place of a session, with its user's rights and quota; and the
example of docs/uploads.md."""

import asyncio
import io
import re
import sys
import urllib.request
from email.message import Message
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.response import addinfourl

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from django.urls import reverse

from webapp.intake.ingest import uploads
from webapp.models import Corpus, User
from webapp.platform.accounts import tokens
from webapp.platform.server import bodies
from webapp.platform.server.handler import whole_application
from webapp.service.corpora import deletion

pytestmark = pytest.mark.django_db
DOCS = (Path(__file__).parents[4] / "docs" / "uploads.md").read_text(encoding="utf-8")
TUS = {"Tus-Resumable": "1.0.0"}


@pytest.fixture(autouse=True)
def accounts(settings):
    settings.ACCOUNTS = True
    settings.ALLOWED_HOSTS = ["127.0.0.1", "testserver"]
    cache.clear()


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada@example.org", "Ada")


@pytest.fixture
def eve() -> User:
    return User.objects.create_user("eve@example.org", "Eve")


def ask(
    method: str, url: str, headers: dict | None = None, body: bytes = b"", asked: list | None = None
) -> tuple[int, dict, bytes]:
    """Of the whole ASGI application, in this process, whose transaction it then sees. asked: grows
    when the body is asked for."""
    said = []
    parts = [{"type": "http.request", "body": body, "more_body": False}]
    given = {"Host": "127.0.0.1:8000"} | (headers or {})
    raw = [(name.lower().encode(), value.encode()) for name, value in given.items()]
    scope = {
        "type": "http",
        "method": method,
        "path": urlsplit(url).path,
        "query_string": b"",
        "headers": raw,
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 8000),
    }

    async def receive():
        if asked is not None:
            asked.append(1)
        return parts.pop() if parts else await asyncio.Future()  # the client stays

    async def send(message):
        said.append(message)

    # As Django's own clients do: this test's connection must stay
    for signal in (
        request_started,
        request_finished,
    ):
        signal.disconnect(close_old_connections)
    try:
        async_to_sync(whole_application())(scope, receive, send)
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)
    return (
        said[0]["status"],
        {k.decode().title(): v.decode() for k, v in said[0]["headers"]},
        b"".join(m.get("body", b"") for m in said[1:]),
    )


def bearer(user: User) -> dict:
    return {"Authorization": f"Bearer {tokens.create('t', user)[1]}"}


def begin(headers: dict, size: int = 3) -> tuple[int, dict, bytes]:
    return ask(
        "POST",
        "/uploads/",
        headers | TUS | {"Upload-Length": str(size), "Upload-Metadata": "filename YS50eHQ="},
    )


def test_the_example_runs_as_it_stands(ada, tmp_path, monkeypatch, capsys):
    letters = tmp_path / "letters.csv"
    letters.write_text(
        "title,text\n"
        + "\n".join(
            f"Letter {i},the ship sailed to the coast of trade number {i}" for i in range(30)
        )
    )

    def urlopen(request):
        body = request.data.read() if hasattr(request.data, "read") else request.data or b""
        status, headers, answer = ask(
            request.get_method(), request.full_url, dict(request.header_items()), body
        )
        message = Message()
        for name, value in headers.items():
            message[name] = value
        if status >= 400:
            raise HTTPError(request.full_url, status, answer.decode(), message, None)
        return addinfourl(io.BytesIO(answer), message, request.full_url, status)

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    monkeypatch.setenv("TOPOGRAPH_TOKEN", tokens.create("script", ada)[1])
    monkeypatch.delenv("TOPOGRAPH_URL", raising=False)
    monkeypatch.setattr(sys, "argv", ["upload.py", str(letters)])
    exec(compile(re.search(r"```python\n(.*?)```", DOCS, re.S)[1], "docs/uploads.md", "exec"), {})
    corpus = Corpus.objects.get(owner=ada)
    assert capsys.readouterr().out.split() == [str(corpus.pk), "queued"]
    assert (corpus.name, corpus.files.get().name, corpus.settings["language"]) == (
        "Letters",
        "letters.csv",
        "en",
    )
    deletion.delete_corpus(corpus)


def test_a_token_is_needed_and_must_be_one(ada):
    assert (
        begin({})[0]
        == begin({"Authorization": "Bearer topograph_x"})[0]
        == begin({"Authorization": "Basic YTpi"})[0]
        == 401
    )
    session = Client()
    session.force_login(ada)
    cookie = {"Cookie": f"sessionid={session.cookies['sessionid'].value}"}
    assert begin(cookie | {"Authorization": "Bearer topograph_x"})[0] == 401, (
        "what is wrong is not made good by a cookie"
    )
    assert begin(cookie | {"Authorization": "Basic YTpi"})[0] == 201, (
        "a proxy's own password is none of ours"
    )
    assert begin(bearer(ada))[0] == 201
    User.objects.update(is_active=False)
    assert begin(bearer(ada))[0] == 401
    for path in uploads.settings.FILE_UPLOAD_TEMP_DIR.iterdir():
        path.unlink()


def test_an_upload_is_its_users_alone(ada, eve):
    at = begin(bearer(ada))[1]["Location"]
    patch = TUS | {
        "Upload-Offset": "0",
        "Content-Type": "application/offset+octet-stream",
        "Content-Length": "3",
    }
    for headers in (bearer(eve), {}):
        assert ask("HEAD", at, TUS | headers)[0] in (401, 404)
        assert ask("PATCH", at, patch | headers, b"abc")[0] in (401, 404)
        assert ask("DELETE", at, TUS | headers)[0] in (401, 404)
    assert ask("PATCH", at, patch | bearer(ada), b"abc")[0] == 204
    number = at.strip("/").rsplit("/")[-1]

    def make(user):
        return Client().post(
            "/api/v1/corpora/", {"uploads": [number]}, "application/json", headers=bearer(user)
        )

    assert make(eve).status_code == 404 and not Corpus.objects.filter(owner=eve).exists()
    made = make(ada)
    assert made.status_code == 201 and Corpus.objects.get(pk=made.json()["id"]).owner == ada
    assert make(ada).status_code == 404, "once"
    read = f"/api/v1/corpora/{made.json()['id']}/read"
    assert Client().post(read, {}, "application/json", headers=bearer(eve)).status_code == 404
    assert Client().post(read, {}, "application/json").status_code in (401, 404)
    deletion.delete_corpus(Corpus.objects.get(pk=made.json()["id"]))


def test_quotas_hold_for_programs(ada):
    User.objects.filter(pk=ada.pk).update(most_bytes=5)
    assert begin(bearer(ada), 6)[0] == 413
    assert begin(bearer(ada), 3)[0] == 201 and begin(bearer(ada), 3)[0] == 413
    for path in uploads.settings.FILE_UPLOAD_TEMP_DIR.iterdir():
        path.unlink()


@pytest.mark.parametrize("path", ["/corpora/", "/corpora/1/add/"])
def test_large_forms_of_nobody_are_refused_before_they_are_read(ada, path):
    """Django would write all of it to a file before anybody asks whose it is."""
    client = Client()
    client.force_login(ada)
    key = client.cookies["sessionid"].value

    def send(headers: dict, size: int = bodies.FORM + 1) -> tuple[int, int]:
        """(status, how often the body was asked for)"""
        asked = []
        status, _, _ = ask(
            "POST",
            path,
            headers | {"Content-Length": str(size), "Content-Type": "text/plain"},
            b"",
            asked,
        )
        return status, len(asked)

    assert bodies.UPLOAD_PATHS.fullmatch(reverse("corpora")) and bodies.UPLOAD_PATHS.fullmatch(
        reverse("corpus_add", args=[1])
    )
    other = key[:-1] + ("y" if key.endswith("x") else "x")
    for cookie in ("", f"sessionid={other}", "sessionid=", "__Host-session=x", "x" * 500):
        assert send({"Cookie": cookie} if cookie else {}) == (403, 0), cookie
    assert send({"Cookie": f"a=b; sessionid={key}"})[1] > 0, "who has signed in is read"
    assert send({}, 10)[1] > 0, "what is small is answered with a page"
    ada.set_password("another one")
    ada.save()
    assert send({"Cookie": f"sessionid={key}"}) == (403, 0)


def test_what_was_read_is_not_read_again(ready, ada, settings):
    settings.ACCOUNTS = False
    answer = Client().post(
        f"/api/v1/corpora/{ready.pk}/read", {}, "application/json", headers=bearer(ada)
    )
    assert answer.status_code == 400 and "is ready" in answer.json()["error"]
    assert (
        Client()
        .post("/api/v1/corpora/", {"uploads": []}, "application/json", headers=bearer(ada))
        .status_code
        == 400
    )
    assert (
        Client().post("/api/v1/corpora/", {"uploads": ["x"]}, "application/json").status_code == 401
    )
    assert Corpus.objects.get(pk=ready.pk).status == "ready"
