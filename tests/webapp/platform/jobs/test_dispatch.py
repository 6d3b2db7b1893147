"""Notes of tasks that have no row of their own: who waits for them, and for how long."""

import time

import pytest

from tests.corpora import example_rows
from tests.webapp.failing import fail_task
from tests.webapp.making import corpus_of
from webapp.core.runs import services as runs, training
from webapp.models import Run
from webapp.platform.jobs import dispatch

pytestmark = pytest.mark.django_db
TASK = "tasks.of.tests"


@pytest.fixture
def short(monkeypatch) -> float:
    """Seconds that are longer than a note lasts that nobody renews."""
    monkeypatch.setattr(dispatch, "PROMISED", 1)
    return 2.5


def test_a_task_counts_as_at_work_until_it_ends_however_long_it_takes(short):
    with dispatch.at_work(TASK, [1, "a set"]):
        time.sleep(short)
        assert dispatch.promised(TASK, [1, "a set"]) and dispatch.is_asked()
        dispatch.advance(TASK, [1, "a set"], 0.5)
        assert dispatch.progress(TASK, [1, "a set"]) == 0.5
    assert not dispatch.promised(TASK, [1, "a set"])


def test_a_task_that_breaks_is_at_work_no_more(short):
    fail_task(TASK, [2])
    assert not dispatch.promised(TASK, [2])


@pytest.fixture
def sent(monkeypatch) -> list:
    """The arguments of the messages to workers."""
    messages: list = []
    monkeypatch.setattr(
        dispatch.app, "send_task", lambda task, arguments, retry: messages.append(arguments)
    )
    return messages


def test_a_task_that_broke_is_asked_for_again_ever_later(sent, monkeypatch):
    monkeypatch.setattr(dispatch, "TRY_AGAIN", (1, 3_600))
    fail_task(TASK, [3])
    dispatch.ask(TASK, [3], None)
    assert sent == []
    dispatch.ask(TASK, [4], None)
    assert sent == [[4, None]], "another question is asked at once"
    dispatch.answered(TASK, [4], None)
    time.sleep(1.5)
    dispatch.ask(TASK, [3], None)
    assert sent[1:] == [[3, None]]
    fail_task(TASK, [3])
    time.sleep(1.5)
    dispatch.ask(TASK, [3], None)
    assert len(sent) == 2, "the second time it waits longer"


def test_a_task_that_was_done_is_asked_for_at_once(sent, monkeypatch):
    with dispatch.at_work(TASK, [5]):
        pass
    dispatch.ask(TASK, [5], None)
    dispatch.answered(TASK, [5], None)
    assert sent == [[5, None]]


@pytest.mark.django_db(transaction=True)
def test_what_follows_a_training_keeps_those_with_other_seeds_waiting(draft, short):
    """Its row is done already; what nobody waits for would compete with it for the processor."""
    asked: list[bool] = []

    class SlowFindings:
        """They take longer than a promise holds."""

        def promise(self, run: Run) -> None: ...

        def compute(self, run_id: int) -> None:
            time.sleep(short)
            asked.append(dispatch.is_asked())

    corpus = corpus_of(draft, example_rows(100), "speeches.csv", language="en", min_documents=2)
    run = runs.create(corpus.version, topics=3, engine_settings={"passes": 1})
    training.train(run.pk, SlowFindings())
    run.refresh_from_db()
    assert run.status == Run.Status.DONE, run.error
    assert asked == [True]
    assert not dispatch.promised("tasks.runs.train", [run.pk])
