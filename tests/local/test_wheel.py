"""The wheel that the project builds, installed and started as `pipx install` does it, in an empty
folder.

Nothing is downloaded: the packages that it needs are those of the tests. Nor is anything compiled
ahead, which takes a minute: tests/inference/test_warm_up.py and tests/local/test_start.py do that.
"""

import os
import re
import signal
import site
import subprocess
import sys
import time
import urllib.request
import zipfile

import pytest

from inference.runtime import kernel_files
from inference.runtime.versions import topograph
from tests.conftest import ROOT, START_SECONDS

SERVERS = (
    "DATABASE_URL",
    "REDIS_URL",
    "TOPOGRAPH_DATA",
    "TOPOGRAPH_ENVIRONMENT",
    "DJANGO_SETTINGS_MODULE",
    "PYTHONPATH",
)
# A line of a .pth file, which Python runs when it starts.
NOTHING_COMPILED = (
    "import sys, types; sys.modules['inference.compiling'] = "
    "types.SimpleNamespace(usual=lambda: None, rest=lambda: None)"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "hatchling",
            "build",
            "--target",
            "wheel",
            "--directory",
            str(folder),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def topograph_command(wheel, tmp_path_factory):
    """The command `topograph` in an environment of its own that sees the tests' packages."""
    environment = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "tests.pth").write_text("\n".join([*site.getsitepackages(), NOTHING_COMPILED]))
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*pip, str(wheel)], check=True)
    return environment / "bin" / "topograph"


def environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k not in SERVERS} | {
        "PYTHONUNBUFFERED": "1",
        "TOPOGRAPH_EXAMPLE": "0",
    }


def test_what_is_in_it(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    info = f"topograph-{topograph()}.dist-info"
    assert {
        "webapp/templates/base.html",
        "webapp/static/css/base.css",
        "webapp/static/vendor/LICENSE-plotly.txt",
        "webapp/example/state_of_the_union.csv.gz",
        "webapp/requirements/runtime.lock",
        f"{info}/licenses/LICENSE",
        f"{info}/licenses/NOTICE",
    } <= names
    shipped = {name.partition("/")[0] for name in names}
    assert shipped == {"inference", "tasks", "webapp", info}
    assert not [name for name in names if name.endswith((".nbi", ".nbc", ".pyc"))]
    for folder in ("templates", "static"):
        here = {
            str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*") if path.is_file()
        }
        assert here == {
            name.removeprefix("webapp/") for name in names if name.startswith(f"webapp/{folder}/")
        }


def test_compiled_kernels_are_packed(tmp_path):
    """Where they were made; git ignores them."""
    from hatchling.builders.wheel import WheelBuilder

    shipped = kernel_files.SHIPPED / "test.kernel"
    made = not shipped.parent.exists()
    shipped.parent.mkdir(exist_ok=True)
    try:
        shipped.touch()
        packed = {
            file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()
        }
        assert "inference/runtime/shipped/test.kernel" in packed
    finally:
        shipped.unlink()
        if made:
            shipped.parent.rmdir()


def test_commands_without_servers(topograph_command, tmp_path):
    def said(*arguments: str) -> str:
        return subprocess.run(
            [topograph_command, *arguments],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert said("version") == f"Topograph {topograph()}\n"
    assert re.search(r"^ +start +everything on this machine", said("help"), re.M)
    assert list(tmp_path.iterdir()) == []


def test_it_starts_in_an_empty_folder(topograph_command, tmp_path):
    log = tmp_path / "log"
    folder = tmp_path / "anywhere"
    folder.mkdir()
    with log.open("w") as out:
        process = subprocess.Popen(
            [topograph_command, "start", "--port", "8400"],
            cwd=folder,
            env=environment(),
            stdout=out,
            stderr=out,
        )
    try:
        url = ready(process, log)
        home = get(url)
        assert "Open the example" in home and f"Version {topograph()}" in home
        assert "font-face" in get(url + re.search(r'href="/(static/css/base[^"]*\.css)"', home)[1])
        assert f"State folder: {folder / 'topograph-data'}\n" in log.read_text()
        assert [path.name for path in folder.iterdir()] == ["topograph-data"]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()


def ready(process: subprocess.Popen, log) -> str:
    """The address, once it is said."""
    deadline = time.monotonic() + START_SECONDS
    while not (found := re.search(r"^Topograph is ready at (\S+)$", log.read_text(), re.M)):
        assert process.poll() is None and time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
    return found[1]


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as response:
        return response.read().decode()
