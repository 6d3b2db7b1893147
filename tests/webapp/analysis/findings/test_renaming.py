"""Topics that an older program named get new names, once, in the background."""

import pytest

from webapp.analysis.findings import renaming
from webapp.core.curation import services as curation
from webapp.core.results.view import RunView
from webapp.core.runs import names
from webapp.models import Run, Snapshot, Topic
from webapp.platform.jobs import dispatch
from webapp.platform.storage import cache

pytestmark = pytest.mark.django_db


@pytest.fixture
def old(trained):
    """A run as an older program left it."""
    Topic.objects.filter(snapshot=trained.snapshot_id).update(name="Navy, ships", name_parts=None)
    Snapshot.objects.filter(pk=trained.snapshot_id).update(naming=0)
    cache.clear_all()
    run = Run.objects.select_related("snapshot").get(pk=trained.pk)
    yield run
    cache.clear_all()
    dispatch.forget_tries(renaming.TASK, renaming.tried_arguments(run.snapshot_id))


def test_an_old_run_is_named_once_and_labels_stay(old):
    curation.change(old, 1, {"label": "Farming"}, "owner")
    renaming.rename(old.pk, None)
    snapshot = Snapshot.objects.get(pk=old.snapshot_id)
    assert (snapshot.naming, snapshot.renamed_at is not None) == (names.METHOD, True)
    called = list(Topic.objects.filter(snapshot=snapshot).order_by("number"))
    assert all(topic.name and topic.name_parts is not None for topic in called)
    assert len({topic.name for topic in called}) == len(called)
    run = Run.objects.select_related("snapshot").get(pk=old.pk)
    own = RunView(run).labels
    assert own.name(1) == "Farming" and own.proposed(1) == called[1].name != "Navy, ships"
    renaming.rename(old.pk, None)
    assert Snapshot.objects.get(pk=old.snapshot_id).renamed_at == snapshot.renamed_at


def test_topics_that_could_not_be_named_are_not_tried_again_at_each_page(old, monkeypatch):
    asked = []
    monkeypatch.setattr(dispatch.app, "send_task", lambda task, sent, retry: asked.append(sent))

    def fail(*_: object) -> None:
        raise IndexError("a text that nobody thought of")

    with monkeypatch.context() as patch:
        patch.setattr(names, "of_texts", fail)
        with pytest.raises(IndexError):
            renaming.rename(old.pk, None)
    renaming.ask(old, None)
    assert asked == []
    with monkeypatch.context() as patch:
        patch.setattr(names, "METHOD", names.METHOD + 1)
        renaming.ask(old, None)
    assert asked == [[old.pk, None]], "another program may be able to"
    renaming.rename(old.pk, None)
    assert Snapshot.objects.get(pk=old.snapshot_id).naming == names.METHOD


def test_a_page_asks_for_the_names_of_old_runs_alone(old, trained, client, monkeypatch):
    asked = []
    monkeypatch.setattr(
        dispatch, "ask", lambda task, arguments, by, tried=None: asked.append((task, arguments))
    )
    client.get(f"/runs/{old.pk}/overview/")
    assert (renaming.TASK, [old.pk]) in asked
    asked.clear()
    renaming.rename(old.pk, None)
    page = client.get(f"/runs/{old.pk}/overview/").content.decode()
    assert (renaming.TASK, [old.pk]) not in asked
    assert "named the topics again on" in page
