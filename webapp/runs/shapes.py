"""What the pages of a training show: each is rendered as HTML, some are answered as JSON, key by key in this order."""

from dataclasses import dataclass

from django.db.models import QuerySet

from webapp.models import Run
from webapp.results.links import TopicLink


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
    """Words to leave out of the next run. topic: whose words are offered. dropped: words that this run leaves out already.
    parent: the run with whose topics it began. children: runs that began with its topics."""

    topic: TopicLink | None
    words: list[OfferedWord]
    dropped: list[str]
    parent: int | None
    children: list[ChildRun]


@dataclass(frozen=True)
class TickedTopic(TopicLink):
    """A topic that can be merged or split, its first words, and whether the form begins with that."""

    words: list[str]
    merge: bool
    split: bool


@dataclass(frozen=True)
class SteerPage:
    """The form that changes topics. ready: whether they can be. others: whether the run has topics to be ticked elsewhere.
    together, never: what the fields of these names begin with. steered: runs that began with these topics, changed."""

    ready: bool
    ticked: list[TickedTopic]
    others: bool
    together: str
    never: str
    steered: QuerySet[Run]
