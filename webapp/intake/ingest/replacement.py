"""What is noted of a draft in which persons have pseudonyms (Upload.pseudonyms): what its owner
chose, what is still to be done, and what was replaced (docs/pseudonyms.md)."""

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from webapp.intake.ingest.corpus_settings import ReadingSettings
from webapp.models import Upload


@dataclass(frozen=True)
class Following:
    """How a new draft is read by itself as soon as it is stored.

    name: that the corpus is given, "" once it has it. unit: Corpus.unit. trains: settings of a run
    that follows, {} for the usual ones; None for no run. first_reading: how the first draft would
    have been read; None until the new draft's file is written.
    """

    name: str
    unit: str | None
    trains: dict | None
    first_reading: ReadingSettings | None = None

    @classmethod
    def from_dict(cls, stored: dict) -> Self:
        """What `stored` gave."""
        first_reading = None
        if "first_reading" in stored:
            first_reading = ReadingSettings.from_dict(stored["first_reading"])
        return cls(stored["name"], stored["unit"], stored["trains"], first_reading)

    @property
    def stored(self) -> dict[str, Any]:
        """The keys of the row; `first_reading` only where it is known."""
        values = asdict(self)
        if self.first_reading is None:
            del values["first_reading"]
        return values


@dataclass(frozen=True)
class Replacement:
    """The replacing of persons in one draft: Upload.pseudonyms, as a dict.

    source: the draft of which the new one is made. columns: that name persons. spared: words of
    names that texts keep. keep: whether the source stays. replaced, values: how often, by kind and
    by column, once it was done; documents: in how many. left_out: files, rows and documents that
    could not be read. reading: how the first draft is read; None once the new draft's file is
    written. following: how the new draft is read by itself; None where its owner has it read, and
    once it was.
    """

    source: int
    columns: list[str]
    spared: list[str] = field(default_factory=list)
    keep: bool = False
    replaced: dict[str, int] = field(default_factory=dict)
    values: dict[str, int] = field(default_factory=dict)
    documents: int = 0
    left_out: int = 0
    reading: ReadingSettings | None = None
    following: Following | None = None

    @classmethod
    def of_upload(cls, upload: Upload) -> Self | None:
        """None for an upload whose persons are left as they are."""
        return None if upload.pseudonyms is None else cls.from_dict(upload.pseudonyms)

    @classmethod
    def from_dict(cls, stored: dict) -> Self:
        """What `stored` gave; that of an older version may lack some."""
        values = {key.name: stored[key.name] for key in fields(cls) if key.name in stored}
        if "reading" in stored:
            values["reading"] = ReadingSettings.from_dict(stored["reading"])
        if "following" in stored:
            values["following"] = Following.from_dict(stored["following"])
        return cls(**values)

    @property
    def stored(self) -> dict[str, Any]:
        """The keys of the row; `reading` and `following` only while there are any."""
        values = asdict(self)
        if self.reading is None:
            del values["reading"]
        if self.following is None:
            del values["following"]
        else:
            values["following"] = self.following.stored
        return values

    @property
    def is_written(self) -> bool:
        """Whether the new draft's file is there."""
        return self.reading is None
