"""A training that makes room for others goes on from where it was, and ends as one that was not
disturbed."""

import numpy as np
import pytest

from tasks.runs import train
from tests.corpora import example_rows
from tests.webapp.making import corpus_of
from webapp.core.results import weights
from webapp.core.runs import services as runs
from webapp.models import Run
from webapp.platform.jobs import scheduler

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_goes_on_where_it_was(draft, monkeypatch):
    corpus = corpus_of(draft, example_rows(200), "speeches.csv", language="en", min_documents=2)
    undisturbed, run = (
        runs.create(corpus.version, seed=3, topics=6, engine_settings={"passes": 3})
        for _ in range(2)
    )
    train(undisturbed.pk)
    undisturbed.refresh_from_db()
    asked = []

    def gives_way(user: int | None, since: float) -> bool:
        asked.append(user)
        return len(asked) in (1, 3)

    monkeypatch.setattr(scheduler, "gives_way", gives_way)
    steps = []
    while (status := Run.objects.get(pk=run.pk).status) == "queued":
        steps.append(Run.objects.get(pk=run.pk).step)
        train(run.pk)
    assert status == "done" and len(steps) == 3 and 0 < steps[1] < steps[2] < undisturbed.step
    run.refresh_from_db()
    again, once = (weights.topics(one.snapshot) for one in (run, undisturbed))
    assert np.array_equal(again.words, once.words) and np.array_equal(again.weights, once.weights)
