"""`manage.py test` leaves no process behind, however it ends."""

import os
import signal
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.waiting import until
from webapp.platform import system

RUN = """
import os, signal, sys
from tests import command
signal.signal(signal.SIGTERM, command.terminate)
options = ["-n", sys.argv[2], "-p", "no:cacheprovider", "-p", "no:django", "-c", os.devnull]
pytest = [sys.executable, "-m", "pytest", *options, sys.argv[1]]
sys.exit(command.run_tests(pytest, dict(os.environ)))
"""
# Two tests that say which process runs them, and go on
TESTS = """
import os, time
from pathlib import Path
import pytest
@pytest.mark.parametrize("number", [0, 1])
def test_that_goes_on(number):
    Path(__file__).with_suffix(f".{os.getpid()}.pid").touch()
    time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("workers", [0, 1])
def test_tests_end_with_the_command(tmp_path, number, workers):
    file = tmp_path / "test_long.py"
    file.write_text(TESTS)
    env = {name: value for name, value in os.environ.items() if "PYTEST_XDIST" not in name}
    command = subprocess.Popen(
        [sys.executable, "-c", RUN, str(file), str(workers)],
        cwd=ROOT,
        env=env | {"PYTEST_PLUGINS": "tests.worker"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: any(tmp_path.glob("*.pid")), seconds=60)
    [process] = [int(path.suffixes[-2].removeprefix(".")) for path in tmp_path.glob("*.pid")]
    command.send_signal(number)
    status = command.wait(60)
    assert status == (128 + number if number == signal.SIGTERM else -number)
    until(lambda: not system.command_line(process), seconds=60)
