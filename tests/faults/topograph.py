"""A Topograph whose processes and servers can be killed, stopped and kept from the disk, and what
its tables and pages then say."""

import hashlib
import json
import os
import resource
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import psycopg
import redis
from celery import Celery

from benchmarks.browser import Browser, reading_fields, training_form
from tests.conftest import System, start
from tests.corpora import EXAMPLE
from tests.local.test_start import pid_of, processes
from webapp.platform.jobs import file_lock
from webapp.platform.local.processes import worker as spawn_worker
from webapp.platform.system import waiting_processes

PASSES = 12  # of a run
SETTINGS = {"topics": "20", "passes": str(PASSES), "seed": "5"}
ENDED = ("done", "ready", "failed", "cancelled", "draft")
# seconds after which nothing may hang that lost its process; more on a busy machine: `stuck`
STUCK = 60.0
LOOK = 0.25  # seconds between two looks at the tables: each is a connection of its own


class Topograph:
    """The Topograph of a drill: its processes, and what its tables and pages show. texts: the file
    that its corpora are read from. settings: of its environment."""

    def __init__(self, data: Path, port: int = 8421, texts: Path = EXAMPLE, **settings: str):
        self.data = data
        self.port = port
        self.texts = texts
        self.settings = settings
        self.system: System = self._start()
        self.browser = Browser(self.system.url)

    def _start(self) -> System:
        return start(self.data, "--port", str(self.port), **self.settings)

    def stop(self) -> None:
        self.system.stop()

    # What is worked at.

    def draft(self) -> int:
        """A corpus that waits for its reading options."""
        self.browser.post("/corpora/", {"name": "Drill"}, "/", self.texts)
        return int(self.browser.url.rstrip("/").removesuffix("/prepare").rsplit("/", 1)[1])

    def read(self, corpus: int) -> None:
        address = f"/corpora/{corpus}/prepare/"
        self.browser.post(address, reading_fields(self.browser.get(address)), address)

    def corpus(self) -> int:
        corpus = self.draft()
        self.read(corpus)
        return corpus

    def run(self, corpus: int, **settings: str) -> int:
        address = f"/corpora/{corpus}/"
        fields = training_form(self.browser.get(address)) | SETTINGS | settings
        self.browser.post(f"/corpora/{corpus}/runs/", fields, address)
        return int(self.browser.url.rstrip("/").rsplit("/", 1)[1])

    # What the tables say.

    def ask(self, query: str, *arguments) -> list[tuple]:
        with psycopg.connect(self.system.database_url, connect_timeout=5) as connection:
            return connection.execute(query, arguments).fetchall()

    def error(self, kind: str, pk: int) -> str:
        return self.ask(f"SELECT error FROM webapp_{kind} WHERE id = %s", pk)[0][0]

    def row(self, kind: str, pk: int) -> tuple[str, int]:
        """(status, attempt); ("", 0) while Postgres is away."""
        with suppress(psycopg.Error, OSError, ValueError):
            return self.ask(f"SELECT status, attempt FROM webapp_{kind} WHERE id = %s", pk)[0]
        return "", 0

    def step(self, run: int) -> int:
        with suppress(psycopg.Error, OSError, ValueError):
            return self.ask("SELECT step FROM webapp_run WHERE id = %s", run)[0][0]
        return 0

    def points(self, run: int) -> int:
        return self.ask("SELECT count(*) FROM webapp_metric WHERE run_id = %s", run)[0][0]

    def wait(self, kind: str, pk: int, seconds: float, *statuses: str) -> str:
        """Until it has one of these statuses (any that is an end); returns which."""
        deadline = time.monotonic() + seconds
        while (status := self.row(kind, pk)[0]) not in (statuses or ENDED):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{kind} {pk} is still “{status}” after {seconds:.0f} s")
            time.sleep(LOOK)
        return status

    def model(self, run: int) -> str:
        """A digest of all that a finished run has: topics' words, documents' topics, topics,
        charts. Bit by bit: no number is rounded."""
        found = hashlib.sha256()
        snapshot = self.ask("SELECT snapshot_id FROM webapp_run WHERE id = %s", run)[0][0]
        for query, key in (
            (
                (
                    "SELECT topic, word, rank, weight, tokens, documents FROM topic_word WHERE"
                    " snapshot_id = %s ORDER BY topic, rank, word"
                ),
                snapshot,
            ),
            (
                (
                    'SELECT number, share, coherence, tokens, documents, x, y, "similar", beside'
                    " FROM webapp_topic WHERE snapshot_id = %s ORDER BY number"
                ),
                snapshot,
            ),
            (
                (
                    "SELECT step, tokens, held_out, coherence, topic_coherence, nonzero FROM"
                    " webapp_metric WHERE run_id = %s ORDER BY step"
                ),
                run,
            ),
        ):
            for row in self.ask(query, key):
                found.update(repr(row).encode())
        for name in (
            "topics",
            "certainty",
            "doc_topics",
            "doc_tokens",
            "by_share",
            "by_tokens",
            "word_topics",
        ):
            found.update((self.data / "files" / "runs" / str(run) / "evidence" / name).read_bytes())
        return found.hexdigest()

    def content(self, corpus: int) -> str:
        """A digest of all that a corpus has that was read: documents, words, bag of words, fields,
        report."""
        found = hashlib.sha256()
        version, bow = self.ask(
            "SELECT v.id, v.report->>'digest' FROM webapp_version v JOIN webapp_corpus c ON"
            " c.version_id = v.id WHERE c.id = %s",
            corpus,
        )[0]
        found.update(bow.encode())
        for query, key in (
            (
                (
                    "SELECT number, source_id, title, date, metadata, digest, words FROM document"
                    " WHERE corpus_id = %s ORDER BY number"
                ),
                corpus,
            ),
            (
                (
                    "SELECT number, word, tokens, documents FROM word WHERE version_id = %s ORDER"
                    " BY number"
                ),
                version,
            ),
            (
                "SELECT bytes_read, bytes_total, documents_read FROM webapp_corpus WHERE id = %s",
                corpus,
            ),
        ):
            for row in self.ask(query, key):
                found.update(repr(row).encode())
        folder = self.data / "files" / "corpora" / str(corpus)
        for name in (
            "fields.jsonl",
            "report.csv",
            "tokens/words",
            "tokens/steps",
            "tokens/far",
            "tokens/mixed",
        ):
            found.update((folder / name).read_bytes())
        return found.hexdigest()

    def saved(self, run: int) -> int:
        """The step of a run's checkpoint; 0 without one."""
        path = self.data / "files" / "runs" / str(run) / "checkpoint"
        if not path.exists():
            return 0
        with np.load(path, allow_pickle=False) as file:
            return json.loads(bytes(file["meta"]).decode())["numbers"]["t"]

    # What the pages say.

    def says(self, path: str) -> tuple[int, str]:
        """(status, body) of a page, asked without waiting long; (0, "") where there is no
        answer."""
        try:
            with urllib.request.urlopen(
                f"{self.system.url.rstrip('/')}{path}", timeout=20
            ) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def ready(self) -> None:
        """Wait until pages answer: a run may be done before a server that was killed is up
        again."""
        limit = stuck()
        deadline = time.monotonic() + limit
        while self.says("/readyz")[0] != 200:
            if time.monotonic() > deadline:
                raise AssertionError(
                    f"/readyz is not 200 after {limit:.0f} s: {self.says('/readyz')}"
                )
            time.sleep(0.2)

    # Faults.

    def workers(self) -> list[int]:
        """The worker and its children, parents first."""
        found = []
        for pid in processes(self.data):
            with suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as line:
                if b"celery" in line.read():
                    found.append(pid)
        return sorted(found)

    def child(self, run: int) -> int:
        """The process that trains a run: the one that holds its files. 0 once the run has ended."""
        while not (process := file_lock.state(self.data / "files" / "runs" / str(run))[1]):
            if self.row("run", run)[0] in ENDED:
                return 0
            time.sleep(0.05)
        return process

    def kill_child(self, run: int, by: signal.Signals = signal.SIGKILL) -> None:
        if child := self.child(run):
            os.kill(child, by)

    def holder(self, kind: str, pk: int) -> int:
        """The process that holds the files of a job; 0 where none does. kind: the folder of such
        files."""
        return file_lock.state(self.data / "files" / kind / str(pk))[1]

    def kill_holder(self, kind: str, pk: int) -> None:
        holder = self.holder(kind, pk)
        assert holder, f"no process is at work at {kind}/{pk}"
        os.kill(holder, signal.SIGKILL)

    def kill_worker(self, by: signal.Signals = signal.SIGKILL) -> None:
        os.kill(self.workers()[0], by)

    def kill_web(self) -> None:
        os.kill(pid_of(self.data, "uvicorn"), signal.SIGKILL)

    def kill_valkey(self) -> None:
        os.kill(*self.valkey(), signal.SIGKILL)

    def postgres(self) -> list[int]:
        """Its processes, the first one first."""
        pid = int((self.data / "postgres" / "postmaster.pid").read_text().split()[0])
        # As root it lives in a namespace of its own, but its number is the same.
        return [pid, *descendants(pid)] if pid in processes(self.data) else []

    def valkey(self) -> list[int]:
        return [pid_of(self.data, "valkey-server")]

    def kill_postgres(self, by: signal.Signals = signal.SIGKILL) -> None:
        """The first of its processes, which the others end with."""
        for pid in self.postgres()[:1]:
            os.kill(pid, by)

    def kill_everything(self) -> None:
        """As a power cut does it, but that what was written is not lost; then it is started
        again."""
        self.system.process.kill()
        for pid in processes(self.data):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.system.process.wait()
        self.system = self._start()
        self.browser.base = self.system.url.rstrip("/")

    def empty_valkey(self) -> None:
        with self._redis() as client:
            client.flushall()

    @contextmanager
    def refused(self) -> Iterator[None]:
        """Postgres takes no connection, and has broken those that there were."""
        with psycopg.connect(
            self.system.database_url.rsplit("/", 1)[0] + "/postgres", autocommit=True
        ) as connection:
            connection.execute("ALTER DATABASE topograph ALLOW_CONNECTIONS false")
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'topograph'"
            )
            try:
                yield
            finally:
                connection.execute("ALTER DATABASE topograph ALLOW_CONNECTIONS true")

    def refuse(self, seconds: float) -> None:
        with self.refused():
            time.sleep(seconds)

    @contextmanager
    def hung(self, pids: list[int]) -> Iterator[None]:
        """Processes that are stopped: their connections stay open, the kernel accepts others, and
        there are no answers."""
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def hang(self, pids: list[int], seconds: float) -> None:
        with self.hung(pids):
            time.sleep(seconds)

    def fill_disk(self, size: int, seconds: float) -> None:
        """No process of the worker, and none that it begins meanwhile, may write beyond `size`
        bytes of a file: the kernel refuses."""
        workers = self.workers()
        for limit in (size, resource.RLIM_INFINITY):
            for pid in {*workers, *self.workers()}:
                with suppress(ProcessLookupError):
                    resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            if limit == size:
                time.sleep(seconds)

    @contextmanager
    def second_worker(self) -> Iterator[None]:
        """As on another machine, with the same servers and the same files."""
        known = self._servers()
        env = os.environ | {
            "DATABASE_URL": known["database_url"],
            "REDIS_URL": known["redis_url"],
            "TOPOGRAPH_DATA": str(self.data),
            "DJANGO_SETTINGS_MODULE": "webapp.settings",
        }
        worker = spawn_worker(env, self.data / "logs" / "second.log", concurrency=2)
        try:
            yield
        finally:
            with suppress(ProcessLookupError):
                os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()

    def shift_clock(self, hours: float) -> None:
        """What setting the database's clock does to those who look at heartbeats."""
        for table in ("run", "upload", "corpus", "version"):
            with psycopg.connect(self.system.database_url) as connection:
                connection.execute(
                    f"UPDATE webapp_{table} SET heartbeat_at = heartbeat_at + make_interval(secs =>"
                    " %s) WHERE heartbeat_at IS NOT NULL",
                    [3600 * hours],
                )

    def deliver_again(self, run: int, corpus: int, times: int = 3) -> None:
        """The same messages some times more, which all children of the worker take at once."""
        app = Celery(broker=self._servers()["redis_url"])
        for _ in range(times):
            app.send_task("tasks.runs.train", [run])
            app.send_task("tasks.corpora.read", [corpus])
        app.close()

    def stop_child(self, run: int) -> int:
        """Hangs the process that trains a run, and all its threads: the kernel gives it no time any
        more. Returns which, to be woken; 0 once the run has ended."""
        if child := self.child(run):
            os.kill(child, signal.SIGSTOP)
        return child

    def _servers(self) -> dict:
        return json.loads((self.data / "servers.json").read_text())

    def _redis(self) -> redis.Redis:
        return redis.Redis.from_url(self._servers()["redis_url"])


def stuck() -> float:
    """STUCK for each process that waits for a core: to start a server again takes seconds of
    processor time."""
    return STUCK * waiting_processes()


def descendants(pid: int) -> list[int]:
    """Children of a process, theirs, and so on: parents first."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    family = [pid]
    for parent in family:
        family += [child for child, above in parents.items() if above == parent]
    return family[1:]
