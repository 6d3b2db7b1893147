"""Stopping and cancelling a run that has ended, or not begun: pages say so, and nothing changes."""

import pytest
from django.urls import reverse

from webapp.core.runs import services as runs
from webapp.models import Run
from webapp.platform.accounts import tokens

pytestmark = pytest.mark.django_db
ENDED = ("done", "failed", "cancelled")


@pytest.fixture
def run(trained) -> Run:
    return runs.create(trained.version, topics=4)


def press(client, run: Run, act: str, status: str) -> str:
    """The page that follows."""
    Run.objects.filter(pk=run.pk).update(status=status)
    answer = client.post(reverse(f"run_{act}", args=[run.pk]), follow=True)
    assert answer.status_code == 200
    run.refresh_from_db()
    return answer.content.decode()


@pytest.mark.parametrize("status", ENDED)
@pytest.mark.parametrize("act", ["stop", "cancel"])
def test_a_run_that_has_ended_stays_as_it_is(client, run, act, status):
    assert f"Run {run.pk} has ended already." in press(client, run, act, status)
    assert (run.status, run.request) == (status, "")


def test_a_run_that_waits_has_nothing_to_keep(client, run):
    assert "has not begun, so there is nothing to keep" in press(client, run, "stop", "queued")
    assert (run.status, run.request) == ("queued", "")
    assert "ended already" not in press(client, run, "cancel", "queued")
    assert run.status == "cancelled"


def test_a_run_that_stores_its_topics_keeps_them(client, run):
    assert "it stores its topics now" in press(client, run, "stop", "storing")
    assert (run.status, run.request) == ("storing", "")


def test_a_running_one_is_asked_without_a_word(client, run):
    assert "has ended already" not in press(client, run, "stop", "running")
    assert run.request == "stop"


@pytest.mark.parametrize("status", ENDED)
@pytest.mark.parametrize("act", ["stop", "cancel"])
def test_a_program_gets_the_run_as_it_ended(client, run, act, status):
    Run.objects.filter(pk=run.pk).update(status=status)
    secret = tokens.create("tests")[1]
    address = f"/api/v1/runs/{run.pk}/{act}"
    answer = client.post(address, headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 200 and answer.json()["status"] == status
    run.refresh_from_db()
    assert (run.status, run.request) == (status, "")
