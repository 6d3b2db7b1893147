"""A task that is alive and comes no further is ended; one that comes further, or does what takes long, is not."""

import os
import signal
import subprocess
import sys

import pytest

from tasks.alone import Held, alone
from tests.conftest import ROOT

SCRIPT = """
import sys, time
import django
django.setup()
from tasks import heartbeat
from webapp.services import jobs

heartbeat.EVERY, heartbeat.PATIENCE, heartbeat.LONG = 0.05, 0.5, 60
jobs.update = lambda *job, **fields: None  # there is no such row
with heartbeat.Heartbeat(jobs.TRAINING, 1, 1) as beat:
    {work}
print("came to its end")
"""
HANGS = "time.sleep(100)"
SPINS = "\n    while True: pass"
TICKS = "\n    for _ in range(20):\n        beat.check()\n        time.sleep(0.1)"
LONG = "\n    with beat.long():\n        time.sleep(2)"


@pytest.mark.parametrize(("work", "ended"), [(HANGS, True), (SPINS, True), (TICKS, False), (LONG, False)], ids=["hangs", "spins", "ticks", "long"])
def test_only_what_comes_no_further_is_ended(work, ended):
    done = subprocess.run([sys.executable, "-c", SCRIPT.replace("{work}", work)], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode == -signal.SIGKILL) == ended, done.stderr
    assert ("came to its end" in done.stdout) != ended
    assert ("came no further" in done.stderr) == ended


HOLDER = """
import sys, time
from pathlib import Path
from tasks.alone import alone
with alone(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(100)
"""


def holder(folder) -> subprocess.Popen:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    return process


@pytest.mark.parametrize("stopped", [False, True])
def test_who_has_lost_the_row_can_write_no_file_any_more(tmp_path, stopped):
    """A process that was stopped for a minute, wakes up, and still believes that the run is its own."""
    old = holder(tmp_path)
    if stopped:
        os.kill(old.pid, signal.SIGSTOP)
    with alone(tmp_path):
        assert old.wait(10) == -signal.SIGKILL
    old.stdout.close()


def test_files_that_nobody_here_can_free(tmp_path, monkeypatch):
    old = holder(tmp_path)
    monkeypatch.setattr("tasks.alone._holder", lambda file: 0)  # it runs on another machine
    monkeypatch.setattr("tasks.alone.SECONDS", 0.2)
    with pytest.raises(Held), alone(tmp_path):
        pytest.fail("two processes at the same files")
    assert old.poll() is None
    old.kill()
    old.wait()
    old.stdout.close()
    with alone(tmp_path):  # the kernel let go when it ended
        assert (tmp_path / "lock").exists()
