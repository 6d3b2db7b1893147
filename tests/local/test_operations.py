"""docs/operations.md does as it says: its commands are run, and what can't be run here is checked
against what there is."""

import os
import re
import shlex
import subprocess
import sys

import pytest
import yaml
from django.core.management import get_commands

from tests.conftest import ROOT
from tests.prepared import state_folder

TEXT = (ROOT / "docs" / "operations.md").read_text()
BLOCKS = re.findall(r"^```(\w+)( run)?\n(.*?)^```$", TEXT, re.M | re.S)
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())


def blocks(kind: str, run: bool | None = None) -> list[str]:
    return [text for name, marked, text in BLOCKS if name == kind and run in (None, bool(marked))]


def test_every_command_that_can_be_run(tmp_path):
    """One behind the other, as somebody would who reads on: from a state folder without a corpus to
    one that is restored elsewhere."""
    script = (
        "\n".join(["set -eu", *blocks("sh", run=True)])
        .replace("/srv/", f"{tmp_path}/")
        .replace("python3 ", f"{sys.executable} ")
    )
    assert script.count("manage.py") >= 7
    env = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("DATABASE_URL", "REDIS_URL", "TOPOGRAPH_", "DJANGO_"))
    }
    env |= {"TOPOGRAPH_DATA": str(state_folder(tmp_path / "data"))}
    done = subprocess.run(
        ["bash", "-c", script], env=env, cwd=ROOT, capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout
    for name in ("start", "test", "backup", "restore"):
        assert re.search(rf"^ +{name} ", said, re.M), name
    assert (
        "The backup is whole: 0 corpora" in said
        and "Restored: 0 corpora" in said
        and "no issues" in said
    )
    assert (tmp_path / "elsewhere" / "postgres").is_dir() and len(
        list((tmp_path / "backups").glob("topograph-*.tar.zst"))
    ) == 1


@pytest.mark.parametrize("text", blocks("sh"), ids=lambda text: text.splitlines()[0][:50])
def test_the_syntax_of_commands(text):
    assert (
        subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True).returncode == 0
    )
    for command in re.findall(r"manage\.py (\w+)", text):
        assert command in get_commands() or command in ("start", "help"), command


def lines() -> list[list[str]]:
    found = [line for text in blocks("sh") for line in text.splitlines()]
    found += [
        line.split(maxsplit=5)[5].split("&&")[1].strip()
        for text in blocks("cron")
        for line in text.splitlines()
    ]
    return [shlex.split(line) for line in found if line.startswith("docker ")]


def test_docker_is_asked_for_what_there_is():
    """Services of docker-compose.yml, and options that docker has."""
    services = set(COMPOSE["services"])
    verbs = set()
    assert len(lines()) >= 10
    for words in lines():
        if words[1] != "compose":
            assert words[1] in ("build", "run", "exec")
            continue
        verbs.add(words[2])
        if words[2] == "run":  # docker compose run OPTIONS SERVICE COMMAND
            named = [word for word in words if word in services]
            assert (
                named[0] == "migrate"
                and "--rm" in words
                and words[words.index("--user") + 1] == "0"
            )
        elif words[2] == "exec":
            assert words[3] in services
        elif words[2] in ("up", "logs"):
            given = [word for word in words[3:] if not word.startswith("-") and "=" not in word]
            assert set(given) <= services, words
            assert all(word.split("=")[0] in services for word in words if "=" in word)
    assert verbs == {"up", "ps", "logs", "exec", "run", "build"}


def test_the_worker_elsewhere_is_that_of_the_compose_file():
    runs = [words for words in lines() if words[:2] == ["docker", "run"]]
    (run,) = [words for words in runs if "celery" in words]
    command = run[run.index("topograph") + 1 :]
    assert command == COMPOSE["services"]["worker"]["command"]
    assert run[run.index("--stop-signal") + 1] == COMPOSE["services"]["worker"]["stop_signal"]


def test_the_image_has_what_is_run_in_it():
    dockerfile = (ROOT / "Dockerfile").read_text()
    user = int(re.search(r"--uid (\d+)", dockerfile)[1])
    assert (
        f"user {user} of the image" in TEXT
        and "TOPOGRAPH_DATA=/data" in dockerfile
        and "useradd" in dockerfile
    )


def test_neither_secrets_nor_what_is_made_here_is_in_the_image():
    """docs/operations.md says so of .env, which holds the passwords. What git ignores is made in a
    checkout, or a secret."""
    patterns = (ROOT / ".dockerignore").read_text().split("\n")
    assert ".env" in patterns
    assert ".env" in (ROOT / ".gitignore").read_text().split("\n")
    for name in (".venv", "topograph-data", "dist", "inference/runtime/shipped"):
        assert name in patterns


def test_nginx_lets_uploads_and_streams_through():
    text = re.sub(r"#.*", "", (ROOT / "deploy" / "nginx.conf").read_text())
    text = re.sub(r"\s+", " ", text)
    assert text.count("{") == text.count("}") == 4 - 1
    statements = [s.strip() for s in re.split(r"[{};]", text) if s.strip()]
    for wanted in (
        "client_max_body_size 0",
        "proxy_request_buffering off",
        "proxy_buffering off",
        "proxy_http_version 1.1",
        "proxy_set_header Host $host",
        "proxy_set_header X-Forwarded-Proto $scheme",
        "proxy_set_header X-Forwarded-For $remote_addr",
        "proxy_pass http://127.0.0.1:8000",
    ):
        assert wanted in statements, wanted
    assert COMPOSE["services"]["web"]["ports"] == ["${TOPOGRAPH_LISTEN:-127.0.0.1:8000}:8000"]


def test_caddy_does_not_hold_answers_back():
    text = (ROOT / "deploy" / "Caddyfile").read_text()
    assert text.count("{") == text.count("}") == 2
    assert re.search(
        r"^\s+reverse_proxy 127\.0\.0\.1:8000 \{\n\s+flush_interval -1\n\s+\}", text, re.M
    )


def test_what_it_leads_to_is_there():
    heads = {
        re.sub(r"[^\w -]", "", head).strip().lower().replace(" ", "-")
        for head in re.findall(r"^##+ (.*)$", TEXT, re.M)
    }
    for anchor in re.findall(r"\]\(#([\w-]+)\)", TEXT):
        assert anchor in heads, anchor
    for name in set(re.findall(r"\b((?:docs|tests|webapp|requirements)/[\w/.-]*[\w/])", TEXT)):
        assert (ROOT / name).exists(), name
