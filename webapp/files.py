"""Where the files of a corpus and of a run lie, below the state folder's files/ (docs/architecture.md)."""

from pathlib import Path

from django.conf import settings


def corpus_folder(corpus_id: int) -> Path:
    return settings.FILES / "corpora" / str(corpus_id)


def bow_folder(corpus_id: int, run_id: int, dropped: list[str]) -> Path:
    """Where the bag of words of a run lies: its own where it leaves words out, else its corpus's."""
    return (run_folder(run_id) if dropped else corpus_folder(corpus_id)) / "bow"


def run_folder(run_id: int) -> Path:
    return settings.FILES / "runs" / str(run_id)
