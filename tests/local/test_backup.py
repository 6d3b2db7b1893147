"""A backup of a system that trains, restored elsewhere: every row of every table, every file, and
the run goes on."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest

from benchmarks.browser import Browser, reading_fields, training_form
from tests.conftest import ROOT, SOON_DEAD, start
from tests.corpora import as_csv, example_rows
from tests.prepared import outside, state_folder
from tests.waiting import until

DOCUMENTS = 2_000
LOOK = 0.5  # seconds between two looks at a page while a system works
SETTINGS = {"topics": "12", "passes": "150", "seed": "5"}
# Prints a digest of each table's rows, as the backup's own snapshot of the database has them.
DIGESTS = """
from django.db import connection
def digests(shown=None):
    other = connection.copy()
    found = {}
    with other.cursor() as cursor:
        cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        if shown:
            cursor.execute(f"SET TRANSACTION SNAPSHOT '{shown}'")
        cursor.execute("SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'django_migrations'"
                       " AND relnamespace = 'public'::regnamespace")
        for (name,) in cursor.fetchall():
            cursor.execute(f'SELECT count(*), md5(string_agg(md5(to_jsonb(r)::text), \\',\\' ORDER BY md5(to_jsonb(r)::text))) FROM "{name}" r')
            found[name] = cursor.fetchone()
    other.close()
    return found
"""
BACKUP = f"""
import django, json, sys
django.setup()
from pathlib import Path
from webapp.service.operations import backup
{DIGESTS}
print("ready", flush=True)  # so that the training need not be longer than the imports above
sys.stdin.readline()
backup.make(Path(sys.argv[1]), snapshot=lambda shown: print(json.dumps(digests(shown))))
"""
# Calls commands one after the other and prints what each wrote, and whether it failed; then a
# digest of each table.
COMMANDS = f"""
import contextlib, io, json
from django.core.management import CommandError, call_command
{DIGESTS}
def call(name, *arguments):
    out, error, failed = io.StringIO(), io.StringIO(), False
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        try:
            call_command(name, *arguments)
        except CommandError as refusal:
            failed = True
            print(refusal, file=error)
    return failed, out.getvalue(), error.getvalue()
done = [call(*arguments) for arguments in CALLS]
print(json.dumps([done, digests()]))
"""


def environment(system) -> dict:
    known = json.loads((system.data / "servers.json").read_text())
    return os.environ | {
        "TOPOGRAPH_DATA": str(system.data),
        "DATABASE_URL": known["database_url"],
        "REDIS_URL": known["redis_url"],
        "DJANGO_SETTINGS_MODULE": "webapp.settings",
    }


def manage(data: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        env=outside() | {"TOPOGRAPH_DATA": str(data)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


class Done(NamedTuple):
    failed: bool
    stdout: str
    stderr: str


def in_one(data: Path, *calls: list[str], first: str = "") -> tuple[list[Done], dict[str, tuple]]:
    """Commands in one process, as each of its own would start servers: what they did, and a digest
    of each table's rows afterwards. first: code that comes before them."""
    code = first + COMMANDS.replace("CALLS", repr(calls))
    done = manage(data, "shell", "--no-imports", "-c", code)
    assert done.returncode == 0, done.stderr
    printed, rows = json.loads(done.stdout.splitlines()[-1])
    return [Done(*one) for one in printed], {name: tuple(row) for name, row in rows.items()}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """(a system that trains, its runs, a backup that was made meanwhile, digests of its tables at
    that moment)"""
    folder = tmp_path_factory.mktemp("backup")
    system = start(state_folder(folder / "first"), "--port", "8500")
    try:
        browser = Browser(system.url)
        yield system, browser, *_made(system, browser, folder)
    finally:
        system.stop()


def _made(system, browser: Browser, folder: Path) -> tuple:
    speeches = folder / "speeches.csv"
    speeches.write_bytes(as_csv(example_rows(DOCUMENTS)))
    page = browser.post("/corpora/", {"name": "Kept"}, "/", speeches)
    address = browser.url.removeprefix(system.url.rstrip("/"))
    browser.post(address, reading_fields(page), address)
    corpus = int(browser.url.rstrip("/").rsplit("/", 1)[1])
    until(lambda: browser.json(f"/corpora/{corpus}.json")["status"] == "ready", look=LOOK)

    def train(**settings) -> int:
        browser.post(
            f"/corpora/{corpus}/runs/",
            training_form(browser.get(f"/corpora/{corpus}/")) | SETTINGS | settings,
            f"/corpora/{corpus}/",
        )
        return int(browser.url.rstrip("/").rsplit("/", 1)[1])

    done = train(topics="5", passes="1")
    until(lambda: browser.json(f"/runs/{done}.json")["status"] == "done", look=LOOK)
    file = folder / "backup.tar.zst"
    with subprocess.Popen(
        [sys.executable, "-c", BACKUP, str(file)],
        env=environment(system),
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        training = train()
        until(lambda: (system.data / "files" / "runs" / str(training) / "checkpoint").exists())
        printed, error = process.communicate("now\n")
    assert process.returncode == 0, error
    assert browser.json(f"/runs/{training}.json")["status"] == "running", (
        "the training must be longer than the backup"
    )
    return (
        (corpus, done, training),
        file,
        {name: tuple(row) for name, row in json.loads(printed).items()},
    )


@pytest.fixture(scope="module")
def restored(made, tmp_path_factory):
    data = tmp_path_factory.mktemp("restored") / "data"
    found = manage(data, "restore", str(made[3]))
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("Restored: 1 corpus and 2 runs")
    return data


def test_every_row_of_every_table_and_nothing_is_overwritten_unasked(made, restored):
    (refused,), rows = in_one(restored, ["restore", str(made[3])])
    assert (
        refused.failed
        and "corpus here already" in refused.stderr
        and "--overwrite" in refused.stderr
    )
    assert rows == made[4]
    assert (
        rows["document"][0] == DOCUMENTS
        and rows["webapp_metric"][0] > 0
        and rows["topic_word"][0] > 0
    )


def test_every_file(made, restored):
    """Each that was there is the same, but for the checkpoint of the run at work, which has gone on
    since."""
    system, _, (_, _, training), _, _ = made
    here = restored / "files"
    there = system.data / "files"
    names = {path.relative_to(here) for path in here.rglob("*") if path.is_file()}
    of_run = Path("runs") / str(training)
    assert {name for name in names if name.is_relative_to(of_run)} == {of_run / "checkpoint"}
    wanted = {p.relative_to(there) for p in there.rglob("*") if p.is_file()}
    wanted = {
        n
        for n in wanted
        if n.parts[0] != "uploads"
        and not n.is_relative_to(of_run)
        and not {"sample", "shaping"} & set(n.parts)
    }
    assert names - {of_run / "checkpoint"} == wanted and len(wanted) > 30
    for name in wanted:
        assert (here / name).read_bytes() == (there / name).read_bytes(), name
        assert (here / name).stat().st_mode & 0o777 == 0o600


def test_the_run_goes_on_and_ends_as_the_first_one_does(made, restored):
    system, browser, (corpus, done, training), _, _ = made
    before = browser.json(f"/runs/{done}/topics.json")
    until(lambda: browser.json(f"/runs/{training}.json")["status"] == "done", look=LOOK)
    want = browser.json(f"/runs/{training}.json")
    again = start(restored, "--port", "8520", **SOON_DEAD)
    try:
        other = Browser(again.url)
        assert other.json(f"/runs/{done}/topics.json") == before
        until(lambda: other.json(f"/runs/{training}.json")["status"] == "done", look=LOOK)
        found = other.json(f"/runs/{training}.json")
        for name in ("step", "tokens", "held_out", "coherence"):
            assert found["metrics"][name] == want["metrics"][name], name
        assert other.json(f"/runs/{training}/topics/3/words.json") == browser.json(
            f"/runs/{training}/topics/3/words.json"
        )
        assert (
            other.json(f"/corpora/{corpus}/documents.json?q=war")["count"]
            == browser.json(f"/corpora/{corpus}/documents.json?q=war")["count"]
        )
        refused = manage(restored, "restore", str(made[3]), "--overwrite")
        assert refused.returncode and "Stop" in refused.stderr
    finally:
        again.stop()


BREAKS_OFF = """
from webapp.service.operations import restore
real, files = restore.write_file, []
def full(name, member):
    files.append(name)
    if len(files) == 9:
        raise OSError(28, "No space left on device")
    real(name, member)
restore.write_file = full
"""
COUNT = "from webapp.models import Corpus; print(Corpus.everything.count())"


def test_one_that_breaks_off_leaves_no_row(made, tmp_path):
    file = str(made[3])
    calls = (
        ["restore", file],
        ["shell", "--no-imports", "-c", COUNT],
        ["restore", file],
        ["restore", file, "--overwrite"],
    )
    (broken, left, refused, again), rows = in_one(tmp_path / "data", *calls, first=BREAKS_OFF)
    assert (
        broken.failed
        and "It broke off: No space left on device. No row of it is there" in broken.stderr
    )
    assert left.stdout == "0\n"
    assert refused.failed and "something in the folder" in refused.stderr
    assert not again.failed and again.stdout.startswith("Restored: 1 corpus and 2 runs"), (
        again.stderr
    )
    assert rows == made[4]


def test_the_commands_say_what_they_do(made, restored, tmp_path):
    file = tmp_path / "backup.tar.zst"
    calls = (
        ["backup", str(tmp_path)],
        ["backup", str(tmp_path / "none" / "b")],
        ["backup", str(made[3])],
        ["backup", str(file)],
        ["restore", "--check", str(file)],
        ["restore", str(file), "--overwrite"],
    )
    (named, nowhere, there, backed, checked, again), rows = in_one(restored, *calls)
    kept = Path(named.stdout.strip())
    assert (
        kept.parent == tmp_path
        and kept.stat().st_mode & 0o777 == 0o600
        and " files, " in named.stderr
    )
    assert sorted(tmp_path.iterdir()) == sorted([kept, file])
    assert nowhere.failed and "no folder" in nowhere.stderr
    assert there.failed and "there already" in there.stderr
    assert backed.stdout == f"{file}\n"
    assert not checked.failed and checked.stdout.startswith(
        "The backup is whole: 1 corpus and 2 runs"
    )
    assert not again.failed, again.stderr
    assert rows["document"][0] == DOCUMENTS and rows["topic_word"][0] > 0


@contextmanager
def database(data: Path) -> Iterator[dict]:
    """An empty one in the tests' own server, as a server that somebody else runs: the environment
    of a Topograph that uses it."""
    url = os.environ["DATABASE_URL"]
    name = f"restored_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield os.environ | {
                "DATABASE_URL": f"{url.rpartition('/')[0]}/{name}",
                "REDIS_URL": f"{os.environ['REDIS_URL'].rpartition('/')[0]}/9",
                "TOPOGRAPH_DATA": str(data),
                "DJANGO_SETTINGS_MODULE": "webapp.settings",
            }
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def run(environment: dict, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


RESTORES = """
import json
from django.core.management import call_command
from tests.local.old_backup import rows
call_command("restore", FILE)
call_command("migrate", "--check")
print(json.dumps(rows()))
"""


def test_one_of_an_older_version_goes_into_a_database_elsewhere(tmp_path):
    """And is what that version's database is when it is migrated."""
    file = tmp_path / "old.tar.zst"
    with database(tmp_path / "old") as first, database(tmp_path / "new") as second:
        made = run(first, "-m", "tests.local.old_backup", str(file))
        assert made.returncode == 0, made.stderr
        restored = run(
            second,
            "manage.py",
            "shell",
            "--no-imports",
            "-c",
            RESTORES.replace("FILE", repr(str(file))),
        )
        assert restored.returncode == 0 and restored.stdout.startswith(
            "Restored: 2 corpora and 1 run"
        ), restored.stderr
        assert json.loads(restored.stdout.splitlines()[-1]) == json.loads(
            made.stdout.splitlines()[-1]
        )
        here, there = (
            {
                p.relative_to(data / "files"): p.read_bytes()
                for p in (data / "files").rglob("*")
                if p.is_file()
            }
            for data in (tmp_path / "new", tmp_path / "old")
        )
        assert here == there and len(here) > 5


def test_what_is_not_ours_is_not_deleted(made, tmp_path):
    with database(tmp_path / "data") as environment:
        with psycopg.connect(environment["DATABASE_URL"]) as connection:
            connection.execute("CREATE TABLE ledger (amount int); INSERT INTO ledger VALUES (1)")
        refused = run(environment, "manage.py", "restore", str(made[3]), "--overwrite")
        assert (
            refused.returncode and "“ledger”" in refused.stderr and "DATABASE_URL" in refused.stderr
        )
        with psycopg.connect(environment["DATABASE_URL"]) as connection:
            assert connection.execute("SELECT amount FROM ledger").fetchall() == [(1,)]
