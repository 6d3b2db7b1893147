"""What can't be asked of a training: the form, the API and the command refuse it with the same
sentence, and nothing begins."""

import html
import json
import re
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from webapp.core.asked_training.schema import AskedTraining
from webapp.models import Run
from webapp.platform.accounts import tokens

pytestmark = pytest.mark.django_db
COMMON = ("topics", "seed", "engine", "seeds")  # others are settings of the engine
DIGITS = "9" * 5_000  # more than Python reads
UNQUOTED = "as it is written"  # a value that Python's JSON can't write
HUGE = "1" + "0" * 18
SEEDS = "Economy: tax, jobs, a\0b"

# Field, what is written, what programs send, the sentence
WRONG: list[tuple[str, str, Any, str]] = [
    ("topics", "x", "x", "topics must be a whole number, got “x”."),
    ("topics", "3.5", 3.5, "topics must be a whole number, got 3.5."),
    ("topics", "nan", float("nan"), "topics must be a whole number, got nan."),
    ("topics", "inf", float("inf"), "topics must be a whole number, got inf."),
    ("topics", "0", 0, "topics must be a whole number of at least 1, got 0."),
    ("topics", "-3", -3, "topics must be a whole number of at least 1, got -3."),
    ("topics", "65001", 65_001, "topics must be at most 65,000, got 65,001."),
    ("topics", HUGE, int(HUGE), f"topics must be at most 65,000, got {int(HUGE):,}."),
    ("topics", "9" * 70, int("9" * 70), "topics must be a whole number, got 1e+70."),
    ("topics", DIGITS, UNQUOTED, "topics must be a whole number, got inf."),
    ("topics", "٣", "٣", "topics must be a whole number, got “٣”."),
    ("topics", "1_000", "1_000", "topics must be a whole number, got “1_000”."),
    (
        "topics",
        "3\0",
        "3\0",
        "“topics” can't be read: it has a character that no text has (NUL, or a half).",
    ),
    ("seed", "x", "x", "seed must be a whole number, got “x”."),
    ("seed", "1e400", float("inf"), "seed must be a whole number, got inf."),
    ("seed", "-1", -1, "Seed must be a whole number from 0 to 2^63 - 1, got -1."),
    (
        "seed",
        str(2**63),
        2**63,
        f"Seed must be a whole number from 0 to 2^63 - 1, got {2**63}.",
    ),
    ("engine", "none", "none", "There is no engine “none”; there are "),
    (
        "engine",
        "a\0",
        "a\0",
        "“engine” can't be read: it has a character that no text has (NUL, or a half).",
    ),
    ("passes", "x", "x", "passes must be a whole number of at least 1, got “x”."),
    ("passes", "2.5", 2.5, "passes must be a whole number of at least 1, got 2.5."),
    ("passes", HUGE, int(HUGE), f"passes must be at most 2,147,483,647, got {int(HUGE):,}."),
    ("passes", "inf", float("inf"), "passes must be a finite number, got inf."),
    ("kappa", "x", "x", "kappa must be a number, got “x”."),
    ("kappa", "0.2", 0.2, "kappa must be in (0.5, 1], got 0.2."),
    ("kappa", "nan", float("nan"), "kappa must be a finite number, got nan."),
    ("kappa", "-inf", float("-inf"), "kappa must be a finite number, got -inf."),
    ("tau0", "1e300", 1e300, "tau0 must be at least 0, and at most 1e12, got 1e+300."),
    ("statistics", "none", "none", "statistics must be one of “memo”, “decay”, got “none”."),
    (
        "statistics",
        "a\0",
        "a\0",
        "“settings” can't be read: it has a character that no text has (NUL, or a half).",
    ),
    ("unknown", "3", "3", "The engine ssi has no setting “unknown”."),
    ("by", "3", "3", "“settings” are those of the engine, and “by” is none of them."),
    ("seeds", "A: b, c", [{"name": "A", "words": ["b", "c"]}], "“A” must have 3 to 20 different"),
    (
        "seeds",
        SEEDS,
        [{"name": "Economy", "words": ["tax", "jobs", "a\0b"]}],
        "“seeds” can't be read: it has a character that no text has (NUL, or a half).",
    ),
]


def refused_by_form(corpus, field: str, text: str) -> str:
    """All that the page says."""
    client = Client(raise_request_exception=False)
    form = client.get(reverse("corpus", args=[corpus.pk])).context["html"].train_form
    values = {
        name: "" if form[name].value() is None else form[name].value() for name in form.fields
    }
    answer = client.post(reverse("corpus_runs", args=[corpus.pk]), values | {field: text})
    assert answer.status_code == 400
    return html.unescape(answer.content.decode())


def refused_by_api(corpus, field: str, value: Any) -> str:
    body = {field: value} if field in COMMON else {"settings": {field: value}}
    answer = Client(raise_request_exception=False).post(
        f"/api/v1/corpora/{corpus.pk}/runs",
        json.dumps(body).replace(f'"{UNQUOTED}"', DIGITS),
        content_type="application/json",
        headers={"Authorization": f"Bearer {tokens.create('tests')[1]}"},
    )
    assert answer.status_code == 400, answer.content
    return answer.json()["error"]


def refused_by_command(corpus, field: str, text: str, folder) -> str:
    given = f"--{field}={text}"
    if field == "seeds":
        path = folder / "seeds.txt"
        path.write_text(text, encoding="utf-8")
        given = f"--seeds={path}"
    with pytest.raises(CommandError) as refused:
        call_command("train", str(corpus.pk), given, "--no-wait")
    return str(refused.value)


@pytest.mark.parametrize(
    ("field", "text", "value", "sentence"),
    WRONG,
    ids=[f"{field}={text[:12]!a}" for field, text, _, _ in WRONG],
)
def test_form_api_and_command_refuse_alike(
    ready, monkeypatch, tmp_path, field, text, value, sentence
):
    monkeypatch.setattr("webapp.platform.jobs.dispatch.send", lambda *_: None)
    monkeypatch.setattr("webapp.service.api.access.Rate.allow_request", lambda *_: True)
    before = Run.objects.count()
    by_api = refused_by_api(ready, field, value)
    assert by_api.startswith(sentence)
    assert refused_by_command(ready, field, text, tmp_path) == by_api
    assert by_api in refused_by_form(ready, field, text)
    assert Run.objects.count() == before


def test_the_form_of_several_engines_refuses_alike(ready):
    url = reverse("corpus_runs_several", args=[ready.pk])
    usual = {"engines": ["ssi", "svi"], "topics": "4", "seed": "5"}
    before = Run.objects.count()
    for field, text, _, sentence in WRONG:
        if field not in ("topics", "seed"):
            continue
        answer = Client().post(url, usual | {field: text})
        assert answer.status_code == 400, (field, text)
        assert sentence in html.unescape(answer.content.decode()), (field, text)
    answer = Client().post(url, usual | {"kappa": "0.7"})
    assert "There is no field “kappa” here" in html.unescape(answer.content.decode())
    assert Run.objects.count() == before


def test_a_program_is_told_of_a_field_that_there_is_not(ready):
    answer = Client(raise_request_exception=False).post(
        f"/api/v1/corpora/{ready.pk}/runs",
        '{"passes": 2}',
        content_type="application/json",
        headers={"Authorization": f"Bearer {tokens.create('tests')[1]}"},
    )
    assert answer.json() == {
        "error": "There is no field “passes” here; leave it out.",
        "field": "passes",
    }


def test_texts_and_values_ask_for_the_same():
    texts = {"topics": " 7", "seed": "3", "passes": "2", "kappa": "0.75", "learn": "alpha"}
    of_texts = AskedTraining.of_texts(texts | {"tau0": ""})
    settings = {"passes": 2, "kappa": 0.75, "learn": "alpha"}
    assert of_texts == AskedTraining.read({"topics": 7, "seed": 3, "settings": settings})
    assert not re.search("nan|inf", repr(of_texts))
