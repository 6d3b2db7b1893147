"""From nothing to the first topics, as a newcomer: a fresh clone of this commit, the first command of
README, and the example's overview in a browser, with each of the Pythons that are named:

    .venv/bin/python -m tests.first_topics [PYTHON …]

PYTHON is a program, such as python3.13 or a path; without one it is the Python that runs this. The
home folder is empty, so that nothing is installed or compiled; packages come from the index that
pip is configured for. The last line is `N passed, M failed`.
"""

import html
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.conftest import ROOT

READY = re.compile(r"^Topograph is ready at (\S+)$", re.MULTILINE)
EXAMPLE = re.compile(r'<a class="button primary" href="([^"]+)">\s*Open the example')
MOST_SECONDS = 2700.0  # to the overview; on a busy machine the compiler alone takes a while
PORT = "8460"
OF_THE_INDEX = ("PIP_", "SSL_")  # variables that say where packages come from


class NoTopics(Exception):
    """The example's overview did not come; the log of the start says why."""


def environment(home: Path) -> dict[str, str]:
    """Of a newcomer: nothing is installed, configured or compiled."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}


def read(url: str) -> str:
    """A page; empty where the server does not answer, or with an error."""
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.read().decode()
    except OSError:
        return ""


def start_and_watch(command: list[str], folder: Path, variables: dict[str, str]) -> None:
    """Run a start until the example's overview is there, and stop it. Raises NoTopics.

    command: without a port. folder: where it is typed. variables: the environment."""
    began = time.monotonic()
    log = folder.parent / "start.log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command, "--port", PORT], cwd=folder, env=variables, stdout=out, stderr=out
        )
    try:
        watch(process, log, began)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def watch(process: subprocess.Popen, log: Path, began: float) -> None:
    """Until the overview of the example is there. Raises NoTopics when the time is over."""
    url = None
    while time.monotonic() - began < MOST_SECONDS:
        time.sleep(1.0)
        if process.poll() is not None:
            break
        ready = READY.search(log.read_text())
        if ready is None:
            continue
        if url is None:
            url = ready[1]
            print(f"ready after {time.monotonic() - began:.0f} s", flush=True)
        trained = EXAMPLE.search(read(url))
        if trained is None:
            continue
        page = read(url.rstrip("/") + html.unescape(trained[1]))
        heading = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
        if heading is not None:
            print(f"overview after {time.monotonic() - began:.0f} s: {len(page):,} characters")
            return
    raise NoTopics(f"No overview of the example came. The start said:\n{log.read_text()[-2000:]}")


def try_clone(python: str) -> None:
    """Raises NoTopics."""
    with tempfile.TemporaryDirectory(prefix="topograph-newcomer-") as place:
        clone = Path(place, "topograph")
        subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
        home = Path(place, "home")
        home.mkdir()
        index = {name: value for name, value in os.environ.items() if name.startswith(OF_THE_INDEX)}
        start_and_watch([python, "manage.py", "start"], clone, index | environment(home))


def main(pythons: list[str]) -> int:
    failed = 0
    tried = pythons or [sys.executable]
    for python in tried:
        version = subprocess.run([python, "--version"], capture_output=True, text=True, check=True)
        print(version.stdout.strip(), flush=True)
        try:
            try_clone(python)
        except NoTopics as error:
            failed += 1
            print(error, flush=True)
    print(f"{len(tried) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
