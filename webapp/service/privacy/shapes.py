"""What the record of reading shows, as HTML and as JSON."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class ReadText:
    """kind: opened, passage, file or more (webapp.models.Reading.Kind). account: its number. document:
    in the corpus; None where the text is not, or no more, in it. begin, end: the characters begin …
    end - 1 were shown. part: the number of the corpus in which it was opened, a part of this one."""

    at: datetime
    reader: str
    account: int | None
    kind: str
    document: int | None
    title: str
    begin: int
    end: int
    part: int | None
    file: str


@dataclass(frozen=True)
class ReadingsPage:
    """on: whether the record is kept; embargo: whether it has to be. days: after which a row is
    deleted. limit: rows that there are at most."""

    on: bool
    embargo: bool
    days: int
    limit: int
    rows: list[ReadText]
    next: str | None
