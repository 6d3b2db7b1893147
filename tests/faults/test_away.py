"""Redis away, or emptied: pages work, what is asked for is kept and done later, and training does
not wait for news to be heard."""

import time

import pytest
import redis
from celery import Celery
from redis.backoff import NoBackoff
from redis.retry import Retry

from benchmarks.browser import training_form
from tasks.celery import app
from tasks.runs import train
from tests.sweeping import STALE, sweep_for
from webapp.core.runs import services as runs
from webapp.models import Run
from webapp.platform.jobs import claims, dispatch, events, kinds, sweep
from webapp.platform.local.processes import free_port


@pytest.fixture
def away(monkeypatch):
    """Nobody listens where Redis was."""
    url = f"redis://127.0.0.1:{free_port()}/0"
    gone = redis.Redis.from_url(url, socket_connect_timeout=2, retry=Retry(NoBackoff(), 1))
    monkeypatch.setattr(events, "client", lambda: gone)
    monkeypatch.setattr(events, "publishing", events.CircuitBreaker(events.LOST_SECONDS))
    sender = Celery(broker=url)
    sender.conf.broker_transport_options = app.conf.broker_transport_options
    monkeypatch.setattr(dispatch, "app", sender)


def test_pages_and_forms(committed, client, ready, away):
    began = time.monotonic()
    address = f"/corpora/{ready.pk}/"
    assert (
        client.get(f"{address}?").status_code == 200
        and client.get(f"{address.rstrip('/')}.json").json()["workers"] is None
    )
    answer = client.post(
        f"{address}runs/", training_form(client.get(address).content.decode()) | {"topics": "7"}
    )
    assert answer.status_code == 302
    run = Run.objects.get(pk=int(answer.url.rstrip("/").rsplit("/", 1)[1]))
    assert run.status == "queued" and client.get(f"/runs/{run.pk}/").status_code == 200
    assert time.monotonic() - began < 10


def test_training_goes_on(committed, ready, trained, away):
    run = runs.create(ready.version, seed=3, topics=6, engine_settings={"passes": 3})
    train(run.pk)
    run.refresh_from_db()
    assert run.status == "done"
    began = time.monotonic()
    for _ in range(1000):
        events.run(run.pk, {"type": "progress"})
    assert time.monotonic() - began < 1


@pytest.mark.django_db
def test_the_sweep_finds_the_dead_without_it(ready, away):
    run = runs.create(ready.version, topics=5)
    claims.claim(kinds.TRAIN, run.pk)
    sweep_for(STALE + 5)
    run.refresh_from_db()
    assert run.status == "queued"


@pytest.mark.django_db
def test_what_an_emptied_redis_forgot_is_sent_again(ready, monkeypatch):
    run = runs.create(ready.version, topics=5)
    events.client().flushdb()
    sent = []
    monkeypatch.setattr(dispatch, "send_again", lambda kind, pk: sent.append((kind.name, pk)))
    sweep.Sweep()()
    assert (kinds.TRAIN.name, run.pk) in sent


def test_a_message_that_comes_to_an_emptied_redis_is_not_lost():
    """The exchange's table of queues was in Redis, too."""
    events.client().flushdb()
    app.send_task(kinds.TRAIN.task, [-1], retry=False)
    events.client().delete("_kombu.binding.celery")
    app.send_task(kinds.TRAIN.task, [-1], retry=False)
    assert events.client().llen(app.conf.task_default_queue) == 2
    events.client().flushdb()
