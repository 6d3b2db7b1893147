"""Two web processes beside each other: what one deletes the other lets go of, a page has one ETag,
and metrics are of both."""

import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.urls import reverse

from tests.waiting import until
from tests.webapp.tus import Server
from webapp.models import Run
from webapp.platform.storage import files
from webapp.service.corpora import deletion


def ask(server: Server, path: str, etag: str = "", token: str = "", method: str = "GET"):
    """(status, headers, body)."""
    headers = {"Cookie": "csrftoken=" + "a" * 32, "Accept": "text/html"} | (
        {"If-None-Match": etag} if etag else {}
    )
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{path}", headers=headers, method=method
    )
    if method == "POST":
        request.add_header("X-CSRFToken", "a" * 32)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def mapped(server: Server, folder: Path) -> int:
    """Files of a folder that a process has open."""
    return Path(f"/proc/{server.process.pid}/maps").read_text().count(f"{folder}/")


@pytest.fixture
def two(trained, committed, alone):
    """On the tests' database, and a run that is there again afterwards."""
    url = f"{settings.DATABASE_URL.rsplit('/', 1)[0]}/{connection.settings_dict['NAME']}"
    servers = [Server({"DATABASE_URL": url}) for _ in range(2)]
    try:
        for server in servers:
            server.start()
        yield servers
    finally:
        for server in servers:
            server.stop()
        deletion.bring_back(Run.everything.get(pk=trained.pk))


def test_two_web_processes_are_one_server(two, trained):
    page = reverse("run_topic", args=[trained.pk, 0])
    folder = files.run_folder(trained.pk)
    answers = [ask(server, page) for server in two]
    assert [status for status, *_ in answers] == [200, 200]
    etag = answers[0][1]["ETag"]
    assert etag and etag == answers[1][1]["ETag"]
    assert ask(two[1], page, etag)[0] == 304
    assert all(mapped(server, folder) for server in two)
    until(lambda: b'process="' in ask(two[0], "/metrics")[2], 30)
    counted = r'topograph_http_requests_total\{.*process="([^"]+)".*route="run_topic".*\} (\S+)'
    # Of one also the 304
    until(lambda: len(re.findall(counted, ask(two[0], "/metrics")[2].decode())) == 3, 30)
    text = ask(two[0], "/metrics")[2].decode()
    assert len({process for process, _ in re.findall(counted, text)}) == 2
    assert text.count("\ntopograph_workers ") == 1  # of the whole system: once
    assert ask(two[0], reverse("run_delete", args=[trained.pk]), method="POST")[0] == 200
    until(lambda: not any(mapped(server, folder) for server in two), 30)
    assert [ask(server, page)[0] for server in two] == [404, 404]
