"""What the pages of a training show: each is rendered as HTML, some are answered as JSON, key by
key in this order."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from django.db.models import QuerySet
from pydantic import Field

from webapp.core.asked_training.stored_steering import Steering
from webapp.core.results.links import TopicLink, TopicShare, TopicWithWords
from webapp.core.runs.series import Column, Curve, Series
from webapp.models import Run

STEADY = 0.7  # of the topics, found again with other seeds


@dataclass(frozen=True)
class RunState:
    """How far a run is. error: why it failed; notice: what it waits for; each "" where there is
    nothing to say. seconds: of training."""

    id: int
    status: str
    error: str
    notice: str
    step: int
    steps: int
    seconds: float


@dataclass(frozen=True)
class RunAbout(RunState):
    """A run as the API has it. in_use: topics that the model uses, where `topics` is the most there
    can be. settings: of its engine. versions: of the programs that trained it. url: its page."""

    engine: str
    topics: int
    in_use: int | None
    seed: int
    settings: dict[str, Any]
    versions: dict[str, str]
    corpus: int
    created: datetime
    url: str


@dataclass(frozen=True)
class ToldTopic(TopicShare, TopicWithWords):
    """A topic at a step of the training. name: that of the step. passage: of a document that has
    much of it; empty where it is not told. told: whether it is one of the largest, which are shown
    with a passage."""

    passage: str
    passage_url: str
    told: bool


@dataclass(frozen=True)
class Circle:
    """The circle of a topic on the map. dx, dy: where the middle of its name's upper edge is, from
    the circle's middle. labelled: whether the map has room for its name."""

    cx: float
    cy: float
    r: float
    dx: float
    dy: float
    labelled: bool


@dataclass(frozen=True)
class DrawnTopic(Circle, ToldTopic):
    """A topic with its circle."""


@dataclass(frozen=True)
class Forming:
    """The largest topics as they were at a step, by their numbers. steps: those that are kept."""

    step: int | None
    steps: list[int]
    topics: list[DrawnTopic]

    @property
    def last(self) -> int | None:
        """The last step whose topics are kept; None before the first."""
        return self.steps[-1] if self.steps else None


@dataclass(frozen=True)
class OtherSeeds:
    """Runs with the same settings and other seeds. found: topics that each of them has; null before
    all are there."""

    ready: int
    to_come: int
    failed: int
    found: int | None

    @property
    def wanted(self) -> int:
        """How many there are to be in the end, failed ones left out."""
        return self.ready + self.to_come

    @property
    def together(self) -> int:
        """With the run itself."""
        return self.ready + 1


@dataclass(frozen=True)
class RunPage(RunState):
    """A run and how far it is. left: seconds; null where it is not known. workers: that are alive.
    queue_ahead: runs before it, which take about queue_seconds; null where nobody knows.
    metrics: the columns of webapp.core.runs.series, by step; topic_coherence: of every topic, or
    null where `bands` has its quantiles. says: how well it predicts held-out words, in words.
    shown: how many topics there are: those in use, where the model finds their number. names: what
    each topic is called. url_overview: where it leads to when it is done. url_forming: `forming`
    alone, at ?step=. other_seeds: null where there can be none."""

    run: RunAbout
    request: str
    pass_: Annotated[int, Field(alias="pass")]
    passes: int
    tokens: int
    left: float | None
    tokens_per_second: float | None
    documents_per_second: float | None
    workers: int | None
    queue_ahead: int
    queue_seconds: float | None
    metrics: dict[str, Curve | list[Curve] | dict[str, Curve] | None]
    says: str
    forming: Forming
    shown: int
    hues: list[int] | None
    names: list[str] | None
    url_overview: str
    url_forming: str
    url_events: str
    other_seeds: OtherSeeds | None

    @property
    def unsteady(self) -> bool:
        """Whether fewer than STEADY of the topics were found again."""
        found_again = self.other_seeds.found if self.other_seeds else None
        return found_again is not None and found_again < STEADY * self.shown


@dataclass(frozen=True)
class RunHtml:
    """settings: (name, label, symbol, value). pinned: whether the address asks for a step of
    `forming`. measured: the metrics as a table, newest first. older: how its version of the words
    differs from the corpus's newest, "" where it is that. simulated: whether the texts were drawn
    from known topics. train_on: what training on from here would be, "" where that can't be.
    steering: what was said of its topics before they were trained."""

    settings: list[tuple[str, str, str, str]]
    width: int
    height: int
    pinned: bool
    columns: tuple[Column, ...]
    charts: tuple[Series, ...]
    measured: list[list[str]]
    older: str
    simulated: bool
    train_on: str
    steering: Steering


@dataclass(frozen=True)
class OfferedWord:
    """A word that can be left out. tokens: of the corpus."""

    word: str
    tokens: int
    chosen: bool


@dataclass(frozen=True)
class ChildRun:
    """A run that began with the topics of another one. dropped: words that it leaves out."""

    id: int
    status: str
    dropped: list[str]


@dataclass(frozen=True)
class WithoutPage:
    """Words to leave out of the next run. topic: whose words are offered. dropped: words that this
    run leaves out already. parent: the run with whose topics it began. children: runs that began
    with its topics."""

    topic: TopicLink | None
    words: list[OfferedWord]
    dropped: list[str]
    parent: int | None
    children: list[ChildRun]


@dataclass(frozen=True)
class TickedTopic(TopicWithWords):
    """A topic that can be merged or split, its first words, and whether the form begins with
    that."""

    merge: bool
    split: bool


@dataclass(frozen=True)
class SteerPage:
    """The form that changes topics. ready: whether they can be. others: whether the run has topics
    to be ticked elsewhere. together, never: what the fields of these names begin with. steered:
    runs that began with these topics, changed."""

    ready: bool
    ticked: list[TickedTopic]
    others: bool
    together: str
    never: str
    steered: QuerySet[Run]
