"""A mistake in naming costs a run its good names, and nothing else."""

import pytest

from inference.explore import naming
from tasks.runs import train
from webapp.core.runs import services
from webapp.core.runs.names import METHOD
from webapp.models import Topic

pytestmark = pytest.mark.django_db


def test_a_training_ends_and_its_overview_says_that_words_name_the_topics(
    ready, client, monkeypatch, caplog
):
    def fail(*_):
        raise IndexError("a text that nobody thought of")

    monkeypatch.setattr(naming, "by_coverage", fail)
    run = services.create(ready.version, seed=3, topics=4, engine_settings={"passes": 2})
    train(run.pk)
    run.refresh_from_db()
    assert run.status == "done", run.error
    assert run.snapshot.named_by_words
    assert run.snapshot.naming == METHOD, "the same program would fail again at each visit"
    topics = Topic.objects.filter(snapshot=run.snapshot_id)
    assert all(topic.name and topic.phrases == [] for topic in topics)
    assert "names of topics could not be made from the texts" in caplog.text
    page = client.get(f"/runs/{run.pk}/overview/").content.decode()
    assert "The topics are named by their words alone" in page
    assert "phrases, which only a new training finds" in page


def test_a_run_whose_texts_gave_names_says_nothing_of_it(trained, client):
    assert not trained.snapshot.named_by_words
    page = client.get(f"/runs/{trained.pk}/overview/").content.decode()
    assert "named by their words alone" not in page
