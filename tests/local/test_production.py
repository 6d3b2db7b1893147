"""docker-compose.yml, the Dockerfile and what documents them, as far as can be told without a
Docker engine;
`python -m tests.containers` runs them."""

import os
import re
import socket
import subprocess
import sys
import time

import pytest
import yaml
from django.conf import settings

from tests.conftest import ROOT
from webapp.platform.jobs import events, roster

TEXT = (ROOT / "docker-compose.yml").read_text()
COMPOSE = yaml.safe_load(TEXT)
SERVICES = COMPOSE["services"]


def test_the_services_are_there():
    assert set(SERVICES) == {"postgres", "redis", "migrate", "web", "worker", "scheduler", "sharer"}
    assert {name for name, service in SERVICES.items() if "profiles" in service} == {
        "scheduler",
        "sharer",
    }
    for name in ("postgres", "redis", "web", "worker"):
        assert SERVICES[name]["healthcheck"]["test"], name
    # So that it can be scaled
    assert "container_name" not in SERVICES["worker"] and "ports" not in SERVICES["worker"]
    assert set(COMPOSE["volumes"]) == {
        v.split(":")[0] for s in SERVICES.values() for v in s["volumes"]
    }


def test_no_secret_has_a_default():
    for name, rest in re.findall(r"\$\{(\w+)([^}]*)\}", TEXT):
        if "PASSWORD" in name or "SECRET" in name:
            assert rest.startswith(":?") or rest == ":-", name  # empty: there is none


def test_every_variable_is_documented():
    wanted = set(re.findall(r"(?<!\$)\$\{(\w+)", TEXT))
    documented = set(re.findall(r"^#? ?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.M))
    assert wanted == documented
    readme = (ROOT / "docs" / "operations.md").read_text()
    read_by_settings = set(
        re.findall(
            r'environ(?:\.get)?[\(\[]"((?:TOPOGRAPH|DATABASE|REDIS)_\w+)"',
            "".join(
                p.read_text()
                for p in [*(ROOT / "webapp").rglob("*.py"), *(ROOT / "tasks").rglob("*.py")]
            ),
        )
    )
    # Set by asgi.py, not by people
    missing = {v for v in read_by_settings if v not in readme} - {"TOPOGRAPH_POOL"}
    assert not missing


# Documented variables that docker-compose.yml does not pass into the containers
NOT_PASSED = {
    "TOPOGRAPH_DATA",  # the volume: the Dockerfile says it
    "TOPOGRAPH_KERNELS",  # in the volume, too
    "TOPOGRAPH_ENVIRONMENT",  # the image's own Python
    "TOPOGRAPH_PORT",  # TOPOGRAPH_LISTEN chooses it outside the container
    "TOPOGRAPH_PROXY",  # an argument of the web server
    "TOPOGRAPH_EXAMPLE",  # without accounts alone, and they are on
    "TOPOGRAPH_DEBUG",  # never on a server
}


def test_every_documented_variable_reaches_the_containers():
    """In .env it would have no effect otherwise, and nobody would be told."""
    operations = (ROOT / "docs" / "operations.md").read_text()
    section = operations.split("## Environment variables\n")[1].split("\n## ")[0]
    named = [line.split(" | ")[0] for line in section.splitlines()]
    documented = {name for cell in named for name in re.findall(r"`([A-Z_]+)`", cell)}
    assert len(documented) > 40
    passed = COMPOSE["x-topograph"]["environment"]
    assert documented - set(passed) == NOT_PASSED


def test_every_process_has_the_same_variables():
    passed = set(COMPOSE["x-topograph"]["environment"])
    for name in ("migrate", "web", "worker", "scheduler", "sharer"):
        assert passed <= set(SERVICES[name]["environment"]), name


def test_a_worker_is_healthy_by_its_own_sign_of_life(monkeypatch):
    """Not by that of another one, nor by one that is over."""
    command = SERVICES["worker"]["healthcheck"]["test"][1:]

    def healthy() -> bool:
        env = os.environ | {"REDIS_URL": settings.REDIS_URL}
        return subprocess.run([sys.executable, *command[1:]], env=env, timeout=60).returncode == 0

    roster.beat(f"celery@another-{socket.gethostname()}:1", 2, time.time())
    assert not healthy()
    monkeypatch.setattr(roster, "WORKER_SECONDS", 120)
    name = f"celery@{socket.gethostname()}:1"
    roster.beat(name, 2, time.time())
    assert healthy()
    events.client().delete(f"worker:{name}")


def test_the_database_is_healthy_when_others_can_reach_it():
    """By its socket a server answers that runs for a moment, while the image makes the folder of
    data."""
    command = SERVICES["postgres"]["healthcheck"]["test"]
    assert command[command.index("-h") + 1] == "127.0.0.1"


def test_the_image_runs_what_the_readme_runs():
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "requirements/runtime.lock" in dockerfile and "--require-hashes" in dockerfile
    assert "requirements/cluster.lock" in dockerfile
    assert "manage.py" in dockerfile and "manage.py" in " ".join(SERVICES["migrate"]["command"])
    assert re.search(r"^USER (?!root)", dockerfile, re.M)
    start = (ROOT / "webapp" / "platform" / "local" / "start.py").read_text()
    for word in ("webapp.asgi:application", "--timeout-graceful-shutdown"):
        assert word in start and word in SERVICES["web"]["command"]


@pytest.mark.parametrize("lock", ["runtime", "test", "installer", "cluster"])
def test_locks_have_hashes_and_no_addresses(lock):
    text = (ROOT / "requirements" / f"{lock}.lock").read_text()
    assert "://" not in text
    pinned = re.findall(r"^([a-z0-9-]+)==", text, re.M)
    assert pinned
    for block in re.split(r"\n(?=[a-z])", text):
        if "==" in block.split("\n")[0]:
            assert "--hash=sha256:" in block, block.split("\n")[0]


def test_the_first_screen_of_the_readme_has_the_two_commands():
    first = re.search(r"^```\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    assert first.start() < 1000
    assert first[1].splitlines() == ["python3 manage.py start", "python3 manage.py test"]
