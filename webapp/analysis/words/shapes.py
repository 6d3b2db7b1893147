"""What the pages of words show: each is rendered as HTML and answered as JSON, key by key in this
order."""

from dataclasses import dataclass
from typing import Literal

from webapp.analysis.words.concordance import Line, Order
from webapp.analysis.words.queries import Beginning, CountedWord, WordCount
from webapp.core.documents.shapes import Bar, Link
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results.links import TopicLink, TopicWithWords

AskedCertainty = Literal["", "sure", "unsure"]  # of lines

# The list of words


@dataclass(frozen=True)
class WordRow(WordCount):
    url: str


@dataclass(frozen=True)
class BeginningRow(Beginning):
    url: str


@dataclass(frozen=True)
class WordsPage:
    """alike: words that are offered where none begins as was typed. beginnings: before anything was
    typed."""

    items: list[WordRow]
    q: str
    alike: list[WordRow]
    beginnings: list[BeginningRow]
    next: str | None


# One word: its senses


@dataclass(frozen=True)
class WordHeader(CountedWord):
    """direction: of its script, ltr or rtl. typed: what was asked for, where it is another form or
    writing of the word; empty otherwise."""

    direction: str
    typed: str


@dataclass(frozen=True)
class UntrainedWord:
    """A word of a run whose training has not ended. senses: null, as they are not known yet."""

    word: WordHeader
    senses: None = None


@dataclass(frozen=True)
class UncountedWord:
    """A word that the texts have, and that does not count. documents: with it, of `among`. reason:
    why it does not count, as the end of a sentence. lines: address of the documents with it. years:
    its course. can_count: whether keeping it makes it count. is_part: whether it is nothing but a
    part of other words. wholes: some of these that count."""

    word: str
    documents: int
    among: int
    reason: str
    lines: str
    years: list[Bar]
    can_count: bool
    is_part: bool
    wholes: list["WordLink"]


@dataclass(frozen=True)
class PartOfTokens:
    """share: of all tokens. lines: address of these, "" where none says them."""

    tokens: int
    share: float
    lines: str


@dataclass(frozen=True)
class PartOfWord(PartOfTokens):
    """The tokens of a word, in the chosen documents, that are assigned to a topic."""

    documents: int


@dataclass(frozen=True)
class TopicOfWord(TopicLink, PartOfWord):
    """A topic to which a word is assigned. certainty: mean over its tokens, from 0 to 1."""

    certainty: float


@dataclass(frozen=True)
class OtherTopic(TopicOfWord, TopicWithWords):
    """A topic that is not clear enough to be called a sense. words: the first of the topic."""


@dataclass(frozen=True)
class Sense(TopicOfWord, TopicWithWords):
    """start: the shares of the senses before it. shade: makes the colour paler where a larger sense
    has it, too. words: those that tell it from the other senses."""

    start: float
    shade: int


@dataclass(frozen=True)
class SampledSense(Sense):
    """samples: lines of the documents in which it is most certain."""

    samples: list[Line]


@dataclass(frozen=True)
class ShiftBin:
    """A period, or a value of a category. thin: it has few tokens. cells: of the topics in their
    order, then of all others. unsure: tokens that are less than 60% certain to be of their topic,
    which no cell counts."""

    label: str
    tokens: int
    thin: bool
    lines: str
    cells: list[PartOfTokens]
    unsure: PartOfTokens


@dataclass(frozen=True)
class Shift:
    """How the shares of the senses differ over time, or between the values of a category.

    offered: what else they can be shown by. topics: of the cells of each bin, but for the last.
    tallest: the largest share in a bin. left_out: values that are not shown.
    outside: tokens in documents without a date or value. unsure: tokens of all bins that are less
    than 60% certain to be of their topic.
    """

    by: str
    in_time: bool
    offered: list[str]
    topics: list[int]
    bins: list[ShiftBin]
    tallest: float
    left_out: int
    outside: int
    unsure: int


@dataclass(frozen=True)
class WordPage:
    """rare: topics that are no clear senses. all: address of all lines. has_places: whether lines
    can be shown."""

    word: WordHeader
    rare: list[OtherTopic]
    all: str
    has_places: bool


@dataclass(frozen=True)
class SensesPage(WordPage):
    """A word of a finished run. documents_chosen: in words. senses: clear ones. rare: the largest
    of `rare_count`. rest: tokens of the other topics. related: words that begin alike."""

    documents_chosen: str
    senses: list[Sense | SampledSense]
    rare_count: int
    tokens: int
    documents: int
    rest: int
    related: list[WordRow]
    shift: Shift | None

    @property
    def rest_share(self) -> float:
        return self.rest / max(1, self.tokens)


@dataclass(frozen=True)
class ChartedTopic(TopicWithWords):
    """A topic that the chart of a word shows. other: it is not a sense."""

    certainty: float
    shade: int
    other: bool


@dataclass(frozen=True)
class TopicGroup:
    """Topics that are not senses for one reason: "unsure" or "small". more: how many of them are
    not listed."""

    why: str
    topics: list[OtherTopic]
    more: int
    tokens: int
    share: float


@dataclass(frozen=True)
class SensesHtml:
    """pinned: what a notebook keeps of the page. doubtful: even the largest topic is no
    clear sense. much_rare: the other topics have much of the word. unsure: topic -> how certain it
    is, in words, where it is not very. course: whether the word became more frequent, or "". uncharted: other topics that the chart shows as one.
    others_charted: as many as it can show one by one."""

    pinned: PinnedChart
    doubtful: bool
    much_rare: bool
    unsure: dict[int, str]
    groups: list[TopicGroup]
    charted: list[ChartedTopic]
    course: str
    uncharted: int
    others_charted: int


# One word: its lines


@dataclass(frozen=True)
class OrderLink:
    name: Order
    says: str
    url: str


@dataclass(frozen=True)
class ListedLines:
    """A page of lines. documents_chosen: in words. topic: in which they are; null for all.
    in_order: how many lines are in the order asked for. kept_back: lines under embargo. first,
    last: numbers of the lines, from 1."""

    documents_chosen: str
    topic: TopicLink | None
    sort: Order
    sorts: list[OrderLink]
    lines: list[Line]
    total: int
    in_order: int
    kept_back: int
    embargo: str
    first: int
    last: int
    previous: str | None
    next: str | None


@dataclass(frozen=True)
class PinnedHtml:
    """pinned: what a notebook keeps of the page."""

    pinned: PinnedChart


@dataclass(frozen=True)
class LinesPage(ListedLines, WordPage):
    """Lines of a word. certainty: "sure" for those that are 60% certain or more to be of their topic,
    "unsure" for the others, "" for all. sense: the topic as one of the word's; null also where it is never assigned
    to it. overview: address of the senses in these documents."""

    certainty: AskedCertainty
    sense: Sense | OtherTopic | None
    senses: list[Sense]
    overview: str

    @property
    def shown(self) -> TopicLink | None:
        """The topic, in the colour that it has among the senses."""
        return self.sense or self.topic


# A pattern


@dataclass(frozen=True)
class PatternGroup(Link):
    """Hits of the documents with a value of a category, or of which a word has a topic. rate: in
    10,000 words of the documents. years: hits by time, their height on the scale of all groups."""

    hits: int
    documents: int
    rate: float
    years: list[Bar]


@dataclass(frozen=True)
class PatternPage(ListedLines):
    """Lines of a pattern of words. hits: how often it occurs in the chosen documents, or of these
    hits those of which a word is assigned to a topic; documents: that have any. years: hits by
    time, their height by the words of that time; most_often: hits in 10,000 words where they are
    most. by: a category, run-topic or ""; groups: its values with most hits. direction: of the
    pattern's script, ltr or rtl."""

    pattern: str
    hits: int
    documents: int
    years: list[Bar]
    most_often: float
    by: str
    groups: list[PatternGroup]
    direction: str


@dataclass(frozen=True)
class NoPattern:
    """Before one was written, or where it can't be looked for. problem: why. wrong: the characters
    from which on it can't be understood, and those before them."""

    pattern: str
    problem: str
    understood: str
    wrong: str


# Two words


@dataclass(frozen=True)
class WordLink:
    word: str
    url: str


@dataclass(frozen=True)
class UnknownWord:
    """A word that is not in the vocabulary. alike: words like it."""

    word: str
    alike: list[WordRow]


@dataclass(frozen=True)
class ComparedSense(TopicWithWords):
    """sides: of the first word and of the second. shared: both have it."""

    sides: list[PartOfWord]
    shared: bool


@dataclass(frozen=True)
class TellingWord:
    """A word that tells the documents of two words apart. share, elsewhere: of the documents with
    one word and with the other, those that have it."""

    word: str
    share: float
    elsewhere: float


@dataclass(frozen=True)
class WordComparison:
    """tokens, documents: of each word. together: documents that have both. overlap: of the shares
    of their senses. apart: words that tell them apart, of each."""

    senses: list[ComparedSense]
    tokens: list[int]
    documents: list[int]
    together: int
    overlap: float
    apart: list[list[TellingWord]]


@dataclass(frozen=True)
class ComparedWords:
    """typed: as they came. same: both are one word."""

    typed: list[str]
    words: list[WordLink]
    comparison: WordComparison
    unknown: list[UnknownWord]
    same: bool


@dataclass(frozen=True)
class WordsToCompare:
    """Before two words of the vocabulary were chosen, or while the run trains. words: none."""

    typed: list[str]
    words: list[WordLink]
    comparison: None
    unknown: list[UnknownWord]
