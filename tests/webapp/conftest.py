"""A real corpus and a real run in a real database, made once: the first 400 sections of the shipped example."""

import csv
import gzip
import io

import pytest

from webapp.services import corpora, runs

ROWS = 400


def example_rows(count: int) -> list[list[str]]:
    """The header and the first rows of the example."""
    with gzip.open(corpora.EXAMPLE, "rt", encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        return [next(reader) for _ in range(count + 1)]


def as_csv(rows: list[list[str]]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()


@pytest.fixture(scope="session")
def draft(django_db_setup, django_db_blocker, tmp_path_factory):
    """A function that stores one file as a draft, committed."""

    def make(content: bytes, name: str = "speeches.csv"):
        path = tmp_path_factory.mktemp("upload") / "file"
        path.write_bytes(content)
        return corpora.create("", [corpora.Upload(name, path)])

    return make


@pytest.fixture(scope="session")
def ready(draft, django_db_blocker):
    """A corpus that has been read. Committed, as heartbeats come over a connection of their own."""
    from dataclasses import asdict

    from tasks.corpora import ingest

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

    with django_db_blocker.unblock():
        run = runs.create(ready, seed=3, topics=6, passes=3)
        train(run.pk)
        run.refresh_from_db()
        assert run.status == "done", run.error
        yield run
