"""What all tests share. Servers are real: `manage.py test` starts them and says where they are."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORPORA = ROOT.parent / "shared" / "corpora"
START_SECONDS = 180  # a first start compiles the engine

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright's own loop runs in the tests' thread


def pytest_collection_modifyitems(items):
    """Drills on the shared corpus come first: they are in no transaction, and those that are of several empty the tables. Tests with a
    browser come last: while it runs, its event loop does too, and Django's client refuses to answer beside one."""
    items.sort(key=lambda item: ("browser" in item.fixturenames) - ("committed" in item.fixturenames))


@pytest.fixture(scope="session")
def corpora_folder() -> Path:
    """Corpora that are too large, or not free, to be part of the project."""
    if not CORPORA.is_dir():
        pytest.skip(f"the folder of corpora {CORPORA.parent.name}/{CORPORA.name} is not beside the project")
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


def start(data: Path, *arguments: str) -> System:
    """`manage.py start`, up to its last line of preparation."""
    env = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL", "TOPOGRAPH_SECRET_KEY")}
    env |= {"TOPOGRAPH_DATA": str(data), "PYTHONUNBUFFERED": "1"}
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
def live_system(tmp_path_factory):
    system = start(tmp_path_factory.mktemp("live") / "data", "--port", "8200")
    yield system
    system.stop()


@pytest.fixture(scope="session")
def browser():
    """Playwright's own Chromium where it is installed, else the system's. In CI there must be one."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
        if not Path(path).exists():
            path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if path is None:
            if os.environ.get("CI"):
                pytest.fail("CI needs a Chromium: .ci/run installs one")
            pytest.skip("no Chromium found: install the package chromium, or run `playwright install chromium`")
        arguments = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
        try:
            browser = playwright.chromium.launch(executable_path=path, args=arguments)
        except Error as error:
            pytest.fail(f"Chromium at {path} does not start: {error}")
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def draft(django_db_setup, tmp_path_factory):
    """A function that stores one file as a draft."""
    from webapp.ingest import corpora

    def make(content: bytes, name: str = "speeches.csv"):
        path = tmp_path_factory.mktemp("upload") / "file"
        path.write_bytes(content)
        return corpora.create("", [corpora.ReceivedFile(name, path)])

    return make
