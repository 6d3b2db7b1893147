"""A corpus of a test's own, and a run on it, made by the real tasks."""

from dataclasses import asdict

from inference import engines
from tests.corpora import as_csv
from webapp.models import Corpus, Run


def corpus_of(
    draft, rows: list[list[str]], name: str, known: dict | None = None, **reading
) -> Corpus:
    """Rows, with their head, as a corpus that has been read. known: of ingest.guesses.sniff;
    reading: of ReadingSettings."""
    from tasks.corpora import read_corpus
    from webapp.intake.ingest import corpora, guesses

    corpus = draft(as_csv(rows), name)
    options = asdict(guesses.sniff(corpus, **(known or {})).options)
    corpora.read(corpus, corpora.ReadingSettings(options=options, **reading))
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "ready", corpus.error
    return corpus


def run_on(corpus: Corpus, topics=None, seed=0, engine=engines.DEFAULT, **engine_settings) -> Run:
    """A finished run."""
    from tasks.runs import train
    from webapp.core.runs import services as runs

    run = runs.create(
        corpus.version, topics=topics, seed=seed, engine=engine, engine_settings=engine_settings
    )
    train(run.pk)
    run.refresh_from_db()
    assert run.status == "done", run.error
    return run
