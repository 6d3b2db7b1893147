"""What a start needs of the machine, and what to do where it is missing: room, the right to write
and to run programs, memory. docs/operations.md has the table.

The standard library alone: environment.py asks before anything is installed.
"""

from __future__ import annotations  # an older Python, too, is told what it lacks

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

MB = 1_000_000
PACKAGES_BYTES = 1500 * MB  # the environment has 1,000, and what is downloaded 340
STATE_BYTES = 600 * MB  # of an empty database with its journal, and the example with its run
LEAST_MEMORY = 2000 * MB  # of the servers, a web process and the training of the example
# Where Linux says which control groups a process is in, and what these allow (cgroups(7))
PROCESS_GROUPS = Path("/proc/self/cgroup")
CONTROL_GROUPS = Path("/sys/fs/cgroup")
_OWNER_ALONE = 0o700  # rights of a folder
_OTHERS = 0o077  # what others than its owner may do in a folder
_MOUNT_POINT = 4  # place of a mount in a line of mountinfo(5), counted from 0
# Whose locks or rights Postgres can't rely on
SHARES = {
    "9p": "a folder of Windows",
    "drvfs": "a folder of Windows",
    "cifs": "a network share",
    "smb3": "a network share",
    "smbfs": "a network share",
    "nfs": "a network share",
    "nfs4": "a network share",
    "afs": "a network share",
    "fuse.sshfs": "a network share",
    "fuse.rclone": "a network share",
    "fuse.gvfsd-fuse": "a network share",
}

NOT_WRITABLE = (
    "The folder {folder} can't be written to: {error}. {elsewhere} to a folder of yours on a disk"
    " of this machine."
)
NO_ROOM = (
    "The disk of {folder} has {free} MB free; {needed} MB are needed. Delete something there. Or:"
    " {elsewhere} to a folder on another disk."
)
NOT_EXECUTABLE = (
    "The disk of {folder} is mounted so that no program on it may run (noexec), and the packages"
    " hold some. {elsewhere} to a folder on another disk."
)
SHARE = (
    "Note: {folder} is on {share} ({kind}), where the database may lose its locks or be slow."
    " Better: TOPOGRAPH_DATA=FOLDER, a folder on a disk of this machine (in WSL, one in your Linux home)."
)
NO_RIGHTS = (
    "The disk of {folder} does not keep who may read a file, as memory sticks (exFAT) and, in WSL,"
    " folders of Windows don't; the database does not start there. {elsewhere} to a folder of your"
    " home folder: TOPOGRAPH_DATA=~/topograph-data"
)
LITTLE_MEMORY = (
    "Note: this process may use {memory} MB of memory; Topograph needs {needed} MB. It may be ended"
    " while it trains. {remedy}"
)
MORE_MEMORY = "Close other programs, or use a larger machine."
RAISE_GROUP_LIMIT = (
    "Raise the limit of the container or the service: docker run --memory, mem_limit, MemoryMax."
)
RAISE_LIMIT = "Raise the limit: ulimit -v unlimited, or ask who set it."
MOVE_PROJECT = "Move the project"
CHOOSE_STATE_FOLDER = "Set TOPOGRAPH_DATA"


def refusal_of_packages(folder: Path, elsewhere: str = MOVE_PROJECT) -> str | None:
    """Why packages can't be installed in a folder that is there; None where they can. elsewhere:
    what to do, as the beginning of a sentence."""
    return (
        refusal_of_writing(folder, elsewhere)
        or refusal_of_programs(folder, elsewhere)
        or refusal_of_room(folder, PACKAGES_BYTES, elsewhere)
    )


def refusal_of_state(folder: Path) -> str | None:
    """Why Topograph can't keep its state in a folder, which is made where it is missing; None where
    it can."""
    try:
        folder.mkdir(mode=_OWNER_ALONE, parents=True, exist_ok=True)
    except OSError as error:
        return NOT_WRITABLE.format(
            folder=folder, error=error.strerror, elsewhere=CHOOSE_STATE_FOLDER
        )
    refused = refusal_of_writing(folder, CHOOSE_STATE_FOLDER)
    if refused is not None:
        return refused
    if (folder / "postgres").exists():
        return None  # a state that is there tells by itself what it lacks
    # A database of one's own keeps its files elsewhere
    if not os.environ.get("DATABASE_URL") and not keeps_rights(folder):
        return NO_RIGHTS.format(folder=folder, elsewhere=CHOOSE_STATE_FOLDER)
    return refusal_of_room(folder, STATE_BYTES, CHOOSE_STATE_FOLDER)


def refusal_of_writing(folder: Path, elsewhere: str) -> str | None:
    """By a file that is made and deleted: rights alone don't tell of a disk that is mounted for
    reading. elsewhere: as of refusal_of_packages."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return NOT_WRITABLE.format(folder=folder, error=error.strerror, elsewhere=elsewhere)


def keeps_rights(folder: Path) -> bool:
    """Whether a folder that is made in this one for its owner alone is so: Postgres refuses one
    that others may read."""
    with tempfile.TemporaryDirectory(dir=folder) as owned:
        return not os.stat(owned).st_mode & _OTHERS


def refusal_of_room(folder: Path, needed: int, elsewhere: str) -> str | None:
    """needed: bytes. elsewhere: as of refusal_of_packages."""
    free = shutil.disk_usage(folder).free
    if free >= needed:
        return None
    return NO_ROOM.format(
        folder=folder,
        free=free // MB,
        needed=needed // MB,
        elsewhere=elsewhere,
    )


def refusal_of_programs(folder: Path, elsewhere: str) -> str | None:
    """Why programs can't be run from a folder, as its file system does not allow it; None where
    they can. elsewhere: what to do instead."""
    noexec = getattr(os, "ST_NOEXEC", 0)  # macOS does not tell
    if os.statvfs(folder).f_flag & noexec:
        return NOT_EXECUTABLE.format(folder=folder, elsewhere=elsewhere)
    return None


def notes(folder: Path) -> list[str]:
    """What is not as it should be, though Topograph starts: a state folder on a share, little
    memory."""
    sentences = []
    kind = disk_kind(folder)
    if kind in SHARES:
        sentences.append(SHARE.format(folder=folder, share=SHARES[kind], kind=kind))
    memory, remedy = process_memory()
    if memory < LEAST_MEMORY:
        sentence = LITTLE_MEMORY.format(
            memory=memory // MB, needed=LEAST_MEMORY // MB, remedy=remedy
        )
        sentences.append(sentence)
    return sentences


def disk_kind(folder: Path) -> str:
    """The type of the file system that holds a folder; empty where the system does not tell."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return kind_in_mounts(lines, folder.resolve())


def kind_in_mounts(lines: list[str], folder: Path) -> str:
    """lines: of /proc/PID/mountinfo, in which spaces of names are written \\040. Of two mounts at
    one point the later one is seen."""
    longest = ""
    kind = ""
    for line in lines:
        before, _, after = line.partition(" - ")
        point = before.split()[_MOUNT_POINT].replace("\\040", " ")
        if folder.is_relative_to(point) and len(point) >= len(longest):
            longest = point
            kind = after.split()[0]
    return kind


def process_memory() -> tuple[int, str]:
    """(bytes that a process may have at most, what to do where they are too few)."""
    memory = sys.maxsize
    with suppress(ValueError, OSError):
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    import resource

    remedy = MORE_MEMORY
    group_limit = min(control_limits(), default=memory)
    if group_limit < memory:
        memory = group_limit
        remedy = RAISE_GROUP_LIMIT
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or limit >= memory:
        return memory, remedy
    return limit, RAISE_LIMIT


def control_limits() -> list[int]:
    """Bytes of memory that the control groups of this process allow, and those above them, as a
    container or a service sets them; empty where there are none. inference.runtime.memory reads the
    same, and loads packages, which are not installed yet where this is asked; a test compares both.
    """
    limits = []
    with suppress(OSError):
        for line in PROCESS_GROUPS.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if not controllers:  # the second version: one tree for all controllers
                tree = CONTROL_GROUPS
                name = "memory.max"
            elif "memory" in controllers.split(","):
                tree = CONTROL_GROUPS / "memory"
                name = "memory.limit_in_bytes"
            else:
                continue
            group = tree / path.lstrip("/")
            for folder in (group, *group.parents):
                if folder.is_relative_to(tree):
                    limits += limit_in_file(folder / name)
    return limits


def limit_in_file(file: Path) -> list[int]:
    """The number in it; empty where it is not there, or has “max” for none."""
    with suppress(OSError, ValueError):
        return [int(file.read_text(encoding="ascii"))]
    return []
