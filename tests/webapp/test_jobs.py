"""Claims: a job is done once, however often it is delivered, and never hangs as running."""

from datetime import timedelta

import pytest
from django.utils import timezone

from webapp.models import Corpus, Run
from webapp.services import jobs, runs

pytestmark = pytest.mark.django_db


@pytest.fixture
def queued(ready):
    return runs.create(ready.version, topics=5)


def test_only_one_claim_wins(queued):
    assert jobs.claim(jobs.TRAINING, queued.pk) == 1
    assert jobs.claim(jobs.TRAINING, queued.pk) is None


def test_an_old_attempt_can_write_nothing(queued):
    first = jobs.claim(jobs.TRAINING, queued.pk)
    Run.objects.filter(pk=queued.pk).update(status="queued")
    second = jobs.claim(jobs.TRAINING, queued.pk)
    jobs.update(jobs.TRAINING, queued.pk, second, step=5)
    with pytest.raises(jobs.Lost):
        jobs.update(jobs.TRAINING, queued.pk, first, step=99)
    queued.refresh_from_db()
    assert queued.step == 5


def test_sweep_queues_a_run_whose_process_is_gone(queued):
    jobs.claim(jobs.TRAINING, queued.pk)
    jobs.sweep()
    queued.refresh_from_db()
    assert queued.status == "running"  # it has just beaten
    Run.objects.filter(pk=queued.pk).update(heartbeat_at=timezone.now() - timedelta(minutes=5))
    jobs.sweep()
    queued.refresh_from_db()
    assert queued.status == "queued"


def test_sweep_gives_up_after_so_many_attempts(queued):
    old = timezone.now() - timedelta(minutes=5)
    Run.objects.filter(pk=queued.pk).update(status="running", attempt=jobs.ATTEMPTS, heartbeat_at=old)
    jobs.sweep()
    queued.refresh_from_db()
    assert queued.status == "failed" and "ran out of memory" in queued.error


def test_sweep_leaves_what_is_over(ready, trained):
    Corpus.objects.filter(pk=ready.pk).update(heartbeat_at=timezone.now() - timedelta(days=1))
    Run.objects.filter(pk=trained.pk).update(heartbeat_at=timezone.now() - timedelta(days=1))
    jobs.sweep()
    assert Corpus.objects.get(pk=ready.pk).status == "ready"
    assert Run.objects.get(pk=trained.pk).status == "done"


def test_cancel_of_a_queued_run_ends_it(queued):
    runs.cancel(queued)
    queued.refresh_from_db()
    assert queued.status == "cancelled"
    assert jobs.claim(jobs.TRAINING, queued.pk) is None


def test_cancel_while_the_results_are_stored(queued):
    attempt = jobs.claim(jobs.TRAINING, queued.pk)
    jobs.update(jobs.TRAINING, queued.pk, attempt, status="storing")
    runs.cancel(queued)
    queued.refresh_from_db()
    assert queued.status == "cancelled"
    with pytest.raises(jobs.Lost):  # so that the transaction that publishes is rolled back
        jobs.update(jobs.TRAINING, queued.pk, attempt, status="done")
