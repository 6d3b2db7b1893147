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


def machine() -> dict:
    model = platform.processor() or platform.machine()
    with suppress(OSError, StopIteration):
        model = next(
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        )
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def commit() -> str:
    def git(*argv: str) -> str:
        return subprocess.run(
            ["git", *argv], capture_output=True, text=True, cwd=ROOT
        ).stdout.strip()

    return git("rev-parse", "HEAD") + (
        " with changes" if git("status", "--porcelain", "--untracked-files=no") else ""
    )


def options(described: str | None, declared: dict[str, dict[str, Any]]) -> argparse.ArgumentParser:
    """declared: what argparse is told of each option, by its name."""
    parser = argparse.ArgumentParser(
        description=described, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, said in declared.items():
        parser.add_argument(name, **said)
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
