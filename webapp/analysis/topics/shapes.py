"""What the pages of topics show: each is rendered as HTML and answered as JSON, key by key in this
order."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from webapp.analysis.families.family_cuts import NamedFamily
from webapp.analysis.families.shapes import CountedFamily, Cuts
from webapp.analysis.findings.topic_changes import TopicChange
from webapp.analysis.topics.flow import FamiliesOverTime
from webapp.analysis.words.concordance import Line
from webapp.analysis.words.shapes import PartOfWord, WordLink
from webapp.core.curation.queries import TopicForm
from webapp.core.documents.shapes import Group, ListedDocument, StrongestPassage
from webapp.core.documents.unit_sentences import UnitAbout
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results.found_again import Elsewhere, FoundAgain
from webapp.core.results.hidden_words import Dropped
from webapp.core.results.links import TopicLink, TopicShare, TopicWithWords
from webapp.core.results.topic_kinds import UNSTABLE, Kind
from webapp.core.results.topics import TopicDetail
from webapp.platform.drawing import tables

MOST_NAMES_ABREAST = 3  # of about 70 pixels, beside words of about 120, on a screen of 375
NARROW_GRID = 8  # columns of 24 pixels, beside words of about 120, on a screen of 375

# The page of topics


@dataclass(frozen=True)
class ListingQuery:
    """Which topics an address asks for. sort: one of listing.ORDERS; backward: the other way
    round. word: only topics that have it, among their words, in their name, or as their
    number, T07. group: only those of a group of readers. hidden: also those that
    readers hid. topics: only these; empty for all. family: of whose family these are, null where the
    address names them. frequent: words by probability, not by relevance. families: how many of them
    topics are shown in; null for none."""

    sort: str
    backward: bool
    word: str
    group: str
    hidden: bool
    topics: list[int]
    frequent: bool
    families: int | None
    family: int | None


@dataclass(frozen=True)
class CountedTopic(TopicShare, TopicWithWords):
    """words: its first ones. share, tokens, documents: of the chosen documents; the last two null
    while the run trains."""

    tokens: int | None
    documents: int | None


@dataclass(frozen=True)
class FamilyOfTopic(CountedFamily):
    """topics: how many it has, hidden ones too."""

    topics: int


# Of a topic that nothing speaks against, where its first words were not looked at
NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class RankedTopic(CountedTopic):
    """bar: its share of the largest topic's. group: that readers put it in, or "". members: topics
    merged into it. kind: null where it is not judged (results.topic_kinds). found_again: in runs
    with other seeds; null before they are trained. family: null where none is asked for, and of
    general talk. of_word: occurrences of the word that is asked for, in the chosen documents; null
    without a word."""

    bar: float
    group: str
    members: int
    kind: Kind | None
    coherence: float | None
    exclusivity: float | None
    found_again: FoundAgain | None
    family: FamilyOfTopic | None
    of_word: int | None

    @property
    def kind_in_words(self) -> str:
        """Its kind, as the sentence of its own page has it; of a topic of another kind that most
        runs with other seeds lack that as well, as the overview counts it among the unstable
        ones."""
        kind = self.kind or ""
        if self.found_again and self.found_again.doubtful and kind != UNSTABLE:
            return f"{kind}, {UNSTABLE}" if kind else UNSTABLE
        if not kind and self.exclusivity is not None:
            return NOT_JUDGED
        return kind


@dataclass(frozen=True)
class Sparkline:
    """Shares over time, null for a time without words. peak: the largest share in a period of
    enough documents to name; null where no period has them."""

    values: list[float | None]
    peak: float | None
    peak_at: str


@dataclass(frozen=True)
class TopicRow(RankedTopic):
    line: Sparkline | None


@dataclass(frozen=True)
class Times:
    """Groups of documents, by what."""

    by: str
    labels: list[str]


@dataclass(frozen=True)
class LineTimes(Times):
    """Periods of the lines of topics. has_enough: of each, whether it has documents enough to be
    drawn, and to be a peak."""

    has_enough: list[bool]

    @property
    def leaves_out(self) -> bool:
        """Whether the lines leave out periods."""
        return any(self.has_enough) and not all(self.has_enough)


@dataclass(frozen=True)
class TopicsView:
    """view: list, map, grid or time. left_out: hidden topics that are not shown. drop: words left
    out of the lists."""

    view: str
    asked: ListingQuery
    count: int
    left_out: int
    drop: Dropped | None


@dataclass(frozen=True)
class TopicsList(TopicsView):
    """first, last: places of the items among all of them, from 1."""

    items: list[TopicRow]
    first: int
    last: int
    times: LineTimes | None
    previous: str | None
    next: str | None


@dataclass(frozen=True)
class LabelPlace:
    """numbered: whether the topic's number has room behind its name."""

    anchor: Literal["start", "end", "middle"]
    x: float
    y: float
    numbered: bool


@dataclass(frozen=True)
class Circle(TopicShare):
    """text: what stands on the map: the name or its first part, else the first words. place: of the
    label, null where there is no room for it."""

    x: float
    y: float
    r: float
    text: str
    chosen: bool
    place: LabelPlace | None


@dataclass(frozen=True)
class TopicMap:
    """stress: how far the plane is from the distances, 0 to 1."""

    circles: list[Circle]
    width: int
    height: int
    stress: float | None


@dataclass(frozen=True)
class TopicsMap(TopicsList):
    """All topics on the map, those that were chosen marked; the list has these alone. Null while
    the run trains."""

    map: TopicMap | None


@dataclass(frozen=True)
class Values:
    """Tokens and shares in each group of documents."""

    tokens: list[int]
    shares: list[float | None]


@dataclass(frozen=True)
class Band(CountedTopic):
    values: Values


@dataclass(frozen=True)
class Most:
    tokens: int
    shares: float


@dataclass(frozen=True)
class TopicTimes(Times):
    """Topics in groups of documents, empty groups at both ends left out. stacked: the topics of the
    chart; other: all that are not stacked, of which `rest` names the largest, rest_count of them in
    all. part: of all words, those of stacked topics. other_drawn: whether the chart shows the
    others, which would fill it where part is small. left_out: values of a category that are not
    shown. bins: “&has=<topic>:0” may be added to their addresses. most: the largest share and count
    of any topic in `multiples`, the share in a period of enough documents. next: where the next of them begin."""

    in_time: bool
    choices: list[str]
    bins: list[Group]
    left_out: int
    stacked: list[Band]
    rest: list[CountedTopic]
    rest_count: int
    other: Values
    part: float
    other_drawn: bool
    multiples: list[Band]
    most: Most
    next: int | None


@dataclass(frozen=True)
class TopicsTime(TopicsView):
    """unit: tokens or shares. json: the address of these data."""

    time: TopicTimes | None
    unit: str
    own_scale: bool
    choices: list[str]
    json: str


@dataclass(frozen=True)
class GridLine(WordLink):
    """A word: tokens, of the topics shown; cells: of each."""

    tokens: int
    cells: list[int]

    @property
    def lines(self) -> str:
        """The address of its lines in a topic, whose number is to be added."""
        return f"{self.url}{'&' if '?' in self.url else '?'}topic="


@dataclass(frozen=True)
class WordGrid:
    """unknown: words that were asked for and are not in the vocabulary. shared: how many lines at the
    beginning are of words that two topics or more have; null where lines have another order. next:
    where the next topics begin."""

    topics: list[CountedTopic]
    lines: list[GridLine]
    most: int
    unknown: list[str]
    shared: int | None
    next: int | None

    @property
    def is_narrow(self) -> bool:
        """Whether a phone has room for its columns: then the page needs no box that is scrolled
        sideways, whose lower end would hide words."""
        return len(self.topics) <= NARROW_GRID

    @property
    def has_room(self) -> bool:
        """Whether a phone has room for the names of its topics beside each other."""
        return len(self.topics) <= MOST_NAMES_ABREAST


@dataclass(frozen=True)
class TopicsGrid(TopicsView):
    grid: WordGrid | None
    words: list[str]
    order: str


@dataclass(frozen=True)
class TopicsHtml:
    """views: name, title and address of each. river: of all families over time; largest:
    topics, as an address has them, of the chart instead of it. colours: families whose colours the
    topics on the page have, none where the run has none; general: whether some of these are general
    talk. part: the template of this one.
    pinned: what a notebook keeps of it."""

    views: list[tuple[str, str, str]]
    river: FamiliesOverTime
    largest: str
    groups: list[str]
    hue_names: list[str]
    cuts: Cuts | None
    families: list[tuple[int, str]]
    colours: list[NamedFamily]
    general: bool
    part: str
    pinned: PinnedChart


# One topic


@dataclass(frozen=True)
class TopicHead:
    topic: TopicDetail
    drop: Dropped | None


@dataclass(frozen=True)
class TopicFrame(TopicHead):
    """A topic between its neighbours, with its form."""

    previous: TopicLink | None
    next: TopicLink | None
    curation: TopicForm


@dataclass(frozen=True)
class WeighedWord(WordLink):
    """lines: the address of its lines in this topic; why: of the page that says why it is there.
    tokens: in the topic; everywhere: in all topics. share: of its tokens, those of the topic; part:
    of the topic's tokens, its own. bar, bar_everywhere: of the longest on the page."""

    lines: str
    why: str
    tokens: int
    everywhere: int
    share: float
    part: float
    relevance: float
    bar: float
    bar_everywhere: float


@dataclass(frozen=True)
class TopicWordsPage(TopicHead):
    """A topic's words by relevance. next_words: where the next page of them begins."""

    words: list[WeighedWord]
    lambda_: Annotated[float, Field(alias="lambda")]
    next_words: int | None


# A topic's words through time


@dataclass(frozen=True)
class WordsPeriod:
    """A column of time. first, last: its ends, as addresses have them. tokens: of the topic there;
    documents: that have any of it; thin: whether they are too few to say much. url: of these."""

    label: str
    first: str
    last: str
    tokens: int
    documents: int
    thin: bool
    url: str


@dataclass(frozen=True)
class WordInPeriod:
    """tokens: of the word, assigned to the topic. share: of the topic's tokens there, with its
    interval; null without any. times: as many as at all other times, by the same speakers where
    somebody speaks, with its interval; null for what can't be said. clear: whether that is beyond
    chance. lines: the address of these tokens in their lines."""

    tokens: int
    share: float | None
    low: float | None
    high: float | None
    times: float | None
    times_low: float | None
    times_high: float | None
    clear: bool
    lines: str


WordKind = Literal["came", "went", "passed", "paused", "stayed", "unsure"]


@dataclass(frozen=True)
class WordThroughTime(WordLink):
    """kind: came, went, passed (more for a time), paused (less for a time), stayed, or unsure: no
    difference beyond chance, and too rare to say that it stayed. sentence: what is said of it, ""
    where unsure; when: the same in brief; times: how many times as much, in words; interval: of
    that. here, rest, estimate,
    low, high: the same as numbers. first, last, until: when, as addresses have them. whose: the one
    value of the unit that has most of it, or "". lines: in the topic."""

    kind: WordKind
    sentence: str
    when: str
    times: str
    interval: str
    here: float | None
    rest: float | None
    estimate: float | None
    low: float | None
    high: float | None
    first: str
    last: str
    until: str
    whose: str
    tokens: int
    lines: str
    cells: list[WordInPeriod]


@dataclass(frozen=True)
class WordsThroughTime(TopicHead):
    """words: those that came first, then those that went, passed, paused, stayed, and those that are
    unsure; within each by when. looked_at: how many of the topic's words, of so many that are
    frequent enough. level: of all intervals, which `rows` words share. unit: whose texts count as
    one. held: the field whose values are compared with themselves, "" for none. in_order: how many
    units follow one another, where they are too few for any change to be sure; else 0. caution: why
    nothing can be said, or "". csv: the address of these numbers as a file."""

    periods: list[WordsPeriod]
    words: list[WordThroughTime]
    looked_at: int
    frequent: int
    level: float
    rows: int
    unit: UnitAbout
    held: str
    in_order: int
    caution: str
    csv: str


@dataclass(frozen=True)
class FollowingWords(TopicHead):
    """While a worker looks through the topic's words: ask again. has_failed: the last try came to
    nothing, and the next one waits."""

    following: Literal[True] = True
    has_failed: bool = False


@dataclass(frozen=True)
class WordsWithoutTime(TopicHead):
    """The page of a topic without words in two periods. dated: whether any document has a date."""

    dated: bool


@dataclass(frozen=True)
class KindOfWords:
    """title: of the rows; words: with the shade of each cell's number, and whether it is thin."""

    kind: WordKind
    title: str
    words: list[tuple[WordThroughTime, list[tuple[WordInPeriod, str, bool]]]]


@dataclass(frozen=True)
class WordsThroughTimeHtml:
    """kinds: without what is unsure, which is `unsure`. open: the word whose intervals are shown, or
    "". counts: how many words of each kind, in words."""

    kinds: list[KindOfWords]
    unsure: list[tuple[WordThroughTime, list[tuple[WordInPeriod, str, bool]]]]
    open: str
    counts: str


# The topic's page


@dataclass(frozen=True)
class Counted:
    """The topic in the chosen documents; of_tokens, of_documents: all of these."""

    tokens: int
    documents: int
    of_tokens: int
    of_documents: int
    share: float


@dataclass(frozen=True)
class GroupBin(Group):
    """share: of the group's words; null without words."""

    share: float | None
    of_tokens: int
    of_documents: int


@dataclass(frozen=True)
class TopicGroups:
    by: str
    in_time: bool
    choices: list[str]
    bins: list[GroupBin]

    @property
    def has_chart(self) -> bool:
        """Whether there is a chart for other pages."""
        if not 1 < len(self.bins) <= tables.ROWS:
            return False
        return any(group.share is not None for group in self.bins)


@dataclass(frozen=True)
class DocumentOfTopic(StrongestPassage):
    """tokens: of the topic; of: all its tokens. alike: documents further down the page that are
    nearly the same."""

    tokens: int
    of: int
    alike: list[ListedDocument]


@dataclass(frozen=True)
class SimilarTopic(TopicWithWords):
    divergence: float


@dataclass(frozen=True)
class BesideTopic(TopicWithWords):
    """A topic in the same documents. lift: how many times as often as by chance. both: the address
    of these."""

    lift: float
    documents: int
    both: str


@dataclass(frozen=True)
class TopicPhrase:
    """Neighbouring words that are assigned to the topic. tokens: in the documents with most of it.
    url: its lines."""

    text: str
    tokens: int
    url: str


@dataclass(frozen=True)
class Measure:
    """below: how many topics are lower; of: how many are known. all: values of topics, in order; of
    those too close to be drawn apart one."""

    name: str
    term: str
    title: str
    places: int
    means: str
    value: float
    below: int
    of: int
    all: list[float]


ALTHOUGH = "although "


@dataclass(frozen=True)
class Reason:
    """url: of the evidence. text: one that begins with ALTHOUGH goes on with the one before."""

    text: str
    url: str

    @property
    def joint(self) -> str:
        """What is between it and the reason before."""
        return ", " if self.text.startswith(ALTHOUGH) else "; "


@dataclass(frozen=True)
class Judgement:
    """Whether a topic is any good. kind: null where it is not judged (results.topic_kinds)."""

    kind: Kind | None
    sentence: str
    reasons: list[Reason]


Rank = Literal["share", "words"]


@dataclass(frozen=True)
class TopicPage(TopicFrame, TopicWordsPage):
    counted: Counted
    first: list[str]
    phrases: list[TopicPhrase]
    groups: TopicGroups | None
    rank: Rank
    documents: list[DocumentOfTopic]
    next_documents: str | None
    similar: list[SimilarTopic]
    beside: list[BesideTopic]
    verdict: Judgement | None
    measures: list[Measure]
    elsewhere: Annotated[
        list[Elsewhere] | None,
        Field(description="in runs with other seeds; null before they are trained"),
    ]


@dataclass(frozen=True)
class NamingWord:
    """A word by which the topic was named. share: of its occurrences, those in the topic."""

    word: str
    url: str
    share: float


@dataclass(frozen=True)
class NamedBefore:
    """words: those that are in the texts, as the reader gave them; missing: the others. share: of
    all occurrences of these words, those in the topic. unsupported: whether they are so few that the
    topic stayed empty."""

    words: list[NamingWord]
    missing: list[str]
    share: float
    unsupported: bool


@dataclass(frozen=True)
class TopicHtml:
    """mostly: the address of the documents mostly about the topic. own_words: that passages mark.
    shortest: counted words that a document has which is listed by its share. change: of its share
    over time, as the overview says it. named_before: None unless a reader named
    the topic before the training. dated: whether any document has a date."""

    mostly: str
    own_words: int
    shortest: int
    change: TopicChange
    named_before: NamedBefore | None
    dated: bool


@dataclass(frozen=True)
class FormingWord(WordLink):
    """bar: its weight, of the largest."""

    rank: int
    weight: float
    bar: float


@dataclass(frozen=True)
class FormingTopic(TopicFrame):
    """A topic while its run is trained."""

    words: list[FormingWord]


@dataclass(frozen=True)
class TopicOfWord(TopicWithWords, PartOfWord):
    """A topic to which a word is assigned, and its own first words."""


@dataclass(frozen=True)
class Why(WordLink):
    """Why a word is in a topic. probability: p(w|k) as the model has it; usual: the word's share of
    the corpus. The rest is of the chosen documents. divided: topics of its tokens; elsewhere: how
    many more."""

    lines_url: str
    probability: float
    usual: float
    tokens: int
    documents: int
    everywhere: int
    everywhere_documents: int
    divided: list[TopicOfWord]
    elsewhere: int
    lines: list[Line]


@dataclass(frozen=True)
class WhyPage:
    topic: TopicDetail
    why: Why
