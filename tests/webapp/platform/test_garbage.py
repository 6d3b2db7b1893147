"""While a process starts nothing is collected; then all that there is by then is passed over."""

import gc

import pytest

from tasks import celery
from webapp.platform import garbage


@pytest.fixture(autouse=True)
def collector():
    """On again, whatever a test has left."""
    yield
    gc.enable()


class Circle:
    def __init__(self):
        self.itself = self


def test_nothing_is_collected_before_it_is_resumed():
    garbage.pause()
    assert not gc.isenabled()
    garbage.resume()
    assert gc.isenabled() and garbage.start_is_passed_over()


def test_what_is_there_is_passed_over_and_what_comes_is_collected():
    gc.unfreeze()
    there = Circle()
    garbage.resume()
    assert gc.get_freeze_count() > 10_000
    assert not any(tracked is there for tracked in gc.get_objects())
    new = Circle()
    assert any(tracked is new for tracked in gc.get_objects())


def test_a_process_of_a_worker_that_was_not_forked_collects_when_it_has_imported_all():
    celery.pause_collector()
    celery.resume_collector_of_process()
    assert gc.isenabled()


def test_a_forked_process_of_a_worker_looks_through_nothing_again(monkeypatch):
    """It shares the memory of what the worker looked through."""
    monkeypatch.setattr(garbage, "resume", lambda: pytest.fail("all was looked through again"))
    celery.resume_collector_of_process()
