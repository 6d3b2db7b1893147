"""An upload of 2 GB by the tus protocol, against copying the file on the same disk.

    .venv/bin/python -m benchmarks.upload [--quick] [--json FILE]

The web server is the one that `manage.py start` runs, in a state folder of its own; the client sends parts of 32 MB one
after the other, as the page does. Each is done three times in turn; both end when the bytes are on the disk itself. The
last line is `ratio: R`, the throughput of the upload over the copy's.
"""

import argparse
import json
import os
import platform
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from webapp.local import folder, start
from webapp.local.processes import free_port

PART = 32 << 20  # as in static/js/transfer.js
TARGET = 0.8
ROUNDS = 3
NOWHERE = {
    "DATABASE_URL": "postgres://nobody@127.0.0.1:9/none",
    "REDIS_URL": "redis://127.0.0.1:9/0",
}  # uploads need neither


class Server:
    def __init__(self, data: Path):
        self.port = free_port()
        env = os.environ | NOWHERE | start.MALLOC | {"TOPOGRAPH_DATA": str(data)}
        self.process = subprocess.Popen(start.web(self.port), cwd=folder.ROOT, env=env, stderr=subprocess.DEVNULL)
        while True:
            try:
                self.connection = socket.create_connection(("127.0.0.1", self.port), 1)
                return
            except OSError:
                assert self.process.poll() is None, "the web server did not start"
                time.sleep(0.05)

    def ask(self, head: str, file=None, offset: int = 0, count: int = 0) -> dict[str, str]:
        self.connection.settimeout(120)
        self.connection.sendall(
            f"{head}\r\nHost: 127.0.0.1:{self.port}\r\nTus-Resumable: 1.0.0\r\nContent-Length: {count}\r\n\r\n".encode()
        )
        if file:
            self.connection.sendfile(file, offset, count)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.connection.recv(4096)
        status, *lines = answer.decode().split("\r\n\r\n")[0].split("\r\n")
        assert status.split()[1] in ("201", "204"), answer
        return dict(line.split(": ", 1) for line in lines)

    def memory(self) -> float:
        """MB that it has had at most."""
        return int(Path(f"/proc/{self.process.pid}/status").read_text().split("VmHWM:")[1].split()[0]) / 1e3

    def stop(self) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.wait(30)


def uploaded(server: Server, source: Path) -> float:
    """Seconds."""
    size, began = source.stat().st_size, time.perf_counter()
    at = server.ask(f"POST /uploads/ HTTP/1.1\r\nUpload-Length: {size}")["location"]
    with source.open("rb") as file:
        for offset in range(0, size, PART):
            head = f"PATCH {at} HTTP/1.1\r\nContent-Type: application/offset+octet-stream\r\nUpload-Offset: {offset}"
            server.ask(head, file, offset, min(PART, size - offset))
    seconds = time.perf_counter() - began
    server.ask(f"DELETE {at} HTTP/1.1")
    return seconds


def copied(source: Path) -> float:
    """Seconds of cp and of bringing the copy to the disk."""
    copy, began = source.with_name("copy"), time.perf_counter()
    subprocess.run(["cp", source, copy], check=True)
    with copy.open("rb+") as file:
        os.fsync(file.fileno())
    seconds = time.perf_counter() - began
    copy.unlink()
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="200 MB instead of 2 GB")
    parser.add_argument("--json", type=Path, help="write the figures here")
    given = parser.parse_args()
    size = 200 if given.quick else 2000  # MB
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that the folder and the server go
    with tempfile.TemporaryDirectory(dir=folder.data(), prefix="benchmark-upload-") as data:
        source = Path(data) / "source"
        with source.open("wb") as file:
            for _ in range(size):
                file.write(os.urandom(1_000_000))
            os.fsync(file.fileno())
        server = Server(Path(data) / "state")
        try:
            uploaded(server, source)  # imports, the page cache
            before, pairs = server.memory(), []
            for _ in range(ROUNDS):
                pairs.append((size / uploaded(server, source), size / copied(source)))
            after = server.memory()
        finally:
            server.stop()
    upload, copy = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(u / c for u, c in pairs)
    for u, c in pairs:
        print(f"upload {u:7,.0f} MB/s   copy {c:7,.0f} MB/s   {u / c:.2f}")
    print(f"server memory: {after:.0f} MB at most, {after - before:.0f} MB more than after the first upload")
    if given.json:
        facts = {"upload_mb_s": upload, "copy_mb_s": copy, "ratio": ratio, "memory_mb": after, "megabytes": size, "cores": os.cpu_count(),
                 "machine": platform.processor() or platform.machine(), "python": platform.python_version()}  # fmt: skip
        given.json.write_text(json.dumps(facts, indent=1) + "\n")
    print(f"ratio: {ratio:.2f}")


if __name__ == "__main__":
    main()
