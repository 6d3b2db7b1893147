"""Celery's entries to the jobs of a corpus (webapp.intake.ingest.job)."""

from tasks.celery import app
from webapp.core.runs.services import train_when_read
from webapp.intake.ingest import job, unit_search


@app.task(name="tasks.corpora.store")
def store_upload(corpus_id: int) -> None:
    job.store_upload(corpus_id)


@app.task(name="tasks.corpora.read")
def read_corpus(corpus_id: int) -> None:
    job.read_corpus(corpus_id, when_ready=train_when_read)


@app.task(name=job.RENEW)
def renew(corpus_id: int, asker: int | None) -> None:
    """asker: None, as nobody asks for it."""
    job.renew(corpus_id)


@app.task(name=unit_search.FIND)
def find_unit(version_id: int, asker: int | None) -> None:
    """asker: None, as nobody asks for it."""
    unit_search.find_for(version_id)


@app.task(name="tasks.corpora.choose")
def choose(version_id: int) -> None:
    job.build_version(version_id)
