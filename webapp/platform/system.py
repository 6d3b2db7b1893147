"""What the operating system can do, and how a thing is done where it can't. Every other module asks
this one, and none asks `sys.platform`.

Topograph is made for Linux and prepared for macOS. Where a call is Linux's own, this module tries
it and takes the portable way when the system has none or refuses it, as a container may:

| what | on Linux | elsewhere |
|---|---|---|
| a child ends with its parent | prctl(PR_SET_PDEATHSIG) | a pipe that closes, or a thread that looks |
| room on the disk for a file | fallocate(2) | fcntl(F_PREALLOCATE) on macOS, else none |
| a descriptor by its name | /proc/self/fd | the descriptor itself, read by place |
| who holds a lock of fcntl(2) | struct flock of Linux | struct flock of the BSDs |
| a process's command line | /proc/PID/cmdline | ps |

The standard library alone, and nothing that a system may lack at import: `refusal` is asked before
anything is installed.
"""

from __future__ import annotations  # an older Python, too, is told what it lacks

import ctypes
import errno
import importlib.util
import io
import os
import platform
import shutil
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import lru_cache  # `cache` is not there before Python 3.9
from pathlib import Path

OLDEST_PYTHON = (3, 11)
LATEST_PYTHON = (3, 14)  # for a newer one some of the locked packages have no wheel yet
WINDOWS = """\
Topograph does not start on Windows itself. It starts in WSL, the Linux inside Windows:
    wsl --install      (once, in PowerShell as administrator; then restart)
    wsl                (in the project's folder: opens Linux; there, type)
    cp -r . ~/topograph && cd ~/topograph && python3 manage.py start
It has to be a folder of Linux: on Windows' own disk the database does not start.
Or in a container, where Docker Desktop is installed: docs/operations.md, "In a container"."""
INTEL_MAC = (
    "Topograph does not start on Macs with an Intel processor: the compiler of its engine, numba,"
    " is no longer built for them. On this machine it starts in a container: docs/operations.md,"
    ' "In a container", has the three lines.'
)
MUSL = (
    "Topograph does not start on a Linux with musl, such as Alpine: the compiler of its engine,"
    " numba, and the database it brings are built for glibc alone. Use Debian, Ubuntu, Fedora or"
    " another Linux with glibc, also as a container's base."
)
NARROW = (
    "Topograph needs a 64-bit Python; this one has 32 bits. Install a 64-bit Python {oldest} or"
    " newer, which needs a 64-bit system."
)
OTHER_SYSTEM = (
    "Topograph starts on Linux, and is prepared for macOS; this is {system}. Use a Linux machine,"
    ' or a container where Docker runs: docs/operations.md, "In a container".'
)
OLD_PYTHON = (
    "Topograph needs Python {oldest} or newer; this is {found}. Install a newer one, such as"
    " {latest}, from your system or from python.org, and type: python{latest} manage.py start"
)
OTHER_PYTHON = (
    "Topograph needs Python {oldest} or newer; this is {found}. A newer one is here, too: {program}"
    " manage.py start"
)
NEW_PYTHON = (
    "Topograph runs on Python {oldest} to {latest}; this is {found}, for which not all of its"
    " packages are built yet. Run it with one of those: python{latest} manage.py start."
)
NO_VENV = (
    "This Python has no venv module, with which Topograph installs its packages. On Debian,"
    " Ubuntu and WSL: sudo apt update && sudo apt install python3-venv"
)
NO_SSL = (
    "This Python was built without ssl, so no package can be fetched with it. Install Python from"
    " your system or from python.org."
)
_LIBC_OF_PYTHON = "SOABI"  # of sysconfig: "cpython-311-x86_64-linux-musl" says which C library

_SIGKILL = 9  # of signal, which lacks it on Windows, where this module is asked for its sentence
_PR_SET_PDEATHSIG = 1
_PR_GET_PDEATHSIG = 2
_LOOK_SECONDS = 0.5  # after which a process that can't be signalled looks for its parent again
_FALLOC_FL_KEEP_SIZE = 1
_F_PREALLOCATE = 42  # of macOS's fcntl(2)
_F_ALLOCATEALL = 4
_F_PEOFPOSMODE = 3
_FSTORE = struct.Struct("@IiqqQ")  # flags, mode, offset, length, bytes that were allocated
_LINUX_FLOCK = struct.Struct("@hhqqi4x")  # 64-bit Linux: type, whence, start, length, pid
_BSD_FLOCK = struct.Struct("@qqihh")  # macOS and BSDs: start, length, pid, type, whence
_UNSUPPORTED = (errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.ENOTTY, errno.EPERM)


def refusal(packages_are_installed: bool = False) -> str | None:
    """Why Topograph can't start with this Python on this system, in sentences, with what to do; None
    where it can. packages_are_installed: nothing is to be fetched, so neither venv nor ssl is
    needed."""
    if sys.platform in ("win32", "cygwin", "msys"):
        return WINDOWS
    if sys.platform not in ("linux", "darwin"):
        return OTHER_SYSTEM.format(system=platform.system() or sys.platform)
    names = {
        "oldest": ".".join(map(str, OLDEST_PYTHON)),
        "latest": ".".join(map(str, LATEST_PYTHON)),
        "found": ".".join(map(str, sys.version_info[:3])),
    }
    if sys.maxsize < 2**32:
        return NARROW.format(**names)
    if sys.platform == "darwin" and platform.machine() == "x86_64":
        return INTEL_MAC
    if sys.platform == "linux" and is_musl():
        return MUSL
    if sys.version_info < OLDEST_PYTHON:
        program = newer_python()
        if program is None:
            return OLD_PYTHON.format(**names)
        return OTHER_PYTHON.format(program=program, **names)
    if packages_are_installed:
        return None
    if sys.version_info[:2] > LATEST_PYTHON:
        return NEW_PYTHON.format(**names)
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        return NO_VENV
    if importlib.util.find_spec("_ssl") is None:
        return NO_SSL
    return None


def newer_python() -> str | None:
    """The command of a Python on this machine that Topograph runs on; None where there is none."""
    (major, oldest), (_, latest) = OLDEST_PYTHON, LATEST_PYTHON
    for minor in range(latest, oldest - 1, -1):
        program = f"python{major}.{minor}"
        if shutil.which(program) is None:
            continue
        # pyenv has the names of all that it could run, and refuses those that are not chosen
        if subprocess.run([program, "-c", ""], stderr=subprocess.DEVNULL).returncode == 0:
            return program
    return None


def is_musl() -> bool:
    """Whether this Python is built for the C library musl."""
    import sysconfig

    return "musl" in (sysconfig.get_config_var(_LIBC_OF_PYTHON) or "")


# A child ends with its parent
# -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=None)  # noqa: UP033
def has_parent_death_signal() -> bool:
    """Whether this system signals a child when its parent is gone."""
    if sys.platform != "linux":
        return False
    number = ctypes.c_int()
    return _libc().prctl(_PR_GET_PDEATHSIG, ctypes.byref(number), 0, 0, 0) == 0


def ask_for_parent_death_signal(number: int = _SIGKILL) -> None:
    """In a child before exec: have the kernel send this signal when the parent is gone. Nothing
    where it can't: then `ParentGuard` is needed."""
    if has_parent_death_signal():
        _libc().prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)


def end_with_parent() -> None:
    """In a running process: end it when its parent is gone, by the kernel, else by a thread that
    looks who the parent is."""
    if has_parent_death_signal():
        ask_for_parent_death_signal()
        return
    parent = os.getppid()

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_SECONDS)
        os.kill(os.getpid(), _SIGKILL)

    threading.Thread(target=look, name="end with parent", daemon=True).start()


class ParentGuard:
    """A small process that sends a signal to another one when we are gone: the way for systems
    without a signal of the kernel's. It waits for the end of a pipe that we alone hold open."""

    def __init__(self, process: int, number: int):
        """process: whom it signals. number: the signal."""
        self.shell = subprocess.Popen(
            [
                "/bin/sh",
                "-c",
                'read ignored; kill -s "$1" "$2"',
                "guard",
                str(number),
                str(process),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def release(self) -> None:
        """Call it when the process has ended: another one may get its number."""
        self.shell.kill()
        self.shell.wait()
        if self.shell.stdin is not None:
            self.shell.stdin.close()


# Room on the disk
# -------------------------------------------------------------------------------------------------


def reserve_room(descriptor: int, size: int) -> bool:
    """Have the disk keep room for `size` bytes of an open file, whose size stays what has come.
    False where the file system or the system can't. Raises OSError where there is no room."""
    if size <= 0:
        return True
    if sys.platform == "darwin":
        return _reserve_on_macos(descriptor, size)
    fallocate = getattr(_libc(), "fallocate", None)
    if fallocate is None:
        return False
    failed = fallocate(descriptor, _FALLOC_FL_KEEP_SIZE, ctypes.c_long(0), ctypes.c_long(size))
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number))


def _reserve_on_macos(descriptor: int, size: int) -> bool:
    import fcntl

    missing = size - os.fstat(descriptor).st_blocks * 512  # F_PEOFPOSMODE counts from there
    if missing <= 0:
        return True
    request = _FSTORE.pack(_F_ALLOCATEALL, _F_PEOFPOSMODE, 0, missing, 0)
    try:
        fcntl.fcntl(descriptor, _F_PREALLOCATE, request)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return False
        raise
    return True


# Files
# -------------------------------------------------------------------------------------------------


def open_descriptor(descriptor: int) -> io.RawIOBase:
    """The file behind a descriptor, opened with a place of its own: several can read it at once."""
    try:
        return io.FileIO(f"/proc/self/fd/{descriptor}")
    except OSError:
        return PlacedFile(descriptor)


class PlacedFile(io.RawIOBase):
    """A file that is read through a descriptor of somebody else's, from a place of its own."""

    def __init__(self, descriptor: int):
        self._descriptor = os.dup(descriptor)
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        """Raises OSError: whoever reads by the descriptor would move the place of all."""
        raise io.UnsupportedOperation("fileno")

    def readinto(self, buffer) -> int:
        count = os.preadv(self._descriptor, [buffer], self._place)
        self._place += count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_CUR:
            offset += self._place
        elif whence == os.SEEK_END:
            offset += os.fstat(self._descriptor).st_size
        if offset < 0:
            raise ValueError(f"a place in a file is 0 or more, got {offset}")
        self._place = offset
        return offset

    def tell(self) -> int:
        return self._place

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
        super().close()


def lock_holder(descriptor: int) -> tuple[bool, int]:
    """Who holds a lock on a whole file, as fcntl(2) sees it: (whether another process does, the
    number of that process; 0 where none does, or it can't be seen from here)."""
    import fcntl

    if sys.platform == "linux":
        request = _LINUX_FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, _, _, _, holder = _LINUX_FLOCK.unpack(fcntl.fcntl(descriptor, fcntl.F_GETLK, request))
    else:
        request = _BSD_FLOCK.pack(0, 0, 0, fcntl.F_WRLCK, os.SEEK_SET)
        _, _, holder, kind, _ = _BSD_FLOCK.unpack(fcntl.fcntl(descriptor, fcntl.F_GETLK, request))
    if kind == fcntl.F_UNLCK:
        return False, 0
    return True, max(holder, 0)


# Processes and the machine
# -------------------------------------------------------------------------------------------------


def command_line(process: int) -> bytes | None:
    """The command line of a process; empty for one that has ended and is not taken away yet, None
    where there is no such process."""
    if Path("/proc/self/cmdline").exists():
        try:
            return Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            return None
    listing = subprocess.run(["ps", "-o", "command=", "-p", str(process)], capture_output=True)
    if listing.returncode:
        return None
    return listing.stdout.strip()


def is_memory_shared(number: int) -> bool:
    """Whether a process has the shared memory (System V) of this number attached. False where the
    system does not list it."""
    try:
        head, *rows = Path("/proc/sysvipc/shm").read_text().splitlines()
    except OSError:
        return False
    columns = head.split()
    for row in rows:
        segment = dict(zip(columns, map(int, row.split()), strict=False))
        if segment["shmid"] == number and segment["nattch"] > 0:
            return True
    return False


def waiting_processes() -> float:
    """Processes that wait for each core of this machine, 1 where none has to: what takes seconds of
    processor time takes so many times as long."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def describe_processor() -> list[str]:
    """Lines that differ between processors for which kernels must be compiled apart; none where the
    system does not say."""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().split("\n")
        return sorted({line for line in lines if line.startswith(("flags", "Features", "model"))})
    with suppress(OSError):
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    return []


@lru_cache(maxsize=None)  # noqa: UP033
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
