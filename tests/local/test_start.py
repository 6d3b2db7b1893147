"""`manage.py start` as a user has it: what it recovers from, and that it leaves nothing behind.

A start takes its time, so one system goes through all of it: it is used, then struck, then killed
and started again, then stopped.
"""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import suppress

import psycopg
import pytest
import redis

from tests.conftest import ROOT, start
from tests.prepared import say_that_kernels_are_compiled
from tests.waiting import until
from webapp.platform.local import compilation, migrations, start as starting
from webapp.platform.local.processes import Supervisor


def answers(url: str, seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5) as response:
                return response.status == 200
        except (OSError, http.client.HTTPException):
            time.sleep(0.1)
    return False


def processes(data) -> list[int]:
    """Everything that belongs to a state folder: by its environment or its arguments, or (Valkey)
    by its port."""
    config = data / "valkey" / "valkey.conf"
    port = re.search(r"^port (\d+)", config.read_text(), re.M)[1] if config.exists() else "none"
    marks = (str(data).encode(), f"valkey-server 127.0.0.1:{port}".encode())
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with (
                open(f"/proc/{pid}/cmdline", "rb") as line,
                open(f"/proc/{pid}/environ", "rb") as environment,
            ):
                text = line.read() + environment.read()
        except OSError:
            continue
        if any(mark in text for mark in marks) and int(pid) != os.getpid():
            found.append(int(pid))
    return found


def pid_of(data, part: str) -> int:
    for pid in processes(data):
        with open(f"/proc/{pid}/cmdline", "rb") as line:
            if part in line.read().replace(b"\0", b" ").decode():
                return pid
    raise AssertionError(f"no process {part}")


@pytest.fixture(scope="module")
def taken():
    """A port at which somebody else listens."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture(scope="module")
def system(tmp_path_factory, taken):
    data = tmp_path_factory.mktemp("start") / "data"
    data.mkdir(mode=0o700)
    say_that_kernels_are_compiled(data)
    system = start(data, "--port", str(taken), "--reload")
    yield system
    if system.process.poll() is None:
        system.stop()


def test_a_port_that_is_taken(system, taken):
    assert taken < int(re.search(r":(\d+)/", system.url)[1]) < taken + 100


def test_a_request_that_reads_itself_is_no_answer():
    """The system may connect a socket with itself while nobody listens at its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def echo():
            connection, _ = server.accept()
            with connection:
                connection.sendall(connection.recv(4096))

        echoing = threading.Thread(target=echo)
        echoing.start()
        assert not starting.is_answering(f"http://127.0.0.1:{server.getsockname()[1]}/")
        echoing.join()


def test_stages_are_said(system):
    (log,) = system.data.parent.glob("data-*.log")
    said = log.read_text().splitlines()
    assert [line[:6] for line in said if line[1:6] == " of 3"] == ["1 of 3", "2 of 3", "3 of 3"]
    assert said[0] == f"State folder: {system.data}" and said[-1].startswith(
        "Topograph is ready at "
    )


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """A function: starts the parts that compile, here those of tests.local.compiling, waits for
    their end, and returns (whether there was anything to do, what the supervisor said)."""
    monkeypatch.setenv("TOPOGRAPH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TOPOGRAPH_KERNELS", str(tmp_path / "kernels"))
    monkeypatch.setattr(compilation, "MODULE", "tests.local.compiling")

    def start() -> tuple[bool, list[str]]:
        said: list[str] = []
        supervisor = Supervisor(said.append)
        compiles = compilation.start(supervisor)
        until(
            lambda: supervisor.look() or all(part.status is not None for part in supervisor.parts),
            60,
        )
        assert all(part.process is None for part in supervisor.parts)  # nor is it started again
        return compiles, said

    return start


def test_the_same_code_is_compiled_once(compiled, monkeypatch, tmp_path):
    assert compiled() == (True, [])
    assert compiled() == (False, [])
    before = compilation.digest()
    with monkeypatch.context() as patch:
        patch.setenv("NUMBA_CPU_NAME", "another")
        assert compilation.digest() != before
    for kernel in (tmp_path / "kernels").iterdir():
        kernel.unlink()
    assert compiled() == (True, [])


def test_an_engine_that_can_not_be_compiled_is_said_and_tried_again(compiled, monkeypatch):
    monkeypatch.setenv("TOPOGRAPH_TEST_FAILS", "1")
    for _ in range(2):
        assert compiled() == (True, ["Compiling the engine failed (status 1)"])
        assert "RuntimeError: no compiler here" in compilation.log(compilation.ENGINE).read_text()


def test_a_second_one_is_refused(system):
    env = os.environ | {"TOPOGRAPH_DATA": str(system.data)}
    second = subprocess.run(
        [sys.executable, "manage.py", "start"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert second.returncode == 1
    assert f"running already at {system.url}" in second.stderr
    assert answers(system.url)


def test_other_commands_find_the_running_servers(system):
    env = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")} | {
        "TOPOGRAPH_DATA": str(system.data)
    }
    code = (
        "from webapp.models import Corpus; from django.db import connection;"
        " print(Corpus.objects.count(), connection.settings_dict['PORT'])"
    )
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", code],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [
        "0",
        str(psycopg.conninfo.conninfo_to_dict(system.database_url)["port"]),
    ]


def test_given_servers_are_used(system, tmp_path):
    """With DATABASE_URL and REDIS_URL set, no server of our own is started."""
    servers = json.loads((system.data / "servers.json").read_text())
    env = os.environ | {
        "TOPOGRAPH_DATA": str(tmp_path / "other"),
        "DATABASE_URL": servers["database_url"],
        "REDIS_URL": servers["redis_url"],
    }
    code = "from webapp.models import Corpus; print(Corpus.objects.count())"
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", code],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "0\n", done.stderr
    assert not (tmp_path / "other" / "postgres").exists()
    assert not (tmp_path / "other" / "valkey").exists()


def test_changed_code_is_taken_up(system):
    before = [pid_of(system.data, part) for part in ("celery", "uvicorn")]
    (ROOT / "static" / "css" / "base.css").touch()

    def started_again():
        with suppress(AssertionError):  # there is none for a moment
            return not {*before} & {pid_of(system.data, part) for part in ("celery", "uvicorn")}

    until(started_again, 60)
    assert answers(system.url)


def test_every_part_comes_back_after_kill_9(system):
    servers = json.loads((system.data / "servers.json").read_text())
    with psycopg.connect(servers["database_url"], autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE kept (x int); INSERT INTO kept SELECT generate_series(1, 1000)"
        )
    client = redis.Redis.from_url(servers["redis_url"])
    client.set("kept", "yes")
    assert client.waitaof(1, 0, 60_000)[0] == 1  # the append-only file is written every second

    for part in ("bin/postgres", "valkey-server", "celery", "uvicorn"):
        os.kill(pid_of(system.data, part), signal.SIGKILL)
    assert answers(system.url)

    def whole():
        try:
            with psycopg.connect(servers["database_url"], connect_timeout=2) as connection:
                rows = connection.execute("SELECT count(*) FROM kept").fetchone()[0]
            return (
                rows == 1000 and client.get("kept") == b"yes" and any(client.scan_iter("worker:*"))
            )
        except (psycopg.OperationalError, redis.RedisError):
            return False

    until(whole, 60)


def test_tables_that_are_up_to_date_are_left_alone(system, monkeypatch):
    monkeypatch.setenv("TOPOGRAPH_DATA", str(system.data))
    asked = []

    def migrate(argv, **_):
        asked.append(argv[-3])
        return subprocess.CompletedProcess(argv, 0)

    monkeypatch.setattr(migrations.processes, "run", migrate)
    env = {"DATABASE_URL": system.database_url}
    migrations.bring_up_to_date(env)
    assert not asked
    with psycopg.connect(system.database_url, autocommit=True) as connection:
        row = connection.execute(
            "DELETE FROM django_migrations WHERE name = '0001_initial' AND app = 'webapp'"
            " RETURNING *"
        ).fetchone()
        migrations.bring_up_to_date(env)
        connection.execute("INSERT INTO django_migrations VALUES (%s, %s, %s, %s)", row)
    assert asked == ["migrate"]
    migrations.bring_up_to_date(env)  # again with other rows than at the last time
    migrations.bring_up_to_date(env)
    assert asked == ["migrate"] * 2
    # Django says what is wrong
    migrations.bring_up_to_date({"DATABASE_URL": "postgres://127.0.0.1:1/nowhere"})
    assert asked == ["migrate"] * 3
    monkeypatch.setattr(migrations.changes.sysconfig, "get_path", lambda name: "/nowhere")
    migrations.bring_up_to_date(env)
    assert asked == ["migrate"] * 4


def test_a_start_after_everything_was_killed(system, taken):
    with psycopg.connect(
        json.loads((system.data / "servers.json").read_text())["database_url"], autocommit=True
    ) as connection:
        connection.execute("CREATE TABLE stays (x int); INSERT INTO stays VALUES (7)")
    system.process.kill()
    system.process.wait()
    until(lambda: not processes(system.data), 60)  # no orphan blocks the next start
    again = start(system.data, "--port", str(taken))
    system.process = again.process
    system.url = again.url
    with psycopg.connect(system.database_url) as connection:
        assert connection.execute("SELECT x FROM stays").fetchone() == (7,)
    assert answers(system.url)


def test_ctrl_c_stops_everything(system):
    assert answers(system.url)
    assert len(processes(system.data)) > 5
    began = time.monotonic()
    assert system.stop() == 0
    assert time.monotonic() - began < 15
    until(lambda: not processes(system.data), 60)
    assert oct(system.data.stat().st_mode)[-3:] == "700"
