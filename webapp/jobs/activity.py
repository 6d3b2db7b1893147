"""What shows that a process is at work though it does not say so: what the kernel and Postgres know of it.

A sort of a billion numbers, or an index that Postgres builds, can't tick; a thread that waits for what never comes, and a query that
hangs, look the same from inside. But the first have the processor, or wait for the disk.
"""

import os
import threading
import weakref
from contextlib import suppress
from pathlib import Path

from django.db import connection, connections
from django.db.backends.signals import connection_created

# Seconds of the processor between two looks, of one thread, from which on it is at work. Who waits for Postgres looks ten times a second
# whether it was interrupted (psycopg), which takes a tenth of that.
WORK = 0.01
HERE = ("", "localhost", "127.0.0.1", "::1")
PROC = Path("/proc")

_opened: weakref.WeakSet = weakref.WeakSet()  # connections of this process


@connection_created.connect
def _note(connection, **_):
    _opened.add(connection)


class Life:
    """`look()`, now and then, from a thread of its own: whether anything else here has worked since the last time.

    This counts: a thread of this process or of its children that had the processor, or waits for a disk; and Postgres, where it is at
    work on a query of ours. Where Postgres is on another machine, its word is taken for it. Where the kernel is not Linux nothing is seen,
    and everything must tick.
    """

    def __init__(self, *known):
        """known: connections that were opened before anybody listened."""
        _opened.update(known)
        self.mine = threading.get_native_id()
        self.before: dict[int, float] = {}  # thread, or process of Postgres -> its seconds of the processor
        self.look()

    def look(self) -> bool:
        return self._any(_threads(os.getpid())) or self._children() or self._postgres()

    def _any(self, tasks: list[Path]) -> bool:
        found = [self._works(task) for task in tasks]  # each is looked at, for the next time
        return any(found)

    def _works(self, task: Path) -> bool:
        """Whether a thread, proc(5), has had the processor since the last time, or waits for a disk."""
        number = int(task.name)
        if number == self.mine:
            return False
        try:
            seconds, waits = _account(task)
        except OSError:
            return False  # it ended meanwhile
        before, self.before[number] = self.before.get(number, 0.0), seconds
        return waits or seconds - before >= WORK

    def _children(self) -> bool:
        """Files are read in processes of their own (webapp.readers.sandbox)."""
        return self._any([task for child in descendants(os.getpid()) for task in _threads(child)])

    def _postgres(self) -> bool:
        asked = [pid for one in list(_opened) if one is not connections["default"] and (pid := _backend(one))]
        if not asked:
            return False
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pid, wait_event_type FROM pg_stat_activity WHERE state = 'active' AND (pid = ANY(%s) OR leader_pid = ANY(%s))",
                [asked, asked],
            )
            found = cursor.fetchall()
        for pid, waits in found:
            if waits == "Client":  # for us
                continue
            # Who waits for a lock goes on when it is free, which another attempt could not do sooner.
            if waits == "Lock" or not _is_here(pid):
                return True
            if self._works(PROC / str(pid)):
                return True
        return False


def _threads(pid: int) -> list[Path]:
    """None where the system is not Linux, or the process has ended."""
    with suppress(OSError):
        return list((PROC / str(pid) / "task").iterdir())
    return []


def descendants(pid: int) -> list[int]:
    parents = {}
    for process in PROC.glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(process.parent.name)] = int(process.read_text().rpartition(")")[2].split()[1])
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def _account(task: Path) -> tuple[float, bool]:
    """(seconds of the processor, whether it waits for a disk) of a thread: proc(5), and sched-stats.rst of the kernel, where it counts so
    finely; else in hundredths, of which one means nothing."""
    fields = (task / "stat").read_text().rpartition(")")[2].split()
    try:
        seconds = int((task / "schedstat").read_text().split()[0]) / 1e9
    except OSError:
        seconds = (int(fields[11]) + int(fields[12]) - 1) / os.sysconf("SC_CLK_TCK")
    return seconds, fields[0] == "D"


def _backend(one) -> int | None:
    """The process that serves a connection; None where there is none any more."""
    with suppress(Exception):  # its own thread may be closing it
        return one.connection.info.backend_pid
    return None


def _is_here(pid: int) -> bool:
    """Whether a process of Postgres is one of this machine's, which can be looked at."""
    with suppress(OSError):
        return connection.settings_dict["HOST"] in HERE and (PROC / str(pid) / "comm").read_text().strip() == "postgres"
    return False
