"""What the pages of labels, notes and reading tests show: each is rendered as HTML and answered as
JSON, key by key in this order."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from webapp.core.results.links import TopicLink

Stratum = Literal["high", "middle", "borderline"]
Task = Literal["label", "words", "topics"]  # close reading, and the two tests
Test = Literal["words", "topics"]


# Labels and notes
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EditRow:
    """An entry of the history. batch: shared by the edits that were saved at once; together: how
    many of these are not undone. state: holds, replaced by a newer edit, or undone. said: what it
    did, in words, before its value."""

    id: int
    topic: TopicLink
    field: str
    value: str
    by: str
    at: datetime
    undone_at: datetime | None
    undone_by: str
    batch: UUID
    together: int
    state: Literal["holds", "replaced", "undone"]
    said: str


@dataclass(frozen=True)
class TopicGroup:
    """name: empty for topics that are in no group, but named or merged."""

    name: str
    topics: list[TopicLink]


@dataclass(frozen=True)
class CurationPage:
    """topic: whose history it is, where it is that of one."""

    edits: list[EditRow]
    next: str | None
    topic: TopicLink | None
    groups: list[TopicGroup]


@dataclass(frozen=True)
class LabelledRun:
    """topics: how many have a label or a note."""

    id: int
    topics: int


@dataclass(frozen=True)
class CarriedPair:
    """takes: the fields that are copied."""

    there: TopicLink
    here: TopicLink
    similarity: float
    takes: list[str]


@dataclass(frozen=True)
class CarryPage:
    """What would be copied from another run. from: its number. fields: how many labels and notes
    that are."""

    from_: Annotated[int | None, Field(alias="from")]
    offered: list[LabelledRun]
    pairs: list[CarriedPair]
    orphans: list[TopicLink]
    fields: int


# Reading tests
# -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Progress:
    """done: topics that the reader has done. topics: those that the task asks about. next: the one
    that follows, and url its page."""

    done: int
    topics: int
    next: int | None
    url: str | None


@dataclass(frozen=True)
class ReadingPage:
    progress: dict[Task, Progress]
    topics: int
    seed: int
    done: bool


@dataclass(frozen=True)
class BlindTopic:
    """A topic before the reader has named it: the number of its question, which is not its own."""

    number: int
    label: str


@dataclass(frozen=True)
class BlindPassage:
    text: str
    fits: str


@dataclass(frozen=True)
class OwnLabel:
    label: str
    confidence: int | None


@dataclass(frozen=True)
class ReaderLabel:
    reader: str
    label: str
    confidence: int


@dataclass(frozen=True)
class SeededLabel(ReaderLabel):
    """A reader's label of the topic. seed: of the passages that the reader saw."""

    seed: int


@dataclass(frozen=True)
class ReadTopic:
    """A topic by its passages: the reader's own label; and its words and all labels, none before
    they are revealed."""

    seed: int
    label: OwnLabel
    words: list[str]
    labels: list[SeededLabel]


@dataclass(frozen=True)
class BlindPassagesPage(ReadTopic):
    """Passages to read, without anything that tells what the model makes of them."""

    topic: BlindTopic
    passages: list[BlindPassage]
    revealed: Literal[False]
    next: None


@dataclass(frozen=True)
class Passage:
    """start, end: characters of the document. stratum: how much of the topic it has, in words."""

    document: int
    share: float
    stratum: Stratum
    start: int
    text: str
    end: int
    title: str
    date_text: str


@dataclass(frozen=True)
class ReadPassage(Passage):
    fits: str
    number: int
    url: str


@dataclass(frozen=True)
class PassagesPage(ReadTopic):
    """Passages that the reader has answered all questions of, with what the model and other readers
    make of them."""

    topic: TopicLink
    passages: list[ReadPassage]
    revealed: Literal[True]
    next: str | None


@dataclass(frozen=True)
class TopicWords:
    words: list[str]


@dataclass(frozen=True)
class RevealedTopic(TopicWords):
    topic: TopicLink


@dataclass(frozen=True)
class IntrusionPage:
    """A question, and its answer. shown: null where this topic has no such question. text: of the
    document, in the test of topics. chosen, intruder (places in `shown`), document, topic: null
    until the reader has answered."""

    kind: Test
    number: int
    seed: int
    shown: list[str] | list[RevealedTopic | TopicWords] | None
    text: str | None
    next: str | None
    chosen: int | None
    intruder: int | None
    document: str | None
    topic: TopicLink | None


@dataclass(frozen=True)
class TestResults:
    """model_precision: share of readers who found the intruding word. word_tests, topic_tests: how
    many there are of each."""

    model_precision: float | None
    word_tests: int
    log_odds: float | None
    topic_tests: int


@dataclass(frozen=True)
class TopicResults(TestResults, TopicLink):
    """likeness: words that two labels share, averaged over pairs. fits: of each stratum how many
    answers say that the passage fits, and how many there are."""

    labels: list[ReaderLabel]
    likeness: float | None
    fits: dict[Stratum, tuple[int, int]]


@dataclass(frozen=True)
class ReaderPair:
    """both: passages that both judged. kappa: Cohen's; null where it is not defined."""

    readers: tuple[str, str]
    both: int
    kappa: float | None


@dataclass(frozen=True)
class Agreement:
    """alpha: Krippendorff's, of all readers. judged_twice: passages that two or more judged."""

    alpha: float | None
    judged_twice: int
    pairs: list[ReaderPair]


@dataclass(frozen=True)
class ResultsPage(TestResults):
    """Topics that were judged, and measures over all of them. passages, labels: answers of each
    kind."""

    topics: list[TopicResults]
    next: str | None
    readers: list[str]
    passages: int
    labels: int
    agreement: Agreement
    topic_precision: float | None
