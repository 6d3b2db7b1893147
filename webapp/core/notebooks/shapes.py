"""The pages of notebooks: their list, and one notebook with its pins; and the evidence that a pin
keeps."""

from dataclasses import dataclass, field
from datetime import datetime

from webapp.core.notebooks import pictures
from webapp.platform.drawing.tables import KeptTable

# Where evidence comes from: its corpus, run, document, in words and numbers
Source = dict[str, str | int | float | None]


@dataclass(frozen=True)
class PinContent:
    """What is to be pinned. kind: one of Pin.Kind. address: the path of the page that shows it.
    quote: of a passage its text, of a topic its first words; start, end: of a passage, in
    characters of its document. sentence: what a chart shows. table: its numbers as they were sent,
    not checked yet."""

    kind: str
    title: str
    address: str
    quote: str = ""
    start: int | None = None
    end: int | None = None
    sentence: str = ""
    table: object = None
    source: Source = field(default_factory=dict)


@dataclass(frozen=True)
class NotebookHead:
    id: int
    title: str
    by: str
    created: datetime


@dataclass(frozen=True)
class NotebookRow(NotebookHead):
    used: datetime
    pins: int
    shared: bool
    url: str


@dataclass(frozen=True)
class NotebooksPage:
    """Notebooks, newest first; with `removed` those that were taken off the list."""

    notebooks: list[NotebookRow]
    next: str | None
    removed: bool


@dataclass(frozen=True)
class NotebookHeader(NotebookHead):
    intro: str


@dataclass(frozen=True)
class PinRow:
    """A pin as it was kept. address: "" where nothing is there any more, or nothing that the reader
    may see; `deleted` says so. origin: `source` in words. headed: whether its title is a heading:
    of neighbouring findings that are called alike, the first one's alone."""

    id: int
    kind: str
    title: str
    address: str
    quote: str
    start: int | None
    end: int | None
    sentence: str
    table: KeptTable | None
    source: Source
    comment: str
    by: str
    at: datetime
    origin: str
    deleted: bool
    headed: bool = True

    @property
    def caption(self) -> str:
        """Of its chart; "" without one."""
        return pictures.caption_of(self.table)


@dataclass(frozen=True)
class NotebookPage:
    """A notebook and its pins in their order. removed: the pins that were taken out; none for who
    only has its link."""

    notebook: NotebookHeader
    pins: list[PinRow]
    removed: list[PinRow]

    @property
    def has_charts(self) -> bool:
        """Whether a pin has kept numbers, which the page draws."""
        return any(pin.table for pin in self.pins)


@dataclass(frozen=True)
class NotebookHtml:
    """own: whether who reads may change it. link: the address that shares it, "" where there is
    none. removed: whether it was taken off the list."""

    own: bool
    link: str
    removed: bool


@dataclass(frozen=True)
class PinnedChart:
    """What a page gives its Pin button to keep of a chart. table: the numbers; None where there are
    none. level: of the interval that the sentence says; None where it says none. passages: those of
    the page (sent_passages.write_passages)."""

    title: str
    sentence: str
    table: KeptTable | None
    level: float | None = None
    passages: str = ""
