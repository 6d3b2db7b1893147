"""The numbers of findings, as the overview's JSON has them: one shape for each kind, from which its
page draws."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from webapp.analysis.findings.finding import Ends, Shape
from webapp.core.results.links import TopicLink


@dataclass(frozen=True)
class ShareBetween:
    """A share and the ends of its 95% interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class RatioBetween:
    """How many times as much; null where that is not finite, or not known."""

    ratio: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ChangeItem:
    """A topic's shares within and outside a span. first, last: as addresses have them; until: of a
    step, the last period before it."""

    kind: Literal["change"]
    topic: TopicLink
    shape: Shape
    more: bool
    first: str
    last: str
    until: str
    here: ShareBetween
    rest: ShareBetween
    times: RatioBetween
    above_all: list[str]


@dataclass(frozen=True)
class WordItem:
    """Shares of the documents, or of their sections, with a word. also: words of the same
    documents."""

    kind: Literal["event"]
    word: str
    also: list[str]
    topic: TopicLink
    shape: Shape
    more: bool
    first: str
    last: str
    until: str
    here: float
    rest: float
    sections: bool
    times: RatioBetween


@dataclass(frozen=True)
class GroupItem:
    """A topic's shares in a group and elsewhere; field and value are empty for a chosen set."""

    kind: Literal["mark"]
    field: str
    value: str
    bounds: Ends | None
    topic: TopicLink
    more: bool
    here: ShareBetween
    rest: float
    times: RatioBetween
    above_all: list[str]


@dataclass(frozen=True)
class SenseItem:
    """Shares of a word's documents that use it in a topic, up to a period and since another."""

    kind: Literal["sense"]
    word: str
    lost: TopicLink
    lost_shares: tuple[float, float]
    until: str
    gained: TopicLink
    gained_shares: tuple[float, float]
    since: str


Item = Annotated[ChangeItem | WordItem | GroupItem | SenseItem, Field(discriminator="kind")]
