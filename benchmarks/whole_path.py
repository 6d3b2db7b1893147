"""The README's figures: the example corpus from the upload to topics one can browse, on a running
Topograph.

    python3 manage.py start                                  # in one terminal
    .venv/bin/python -m benchmarks.whole_path http://127.0.0.1:8000/ [--topics 50] [--json FILE]

It acts over HTTP as a browser does (upload, options, train, watch by Server-Sent Events, browse)
and prints seconds. The last line is `failed: N`, the number of figures beyond their target.
"""

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import pages
from benchmarks.browser import Browser, Fields, reading_fields, search, training_form
from benchmarks.origin import EXAMPLE, commit, machine, options

PAGES = (
    "home",
    "corpus",
    "run",
    "topic overview",
    "topic page",
    "documents by date",
    "document page",
    "search",
    "word senses",
)
LOOK_EVERY = 0.05  # seconds, while something is stored or read
REPEATS = 30  # of each page
# Targets: seconds, and milliseconds of pages
READY_S = 15.0
FIRST_POINT_S = 3.0
BROWSABLE_S = 40.0
MEDIAN_MS = 50.0
P95_MS = 150.0
OPTIONS: dict[str, dict[str, Any]] = {
    "url": {"help": "of a running Topograph"},
    "--topics": {"type": int, "default": 50},
    "--json": {"type": Path, "help": "write the figures here"},
}


def read(browser: Browser, file: Path, fields: Fields) -> tuple[str, float, int]:
    """Upload a file, and read it. fields: of the form, where they are not as proposed. Returns what
    came of it, or its error; seconds until it can be trained; the corpus, 0 where there is none."""
    began = time.time()
    try:
        prepare = browser.post("/corpora/", {"name": file.name}, "/", file)
    except OSError as error:
        return f"refused: {error}", time.time() - began, 0
    corpus = int(search(r"/corpora/(\d+)/", browser.url))
    address = f"/corpora/{corpus}/prepare/"
    while not browser.url.endswith(address):  # a worker stores it, or looks into it
        state = browser.json(f"/corpora/{corpus}.json")
        if state["status"] == "failed":
            return f"failed: {state['error']}", time.time() - began, 0
        time.sleep(LOOK_EVERY)
        prepare = browser.get(address)
    browser.post(address, {**reading_fields(prepare), **fields}, address)
    while True:
        state = browser.json(f"/corpora/{corpus}.json")
        if state["status"] in ("ready", "failed", "draft"):
            break
        time.sleep(LOOK_EVERY)
    seconds = time.time() - began
    if state["status"] != "ready":
        return f"{state['status']}: {state['error']}", seconds, 0
    return f"{state['documents']:,} documents, {state['vocabulary']:,} words", seconds, corpus


def upload(browser: Browser, file: Path = EXAMPLE) -> tuple[int, float]:
    """Upload a file, take the options as proposed; returns the corpus and seconds until it can be
    trained."""
    result, seconds, corpus = read(browser, file, {})
    if not corpus:
        sys.exit(result)
    return corpus, seconds


def training_fields(browser: Browser, corpus: int) -> dict[str, str | list[str]]:
    """What the form of a corpus's page that trains is preset with."""
    return training_form(browser.get(f"/corpora/{corpus}/"))


def press_train(browser: Browser, corpus: int, fields: Fields) -> int:
    """The run that begins."""
    browser.post(f"/corpora/{corpus}/runs/", fields, f"/corpora/{corpus}/")
    return int(search(r"/runs/(\d+)/", browser.url))


def train(browser: Browser, corpus: int, topics: int) -> tuple[int, float | None, float]:
    """Press train; returns the run, seconds to the first point of the chart (None where there was
    none), and to topics and documents in Postgres."""
    fields = {**training_fields(browser, corpus), "topics": str(topics)}
    began = time.time()
    run = press_train(browser, corpus, fields)
    first_point = None
    for moment, event in browser.events(f"/runs/{run}/events"):
        if first_point is None and _has_point(browser, run, event):
            first_point = moment - began
        if event["type"] != "status" or event["status"] not in ("done", "failed", "cancelled"):
            continue
        if event["status"] != "done":
            sys.exit(event["error"])
        return run, first_point, moment - began
    sys.exit("the stream of events ended before the run did")


def _has_point(browser: Browser, run: int, event: dict) -> bool:
    """Whether the chart has one by the time of an event."""
    if event["type"] == "snapshot":
        return True
    return bool(browser.json(f"/runs/{run}.json")["metrics"]["step"])


def main() -> None:
    arguments = options(__doc__, OPTIONS).parse_args()
    browser = Browser(arguments.url)
    corpus, ready = upload(browser)
    run, first_point, browsable = train(browser, corpus, arguments.topics)
    if first_point is None:
        sys.exit("the run ended without a point of the chart")
    all_pages = pages.pages(browser, run)
    addresses = {name: all_pages[name] for name in PAGES}
    times = pages.measure(browser, addresses, repeats=REPEATS)
    medians = [page.median_ms for page in times.values()]
    p95s = [page.p95_ms for page in times.values()]
    figures = {
        "upload to ready to train, s": (ready, READY_S),
        "train pressed to first live point, s": (first_point, FIRST_POINT_S),
        f"train pressed to K={arguments.topics} stored and browsable, s": (browsable, BROWSABLE_S),
        "slowest page's median, ms": (max(medians), MEDIAN_MS),
        "slowest page's 95th percentile, ms": (max(p95s), P95_MS),
    }
    failed = 0
    for name, (value, target) in figures.items():
        print(f"{name:55} {value:8.1f}   target {target:g}")
        failed += value > target
    if arguments.json:
        report = {
            "commit": commit(),
            "machine": machine(),
            "figures": {name: value for name, (value, _) in figures.items()},
            "pages_ms": {name: asdict(page) for name, page in times.items()},
        }
        arguments.json.write_text(json.dumps(report, indent=1))
    print(f"failed: {failed}")


if __name__ == "__main__":
    main()
