"""Data that are flushed to the disk: by the call of each system."""

import subprocess
import sys

from inference.runtime import durable
from tests.conftest import ROOT

PROGRAM = """
import fcntl, os, sys
if {is_mac}:
    del os.fdatasync
    fcntl.F_FULLFSYNC = 51
from inference.runtime import durable
called = []
for name in ("fsync", "fdatasync"):
    setattr(os, name, lambda descriptor, name=name: called.append(name)) if hasattr(os, name) else None
with open({path!r}, "wb") as file:
    durable.flush_data(file.fileno())
print(*called)
"""


def calls(path, is_mac: bool) -> list[str]:
    """What flush_data asked the system for, in a process of its own."""
    program = PROGRAM.format(is_mac=is_mac, path=str(path))
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_many_files_are_settled_on_each_disk_that_they_are_on(tmp_path, monkeypatch):
    folders = [tmp_path / "a" / "files", tmp_path / "b" / "files"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "file").write_text("")
    settled = []
    monkeypatch.setattr(durable, "MOST_SYNCED_ONE_BY_ONE", 1)
    monkeypatch.setattr(durable, "disk_of", lambda path: "b" in path.parts)
    monkeypatch.setattr(durable, "settle_disk", lambda path: settled.append("b" in path.parts))
    durable.settle(*folders)
    assert sorted(settled) == [False, True]


def test_data_are_flushed_by_the_call_that_the_system_has(tmp_path):
    assert calls(tmp_path / "file", is_mac=False) == ["fdatasync"]
    # Linux knows no F_FULLFSYNC, as a network share does not: fsync remains
    assert calls(tmp_path / "file", is_mac=True) == ["fsync"]
