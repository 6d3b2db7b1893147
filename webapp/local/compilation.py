"""Compiling the kernels while the rest starts. A start waits for the engine alone.

Whatever is not compiled yet is compiled by the page or the run that needs it first.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

from webapp.local import folder, processes
from webapp.local.postgres import Failed, tail

MODULE = "inference.compiling"
LEAST_PRIORITY = 19  # niceness: it takes what nobody else wants


def part(name: str, function: str, niceness: int = 0) -> processes.Part:
    """A child process that calls a function of inference.compiling, and ends. What was compiled before is only
    loaded."""

    def before_exec() -> None:
        os.nice(niceness)
        processes.die_with_parent()

    def start() -> Popen:
        argv = [sys.executable, "-c", f"import {MODULE} as compiling; compiling.{function}()"]
        env = os.environ | {"TOPOGRAPH_DATA": str(folder.data())}
        return processes.spawn(argv, log(name), env=env, cwd=folder.working(), before_exec=before_exec)

    return processes.Part(name, start, signal.SIGKILL, 1.0, once=True)


def log(name: str) -> Path:
    return folder.data() / "logs" / f"{name.lower().replace(' ', '-')}.log"


def wait(
    supervisor: processes.Supervisor, compiling: processes.Part, every: float, said: Callable[[str], None]
) -> None:
    """Until it has ended; every so many seconds it is said how long that takes. Raises Failed where it failed."""
    due = time.monotonic() + every
    while compiling.status is None:
        supervisor.look()
        if time.monotonic() > due:
            said(f"    still compiling, {time.monotonic() - compiling.began:.0f} s")
            due += every
        time.sleep(0.05)
    if compiling.status:
        raise Failed(
            f"The engine could not be compiled. The end of {log(compiling.name)}:\n{tail(log(compiling.name))}"
        )
