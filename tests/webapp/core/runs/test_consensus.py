"""A run that begins with what a run and its trainings with other seeds have in common."""

from unittest.mock import Mock

import numpy as np
import pytest
from django.urls import reverse

from inference.consensus import consensus
from inference.errors import Invalid
from inference.explore import matching
from tests.webapp.making import corpus_of, run_on
from webapp.core.asked_training.forms import TrainForm
from webapp.core.results import weights
from webapp.core.runs import replicates, services, steering
from webapp.models import Replicate, Run
from webapp.platform.accounts import quotas
from webapp.platform.jobs import kinds, scheduler

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(draft, monkeypatch):
    monkeypatch.setattr(scheduler, "idle", lambda: True)
    chance = np.random.default_rng(5)
    subjects = [[f"{kind}{i}" for i in range(12)] for kind in ("war", "tax", "law", "farm")]
    rows = [[" ".join(chance.choice(subjects[d % 4], 15))] for d in range(200)]
    return run_on(corpus_of(draft, [["text"], *rows], "subjects.csv"), topics=4, passes=10)


def test_a_press_joins_what_is_there(client, run):
    from tasks.runs import train

    page = reverse("run_seeds", args=[run.pk])
    for form in ({}, {"act": "jion"}):  # a form without its button, or with another's name
        assert client.post(page, form).status_code == 400 and not run.replicates.exists()
    refused = client.post(page, {"act": "join"}, follow=True)
    assert "has not been trained with other seeds yet" in refused.content.decode()
    replicates.begin(run)
    for replicate in run.replicates.all():
        replicates.train(replicate.pk)
    assert set(run.replicates.values_list("status", flat=True)) == {Replicate.Status.READY}
    run.refresh_from_db()
    shown = client.get(reverse("run", args=[run.pk])).content.decode()
    # all are found again
    assert "Train one run of all 3" in shown and "recommended here" not in shown
    answered = client.post(page, {"act": "join"})
    new = Run.objects.latest("pk")
    assert answered.url == reverse("run", args=[new.pk])
    assert (new.parent_id, new.begins, new.steering) == (run.pk, True, {"consensus": [1, 2]})
    train(new.pk)
    new.refresh_from_db()
    assert new.status == "done", new.error
    joined = consensus([weights.topics(run.snapshot), *replicates.topics(run, [1, 2])])
    between = matching.match(joined, weights.topics(new.snapshot), *weights.words(run, new))
    assert between.partner.tolist() == [0, 1, 2, 3]  # topics keep their numbers
    html = client.get(reverse("run", args=[new.pk])).content.decode()
    assert "joined with those of the same run with seed 1 and 2" in html
    assert "Train with other seeds" not in html  # it has them whatever the seed


def test_a_training_that_is_gone_is_said(client, run):
    from tasks.runs import train

    replicates.begin(run)
    for replicate in run.replicates.all():
        replicates.train(replicate.pk)
    client.post(reverse("run_seeds", args=[run.pk]), {"act": "join"})
    run.replicates.all().delete()
    new = Run.objects.latest("pk")
    train(new.pk)
    new.refresh_from_db()
    assert new.status == "failed"
    assert "with seed 1 is not there any more" in new.error


def sent(run):
    form = TrainForm(corpus=run.corpus)
    return {field.name: field.value() for field in form if field.value() is not None} | {
        "topics": 4,
        "seed": 7,
    }


@pytest.mark.parametrize("way", ["form", "service"])
def test_a_run_of_all_follows_where_it_was_asked_for(client, run, way):
    from tasks.runs import train

    shown = client.get(reverse("corpus", args=[run.corpus_id])).content.decode()
    assert "Train with several seeds and take their consensus" in shown
    if way == "form":
        client.post(reverse("corpus_runs", args=[run.corpus_id]), sent(run) | {"consensus": "on"})
        first = Run.objects.latest("pk")
    else:
        first = services.create(run.version, topics=4, seed=7, consensus=True)
    assert (
        "Trainings with other seeds follow"
        in client.get(reverse("run", args=[first.pk])).content.decode()
    )
    train(first.pk)
    first.refresh_from_db()
    assert list(first.replicates.values_list("seed", "status")) == [(8, "queued"), (9, "queued")]
    for replicate in first.replicates.all():
        assert Run.objects.latest("pk") == first
        replicates.train(replicate.pk)
    last = Run.objects.latest("pk")
    assert (last.parent_id, last.begins, last.steering, last.by) == (
        first.pk,
        True,
        {"consensus": [8, 9]},
        first.by,
    )
    shown = client.get(reverse("run", args=[first.pk])).content.decode()
    assert f"Run {last.pk}</a> began with all of them" in shown and "seeds follow" not in shown
    train(last.pk)
    last.refresh_from_db()
    assert (last.status, last.replicates.count()) == ("done", 0)


def test_a_run_of_all_follows_also_a_run_that_is_trained_again(run):
    first = services.create(run.version, topics=4, seed=7, consensus=True)
    assert services.train_again(first).steering == first.steering == {"join": True}
    assert services.train_again(run).steering == {}


@pytest.mark.django_db(transaction=True)
def test_a_run_of_all_follows_also_where_the_worker_ends_before_it_is_queued(run, monkeypatch):
    run.steering = {"join": True}
    run.save()
    replicates.begin(run)
    first, last = run.replicates.order_by("pk")
    replicates.train(first.pk)
    join = steering.join
    # No handler of ours sees it, as none sees a kill
    monkeypatch.setattr(steering, "join", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        replicates.train(last.pk)
    monkeypatch.setattr(steering, "join", join)
    assert Run.objects.latest("pk") == run
    run.replicates.filter(status__in=kinds.REPLICATE.active).update(status="queued")  # by the sweep
    replicates.train(last.pk)
    assert Run.objects.latest("pk").steering == {"consensus": [1, 2]}


def test_without_it_none_follows(client, run):
    client.post(reverse("corpus_runs", args=[run.corpus_id]), sent(run))
    assert (Run.objects.latest("pk").seed, Run.objects.latest("pk").steering) == (7, {})


def test_who_has_too_many_jobs_is_offered_it(client, run, monkeypatch):
    run.steering = {"join": True}
    run.save()
    replicates.begin(run)
    monkeypatch.setattr(quotas, "check_job", Mock(side_effect=Invalid("jobs", "Too many.")))
    for replicate in run.replicates.all():
        replicates.train(replicate.pk)
    assert Run.objects.latest("pk") == run
    assert set(run.replicates.values_list("status", flat=True)) == {Replicate.Status.READY}
    assert "Train one run of all 3" in client.get(reverse("run", args=[run.pk])).content.decode()
