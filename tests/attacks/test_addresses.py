"""What an address may ask for: SQL, numbers and bytes that nobody expects, paths to elsewhere,
other hosts and methods."""

import time
from urllib.parse import quote

import pytest
from django.conf import settings
from django.test import override_settings
from django.urls import reverse

from tests import addresses
from tests.attacks.hostile import NUMBERS, SQL
from tests.looked_up import looked_up
from webapp.models import Run
from webapp.platform.pages.addresses import own_path

pytestmark = pytest.mark.django_db

PARAMETERS = (  # all that pages read
    "after against at before between bin by drop field from from_a from_b group has hidden in in_a"
    " in_b kind lambda least numbers only order q rank removed run scale seed show sort state text"
    " to to_a to_b topic topics unit view with word words"
).split()
# Those that are asked where no page looks at a parameter before it knows another
BROAD = ("run_topics", "run_documents", "run_word", "run_time_table")
# seconds: less than an injected pg_sleep(60) would take, more than any page on a busy machine
SLEEP = 30.0


def paths(hostile) -> list[str]:
    return sorted({url.split("?")[0] for url in hostile.pages()})


@pytest.mark.parametrize("payload", SQL)
def test_sql_stays_text(stranger, hostile, payload):
    """Every parameter of every page at once: none fails, none sleeps, and nothing is gone
    afterwards."""
    for path in (path for path in paths(hostile) if path.endswith(".json")):
        began = time.perf_counter()
        response = stranger.get(
            path, {name: payload for name in PARAMETERS if name not in ("run", "topics", "topic")}
        )
        assert response.status_code < 500 and time.perf_counter() - began < SLEEP, (
            path,
            response.status_code,
        )
    assert Run.objects.filter(pk=hostile.run).exists()


@pytest.fixture
def reading(stranger, hostile) -> dict[str, list[str]]:
    """Addresses that look at a parameter, by its name."""
    found: dict[str, list[str]] = {}
    for path in (path for path in paths(hostile) if path.endswith(".json")):
        with looked_up() as names:
            stranger.get(path)
        for name in names:
            found.setdefault(name, []).append(path)
    return found


def test_each_parameter_for_itself(stranger, hostile, reading):
    """One that is refused hides the others: so each is tried alone, on two pages that look at
    it."""
    wrong = []
    broad = [hostile.address(f"{page}_json") for page in BROAD]
    assert len(reading.keys() & set(PARAMETERS)) > 30
    for name in PARAMETERS:
        pages = reading.get(name)
        for path in sorted({pages[0], pages[-1]}) if pages else broad:
            for payload in (SQL[5], NUMBERS[0], NUMBERS[2], NUMBERS[4], NUMBERS[11], NUMBERS[-1]):
                began = time.perf_counter()
                response = stranger.get(path, {name: payload})
                if response.status_code >= 500 or time.perf_counter() - began > SLEEP:
                    wrong.append((path, name, payload[:30]))
    assert not wrong


@pytest.mark.parametrize("payload", NUMBERS)
def test_what_is_no_number(stranger, hostile, payload):
    text = quote(payload.encode("utf-8", "surrogatepass"))
    for path in (path for path in paths(hostile) if path.endswith(".json")):
        response = stranger.get(f"{path}?" + "&".join(f"{name}={text}" for name in PARAMETERS))
        assert response.status_code < 500, path


@pytest.mark.parametrize("word", [*SQL, *NUMBERS, "../x", "compare"])
def test_a_word_in_the_path(stranger, hostile, word):
    """What Django can't decode is not found."""
    word = quote(word.encode("utf-8", "surrogatepass"), safe="")
    for path in (
        f"/runs/{hostile.run}/words/{word}.json",
        f"/runs/{hostile.run}/topics/1/words/{word}.json",
    ):
        assert stranger.get(path).status_code < 500


PATHS = (
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "..\\..\\secret-key",
    "/etc/passwd",
    "....//secret-key",
    "%00",
    "a%00.csv",
    "~",
    "*",
)


@pytest.mark.parametrize("path", PATHS)
def test_paths_lead_nowhere(stranger, hostile, path):
    secret = settings.SECRET_KEY.encode()
    for begin in (
        "/static/",
        "/static/js/",
        "/uploads/",
        f"/runs/{hostile.run}/export/",
        "/shared/",
        f"/runs/{hostile.run}/words/",
        "/",
    ):
        response = stranger.get(begin + path)
        assert response.status_code in (200, 301, 302, 400, 404, 412), (begin, response.status_code)
        assert b"root:" not in response.content and secret not in response.content


ELSEWHERE = (
    "//evil.example/", "https://evil.example/", "http:evil.example", "/\\evil.example", "\\/evil.example", "///evil.example", "/\t/evil.example",
    "javascript:alert(1)", "data:text/html,x", "/%0d%0aLocation:%20https://evil.example", "//evil.example/@127.0.0.1/", "https://testserver@evil.example/",
    "/static/../..//evil.example", " //evil.example", "/nowhere/", "evil.example", "\x00//evil.example",
)  # fmt: skip


@pytest.mark.parametrize("target", ELSEWHERE)
def test_nobody_is_led_elsewhere(stranger, hostile, target):
    """By `next`, by Referer, or by an address that is mended with a slash."""
    assert own_path(target) == ""
    forms = (
        (reverse("reader"), {"name": "x"}),
        (reverse("topic_edit", args=[hostile.run, 1]), {"label": "x"}),
        (reverse("pin"), {"kind": "topic", "run": hostile.run, "topic": 1}),
    )
    for url, data in forms:
        response = stranger.post(url, data | {"next": target}, headers={"referer": target})
        assert (
            response.status_code == 302
            and "evil" not in response["Location"]
            and response["Location"].startswith("/")
        )
        assert not response["Location"].startswith("//")
    response = stranger.get("/" + target.strip().lstrip("\x00"))
    assert (
        "//" not in response.get("Location", "")
        or response["Location"].startswith("//evil") is False
    )


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example",
        "//evil.example/glossary",
        "///evil.example/corpora/1",
        "//evil.example/%2e%2e",
    ],
)
def test_a_missing_slash_does_not_lead_to_another_host(stranger, path):
    response = stranger.get("/", PATH_INFO=path)
    assert response.status_code in (301, 404) and not response.get("Location", "/").startswith("//")


@override_settings(ALLOWED_HOSTS=["topics.example.org"])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "topics.example.org.evil.example",
        "topics.example.org@evil.example",
        "evil.example:80",
        "",
    ],
)
def test_another_host_is_refused(stranger, hostile, host):
    for path in ("/", f"/notebooks/{hostile.notebook}.md", f"/notebooks/{hostile.notebook}/"):
        response = stranger.get(path, headers={"host": host})
        assert response.status_code == 400 and b"evil" not in response.content


def test_the_forwarded_host_is_not_believed(stranger, hostile):
    markdown = stranger.get(
        f"/notebooks/{hostile.notebook}.md",
        headers={"x-forwarded-host": "evil.example", "x-original-url": "/evil"},
    )
    assert b"evil.example" not in markdown.content and markdown.status_code == 200


METHODS = ("CONNECT", "PUT", "PATCH", "DELETE", "DEBUG", "PROPFIND")


def test_methods_that_no_page_has(stranger, hostile):
    """TRACE would show a script the cookies that it must not see. Which of the others a view
    answers is a list of those that it does: each address is asked by one, and each is asked."""
    for i, name in enumerate((*addresses.PAGES, *addresses.OTHER, *addresses.POSTS)):
        for method in ("TRACE", METHODS[i % len(METHODS)]):
            address = hostile.address(name)
            response = stranger.generic(method, address, headers={"x-secret": "quetzal"})
            assert response.status_code in (403, 404, 405), (method, name, response.status_code)
            assert b"quetzal" not in response.content


# After which any word may stand
WITH_WORDS = (
    "run_topic_word",
    "run_topic_words",
    "run_word",
    "run_words",
)


def test_a_page_is_not_to_be_had_as_a_style_sheet(stranger, hostile):
    """Web cache deception: a proxy keeps what ends like a picture or a style sheet."""
    for name in (*addresses.PAGES, "tokens"):
        path = hostile.address(name)
        for end in ("x.css", "/x.css", ";x.css", "%2fx.css", "%0ax.css", "%3fx.css"):
            response = stranger.get(path + end)
            assert response.status_code == 404 or name in WITH_WORDS, (
                path + end,
                response.status_code,
            )
            assert "private" in response["Cache-Control"] or "no-store" in response["Cache-Control"]
