"""The kit, from its archive to the example's overview, on a machine without a network:

    .venv/bin/python -m tests.kit [ARCHIVE]

Without ARCHIVE it builds one (deploy/kit/build.py), around the wheel in dist/ or, where there is
none, one without compiled kernels. It unpacks the kit in an empty folder and starts it in a
namespace whose only network is the machine itself. Where no namespace is allowed it says so, and
tries nothing. The last line is `1 passed, 0 failed` or `0 passed, 1 failed`.
"""

import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from tests import first_topics
from tests.conftest import ROOT

INSIDE = "--inside"  # of our own call in the namespace
INDEX = "https://example.org/"  # any address outside


def build(folder: Path) -> Path:
    """The archive, around the wheel that is there."""
    if not list((ROOT / "dist").glob("topograph-*.whl")):
        wheel = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
        subprocess.run(wheel, cwd=ROOT, check=True)
    subprocess.run([sys.executable, "-m", "deploy.kit.build", str(folder)], cwd=ROOT, check=True)
    (archive,) = folder.glob("*.tar")
    return archive


def has_way_out() -> bool:
    try:
        urllib.request.urlopen(INDEX, timeout=5).close()
    except OSError:
        return False
    return True


def try_kit(archive: Path) -> None:
    """Start the kit and wait for the example's overview. Ends the process where it does not come."""
    if has_way_out():
        sys.exit("This namespace has a way out: nothing is proved in it.")
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
        (kit,) = Path(place).iterdir()
        home = Path(place, "home")
        home.mkdir()
        try:
            first_topics.start_and_watch(
                ["./topograph", "start"], kit, first_topics.environment(home)
            )
        except first_topics.NoTopics as error:
            sys.exit(str(error))


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
