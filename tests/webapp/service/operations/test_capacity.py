"""What `manage.py check --readers N` says of a machine."""

import io
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command

from webapp.service.operations import capacity

pytestmark = pytest.mark.django_db
GB = 1 << 30


def said(readers: int) -> list[str]:
    out = io.StringIO()
    call_command("check", "--readers", str(readers), stdout=out)
    return out.getvalue().splitlines()[-5:]


@pytest.fixture
def machine(monkeypatch, settings):
    settings.ACCOUNTS = True
    here = {"memory": 24 * GB, "free": 100 * GB}
    monkeypatch.setattr(capacity, "usable_memory", lambda: here["memory"])
    monkeypatch.setattr(capacity.shutil, "disk_usage", lambda _: SimpleNamespace(free=here["free"]))
    monkeypatch.setattr(capacity.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(capacity.scheduler, "training_places", lambda: 2)
    monkeypatch.setattr(capacity.scheduler, "seconds_of_trainings", lambda: None)
    return here


def test_enough(machine):
    lines = said(40)
    assert not any("SHORT" in line for line in lines) and "begins after 3 min 15 s" in lines[2]


def test_short(machine, settings):
    settings.ACCOUNTS = False
    machine |= {"memory": 2 * GB, "free": GB}
    lines = said(200)
    assert [line.startswith("SHORT") for line in lines] == [True, True, False, True, True]
    assert (
        "TOPOGRAPH_ACCOUNTS=1" in lines[0]
        and "with --web 2, on a machine with more cores" in lines[1]
    )


def test_what_trainings_took_counts(machine, monkeypatch):
    monkeypatch.setattr(capacity.scheduler, "seconds_of_trainings", lambda: 60.0)
    assert "begins after 9 min 30 s" in said(20)[2]


def test_how_many(machine):
    with pytest.raises(CommandError, match="1 or more"):
        said(0)
