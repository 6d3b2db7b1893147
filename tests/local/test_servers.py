"""Where a command finds its servers while a Topograph starts."""

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from webapp.platform.local import folder, servers

COMMAND = """
from webapp.platform.local import folder, servers
with servers.for_command():
    print(folder.servers()["url"])
"""


@pytest.fixture
def state(tmp_path, monkeypatch):
    """A state folder of its own, and no servers that the environment names."""
    monkeypatch.setenv("TOPOGRAPH_DATA", str(tmp_path))
    for name in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_a_command_waits_for_a_start_that_is_under_way(state):
    with folder.lock():
        command = subprocess.Popen(
            [sys.executable, "-c", COMMAND],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert command.stderr.readline().startswith("Topograph is starting")
        folder.tell(url="http://127.0.0.1:8000/")
        said, errors = command.communicate(timeout=60)
    assert said == "http://127.0.0.1:8000/\n", errors


def test_a_command_beside_one_that_comes_to_no_end_says_so(state):
    program = "from webapp.platform.local import commands, servers\n"
    program += "servers.START_SECONDS = 0.0\n"
    program += "import sys; sys.argv = ['manage.py', 'check']; commands.main()"
    with folder.lock():
        command = subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env=os.environ | {"TOPOGRAPH_ENVIRONMENT": "current"},
            capture_output=True,
            text=True,
        )
    assert command.returncode == 1
    assert f"Topograph is running already, with the state folder {state}." in command.stderr
    assert "Traceback" not in command.stderr


def test_what_a_killed_topograph_told_is_not_believed(state):
    folder.tell(url="http://127.0.0.1:1/")
    assert json.loads((state / "servers.json").read_text())
    assert not servers.is_told_of_servers()
