"""Claims: a job is done once, however often it is delivered, and never hangs as running."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.sweeping import STALE, Clock, sweep_for
from webapp.core.runs import services as runs
from webapp.intake.ingest import versions
from webapp.models import Corpus, Run, Version
from webapp.platform.jobs import claims, kinds, sweep

pytestmark = pytest.mark.django_db


@pytest.fixture
def queued(ready):
    return runs.create(ready.version, topics=5)


def test_only_one_claim_wins(queued):
    assert claims.claim(kinds.TRAIN, queued.pk) == 1
    assert claims.claim(kinds.TRAIN, queued.pk) is None


def test_an_old_attempt_can_write_nothing(queued):
    first = claims.claim(kinds.TRAIN, queued.pk)
    Run.objects.filter(pk=queued.pk).update(status="queued")
    second = claims.claim(kinds.TRAIN, queued.pk)
    claims.update(kinds.TRAIN, queued.pk, second, step=5)
    with pytest.raises(claims.ClaimLost):
        claims.update(kinds.TRAIN, queued.pk, first, step=99)
    queued.refresh_from_db()
    assert queued.step == 5


def test_sweep_queues_a_run_whose_process_is_gone(queued):
    claims.claim(kinds.TRAIN, queued.pk)
    sweep_for(STALE - 5)
    queued.refresh_from_db()
    assert queued.status == "running"
    sweep_for(STALE + 5)
    queued.refresh_from_db()
    assert queued.status == "queued"


def test_who_beats_is_alive_however_long_it_takes(queued):
    attempt = claims.claim(kinds.TRAIN, queued.pk)
    sweep_for(10 * STALE, between=lambda: claims.update(kinds.TRAIN, queued.pk, attempt))
    queued.refresh_from_db()
    assert (queued.status, queued.attempt) == ("running", 1)


@pytest.mark.parametrize("hours", [-24, -1, 1, 24 * 365])
def test_a_clock_that_jumps_makes_no_living_run_dead_and_no_dead_one_alive(queued, hours):
    """The database's clock is what heartbeats are written by: to shift them all is what shifting it
    does."""
    attempt = claims.claim(kinds.TRAIN, queued.pk)
    jumped = []

    def beat_then_jump():
        claims.update(kinds.TRAIN, queued.pk, attempt)
        if not jumped:
            jumped.append(
                Run.objects.filter(pk=queued.pk).update(
                    heartbeat_at=timezone.now() - timedelta(hours=hours)
                )
            )

    sweep_for(3 * STALE, between=beat_then_jump)
    queued.refresh_from_db()
    assert (queued.status, queued.attempt) == ("running", 1)
    Run.objects.filter(pk=queued.pk).update(heartbeat_at=timezone.now() - timedelta(hours=hours))
    sweep_for(STALE + 5)
    queued.refresh_from_db()
    assert queued.status == "queued"


def test_a_sweep_that_slept_does_not_take_the_living_for_dead(queued):
    """A machine that was suspended, or a database that was away: nobody could beat, and nobody
    could look."""
    claims.claim(kinds.TRAIN, queued.pk)
    clock = Clock()
    look = sweep.Sweep(clock)
    look()
    clock.now += 3600
    look()
    queued.refresh_from_db()
    assert queued.status == "running"


def test_sweep_gives_up_where_a_run_comes_no_further(queued):
    for attempt in range(1, claims.MAX_TRIES + 1):
        assert claims.claim(kinds.TRAIN, queued.pk) == attempt
        sweep_for(STALE + 5)
    queued.refresh_from_db()
    assert queued.status == "failed" and "ran out of memory" in queued.error


def test_a_run_that_comes_further_may_lose_its_process_any_number_of_times(queued):
    for attempt in range(1, 3 * claims.MAX_TRIES):
        assert claims.claim(kinds.TRAIN, queued.pk) == attempt
        claims.update(kinds.TRAIN, queued.pk, attempt, tries=0)  # as with each checkpoint
        sweep_for(STALE + 5)
    queued.refresh_from_db()
    assert queued.status == "queued"


def test_a_notice_says_only_what_holds_now(queued):
    """A sentence about waiting does not stay behind, whatever becomes of the job; nor does the
    notice of a training."""
    queued.waits_for = Run.WaitsFor.STORE
    queued.notice = "The engine is being compiled."
    assert queued.shown_notice == Run.WaitsFor.STORE.label
    queued.status = "running"
    assert queued.shown_notice == "The engine is being compiled."
    queued.status = "cancelled"
    assert queued.shown_notice == ""
    queued.status = "failed"
    queued.error = "No text."
    assert queued.shown_notice == "", "which is no notice"


def test_a_claim_ends_the_waiting(queued):
    Run.objects.filter(pk=queued.pk).update(waits_for=Run.WaitsFor.STORE)
    claims.claim(kinds.TRAIN, queued.pk)
    queued.refresh_from_db()
    assert queued.waits_for == ""


def test_what_is_tried_again_is_not_cancelled_by_an_earlier_wish(queued):
    attempt = claims.claim(kinds.TRAIN, queued.pk)
    runs.cancel(queued)
    claims.fail(kinds.TRAIN, queued.pk, attempt, "It failed before it looked.")
    assert claims.retry(kinds.TRAIN, queued.pk)
    queued.refresh_from_db()
    assert (queued.status, queued.request) == ("queued", "")


def test_sweep_leaves_the_version_that_a_corpus_gets_while_it_is_read(ready):
    """Its job is the corpus's: queued, it would be made by another process, which would end the one
    that reads."""
    version = versions.create(
        ready, versions.VocabularySettings.from_dict(ready.settings), status=Version.Status.CHOOSING
    )
    sweep_for(3 * STALE)
    version.refresh_from_db()
    assert (version.status, version.attempt) == ("choosing", 0)


def test_sweep_leaves_what_is_over(ready, trained):
    sweep_for(STALE + 5)
    assert Corpus.objects.get(pk=ready.pk).status == "ready"
    assert Run.objects.get(pk=trained.pk).status == "done"


def test_cancel_of_a_queued_run_ends_it(queued):
    runs.cancel(queued)
    queued.refresh_from_db()
    assert queued.status == "cancelled"
    assert claims.claim(kinds.TRAIN, queued.pk) is None


def test_cancel_while_the_results_are_stored(queued):
    attempt = claims.claim(kinds.TRAIN, queued.pk)
    claims.update(kinds.TRAIN, queued.pk, attempt, status="storing")
    runs.cancel(queued)
    queued.refresh_from_db()
    assert queued.status == "cancelled"
    with pytest.raises(claims.ClaimLost):  # so that the transaction that publishes is rolled back
        claims.update(kinds.TRAIN, queued.pk, attempt, status="done")
