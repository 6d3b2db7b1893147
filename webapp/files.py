"""Where the files of a corpus, a version and a run lie, below the state folder's files/ (docs/architecture.md)."""

from pathlib import Path

from django.conf import settings


def corpus_folder(corpus_id: int) -> Path:
    return settings.FILES / "corpora" / str(corpus_id)


def version_folder(version_id: int) -> Path:
    return settings.FILES / "versions" / str(version_id)


def bow_folder(version_id: int, run_id: int, dropped: list[str]) -> Path:
    """Where the bag of words of a run lies: its own where it leaves words out, else its version's."""
    return (run_folder(run_id) if dropped else version_folder(version_id)) / "bow"


def run_folder(run_id: int) -> Path:
    return settings.FILES / "runs" / str(run_id)
