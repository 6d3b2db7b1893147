"""Requests that other sites make in a reader's name, what every answer says of itself, and bodies
that are not what they should be."""

import json

import pytest
from django.urls import URLPattern, get_resolver, reverse

from tests import addresses
from tests.attacks.conftest import Stranger
from webapp.models import Corpus, Run
from webapp.platform.server import headers

pytestmark = pytest.mark.django_db


@pytest.fixture
def strict() -> Stranger:
    return Stranger(enforce_csrf_checks=True)


# Cross-site requests
# ----------------------------------------------------------------------------------------------


def test_every_form_needs_its_token(strict, hostile):
    """Every address takes a POST only with the token of a page of ours; those that take none say
    so."""
    open_ = []
    for name in sorted(addresses.names() - set(addresses.TUS)):
        response = strict.post(hostile.address(name), {"name": "x", "text": "war"})
        if response.status_code not in (403, 405):
            open_.append((name, response.status_code))
    assert open_ == []
    for name in addresses.POSTS:
        assert strict.post(hostile.address(name)).status_code == 403, name
    assert (
        Corpus.objects.filter(pk=hostile.corpus).exists()
        and Run.objects.filter(pk=hostile.run).exists()
    )


def test_no_view_is_exempt():
    """But the tus protocol's, which has its own rule, and the API's, which takes tokens in a header
    that other sites can't send."""
    exempt = {
        pattern.name
        for pattern in get_resolver("webapp.urls").url_patterns
        if isinstance(pattern, URLPattern) and getattr(pattern.callback, "csrf_exempt", False)
    }
    assert exempt == set(addresses.TUS)


def test_a_token_of_another_browser_is_refused(strict, hostile):
    strict.get("/")
    token = strict.cookies["csrftoken"].value
    other = Stranger(enforce_csrf_checks=True)
    other.get("/")
    assert (
        other.post(reverse("reader"), {"name": "x", "csrfmiddlewaretoken": token}).status_code
        == 403
    )
    assert (
        strict.post(reverse("reader"), {"name": "x", "csrfmiddlewaretoken": token}).status_code
        == 302
    )


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://testserver.evil.example",
        "http://testserver@evil.example",
        "file://",
    ],
)
def test_another_origin_is_refused_even_with_the_token(strict, origin):
    strict.get("/")
    token = strict.cookies["csrftoken"].value
    assert (
        strict.post(
            reverse("reader"),
            {"name": "x", "csrfmiddlewaretoken": token},
            headers={"origin": origin},
        ).status_code
        == 403
    )


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://testserver.evil.example"]
)
def test_uploads_are_not_taken_from_other_sites(stranger, origin):
    said = {"tus-resumable": "1.0.0", "upload-length": "3", "origin": origin}
    assert stranger.post("/uploads/", headers=said).status_code == 403
    assert (
        stranger.post(
            "/uploads/",
            headers=said | {"origin": "http://testserver", "sec-fetch-site": "cross-site"},
        ).status_code
        == 403
    )
    assert (
        stranger.options("/uploads/", headers={"origin": origin}).get("Access-Control-Allow-Origin")
        is None
    )


def test_the_token_is_masked_anew_in_each_page(stranger):
    """BREACH: what is compressed with what an attacker writes must not stay the same."""
    tokens = {stranger.get("/").context["csrf_token"] for _ in range(3)}
    assert len({str(token) for token in tokens}) == 3


# What every answer says
# -------------------------------------------------------------------------------------------


def test_every_answer_says_how_it_may_be_used(stranger, hostile):
    """And gives no leave to the other site that asks."""
    urls = [
        *hostile.pages(),
        "/nowhere/",
        "/static/js/theme.js",
        "/static/icon.svg",
        "/static/css/base.css",
        "/uploads/x/",
        "/api/v1/openapi.json",
    ]
    for url in urls:
        response = stranger.get(url, headers={"origin": "https://evil.example"})
        said = response.headers
        assert url.startswith("/static/") or not [
            name for name in said if name.startswith("Access-Control-")
        ], url
        assert (
            said["X-Content-Type-Options"] == "nosniff"
            and said["Cross-Origin-Opener-Policy"] == "same-origin"
        ), url
        assert (
            said["Cross-Origin-Resource-Policy"] == "same-origin"
            and said["Referrer-Policy"] == "same-origin"
        ), url
        assert "camera=()" in said["Permissions-Policy"] and "Server" not in said, url
        policy = said["Content-Security-Policy"]
        assert (
            "default-src 'none'" in policy
            and "frame-ancestors 'none'" in policy
            and "unsafe" not in policy
        ), url
        if not said["Content-Type"].startswith("text/html") or "Content-Disposition" in said:
            assert policy == headers.INERT, url
        if not url.startswith("/static/"):
            assert {"private", "no-store"} & set(
                said["Cache-Control"].replace(" ", "").split(",")
            ) and "Cookie" in said["Vary"], url


def test_with_accounts_nothing_stays_in_the_browser(stranger, hostile, settings):
    settings.ACCOUNTS = True
    assert "no-store" in stranger.get("/glossary/")["Cache-Control"]


def test_no_file_is_served_as_it_was_uploaded(stranger, hostile):
    """What is downloaded was made by us, is an attachment, and could run nothing if it were
    opened."""
    for name in (
        "corpus_report",
        "export",
        "run_bib",
        "run_time_csv",
        "notebook_html",
        "notebook_md",
    ):
        response = stranger.get(hostile.address(name))
        assert response.status_code == 200 and response["Content-Disposition"].startswith(
            "attachment; filename="
        ), name
        assert response["Content-Security-Policy"] == headers.INERT, name
    for path in (
        "/files/",
        "/media/",
        "/topograph-data/secret-key",
        "/static/../secret-key",
        "/uploads/x/",
    ):
        assert stranger.get(path).status_code in (404, 412)


# Bodies
# -----------------------------------------------------------------------------------------------------------

DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    "body",
    [
        DEEP,
        b'{"a":' * 50_000,
        b"{" + b'"a":1,' * 100_000 + b'"b":2}',
        b"\xff\xfe",
        b"9" * 100_000,
        b"null",
        b"",
        b"\x1f\x8b" + bytes(1000),
    ],
    ids=["deep", "deeper", "wide", "bytes", "long number", "null", "nothing", "gzip"],
)
def test_json_that_is_none(stranger, hostile, body):
    for url in (
        f"/api/v1/runs/{hostile.run}/",
        "/api/v1/runs/",
        f"/api/v1/corpora/{hostile.corpus}/runs/",
    ):
        for more in ({}, {"content-encoding": "gzip"}):
            response = stranger.post(
                url,
                body,
                content_type="application/json",
                headers={"authorization": "Bearer x", **more},
            )
            assert 400 <= response.status_code < 500, (url, response.status_code)


def test_a_pin_with_a_deep_table(stranger, hostile):
    response = stranger.post(
        reverse("pin"), {"kind": "chart", "run": hostile.run, "title": "x", "table": DEEP.decode()}
    )
    assert response.status_code < 500


def test_a_form_with_very_many_fields(stranger, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
    assert (
        stranger.post(
            reverse("reader"),
            "&".join(f"a{i}=1" for i in range(100_000)),
            content_type="application/x-www-form-urlencoded",
        ).status_code
        == 400
    )
    parts = (
        b"".join(
            b'--x\r\nContent-Disposition: form-data; name="a%d"\r\n\r\n1\r\n' % i
            for i in range(5_000)
        )
        + b"--x--\r\n"
    )
    assert (
        stranger.post(
            reverse("corpora"), parts, content_type="multipart/form-data; boundary=x"
        ).status_code
        == 400
    )


def test_a_form_with_a_very_long_field(stranger):
    assert stranger.post(reverse("reader"), {"name": "x" * 3_000_000}).status_code in (
        302,
        400,
        413,
    )
    assert stranger.post(
        reverse("reader"),
        "name=" + "x" * 3_000_000,
        content_type="application/x-www-form-urlencoded",
    ).status_code in (400, 413)


@pytest.mark.parametrize(
    "kind",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=" + "x" * 5000,
        "text/xml",
        "application/x-www-form-urlencoded; charset=utf-16",
        "\0",
    ],
)
def test_a_form_that_is_none(stranger, kind):
    response = stranger.generic(
        "POST",
        reverse("corpora"),
        b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        content_type=kind,
    )
    assert response.status_code < 500 and b"root:" not in response.content


NULS = {
    "label": "a\0b",
    "note": "a\0",
    "title": "a\0b",
    "name": "a\0b",
    "text": "a\0b",
    "comment": "a\0",
    "words": "a\0b",
    "phrase": "a\0",
    "next": "/\0",
    "act": "text",
    "intro": "\0",
    "kind": "chart",
    "sentence": "\0",
    "address": "/\0",
    "table": json.dumps({"columns": ["\0"], "rows": [["\0"]]}),
    "reason": "\0",
    "topics": "\0",
    "quote": "\0",
}


@pytest.mark.parametrize(
    "name",
    [
        *addresses.POSTS,
        "run_try",
        "corpus_prepare",
        "corpus_words",
        "corpus_phrases",
        "corpus_subset",
        "tokens",
    ],
)
def test_characters_that_postgres_does_not_take(stranger, hostile, name):
    for value in ("\0", "\ud800", "x" * 100_000):
        data = {key: text.replace("\0", value) for key, text in NULS.items()}
        body = "&".join(f"{key}={quoted(text)}" for key, text in data.items())
        response = stranger.post(
            hostile.address(name), body, content_type="application/x-www-form-urlencoded"
        )
        assert response.status_code < 500, (name, response.status_code)


def quoted(text: str) -> str:
    from urllib.parse import quote

    return quote(text.encode("utf-8", "surrogatepass"))
