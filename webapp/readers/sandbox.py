"""The sandbox: hostile files are parsed by a worker process with limits on its memory, its processor time and what it
may write.

Libraries that parse PDF, HTML, spreadsheets … are large and partly C or Rust: hostile bytes may crash them, fill the
memory or keep them busy for ever. Here that ends one worker process (webapp.readers.sandbox_worker) and costs one file,
with a sentence.

The worker gets an open file through a socket, and answers with JSON, each message after its length. It can write no
file.
"""

import atexit
import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

import orjson

from webapp.readers import looking
from webapp.readers.copies import Copy
from webapp.readers.model import Document, Options, Problem, Sniff, Unreadable
from webapp.readers.opening import Source, clean, is_gzip, opened, plain

SECONDS = 60  # of work without a document or another sign of progress: a busy machine does not make a file unreadable
PATIENCE = 600  # seconds in which a worker may not answer, whatever it does
MEMORY = 1 << 30  # bytes of a worker, at most
IDLE = 60  # seconds after which a worker that has nothing to do ends
MAX_FILE = 2 << 30  # bytes of a file that must be copied for it: it is compressed, or in an archive
MAX_MESSAGE = 200_000_000  # bytes: a text of the greatest length, in any script
_ROOT = Path(__file__).resolve().parent.parent.parent
_LENGTH = struct.Struct("<Q")


def sniff(source: Source, name: str, key: str, options: Options, known: dict) -> Sniff:
    message = {"do": "sniff", "options": asdict(options), "format": key, "known": known}
    ((_, value),) = _request(source, name, message, lambda n: None)
    return Sniff.of(value)


def read(
    source: Source, name: str, key: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    message = {"do": "read", "options": asdict(options), "format": key}
    for kind, value in _request(source, name, message, advance):
        if kind == "document":
            yield Document(**value | {"file": name, "headings": tuple(value["headings"])})
        elif kind == "problem":
            yield Problem(**value | {"file": name})


def _request(source: Source, name: str, message: dict, advance: Callable[[int], None]) -> Iterator[tuple[str, dict]]:
    """The answers of a worker; its crash is an Unreadable."""
    with _file(source, name, advance) as (file, told), looking.child():
        worker = WorkerProcess.get()
        left, done = source.stat().st_size if not told else 0, False
        try:
            worker.send(orjson.dumps(message | {"name": clean(plain(name))}), file.fileno())
            while not done:
                kind, value = worker.receive()
                if kind == "bytes":
                    advance(min(left, value))
                    left -= min(left, value)
                elif kind == "unreadable":
                    done = True
                    raise Unreadable(value)
                elif kind == "end":
                    done = True
                else:
                    yield kind, value
        except (OSError, EOFError, ValueError) as error:
            if isinstance(error, Unreadable):
                raise
            if isinstance(error, TimeoutError) or worker.died() == -signal.SIGXCPU:
                raise Unreadable(
                    f"“{name}” took longer than {SECONDS} seconds without a result; what was left of it was left out. "
                    "Save it again, as text if you can."
                ) from None
            raise Unreadable(
                f"“{name}” can't be read: the program that reads such files stopped. Either the file is damaged, or it needs more than "
                f"{MEMORY >> 20:,} MB of memory. Save it again, cut it into parts, or save it as text."
            ) from None
        finally:
            if done:
                advance(left)
                worker.put_back()
            else:
                worker.end()


@contextlib.contextmanager
def _file(source: Source, name: str, advance: Callable[[int], None]) -> Iterator[tuple[BinaryIO, bool]]:
    """The file as one with a descriptor, and whether its bytes have been told of: a copy where it is compressed or in
    an archive."""
    if isinstance(source, Path) and not is_gzip(name):
        with source.open("rb") as file:
            yield file, False
        return
    with opened(source, name, advance) as file:
        copy = Copy(file, name, MAX_FILE)
    try:
        copy.file.rollover()
        copy.file.flush()
        yield copy.file, True
    finally:
        copy.close()


class WorkerProcess:
    """Reads one file after another. One waits for the next file; others are started where two files are read at
    once."""

    waiting: "list[WorkerProcess]" = []
    lock = threading.Lock()

    def __init__(self):
        self.socket, theirs = socket.socketpair()
        with theirs:
            environment = os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}
            self.process = subprocess.Popen(
                [sys.executable, "-m", "webapp.readers.sandbox_worker", str(theirs.fileno()), str(MEMORY), str(SECONDS), str(IDLE)],
                cwd=_ROOT, pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
        self.pid = os.getpid()

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

    def send(self, message: bytes, file: int) -> None:
        self.socket.settimeout(PATIENCE)
        socket.send_fds(self.socket, [_LENGTH.pack(len(message))], [file])
        self.socket.sendall(message)

    def receive(self) -> tuple[str, dict]:
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size))
        if length > MAX_MESSAGE:
            raise ValueError("a worker's message is too long")
        kind, value = orjson.loads(self._exactly(length))
        return kind, value

    def _exactly(self, count: int) -> bytearray:
        message = bytearray(count)
        view, at, until = memoryview(message), 0, time.monotonic() + PATIENCE
        self.socket.settimeout(min(PATIENCE, looking.POLL))
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
        waiting, WorkerProcess.waiting = WorkerProcess.waiting, []
    for worker in waiting:
        if worker.pid == os.getpid():
            worker.end()


atexit.register(close)
