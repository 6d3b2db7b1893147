"""What the pages of time and categories show: each is rendered as HTML and answered as JSON, key by
key in this order."""

from dataclasses import dataclass
from typing import Literal

from webapp.analysis.findings.topic_changes import TopicChange
from webapp.core.documents.shapes import Group, Link, StrongestPassage
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results.links import TopicWithWords
from webapp.platform.pages.page_query import Offer


@dataclass(frozen=True)
class Choice:
    """By what documents can be grouped. said: as a page calls it."""

    name: str
    said: str


@dataclass(frozen=True)
class Period(Group):
    """thin: too few documents to read much into it."""

    thin: bool


# Lines


@dataclass(frozen=True)
class Course:
    """overall: a share of all words; share, low, high: of each group, null where nothing can be
    said."""

    overall: float
    share: list[float | None]
    low: list[float | None]
    high: list[float | None]


@dataclass(frozen=True)
class TimeLine(TopicWithWords, Course):
    """information: how much it depends on the group, in nats per token. tokens: of each group."""

    information: float
    tokens: list[int]


@dataclass(frozen=True)
class Passages(Link):
    """The strongest passages of one group. url: of all its documents with the topic."""

    documents: list[StrongestPassage]


@dataclass(frozen=True)
class ByGroups:
    """left_out: values of a category that are not shown. measured: whether these are the topics
    that change most, as the address names none. selection: the documents in words. unit: for whom
    the intervals hold; low and high are null where fewer than five units speak."""

    by: str
    in_time: bool
    left_out: int
    measured: bool
    choices: list[Choice]
    selection: str
    unit: str


@dataclass(frozen=True)
class TimeLines(ByGroups):
    """without: documents in no group. changing: numbers of the topics that change, most first."""

    bins: list[Period]
    without: int
    topics: list[TimeLine]
    changing: list[int]
    passages: Passages | None


@dataclass(frozen=True)
class TimeNothing:
    """No document has a date, a category or a number, or the run is still trained."""

    by: None
    topics: list[TimeLine]
    bins: list[Period]
    choices: list[Choice]


TIME_NOTHING = TimeNothing(None, [], [], [])


@dataclass(frozen=True)
class OfferedTopic(TopicWithWords):
    shown: bool


@dataclass(frozen=True)
class Interval:
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class TooFewTexts:
    """Most periods are thin. periods: what they are called; thin: how many are, of `filled` that
    have documents. longer: the next longer ones, None where there are none."""

    periods: str
    thin: int
    filled: int
    longer: Offer | None


@dataclass(frozen=True)
class LinesHtml:
    """large: whether there is one topic, in a large chart. charts: each topic with the address of
    its large chart, and how it changed over time; None where groups are no periods. rows:
    of the table: a group, the address of its passages, and a cell for each topic; none where they
    are asked for first, at `numbers`. kept: fields of the form. empty: groups without documents.
    thin: the first groups of few documents; there are thin_count,
    of with_documents. many: back from one topic. own_scales: whether each chart has one;
    scales: to choose. most_words: of a group. embeds: whether there is a chart for other pages.
    intervals: whether a share of a chart has one. too_few: where most periods are thin, else None.
    overview_says: whether only the overview says how one of several topics changed."""

    large: bool
    charts: list[tuple[TimeLine, str, TopicChange | None]]
    overview_says: bool
    rows: list[tuple[Period, str, list[Interval]]]
    numbers: str
    offered: list[OfferedTopic]
    most: int
    kept: list[tuple[str, str]]
    empty: list[str]
    thin: list[str]
    thin_count: int
    with_documents: int
    bys: list[Offer]
    twin: str
    many: str
    own_scales: bool
    scales: list[Offer]
    most_words: int
    pinned: PinnedChart
    embeds: bool
    intervals: bool
    too_few: TooFewTexts | None


# The table of shades


@dataclass(frozen=True)
class Cell(Interval):
    """shade: a class of the style sheet, "" where the share differs from the overall one no more
    than by chance. said, range: the number as the table writes it, and its interval. url: of its
    documents."""

    documents: int
    tokens: int
    thin: bool
    shade: str
    said: str
    range: str
    url: str


@dataclass(frozen=True)
class TopicCells(TopicWithWords):
    overall: float
    cells: list[Cell]


@dataclass(frozen=True)
class ValueCells:
    label: str
    cells: list[Cell]


@dataclass(frozen=True)
class SharesTable(ByGroups):
    """without_documents: how many periods between the first and the last have no document, and no
    column. darkest: the share that has the darkest shade. field, topic: null where rows are
    topics."""

    columns: list[Period]
    without_documents: int
    scale: Literal["share", "against"]
    darkest: float
    rows: list[TopicCells] | list[ValueCells]
    field: str | None
    topic: TopicWithWords | None


@dataclass(frozen=True)
class FieldsTable(SharesTable):
    """One topic: a row for each value of `field`. overall: its share of all words."""

    overall: float
    rows_left_out: int


@dataclass(frozen=True)
class TableHtml:
    """problem: why there is no table. rows: each with the addresses of the topic's own table and
    large chart. large: that of the one topic. back: all topics. order: what the rows are ordered by.
    csv: the query of a file with the topics of the table. shades, times: of the legend. intervals:
    whether a share of the table has one. thin: whether one is of few documents. pinned: what a
    notebook keeps of it."""

    problem: str
    rows: list[tuple[TopicCells | ValueCells, str]]
    bys: list[Offer]
    fields: list[Offer]
    scales: dict[str, str]
    orders: list[Offer]
    order: str
    csv: str
    back: str
    large: str
    shades: range
    times: list[tuple[int, float]]
    intervals: bool
    thin: bool
    pinned: PinnedChart
