"""What machines ask: /healthz, /readyz, /metrics; and the alerts that are made of the metrics."""

import re

import pytest
import redis
import yaml
from django.db import OperationalError, connection
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import ROOT
from webapp.platform.jobs import events, roster
from webapp.platform.server import metrics
from webapp.service.operations import health, health_views, state

pytestmark = pytest.mark.django_db
LABELS = {"route", "method", "status", "le", "reason", "part", "kind", "run", "state", "result"}
OF_PYTHON = {"generation", "implementation", "major", "minor", "patchlevel", "version"}


@pytest.fixture(autouse=True)
def afresh(monkeypatch, alone):
    """Nothing that was found out for an earlier test, nor for a later one."""
    monkeypatch.setattr(health_views.gathered, "at", -health_views.KEEP)
    health.forget()
    state.forget_size()
    yield
    health.forget()
    state.forget_size()


def families(client, **more) -> dict:
    response = client.get("/metrics", **more)
    assert response.status_code == 200
    return {
        family.name: family for family in text_string_to_metric_families(response.content.decode())
    }


def test_health_touches_nothing_and_answers_under_any_name(client, django_assert_num_queries):
    events.client.cache_clear()
    with django_assert_num_queries(0):
        response = client.get("/healthz", HTTP_HOST="10.1.2.3:8000")
    assert (response.status_code, response.content) == (
        200,
        b"ok\n",
    ) and not events.client.cache_info().currsize
    assert client.post("/healthz").status_code == 405


def test_ready_says_each_part(client):
    response = client.get("/readyz", HTTP_HOST="10.1.2.3:8000")
    said = response.json()
    assert response.status_code == 200 and said["ready"]
    assert set(said["parts"]) == {"postgres", "migrations", "redis", "disk", "workers"}
    assert said["parts"]["workers"] == "warning: no worker is alive"
    roster.beat("here:1", 1, 0.0)
    health.forget()
    try:
        assert client.get("/readyz").json()["parts"]["workers"] == "ok"
    finally:
        events.client().delete("worker:here:1")


def test_not_ready_without_its_migrations(client):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'webapp' AND name LIKE '0051%%'")
    response = client.get("/readyz")
    assert (
        response.status_code == 503
        and response.json()["parts"]["migrations"] == "1 are not applied"
    )


def test_not_ready_without_redis_and_without_disk(client, monkeypatch, settings):
    away = redis.Redis(port=1, password="a-secret", socket_connect_timeout=1)
    monkeypatch.setattr(events, "client", lambda: away)
    settings.DISK_RESERVE = 1 << 62
    response = client.get("/readyz")
    parts = response.json()["parts"]
    assert response.status_code == 503
    assert (parts["redis"], parts["disk"]) == ("does not answer", "less is free than the reserve")
    assert b"a-secret" not in response.content


def test_not_ready_without_postgres(client, monkeypatch):
    def away():
        raise OperationalError("connection to server at 10.0.0.1, user secret, failed")

    monkeypatch.setattr(health.transaction, "atomic", away)
    monkeypatch.setattr(health.connection, "close", lambda: None)
    response = client.get("/readyz")
    parts = response.json()["parts"]
    assert response.status_code == 503 and b"secret" not in response.content
    assert (parts["postgres"], parts["migrations"]) == (
        "does not answer",
        "not known without postgres",
    )


def test_the_answer_is_told_again_for_a_second(client, django_assert_num_queries):
    client.get("/readyz")
    with django_assert_num_queries(0):
        client.get("/readyz")


def test_metrics_are_of_few_labels_and_hold_what_is_promised(client, trained):
    client.get(f"/runs/{trained.pk}/documents/?q=zyzzyva")
    client.get(f"/runs/{trained.pk}/words/quagmire/")
    client.get("/no/such/address")
    client.generic("ZYZZYVA", "/")
    found = families(client)
    body = client.get("/metrics").content.decode()
    assert "zyzzyva" not in body.lower() and "quagmire" not in body and "such" not in body
    for name, family in found.items():
        for sample in family.samples:
            allowed = OF_PYTHON if name.startswith(("python_", "process_")) else LABELS
            assert set(sample.labels) <= allowed, sample
    routes = {s.labels["route"] for s in found["topograph_http_requests"].samples}
    assert {"run_documents", "run_word", "none", "home"} <= routes
    assert {s.labels["method"] for s in found["topograph_http_requests"].samples} <= {
        *metrics.METHODS,
        "other",
    }
    for name in state.NUMBERS:
        if not name.startswith("topograph_cluster_") and name not in (
            "topograph_pool_connections",
            "topograph_pool_waiting",
            "topograph_run_progress_ratio",
            "topograph_store_copies_bytes",
        ):
            assert found[name].samples, name
    assert {s.labels["part"]: s.value for s in found["topograph_up"].samples} == {
        "postgres": 1,
        "redis": 1,
        "disk": 1,
    }


def test_metrics_tell_of_jobs(client, ready, trained):
    type(trained).objects.filter(pk=trained.pk).update(
        status="running", step=1, steps=4, tokens_seen=1000, seconds=2.0
    )
    type(ready).objects.filter(pk=ready.pk).update(status="queued")
    # While a corpus is read it gets a version, which is no job of its own
    ready.versions.create(number=ready.version.number + 1, status="choosing")
    found = families(client)
    jobs = {
        (s.labels["kind"], s.labels["status"]): s.value for s in found["topograph_jobs"].samples
    }
    assert (jobs["run", "running"], jobs["corpus", "queued"]) == (1, 1)
    assert (jobs["version", "queued"], jobs["version", "choosing"]) == (0, 0)
    assert {s.labels["run"]: s.value for s in found["topograph_run_progress_ratio"].samples} == {
        str(trained.pk): 0.25
    }
    assert found["topograph_training_tokens_per_second"].samples[0].value == 500.0
    silent = {s.labels["kind"]: s.value for s in found["topograph_jobs_silent_seconds"].samples}
    assert silent["run"] > 0 and silent["version"] == 0


def test_metrics_ask_seldom(client, django_assert_num_queries):
    families(client)
    with django_assert_num_queries(0):
        families(client)


def test_metrics_say_what_does_not_answer(client, monkeypatch):
    away = redis.Redis(port=1, socket_connect_timeout=1)
    monkeypatch.setattr(events, "client", lambda: away)
    found = families(client)
    assert {s.labels["part"]: s.value for s in found["topograph_up"].samples}["redis"] == 0
    assert not found["topograph_workers"].samples


def test_who_may_read_the_metrics(client, settings):
    assert client.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 403
    assert client.get("/metrics", REMOTE_ADDR="::1").status_code == 200
    # A proxy on this machine asks for others
    assert client.get("/metrics", HTTP_X_FORWARDED_FOR="192.0.2.7").status_code == 403
    settings.METRICS_TOKEN = "long-and-random"
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer wrong").status_code == 403
    assert client.get("/metrics").status_code == 403
    assert (
        client.get(
            "/metrics", HTTP_AUTHORIZATION="Bearer long-and-random", REMOTE_ADDR="192.0.2.7"
        ).status_code
        == 200
    )


def test_alerts_and_documentation_name_metrics_that_exist(client):
    names = set()
    for family in families(client).values():
        ends = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}.get(
            family.type, [""]
        )
        names |= {family.name + end for end in ends}
    alerts = yaml.safe_load((ROOT / "docs" / "alerts.yml").read_text())
    rules = [rule for group in alerts["groups"] for rule in group["rules"]]
    said = (ROOT / "docs" / "monitoring.md").read_text()
    assert len({rule["alert"] for rule in rules}) == len(rules) > 10
    for rule in rules:
        used = set(re.findall(r"\b(?:topograph|process|python)_\w+", rule["expr"]))
        assert used <= names, (rule["alert"], used - names)
        assert rule["alert"] in said and rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"].endswith(".") and rule["annotations"][
            "action"
        ].endswith(".")
        assert "for" not in rule or re.fullmatch(r"\d+[smh]", rule["for"])
    documented = set(re.findall(r"`(topograph_\w+)`", said))
    assert documented <= {name.removesuffix("_bucket") for name in names} | {
        "topograph_http_request_seconds"
    }, documented - names
    assert set(state.NUMBERS) - {re.sub("_total$", "", d) for d in documented} <= {
        "topograph_database_connections_limit"
    }
