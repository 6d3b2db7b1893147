import os
import signal
import threading
import time
from pathlib import Path

import pytest

from webapp.platform.local import postgres


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs a user namespace")
def test_root_without_user_namespaces_is_told_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("TOPOGRAPH_DATA", str(tmp_path))
    monkeypatch.setattr(postgres, "CLONE_NEWUSER", -1)  # flags that the kernel refuses
    with pytest.raises(postgres.Failed, match="ordinary user, or set DATABASE_URL"):
        postgres.Postgres().part()
    assert not (tmp_path / "postgres").exists()


def test_a_former_server_that_ends_slowly_is_waited_for(tmp_path, monkeypatch):
    """It was killed, and a child of it gets no processor yet: Postgres would refuse to start beside
    it."""
    monkeypatch.setenv("TOPOGRAPH_DATA", str(tmp_path / "data"))
    server = postgres.Postgres()
    first = server.part()
    first.up()
    server.wait(first.process)
    children = [
        int(pid)
        for pid in Path(f"/proc/{first.process.pid}/task/{first.process.pid}/children")
        .read_text()
        .split()
    ]
    os.kill(children[0], signal.SIGSTOP)
    first.process.kill()
    first.process.wait()
    awake = threading.Timer(2.0, os.kill, [children[0], signal.SIGCONT])
    awake.start()
    began = time.monotonic()
    second = server.part()
    try:
        second.up()
        assert time.monotonic() - began > 1.5
        server.wait(second.process)
    finally:
        awake.join()
        second.down()
