"""The API: its schema, every address of it, tokens, pages of lists, errors, and the examples of
docs/api.md."""

import io
import json
import re
import shutil
import subprocess
import urllib.request
from email.message import Message
from pathlib import Path
from urllib.parse import urlsplit
from urllib.response import addinfourl

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from openapi_spec_validator import validate

from tests.addresses import ROUTES
from tests.webapp import mixtures
from tests.webapp.platform.accounts import test_embargo
from webapp.core.curation import services as curation
from webapp.core.documents import queries as documents
from webapp.core.results import topics
from webapp.core.results.view import RunView
from webapp.models import ApiToken, Run, TopicWord
from webapp.platform.accounts import embargo, tokens
from webapp.service.api.access import RATE

pytestmark = pytest.mark.django_db

DOCS = (Path(__file__).parents[4] / "docs" / "api.md").read_text(encoding="utf-8")
shut = test_embargo.shut


@pytest.fixture(autouse=True)
def fresh():
    cache.clear()  # rates are counted there


@pytest.fixture
def schema(client) -> dict:
    return client.get("/api/v1/openapi.json").json()


@pytest.fixture
def secret() -> str:
    return tokens.create("tests")[1]


def bearer(secret: str) -> dict:
    return {"headers": {"Authorization": f"Bearer {secret}"}}


def filled(path: str, run: Run) -> str:
    values = {
        "corpus_id": run.corpus_id,
        "run_id": run.pk,
        "number": 2,
        "word": "militia",
        "other": run.pk,
    }
    asked = "?to_a=1797" if path.endswith("/keyness") else ""  # two sets must be said
    return re.sub(r"\{(\w+)\}", lambda match: str(values[match[1]]), path) + asked


def resolved(schema: dict, shape: dict) -> dict:
    shape = shape.get("anyOf", [shape])[0]  # of two shapes the first, for what is asked here
    return (
        schema["components"]["schemas"][shape["$ref"].rsplit("/", 1)[1]]
        if "$ref" in shape
        else shape
    )


def possible_fields(schema: dict, operation: dict) -> list[set[str]]:
    """Of an answer that is there, in each of the shapes that it may have."""
    shape = operation["responses"]["200"]["content"]["application/json"]["schema"]
    return [set(resolved(schema, option)["properties"]) for option in shape.get("anyOf", [shape])]


def test_schema_is_openapi(schema):
    validate(schema)
    assert len(schema["paths"]) >= 20
    for operations in schema["paths"].values():
        for method, operation in operations.items():
            assert operation["summary"] and {"400", "401", "404", "429"} <= set(
                operation["responses"]
            )
            assert bool(operation.get("security")), method


def test_the_json_of_pages_is_described(client, trained):
    described = client.get("/api/pages.json").json()
    validate(described)
    pages = {name for name, route in ROUTES.items() if route.json is not None}
    assert {path["get"]["operationId"] for path in described["paths"].values()} == {
        f"{name}_json" for name in pages
    }
    compare = described["paths"]["/compare.json"]["get"]
    assert [p["name"] for p in compare["parameters"]] == [
        "run",
        "show",
        "fate",
        "sort",
        "against",
        "after",
    ]
    assert compare["parameters"][0]["schema"] == {"items": {"type": "integer"}, "type": "array"}
    words = described["paths"]["/runs/{run_id}/words.json"]["get"]
    assert [(p["name"], p["in"], p["schema"].get("type")) for p in words["parameters"]][:2] == [
        ("run_id", "path", "integer"),
        ("word", "query", "string"),
    ]
    fields = described["components"]["schemas"]["WordsPage"]["properties"]
    assert set(client.get(f"/runs/{trained.pk}/words.json").json()) == set(fields)


def test_every_address_answers_in_the_shape_that_it_promises(client, trained, schema):
    for path, operations in schema["paths"].items():
        if "get" not in operations:
            continue
        response = client.get(filled(path, trained))
        assert response.status_code == 200, (path, response.content[:300])
        promised = resolved(
            schema, operations["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        )
        body = response.json()
        assert set(body) in possible_fields(schema, operations["get"]), path
        if "items" in body:
            assert body["items"] and set(body["items"][0]) == set(
                resolved(schema, promised["properties"]["items"]["items"])["properties"]
            ), path


def test_every_address_misses_what_is_not_there(client, trained, schema):
    for path, operations in schema["paths"].items():
        missing = re.sub(r"\{\w+\}", str(10**12), path)
        if missing == path:
            continue
        for method in operations:
            token = bearer(tokens.create("t")[1]) if method == "post" else {}
            body = {"topics": 2} if path.endswith("/runs") else {}
            response = (
                getattr(client, method)(missing, body, content_type="application/json", **token)
                if method == "post"
                else client.get(missing)
            )
            assert response.status_code == 404 and response.json()["error"].endswith("."), (
                path,
                response.content,
            )


def test_answers_are_the_databases(client, trained):
    api = f"/api/v1/runs/{trained.pk}"
    found = client.get(f"{api}/topics?sort=number").json()["items"]
    assert [t["number"] for t in found] == list(range(trained.topics))
    assert found[2]["words"] == topics.top_words(RunView(trained), [2])[2]
    mixture = client.get(f"{api}/documents/3").json()
    stored = {row.topic: row.tokens for row in mixtures.rows(trained) if row.document == 3}
    assert {p["number"]: p["tokens"] for p in mixture["topics"]} == stored
    assert sum(p["tokens"] for p in mixture["topics"]) == mixture["tokens"]
    word = client.get(f"{api}/words/militia").json()
    of = TopicWord.objects.filter(snapshot_id=trained.snapshot_id, tokens__gt=0)
    assert (
        sum(s["tokens"] for s in word["senses"]) == word["tokens"]
        and of.filter(topic=word["senses"][0]["number"]).exists()
    )
    text = client.get(f"/api/v1/corpora/{trained.corpus_id}/documents/3").json()["text"]
    assert text == documents.document(trained.corpus, 3).text
    time = client.get(f"{api}/time?by=year").json()
    assert sum(map(sum, time["tokens"])) == trained.corpus.tokens == sum(time["of_tokens"])
    some = client.get(f"{api}/time?by=year&topic=4&topic=1&q=militia").json()
    assert some["topics"] == [4, 1] and sum(some["of_tokens"]) < trained.corpus.tokens
    pairs = client.get(f"{api}/compare/{trained.pk}").json()["pairs"]
    assert [(p["topic"], p["other"]) for p in pairs] == [
        (k, k) for k in range(trained.topics)
    ] and all(p["similarity"] > 0.999 for p in pairs)


@pytest.mark.parametrize(
    "path",
    [
        "topics?limit=1",
        "topics/2/words?limit=700",
        "documents?limit=77",
        "documents?q=war&by=T01&limit=9",
        "words?limit=900",
    ],
)
def test_pages_of_a_list_are_the_list(client, trained, path):
    url = f"/api/v1/runs/{trained.pk}/{path}"
    found = []
    while url:
        page = client.get(url).json()
        found += [json.dumps(item, sort_keys=True) for item in page["items"]]
        url = page["next"]
    whole = re.sub(r"limit=\d+", "limit=1000", f"/api/v1/runs/{trained.pk}/{path}")
    first = client.get(whole).json()["items"]
    assert (
        len(found) == len(set(found))
        and [json.dumps(item, sort_keys=True) for item in first] == found[: len(first)]
    )
    assert len(found) >= len(first)


def test_errors_are_sentences(client, trained):
    api = f"/api/v1/runs/{trained.pk}"
    for url, status, field in [
        (f"{api}/topics?limit=0", 400, "limit"),
        (f"{api}/topics?after=x", 400, "after"),
        (f"{api}/topics?sort=best", 400, "sort"),
        (f"{api}/documents?has=99:1", 400, "has"),
        (f"{api}/documents?from=never", 400, "from"),
        (f"{api}/documents?after=x", 400, "after"),
        (f"{api}/documents?by=T99", 400, "by"),
        (f"{api}/time?by=nothing", 400, "by"),
        (f"{api}/time?topic=99", 400, "topic"),
        (f"{api}/words/zzzz", 404, None),
        (f"{api}/topics/99", 404, None),
        (f"{api}/documents/{10**9}", 404, None),
    ]:
        response = client.get(url)
        assert response.status_code == status, url
        assert response["Content-Type"].startswith("application/json") and response.json()[
            "error"
        ].endswith("."), response.content
        assert response.json().get("field") == field, response.content
    assert client.post(f"{api}/topics").status_code == 405


def test_lines_of_a_merged_topic_are_those_of_its_target(client, trained):
    curation.change_many(trained, {3: {"into": "1"}}, "a test")
    api = f"/api/v1/runs/{trained.pk}"
    word = client.get(f"{api}/topics/1/words").json()["items"][0]["word"]
    merged, target = (client.get(f"{api}/words/{word}/lines?topic={k}").json() for k in (3, 1))
    assert merged["count"] == target["count"] > 0
    assert merged["items"] == target["items"]
    refused = client.get(f"{api}/words/{word}/lines?topic=99")
    assert refused.status_code == 400 and refused.json()["field"] == "topic"


def test_what_breaks_says_no_more_than_an_id(client, trained, monkeypatch, caplog):
    monkeypatch.setattr("webapp.service.exports.methods.paragraphs", lambda run: 1 / 0)
    response = client.get(f"/api/v1/runs/{trained.pk}/methods")
    assert response.status_code == 500 and "division" not in response.json()["error"]
    assert re.search(r"Request (\w{16}) is in", response.json()["error"])[1] in caplog.text


# Tokens
# -----------------------------------------------------------------------------------------------------------


def test_training_needs_a_token(trained, secret, monkeypatch):
    monkeypatch.setattr("webapp.platform.jobs.dispatch.send", lambda *_: None)
    url = f"/api/v1/corpora/{trained.corpus_id}/runs"
    body = {"topics": 4, "seed": 9, "settings": {"passes": 2}}
    strict = Client(enforce_csrf_checks=True)
    for wrong in ({}, bearer("topograph_wrong"), {"headers": {"Cookie": f"token={secret}"}}):
        response = strict.post(url, body, content_type="application/json", **wrong)
        assert (
            response.status_code == 401
            and "token" in response.json()["error"]
            and response["WWW-Authenticate"] == "Bearer"
        )
    response = strict.post(url, body, content_type="application/json", **bearer(secret))
    assert response.status_code == 201
    run = Run.objects.get(pk=response.json()["id"])
    assert (run.topics, run.seed, run.settings["passes"], run.status, run.steering) == (
        4,
        9,
        2,
        "queued",
        {},
    )
    response = strict.post(
        url, body | {"consensus": True}, content_type="application/json", **bearer(secret)
    )
    assert Run.objects.get(pk=response.json()["id"]).steering == {"join": True}
    for wrong, field in [
        ({"topics": 0}, "topics"),
        ({"topics": 3, "settings": {"kappa": 9}}, "kappa"),
        ({"topics": 3, "settings": {"nothing": 1}}, "nothing"),
        ({"topics": 3, "seed": -1}, "seed"),
    ]:
        answer = strict.post(url, wrong, content_type="application/json", **bearer(secret))
        assert answer.status_code == 400 and answer.json()["field"] == field, answer.content
    cancelled = strict.post(f"/api/v1/runs/{run.pk}/cancel", **bearer(secret))
    assert cancelled.json()["status"] == "cancelled"
    assert strict.post(f"/api/v1/runs/{run.pk}/stop").status_code == 401


def test_a_token_that_is_wrong_is_refused_even_for_reading(client, secret):
    assert client.get("/api/v1/corpora/").status_code == 200
    assert client.get("/api/v1/corpora/", **bearer(secret)).status_code == 200
    token = ApiToken.objects.get()
    assert token.used_at and secret not in (token.digest, token.name)
    tokens.revoke(token)
    for bad in (secret, "", "x" * 5000, "topograph_"):
        assert client.get("/api/v1/corpora/", **bearer(bad)).status_code == 401


def test_page_of_tokens(client):
    url = reverse("tokens")
    page = client.post(url, {"name": "  <b>my   notebook "})
    secret = re.search(r"topograph_[\w-]{43}", page.content.decode())[0]
    assert "no-cache" in page["Cache-Control"] and b"&lt;b&gt;my notebook" in page.content
    again = client.get(url).content.decode()
    assert secret not in again and "never" in again
    assert client.get("/api/v1/corpora/", **bearer(secret)).status_code == 200
    client.post(reverse("token_revoke", args=[ApiToken.objects.get().pk]))
    assert client.get("/api/v1/corpora/", **bearer(secret)).status_code == 401
    assert "revoked" in client.get(url).content.decode()
    for name in ("", "x" * 61):
        assert client.post(url, {"name": name}).status_code == 400


def test_a_user_has_so_many_tokens(client, monkeypatch):
    monkeypatch.setattr(tokens, "MOST_TOKENS", 1)
    url = reverse("tokens")
    assert client.post(url, {"name": "one"}).status_code == 200
    refused = client.post(url, {"name": "two"})
    assert refused.status_code == 400 and "1 tokens, which is the most" in refused.content.decode()
    tokens.revoke(ApiToken.objects.get())
    assert client.post(url, {"name": "two"}).status_code == 200


def test_command_makes_lists_and_revokes(capsys, client):
    call_command("api_token", "cron job")
    secret = capsys.readouterr().out.strip()
    assert client.get("/api/v1/corpora/", **bearer(secret)).status_code == 200
    call_command("api_token", "--list")
    assert "cron job" in (said := capsys.readouterr().out) and secret not in said
    call_command("api_token", "--revoke", str(ApiToken.objects.get().pk))
    assert client.get("/api/v1/corpora/", **bearer(secret)).status_code == 401
    for wrong in ([], ["--revoke", "999999"], ["x" * 100]):
        with pytest.raises(CommandError):
            call_command("api_token", *wrong)


def test_too_many_requests_are_told_to_wait(client, monkeypatch, secret):
    monkeypatch.setattr(RATE, "num_requests", 3)
    statuses = [client.get("/api/v1/corpora/").status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    late = client.get("/api/v1/corpora/")
    assert "Too many requests" in late.json()["error"] and int(late["Retry-After"]) >= 1
    assert client.get("/api/v1/corpora/", **bearer(secret)).status_code == 200  # counted for itself


def test_a_token_is_one_client_however_it_is_spelled(client, monkeypatch, secret):
    monkeypatch.setattr(RATE, "num_requests", 3)
    spelled = [f"Bearer {secret}", f"bearer {secret}", f"BEARER  {secret} ", f"Bearer {secret}"]
    statuses = [
        client.get("/api/v1/corpora/", headers={"Authorization": header}).status_code
        for header in spelled
    ]
    assert statuses == [200, 200, 200, 429]


def test_a_header_makes_nobody_another_client(client, monkeypatch):
    monkeypatch.setattr(RATE, "num_requests", 3)
    statuses = [
        client.get("/api/v1/corpora/", headers={"X-Forwarded-For": f"203.0.113.{i}"}).status_code
        for i in range(4)
    ]
    assert statuses == [200, 200, 200, 429]


def test_reference_lists_every_address_and_loads_nothing_from_elsewhere(client, schema):
    page = client.get(reverse("api_reference"))
    html = page.content.decode()
    for path, operations in schema["paths"].items():
        for method in operations:
            assert f"{method.upper()} {path}" in html
    assert (
        not re.search(r"(src|href)=\"(https?:)?//", html)
        and "default-src 'none'" in page["Content-Security-Policy"]
    )
    assert client.get("/api/v1/docs").status_code == 404


# Embargo
# ----------------------------------------------------------------------------------------------------------


def test_under_embargo_no_answer_holds_more_than_a_passage(client, shut, schema):
    word = test_embargo.texts()[2][50]
    for path, operations in schema["paths"].items():
        if "get" not in operations:
            continue
        for query in test_embargo.queries():
            body = client.get(filled(path, shut).replace("militia", word) + query).content.decode()
            assert test_embargo.longest(body) <= embargo.PASSAGE + test_embargo.LETTERS, (
                path,
                query,
            )
    answer = client.get(f"/api/v1/corpora/{shut.corpus_id}/documents/2").json()
    assert answer["text"] == "" and "embargo" in answer["embargo"]


# The document
# -----------------------------------------------------------------------------------------------------


class InProcess(urllib.request.HTTPHandler):
    """urllib, answered by this process: the examples run as they stand, without a server."""

    def http_open(self, request):
        parts = urlsplit(request.full_url)
        address = parts.path + ("?" + parts.query if parts.query else "")
        headers = {name: value for name, value in request.header_items() if name != "Host"}
        answer = Client().generic(
            request.get_method(),
            address,
            request.data or b"",
            content_type=headers.pop("Content-type", ""),
            headers=headers,
        )
        found = addinfourl(
            io.BytesIO(answer.content), Message(), request.full_url, answer.status_code
        )
        found.msg = answer.reason_phrase
        return found


def test_python_examples_run_as_they_stand(trained, capsys, monkeypatch, secret):
    sent = []
    monkeypatch.setattr("webapp.platform.jobs.dispatch.send", lambda *job: sent.append(job))
    monkeypatch.setattr("webapp.service.corpora.queries.PAGE", 1000)
    monkeypatch.setenv("TOPOGRAPH_TOKEN", secret)
    newest = trained.corpus.runs.exclude(pk=trained.pk)
    assert not newest.filter(
        pk__gt=trained.pk
    ).exists()  # the example takes the newest corpus and its newest run
    monkeypatch.setattr(
        "webapp.service.corpora.queries.recent",
        lambda before=None: ([(trained.corpus, 1, trained)], None),
    )
    urllib.request.install_opener(urllib.request.build_opener(InProcess))
    try:
        for code in re.findall(r"^```python\n(.*?)^```", DOCS, re.S | re.M):
            exec(compile(code, "docs/api.md", "exec"), {})
    finally:
        urllib.request.install_opener(None)
    said = capsys.readouterr().out
    assert said.count("\nT0") >= 5 and "documents with “tariff”" in said and len(sent) == 1


def test_r_examples_ask_for_addresses_that_there_are(client, trained, schema):
    code = re.search(r"^```r\n(.*?)^```", DOCS, re.S | re.M)[1]
    found = re.findall(r'"(/api/v1/[^"]*)"(?:, (\w+)\$id(?:, "([^"]*)"(?:, "(\w+)")?)?)?', code)
    assert len(found) >= 6
    for start, of, rest, word in found:
        url = (
            start
            + {"corpus": str(trained.corpus_id), "run": str(trained.pk), "": ""}[of]
            + rest
            + word
        )
        assert client.get(url).status_code == 200, url
    assert set(re.findall(r"\$(\w+)", code)) <= {"items", "id", "senses", "groups", "shares"}
    if shutil.which("Rscript"):
        subprocess.run(["Rscript", "-e", "parse(file('stdin'))"], input=code, text=True, check=True)


def test_what_is_no_address_of_the_api_is_said_in_json(client, trained):
    for path in ("/api/v1/runs/null%2Cnull", "/api/v1/nothing", "/runs/999999999.json"):
        answer = client.get(path)
        assert answer.status_code == 404 and answer.json()["error"].endswith("."), path


def test_the_schema_says_what_may_be_read_without_a_token(schema):
    for operations in schema["paths"].values():
        for method, operation in operations.items():
            assert ({} in operation["security"]) == (method == "get")


def test_who_changes_something_needs_a_token_before_it_is_looked_up(client, trained, settings):
    """Else what is not there, or private, would be 404, and what is public 401."""
    settings.ACCOUNTS = True
    for number in (trained.pk, 10**12):
        for path in (f"/api/v1/runs/{number}/stop", f"/api/v1/corpora/{number}/read"):
            assert client.post(path).status_code == 401, path
