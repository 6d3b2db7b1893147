"""What programs send that is no request: it is refused, with the field, and nothing begins."""

import json

import pytest
from django.core.cache import cache
from django.test import Client

from webapp.models import Corpus, Run
from webapp.platform.accounts import tokens

pytestmark = pytest.mark.django_db
NO_TRAININGS = [
    ("[1]", "training"),
    ('"x"', "training"),
    ("null", "training"),
    ("3", "training"),
    ("", "training"),
    ('{"topics": true}', "topics"),
    ('{"topics": "3"}', "topics"),
    ('{"topics": 3.5}', "topics"),
    ('{"topics": [3]}', "topics"),
    ('{"topics": 3, "seed": null}', "seed"),
    ('{"topics": 3, "seed": 1e400}', "seed"),
    ('{"topics": 3, "engine": 3}', "engine"),
    ('{"topics": 3, "engine": "\\u0000"}', "engine"),
    ('{"topics": 3, "consensus": "yes"}', "consensus"),
    ('{"topics": 3, "passes": 2}', "passes"),
    ('{"topics": 3, "settings": [1]}', "settings"),
    ('{"topics": 3, "settings": {"passes": true}}', "passes"),
    ('{"topics": 3, "settings": {"passes": [2]}}', "passes"),
    ('{"topics": 3, "settings": {"passes": "2"}}', "passes"),
    ('{"topics": 3, "settings": {"passes": 1e400}}', "passes"),
    ('{"topics": 3, "settings": {"kappa": NaN}}', "kappa"),
    ("{", ""),
]


@pytest.fixture
def send(monkeypatch):
    """Posts a body with a token; (status, answer)."""
    monkeypatch.setattr("webapp.platform.jobs.dispatch.send", lambda *_: None)
    cache.clear()
    header = {"Authorization": f"Bearer {tokens.create('tests')[1]}"}
    client = Client(raise_request_exception=False)

    def post(address: str, body: str) -> tuple[int, dict]:
        answer = client.post(address, body, content_type="application/json", headers=header)
        return answer.status_code, json.loads(answer.content)

    return post


@pytest.mark.parametrize(("body", "field"), NO_TRAININGS)
def test_nonsense_starts_no_training(send, trained, body, field):
    before = Run.objects.count()
    status, answer = send(f"/api/v1/corpora/{trained.corpus_id}/runs", body)
    assert status == 400, answer
    assert (answer.get("field") or "") == field
    assert answer["error"].endswith(".")
    assert Run.objects.count() == before


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("[1]", "making"),
        ("null", "making"),
        ("{}", "uploads"),
        ('{"uploads": "x"}', "uploads"),
        ('{"uploads": [1]}', "uploads"),
        ('{"uploads": ["x"], "title": "y"}', "title"),
        ('{"uploads": ["x"], "name": null}', "name"),
    ],
)
def test_nonsense_makes_no_corpus(send, body, field):
    before = Corpus.objects.count()
    status, answer = send("/api/v1/corpora/", body)
    assert (status, answer.get("field")) == (400, field), answer
    assert Corpus.objects.count() == before


@pytest.mark.parametrize(
    ("body", "field"),
    [("[]", "reading"), ('{"language": 1}', "language"), ('{"langauge": "de"}', "langauge")],
)
def test_nonsense_reads_no_corpus(send, draft, body, field):
    corpus = draft(b"text\nwar and peace\n")
    status, answer = send(f"/api/v1/corpora/{corpus.pk}/read", body)
    assert (status, answer.get("field")) == (400, field), answer
    corpus.refresh_from_db()
    assert corpus.status == "draft"


def test_a_parameter_that_is_unknown_is_refused(client, trained):
    for path in ("corpora/", f"runs/{trained.pk}", f"runs/{trained.pk}/topics", "engines"):
        answer = client.get(f"/api/v1/{path}?tpoics=3")
        assert (answer.status_code, answer.json()["field"]) == (400, "tpoics"), path
        assert client.get(f"/api/v1/{path}").status_code == 200
