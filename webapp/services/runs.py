"""What is done to a run: create, stop, cancel, train again, delete."""

from dataclasses import asdict

from django.db import transaction
from django.db.models.functions import Now

from inference import engines
from inference.errors import Invalid
from webapp import events
from webapp.models import Corpus, Run
from webapp.services import jobs, snapshots

MAX_TOPICS = 10_000  # what pages and arrays are tried with is 2,000; far beyond it a number is a slip of the hand


def create(corpus: Corpus, *, seed: int = 0, engine: str = "ssi", **settings) -> Run:
    """A queued run. Raises Invalid, naming the field, for settings that the engine or this corpus can't have."""
    if corpus.status != Corpus.Status.READY:
        raise Invalid("corpus", f"Corpus {corpus.pk} is {corpus.status}; only one that is ready can be trained on.")
    config = engines.config(engine, **settings).chosen(corpus.documents, corpus.tokens)
    most = min(corpus.vocabulary, MAX_TOPICS)
    if config.topics > most:
        why = "the size of the vocabulary" if most < MAX_TOPICS else "the limit"
        raise Invalid("topics", f"topics must be at most {most:,}, {why}; got {config.topics:,}.")
    if not 0 <= seed < 2**63:
        raise Invalid("seed", f"Seed must be a whole number from 0 to 2^63 - 1, got {seed}.")
    with transaction.atomic():
        run = Run.objects.create(corpus=corpus, engine=engine, settings=asdict(config), seed=seed)
        jobs.send(jobs.TRAINING, run.pk)
    return run


def again(run: Run) -> Run:
    """A new run with the same settings and seed."""
    return create(run.corpus, seed=run.seed, engine=run.engine, **run.settings)


def stop(run: Run) -> None:
    """Ask a running training to stop and keep what there is. Nothing happens where it is over already."""
    Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING).update(request=Run.Request.STOP)


def cancel(run: Run) -> None:
    """Stop and keep nothing but the charts. A run that waits or stores ends here, one that trains within a second."""
    here = (Run.Status.QUEUED, Run.Status.STORING)
    if Run.objects.filter(pk=run.pk, status__in=here).update(status=Run.Status.CANCELLED, finished_at=Now()):
        snapshots.discard(run.pk)
        events.run(run.pk, {"type": "status", "status": Run.Status.CANCELLED, "error": ""})
    Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING).update(request=Run.Request.CANCEL)


def delete(run: Run) -> None:
    """Gone at once for every page; its partitions and files follow with the next tidy (services.upkeep)."""
    run.delete()
