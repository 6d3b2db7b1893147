"""A real corpus and a real run in a real database, made once: the first 400 sections of the shipped example."""

from dataclasses import asdict

import pytest

from tests.corpora import as_csv, example_rows

ROWS = 400


@pytest.fixture(autouse=True)
def pages_are_made_anew():
    """A test may have another way of making them than the one before it."""
    from webapp.server import page_cache

    page_cache.clear()


@pytest.fixture(scope="session")
def ready(draft, django_db_blocker):
    """A corpus that has been read. Committed, as heartbeats come over a connection of their own."""
    from tasks.corpora import ingest
    from webapp.ingest import corpora

    with django_db_blocker.unblock():
        corpus = draft(as_csv(example_rows(ROWS)))
        options = asdict(corpora.sniff(corpus).options)
        corpora.read(corpus, corpora.Reading(options=options, language="en", min_documents=3))
        ingest(corpus.pk)
        corpus.refresh_from_db()
        assert corpus.status == "ready", corpus.error
        yield corpus


@pytest.fixture(scope="session")
def trained(ready, django_db_blocker):
    """A finished run with 6 topics."""
    from tasks.runs import train
    from webapp.runs import services as runs

    with django_db_blocker.unblock():
        run = runs.create(ready.version, seed=3, topics=6, passes=3)
        train(run.pk)
        run.refresh_from_db()
        assert run.status == "done", run.error
        yield run
