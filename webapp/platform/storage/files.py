"""Paths of the files of a corpus, a version and a run, below the state folder's files/
(docs/architecture.md)."""

from pathlib import Path

from django.conf import settings

from webapp.platform.storage.sql import tuples

# the advisory lock in Postgres: shared by those who store files before their row can be seen
_STORING = 0x66696C65


def storing() -> None:
    """Call it in a transaction that makes a row and its folder: until the transaction ends, upkeep
    does not remove the folder as orphaned."""
    tuples("SELECT pg_advisory_xact_lock_shared(%s)", [_STORING])


def nobody_stores() -> bool:
    """Whether no such transaction is open. Until the end of the present transaction none begins.
    Does not wait."""
    return tuples("SELECT pg_try_advisory_xact_lock(%s)", [_STORING])[0][0]


def corpus_folder(corpus_id: int) -> Path:
    return settings.FILES / "corpora" / str(corpus_id)


def version_folder(version_id: int) -> Path:
    return settings.FILES / "versions" / str(version_id)


def bow_folder(version_id: int, run_id: int, dropped: list[str]) -> Path:
    """The bag of words of a run: its own where it leaves words out, else its version's."""
    return (run_folder(run_id) if dropped else version_folder(version_id)) / "bow"


def run_folder(run_id: int) -> Path:
    return settings.FILES / "runs" / str(run_id)


def comparison_folder(comparison_id: int) -> Path:
    """It holds a lock alone: the result is in the row."""
    return settings.FILES / "comparisons" / str(comparison_id)


def replicate_folder(replicate_id: int) -> Path:
    return settings.FILES / "replicates" / str(replicate_id)


def code_file_folder(code_file_id: int) -> Path:
    """It holds a lock alone: the file is in the row."""
    return settings.FILES / "codes" / str(code_file_id)


def export_folder(export_id: int) -> Path:
    return settings.FILES / "exports" / str(export_id)
