"""A large file is read by a process of its own: what is read is the same, and its process ends with
whoever reads."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.webapp.intake.file_formats.reading import HEADER, ROWS
from webapp.intake import file_formats
from webapp.intake.file_formats import dispatch, sandbox
from webapp.intake.file_formats.base import Options
from webapp.intake.file_formats.companions import Companions

RUSSIAN = "Зимой и летом жизнь шла своим чередом, и никто не замечал её.\n"
OBJECTS = [
    {"id": i, "text": f"Some text {i} “quoted”\u2028", "tags": ["a", None, 3], "n": 1.5e300}
    for i in range(2_000)
]
DAMAGED = (
    HEADER
    + ROWS * 300
    + "short\n"
    + '1,"an open quote,1900,a,b,text of it\n'
    + ROWS
    + 'x,"a" b,1900,c,d,more text\n'
    + "k,t\0\x07,1999,a\u202e,b,te\0xt\n"
    + "k,t,1999,a,b,\n"
    + ROWS * 20
    + "k,t,1999,a,b,c,d,e,f\n"
)
FILES = {  # name -> content
    "table.csv": HEADER + ROWS * 500,
    "damaged.csv": DAMAGED,
    "tabs.tsv": (HEADER + ROWS * 20).replace(",", "\t"),
    "semicolons.csv": (HEADER + ROWS).replace(",", ";").encode("utf-16"),
    "cyrillic.csv": ("id,text\n" + "".join(f"{i},{RUSSIAN}" for i in range(500))).encode("koi8-r"),
    "wrong bytes.csv": b"id,text\n1,good\n2,b\xffd\n" + b"3,more words\n" * 900,
    "packed.csv.gz": gzip.compress((HEADER + ROWS * 700).encode()),
    "cut off.csv.gz": gzip.compress(
        os.urandom(3_000).hex().encode() + (HEADER + ROWS * 9_000).encode()
    )[:-5_000],
    "lines.jsonl": (
        "".join(json.dumps(o) + "\n" for o in OBJECTS) + '{"text": 3}\n[1]\n{"text": "cut'
    ),
    "list.json": json.dumps(OBJECTS)[:-3],
    "lines.mallet": "".join(f"{i} en {RUSSIAN}" for i in range(900)),
    "text.txt": (RUSSIAN * 5_000).encode("cp1251"),
    "blank.txt": " \n" * 100,
    "blank lines.csv": "id,text\n" + "\n" * 300_000 + "1,words\n",
}


@pytest.fixture(autouse=True)
def fresh(request):
    if request.function is not test_it_reads_the_same:  # of which one worker reads all files
        sandbox.close()
    yield
    if request.function is not test_it_reads_the_same:
        sandbox.close()


def outcome(path: Path, name: str, options: Options) -> tuple[list, int, str]:
    """Items, bytes that were told of, and the sentence where it can't be read on."""
    items = []
    told = []
    error = ""
    try:
        items.extend(file_formats.read(path, name, options, told.append))
    except file_formats.Unreadable as unreadable:
        error = str(unreadable)
    return items, sum(told), error


def options_of(path: Path, name: str) -> Options:
    try:
        return file_formats.sniff(path, name).options
    except file_formats.Unreadable:  # its beginning is as good
        return Options(
            format="csv", encoding="utf-8", delimiter=",", header=True, text=1, names=("id", "text")
        )


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("changed", [{}, {"encoding": "detect"}, {"encoding": "cp1252"}], ids=str)
def test_it_reads_the_same(tmp_path, monkeypatch, name, changed):
    content = FILES[name]
    path = tmp_path / "stored"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    options = replace(options_of(path, name), html=False, **changed)
    with monkeypatch.context() as alone:
        alone.setattr(sandbox, "Request", None)  # this process reads it
        here = outcome(path, name, options)
    monkeypatch.setattr(dispatch, "LARGE_BYTES", 0)
    asked = []
    get = sandbox.WorkerProcess.get
    monkeypatch.setattr(sandbox.WorkerProcess, "get", lambda: asked.append(1) or get())
    assert outcome(path, name, options) == here
    assert asked and len(sandbox.WorkerProcess.waiting) == 1
    assert here[0] or here[2]


def test_an_error_of_ours_is_no_fault_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(dispatch, "LARGE_BYTES", 0)
    path = tmp_path / "stored"
    path.write_text(HEADER + ROWS)
    with pytest.raises(RuntimeError, match="TypeError"):
        list(
            file_formats.read(path, "a.csv", Options(format="csv", delimiter=",", text="no number"))
        )


def test_small_files_are_read_by_a_process_only_while_an_upload_is_looked_into(
    tmp_path, monkeypatch
):
    path = tmp_path / "stored"
    path.write_text(HEADER + ROWS)
    options = file_formats.sniff(path, "a.csv").options
    assert len(list(file_formats.read(path, "a.csv", options))) == 8
    assert not sandbox.WorkerProcess.waiting
    with file_formats.looking.within(600):
        assert file_formats.sniff(path, "a.csv").options == options
        sandbox.close()
        assert len(list(file_formats.read(path, "a.csv", options))) == 8
    assert len(sandbox.WorkerProcess.waiting) == 1


def begun(tmp_path, monkeypatch) -> file_formats.Reading:
    """A table of 40,000 rows that a worker process reads."""
    monkeypatch.setattr(dispatch, "LARGE_BYTES", 0)
    path = tmp_path / "stored"
    path.write_text(HEADER + ROWS * 5_000)
    reading = file_formats.Reading(
        path, "a.csv", file_formats.sniff(path, "a.csv").options, Companions.among(())
    )
    reading.begin()
    return reading


def test_a_process_that_is_killed_costs_the_rest_of_its_file(tmp_path, monkeypatch):
    reading = begun(tmp_path, monkeypatch)
    items = reading.items(lambda n: None)
    next(items)
    reading.request.worker.process.kill()
    read = 1
    with pytest.raises(
        file_formats.Unreadable,
        match="“a.csv” can't be read: the program that reads such files stopped",
    ):
        for _ in items:
            read += 1
    assert 1 < read < 40_000 and not sandbox.WorkerProcess.waiting


def test_what_is_begun_and_not_wanted_ends(tmp_path, monkeypatch):
    reading = begun(tmp_path, monkeypatch)
    process = reading.request.worker.process
    reading.close()
    assert process.poll() is not None and not sandbox.WorkerProcess.waiting
    with pytest.raises(file_formats.Unreadable):  # it is told when its turn comes
        empty = file_formats.Reading(tmp_path / "empty", "b.csv", Options(), Companions.among(()))
        (tmp_path / "empty").touch()
        empty.begin()
        list(empty.items(lambda n: None))


PROGRAM = """
import sys, time
from pathlib import Path
from webapp.intake import file_formats
from webapp.intake.file_formats.companions import Companions
path = Path(sys.argv[1])
options = file_formats.sniff(path, "a.csv").options
readings = [file_formats.Reading(path, "a.csv", options, Companions.among(())) for _ in range(2)]
for reading in readings:
    reading.begin()
pids = [reading.request.worker.process.pid for reading in readings]
items = readings[0].items(lambda n: None)
next(items)
print(*pids, flush=True)
sys.stdin.readline()
print(1 + sum(1 for _ in items), flush=True)
time.sleep(3600)
"""


def test_processes_end_with_their_parent_alone(tmp_path):
    path = tmp_path / "stored"
    times = 1 + dispatch.LARGE_BYTES // len(ROWS)
    path.write_text(HEADER + ROWS * times)
    command = [sys.executable, "-c", PROGRAM, str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as task:
        pids = [int(pid) for pid in task.stdout.readline().split()]
        # As a terminal sends them to all programs in it
        for number in (
            signal.SIGINT,
            signal.SIGTERM,
        ):
            os.kill(pids[0], number)
        task.stdin.write(b"\n")
        task.stdin.flush()
        assert int(task.stdout.readline()) == 8 * times
        assert all(map(at_work, pids))  # one waits for another file, one for room for its documents
        task.kill()
    deadline = time.monotonic() + 300
    while any(map(at_work, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(at_work, pids))


def at_work(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
