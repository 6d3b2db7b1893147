"""Upgrade what an earlier release made, as its users would: too long for the suite, and it installs
that release's packages.

    .venv/bin/python -m tests.upgrade [--from COMMIT]

The earlier release, cloned at its commit, reads the example, trains on it, and keeps a label and a
pin; another run is at work when it is stopped. Then this checkout starts on the same folder. What
was exported before is compared with what is exported after, every page of the finished run is asked
for, the run at work must end, and the corpus is trained and searched anew. Each check is a line;
the last is `failed: N`.
"""

import argparse
import contextlib
import csv
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
from collections.abc import Iterator
from pathlib import Path

import django

from benchmarks.browser import Browser
from benchmarks.whole_path import press_train, training_fields
from webapp.platform.local.package import ROOT

RELEASE = "e6cebd4a"  # 0.2.0
READY = re.compile(r"Topograph is ready at (\S+)")
LABEL = "Farms and the “naïve” price of wheat"
COMMENT = "Noted before the upgrade"
EXPORTS = ("/runs/1/export/topics-long.csv", "/runs/1/export/document-topics.csv")
OVER = ("done", "failed", "cancelled")


class Checks:
    """Prints each as it is made, and counts those that fail."""

    failed = 0

    def __call__(self, ok: bool, what: str) -> None:
        self.failed += not ok
        print(f"{'ok    ' if ok else 'FAILED'} {what}", flush=True)


@contextlib.contextmanager
def started(checkout: Path, data: Path, end: signal.Signals = signal.SIGINT) -> Iterator[Browser]:
    """A Topograph of a checkout, as the README starts it, until Ctrl-C or what else may end it."""
    own = {"VIRTUAL_ENV", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"}
    env = {k: v for k, v in os.environ.items() if k not in own} | {
        "TOPOGRAPH_DATA": str(data),
        "PYTHONUNBUFFERED": "1",
    }
    began = time.time()
    process = subprocess.Popen(
        ["python3", "manage.py", "start", "--port", "8300"],
        cwd=checkout,
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        told = []
        for line in process.stdout:
            told.append(line)
            if ready := READY.search(line):
                break
        else:
            sys.exit(f"{checkout} did not start:\n{''.join(told)}")
        print(f"{checkout.name}: ready after {time.time() - began:.0f} s", flush=True)
        yield Browser(ready.group(1))
    finally:
        process.send_signal(end)
        process.communicate(timeout=120)


def until(browser: Browser, path: str, statuses: tuple[str, ...], seconds: int = 900) -> dict:
    """What a page's JSON says when its status is one of these, or when the time is over."""
    end = time.time() + seconds
    while (state := browser.json(path))["status"] not in statuses and time.time() < end:
        time.sleep(1)
    return state


def answer(browser: Browser, path: str) -> tuple[int, str]:
    try:
        return 200, browser.get(path)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")


def train_by_command(checkout: Path, data: Path) -> None:
    """Corpus 1, the example, and run 1 with 20 topics, by the earlier release's commands."""
    example = "webapp/example/state_of_the_union.csv.gz"
    for arguments in (
        ["import_corpus", example, "--name", "Addresses"],
        ["train", "1", "--topics", "20"],
    ):
        subprocess.run(
            ["python3", "manage.py", *arguments],
            cwd=checkout,
            env=os.environ | {"TOPOGRAPH_DATA": str(data)},
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def use_the_earlier(browser: Browser) -> dict[str, str]:
    """Label a topic, pin it, and begin run 2, which is at work when this returns. Returns what is
    exported of run 1."""
    page = "/runs/1/topics/3/"
    browser.post("/runs/1/topics/3/edit/", {"label": LABEL, "next": page}, page)
    browser.post(
        "/notebooks/pin/",
        {
            "kind": "topic",
            "run": "1",
            "topic": "3",
            "comment": COMMENT,
            "address": page,
            "next": page,
        },
        page,
    )
    exported = {path: browser.get(path) for path in EXPORTS}
    press_train(browser, 1, training_fields(browser, 1) | {"topics": "100"})
    end = time.time() + 300
    while browser.json("/runs/2.json")["step"] < 60 and time.time() < end:
        time.sleep(1)
    return exported


def pages() -> list[str]:
    """The address of every page, with corpus 1 and run 1 where it is of one."""
    os.environ |= {"DATABASE_URL": "postgres://x@127.0.0.1:1/x", "REDIS_URL": "redis://127.0.0.1:1"}
    os.environ["DJANGO_SETTINGS_MODULE"] = "webapp.settings"
    django.setup()
    from tests import addresses

    return [addresses.address(name, 1, 1) for name in addresses.PAGES + addresses.OTHER]


def rows(text: str) -> list[dict[str, str]]:
    """Of a CSV, without the lines that say what made it."""
    return list(csv.DictReader(line for line in io.StringIO(text) if not line.startswith("#")))


def check_the_upgraded(browser: Browser, exported: dict[str, str], check: Checks) -> None:
    for path, before in exported.items():
        now = rows(browser.get(path))
        then = rows(before)
        same = len(now) == len(then) and all(
            new | old == new for new, old in zip(now, then, strict=True)
        )
        check(same, f"{path}: {len(then):,} rows are as they were, in the columns that were there")
    check(LABEL in browser.get("/runs/1/topics/"), "the label is shown")
    check(COMMENT in browser.get("/notebooks/1/"), "the pin is in its notebook")
    state = until(browser, "/runs/2.json", OVER)
    check(
        state["status"] == "done",
        f"the run that was at work is {state['status']} {state.get('error', '')}",
    )
    for path in pages():
        status, text = answer(browser, path)
        sentence = re.search(r"<main.*?<p[^>]*>(.*?)</p>", text, re.S) if status != 200 else None
        check(
            status < 500,
            f"{status} {path} {' '.join(sentence.group(1).split()) if sentence else ''}",
        )
    check("<mark" in browser.get("/corpora/1/documents/?q=wheat"), "the corpus is searched")
    run = press_train(browser, 1, training_fields(browser, 1) | {"topics": "20"})
    check(
        until(browser, f"/runs/{run}.json", OVER)["status"] == "done", "the corpus is trained anew"
    )
    check(answer(browser, f"/runs/{run}/overview/")[0] == 200, "the new run has an overview")
    end = time.time() + 300
    written = "/corpora/1/documents.json?match=%3DUnion"
    while answer(browser, written)[0] != 200 and time.time() < end:
        time.sleep(1)  # a worker reads the texts again when it has nothing else to do
    check(answer(browser, written)[0] == 200, "words are found as they are written")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--from",
        dest="commit",
        default=RELEASE,
        help="the commit of the earlier release (default: %(default)s, 0.2.0)",
    )
    commit = parser.parse_args().commit
    check = Checks()
    with tempfile.TemporaryDirectory(prefix="topograph-upgrade-") as folder:
        earlier = Path(folder) / commit
        data = Path(folder) / "data"
        subprocess.run(["git", "clone", "-q", ROOT, earlier], check=True)
        subprocess.run(["git", "checkout", "-q", commit], cwd=earlier, check=True)
        train_by_command(earlier, data)
        with started(earlier, data, signal.SIGKILL) as browser:
            exported = use_the_earlier(browser)
        with started(ROOT, data) as browser:
            check_the_upgraded(browser, exported, check)
    print(f"failed: {check.failed}")
    sys.exit(check.failed > 0)


if __name__ == "__main__":
    main()
