"""Whatever a program sends to whatever address of the API: an answer, or 400 with the field, and
nothing begins."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import numpy as np
import pytest
from django.test import Client

from tests.webapp.service.api.test_api import filled
from webapp.models import Corpus, Run
from webapp.platform.accounts import tokens

pytestmark = pytest.mark.django_db
ODD = (
    "\0",
    "a\0b",
    "1e400",
    "nan",
    "-inf",
    "-1",
    "1.5",
    "1_000",
    "٣",
    "9" * 19,
    "9" * 25,
    "x" * 5_000,
    "[1]",
    "{}",
    "null",
    "true",
    "0:1e400",
    "0:nan",
    "party:\0",
    "decade:1e400:2",
    "president",
    "to*",
    '"',
)
SIGNS = "abz019 :,;.*?|&=~()[]{}<>\"'“”-+_/\\%#@!\n\t\u0301\u202e\U0001f600ßİ"
QUESTIONS = 200
NOT_ALLOWED = 405
ODD_WHOLE = [text for text in ODD if not re.fullmatch(r"-?[0-9]{1,18}", text)]
ODD_VALUES: tuple[Any, ...] = (None, True, [1], {"a": 1}, "a\0b", 10**30, -1, 1.5, "x", [[]], {})


class Parameter(NamedTuple):
    """Of a query string. types: of its values, as the schema has them."""

    path: str
    name: str
    types: set[str]


class Operation(NamedTuple):
    """That changes something. fields: of the body that it takes; empty: it takes none."""

    path: str
    fields: dict[str, dict]


@pytest.fixture
def send(trained, monkeypatch):
    """Asks an address as a program with a token; (status, answer)."""
    monkeypatch.setattr("webapp.service.api.access.Rate.allow_request", lambda *_: True)
    monkeypatch.setattr("webapp.platform.jobs.dispatch.send", lambda *_: None)
    client = Client(raise_request_exception=False)
    headers = {"Authorization": f"Bearer {tokens.create('tests')[1]}"}

    def asked(path: str, query: list[tuple[str, str]] | None = None, body: str | None = None):
        address = filled(path, trained).partition("?")[0]
        if path.endswith("/keyness") and query is not None:
            query = [("to_a", "1797"), *query]
        if query:
            address += "?" + urlencode(query)
        if body is None:
            answer = client.get(address, headers=headers)
        else:
            answer = client.post(address, body, content_type="application/json", headers=headers)
        if answer.status_code == NOT_ALLOWED:
            return NOT_ALLOWED, {}
        return answer.status_code, json.loads(answer.content)

    return asked


@pytest.fixture
def schema(client) -> dict:
    return client.get("/api/v1/openapi.json").json()


def parameters(schema: dict) -> Iterator[Parameter]:
    for path, operations in schema["paths"].items():
        for declared in operations.get("get", {}).get("parameters", []):
            if declared["in"] == "query":
                yield Parameter(path, declared["name"], types_of(declared["schema"]))


def types_of(shape: dict) -> set[str]:
    """integer, string …; of a list those of its items."""
    if shape.get("type") == "array":
        return types_of(shape["items"])
    shapes = shape.get("anyOf", [shape])
    return {one["type"] for one in shapes if "type" in one}


def writing(schema: dict) -> Iterator[Operation]:
    for path, operations in schema["paths"].items():
        for method in operations.keys() - {"get"}:
            content = operations[method].get("requestBody", {}).get("content", {})
            shape = content.get("application/json", {}).get("schema", {})
            fields = {}
            if "$ref" in shape:
                named = schema["components"]["schemas"][shape["$ref"].rpartition("/")[2]]
                fields = named["properties"]
            yield Operation(path, fields)


def test_every_parameter_is_checked_where_it_comes_in(send, schema):
    wrong = []
    asked: set[str] = set()
    for place, parameter in enumerate(parameters(schema)):
        texts = ODD
        if parameter.name in asked:  # at another address: the same, and two more
            texts = ("a\0b", ODD[place % len(ODD)], ODD_WHOLE[place % len(ODD_WHOLE)])
        asked.add(parameter.name)
        for text in texts:
            status, answer = send(parameter.path, [(parameter.name, text)])
            refuses = "\0" in text or ("integer" in parameter.types and text in ODD_WHOLE)
            held = status < 500 and (status == 400 or not refuses)
            if status == 400:
                # A set may be empty: then that is named for which there are no documents
                names = {parameter.name, "from_a", "formula"}
                held = answer.get("field") in names and answer["error"].endswith(".")
            if not held:
                wrong.append((parameter.path, parameter.name, text[:20], status, answer))
    assert not wrong, "\n".join(map(str, wrong[:40]))


@pytest.mark.parametrize("number", ["9" * 25, "-1", "1_0", ""])
def test_a_page_begins_behind_a_number_that_a_row_may_have(send, number):
    query = [("from", "1790"), ("to", "2000"), ("after", f"0,{number}")]
    status, answer = send("/api/v1/corpora/{corpus_id}/documents", query)
    assert status == 400 and answer["field"] == "after"


def test_every_number_in_an_address_may_be_any(send, schema):
    for path in schema["paths"]:
        for name in re.findall(r"\{(\w+)\}", path):
            for text in ("0", "9" * 18, "9" * 19, "9" * 40, "-1", "a%00b", quote("٣")):
                status, _ = send(path.replace(f"{{{name}}}", text))
                assert status < 500, (path, name, text)


def test_every_body_is_checked_where_it_comes_in(send, schema, trained):
    before = (Run.objects.count(), Corpus.objects.count())
    operations = list(writing(schema))
    assert len(operations) >= 5
    for operation in operations:
        for body in ("[1]", '"x"', "3", "true", '{"unknown": 1}', "{", "NaN", '{"a": 1e400}'):
            status, answer = send(operation.path, body=body)
            assert status == 400, (operation.path, body, answer)
            assert answer["error"].endswith("."), answer
        usual = {"uploads": ["x"]} if "uploads" in operation.fields else {}
        unknown = json.dumps(usual | {"unknown": 1})
        assert send(operation.path, body=unknown)[1]["field"] in ("unknown", "body")
        for name, shape in operation.fields.items():
            for value in ODD_VALUES:
                if fits(value, shape):
                    continue
                body = json.dumps(usual | {name: value})
                status, answer = send(operation.path, body=body)
                assert status == 400, (operation.path, body, answer)
                # Of settings the one that is wrong is named
                assert answer.get("field") in (name, "a"), (operation.path, body, answer)
    assert (Run.objects.count(), Corpus.objects.count()) == before


def fits(value: Any, shape: dict) -> bool:
    """Whether the schema itself allows a value: then it may be refused, or not."""
    types = {one.get("type") for one in shape.get("anyOf", [shape])}
    if value is None:
        return "null" in types
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, str):
        return "string" in types and "\0" not in value
    if isinstance(value, int):
        return bool({"integer", "number"} & types) and 0 <= value < 10**18
    if isinstance(value, float):
        return "number" in types
    if isinstance(value, dict):
        return "object" in types and not value
    return False


def test_no_question_breaks_an_address(send, schema):
    """Several odd texts at once, drawn at random."""
    known = list(parameters(schema))
    random = np.random.default_rng(63)
    for _ in range(QUESTIONS):
        parameter = known[random.integers(len(known))]
        others = [one for one in known if one.path == parameter.path]
        query = [(parameter.name, drawn_text(random)) for _ in range(random.integers(1, 4))]
        query.append((others[random.integers(len(others))].name, drawn_text(random)))
        status, answer = send(parameter.path, query)
        assert status in (200, 202, 400, 404), (parameter, query, answer)
        assert status < 400 or answer["error"], (parameter, query, answer)


def drawn_text(random: np.random.Generator) -> str:
    kind = random.integers(4)
    if kind == 0:
        return str(random.choice(ODD))
    if kind == 1:
        return str(random.integers(-(10**6), 10**12))
    if kind == 2:
        return str(random.normal() * 10.0 ** random.integers(-320, 300))
    return "".join(random.choice(list(SIGNS), random.integers(0, 30)).tolist())
