"""The sandbox: hostile files are parsed by a worker process with limits on its memory, its
processor time and what it may write.

Libraries that parse PDF, HTML, spreadsheets … are large and partly C or Rust: hostile bytes may
crash them, fill the memory or keep them busy for ever. Here that ends one worker process
(webapp.intake.file_formats.sandbox_worker) and costs one file, with a sentence.

The worker gets an open file through a socket, and answers with JSON, each message after its length
and with many documents. It can write no file. When whoever asked is killed, it ends with its next
message, after IDLE_WORK_SECONDS of work at the latest. Of a file at which it dies, up to the last
0.2 seconds' documents are lost.

Large files in formats of our own are read by workers, too, beside what else is done with their
documents; and all files while an upload is looked into, which has so many seconds of a processor in
all (webapp.intake.file_formats.looking).
"""

import atexit
import contextlib
import math
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import IO, Any

import orjson

from webapp.intake.file_formats import looking, sandbox_process
from webapp.intake.file_formats.base import (
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    clean,
    is_gzip,
    opened,
    plain,
)
from webapp.intake.file_formats.stream_copies import Copy

# of work without a document or another sign of progress: a busy machine does not make a file
# unreadable
IDLE_WORK_SECONDS = 60
PROBLEM = 6  # values of a problem as a worker sends it; a document has more
LAST_ANSWER_SECONDS = (
    1.0  # seconds in which a worker answers of which no more is wanted, or it is ended
)
PATIENCE = 600  # seconds in which a worker may not answer, whatever it does
MEMORY = 1 << 30  # bytes of a worker, at most
MOST_DEATHS = 3  # entries of an archive at which a worker may die before no more of it is read
IDLE = 60  # seconds after which a worker that has nothing to do ends
MAX_FILE = 2 << 30  # bytes of a file that must be copied for it: it is compressed, or in an archive
MAX_MESSAGE = 200_000_000  # bytes: a text of the greatest length, in any script
_ROOT = Path(__file__).resolve().parents[3]
_LENGTH = struct.Struct("<Q")


@cache
def processes() -> int:
    """How many files may be read at once: one for each core, one for each 4 GB of memory, four at
    the most."""
    from inference.runtime.memory import (
        usable_memory,  # loads numba, which would make a worker five times as large
    )

    return max(1, min(4, os.cpu_count() or 1, round((usable_memory() or 0) / (4 << 30))))


def spare() -> bool:
    """Whether one more file may be read ahead by a worker process of this one: a worker itself has
    none."""
    return not sandbox_process.now() and Request.open < processes()


File = tuple[Source, str]  # and its name


def sniff(
    source: Source,
    name: str,
    key: str,
    options: Options,
    fixed_options: dict,
    ours: bool = False,
    companion: File | None = None,
    entry: str = "",
) -> Sniff:
    """What the file seems to be. ours, companion: as in `begin`. entry: of an archive, that is
    asked about alone."""
    message = {
        "do": "sniff",
        "options": asdict(options),
        "format": key,
        "known": fixed_options,
        "ours": ours,
        "entry": entry,
    }
    passed_over: dict[str, str] = {}
    while True:
        try:
            ((_, value),) = Request(
                source, name, message | {"passed_over": passed_over}, ours, companion
            ).answers(lambda n: None)
            return Sniff.from_dict(value)
        except Died as error:
            _pass_over(passed_over, error)


def names(source: Source, name: str, key: str) -> Iterator[str]:
    """Names of the files in an archive, each with the archive's before it. Raises Unreadable."""
    message = {"do": "names", "options": asdict(Options()), "format": key, "ours": True}
    with contextlib.closing(Request(source, name, message, True)) as request:
        for _, names_of_block in request.answers(lambda n: None):
            yield from names_of_block


def project(source: Source, name: str) -> dict[str, Any]:
    """What a project of a program that codes texts says, as webapp.intake.file_formats.qda_project
    has it. Raises Unreadable."""
    message = {"do": "project", "options": asdict(Options()), "format": "", "ours": True}
    ((_, found),) = Request(source, name, message, True).answers(lambda n: None)
    return found


def read_archive(
    source: Source,
    name: str,
    key: str,
    options: Options,
    entry: str,
    advance: Callable[[int], None],
) -> Iterator[Document | Problem]:
    """The documents of an archive's entries, or of one. Where the worker dies of an entry another
    one reads the others, of which the items that were given are left out. Raises Unreadable."""
    passed_over: dict[str, str] = {}
    reported = 0
    given: Counter[str] = Counter()  # items, by the names of their files
    while True:
        read = 0
        to_skip = given.copy()

        def tell(count: int) -> None:
            nonlocal read, reported
            read += count
            if read > reported:
                advance(read - reported)
                reported = read

        request = begin(source, name, key, options, True, entry=entry, passed_over=passed_over)
        try:
            with contextlib.closing(request):
                for item in request.documents(tell):
                    if to_skip[item.file]:
                        to_skip[item.file] -= 1
                        continue
                    given[item.file] += 1
                    yield item
            return
        except Died as error:
            _pass_over(passed_over, error)
            given[error.entry] = 0  # of it comes one problem


def _pass_over(passed_over: dict[str, str], error: "Died") -> None:
    """Add the entry at which a worker died to those that are passed over; raise the error where
    there are too many."""
    if not error.entry or len(passed_over) == MOST_DEATHS:
        raise error
    passed_over[error.entry] = str(error)


def begin(
    source: Source,
    name: str,
    key: str,
    options: Options,
    ours: bool = False,
    companion: File | None = None,
    **archive,
) -> "Request":
    """A worker process reads the file from now on, as far as its documents find room in a socket:
    some 200 kB.

    ours: whether a module of our own reads it, and no library: it unpacks a .gz itself, and its
    errors are ours. companion: of a bag of words its vocabulary. archive: `entry` and
    `passed_over`, as in `read_archive`."""
    message = {
        "do": "read",
        "options": asdict(options),
        "format": key,
        "ours": ours,
        "first": looking.wanted_limits(),
        "spread": looking.spread_limits(),
    }
    return Request(source, name, message | archive, ours, companion)


class Died(Unreadable):
    """A worker process died, of an archive at this entry. str() is a sentence."""

    entry = ""


class Request:
    """What a worker process was asked about a file. Whoever does not take all answers closes it."""

    open = 0  # how many there are in this process

    def __init__(
        self,
        source: Source,
        name: str,
        message: dict,
        ours: bool = False,
        companion: File | None = None,
    ):
        self.name = name
        self.ours = ours
        self.copied = 0
        self.answered = False
        self.first = message.get("first")
        self.used = 0.0
        self.entry = ""  # that is parsed
        with contextlib.ExitStack() as files, contextlib.ExitStack() as stack:
            parts = [
                files.enter_context(self._file(*file))
                for file in ((source, name), companion)
                if file
            ]
            stack.enter_context(looking.child())
            seconds_left = looking.left()
            self.seconds = math.ceil(seconds_left) if seconds_left else seconds_left
            self.worker = WorkerProcess.get()
            self._count(1)
            stack.callback(self._leave)
            self.left = 0 if ours or self.copied else source.stat().st_size  # bytes to tell of
            message |= {
                "names": [clean(as_it_is) for as_it_is, _ in parts],
                "seconds": self.seconds,
            }
            with contextlib.suppress(OSError):  # it has died: there will be no answer
                self.worker.send(orjson.dumps(message), [file.fileno() for _, file in parts])
            self.held = stack.pop_all()

    def documents(self, advance: Callable[[int], None]) -> Iterator[Document | Problem]:
        """advance: is told of the file's bytes. Raises Unreadable."""
        for _, items in self.answers(advance):
            for item in items:
                if len(item) == PROBLEM:
                    inside, *problem = item
                    yield Problem(inside or self.name, *problem)
                else:
                    (
                        inside,
                        text,
                        title,
                        date,
                        source_id,
                        metadata,
                        place_in_file,
                        headings,
                        *dates,
                    ) = item
                    made_date, dated = dates
                    yield Document(
                        text,
                        title,
                        date,
                        source_id,
                        metadata,
                        inside or self.name,
                        place_in_file,
                        tuple(headings),
                        made=made_date,
                        dated=dated,
                    )

    def answers(self, advance: Callable[[int], None]) -> Iterator[tuple[str, Any]]:
        """(kind, value) of each; a worker's crash is an Unreadable."""
        try:
            if self.copied:
                advance(self.copied)
            kind = ""
            while kind not in ("end", "unreadable"):
                kind, value = self._receive(advance)
                if kind == "error" and self.ours:
                    raise RuntimeError(value)
                if kind == "entry":
                    self.entry = value
                elif kind not in ("end", "unreadable"):
                    yield kind, value
            self._tell(self.left, advance)
        except (OSError, EOFError, ValueError) as error:
            died = Died(self._why(error))
            died.entry = self.entry
            raise died from None
        finally:
            self.close()
        if kind == "unreadable":
            raise Unreadable.of(*value)

    def close(self) -> None:
        """End the worker, unless it has answered, or soon will: it can then read another file."""
        if self.first and not self.answered:
            ends = time.monotonic() + LAST_ANSWER_SECONDS
            with contextlib.suppress(OSError, EOFError, ValueError, looking.Exhausted):
                while not self.answered and time.monotonic() < ends:
                    self._receive(lambda n: None, LAST_ANSWER_SECONDS)
        self.held.close()

    def _receive(
        self, advance: Callable[[int], None], patience: float | None = None
    ) -> tuple[str, Any]:
        """The next (kind, value)."""
        kind, read, value, used = self.worker.receive(patience or PATIENCE)
        if not self.copied:
            looking.spend(read)
            self._tell(read, advance)
        looking.spend_processor(used - self.used)
        self.used = used
        self.answered = kind in ("end", "unreadable")
        return kind, value

    def _leave(self) -> None:
        self._count(-1)
        if self.answered:
            self.worker.put_back()
        else:
            self.worker.end()

    @classmethod
    def _count(cls, change: int) -> None:
        with WorkerProcess.lock:
            cls.open += change

    def _tell(self, read: int, advance: Callable[[int], None]) -> None:
        if not self.ours:  # a library may read some bytes again, or leave some out
            read = min(self.left, read)
            self.left -= read
        if read:
            advance(read)

    def _why(self, error: Exception) -> str:
        name = self.entry or self.name
        if isinstance(error, TimeoutError) or self.worker.died() == -signal.SIGXCPU:
            looking.spend_processor((self.seconds or 0) - self.used)
            return (
                f"“{name}” took longer than {self.seconds or IDLE_WORK_SECONDS} seconds without a"
                " result;"
                " what was left of it was left out. Save it again, as text if you can."
            )
        return (
            f"“{name}” can't be read: the program that reads such files stopped. Either the file is"
            f" damaged, or it needs more than {MEMORY >> 20:,} MB of memory. Save it again, cut it"
            " into parts, or save it as text."
        )

    @contextlib.contextmanager
    def _file(self, source: Source, name: str) -> Iterator[tuple[str, IO[bytes]]]:
        """The file as one with a descriptor, and its name: a copy where it is in an archive, or a
        library would have to unpack it. While an upload is looked into, a module of our own
        gets the beginning of a copy."""
        if isinstance(source, Path) and (self.ours or not is_gzip(name)):
            with source.open("rb") as file:
                yield name, file
            return
        with contextlib.ExitStack() as stack:
            with opened(source, name, self._copy) as file:
                part = self.ours and looking.now()
                copy = Copy(file, name, MAX_FILE, to_the_end=not part)
                stack.enter_context(contextlib.closing(copy))
                if part:
                    copy.fill(looking.BEGINNING)
            copy.file.rollover()
            copy.file.flush()
            yield plain(name), copy.file

    def _copy(self, read: int) -> None:
        self.copied += read


class WorkerProcess:
    """Reads one file after another. One waits for the next file; others are started where two files
    are read at once."""

    waiting: "list[WorkerProcess]" = []
    lock = threading.Lock()

    def __init__(self):
        self.socket, theirs = socket.socketpair()
        with theirs:
            environment = os.environ | {
                "ARROW_DEFAULT_MEMORY_POOL": "system",
                "OMP_NUM_THREADS": "1",
            }
            self.process = subprocess.Popen(
                self.command(theirs.fileno()),
                cwd=_ROOT,
                pass_fds=[theirs.fileno()],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        self.pid = os.getpid()
        threading.Thread(
            target=self.process.wait, name="sandbox", daemon=True
        ).start()  # else it stays as a zombie

    @staticmethod
    def command(descriptor: int) -> list[str]:
        """What starts a worker process. descriptor: of its end of the socket."""
        return [
            sys.executable,
            "-m",
            "webapp.intake.file_formats.sandbox_worker",
            *map(str, (descriptor, MEMORY, IDLE_WORK_SECONDS, IDLE)),
        ]

    @classmethod
    def get(cls) -> "WorkerProcess":
        with cls.lock:
            worker = cls.waiting.pop() if cls.waiting else None
        if worker and worker.pid == os.getpid():
            if worker.process.poll() is None:
                return worker
            worker.end()
        return cls()

    def put_back(self) -> None:
        with self.lock:
            if not self.waiting:
                self.waiting.append(self)
                return
        self.end()

    def died(self) -> int | None:
        """How a worker that answers no more has ended: minus the signal's number."""
        try:
            return self.process.wait(1)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        self.socket.close()
        self.process.kill()
        self.process.wait()

    def send(self, message: bytes, files: list[int]) -> None:
        self.socket.settimeout(PATIENCE)
        socket.send_fds(self.socket, [_LENGTH.pack(len(message))], files)
        self.socket.sendall(message)

    def receive(self, patience: float) -> tuple[str, int, Any, float]:
        """(kind, bytes of the file that were read since the last one, value, processor seconds
        since it was asked)."""
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size, patience))
        if length > MAX_MESSAGE:
            raise ValueError("a worker's message is too long")
        return tuple(orjson.loads(self._exactly(length, patience)))

    def _exactly(self, count: int, patience: float) -> bytearray:
        message = bytearray(count)
        view = memoryview(message)
        at = 0
        until = time.monotonic() + patience
        self.socket.settimeout(min(patience, looking.POLL))
        while at < count:
            try:
                got = self.socket.recv_into(view[at:])
            except TimeoutError:
                looking.check()
                if time.monotonic() > until:
                    raise
                continue
            if not got:
                raise EOFError
            at += got
        return message


def close() -> None:
    """End the worker that waits, if any: for tests, and at the end of a program."""
    with WorkerProcess.lock:
        waiting = WorkerProcess.waiting
        WorkerProcess.waiting = []
    for process in waiting:
        if process.pid == os.getpid():
            process.end()


atexit.register(close)
