"""A training that makes room for others goes on from where it was, and ends as one that was not disturbed."""

import numpy as np

from tasks.runs import train
from webapp.jobs import scheduler
from webapp.models import Run
from webapp.results import weights
from webapp.runs import services as runs


def test_it_goes_on_where_it_was(ready, trained, monkeypatch):
    run = runs.create(ready.version, seed=3, topics=6, passes=3)
    asked = []

    def gives_way(user: int | None, since: float) -> bool:
        asked.append(Run.objects.get(pk=run.pk).step)
        return len(asked) in (1, 3)

    monkeypatch.setattr(scheduler, "gives_way", gives_way)
    states = []
    while (status := Run.objects.get(pk=run.pk).status) == "queued":
        states.append(Run.objects.get(pk=run.pk).step)
        train(run.pk)
    assert status == "done" and len(states) == 3 and 0 < states[1] < states[2] < trained.step
    run.refresh_from_db()
    again, undisturbed = (weights.topics(one.snapshot) for one in (run, trained))
    assert np.array_equal(again.words, undisturbed.words) and np.array_equal(again.weights, undisturbed.weights)
