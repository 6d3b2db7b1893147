"""A department's copy, from a bare Debian to https with accounts and a first class, by the lines of
docs/operations.md as they are printed:

    .venv/bin/python -m tests.department [--keep]

The machine is a container of Debian 12 with its systemd; packages come from Debian's and Python's
index. Two things differ from a department's: ADDRESS is a clone of this commit, and Caddy signs the
certificate by itself, because no authority can reach the machine. Then the operator signs in by
https, uploads the example and opens a class, a student joins it by its link and trains, a backup is
made, and the copy is upgraded to the same version. Each step says after how many seconds it was
done; the last line is `1 passed, 0 failed`. It needs root, and what tests.containers needs.
"""

import argparse
import os
import pty
import re
import ssl
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from socket import create_connection

from tests.conftest import ROOT
from tests.containers import engine
from tests.containers.__main__ import Site
from tests.local.test_proxies import NAME, PASSWORD
from tests.waiting import until

IMAGE = "topograph-bare-debian"
CONTAINER = "topograph-department"
PACKAGES = (
    "ca-certificates,systemd,systemd-sysv,dbus"  # of a machine that one rents; ours have more
)
CHAPTER = "## A department's copy in ten minutes"
REPOSITORY = "/srv/topograph.git"
ROOT_CERTIFICATE = "/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt"
ASKS = (b"assword: ", b"Once more: ")  # the command `account`
SECONDS = 900.0  # for anything
PIPED = {"capture_output": True, "text": True}
# Of what a rented machine may do, as far as a container of Docker can
MAY = ("SYS_ADMIN", "NET_ADMIN", "SYS_PTRACE")


class HttpsSite(Site):
    """The site by its name and Caddy's certificate."""

    def __init__(self, address: str, certificate_file: str):
        super().__init__(443)
        self.address = address
        self.certificate_file = certificate_file

    def connection(self, protocols: tuple[str, ...] = ()) -> HTTPConnection:
        context = ssl.create_default_context(cafile=self.certificate_file)
        connection = HTTPSConnection(NAME, timeout=300)
        raw = create_connection((self.address, 443), 20)
        connection.sock = context.wrap_socket(raw, server_hostname=NAME)
        self.opened.append(connection)
        return connection


@dataclass
class Clock:
    """Seconds since the first line was typed."""

    began: float = field(default_factory=time.monotonic)

    def tell(self, what: str) -> None:
        print(f"{time.monotonic() - self.began:5.0f} s  {what}", flush=True)


def printed_blocks() -> list[str]:
    """The commands of the chapter: install, account, backup, upgrade."""
    text = (ROOT / "docs" / "operations.md").read_text()
    chapter = text.split(CHAPTER)[1].split("\n## ")[0]
    return re.findall(r"^```sh\n(.*?)^```$", chapter, re.M | re.S)


def inside(*command: str, **options) -> subprocess.CompletedProcess:
    return engine.docker("exec", CONTAINER, *command, **options)


def type_lines(lines: str, answer: str = "") -> str:
    """Type lines into a terminal of the machine, with `answer` wherever a password is asked for.
    Returns what it showed. Raises CalledProcessError at the first that fails."""
    shown = b""

    def read(descriptor: int) -> bytes:
        nonlocal shown
        data = os.read(descriptor, 1024)
        shown += data
        if answer and data.endswith(ASKS):
            os.write(descriptor, answer.encode() + b"\n")
        return data

    argv = ["docker", "exec", "-it", CONTAINER, "bash", "-exc", lines]
    failed = os.waitstatus_to_exitcode(pty.spawn(argv, read))
    if failed:
        raise subprocess.CalledProcessError(failed, lines, shown)
    return shown.decode(errors="replace")


def boot(folder: Path) -> str:
    """Start the machine, with a repository of this commit; returns its address."""
    if not engine.is_there(IMAGE):
        engine.import_debian(folder / "debian", IMAGE, PACKAGES, "/lib/systemd/systemd")
    for_systemd = ["--tmpfs", "/run", "--tmpfs", "/run/lock", "--tmpfs", "/tmp:exec"]
    for_systemd += ["--volume", "/sys/fs/cgroup:/sys/fs/cgroup", "--env", "container=docker"]
    for_systemd += ["--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined"]
    for capability in MAY:
        for_systemd += ["--cap-add", capability]
    engine.docker(
        *("run", "--detach", "--name", CONTAINER, "--hostname", "department", *for_systemd),
        *("--add-host", f"{NAME}:127.0.0.1", IMAGE, "/lib/systemd/systemd"),
        stdout=subprocess.DEVNULL,
    )
    repository = folder / "topograph.git"
    subprocess.run(
        ["git", "clone", "-q", "--bare", "--depth", "1", ROOT.as_uri(), repository], check=True
    )
    engine.docker("cp", repository, f"{CONTAINER}:{REPOSITORY}")
    # As if root had fetched it
    inside("chown", "-R", "root:root", REPOSITORY)
    until(
        lambda: (
            inside("sh", "-c", "systemctl is-system-running || true", **PIPED).stdout.strip()
            in ("running", "degraded")
        ),
        60,
    )
    shown = engine.docker(
        "inspect", "--format", "{{.NetworkSettings.IPAddress}}", CONTAINER, **PIPED
    )
    return shown.stdout.strip()


def with_own_certificate(lines: str) -> str:
    """The lines with Caddy's own authority, and the address of the repository."""
    site = f"/{NAME}/$NAME/"
    assert site in lines and "ADDRESS" in lines
    return lines.replace("ADDRESS", REPOSITORY).replace(
        "> /etc/caddy/Caddyfile",
        "| sed 's/encode zstd/tls internal\\n    &/' > /etc/caddy/Caddyfile",
    )


def open_a_class(site: HttpsSite, clock: Clock) -> tuple[int, str]:
    """Upload the example, open a class over it; returns the corpus and the link's path."""
    corpus = site.upload()
    clock.tell("the texts are read")
    leads = site.post(
        "/courses/", {"name": "First", "corpus": str(corpus), "days": "30"}, "/courses/"
    )
    link = re.search(rf"https://{re.escape(NAME)}(/join/[\w-]+/)", site.get(leads))
    assert link is not None, "the page of the class shows no link"
    clock.tell("a class is open")
    return corpus, link[1]


def try_department(address: str, folder: Path, clock: Clock) -> None:
    install, account, backup, upgrade = printed_blocks()
    type_lines(with_own_certificate(install))
    clock.tell("installed")
    type_lines(account, PASSWORD)
    clock.tell("the operator has an account")
    certificate = folder / "root.crt"
    engine.docker("cp", f"{CONTAINER}:{ROOT_CERTIFICATE}", certificate)
    teacher = HttpsSite(address, str(certificate))
    teacher.enter()
    clock.tell("signed in by https")
    corpus, link = open_a_class(teacher, clock)
    student = HttpsSite(address, str(certificate))
    student.post(link, {"name": "Bea"}, link)
    clock.tell("a student has joined")
    run = student.train(corpus, {"topics": "12", "passes": "4"})
    student.until(f"/runs/{run}.json", "done")
    clock.tell("the student's topics are there")
    type_lines(backup)
    assert inside("sh", "-c", "ls /srv/backups", **PIPED).stdout.count("topograph-") == 1
    clock.tell("a backup is made")
    type_lines(upgrade)
    until(lambda: teacher.ask("GET", "/healthz")[0] == 200, SECONDS)
    assert student.ask("GET", f"/runs/{run}/topics/")[0] == 200
    clock.tell("upgraded, and the topics are there")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", action="store_true", help="leave the machine at the end")
    keep = parser.parse_args().keep
    lacking = engine.missing()
    if lacking:
        sys.exit(f"Not tried: {lacking}.")
    failed = 0
    with engine.engine(), tempfile.TemporaryDirectory(prefix="topograph-department-") as name:
        try:
            address = boot(Path(name))
            try_department(address, Path(name), Clock())
        except Exception:
            failed = 1
            print(f"failed:\n{traceback.format_exc()}")
            subprocess.run(["docker", "exec", CONTAINER, "journalctl", "-n", "60", "--no-pager"])
        if not keep:
            engine.docker("rm", "--force", "--volumes", CONTAINER, stdout=subprocess.DEVNULL)
    print(f"{1 - failed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
