"""The units of deploy/, run by a systemd: in namespaces of its own, over a copy of this machine's
files that ends with it.

Needs root on a machine that no systemd runs (a container, say): another one would meddle with its
control groups.
"""

import http.client
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT
from webapp.platform.local.processes import free_port

SYSTEMD = Path("/lib/systemd/systemd")
SERVERS = """
import signal, sys
from webapp.platform.local import servers
signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # SIGINT is ignored in what a shell has started in the background
with servers.for_command():
    print(*servers.urls(), flush=True)
    signal.pause()
"""
# $1: a folder with units/ and topograph.env. A home folder is out of the units' sight, so Python is
# shown elsewhere.
BOOT = """
set -e
cd "$1"
mount --make-rprivate /
mkdir over root
mount -t tmpfs over over
mkdir over/upper over/work
mount -t overlay -o lowerdir=/,upperdir=over/upper,workdir=over/work overlay root
cd root
mount -t proc proc proc
mount --rbind /sys sys
mount --rbind /dev dev
mount -t tmpfs run run
rm -rf etc/systemd/system lib/systemd/system/*.target.wants
mkdir -p etc/systemd/system opt/python opt/topograph
: > etc/fstab
mount --bind "$PYTHON" opt/python
mount --bind "$CODE" opt/topograph
mount -t tmpfs venv opt/topograph/.venv
mkdir -p opt/topograph/.venv/bin opt/topograph/.venv/lib/"$VERSION"/site-packages
ln -s /opt/python/bin/"$VERSION" opt/topograph/.venv/bin/python
echo "home = /opt/python/bin" > opt/topograph/.venv/pyvenv.cfg
mount --bind "$PACKAGES" opt/topograph/.venv/lib/"$VERSION"/site-packages
chroot . useradd --system --home-dir /var/lib/topograph topograph
install -m 644 ../units/* etc/systemd/system/
install -m 600 ../topograph.env etc/topograph.env
exec env container=trial chroot . /lib/systemd/systemd --unit=trial.target
"""
TARGET = (
    "[Unit]\nWants=topograph-web.service topograph-worker@1.service topograph-worker@2.service\n"
)


@dataclass
class Machine:
    """pid: of its first process. port: of its web server."""

    pid: int
    port: int

    def run(self, *command: str) -> str:
        entered = [
            "nsenter",
            f"--target={self.pid}",
            "--mount",
            "--pid",
            "--uts",
            "--ipc",
            "--root",
            "--wd",
            *command,
        ]
        return subprocess.run(entered, capture_output=True, text=True, timeout=120).stdout

    def states(self) -> list[str]:
        units = ("topograph-migrate", "topograph-web", "topograph-worker@1", "topograph-worker@2")
        return self.run("systemctl", "show", "--property=SubState", "--value", *units).split()

    def ready_workers(self) -> int:
        """How many have said so since the machine began: one that ends while it still starts has
        failed."""
        return int(self.run("grep", "--count", '"%s ready."', "/run/log") or 0)

    def ended(self, unit: str) -> tuple[str, ...]:
        shown = self.run(
            "systemctl", "show", "--property=SubState", "--property=Result", unit
        ).split()
        by_name = dict(line.split("=") for line in shown)
        return by_name["SubState"], by_name["Result"]

    def main_process(self, unit: str) -> int:
        return int(self.run("systemctl", "show", "--property=MainPID", "--value", unit))

    def health(self) -> int:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/healthz", headers={"Host": "topics.example.org"}
        )
        try:
            return urllib.request.urlopen(request, timeout=20).status
        except urllib.error.HTTPError as error:
            return error.code
        except (OSError, http.client.HTTPException):
            return 0


def until(true: Callable[[], bool], machine: Machine, seconds: float = 240.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        late = time.monotonic() > deadline or "failed" in machine.states()
        assert not late, machine.run("cat", "/run/log")[-3000:]
        time.sleep(0.2)


@pytest.fixture(scope="module")
def machine(tmp_path_factory) -> Iterator[Machine]:
    if (
        sys.platform != "linux"
        or os.geteuid()
        or not SYSTEMD.exists()
        or Path("/run/systemd/system").exists()
    ):
        pytest.skip("needs root, Debian's package systemd, and a machine that no systemd runs")
    if (ROOT / ".venv").resolve() != ROOT / ".venv":
        pytest.skip("needs an environment in .venv itself, not behind a link")
    folder = tmp_path_factory.mktemp("machine")
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DATABASE_URL", "REDIS_URL")
    }
    servers = subprocess.Popen(
        [sys.executable, "-c", SERVERS],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=env | {"TOPOGRAPH_DATA": str(folder / "servers")},
    )
    database, broker = servers.stdout.readline().split()
    port = free_port()
    prepare(folder, database, broker, port)
    version = f"python3.{sys.version_info.minor}"
    boot = subprocess.Popen(
        [
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--uts",
            "--ipc",
            "--kill-child",
            "sh",
            "-c",
            BOOT,
            "sh",
            str(folder),
        ],
        env={
            "PATH": os.environ["PATH"],
            "CODE": str(ROOT),
            "PYTHON": sys.base_prefix,
            "VERSION": version,
            "PACKAGES": str(Path(sys.prefix) / "lib" / version / "site-packages"),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield Machine(first_process(boot), port)
    finally:
        boot.kill()
        boot.communicate()
        servers.terminate()
        servers.communicate()
        shutil.rmtree(folder, ignore_errors=True)


def prepare(folder: Path, database: str, broker: str, port: int) -> None:
    """The units, which log to a file here, and their settings."""
    (folder / "units").mkdir()
    (folder / "units" / "trial.target").write_text(TARGET)
    for unit in (ROOT / "deploy").glob("*.service"):
        text = unit.read_text().replace("--port 8000", f"--port {port}")
        logged = text.replace(
            "[Service]\n",
            "[Service]\nStandardOutput=append:/run/log\nStandardError=append:/run/log\n",
        )
        (folder / "units" / unit.name).write_text(logged)
    given = {"DATABASE_URL": database, "REDIS_URL": broker, "TOPOGRAPH_SECRET_KEY": "k" * 60}
    lines = (ROOT / "deploy" / "topograph.env").read_text().splitlines()
    names = [line.partition("=")[0] for line in lines]
    settings = [
        f"{n}={given[n]}" if n in given else line for n, line in zip(names, lines, strict=True)
    ]
    # Where this Python was built with a library of its own
    settings.append("LD_LIBRARY_PATH=/opt/python/lib")
    (folder / "topograph.env").write_text("\n".join(settings) + "\n")


def first_process(boot: subprocess.Popen) -> int:
    """The machine's systemd, once it has begun."""
    children = Path(f"/proc/{boot.pid}/task/{boot.pid}/children")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and boot.poll() is None:
        for pid in children.read_text().split():
            if "systemd" in Path(f"/proc/{pid}/cmdline").read_text():
                return int(pid)
        time.sleep(0.1)
    boot.kill()
    pytest.skip(f"no machine could be made here: {boot.stderr.read()[-300:]}")


def test_systemd_starts_them_and_brings_them_back(machine):
    """The tables are made, then the web server and two workers start; what is killed comes back;
    all of it stops."""
    running = ["exited", "running", "running", "running"]
    until(
        lambda: (
            machine.states() == running and machine.health() == 200 and machine.ready_workers() == 2
        ),
        machine,
    )
    killed = ("topograph-web", "topograph-worker@2")
    before = {machine.main_process(unit) for unit in killed} | {0}
    machine.run("systemctl", "kill", "--signal=KILL", *killed)
    until(lambda: not before & {machine.main_process(unit) for unit in killed}, machine)
    until(
        lambda: (
            machine.states() == running and machine.health() == 200 and machine.ready_workers() == 3
        ),
        machine,
    )
    machine.run("systemctl", "stop", "topograph-web", "topograph-worker@1", "topograph-worker@2")
    ended = [
        machine.ended(unit)
        for unit in ("topograph-web", "topograph-worker@1", "topograph-worker@2")
    ]
    assert set(ended) <= {
        ("dead", "success"),
        ("failed", "timeout"),
    }, ended  # killed where it needs too long to end
    assert not machine.run("pgrep", "--uid", "topograph")


def test_they_write_where_they_may(machine):
    """Their state folder is theirs alone, and nothing of the code is written to."""
    assert machine.run("stat", "--format=%U %a", "/var/lib/topograph") == "topograph 700\n"
    assert not machine.run("find", "/opt/topograph", "-xdev", "-user", "topograph")
