"""Upkeep: one step that fails keeps no other from being done."""

from contextlib import suppress
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from webapp.platform.jobs import events
from webapp.platform.storage import sealed
from webapp.service.operations import upkeep
from webapp.service.privacy import erasure

pytestmark = pytest.mark.django_db


def test_a_step_that_fails_keeps_no_other_from_being_done(monkeypatch, caplog):
    def finish() -> None:
        raise FileNotFoundError("numbers.npy")

    monkeypatch.setattr(erasure, "finish", finish)
    long_ago = timezone.now() - timedelta(days=1)
    Session.objects.create(session_key="old", session_data="", expire_date=long_ago)
    with pytest.raises(ExceptionGroup) as failed:
        upkeep.tidy()
    assert [type(error) for error in failed.value.exceptions] == [FileNotFoundError]
    assert not Session.objects.filter(pk="old").exists()
    assert "one of several things could not be done" in caplog.text


@pytest.mark.parametrize("error", [sealed.StoreAway("it does not answer"), OSError("of a disk")])
def test_a_look_at_the_store_that_did_not_end_is_taken_again_soon(monkeypatch, error):
    def fail(before: float):
        raise error

    events.client().delete(upkeep.SWEPT)
    monkeypatch.setattr(sealed, "sweep", fail)
    with suppress(OSError):
        upkeep.sweep_store()
    assert 0 < events.client().ttl(upkeep.SWEPT) <= upkeep.SWEEP_AGAIN
    events.client().delete(upkeep.SWEPT)
    monkeypatch.setattr(sealed, "sweep", lambda before: ([], []))
    upkeep.sweep_store()
    assert events.client().ttl(upkeep.SWEPT) > upkeep.SWEEP_AGAIN
    events.client().delete(upkeep.SWEPT)
