"""Dockerfile and docker-compose.yml, run for real: built, brought up with two workers, used, each
service restarted, and backups taken there and back between containers and a local start; then one
container that has all in it.

    python -m tests.containers [--image NAME] [--restarts N] [--keep]
    python -m tests.containers --from COMMIT [--image NAME] [--keep]

Where no Docker engine answers, root gets one for as long as it takes. Base images that are not
there and can't be pulled are replaced by stand-ins made of Debian's packages and of our wheels
(standins/), and said so. --image takes an image that was built before, --restarts has each service
restarted so often, --keep leaves all up at the end.

With --from an earlier release, built and brought up from that commit (0.3.0 is f4c0bc62), is
upgraded instead: it trains twice, and is stopped while the second run is at work. This checkout goes
on with its volumes; what was exported must be as it was, and the run must end. The last line is `failed: N of M steps`; where
there is neither engine nor Compose it says what is missing, and ends.
"""

import argparse
import hashlib
import http.client
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest

from benchmarks.browser import BOUNDARY, Browser, reading_fields, training_form
from benchmarks.origin import EXAMPLE
from tests.conftest import start
from tests.containers import engine
from tests.local.test_proxies import NAME, PASSWORD, Reader
from tests.upgrade import rows
from webapp.platform.local.processes import free_port

ROOT = engine.ROOT
PROJECT = "topograph-trial"
SETTINGS = {"topics": "12", "passes": "4", "seed": "5"}
LONGER = SETTINGS | {"passes": "25"}
LONGEST = SETTINGS | {"topics": "50", "passes": "60"}  # still at work when all is stopped
ALONE = f"{PROJECT}-alone"  # the container that has all in it, and its volume
ALONE_CHAPTER = "### In a container\n"
EXPORTS = ("topics-long", "document-topics")
MINUTES = 20.0  # for anything; these machines are shared


class Site(Reader):
    """The web server's port, as the reverse proxy on this machine speaks to it."""

    def __init__(self, port: int, scheme: str = "https", name: str = NAME):
        super().__init__(port, Path())
        self.scheme = scheme
        self.name = name

    def connection(self, protocols: tuple[str, ...] = ()) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        self.opened.append(connection)
        return connection

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, str, str]:
        """(status, where it leads, text)"""
        proxied = {
            "Host": self.name,
            "X_Forwarded_Proto": self.scheme,
            "X_Forwarded_For": "198.51.100.7",
        }
        referer = {"Referer": f"{self.scheme}://{self.name}/"}
        answer = self.begin(method, path, body, **proxied, **referer, **headers)
        text = answer.read().decode()
        self.close()
        return answer.status, answer.headers.get("Location") or "", text

    def get(self, path: str) -> str:
        status, _, text = self.ask("GET", path)
        assert status == 200, f"{path}: {status} {text[:500]}"
        return text

    def post(
        self, path: str, fields: dict[str, str], token_from: str, file: Path | None = None
    ) -> str:
        """Where it leads."""
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.get(token_from))
        assert token, token_from
        fields = {"csrfmiddlewaretoken": token[1], **fields}
        body = urlencode(fields, doseq=True).encode()
        kind = "application/x-www-form-urlencoded"
        if file:
            body = Browser.multipart(fields, file, "files")
            kind = f"multipart/form-data; boundary={BOUNDARY}"
        status, leads, text = self.ask("POST", path, body, Content_Type=kind)
        assert status == 302, f"{path}: {status} {text[:2000]}"
        return leads

    def enter(self) -> None:
        self.cookies.clear()
        self.post(
            "/account/login/", {"login": "ada@example.org", "password": PASSWORD}, "/account/login/"
        )

    def until(self, path: str, *statuses: str) -> dict:
        """The JSON of a page, once its status is one of these; answers of a server that restarts
        are passed over."""
        deadline = time.monotonic() + 60 * MINUTES
        last = ""
        while time.monotonic() < deadline:
            try:
                status, _, text = self.ask("GET", path)
            except (OSError, http.client.HTTPException) as error:
                status = 0
                text = repr(error)
            if status == 200 and json.loads(text)["status"] in statuses:
                return json.loads(text)
            last = f"{status} {text[:2000]}"
            if status == 200 and json.loads(text)["status"] == "failed":
                break
            time.sleep(1)
        raise TimeoutError(f"{path} is not {' or '.join(statuses)}: {last}")

    def upload(self) -> int:
        """The corpus of the example, once it is read."""
        corpus = number(self.post("/corpora/", {"name": "Trial"}, "/", EXAMPLE))
        address = f"/corpora/{corpus}/prepare/"
        self.post(address, reading_fields(self.get(address)), address)
        self.until(f"/corpora/{corpus}.json", "ready")
        return corpus

    def train(self, corpus: int, settings: dict[str, str]) -> int:
        address = f"/corpora/{corpus}/"
        leads = self.post(f"{address}runs/", training_form(self.get(address)) | settings, address)
        return number(leads)

    def digest(self, run: int) -> str:
        """A digest of a run's topics and each document's topics."""
        sums = hashlib.sha256()
        for name in EXPORTS:
            sums.update(self.get(f"/runs/{run}/export/{name}.csv").encode())
        return sums.hexdigest()


def printed_lines(chapter: str) -> list[str]:
    """Those of the first commands in a chapter of docs/operations.md."""
    text = (ROOT / "docs" / "operations.md").read_text().split(chapter)[1]
    block = re.search(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    assert block is not None, chapter
    return block[1].splitlines()


def number(address: str) -> int:
    return int(re.findall(r"/(\d+)/", address)[0])


@dataclass
class Trial:
    """What the steps share. Each public method that `STEPS` names is one."""

    folder: Path
    image: str
    port: int
    restarts: int = 1
    earlier: str = ""  # the commit that is upgraded
    checkout: Path = ROOT
    corpus: int = 0
    run: int = 0
    digest: str = ""

    def __post_init__(self) -> None:
        self.site = Site(self.port)
        values = {
            "POSTGRES_PASSWORD": secrets.token_urlsafe(20),
            "REDIS_PASSWORD": secrets.token_urlsafe(20),
            "TOPOGRAPH_SECRET_KEY": secrets.token_urlsafe(40),
            "TOPOGRAPH_HOSTS": NAME,
            "TOPOGRAPH_LISTEN": f"127.0.0.1:{self.port}",
            "TOPOGRAPH_PROXY": "172.16.0.0/12",
        }
        (self.folder / "env").write_text(
            "".join(f"{name}={value}\n" for name, value in values.items())
        )
        (self.folder / "backups").mkdir()

    def compose(self, *arguments: str, **options) -> str:
        argv = [
            *engine.compose(),
            "--project-name",
            PROJECT,
            "--file",
            str(self.checkout / "docker-compose.yml"),
            "--env-file",
            str(self.folder / "env"),
            *arguments,
        ]
        done = subprocess.run(
            argv, cwd=self.checkout, capture_output=True, text=True, timeout=60 * MINUTES, **options
        )
        assert done.returncode == 0, (
            f"{' '.join(arguments)}:\n{done.stdout[-2000:]}{done.stderr[-3000:]}"
        )
        return done.stdout

    def build(self) -> None:
        if self.image:
            engine.docker("tag", self.image, "topograph")
        else:
            self.build_checkout()

    def build_checkout(self) -> None:
        engine.docker(
            *("build", "--network", "host", "--tag", "topograph", self.checkout),
            stdout=subprocess.DEVNULL,
        )

    def build_earlier(self) -> None:
        """From its own commit, with its own Dockerfile and docker-compose.yml."""
        self.checkout = self.folder / "earlier"
        subprocess.run(["git", "clone", "-q", ROOT, self.checkout], check=True)
        subprocess.run(["git", "checkout", "-q", self.earlier], cwd=self.checkout, check=True)
        self.build_checkout()

    def up(self) -> None:
        """All services are healthy by their own checks, two workers among them."""
        self.compose("up", "--no-build", "--detach", "--scale", "worker=2")
        self.healthy()

    def healthy(self) -> None:
        deadline = time.monotonic() + 60 * MINUTES
        while True:
            ids = self.compose("ps", "--quiet").split()
            asked = [
                "inspect",
                "--format",
                '{{index .Config.Labels "com.docker.compose.service"}} {{if .State.Health}}'
                "{{.State.Health.Status}}{{end}}",
                *ids,
            ]
            lines = engine.docker(*asked, capture_output=True, text=True).stdout.split("\n")
            states = sorted(line for line in lines if line and not line.startswith("migrate"))
            if states == [
                "postgres healthy",
                "redis healthy",
                "web healthy",
                "worker healthy",
                "worker healthy",
            ]:
                return
            assert time.monotonic() < deadline, states
            time.sleep(2)

    def account(self) -> None:
        self.compose(
            "exec",
            "-T",
            "web",
            "python3",
            "manage.py",
            "account",
            "ada@example.org",
            "--name",
            "Ada",
            "--operator",
            "--password-stdin",
            input=PASSWORD,
        )
        self.site.enter()

    def upload(self) -> None:
        self.corpus = self.site.upload()

    def train(self) -> None:
        self.run = self.site.train(self.corpus, SETTINGS)
        self.site.until(f"/runs/{self.run}.json", "done")
        self.digest = self.site.digest(self.run)

    def browse(self) -> None:
        word = json.loads(self.site.get(f"/runs/{self.run}/topics.json"))["items"][0]["words"][0]
        for page in (
            "",
            "topics/",
            "topics/0/",
            "documents/",
            "documents/5/",
            f"words/{word}/",
            "time/",
        ):
            self.site.get(f"/runs/{self.run}/{page}")
        for page in ("/", "/notebooks/", f"/corpora/{self.corpus}/", "/operator/"):
            self.site.get(page)

    def two_at_once(self) -> None:
        """Two trainings at once give what one gave."""
        runs = [self.site.train(self.corpus, SETTINGS) for _ in range(2)]
        for run in runs:
            self.site.until(f"/runs/{run}.json", "done")
            assert self.site.digest(run) == self.digest

    def restart(self) -> None:
        """Each service is restarted while a run trains, which comes out as one that was left
        alone."""
        alone = self.site.train(self.corpus, LONGER)
        self.site.until(f"/runs/{alone}.json", "done")
        for _ in range(self.restarts):
            struck = self.site.train(self.corpus, LONGER)
            self.site.until(f"/runs/{struck}.json", "running")
            for service in ("worker", "redis", "web", "postgres"):
                self.compose("restart", service)
                self.healthy()
            self.site.until(f"/runs/{struck}.json", "done")
            assert self.site.digest(struck) == self.site.digest(alone)

    def upgrade(self) -> None:
        """The new image takes the volumes of the earlier one, which is stopped while a run is at
        work."""
        exported = {name: self.site.get(self.export_address(name)) for name in EXPORTS}
        at_work = self.site.train(self.corpus, LONGEST)
        self.site.until(f"/runs/{at_work}.json", "running")
        while not self.site.until(f"/runs/{at_work}.json", "running", "done")["step"]:
            time.sleep(1)
        self.compose("stop", "--timeout", "10")
        self.checkout = ROOT
        self.build()
        self.up()
        self.site.enter()
        state = self.site.until(f"/runs/{at_work}.json", "running", "done")
        print(f"the run at work goes on from step {state['step']} of {state['steps']}", flush=True)
        self.site.until(f"/runs/{at_work}.json", "done")
        for name, before in exported.items():
            now = rows(self.site.get(self.export_address(name)))
            then = rows(before)
            assert len(now) == len(then) > 0, f"{name}: {len(then)} rows before, {len(now)} now"
            for new, old in zip(now, then, strict=True):
                assert new | old == new, f"{name}: {old} before, {new} now"
        self.site.until(f"/runs/{self.site.train(self.corpus, SETTINGS)}.json", "done")

    def export_address(self, name: str) -> str:
        return f"/runs/{self.run}/export/{name}.csv"

    def back_up(self) -> None:
        self.compose(
            "run",
            "--rm",
            "-T",
            "--no-deps",
            "--user",
            "0",
            "--volume",
            f"{self.folder}/backups:/backups",
            "migrate",
            "python3",
            "manage.py",
            "backup",
            "/backups",
        )
        assert len(list((self.folder / "backups").glob("topograph-*.tar.zst"))) == 1

    def restore_locally(self) -> None:
        """The containers' backup in a state folder of this machine; it makes a backup of its
        own."""
        (backup,) = (self.folder / "backups").glob("topograph-*.tar.zst")
        self._manage("restore", str(backup))
        with self._local() as site:
            site.enter()
            assert site.digest(self.run) == self.digest
            site.until(f"/runs/{site.train(self.corpus, SETTINGS)}.json", "done")
        backup.unlink()
        self._manage("backup", str(self.folder / "backups"))

    def restore_into_containers(self) -> None:
        """The local start's backup in new volumes."""
        (backup,) = (self.folder / "backups").glob("topograph-*.tar.zst")
        self.compose("down", "--volumes")
        self.compose("up", "--no-build", "--detach", "postgres", "redis")
        restore = f"python3 manage.py restore /backups/{backup.name} && chown -R topograph /data"
        self.compose(
            "run",
            "--rm",
            "-T",
            "--user",
            "0",
            "--volume",
            f"{self.folder}/backups:/backups",
            "migrate",
            "sh",
            "-c",
            restore,
        )
        self.up()
        self.site.enter()
        assert self.site.digest(self.run) == self.digest
        self.site.until(f"/runs/{self.site.train(self.corpus, SETTINGS)}.json", "done")

    def alone(self) -> None:
        """One container on one's own machine, by the lines of docs/operations.md; it is stopped and
        started again. The image is there."""
        port = free_port(8206)
        _, run, account = printed_lines(ALONE_CHAPTER)
        run = run.replace("127.0.0.1:8000:", f"127.0.0.1:{port}:")
        run = run.replace("--name topograph ", f"--name {ALONE} ")
        run = run.replace("--volume topograph:", f"--volume {ALONE}:")
        account = account.replace("--tty topograph ", f"{ALONE} ")
        site = Site(port, "http", f"127.0.0.1:{port}")
        try:
            subprocess.run(run, shell=True, check=True, stdout=subprocess.DEVNULL)
            subprocess.run(
                f"{account} --password-stdin", shell=True, check=True, input=PASSWORD, text=True
            )
            self.answers(site)
            site.enter()
            trained = site.train(site.upload(), SETTINGS)
            site.until(f"/runs/{trained}.json", "done")
            engine.docker("stop", "--time", "60", ALONE, stdout=subprocess.DEVNULL)
            engine.docker("start", ALONE, stdout=subprocess.DEVNULL)
            self.answers(site)
            assert site.digest(trained) == self.digest
        except Exception:
            subprocess.run(["docker", "logs", "--tail", "60", ALONE])
            raise
        finally:
            engine.docker("rm", "--force", ALONE, stdout=subprocess.DEVNULL)
            engine.docker("volume", "rm", "--force", ALONE, stdout=subprocess.DEVNULL)

    def answers(self, site: Site) -> None:
        """Wait for its first page."""
        deadline = time.monotonic() + 60 * MINUTES
        while time.monotonic() < deadline:
            with suppress(OSError, http.client.HTTPException):
                if site.ask("GET", "/healthz")[0] == 200:
                    return
            time.sleep(1)
        raise TimeoutError("no page came")

    def _manage(self, *arguments: str) -> None:
        env = os.environ | {
            "TOPOGRAPH_DATA": str(self.folder / "local"),
            "TOPOGRAPH_ENVIRONMENT": "current",
        }
        done = subprocess.run(
            [sys.executable, ROOT / "manage.py", *arguments],
            env=env,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-2000:]

    @contextmanager
    def _local(self) -> Iterator[Site]:
        with pytest.MonkeyPatch.context() as environ:
            environ.setenv("TOPOGRAPH_ACCOUNTS", "1")
            system = start(self.folder / "local", "--port", str(free_port()))
        try:
            port = int(system.url.rstrip("/").rsplit(":", 1)[1])
            yield Site(port, "http", f"127.0.0.1:{port}")
        finally:
            system.stop()

    def logs(self) -> str:
        """What the services logged last."""
        try:
            return self.compose("logs", "--no-color", "--tail", "150")
        except AssertionError as error:  # none was started
            return str(error)

    def down(self) -> None:
        self.compose("down", "--volumes", "--timeout", "10")


STEPS: tuple[Callable[[Trial], None], ...] = (
    Trial.build,
    Trial.up,
    Trial.account,
    Trial.upload,
    Trial.train,
    Trial.browse,
    Trial.two_at_once,
    Trial.restart,
    Trial.back_up,
    Trial.restore_locally,
    Trial.restore_into_containers,
    Trial.alone,
)

UPGRADE: tuple[Callable[[Trial], None], ...] = (
    Trial.build_earlier,
    Trial.up,
    Trial.account,
    Trial.upload,
    Trial.train,
    Trial.upgrade,
    Trial.browse,
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--image", default="", help="use this image instead of building one")
    parser.add_argument(
        "--restarts",
        type=int,
        default=1,
        help="of each service, each time while another run trains",
    )
    parser.add_argument(
        "--keep", action="store_true", help="leave containers and folder at the end"
    )
    parser.add_argument(
        "--from", dest="earlier", default="", help="the commit of a release to upgrade from"
    )
    given = parser.parse_args()
    steps = UPGRADE if given.earlier else STEPS
    if lacking := engine.missing():
        sys.exit(f"Not tried: {lacking}.")
    folder = Path(tempfile.mkdtemp(prefix="topograph-trial-"))
    failed = 0
    with engine.engine():
        print(f"stand-ins: {', '.join(engine.stand_ins()) or 'none'}")
        trial = Trial(folder, given.image, free_port(8106), given.restarts, given.earlier)
        for step in steps:
            began = time.monotonic()
            try:
                step(trial)
                print(f"{step.__name__}: {time.monotonic() - began:.0f} s", flush=True)
            except Exception:
                failed += 1
                print(
                    f"{step.__name__} failed:\n{traceback.format_exc()}\n{trial.logs()}", flush=True
                )
                break  # what comes after rests on it
        if not given.keep:
            trial.down()
            shutil.rmtree(folder)
    print(f"failed: {failed} of {len(steps)} steps")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
