"""What all tests share. Servers are real: `manage.py test` starts them and says where they are."""

import ast
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest
from asgiref.sync import SyncToAsync

from tests import tables
from tests.corpora import as_csv, example_rows

ROOT = Path(__file__).resolve().parent.parent
CORPORA = ROOT.parent / "shared" / "corpora"
ROWS = 400  # sections of the shipped example, in the corpus `ready`
if sys.version_info[:3] in {(3, 11, n) for n in range(8)} | {(3, 12, 0), (3, 12, 1)}:
    # There two threads that parse at once, as numpy does for each array that is opened, can end in
    # “AST constructor recursion depth mismatch” (CPython's issue 106905); seldom, but more often in
    # tests, where hypothesis runs Python's code within a collection.
    _parse = ast.parse
    _one_parses = threading.RLock()

    def _parse_alone(*given, **options):
        with _one_parses:
            return _parse(*given, **options)

    ast.parse = _parse_alone
    os.register_at_fork(after_in_child=_one_parses._at_fork_reinit)

# Of a system's environment: it takes up what a dead process was at after three seconds, not twenty
SOON_DEAD = {"TOPOGRAPH_STALE": "3"}
START_SECONDS = 600  # a start takes seconds, and minutes on a machine that is busy


@pytest.fixture(scope="session")
def corpora_folder() -> Path:
    """Corpora that are too large, or not free, to be part of the project."""
    if not CORPORA.is_dir():
        pytest.skip(
            f"the folder of corpora {CORPORA.parent.name}/{CORPORA.name} is not beside the project"
        )
    return CORPORA


@dataclass
class System:
    """A Topograph that runs as a user's does, with a state folder of its own."""

    process: subprocess.Popen
    data: Path
    url: str

    @property
    def database_url(self) -> str:
        return json.loads((self.data / "servers.json").read_text())["database_url"]

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)


def start(data: Path, *arguments: str, **settings: str) -> System:
    """`manage.py start`, up to its last line of preparation. settings: of its environment."""
    env = {
        k: v
        for k, v in os.environ.items()
        if k not in ("DATABASE_URL", "REDIS_URL", "TOPOGRAPH_SECRET_KEY")
    }
    env |= {"TOPOGRAPH_DATA": str(data), "PYTHONUNBUFFERED": "1", "TOPOGRAPH_EXAMPLE": "0"}
    env |= settings
    data.parent.mkdir(parents=True, exist_ok=True)
    log = data.with_name(f"{data.name}-{time.monotonic_ns()}.log")
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "start", *arguments],
            env=env,
            cwd=ROOT,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    deadline = time.monotonic() + START_SECONDS
    while True:
        said = log.read_text()
        if ready := re.search(r"^Topograph is ready at (\S+)$", said, re.M):
            return System(process, data, ready[1])
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            process.wait()
            raise AssertionError(f"manage.py start did not get ready:\n{said}")
        time.sleep(0.05)


@pytest.fixture(scope="session")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop that runs, in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


@pytest.fixture(autouse=True)
def requests_share_a_loop(loop):
    """Django's client would make a loop and a thread for each request."""
    SyncToAsync.threadlocal.main_event_loop = loop
    SyncToAsync.threadlocal.main_event_loop_pid = os.getpid()


@pytest.fixture(scope="session", autouse=True)
def static_files_are_looked_for_once():
    """Each test client makes a chain of middleware of its own, and servestatic would look through
    static/ for each."""
    from servestatic.middleware import ServeStaticMiddleware

    known: dict[tuple, tuple] = {}

    def add_files(self, look=ServeStaticMiddleware.add_files_from_finders):
        settings = self.static_prefix, self.max_age, self.autorefresh
        if settings not in known:
            look(self)
            known[settings] = self.files, self.directories
        self.files, self.directories = known[settings]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ServeStaticMiddleware, "add_files_from_finders", add_files)
        yield


@pytest.fixture(scope="session", autouse=True)
def what_a_page_shows_is_copied_once():
    """The test client would copy it for each template that the page's own includes or extends."""
    from django.test import client

    copy = client.store_rendered_templates

    def copy_of_page(store, signal, sender, template, context, **more):
        if context.template is template:
            copy(store, signal, sender, template, context, **more)
        else:
            store.setdefault("templates", []).append(template)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "store_rendered_templates", copy_of_page)
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix):
    """Copy a database that was migrated, instead of migrating one for each worker (pytest-django
    asks for this)."""
    from django.conf import settings

    settings.DATABASES["default"].setdefault("TEST", {}).update(
        TEMPLATE=tables.template(), MIGRATE=False
    )


@pytest.fixture(scope="session")
def draft(django_db_setup, tmp_path_factory):
    """A function that stores one file as a draft."""
    from webapp.intake.ingest import corpora

    def make(content: bytes, name: str = "speeches.csv"):
        path = tmp_path_factory.mktemp("upload") / "file"
        path.write_bytes(content)
        return corpora.create("", [corpora.ReceivedFile(name, path)])

    return make


def nothing_found(corpus) -> None:
    """As if its data did not say who is independent: tests that are not about the unit have
    documents as the units. tests/webapp/core/documents/test_corpus_unit.py and
    tests/webapp/intake/ingest/test_unit_search.py have what is found."""
    from webapp.intake.ingest import unit_search

    corpus.version.unit_fields = {"method": unit_search.METHOD, "fields": []}
    corpus.version.save(update_fields=["unit_fields"])


@pytest.fixture(scope="session")
def ready(draft, django_db_blocker):
    """A corpus that has been read: a real one, in a real database. Committed, as heartbeats come
    over a connection of their own."""
    from tasks.corpora import read_corpus
    from webapp.intake.ingest import corpora, guesses

    with django_db_blocker.unblock():
        corpus = draft(as_csv(example_rows(ROWS)))
        options = asdict(guesses.sniff(corpus).options)
        corpora.read(
            corpus, corpora.ReadingSettings(options=options, language="en", min_documents=3)
        )
        read_corpus(corpus.pk)
        corpus.refresh_from_db()
        assert corpus.status == "ready", corpus.error
        nothing_found(corpus)
        yield corpus


@pytest.fixture(scope="session")
def trained(ready, django_db_blocker):
    """A finished run with 6 topics."""
    from tasks.runs import train
    from webapp.core.runs import services as runs

    with django_db_blocker.unblock():
        run = runs.create(ready.version, seed=3, topics=6, engine_settings={"passes": 3})
        train(run.pk)
        run.refresh_from_db()
        assert run.status == "done", run.error
        yield run


@pytest.fixture
def alone():
    """No metrics of servers of other tests: those that ended in the last seconds are still told in
    Redis."""
    from webapp.platform.jobs import events
    from webapp.platform.server import siblings

    for key in events.client().scan_iter(f"{siblings.METRICS}*"):
        events.client().delete(key)
