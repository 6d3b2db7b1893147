"""Upkeep: one step that fails keeps no other from being done."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

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
