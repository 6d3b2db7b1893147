"""What a result is stored with: the commit and the machine that it was measured on; and the options of the programs that
measure."""

import argparse
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"


def machine() -> dict:
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {"cpu": model, "cores": os.cpu_count(), "system": platform.system(), "python": platform.python_version()}


def commit() -> str:
    def git(*argv: str) -> str:
        return subprocess.run(["git", *argv], capture_output=True, text=True, cwd=ROOT).stdout.strip()

    return git("rev-parse", "HEAD") + (" with changes" if git("status", "--porcelain", "--untracked-files=no") else "")


def options(described: str | None, declared: dict[str, dict[str, Any]]) -> argparse.ArgumentParser:
    """declared: what argparse is told of each option, by its name."""
    parser = argparse.ArgumentParser(description=described, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, said in declared.items():
        parser.add_argument(name, **said)
    return parser
