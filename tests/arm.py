"""Load the whole application and train once as on a machine with an ARM processor, which QEMU
emulates:

    .venv/bin/python -m tests.arm [ENGINE]

It fetches Debian's Python for arm64 and the locked packages as wheels for it. There it loads every
module of the application, has Django check it, and trains ENGINE (cvb0, whose kernels are the
fewest) on simulated documents, twice there and once here. The compiler works in the emulation, too,
so it takes about half an hour of a processor (ssi: more than an hour, and not seen to its end yet).
Both trainings there must give the same bits, and predict held-out words as well as the one here.
The last line is `1 passed, 0 failed` or `0 passed, 1 failed`. It needs qemu-aarch64-static (package
qemu-user-static of Debian) and dpkg-deb.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests import elsewhere
from tests.conftest import ROOT
from webapp.platform.local import environment

QEMU = "qemu-aarch64-static"
MACHINE = "aarch64-manylinux_2_28"  # as uv calls it
PYTHON = "3.13"  # of the release that tests.elsewhere fetches from
PACKAGES = [*elsewhere.PACKAGES, "libstdc++6"]  # which numba's compiler needs
LARGEST_DIFFERENCE = 0.01  # of the nats per held-out word: libraries of mathematics differ
# All modules of the application with their packages; no database is asked
LOADING = """
import importlib, pkgutil, platform
import django
django.setup()
from django.core.management import call_command
call_command("check")
loaded = 0
for name in ("inference", "tasks", "webapp"):
    for module in pkgutil.walk_packages(importlib.import_module(name).__path__, name + "."):
        # Sharing a training needs a package that is not among the locked ones of the runtime
        if not module.name.endswith("__main__") and "cluster" not in module.name:
            importlib.import_module(module.name)
            loaded += 1
print(f"{platform.machine()}: {loaded} modules were loaded", flush=True)
"""
# A training, as README describes it. Prints its numbers as one line of JSON
PROGRAM = """
import hashlib, json, platform, sys, time
import numpy as np
from inference import Bow, Snapshot, engines, train
from scipy.sparse import csr_array

random = np.random.default_rng(1)
topics = random.dirichlet(np.full(300, 0.05), size=8)
mixtures = random.dirichlet(np.full(8, 0.2), size=400)
counts = random.multinomial(60, mixtures @ topics)
bow = Bow.from_csr(csr_array(counts))
name = sys.argv[1]
engine, config = engines.get(name), engines.config(name, topics=8, passes=4)
for _ in range(int(sys.argv[2])):
    began = time.monotonic()
    for event in train(engine, config, bow, seed=1):
        if isinstance(event, Snapshot):
            last = event
    digest = hashlib.sha256(np.ascontiguousarray(last.topics.top(10)).tobytes()).hexdigest()
    trained = {"held_out": last.held_out, "digest": digest, "seconds": time.monotonic() - began}
    print(json.dumps(trained | {"machine": platform.machine()}), flush=True)
"""


def make_machine(folder: Path) -> None:
    """Debian's Python for arm64 with the locked packages, in a folder."""
    (folder / "usr" / "bin").mkdir(parents=True)
    for name in ("bin", "sbin", "lib"):
        (folder / "usr" / name).mkdir(exist_ok=True)
        (folder / name).symlink_to(f"usr/{name}")
    listed = elsewhere.packages()
    for name in elsewhere.needed(PACKAGES, listed):
        elsewhere.unpack(listed[name], folder)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    install = [sys.executable, "-m", "uv", "pip", "install", "-q", "--no-deps"]
    install += ["--only-binary", ":all:", "--require-hashes", "--target", str(folder / "packages")]
    install += ["--python-platform", MACHINE, "--python-version", PYTHON]
    lock = ROOT / "requirements" / "runtime.lock"
    subprocess.run([*install, "-r", str(lock)], env=environment.uv_env(pip), check=True)


def variables_there(folder: Path) -> dict[str, str]:
    """The environment of a process in the emulation."""
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "webapp.settings",
        "DATABASE_URL": "postgresql://nobody@localhost/none",  # which is not asked
        "REDIS_URL": "redis://localhost:1/0",
        "PYTHONHOME": str(folder / "usr"),
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(folder / "packages"))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONWARNINGS": "ignore",  # the compiler says which loops it leaves as they are
        "NUMBA_NUM_THREADS": "1",
        "TOPOGRAPH_KERNELS": str(folder / "kernels"),
    }


def python_there(folder: Path) -> list[str]:
    return [QEMU, "-L", str(folder), str(folder / "usr" / "bin" / f"python{PYTHON}")]


def load_there(folder: Path) -> None:
    """Raises CalledProcessError where a module or what Django checks fails."""
    subprocess.run(
        [*python_there(folder), "-c", LOADING], cwd=ROOT, env=variables_there(folder), check=True
    )


def train_there(folder: Path, engine: str) -> list[dict]:
    """Two trainings in the emulation."""
    command = [*python_there(folder), "-c", PROGRAM, engine, "2"]
    return trainings(command, variables_there(folder))


def train_here(engine: str) -> dict:
    (trained,) = trainings([sys.executable, "-c", PROGRAM, engine, "1"], dict(os.environ))
    return trained


def trainings(command: list[str], variables: dict[str, str]) -> list[dict]:
    """What the program printed. Raises CalledProcessError."""
    done = subprocess.run(
        command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True, check=True
    )
    print(done.stdout, end="", flush=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main(arguments: list[str]) -> int:
    if shutil.which(QEMU) is None:
        sys.exit(f"Not tried: {QEMU} is not installed.")
    engine = arguments[0] if arguments else "cvb0"
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="topograph-arm-") as place:
        make_machine(Path(place))
        print(f"{time.monotonic() - began:.0f} s: Python and packages are there", flush=True)
        load_there(Path(place))
        first, second = train_there(Path(place), engine)
    here = train_here(engine)
    passed = (
        first["machine"] == "aarch64"
        and first["digest"] == second["digest"]
        and abs(first["held_out"] - here["held_out"]) < LARGEST_DIFFERENCE
    )
    print(f"{time.monotonic() - began:.0f} s")
    print("1 passed, 0 failed" if passed else "0 passed, 1 failed")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
