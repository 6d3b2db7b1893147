"""The evidence of a run: memory-mapped arrays that answer in milliseconds what rows would in
seconds."""

from pathlib import Path

from inference import Bow, Evidence, Invalid, Postings, complete_and_open
from webapp.models import Run
from webapp.platform.storage import files, sealed
from webapp.platform.storage.cache import cached

_OPEN = 32  # runs whose arrays a web process keeps mapped


def of(run: Run) -> Evidence:
    """Raises Invalid, with a sentence for the reader, where the run has none."""
    if not run.final:
        raise Invalid(
            "run", f"Run {run.pk} has not counted its words yet: that is done when training ends."
        )
    return open_run_evidence(
        files.bow_folder(run.version_id, run.pk, run.dropped), run.pk, run.snapshot_id
    )


@cached(_OPEN)
def open_run_evidence(bow_folder: Path, run_id: int, snapshot_id: int) -> Evidence:
    by_word = bow_folder / "by_word"
    folder = files.run_folder(run_id) / "evidence"
    bow = _bow(bow_folder)
    if not by_word.exists():
        raise Invalid(
            "run",
            "This run was trained by a version that kept no evidence of its tokens. Train it"
            " again.",
        )
    return sealed.opened(
        lambda: complete_and_open(folder, bow, Postings.open(by_word)), folder, bow_folder
    )


def bow(version_id: int) -> Bow:
    """The bag of words of a version that is ready, with a row for each document."""
    return _bow(files.version_folder(version_id) / "bow").by_document()


@cached(_OPEN)
def _bow(folder: Path) -> Bow:
    return sealed.opened(lambda: Bow.open(folder, sparing=True), folder)
