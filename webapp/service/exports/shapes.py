"""What the pages of files and methods show: each is rendered as HTML and answered as JSON, key by
key in this order."""

from dataclasses import dataclass
from datetime import datetime

from webapp.models import Export
from webapp.service.exports.deposit_form import DepositForm


@dataclass(frozen=True)
class FileLink:
    """A file in one format. large: a worker makes it first, and bytes is about how many it will
    have. refused: why it is not made, and what to take instead."""

    ending: str
    label: str
    path: str
    url: str
    file: str
    large: bool
    bytes: int | None
    refused: str


@dataclass(frozen=True)
class FileRow:
    """refused: of files that are not made: why, and what to take instead."""

    by: str
    files: list[FileLink]
    refused: str


@dataclass(frozen=True)
class OfferedKind:
    """A kind of file. selected: a set of documents is chosen, and restricts it. asks: what must be
    typed first. rows: one for each value of ?by= that it can be asked with."""

    name: str
    title: str
    sentence: str
    selected: bool
    asks: str
    rows: list[FileRow]


@dataclass(frozen=True)
class KindGroup:
    """Kinds of export under one heading."""

    name: str
    forms: list[OfferedKind]


@dataclass(frozen=True)
class MadeFile:
    """A large file that a worker makes or has made, for whoever asked. status: queued, making,
    ready or failed. bytes: that are written; expected: about how many there will be. error: why it
    failed; notice: what it waits for. until: when it is removed."""

    id: int
    file: str
    sentence: str
    status: str
    bytes: int
    expected: int
    error: str
    notice: str
    asked: datetime
    until: datetime | None
    sha256: str
    url: str | None
    again: str
    delete: str


@dataclass(frozen=True)
class TakePage:
    """documents: the chosen set, in words."""

    groups: list[KindGroup]
    documents: str
    made: list[MadeFile]

    @property
    def waiting(self) -> bool:
        return any(
            file.status in (Export.Status.QUEUED, Export.Status.MAKING) for file in self.made
        )


@dataclass(frozen=True)
class DepositPage:
    """embargo: whether no text may be shared."""

    form: DepositForm
    embargo: bool


@dataclass(frozen=True)
class MethodsPage:
    """How a run was made, in paragraphs for a paper, and the works that they cite."""

    paragraphs: list[str]
    bibtex: str
