"""The units of deploy/ for systemd: they are what systemd takes, start what docker-compose.yml
starts, and shut the processes in."""

import re
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml

from tests.conftest import ROOT

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
PYTHON = "/opt/topograph/.venv/bin/python"
UNITS = sorted((ROOT / "deploy").glob("*.service"))
EXPOSED = 3.5  # of 10, by systemd's own measure; a service without any bound has 9.6


def command(name: str) -> list[str]:
    unit = (ROOT / "deploy" / name).read_text().replace("\\\n", " ")
    return shlex.split(re.search(r"^ExecStart=(.*)$", unit, re.M)[1])


def systemd_analyze(*arguments: str) -> subprocess.CompletedProcess:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed: Debian's package systemd")
    return subprocess.run(
        ["systemd-analyze", *arguments], capture_output=True, text=True, timeout=60
    )


@pytest.fixture(scope="module")
def units(tmp_path_factory):
    """Copies that name a Python which is there."""
    folder = tmp_path_factory.mktemp("units")
    for unit in UNITS:
        text = unit.read_text()
        assert PYTHON in text
        (folder / unit.name).write_text(text.replace(PYTHON, sys.executable))
    return sorted(folder.iterdir())


def test_systemd_takes_them(units):
    assert [unit.name for unit in units] == [
        "topograph-migrate.service",
        "topograph-web.service",
        "topograph-worker@.service",
        "topograph.service",
    ]
    done = systemd_analyze("verify", *map(str, units))
    assert done.returncode == 0 and "topograph" not in done.stderr, done.stderr


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_the_processes_are_shut_in(unit):
    done = systemd_analyze(
        "security", "--offline=true", f"--threshold={10 * EXPOSED:.0f}", str(unit)
    )
    assert done.returncode == 0, done.stdout[-400:] + done.stderr


def test_they_start_what_the_compose_file_starts():
    assert command("topograph-migrate.service") == [PYTHON, *COMPOSE["migrate"]["command"][1:]]
    web = [word for word in COMPOSE["web"]["command"][1:] if word]
    expected = [
        {
            "0.0.0.0": "127.0.0.1",
            "${TOPOGRAPH_PROXY:-}": "${TOPOGRAPH_PROXY}",
            "${TOPOGRAPH_WEB:-1}": "${TOPOGRAPH_WEB}",
        }.get(word, word)
        for word in web
    ]
    assert command("topograph-web.service") == [PYTHON, *expected]
    worker = command("topograph-worker@.service")
    named = worker.index("--hostname")
    assert worker[named + 1] == "%i@%%h"  # two workers of a machine must not have one name
    assert [PYTHON, *COMPOSE["worker"]["command"][1:]] == worker[:named] + worker[named + 2 :]
    for name in ("web", "worker"):
        unit = (
            ROOT
            / "deploy"
            / ("topograph-web.service" if name == "web" else "topograph-worker@.service")
        ).read_text()
        for variable, value in COMPOSE[name]["environment"].items():
            if variable.startswith("MALLOC"):
                assert f"{variable}={value}" in unit
    assert (
        "KillSignal=" + COMPOSE["worker"]["stop_signal"]
        in (ROOT / "deploy" / "topograph-worker@.service").read_text()
    )


def test_the_unit_for_one_machine_starts_all_of_it_with_accounts():
    unit = (ROOT / "deploy" / "topograph.service").read_text()
    assert command("topograph.service") == [PYTHON, "manage.py", "start", "--port", "8000"]
    assert "TOPOGRAPH_ACCOUNTS=1" in unit
    assert "reverse_proxy 127.0.0.1:8000" in (ROOT / "deploy" / "Caddyfile").read_text()


def test_their_settings_are_documented():
    known = (ROOT / "docs" / "operations.md").read_text() + (ROOT / "Dockerfile").read_text()
    names = re.findall(r"^([A-Z_]+)=", (ROOT / "deploy" / "topograph.env").read_text(), re.M)
    assert "TOPOGRAPH_SECRET_KEY" in names
    for name in names:
        assert name in known or name in COMPOSE["web"]["environment"], name
