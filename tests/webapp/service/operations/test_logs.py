"""What logs say, and that nothing which somebody wrote, typed or uploaded stands in them."""

import ast
import io
import json
import logging
import re

import psycopg
import pytest
import structlog
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, IntegrityError, connection

from tests.conftest import ROOT
from webapp.platform import logs

MARK = "quetzalcoatl"


@pytest.fixture
def written(monkeypatch):
    """A function that gives the lines since it was asked last, as a server writes them: JSON."""
    monkeypatch.setenv("TOPOGRAPH_LOG", "json")
    given = logs.configure()["formatters"]["line"]
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(given.pop("()")(**given))
    root = logging.getLogger()
    root.addHandler(handler)

    def lines() -> list[dict]:
        found = [json.loads(line) for line in stream.getvalue().splitlines()]
        assert MARK not in stream.getvalue()
        return found

    yield lines
    root.removeHandler(handler)


def test_a_line_has_known_keys_with_short_values(written):
    structlog.get_logger("webapp.x").warning(
        "a job goes on", run=3, attempt=2, text=MARK, title=MARK, reason="a\nb" * 200, kind=[MARK]
    )
    (line,) = written()
    assert line["event"] == "a job goes on" and (
        line["run"],
        line["attempt"],
        line["logger"],
        line["level"],
    ) == (
        3,
        2,
        "webapp.x",
        "warning",
    )
    assert len(line["reason"]) == logs.LONGEST_VALUE and "\n" not in line["reason"]
    assert not line.keys() & {"text", "title", "kind"}


def test_an_exception_is_its_class_its_places_and_codes(written):
    def fail():
        try:
            int(MARK)
        except ValueError as error:
            raise KeyError(MARK) from error

    try:
        fail()
    except KeyError:
        structlog.get_logger("webapp.x").exception("broken")
    (line,) = written()
    assert (
        line["error"] == "KeyError"
        and "ValueError" in line["traceback"]
        and "… because of" in line["traceback"]
    )
    assert re.search(r"service/operations/test_logs\.py:\d+ fail", line["traceback"])


@pytest.mark.django_db
def test_postgres_quotes_values_and_the_log_does_not(written):
    """DETAIL: Key (word)=(…) already exists."""
    log = structlog.get_logger("webapp.x")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE one (word text CONSTRAINT only_one UNIQUE)")
        cursor.execute("INSERT INTO one VALUES (%s)", [MARK])
        cursor.execute("SAVEPOINT here")
        for statement, kind in (
            ("INSERT INTO one VALUES (%s)", IntegrityError),
            ("SELECT %s::int", DatabaseError),
        ):
            with pytest.raises(kind) as caught:
                cursor.execute(statement, [MARK])
            assert MARK in str(caught.value)
            cursor.execute("ROLLBACK TO here")
            log.error("broken", exc_info=caught.value)
    first, second = written()
    assert (first["sqlstate"], first["constraint"]) == ("23505", "only_one") and second[
        "sqlstate"
    ] == "22P02"
    assert "psycopg.errors.UniqueViolation" in first["traceback"]


def test_of_a_library_only_its_pattern(written):
    log = logging.getLogger("some.library")
    log.error("could not read %s", MARK)
    log.error(f"could not read {MARK}")
    try:
        raise psycopg.OperationalError(MARK)
    except psycopg.OperationalError:
        log.exception("%s went wrong", MARK)
    one, two, three = written()
    assert (
        one["event"] == "could not read %s"
        and re.fullmatch(r"test_logs:\d+", two["where"])
        and three["error"] == "psycopg.OperationalError"
    )


def test_plain_lines_for_people(monkeypatch):
    monkeypatch.setenv("TOPOGRAPH_LOG", "plain")
    line = logs.plain_line(
        None,
        "",
        {
            "event": "request",
            "level": "info",
            "timestamp": "T",
            "logger": "webapp.platform.server.request_log",
            "run": 3,
            "ms": 1.5,
        },
    )
    assert line == "T info    request  ms=1.5 run=3 (webapp.platform.server.request_log)"
    monkeypatch.setenv("TOPOGRAPH_LOG", "xml")
    with pytest.raises(SystemExit, match="must be plain or json"):
        logs.form()


def test_our_lines_are_constant_sentences_with_known_keys():
    """Read from the source: a value in an event, or under a name that is not in the list, is a
    mistake."""
    found = 0
    for path in [*(ROOT / "webapp").rglob("*.py"), *(ROOT / "tasks").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        if path.name != "logs.py":
            assert "logging.getLogger" not in text, f"{path.name}: structlog.get_logger"
        for node in ast.walk(ast.parse(text)):
            call = (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
            )
            if (
                call
                and node.func.value.id == "log"
                and node.func.attr in ("debug", "info", "warning", "error", "exception", "critical")
            ):
                assert len(node.args) == 1 and isinstance(node.args[0], ast.Constant), (
                    f"{path.name}:{node.lineno}"
                )
                given = {keyword.arg for keyword in node.keywords if keyword.arg}
                assert given <= logs.KEYS | {"exc_info"}, (
                    f"{path.name}:{node.lineno}: {given - logs.KEYS}"
                )
                found += 1
    assert found > 8


@pytest.mark.django_db
def test_one_line_a_request_under_its_id(client, trained, written):
    response = client.get(f"/runs/{trained.pk}/topics/?word={MARK}")
    (line,) = [line for line in written() if line["event"] == "request"]
    assert line["request_id"] == response["X-Request-ID"] and re.fullmatch(
        r"[0-9a-f]{16}", line["request_id"]
    )
    assert (line["route"], line["run"], line["method"], line["status"], line["logger"]) == (
        "run_topics",
        trained.pk,
        "GET",
        200,
        "webapp.platform.server.request_log",
    )
    assert line["ms"] > 0
    assert (
        client.get("/glossary/", HTTP_X_REQUEST_ID="from-a-proxy-1234")["X-Request-ID"]
        == "from-a-proxy-1234"
    )
    for wrong in ("short", "a" * 65, "an id with spaces", "id-with-<script>", MARK + "\n"):
        assert client.get("/glossary/", HTTP_X_REQUEST_ID=wrong)["X-Request-ID"] != wrong


@pytest.mark.django_db
def test_an_error_page_and_the_log_share_an_id(client, trained, written, monkeypatch):
    monkeypatch.setattr(
        "webapp.platform.pages.glossary_views.GlossaryPage", lambda *_, **__: {}[MARK]
    )
    page = client.get("/glossary/")
    twin = client.get("/glossary.json")
    assert page.status_code == twin.status_code == 500
    assert (
        page["X-Request-ID"] in page.content.decode()
        and twin["X-Request-ID"] in twin.json()["error"]
    )
    assert MARK not in page.content.decode() + twin.content.decode()
    broken = {line["request_id"]: line for line in written() if line["event"] == "broken"}
    assert broken.keys() == {page["X-Request-ID"], twin["X-Request-ID"]}
    assert broken[page["X-Request-ID"]]["error"] == "KeyError"
    missing = client.get("/nothing/here/")
    assert missing["X-Request-ID"] in missing.content.decode()


@pytest.mark.django_db
def test_nothing_of_what_people_say_is_logged(client, trained, written, draft):
    """Searches, words, names, tokens, addresses of pages that are not there, files: through views,
    forms and tasks."""
    for address in (
        "documents/?q=",
        "documents/?in=party:",
        "words/?q=",
        "words/",
        "time/?by=",
        "topics/?word=",
        "try/?text=",
        "export/",
    ):
        client.get(
            f"/runs/{trained.pk}/{address}{MARK}",
            HTTP_AUTHORIZATION=f"Bearer {MARK}",
            HTTP_USER_AGENT=MARK,
            HTTP_REFERER=f"http://x/?{MARK}",
        )
    client.get(f"/api/v1/runs/{trained.pk}/documents?q={MARK}", HTTP_AUTHORIZATION=f"Bearer {MARK}")
    client.get(f"/shared/{MARK}/")
    client.get(f"/{MARK}/", HTTP_HOST=f"{MARK}.example.org")
    client.get("/glossary/", HTTP_COOKIE=f"sessionid={MARK}; csrftoken={MARK}")
    client.post("/reader/", {"name": f"{MARK}@example.org"})
    client.post(f"/runs/{trained.pk}/topics/1/edit/", {"label": MARK, "note": MARK})
    client.post(
        "/corpora/", {"name": MARK, "files": SimpleUploadedFile(f"{MARK}.zip", MARK.encode())}
    )
    client.post("/uploads/", headers={"Tus-Resumable": "1.0.0", "Upload-Length": "x" + MARK})
    assert len([line for line in written() if line["event"] == "request"]) == 16


@pytest.mark.django_db
def test_a_task_that_breaks_shows_the_id_of_the_request_that_queued_it(ready, written, monkeypatch):
    from webapp.platform.jobs import claims, kinds

    structlog.contextvars.bind_contextvars(request_id="a-click-of-somebody")
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE webapp_corpus SET status = 'reading', attempt = 7 WHERE id = %s", [ready.pk]
            )
        try:
            raise ValueError(f"could not read: {MARK}")
        except ValueError:
            claims.crash(kinds.READ, ready.pk, 7)
    finally:
        structlog.contextvars.clear_contextvars()
    (line,) = [line for line in written() if line["event"] == "broken"]
    assert (line["request_id"], line["kind"], line["corpus"], line["attempt"]) == (
        "a-click-of-somebody",
        "corpus",
        ready.pk,
        7,
    )
    error = type(ready).objects.values_list("error", flat=True).get(pk=ready.pk)
    assert "a-click-of-somebody" in error and MARK not in error


@pytest.mark.django_db
def test_a_job_keeps_the_id_of_its_request_whichever_message_brings_it(
    ready, written, django_capture_on_commit_callbacks
):
    from webapp.core.runs import services as runs
    from webapp.platform.jobs import claims, kinds

    structlog.contextvars.bind_contextvars(request_id="a-click-of-somebody")
    try:
        with django_capture_on_commit_callbacks(execute=True):
            run = runs.create(ready.version, topics=4)
        structlog.contextvars.clear_contextvars()
        attempt = claims.claim(kinds.TRAIN, run.pk)  # as by a message of the sweep
        structlog.get_logger("tasks.x").warning("no heartbeat")
    finally:
        structlog.contextvars.clear_contextvars()
    line = written()[-1]
    assert (line["request_id"], line["kind"], line["run"], line["attempt"]) == (
        "a-click-of-somebody",
        "run",
        run.pk,
        attempt,
    )


@pytest.mark.django_db
def test_a_job_that_follows_another_has_the_id_of_its_own_request(
    ready, written, django_capture_on_commit_callbacks
):
    """A worker that ends a job sends the message of the next, under the id of what it ended."""
    from webapp.core.runs import services as runs
    from webapp.platform.jobs import claims, kinds, scheduler

    structlog.contextvars.bind_contextvars(request_id="a-click-of-somebody")
    try:
        with django_capture_on_commit_callbacks(execute=True):
            run = runs.create(ready.version, topics=4)
        structlog.contextvars.bind_contextvars(request_id="another-click-before")
        with django_capture_on_commit_callbacks(execute=True):
            scheduler.dispatch_next(kinds.TRAIN)
        claims.claim(kinds.TRAIN, run.pk)
        structlog.get_logger("tasks.x").warning("no heartbeat")
    finally:
        structlog.contextvars.clear_contextvars()
    line = written()[-1]
    assert (line["request_id"], line["run"]) == ("a-click-of-somebody", run.pk)
