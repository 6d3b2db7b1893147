"""A run outlives the processes that train it: killed at hand, it goes on from its checkpoint and ends the same."""

import os
import signal
import time

import psycopg
import pytest

from benchmarks.whole_path import Browser, form_fields
from tests.conftest import start
from tests.corpora import EXAMPLE
from tests.local.test_start import processes

SETTINGS = {"topics": "20", "passes": "12", "seed": "5"}


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    system = start(tmp_path_factory.mktemp("recovery") / "data", "--port", "8400")
    yield system
    system.stop()


@pytest.fixture(scope="module")
def browser_and_corpus(system):
    browser = Browser(system.url)
    page = browser.post("/corpora/", {"name": "Recovery"}, "/", EXAMPLE)
    address = browser.url.removeprefix(system.url.rstrip("/"))
    browser.post(address, form_fields(page), address)
    corpus = int(browser.url.rstrip("/").rsplit("/", 1)[1])
    wait(lambda: browser.json(f"/corpora/{corpus}.json")["status"] == "ready")
    return browser, corpus


def wait(condition, seconds: float = 150):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def begin(browser: Browser, corpus: int) -> int:
    fields = form_fields(browser.get(f"/corpora/{corpus}/")) | SETTINGS
    browser.post(f"/corpora/{corpus}/runs/", fields, f"/corpora/{corpus}/")
    return int(browser.url.rstrip("/").rsplit("/", 1)[1])


def workers(system) -> list[int]:
    """The worker and its children, parents first."""
    found = []
    for pid in processes(system.data):
        with open(f"/proc/{pid}/cmdline", "rb") as line:
            if b"celery" in line.read():
                found.append(pid)
    return sorted(found)


def busiest(pids: list[int]) -> int:
    """The process that has worked most: the one that trains."""

    def ticks(pid: int) -> int:
        with open(f"/proc/{pid}/stat") as stat:
            return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))

    return max(pids, key=ticks)


def test_killed_runs_end_as_undisturbed_ones(system, browser_and_corpus):
    browser, corpus = browser_and_corpus
    quiet, child, worker = begin(browser, corpus), None, None
    wait(lambda: browser.json(f"/runs/{quiet}.json")["status"] == "done")

    child = begin(browser, corpus)
    wait(lambda: len(browser.json(f"/runs/{child}.json")["metrics"]["step"]) > 5)
    os.kill(busiest(workers(system)[1:]), signal.SIGKILL)
    wait(lambda: browser.json(f"/runs/{child}.json")["status"] in ("queued", "done"))

    worker = begin(browser, corpus)
    wait(lambda: len(browser.json(f"/runs/{worker}.json")["metrics"]["step"]) > 5)
    os.kill(workers(system)[0], signal.SIGKILL)
    wait(lambda: all(browser.json(f"/runs/{run}.json")["status"] == "done" for run in (child, worker)))

    with psycopg.connect(system.database_url) as connection:

        def model(run: int) -> list:
            query = (
                "SELECT topic, word, rank, weight FROM topic_word WHERE snapshot_id = (SELECT snapshot_id FROM webapp_run WHERE id = %s)"
                " ORDER BY topic, rank"
            )
            return connection.execute(query, [run]).fetchall()

        def charts(run: int) -> list:
            query = "SELECT step, tokens, held_out, topic_coherence FROM webapp_metric WHERE run_id = %s ORDER BY step"
            return connection.execute(query, [run]).fetchall()

        attempts = dict(connection.execute("SELECT id, attempt FROM webapp_run").fetchall())
        assert attempts[quiet] == 1 and attempts[child] > 1 and attempts[worker] > 1
        for run in (child, worker):
            assert model(run) == model(quiet)
            assert charts(run) == charts(quiet)  # no gap, no point twice


def test_stop_keeps_and_cancel_discards(system, browser_and_corpus):
    browser, corpus = browser_and_corpus
    stopped = begin(browser, corpus)
    wait(lambda: browser.json(f"/runs/{stopped}.json")["topics"])
    browser.post(f"/runs/{stopped}/stop/", {}, f"/runs/{stopped}/")
    wait(lambda: browser.json(f"/runs/{stopped}.json")["status"] == "done")
    state = browser.json(f"/runs/{stopped}.json")
    assert state["step"] < state["steps"] and state["metrics"]["step"][-1] == state["step"]
    assert browser.json(f"/runs/{stopped}/documents/0.json")["proportions"]

    cancelled = begin(browser, corpus)
    wait(lambda: browser.json(f"/runs/{cancelled}.json")["topics"])
    browser.post(f"/runs/{cancelled}/cancel/", {}, f"/runs/{cancelled}/")
    wait(lambda: browser.json(f"/runs/{cancelled}.json")["status"] == "cancelled", 10)
    time.sleep(1)
    state = browser.json(f"/runs/{cancelled}.json")
    assert state["status"] == "cancelled" and not state["topics"] and state["metrics"]["step"]


def test_two_runs_at_once_do_not_disturb_each_other(system, browser_and_corpus):
    browser, corpus = browser_and_corpus
    first, second = begin(browser, corpus), begin(browser, corpus)
    wait(lambda: browser.json(f"/runs/{first}.json")["status"] == browser.json(f"/runs/{second}.json")["status"] == "done")
    one, other = (browser.json(f"/runs/{run}.json") for run in (first, second))
    assert one["topics"] == [t | {"url": t["url"].replace(f"/runs/{second}/", f"/runs/{first}/")} for t in other["topics"]]
