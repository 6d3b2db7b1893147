"""A full disk at each stage: the work waits, says so, and goes on when there is room; and it comes
out as if nothing had been.

The kernel itself refuses: a limit on the size of files, which the process that works gets for as
long as its "disk" is full.
"""

import errno
import resource
from contextlib import contextmanager

import numpy as np
import psycopg
import pytest
from django.db import OperationalError

from benchmarks.browser import training_form
from inference.runtime.memory import mapped
from tasks.corpora import read_corpus
from tasks.runs import train
from tests.corpora import as_csv, example_rows
from tests.faults.conftest import take_away
from tests.sweeping import sweep_for
from webapp.core.runs import services as runs
from webapp.models import Corpus
from webapp.platform.jobs import claims, dispatch, events, kinds, sweep
from webapp.platform.storage import disk, files

ROWS = 400


@contextmanager
def file_size(limit: int):
    """No file may have more bytes than this."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def reading(draft, ready):
    """A queued corpus, the same as `ready`."""
    corpus = draft(as_csv(example_rows(ROWS)))
    Corpus.objects.filter(pk=corpus.pk).update(settings=ready.settings, status="queued")
    return corpus


def content(corpus: Corpus) -> tuple:
    version = corpus.version
    return (
        version.report["digest"],
        version.documents,
        version.tokens,
        version.vocabulary,
        corpus.documents_read,
    )


@pytest.mark.parametrize("limit", [1_000, 100_000, 300_000])
def test_reading_and_choosing_wait_for_room(committed, client, reading, ready, limit):
    with file_size(limit):
        read_corpus(reading.pk)
    reading.refresh_from_db()
    assert (reading.status, reading.waits_for, reading.attempt) == ("queued", "disk", 1)
    assert reading.error == ""
    assert "disk is full" in client.get(f"/corpora/{reading.pk}/").content.decode()
    page = client.get(f"/corpora/{reading.pk}.json").json()
    assert (page["notice"], page["error"]) == (Corpus.WaitsFor.DISK.label, "")
    read_corpus(reading.pk)
    reading = Corpus.objects.select_related("version").get(pk=reading.pk)
    assert (reading.status, reading.error, reading.waits_for) == ("ready", "", "")
    assert content(reading) == content(ready)


@pytest.fixture(scope="module")
def undisturbed(ready, django_db_blocker):
    with django_db_blocker.unblock():
        run = runs.create(ready.version, seed=3, topics=7, engine_settings={"passes": 3})
        train(run.pk)
        yield run
        take_away(run)


STAGES = {
    "the checkpoint": "inference.checkpoint.save",
    "the evidence": "inference.gather",
    "Postgres": "webapp.platform.storage.bulk.Partition.write_arrays",
    "the fsync before the row": "webapp.core.runs.final_results.settle",
}


@pytest.mark.parametrize("stage", STAGES)
def test_training_and_storing_wait_for_room(
    committed, client, ready, undisturbed, monkeypatch, stage
):
    """What the limit can't tell apart: each stage's own write fails."""
    run = runs.create(ready.version, seed=3, topics=7, engine_settings={"passes": 3})

    def no_room(*_, **__):
        if stage == "Postgres":
            raise OperationalError("disk full") from psycopg.errors.DiskFull(
                "could not extend file"
            )
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(STAGES[stage], no_room)
        train(run.pk)
    run.refresh_from_db()
    assert (run.status, run.error, run.waits_for) == ("queued", "", "disk")
    assert "disk is full" in client.get(f"/runs/{run.pk}/").content.decode()
    train(run.pk)
    run.refresh_from_db()
    assert (run.status, run.waits_for, run.attempt) == ("done", "", 2)
    columns = ("step", "tokens", "held_out", "topic_coherence")
    assert list(run.metrics.values_list(*columns)) == list(
        undisturbed.metrics.values_list(*columns)
    )
    for name in ("topics", "certainty", "doc_topics", "doc_tokens"):
        path = files.run_folder(run.pk) / "evidence" / name
        assert (
            path.read_bytes() == (files.run_folder(undisturbed.pk) / "evidence" / name).read_bytes()
        )


@pytest.mark.django_db
def test_nothing_begins_on_a_full_disk_and_all_does_when_there_is_room(ready, monkeypatch):
    run = runs.create(ready.version, topics=7)
    with monkeypatch.context() as patch:
        patch.setattr(disk, "full", lambda: True)
        for _ in range(3 * claims.MAX_TRIES):
            assert claims.claim(kinds.TRAIN, run.pk) is None
    run.refresh_from_db()
    assert (run.status, run.waits_for, run.tries) == ("queued", "disk", 0)
    events.client().flushdb()  # what other tests have sent
    sent = []
    monkeypatch.setattr(dispatch, "send_again", lambda kind, pk: sent.append(pk))
    sweep_for(3 * sweep.RETRY_WAITING)
    assert 3 <= sent.count(run.pk) <= 4  # not at every look
    assert claims.claim(kinds.TRAIN, run.pk) == 1


def test_a_training_that_waits_for_room_is_not_begun_again_at_once(committed, ready, monkeypatch):
    """Its process is free, and could take it: five times in a second."""
    run = runs.create(ready.version, topics=7)
    other = runs.create(ready.version, topics=7)
    sent = []
    monkeypatch.setattr(dispatch, "send_again", lambda kind, pk: sent.append(pk))

    def no_room(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("inference.checkpoint.save", no_room)
    train(run.pk)
    run.refresh_from_db()
    assert (run.status, run.waits_for) == ("queued", "disk") and sent == [other.pk]


def test_there_is_never_room_enough(committed, ready, monkeypatch):
    """Not for ever: after some tries the run says that it is the disk."""
    run = runs.create(ready.version, topics=7)

    def no_room(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("inference.checkpoint.save", no_room)
    for _ in range(claims.MAX_TRIES):
        train(run.pk)
    run.refresh_from_db()
    assert run.status == "failed" and "disk was full" in run.error


def test_a_mapped_file_says_that_there_is_no_room(tmp_path):
    """Filled through its mapping, a file with holes would end the process with SIGBUS instead."""
    with file_size(1_000_000), pytest.raises(OSError) as full:
        mapped(tmp_path / "array.npy", np.int32, 10_000_000)
    assert disk.is_full(full.value)
    assert (mapped(tmp_path / "small", np.uint8, 10) == 0).all()


def test_pages_say_that_the_disk_is_full(committed, client, ready, monkeypatch):
    def no_room(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("webapp.core.runs.services.create", no_room)
    address = f"/corpora/{ready.pk}/"
    answer = client.post(
        f"{address}runs/", training_form(client.get(address).content.decode()) | {"topics": "7"}
    )
    assert (
        answer.status_code == 503
        and "disk is full" in answer.content.decode()
        and answer["Retry-After"]
    )
