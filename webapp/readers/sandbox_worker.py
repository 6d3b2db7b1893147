"""The worker process of webapp.readers.sandbox: `python -m webapp.readers.sandbox_worker SOCKET MEMORY SECONDS
IDLE`."""

import contextlib
import io
import os
import resource
import socket
import struct
import sys
from dataclasses import asdict
from typing import BinaryIO

import orjson

from webapp.readers.formats import FORMATS
from webapp.readers.model import Document, Options, Unreadable
from webapp.readers.opening import clean

_LENGTH = struct.Struct("<Q")


class _DescriptorSource:
    """A file that came as a descriptor, as a webapp.readers.opening.Source."""

    def __init__(self, descriptor: int):
        self.descriptor = descriptor

    def open(self, mode: str = "rb", buffering: int = 0) -> BinaryIO:
        file = io.FileIO(os.dup(self.descriptor))
        file.seek(0)
        return file

    def stat(self):
        return os.fstat(self.descriptor)


def main() -> None:
    connection = socket.socket(fileno=int(sys.argv[1]))
    _set_limits(int(sys.argv[2]))
    with contextlib.suppress(TimeoutError, EOFError, ConnectionError):
        while True:
            connection.settimeout(float(sys.argv[4]))
            length, descriptors, *_ = socket.recv_fds(connection, _LENGTH.size, 1)
            if not length:
                return
            connection.settimeout(None)  # who reads the answers may take its time
            request = orjson.loads(_exactly(connection, _LENGTH.unpack(length)[0]))
            _allow_seconds(int(sys.argv[3]))
            try:
                for message in _answers(_DescriptorSource(descriptors[0]), request):
                    _allow_seconds(int(sys.argv[3]))
                    connection.sendall(_LENGTH.pack(len(message)))
                    connection.sendall(message)
            finally:
                os.close(descriptors[0])


def _set_limits(memory: int) -> None:
    """No more memory than this, no file written, no core dumped."""
    for what, most in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):  # not every system has each
            resource.setrlimit(what, (most, most))


def _allow_seconds(seconds: int) -> None:
    """So many seconds of work from now on; then the system ends this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 1, resource.RLIM_INFINITY))


def _answers(source: _DescriptorSource, request: dict):
    name, options = request["name"], Options(**request["options"] | {"names": tuple(request["options"]["names"])})
    try:
        if request["do"] == "sniff":
            yield orjson.dumps(
                ["sniff", asdict(FORMATS[request["format"]].reader.sniff(source, name, options, request["known"]))]
            )
        else:
            count = _ByteCount()
            for item in FORMATS[request["format"]].reader.read(source, name, options, count):
                if count.new:
                    yield count.message()
                yield orjson.dumps(["document" if isinstance(item, Document) else "problem", asdict(item)])
    except Unreadable as error:
        yield orjson.dumps(["unreadable", str(error)])
        return
    except MemoryError:
        raise  # this process is of no more use
    except Exception as error:  # each library has its own ways to say that a file is damaged
        why = clean(f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode())[:200]
        yield orjson.dumps(
            [
                "unreadable",
                f"“{name}” can't be read: it is damaged, or no {FORMATS[request['format']].label} ({why}). Save it again.",
            ]
        )
        return
    yield orjson.dumps(["end", None])


class _ByteCount:
    new = 0

    def __call__(self, count: int) -> None:
        self.new += count

    def message(self) -> bytes:
        new, self.new = self.new, 0
        return orjson.dumps(["bytes", new])


def _exactly(connection: socket.socket, count: int) -> bytes:
    message = bytearray()
    while len(message) < count:
        piece = connection.recv(count - len(message))
        if not piece:
            raise EOFError
        message += piece
    return bytes(message)


if __name__ == "__main__":
    main()
