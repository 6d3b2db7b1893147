"""What web processes tell each other; two real ones are in tests/faults/test_web_processes.py."""

import pytest
import redis
from prometheus_client import generate_latest

from webapp.platform.jobs import events
from webapp.platform.server import siblings


@pytest.fixture
def cleared(monkeypatch):
    """How often the caches of this process were emptied."""
    siblings.look()  # what was deleted before this test
    times = []
    monkeypatch.setattr(siblings.cache, "clear_all", lambda: times.append(1))
    return times


def test_what_another_process_deletes_is_let_go_once(cleared):
    siblings.look()
    assert not cleared
    events.client().incr(siblings.DELETIONS)
    siblings.look()
    siblings.look()
    assert len(cleared) == 1


def test_what_this_process_deletes_it_lets_go_at_once(cleared):
    siblings.forget()
    siblings.look()
    assert len(cleared) == 1


def test_a_deletion_that_could_not_be_heard_of_is_made_up_for(cleared, monkeypatch):
    siblings.look(away=True)
    assert len(cleared) == 1

    def away():
        raise redis.ConnectionError

    monkeypatch.setattr(siblings.events, "client", away)
    siblings.forget()  # the page of who deletes says so, whatever Redis does
    assert len(cleared) == 2


def test_metrics_of_others_stand_beside_ours(alone):
    assert "process=" not in generate_latest(siblings.Together()).decode()
    other = (
        b"# HELP topograph_sse_readers Open streams of events.\n# TYPE topograph_sse_readers"
        b" gauge\ntopograph_sse_readers 7.0\n"
    )
    events.client().set(f"{siblings.METRICS}other:1", other, ex=30)
    try:
        text = generate_latest(siblings.Together()).decode()
    finally:
        events.client().delete(f"{siblings.METRICS}other:1")
    assert 'topograph_sse_readers{process="other:1"} 7.0' in text
    assert f'topograph_sse_readers{{process="{siblings.NAME}"}}' in text
    assert text.count("# TYPE topograph_sse_readers") == 1
