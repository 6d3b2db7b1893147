"""Checkpoints of a corpus's jobs: how far storing and reading have come. They are stored as dicts,
so their fields keep their names."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class StoreCheckpoint:
    """How far storing, or joining, has come: stored as a dict on Upload.checkpoint."""

    uploads: int = 0  # that are behind
    inside: int = 0  # files of the next one, a pack, that are behind
    files: int = 0  # that have a row
    bytes: int = 0  # of what has come, that are behind


@dataclass
class ReadCheckpoint:
    """How far reading has come: stored as a dict on Corpus.progress. The next attempt goes on
    there, and so do files that are added later."""

    documents: int = 0
    words: int = 0
    file: int = -1  # the position of the file that is being read
    items: int = 0  # documents and problems of it that are behind
    before: int = 0  # bytes of the files before it
    bytes: int = 0  # of all files
    stream: dict | None = None  # inference.text.Stream's checkpoint
    # Bytes of the files that grow: report.csv, fields.jsonl
    sizes: dict[str, int] = field(default_factory=dict)
    problem_counts: dict[str, int] = field(default_factory=dict)
    problems: list[dict] = field(default_factory=list)
    languages: dict = field(default_factory=dict)  # language_sample.LanguageSample
