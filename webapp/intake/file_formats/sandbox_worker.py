"""The worker process of webapp.intake.file_formats.sandbox: `python -m
webapp.intake.file_formats.sandbox_worker SOCKET MEMORY SECONDS IDLE`."""

import contextlib
import io
import itertools
import math
import os
import resource
import signal
import socket
import struct
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import orjson

from webapp.intake.file_formats import archive, dispatch, looking, qda_project, sandbox_process
from webapp.intake.file_formats.base import (
    Descriptor,
    Document,
    Options,
    Problem,
    Source,
    Unreadable,
)
from webapp.intake.file_formats.companions import Companions
from webapp.intake.file_formats.formats import FORMATS

BATCH = 1 << 16  # characters of documents and problems that are sent at once, at least …
ITEMS = 1_000  # … or so many of them
SENT_AFTER_SECONDS = 0.2  # seconds after which what there is is sent
_LENGTH = struct.Struct("<Q")


def main() -> None:
    # Those who end a terminal's programs: its parent ends it
    for number in (
        signal.SIGINT,
        signal.SIGTERM,
    ):
        signal.signal(number, signal.SIG_IGN)
    connection = socket.socket(fileno=int(sys.argv[1]))
    _set_limits(int(sys.argv[2]))
    with contextlib.suppress(TimeoutError, ConnectionError):
        while True:
            connection.settimeout(float(sys.argv[4]))
            length, descriptors, *_ = socket.recv_fds(connection, _LENGTH.size, 2)
            if not length:
                return
            connection.settimeout(None)  # who reads the answers may take its time
            request = orjson.loads(connection.recv(_LENGTH.unpack(length)[0], socket.MSG_WAITALL))
            try:
                answers = _Answers(
                    connection,
                    request["names"][0],
                    request["seconds"] or int(sys.argv[3]),
                    bool(request["seconds"]),
                )
                _answer(
                    [
                        (Descriptor(file), name)
                        for file, name in zip(descriptors, request["names"], strict=True)
                    ],
                    request,
                    answers,
                )
            finally:
                for descriptor in descriptors:
                    os.close(descriptor)


def _set_limits(memory: int) -> None:
    """No more memory than this, no file written, no core dumped."""
    for limited, limit in (
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # not every system has each
            resource.setrlimit(limited, (limit, limit))
    # Where py3langid unpacks what it knows of languages
    tempfile.TemporaryFile = lambda *_, **__: io.BytesIO()  # type: ignore[assignment]


def _allow_seconds(seconds: int) -> None:
    """So many seconds of work from now on; then the system ends this process."""
    resource.setrlimit(
        resource.RLIMIT_CPU, (int(time.process_time()) + seconds + 1, resource.RLIM_INFINITY)
    )


class _Answers:
    """Messages to who asked: [kind, bytes of the file that were read since the last one, value,
    processor seconds since the question came]. Documents and problems are sent many at a time, and
    after each message there are `seconds` more to work; in_all: there are no more. name: of the
    file; items say theirs where it is another, in an archive."""

    def __init__(self, connection: socket.socket, name: str, seconds: int, in_all: bool):
        self.name = name
        self.connection = connection
        self.seconds = seconds
        self.in_all = in_all
        self.read = 0
        self.began = time.process_time()
        _allow_seconds(seconds)
        self._begin()

    def _begin(self) -> None:
        self.items: list[tuple] = []
        self.size = 0
        self.due = time.monotonic() + SENT_AFTER_SECONDS
        if not self.in_all:
            _allow_seconds(self.seconds)

    def add(self, item: Document | Problem) -> None:
        file = item.file if item.file != self.name else ""
        if isinstance(item, Document):
            self.size += len(item.text) + len(item.title) + sum(map(len, item.metadata.values()))
            self.items.append(
                (
                    file,
                    item.text,
                    item.title,
                    item.date,
                    item.source_id,
                    item.metadata,
                    item.place,
                    item.headings,
                    item.made,
                    item.dated,
                )
            )
        else:
            self.size += len(item.message)
            self.items.append((file, item.place, item.message, item.dropped, item.kind, item.count))
        if self.size >= BATCH or len(self.items) >= ITEMS or time.monotonic() > self.due:
            self.send_items()

    def advance(self, count: int) -> None:
        """So many bytes of the file were read."""
        self.read += count

    def tell(self, count: int) -> None:
        """So many bytes were read, and whoever asked hears of it soon, whether documents come of
        them or not."""
        self.read += count
        if time.monotonic() > self.due:
            self.send_items()

    def send_items(self) -> None:
        self.send("items", self.items)

    def begin_entry(self, name: str) -> None:
        """An archive's entry is parsed from here on: what there is before it is sent."""
        if self.items:
            self.send_items()
        self.send("entry", name)

    def send(self, kind: str, value: Any) -> None:
        message = orjson.dumps([kind, self.read, value, time.process_time() - self.began])
        self.read = 0
        self.connection.sendall(_LENGTH.pack(len(message)))
        self.connection.sendall(message)
        self._begin()


def _answer(files: list[tuple[Descriptor, str]], request: dict, answers: _Answers) -> None:
    """files: the one that is asked about, and of a bag of words its vocabulary."""
    kind = "end"
    value: Any = None
    try:
        sandbox_process.answers(answers.begin_entry, request.get("passed_over") or {})
        _look(files, request, answers)
    except Unreadable as error:
        kind = "unreadable"
        value = (error.kind, str(error))
    except ConnectionError:
        raise  # nobody waits for it
    except MemoryError:
        answers.send_items()
        raise  # this process is of no more use
    except Exception:
        kind = "error"
        value = traceback.format_exc()
    if answers.items:
        answers.send_items()
    answers.send(kind, value)


def _look(files: list[tuple[Descriptor, str]], request: dict, answers: _Answers) -> None:
    """Send what the question asks for, as webapp.intake.file_formats.dispatch has it read in this
    process."""
    source: Source
    source, name = files[0]
    companions = Companions.among(files)
    advance = answers.tell if request["ours"] else answers.advance
    with contextlib.ExitStack() as stack:
        if entry := request.get("entry"):
            source = stack.enter_context(archive.entry(source, name, entry))
            name = entry
            companions = Companions.among([])
        if request["do"] == "names":
            names = (inside for _, inside in FORMATS[request["format"]].module.files(source, name))
            while names_of_block := list(itertools.islice(names, ITEMS)):
                answers.send("names", names_of_block)
        elif request["do"] == "project":
            answers.send("project", qda_project.read(source, name))
        elif request["do"] == "sniff":
            answers.send(
                "sniff", asdict(dispatch.sniff(source, name, request["known"], companions))
            )
        else:
            options = Options(**request["options"])
            if request["spread"]:
                stack.enter_context(looking.spread(*request["spread"]))
            for item in _first(
                dispatch.read(source, name, options, advance, companions), request["first"]
            ):
                answers.add(item)


def _first(
    items: Iterator[Document | Problem], limits: tuple[int, int] | None
) -> Iterator[Document | Problem]:
    """The items until there are so many characters or documents; None: all."""
    characters, documents = limits or (math.inf, math.inf)
    for item in items:
        yield item
        if isinstance(item, Document):
            characters = characters - len(item.text)
            documents = documents - 1
            if characters <= 0 or documents <= 0:
                return


if __name__ == "__main__":
    main()
