"""What made a file: said in its name, and inside it wherever its format has a place for that."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from inference.runtime.versions import in_file_names, topograph
from webapp.core.asked_training.stored_steering import Steering
from webapp.models import Run

LONGEST_NAME = 60  # characters of a corpus's name, or of what was typed, in the name of a file


def made_by(run: Run) -> dict:
    """Plain values: corpus, run, settings, seed, versions."""
    corpus = run.corpus
    version = run.version
    snapshot = run.snapshot
    assert snapshot is not None  # of a run that is done
    in_use = run.topics if run.in_use is None else run.in_use
    trained_at = run.started_at.isoformat(timespec="seconds") if run.started_at else None
    return {
        "made by": f"Topograph {topograph()}",
        "made at": datetime.now(UTC).isoformat(timespec="seconds"),
        "corpus": corpus.name,
        "corpus version": version.number,
        "corpus digest": version.report.get("digest", ""),  # sha256 of its bag of words
        "documents": version.documents,
        "words": version.tokens,
        "vocabulary": version.vocabulary,
        "run": run.pk,
        "engine": run.engine,
        "topics": run.topics,
        "topics in use": in_use,
        "settings": run.settings,
        "seed": run.seed,
        "words left out": run.dropped,
        "begun with the topics of run": run.parent_id,
        "changes of those topics": run.steering if run.begins else {},
        "topics named beforehand": [topic.stored for topic in Steering.of_run(run).named],
        "steps": snapshot.step,
        "trained at": trained_at,
        "trained with": run.versions,
        "numbers": "Topics and documents are numbered from 0, as on every page and in every file.",
    }


def made_by_file(wanted) -> Iterator[bytes]:
    """made-by.json: for the files that have no place for it."""
    yield json.dumps(made_by(wanted.run), ensure_ascii=False, indent=1).encode()


def readme(run: Run, *lines: str) -> bytes:
    """README.txt of a zip: what it holds, and what made it."""
    written = [*lines, ""]
    for name, value in made_by(run).items():
        if isinstance(value, dict):
            value = ", ".join(f"{key} {part}" for key, part in value.items()) or "not recorded"
        written.append(f"{name}: {' '.join(str(value).split())}")
    return ("\n".join(written) + "\n").encode()


def in_names(text: str) -> str:
    """A text as a part of the name of a file; "" where nothing is left of it."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:LONGEST_NAME]


def file_name(run: Run, name: str) -> str:
    """Says what made the file: corpus, run, K, seed, the program's version, and at its end `name`:
    what the file holds, with its ending. A table that a spreadsheet reads has no other place for
    it."""
    corpus = in_names(run.corpus.name) or "corpus"
    return f"{corpus}_run{run.pk}_K{run.topics}_seed{run.seed}_{in_file_names()}_{name}"
