"""A running system, and somebody whose every word is a mark: it is in none of the logs, Postgres's
and the queue's among them. Here, as the system of the browser's tests serves."""

import contextlib
import http.client
import io
import re
import urllib.error
import zipfile
from urllib.parse import urlsplit

import pytest

from benchmarks.browser import Browser, reading_fields, training_form
from tests.corpora import as_csv, example_rows
from tests.waiting import until

MARK = "xochiquetzal"
WAIT = 120.0  # seconds for reading and training


@pytest.fixture
def browser_of(live_system):
    return Browser(live_system.url)


def raw(live_system, path: str, **headers) -> int:
    connection = http.client.HTTPConnection(urlsplit(live_system.url).netloc, timeout=30)
    connection.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def settled(browser: Browser, path: str, *statuses: str) -> dict:
    until(
        lambda: browser.json(path)["status"] in statuses, WAIT, lambda: browser.json(path)["status"]
    )
    return browser.json(path)


def test_no_log_holds_what_somebody_says(live_system, browser_of, tmp_path):
    browser = browser_of
    head, *rows = example_rows(60)
    rows = [
        head,
        *(
            [
                f"{MARK} {cell}" if name in ("title", "text", "president", "id") else cell
                for name, cell in zip(head, row, strict=True)
            ]
            for row in rows
        ),
    ]
    file = tmp_path / f"{MARK}.csv"
    file.write_bytes(as_csv(rows))
    prepare = browser.post("/corpora/", {"name": MARK}, "/", file)
    address = urlsplit(browser.url).path
    browser.post(address, reading_fields(prepare), address)
    corpus = re.search(r"/corpora/(\d+)/", browser.url)[1]
    assert settled(browser, f"/corpora/{corpus}.json", "ready", "failed")["status"] == "ready"
    fields = training_form(browser.get(f"/corpora/{corpus}/")) | {"topics": "3"}
    browser.post(f"/corpora/{corpus}/runs/", fields, f"/corpora/{corpus}/")
    run = re.search(r"/runs/(\d+)/", browser.url)[1]
    assert settled(browser, f"/runs/{run}.json", "done", "failed")["status"] == "done"
    browser.post(
        f"/runs/{run}/topics/1/edit/", {"label": MARK, "note": MARK}, f"/runs/{run}/topics/1/"
    )
    for path in (
        f"documents/?q={MARK}",
        f"words/{MARK}/",
        f"words/?q={MARK}",
        f"topics/?word={MARK}",
        "export/documents.csv",
        "documents/3/",
    ):
        assert raw(
            live_system,
            f"/runs/{run}/{path}",
            Authorization=f"Bearer {MARK}",
            Cookie=f"a={MARK}",
            User_Agent=MARK,
            X_Request_ID=f"{MARK} {MARK}",
        )
    assert raw(live_system, f"/{MARK}/?{MARK}={MARK}") == 404
    assert raw(live_system, "/", Host=f"{MARK}.example.org") in (400, 403)
    assert (
        raw(live_system, f"/api/v1/runs/{run}/documents?q={MARK}", Authorization=f"Bearer {MARK}")
        == 401
    )
    assert raw(live_system, f"/runs/{run}/documents/?q=%00{MARK}") < 500
    broken = tmp_path / f"{MARK}.zip"
    with zipfile.ZipFile(whole := io.BytesIO(), "w") as archive:
        archive.writestr(f"{MARK}.txt", MARK * 1000)
    broken.write_bytes(whole.getvalue()[:-30])
    with contextlib.suppress(urllib.error.HTTPError):  # an archive that can't be opened
        browser.post("/corpora/", {"name": MARK}, "/", broken)
    worker_log = live_system.data / "logs" / "worker.log"
    ended = re.compile(rf"task_succeeded .*run={run}\b")
    until(
        lambda: ended.search(worker_log.read_text()), WAIT, lambda: worker_log.read_text()[-3000:]
    )
    logs = sorted((live_system.data / "logs").glob("*"))
    assert {"web.log", "worker.log", "postgres.log"} <= {log.name for log in logs}
    for log in logs:
        text = log.read_text(errors="replace").lower()
        found = [line for line in text.splitlines() if MARK in line]
        assert not found, f"{log.name}: {found[:3]}"
    web = (live_system.data / "logs" / "web.log").read_text()
    assert f"run={run}" in web and "route=run_word " in web
