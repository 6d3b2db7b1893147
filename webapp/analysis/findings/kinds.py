"""The kinds of findings, a type for each, as they are stored: numbers, from which
webapp.analysis.findings.writer makes sentences.

The order of a type's fields is that of its JSON. Fields that older rows lack have defaults; what a
type does not name is not read. docs/findings.md says what each kind claims.
"""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from webapp.analysis.findings.finding import (
    Answer,
    BaseFinding,
    Detail,
    Ends,
    Line,
    OfGroup,
    OnPage,
    Shape,
    Shaped,
    ShareInterval,
    Span,
    What,
)
from webapp.analysis.findings.senses import Sense

__all__ = ["Detail", "Ends", "Line", "Shape", "Span"]  # of findings, for who imports them from here


@dataclass(frozen=True, kw_only=True)
class Family(BaseFinding):
    """Topics that use similar words and occur in the same documents of the run, in the order of
    their words there. estimate: of all together; documents: that have any. name: of a reader's
    group. first, last: the numbers of families at which it is one."""

    ON_PAGE = OnPage("What it is about", 200, {"less": 200, "": 200, "more": 200})

    kind: Literal["family"] = "family"
    estimate: float
    low: float
    high: float
    topics: list[int]
    name: str = ""
    documents: int = 0
    first: int = 0
    last: int = 1_000


@dataclass(frozen=True, kw_only=True)
class Change(Shaped, BaseFinding):
    """A topic whose share changed. above_all: words of it that changed so, where those of its name
    did not.
    here, rest: its shares within and outside; estimate: here ÷ rest. answer: what every page says to
    the same question. whose: the unit that has most of it, "" where it is not one unit's."""

    ON_PAGE = OnPage("What changed", 60, {"less": 5, "": 14, "more": 60})
    SUBJECTS = ("topic",)

    kind: Literal["change"] = "change"
    topic: int
    above_all: list[str] = field(default_factory=list)
    here: ShareInterval
    rest: ShareInterval
    answer: Answer | None = None
    whose: str = ""


@dataclass(frozen=True, kw_only=True)
class Event(Shaped, BaseFinding):
    """Words that come or go. topic: that has most of the first. here, rest: shares of the
    documents, or of their sections, that have the first one, within and outside. answer, whose: see
    Change."""

    ON_PAGE = OnPage("Words over time", 120, {"less": 5, "": 14, "more": 120})
    SUBJECTS = ("topic",)

    kind: Literal["event"] = "event"
    shape: Shape = "window"
    more: bool = True
    topic: int
    words: list[str]
    here: float
    rest: float
    sections: bool = False
    answer: Answer | None = None
    whose: str = ""


@dataclass(frozen=True, kw_only=True)
class Speaker(OfGroup, Shaped, BaseFinding):
    """Whose documents most are in a span. here, rest: shares of the documents within and
    outside."""

    ON_PAGE = OnPage("Who speaks when", 6, {"less": 1, "": 2, "more": 6})

    kind: Literal["speaker"] = "speaker"
    here: float
    rest: float


@dataclass(frozen=True, kw_only=True)
class Mark(OfGroup, BaseFinding):
    """A topic that a group has more or less of than all other documents; of a chosen set field and
    value are empty. here, rest: shares of the words; estimate: here ÷ rest, with intervals of the
    answer's level."""

    ON_PAGE = OnPage("Particular to a group", 300, {"less": 4, "": 12, "more": 80})  # groups
    SUBJECTS = ("topic",)

    kind: Literal["mark"] = "mark"
    topic: int
    above_all: list[str] = field(default_factory=list)
    more: bool
    here: ShareInterval
    rest: float
    answer: Answer


@dataclass(frozen=True, kw_only=True)
class Keywords(OfGroup, BaseFinding):
    """Words that more documents of a group have. here, rest: shares of the documents with each
    word; estimate: of the first. answers: of each word."""

    ON_PAGE = OnPage("Words of a group", 120, {"less": 3, "": 12, "more": 80})

    kind: Literal["keyword"] = "keyword"
    words: list[str]
    here: list[float]
    rest: list[float]
    answers: list[Answer]


@dataclass(frozen=True, kw_only=True)
class NoDifference(OfGroup, BaseFinding):
    """A field of whose groups no difference is told. largest: the topic with the largest difference
    of shares that may be chance, the estimate. unit: see Answer. accepted: differences that are
    more than chance, but too small to be told, or one unit's. few: all groups have too few
    units."""

    ON_PAGE = OnPage("Fields without a difference", 12, {"less": 1, "": 4, "more": 12})
    SUBJECTS = ("largest",)

    kind: Literal["none"] = "none"
    estimate: float
    largest: int
    unit: str
    accepted: int = 0
    few: bool = False


@dataclass(frozen=True, kw_only=True)
class Unlike(BaseFinding):
    """A document that shares at most `estimate` of its mix of topics with any of the `compared`;
    all: with any at all. topics, parts: its largest two."""

    ON_PAGE = OnPage("Documents unlike the rest", 8, {"less": 1, "": 3, "more": 8})

    kind: Literal["unlike"] = "unlike"
    estimate: float
    document: int
    nearest: int
    compared: int
    all: bool
    topics: list[int]
    parts: list[float]


@dataclass(frozen=True, kw_only=True)
class Caution(BaseFinding):
    """What a reader should not rely on. It is counted: the ends of the interval are the estimate
    itself."""

    ON_PAGE = OnPage("What not to rely on", 8, {"less": 2, "": 6, "more": 8})

    kind: Literal["caution"] = "caution"
    estimate: float
    count: int


@dataclass(frozen=True, kw_only=True)
class TopicsCaution(Caution):
    """Topics of a kind, with most words first; count: of all of them; estimate: their share of the
    words."""

    what: What
    topics: list[int]


@dataclass(frozen=True, kw_only=True)
class ThinTimes(Caution):
    """Periods of too few documents. count of `of` periods with documents, the estimate; `empty`
    more have none."""

    what: Literal["thin"] = "thin"
    of: int
    empty: int = 0
    unit: str
    periods: list[str]


@dataclass(frozen=True, kw_only=True)
class Repeated(Caution):
    """Documents that repeat an earlier one; estimate: their share."""

    what: Literal["repeated"] = "repeated"


@dataclass(frozen=True, kw_only=True)
class OutsideVocabulary(Caution):
    """Words that are no stop words and in no topic; estimate: their share."""

    what: Literal["outside"] = "outside"


AnyCaution = Annotated[
    TopicsCaution | ThinTimes | Repeated | OutsideVocabulary, Field(discriminator="what")
]
Finding = Annotated[
    Family
    | Change
    | Event
    | Speaker
    | Mark
    | Keywords
    | NoDifference
    | Sense
    | Unlike
    | AnyCaution,
    Field(discriminator="kind"),
]
# In the order of the page
KINDS: dict[str, type[BaseFinding]] = {
    "family": Family,
    "change": Change,
    "event": Event,
    "speaker": Speaker,
    "mark": Mark,
    "keyword": Keywords,
    "none": NoDifference,
    "sense": Sense,
    "unlike": Unlike,
    "caution": Caution,
}


@dataclass(frozen=True)
class Quote:
    """Characters start … end - 1 of a document, which stand for a topic."""

    topic: int
    document: int
    start: int
    end: int


@dataclass(frozen=True)
class SetFindings:
    """All that is stored of a set of documents. span: the first and the last period, as readers say
    them; ends: the same as addresses have them; unit, bins: what the points of each line are.
    findings: of a kind the best first. failed: kinds that could not be computed. independent: the
    name of the field that was the unit, "" for documents (documents.units). too_few_in_order: of its
    values, that follow one another in time (presidents), how many there are, where these are too few
    to tell a change of time from one of who speaks; else 0. outdated: whether an older program
    computed them; never stored."""

    documents: int
    tokens: int
    unit: str
    span: list[str]
    bins: list[str]
    quotes: list[Quote]
    findings: list[Finding]
    failed: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    independent: str = ""
    too_few_in_order: int = 0
    outdated: bool = False


STORED = TypeAdapter(SetFindings)
FINDING: TypeAdapter[Finding] = TypeAdapter(Finding)
