"""A training that is cancelled ends, and shows nothing."""

import pytest

from tasks.runs import train
from tests.corpora import example_rows
from tests.webapp.making import corpus_of
from webapp.core.runs import services as runs, shared_training
from webapp.models import Snapshot

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_is_asked_while_the_last_checkpoint_is_written(draft, monkeypatch):
    """No step follows, behind which it was looked for."""
    corpus = corpus_of(draft, example_rows(60), "speeches.csv", language="en", min_documents=2)
    run = runs.create(corpus.version, seed=3, topics=4, engine_settings={"passes": 2})
    save = shared_training.save
    steps = []

    def save_slowly(*arguments):
        run.refresh_from_db()
        steps.append((run.step, run.steps))
        if run.step == run.steps:
            runs.cancel(run)
        save(*arguments)

    monkeypatch.setattr(shared_training, "save", save_slowly)
    train(run.pk)
    run.refresh_from_db()
    assert steps[-1][0] == steps[-1][1] > 0
    assert (run.status, run.snapshot_id) == ("cancelled", None)
    assert not Snapshot.objects.filter(run=run).exists()
