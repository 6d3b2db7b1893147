"""Whoever is first has it; everyone else hears that there is nothing to do."""

import threading

import pytest
from django.db import connection

from tasks.runs import train
from webapp.core.runs import services as runs
from webapp.models import Run
from webapp.platform.jobs import claims, kinds, sweep


def together(work, count: int = 8) -> list:
    """What so many threads that begin at once return."""
    gate = threading.Barrier(count)
    found = []

    def one():
        gate.wait()
        try:
            found.append(work())
        finally:
            connection.close()

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.django_db
def test_what_is_not_there_can_not_be_claimed():
    assert kinds.KINDS and all(claims.claim(kind, 2**40) is None for kind in kinds.KINDS)


def test_of_many_workers_one_wins(committed, ready):
    for _ in range(5):
        run = runs.create(ready.version, topics=7)
        won = together(lambda run=run: claims.claim(kinds.TRAIN, run.pk))
        assert sorted(won, key=str) == [1, *[None] * 7]
        run.delete()


def test_of_many_sweeps_one_queues_it_again(committed, ready):
    run = runs.create(ready.version, topics=7)
    claims.claim(kinds.TRAIN, run.pk)
    beat = Run.objects.values_list("attempt", "heartbeat_at", "tries").get(pk=run.pk)
    together(lambda: sweep.requeue(kinds.TRAIN, run.pk, *beat))
    assert claims.claim(kinds.TRAIN, run.pk) == 2
    # Late ones: it has another heart now
    together(lambda: sweep.requeue(kinds.TRAIN, run.pk, *beat))
    assert Run.objects.get(pk=run.pk).status == "running"


def test_a_task_that_is_delivered_twice_is_done_once(committed, ready):
    run = runs.create(ready.version, seed=3, topics=7, engine_settings={"passes": 3})
    train(run.pk)
    run.refresh_from_db()
    done = run.attempt, run.snapshot_id, run.finished_at, run.metrics.count()
    train(run.pk)
    run.refresh_from_db()
    assert (
        (run.attempt, run.snapshot_id, run.finished_at, run.metrics.count())
        == done
        == (1, *done[1:])
    )
