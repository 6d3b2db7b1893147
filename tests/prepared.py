"""State folders for tests that start a Topograph to test something else: a first start takes twenty
seconds of the processor for the tables, and to see that every kernel is compiled. It is done once,
and copied."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

from webapp.platform.local import compilation
from webapp.platform.local.package import ROOT

MAKE = """
import os
from webapp.platform.local import migrations, servers
with servers.for_command():
    migrations.bring_up_to_date(dict(os.environ))
"""
KEPT = ("postgres", "postgres-password", "migrated")


def outside() -> dict[str, str]:
    """The environment without the tests' own servers."""
    return {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")}


def state_folder(data: Path) -> Path:
    """Make the state folder `data`, as it is after a start and an end; returns it."""
    data.mkdir(mode=0o700, parents=True)
    first = _first()
    for name in KEPT:
        copy = shutil.copytree if (first / name).is_dir() else shutil.copy2
        copy(first / name, data / name)
    say_that_kernels_are_compiled(data)
    return data


def say_that_kernels_are_compiled(data: Path) -> None:
    """To a Topograph in the state folder `data`, where `manage.py test` has compiled every kernel: it
    would load each of them to see that there is nothing to do."""
    compiled = ROOT / ".pytest_cache" / "compiled"
    if compilation.is_done(compiled):
        for part in (compilation.ENGINE, compilation.REST):
            shutil.copy2(compiled, compilation.done(part, data))


def _first() -> Path:
    """The one that all are copies of, made by the first worker that needs it."""
    shared = Path(os.environ["TOPOGRAPH_DATA"])
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    first = shared / "prepared"
    making = shared / "prepared.new"
    with (shared / "prepared.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not first.exists():
            env = outside() | {
                "TOPOGRAPH_DATA": str(making),
                "DJANGO_SETTINGS_MODULE": "webapp.settings",
            }
            subprocess.run([sys.executable, "-c", MAKE], cwd=ROOT, env=env, check=True)
            making.rename(first)
    return first
