"""Where the files of a corpus and of a run lie, below the state folder's files/ (docs/architecture.md)."""

from pathlib import Path

from django.conf import settings


def corpus_folder(corpus_id: int) -> Path:
    return settings.FILES / "corpora" / str(corpus_id)


def run_folder(run_id: int) -> Path:
    return settings.FILES / "runs" / str(run_id)
