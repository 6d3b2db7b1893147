"""A web server of a test's own, and a client of the tus protocol that can also misbehave."""

import base64
import http.client
import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from webapp.platform.local import start
from webapp.platform.local.processes import free_port

ROOT = Path(__file__).resolve().parent.parent.parent
PART = "application/offset+octet-stream"


@dataclass
class Server:
    """uvicorn on the tests' own state folder. It can be killed and started again."""

    env: dict = field(default_factory=dict)
    port: int = 0
    process: subprocess.Popen | None = None

    def start(self) -> "Server":
        self.port = self.port or free_port()
        argv = [*start.web(self.port), "--log-level", "warning"]
        self.process = subprocess.Popen(argv, cwd=ROOT, env=os.environ | start.MALLOC | self.env)
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                assert self.process.poll() is None and time.monotonic() < deadline
                time.sleep(0.02)

    def stop(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)
        self.process.wait(30)

    def memory(self) -> int:
        """Bytes that the process has had in memory at most."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def offset(self) -> int:
        return int(self.headers["Upload-Offset"])

    @property
    def location(self) -> str:
        return urlsplit(self.headers["Location"]).path


@dataclass
class Client:
    port: int

    def ask(self, method: str, path: str, body=None, **headers) -> Answer:
        """Header names are given with _ for -. body: bytes, or a file."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {"Tus-Resumable": "1.0.0"} | {
            name.replace("_", "-"): str(value)
            for name, value in headers.items()
            if value is not None
        }
        try:
            connection.request(
                method, path, body, {name: value for name, value in named.items() if value}
            )
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def create(self, length: int, name: str = "a.txt", body: bytes | None = None, **more) -> Answer:
        pairs = {"filename": name} | more.pop("metadata", {})
        metadata = ",".join(
            f"{key} {base64.b64encode(value.encode('utf-8', 'surrogatepass')).decode()}"
            for key, value in pairs.items()
        )
        if body is not None:
            more["Content_Type"] = PART
        return self.ask(
            "POST", "/uploads/", body, Upload_Length=length, Upload_Metadata=metadata, **more
        )

    def patch(self, path: str, offset: int, body, **more) -> Answer:
        return self.ask(
            "PATCH", path, body, **({"Upload_Offset": offset, "Content_Type": PART} | more)
        )

    def offset(self, path: str) -> int:
        return self.ask("HEAD", path).offset

    def begin(self, path: str, offset: int, length: int, body: bytes) -> socket.socket:
        """A PATCH that says `length` and sends only `body`; the connection stays open until it is
        closed."""
        connection = socket.create_connection(("127.0.0.1", self.port), 30)
        connection.sendall(
            f"PATCH {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nTus-Resumable:"
            f" 1.0.0\r\nContent-Type: {PART}\r\nUpload-Offset: {offset}\r\nContent-Length:"
            f" {length}\r\n\r\n".encode()
            + body
        )
        return connection

    def wait_for(self, path: str, offset: int, seconds: float = 20) -> int:
        """Until that many bytes are there, or more; returns how many."""
        deadline = time.monotonic() + seconds
        while (now := self.offset(path)) < offset:
            assert time.monotonic() < deadline, f"{now} bytes have come, not {offset}"
            time.sleep(0.02)
        return now
