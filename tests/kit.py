"""The kit, from its archive to the example's overview, on a machine without a network:

    .venv/bin/python -m tests.kit [ARCHIVE]

Without ARCHIVE it builds one (deploy/kit/build.py), around the wheel in dist/ or, where there is
none, one without compiled kernels. It unpacks the kit in an empty folder and starts it in a
namespace whose only network is the machine itself. Where no namespace is allowed it says so, and
tries nothing. The last line is `1 passed, 0 failed` or `0 passed, 1 failed`.
"""

import html
import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.conftest import ROOT

INSIDE = "--inside"  # of our own call in the namespace
INDEX = "https://example.org/"  # any address outside
READY = re.compile(r"^Topograph is ready at (\S+)$", re.MULTILINE)
EXAMPLE = re.compile(r'<a class="button primary" href="([^"]+)">\s*Open the example')
MOST_SECONDS = 2700.0  # to the overview; on a busy machine the compiler alone takes a while


def build(folder: Path) -> Path:
    """The archive, around the wheel that is there."""
    if not list((ROOT / "dist").glob("topograph-*.whl")):
        wheel = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
        subprocess.run(wheel, cwd=ROOT, check=True)
    subprocess.run([sys.executable, "-m", "deploy.kit.build", str(folder)], cwd=ROOT, check=True)
    (archive,) = folder.glob("*.tar")
    return archive


def environment(home: Path) -> dict[str, str]:
    """Of a newcomer: nothing is installed, configured or compiled."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}


def has_way_out() -> bool:
    try:
        urllib.request.urlopen(INDEX, timeout=5).close()
    except OSError:
        return False
    return True


def read(url: str) -> str:
    """A page; empty where the server does not answer, or with an error."""
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.read().decode()
    except OSError:
        return ""


def try_kit(archive: Path) -> None:
    """Start the kit and wait for the example's overview. Ends the process where it does not come."""
    if has_way_out():
        sys.exit("This namespace has a way out: nothing is proved in it.")
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
        (kit,) = Path(place).iterdir()
        log = Path(place, "start.log")
        home = Path(place, "home")
        home.mkdir()
        began = time.monotonic()
        with log.open("w") as out:
            command = [str(kit / "topograph"), "start", "--port", "8460"]
            process = subprocess.Popen(
                command, cwd=kit, env=environment(home), stdout=out, stderr=out
            )
        try:
            watch(process, log, began)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def watch(process: subprocess.Popen, log: Path, began: float) -> None:
    """Until the overview of the example is there, or the time is over."""
    url = None
    while time.monotonic() - began < MOST_SECONDS:
        time.sleep(1.0)
        if process.poll() is not None:
            break
        ready = READY.search(log.read_text())
        if ready is None:
            continue
        if url is None:
            url = ready[1]
            print(f"ready after {time.monotonic() - began:.0f} s", flush=True)
        trained = EXAMPLE.search(read(url))
        if trained is None:
            continue
        page = read(url.rstrip("/") + html.unescape(trained[1]))
        heading = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
        if heading is not None:
            print(f"overview after {time.monotonic() - began:.0f} s: {len(page):,} characters")
            return
    sys.exit(f"No overview of the example came. The log of the start:\n{log.read_text()[-2000:]}")


def main(arguments: list[str]) -> int:
    if arguments[:1] == [INSIDE]:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        try_kit(Path(arguments[1]))
        return 0
    namespace = ["unshare", "--map-root-user", "--net"]
    allowed = subprocess.run([*namespace, "ip", "link"], capture_output=True, text=True)
    if allowed.returncode:
        print(f"Skipped: no namespace of the network is allowed here: {allowed.stderr.strip()}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(arguments[0]).resolve() if arguments else build(Path(folder))
        call = [sys.executable, "-m", "tests.kit", INSIDE, str(archive)]
        failed = subprocess.run([*namespace, *call], cwd=ROOT).returncode
    print("0 passed, 1 failed" if failed else "1 passed, 0 failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
