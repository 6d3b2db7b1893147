"""A task that is alive and comes no further is ended; one that comes further, or does what takes
long, is not."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager, suppress
from typing import NamedTuple

import pytest
from django.db import connection

from tasks.runs import train
from tests.conftest import ROOT
from tests.sweeping import FROZEN, STALE, sweep_for
from webapp.core.runs import services as runs
from webapp.models import Run
from webapp.platform.jobs import claims, events, heartbeat, kinds, roster, sweep
from webapp.platform.jobs.file_lock import LockHeld, file_lock, if_free
from webapp.platform.storage import files

NAME = "drill"  # of their connections


def environment() -> dict[str, str]:
    """For processes of their own, on the tests' database. Postgres looks more often than usual
    whether they are there."""
    from django.conf import settings

    url = f"{settings.DATABASE_URL.rsplit('/', 1)[0]}/{connection.settings_dict['NAME']}"
    url += f"?application_name={NAME}&options=-c%20client_connection_check_interval%3D100ms"
    return os.environ | {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "webapp.settings"}


def backends() -> int:
    with connection.cursor() as cursor:
        # Within a transaction Postgres says again what it said first
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        # Beside other tests of this file, which have a database of their own
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND datname ="
            " current_database()",
            [NAME],
        )
        return cursor.fetchone()[0]


# Forks a process for each task, as the worker does: Django is imported once. Each has a folder for
# what it prints; the line of one that has ended says which it was, and how it ended.
SCRIPT = """
import json, os, sys
from pathlib import Path
import django
django.setup()
from webapp.platform.jobs import claims, heartbeat, kinds

def begin(folder, code):
    for name, number in (("said", 1), ("logged", 2)):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT, 0o600), number)
    exec(code, {})
    sys.stdout.flush()

processes = {}
for i, code in enumerate(json.loads(sys.argv[2])):
    folder = Path(sys.argv[1]) / str(i)
    folder.mkdir()
    process = os.fork()
    if not process:
        begin(folder, code)
        os._exit(0)
    processes[process] = i
print("begun", *processes, flush=True)
while processes:
    process, status = os.wait()
    print(processes.pop(process), os.waitstatus_to_exitcode(status), flush=True)
"""
TASK = """
import subprocess, threading, time
from django.db import connection
from webapp.platform.jobs import claims, heartbeat, kinds

cursor = connection.cursor()
heartbeat.INTERVAL, heartbeat.PATIENCE, heartbeat.LONG_PATIENCE = 0.1, 1.5, 60
claims.update = lambda *job, **fields: None  # there is no such row
with heartbeat.Heartbeat(kinds.TRAIN, 1, 1) as beat:
    {work}
print("came to its end")
"""
DEADLOCK = "lock = threading.Lock(); lock.acquire(); lock.acquire()"
SPINS = "\n    while True: pass"
TICKS = "\n    for _ in range(40):\n        beat.check()\n        time.sleep(0.1)"
LONG = (
    "\n    with beat.long():\n        end = time.monotonic() + 4\n        while time.monotonic() <"
    " end: pass"
)
POSTGRES_STOPPED = """
    import os, signal
    backend = connection.connection.info.backend_pid
    threading.Timer(0.3, os.kill, [backend, signal.SIGSTOP]).start()
    print(backend, flush=True)
    cursor.execute("SELECT count(*) FROM generate_series(1, 4000000000)")"""
STOPPED = """
    import os, signal
    subprocess.Popen(["sh", "-c", f"sleep 4; kill -CONT {os.getpid()}"])
    os.kill(os.getpid(), signal.SIGSTOP)
    beat.check()"""
WORK = {  # what a task does, and whether it is stuck
    "it deadlocks": (DEADLOCK, True),
    "its query hangs": ("cursor.execute('SELECT pg_sleep(100)')", True),
    "its process of Postgres is stopped": (POSTGRES_STOPPED, True),
    "it goes round in a circle": (SPINS, True),
    "it ticks": (TICKS, False),
    "it works long, and said so": (LONG, False),
    "it was stopped for longer than its patience, and goes on": (STOPPED, False),
}


class Ended(NamedTuple):
    """How a process ended, what it said, and what it logged."""

    status: int
    said: str
    logged: str


@pytest.fixture(scope="module")
def ended(django_db_setup, tmp_path_factory):
    """All of them at once, as none has much to do: each task with how its process ended."""
    folder = tmp_path_factory.mktemp("stuck")
    tasks = [TASK.replace("{work}", work) for work, _ in WORK.values()]
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder), json.dumps(tasks)],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as script:
        _, *processes = map(str.strip, script.stdout.readline().split())
        too_late = threading.Timer(60, end, map(int, processes))
        too_late.start()
        statuses = dict(tuple(map(int, line.split())) for line in script.stdout)
        too_late.cancel()
    assert script.returncode == 0
    return {
        name: Ended(
            statuses[i],
            (folder / str(i) / "said").read_text(),
            (folder / str(i) / "logged").read_text(),
        )
        for i, name in enumerate(WORK)
    }


def end(*processes: int) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)


@pytest.mark.django_db
@pytest.mark.parametrize("name", WORK)
def test_only_what_comes_no_further_is_ended(ended, name):
    status, said, logged = ended[name]
    if WORK[name][0] == POSTGRES_STOPPED:
        os.kill(int(said.split()[0]), signal.SIGCONT)
    stuck = WORK[name][1]
    assert (status == -signal.SIGKILL) == stuck, logged
    assert ("came to its end" in said) != stuck
    assert ("came no further" in logged) == stuck


@pytest.mark.django_db
def test_postgres_ends_what_it_did_for_those_that_were_ended(ended):
    """Their queries would go on for hours, and hold their locks."""
    deadline = time.monotonic() + 20
    while backends():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_dead_are_replaced_within_a_minute():
    """A process that is killed: without a beat, then queued again, each as late as it can be."""
    assert heartbeat.INTERVAL + claims.STALE.total_seconds() + 2 * sweep.INTERVAL <= 60
    assert heartbeat.INTERVAL * 5 < claims.STALE.total_seconds() < claims.FROZEN.total_seconds()


TIMES = """
import django
django.setup()
from webapp.platform.jobs import claims, heartbeat, sweep
print(claims.STALE.total_seconds(), heartbeat.INTERVAL, sweep.INTERVAL, sweep.LONGEST_STEP_SECONDS)
"""


def test_who_waits_less_for_the_dead_is_told_more_often_who_lives():
    """Each time is as much shorter as the one that is set."""
    done = subprocess.run(
        [sys.executable, "-c", TIMES],
        cwd=ROOT,
        env=environment() | {"TOPOGRAPH_STALE": str(STALE / 10)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    times = [STALE, heartbeat.INTERVAL, sweep.INTERVAL, sweep.LONGEST_STEP_SECONDS]
    assert [float(said) for said in done.stdout.split()] == pytest.approx([t / 10 for t in times])


WORKER = """
import sys, time
import django
django.setup()
from webapp.platform.jobs.file_lock import file_lock
from webapp.platform.jobs.heartbeat import Heartbeat
from webapp.platform.jobs import claims, kinds
from webapp.platform.storage import files

run = int(sys.argv[1])
with Heartbeat(kinds.TRAIN, run, claims.claim(kinds.TRAIN, run)) as beat, file_lock(files.run_folder(run)):
    print("at work", flush=True)
    while True:
        beat.check()
        time.sleep(0.01)
"""


HOLDER = """
import sys, time
from pathlib import Path
from webapp.platform.jobs.file_lock import file_lock
with file_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(100)
"""


@contextmanager
def holder(folder):
    """A process that holds the lock of a folder's files. It ends with the block."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_a_process_that_is_stopped_is_ended_before_another_begins(committed, ready):
    run = runs.create(ready.version, seed=3, topics=5, engine_settings={"passes": 2})
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, str(run.pk)],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as old:
        try:
            assert old.stdout.readline() == "at work\n"
            os.kill(old.pid, signal.SIGSTOP)
            sweep_for(3 * STALE)
            run.refresh_from_db()
            # For a minute it may only be starved
            assert (run.status, run.attempt) == (
                "running",
                1,
            )
            sweep_for(FROZEN + 5)
            train(run.pk)
            assert old.wait(10) == -signal.SIGKILL
        finally:
            old.kill()
    run.refresh_from_db()
    assert (run.status, run.attempt, run.tries) == ("done", 2, 0)


def test_a_process_that_holds_its_files_is_alive_however_late_its_heartbeat_is(committed, ready):
    """It gets a twentieth of a core: it beats too seldom, and nobody may restart its work. Once it
    is dead, that is seen."""
    run = runs.create(ready.version, seed=3, topics=5, engine_settings={"passes": 2})
    attempt = claims.claim(kinds.TRAIN, run.pk)
    with holder(files.run_folder(run.pk)):
        sweep_for(5 * STALE)
        claims.update(kinds.TRAIN, run.pk, attempt)  # else it would have lost its claim
    sweep_for(STALE + 5)
    run.refresh_from_db()
    assert run.status == "queued"


def test_a_row_that_is_locked_keeps_nobody_from_watching_over_the_others(committed, ready):
    """As a process of Postgres does that was stopped at the end of its transaction."""
    held = runs.create(ready.version, topics=5)
    other = runs.create(ready.version, topics=5)
    for run in (held, other):
        claims.claim(kinds.TRAIN, run.pk)
    with closing(connection.copy()) as locking, locking.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("UPDATE webapp_run SET step = 1 WHERE id = %s", [held.pk])
        sweep_for(STALE + 1)
        assert list(
            Run.objects.filter(pk__in=(held.pk, other.pk))
            .order_by("pk")
            .values_list("status", flat=True)
        ) == [
            "running",
            "queued",
        ]
        cursor.execute("ROLLBACK")
    sweep_for(STALE + 5)
    assert Run.objects.get(pk=held.pk).status == "queued"


@pytest.mark.parametrize("stopped", [False, True])
def test_who_has_lost_the_row_can_write_no_file_any_more(tmp_path, stopped):
    """A process that was stopped for a minute, wakes up, and still believes that the run is its
    own."""
    with holder(tmp_path) as old:
        if stopped:
            os.kill(old.pid, signal.SIGSTOP)
        with file_lock(tmp_path):
            assert old.wait(10) == -signal.SIGKILL


def test_who_has_no_claim_leaves_the_files_to_who_has_them(tmp_path):
    with holder(tmp_path) as old:
        with if_free(tmp_path) as free:
            assert not free
        assert old.poll() is None
    with if_free(tmp_path) as free:
        assert free


def test_files_that_nobody_here_can_free(tmp_path, monkeypatch):
    with holder(tmp_path) as old:
        # It runs on another machine
        monkeypatch.setattr(
            "webapp.platform.jobs.file_lock.system.lock_holder", lambda descriptor: (True, 0)
        )
        monkeypatch.setattr("webapp.platform.jobs.file_lock.ENDING_SECONDS", 0.2)
        with pytest.raises(LockHeld), file_lock(tmp_path):
            pytest.fail("two processes at the same files")
        assert old.poll() is None
    with file_lock(tmp_path):  # the kernel let go when it ended
        assert (tmp_path / "lock").exists()


# A worker that does nothing beside beating, once every tenth of a second. {hangs}: after that many
# seconds its main loop stands still.
WORKER_ALONE = """
import gc, sys, threading, time
import django
django.setup()
import tasks.celery
from celery import bootsteps
from celery.__main__ import main
from tasks import pulse, worker
from webapp.platform.jobs import roster

worker.sweep.Sweep = lambda: (lambda: None)
worker.upkeep.tidy = worker.corpora.create_first_example = lambda: None
roster.BEAT, pulse.INTERVAL, pulse.MOST_MISSED_BEATS = 0.1, 0.1, 30
class Hang(bootsteps.StartStopStep):
    requires = ("tasks.pulse:Pulse",)
    def start(self, parent):
        print("collects:", gc.isenabled(), "passes over much:", gc.get_freeze_count() > 10_000, flush=True)
        if {hangs}:
            parent.timer.call_after({hangs}, time.sleep, (1000,))
tasks.celery.app.steps["consumer"].add(Hang)
sys.argv = ["celery", "-A", "tasks", "worker", "--concurrency", "1", "--without-gossip", "--without-mingle", "-n", "alone{hangs}@test", "-Q", "nobody"]
main()
"""


@pytest.mark.django_db
def test_a_worker_whose_main_loop_hangs_ends_and_one_without_work_does_not():
    """As one did that waited in a subscription of a Redis that had died: its threads went on
    beating."""
    hung, idle = (
        subprocess.Popen(
            [sys.executable, "-c", WORKER_ALONE.replace("{hangs}", str(seconds))],
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for seconds in (0.5, 0)
    )
    try:
        said, _ = hung.communicate(timeout=120)
        assert hung.returncode == -signal.SIGKILL and "main loop hangs" in said, said
        # Of its garbage; not of what it imported before it forked
        assert "collects: True passes over much: True" in said, said
        with pytest.raises(subprocess.TimeoutExpired):
            idle.wait(4)  # longer than it may hang
        assert "alone0" in {worker["worker"].split("@")[0] for worker in roster.live_workers()}
        # It subscribes to nothing that it could wait for
        assert events.client().pubsub_channels("*pidbox*") == []
    finally:
        for process in (hung, idle):
            process.kill()
            process.communicate()
