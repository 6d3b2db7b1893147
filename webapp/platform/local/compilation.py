"""Compiling the kernels while the rest starts, and after it: pages answer before the engine is
there.

What is needed earlier is compiled by the page or the run that needs it, or waited for while it is
being compiled here (inference.runtime.jit).
"""

import os
import signal
import sys
from pathlib import Path

from webapp.platform import system
from webapp.platform.local import changes, folder, processes
from webapp.platform.local.package import ROOT

MODULE = "inference.compiling"
ENGINE = "Compiling the engine"
REST = "Compiling the rest"
PROGRAM = """
from pathlib import Path
import {module} as compiling
compiling.{call}
from inference.runtime import kernel_files
Path({done!r}).write_text(f"{digest}\\n{{kernel_files.folder()}}")
"""


def part(name: str, function: str, niceness: int = 0) -> processes.ManagedProcess:
    """A child process that calls a function of inference.compiling, and ends. What was
    compiled before is only loaded."""

    def before_exec() -> None:
        os.nice(niceness)

    def start() -> processes.Child:
        env = os.environ | {"TOPOGRAPH_DATA": str(folder.data())}
        argv = command(f"{function}()", done(name, folder.data()))
        return processes.spawn(
            argv, log(name), env=env, cwd=folder.working(), before_exec=before_exec
        )

    return processes.ManagedProcess(name, start, signal.SIGKILL, 1.0, once=True)


def start(supervisor: processes.Supervisor) -> bool:
    """Compile what was not yet compiled for this processor by this code: first the engine with its
    usual settings, and beside it the rest. Whether anything is left to be compiled."""
    # The servers, the engine and what a page compiles come first
    parts = [part(ENGINE, "usual"), part(REST, "rest", niceness=5)]
    needed = [
        kernel_set for kernel_set in parts if not is_done(done(kernel_set.name, folder.data()))
    ]
    for kernel_set in needed:
        supervisor.add(kernel_set)
    return bool(needed)


def command(call: str, done: Path) -> list[str]:
    """Calls a function of inference.compiling in a process that then says in the file
    `done` what it has compiled."""
    return [
        sys.executable,
        "-c",
        PROGRAM.format(module=MODULE, call=call, done=str(done), digest=digest()),
    ]


def is_done(done: Path) -> bool:
    """Whether the same code was compiled as that file says, and the folder of kernels is still
    there."""
    try:
        code, kernels = done.read_text().split("\n")
        return code == digest() and any(Path(kernels).iterdir())
    except (OSError, ValueError):
        return False


def digest() -> str:
    """A digest of the library, the installed packages and the processor."""
    settings = sorted(
        f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_")
    )
    kernels = (
        os.environ.get("TOPOGRAPH_KERNELS"),
        os.environ.get("XDG_CACHE_HOME"),
        os.environ.get("HOME"),
    )
    return changes.digest(
        (ROOT / "inference").rglob("*.py"),
        sys.version,
        system.describe_processor(),
        settings,
        kernels,
    )


def done(name: str, data: Path) -> Path:
    return data / name.lower().replace(" ", "-").replace("compiling", "compiled")


def log(name: str) -> Path:
    return folder.data() / "logs" / f"{name.lower().replace(' ', '-')}.log"
