"""Runs that workers of a cluster share: the same topics, row and files as a run that trains by
itself."""

import pytest
from django.conf import settings

from inference import cluster
from inference.cluster import parts
from webapp.core.runs import services as runs, shared_training
from webapp.models import Metric, Run
from webapp.platform.jobs import teams
from webapp.platform.storage import files, sealed

if not cluster.installed():
    pytest.skip(
        "dask.distributed is not installed: pip install 'topograph[cluster]'",
        allow_module_level=True,
    )

from tests.inference.cluster import running

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("ignore")]  # of distributed's own


@pytest.fixture(scope="module")
def workers():
    with running(settings.FILES, workers=2) as there:
        yield there


@pytest.fixture
def shared(workers, monkeypatch):
    monkeypatch.setattr(settings, "CLUSTER", workers.address)
    monkeypatch.setattr(settings, "CLUSTER_TOKENS", 1)
    return workers


@pytest.fixture
def train_again(trained, django_db_blocker):
    """Trains what `trained` trained, once more."""
    made = []

    def train() -> Run:
        from tasks.runs import train as task

        run = runs.create(
            trained.version, seed=trained.seed, topics=6, engine_settings={"passes": 3}
        )
        made.append(run)
        task(run.pk)
        run.refresh_from_db()
        return run

    yield train
    for run in made:
        run.delete()


def points(run: Run) -> list:
    return list(
        Metric.objects.filter(run=run)
        .order_by("step")
        .values_list("step", "tokens", "held_out", "topic_coherence", "nonzero")
    )


def test_a_run_is_trained_by_workers(shared, trained, train_again, monkeypatch):
    def save(*arguments):
        counted.append(len(arguments[2].members))
        led(*arguments)
        in_parts.append(parts.folder_of(arguments[0]).exists())

    def put(*paths):
        stored.append(parts.folder_of(paths[-1]).exists() and len(paths) == 1)
        return []

    stored = []
    counted = []
    noted = []
    in_parts = []
    led = shared_training.save
    monkeypatch.setattr(sealed, "put", put)
    monkeypatch.setattr(shared_training, "save", save)
    monkeypatch.setattr(
        teams, "note", lambda run, seats, restarts: noted.append((run, seats, restarts))
    )
    monkeypatch.setattr("inference.training.PROGRESS_EVERY", 0.0)
    run = train_again()
    assert run.status == "done", run.error
    pk, seats, restarts = noted[0]
    assert (pk, restarts) == (run.pk, 0) and seats[0].keys() >= {
        "worker",
        "steps",
        "computing",
        "exchanging",
        "cpu",
        "sent",
    }
    for name in ("topics", "certainty", "doc_topics", "doc_tokens"):  # which the workers gave
        there, here = (files.run_folder(pk) / "evidence" / name for pk in (trained.pk, run.pk))
        assert there.read_bytes() == here.read_bytes()
    assert counted[-1] == 2  # one may have joined at a checkpoint
    assert points(run) == points(trained)
    assert stored == [False, False], "a checkpoint was stored without its parts"
    assert in_parts[-1] and not parts.folder_of(files.run_folder(run.pk) / "checkpoint").exists()


def test_without_workers_a_run_trains_by_itself(trained, train_again, monkeypatch):
    monkeypatch.setattr(settings, "CLUSTER", "tcp://127.0.0.1:9")
    monkeypatch.setattr(settings, "CLUSTER_TOKENS", 1)
    monkeypatch.setattr(shared_training, "PATIENCE", 0.1)
    run = train_again()
    assert run.status == "done", run.error
    assert points(run) == points(trained)


def test_where_all_workers_are_lost_it_goes_on_from_the_checkpoint(
    shared, trained, train_again, monkeypatch
):
    """By itself, with the memory of topics that the workers left in parts."""

    def save(*arguments):
        led(*arguments)
        if shared.workers and len(saved) == 2:
            monkeypatch.setattr(arguments[2], "patience", 0.1)
            for worker in shared.workers:
                worker.kill()
        saved.append(arguments[2] is not None)

    saved = []
    led = shared_training.save
    monkeypatch.setattr(shared_training, "save", save)
    monkeypatch.setattr("webapp.core.runs.checkpoints.CHECKPOINT_SHARE", 1e9)
    run = train_again()
    assert run.status == "done", run.error
    assert saved[0] and not saved[-1]
    assert points(run) == points(trained)


def test_a_small_run_is_not_shared(trained, train_again, monkeypatch):
    monkeypatch.setattr(settings, "CLUSTER", "tcp://127.0.0.1:9")
    assert settings.CLUSTER_TOKENS == 5_000_000
    assert train_again().status == "done"
