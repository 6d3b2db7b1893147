"""What the pages of time and categories show: each is rendered as HTML and answered as JSON, key by
key in this order."""

from dataclasses import dataclass
from typing import Literal

from webapp.analysis.findings.topic_changes import TopicChange
from webapp.analysis.words.shapes import WordLink
from webapp.core.documents.shapes import Group, Link, StrongestPassage, ValueChoice
from webapp.core.documents.unit_sentences import UnitAbout
from webapp.core.results.links import TopicLink, TopicWithWords


@dataclass(frozen=True)
class Choice:
    """By what documents can be grouped. said: as a page calls it."""

    name: str
    said: str


@dataclass(frozen=True)
class Offer:
    """One of several ways to show the page. here: whether it is the present one."""

    said: str
    url: str
    here: bool


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
    """Of one group. url: of all its documents with the topic."""

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
    """No document has a date or a category, or the run is still trained."""

    by: None
    topics: list[TimeLine]
    bins: list[Period]
    choices: list[Choice]


@dataclass(frozen=True)
class OfferedTopic(TopicWithWords):
    shown: bool


@dataclass(frozen=True)
class Pinned:
    """What a notebook keeps. table: as JSON, or ""."""

    title: str
    sentence: str
    table: str


@dataclass(frozen=True)
class Interval:
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class LinesHtml:
    """large: whether there is one topic, in a large chart. charts: each topic with the address of
    its large chart, and how it changed over time; None where groups are no periods. rows:
    of the table: a group, the address of its passages, and a cell for each topic; none where they
    are asked for first, at `numbers`. kept: fields of the form. empty: groups without documents.
    thin: how many are. many: back from one topic. own_scales: whether each chart has one;
    scales: to choose. most_words: of a group. embeds: whether there is a chart for other pages.
    intervals: whether a share of a chart has one."""

    large: bool
    charts: list[tuple[TimeLine, str, TopicChange | None]]
    rows: list[tuple[Period, str, list[Interval]]]
    numbers: str
    offered: list[OfferedTopic]
    most: int
    kept: list[tuple[str, str]]
    empty: list[str]
    thin: int
    bys: list[Offer]
    twin: str
    many: str
    own_scales: bool
    scales: list[Offer]
    most_words: int
    pinned: Pinned
    embeds: bool
    intervals: bool


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
    """darkest: the share that has the darkest shade. field, topic: null where rows are topics."""

    columns: list[Period]
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
    large chart. large: that of the one topic. back: all topics. shades, times: of the legend.
    intervals: whether a share of the table has one."""

    problem: str
    rows: list[tuple[TopicCells | ValueCells, str]]
    bys: list[Offer]
    fields: list[Offer]
    scales: dict[str, str]
    orders: list[Offer]
    back: str
    large: str
    shades: range
    times: list[tuple[int, float]]
    intervals: bool


# Two sets compared


@dataclass(frozen=True)
class Side:
    """tokens: all words of its texts, also those that no topic counts."""

    name: str
    documents: int
    tokens: int
    url: str


@dataclass(frozen=True)
class SideOfComparison(Side):
    thin: bool


@dataclass(frozen=True)
class TopicDifference(TopicWithWords):
    """share, low, high, tokens, documents: of either side; the last are addresses. ratio: null
    where the second side has nothing, ratio_high where nothing bounds it. p: of no difference.
    verdict: "" or "one unit", whose doing most of it is: part_of_largest of the topic's words on
    the side that has more. telling: words that are more frequent in it on its own side."""

    share: list[float]
    low: list[float]
    high: list[float]
    tokens: list[int]
    difference: float
    difference_low: float
    difference_high: float
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    p: float | None
    verdict: str
    part_of_largest: float | None
    documents: list[str]
    telling: list[WordLink]


@dataclass(frozen=True)
class WordDifference(WordLink):
    """rates: occurrences in 10,000 words of either side."""

    rates: list[float]
    tokens: list[int]


@dataclass(frozen=True)
class Comparison:
    """Two sides; nothing where none were chosen yet. more: topics with a larger share on either.
    constant: what is held constant; with "time" the second share is what is expected at the times
    of the first."""

    sides: list[SideOfComparison]
    more: list[list[TopicDifference]]
    words: list[list[WordDifference]]
    order: Literal["difference", "ratio"]
    selection: str
    constant: Literal["", "time"]


@dataclass(frozen=True)
class Answering:
    """The names of two sets that a worker compares."""

    sides: list[str]


@dataclass(frozen=True)
class Compared(Comparison):
    """unsure: topics whose difference may be chance, unsure_count of them in all. not_listed: how
    many more differ, on either side. words_from: documents of each side in which words were
    counted; null: in all of them. unit: who is independent; few_units: that they are few, or "".
    caution: why nothing can be concluded, or "". level: of all intervals, of `rows` that were judged together: all topics, or
    where a value of a field is compared with all others all topics of all its values. calibrated:
    "exchanged", by exchanges of units, or "t". same_speakers: the field whose values are held
    constant, so that shares of the second side are theirs, or ""."""

    unsure: list[TopicLink]
    unsure_count: int
    not_listed: list[int]
    words_from: list[int] | None
    unit: UnitAbout
    few_units: str
    caution: str
    level: float
    rows: int
    calibrated: str
    same_speakers: str = ""


@dataclass(frozen=True)
class CategoryChoice:
    name: str
    values: list[ValueChoice]


@dataclass(frozen=True)
class SideForm:
    """Of a set of the form: what was typed."""

    letter: str
    legend: str
    first: str
    last: str
    values: list[str]


@dataclass(frozen=True)
class SetsForm:
    """The form that chooses two sets. dated: the first day and the last. suggestions: what they
    might be, and its address."""

    form: list[SideForm]
    categories: list[CategoryChoice]
    dated: tuple | None
    suggestions: list[tuple[str, str]]


@dataclass(frozen=True)
class ComparisonHtml(SetsForm):
    """problem: why nothing is compared. keyness: the page of all words that differ; effects: that
    where other things are held constant, "" where there is none. most: the largest share."""

    problem: str
    keyness: str
    effects: str
    compared: str
    orders: list[Offer]
    most: float
