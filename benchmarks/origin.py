"""What a result is stored with: the commit and the machine that it was measured on; and the options
of the programs that measure, and what those need that work with the program's own rows."""

import argparse
import os
import platform
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
EXAMPLE = ROOT / "webapp" / "example" / "state_of_the_union.csv.gz"


def machine() -> dict:
    """Processor, cores, system and Python's version."""
    model = platform.processor() or platform.machine()
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def commit() -> str:
    """The commit of this checkout, and whether files differ from it."""
    changes = _git("status", "--porcelain", "--untracked-files=no")
    return _git("rev-parse", "HEAD") + (" with changes" if changes else "")


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return done.stdout.strip()


def options(described: str | None, declared: dict[str, dict[str, Any]]) -> argparse.ArgumentParser:
    """declared: what argparse is told of each option, by its name."""
    parser = argparse.ArgumentParser(
        description=described, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, settings in declared.items():
        parser.add_argument(name, **settings)
    return parser


@contextmanager
def started(data: Path | None) -> Iterator[None]:
    """Django and its servers, with a state folder: one that stays, or with None one that is deleted
    at the end."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TOPOGRAPH_DATA"] = str((data or Path(folder)).resolve())
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
        from webapp.platform.local import servers

        with servers.for_command():
            import django

            django.setup()
            yield
