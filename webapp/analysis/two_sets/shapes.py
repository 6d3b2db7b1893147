"""What the page of two sets shows, as HTML and as JSON, key by key in this order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from webapp.analysis.findings.over_time import is_nearly
from webapp.analysis.findings.ratios import TimesAsMuch, times_as_much
from webapp.analysis.words.shapes import WordLink
from webapp.core.documents.shapes import ValueChoice
from webapp.core.documents.unit_sentences import UnitAbout
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results.links import TopicLink, TopicWithWords
from webapp.platform.pages.page_query import Offer


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
    """share, low, high, counted_share, tokens, documents: of either side; the last are addresses.
    counted_share: in these texts, whatever is held constant. difference: the
    first share less the second. ratio: the first over the second; null
    where the second side has nothing, ratio_high where nothing bounds it. p: of no difference.
    verdict: "" or "one unit", whose doing most of it is: part_of_largest of the topic's words on
    the side that has more. telling: words that are more frequent in it on its own side."""

    share: list[float]
    low: list[float]
    high: list[float]
    counted_share: list[float | None]
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

    @property
    def held_share(self) -> list[float | None]:
        """Of either side, see `_held_shares`."""
        return _held_shares(self.counted_share, self.share)

    @property
    def times(self) -> TimesAsMuch:
        """How many times as much the side that has more has, in the words of the overview."""
        if self.ratio is None or self.ratio >= 1:
            return times_as_much(self.ratio, self.ratio_low, self.ratio_high)
        return times_as_much(_invert(self.ratio), _invert(self.ratio_high), _invert(self.ratio_low))


def _held_shares(
    counted: Sequence[float | None], shares: Sequence[float | None]
) -> list[float | None]:
    """Of either side the share that is compared, where something is held constant and it is clearly
    another than the counted one; else None. counted, shares: of both sides."""
    return [
        None if share is None or counted_share is None or is_nearly(counted_share, share) else share
        for counted_share, share in zip(counted, shares, strict=True)
    ]


def _invert(ratio: float | None) -> float | None:
    """The ratio of the second side to the first; None where it is infinite or not known."""
    return 1 / ratio if ratio else None


@dataclass(frozen=True)
class BriefDifference(TopicWithWords):
    """A topic in a table that opens: without words of either side. All as TopicDifference has them;
    null where nothing can be said, as of a side without words."""

    share: list[float | None]
    counted_share: list[float | None]
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    documents: list[str]

    @property
    def held_share(self) -> list[float | None]:
        """Of either side, see `_held_shares`."""
        return _held_shares(self.counted_share, self.share)


@dataclass(frozen=True)
class LargestInTexts(TopicWithWords):
    """share: in the texts of either side, as counted, whoever they are from."""

    share: list[float]


@dataclass(frozen=True)
class WordDifference(WordLink):
    """rates: occurrences in 10,000 words of either side."""

    rates: list[float]
    tokens: list[int]


@dataclass(frozen=True)
class Comparison:
    """Two sides; nothing where none were chosen yet. more: topics with a larger share on either;
    words: those that either uses more, beyond chance, as the page of all words has them.
    constant: what is held constant; with "time" the second share is what is expected at the times
    of the first, and counted_share what it has in these texts."""

    sides: list[SideOfComparison]
    more: list[list[TopicDifference]]
    words: list[list[WordDifference]]
    order: Literal["difference", "ratio"]
    selection: str
    constant: Literal["", "time"]


@dataclass(frozen=True)
class Answering:
    """The names of two sets that a worker compares. has_failed: the last try came to nothing, and
    the next one waits."""

    sides: list[str]
    has_failed: bool = False


@dataclass(frozen=True)
class Compared(Comparison):
    """words_in_these_texts: where no word is used more by either beyond chance, those that differ
    most in these texts; words_caution: why nothing can be said of words, or ""; words_judged:
    whether all words have been counted; words_not_held: the field of those who speak, where two
    times are compared, as it is not held constant for words. unsure: topics whose difference may be
    chance, unsure_count of them in all. not_listed: how many more differ than `more` has, on either side; further: these topics. words_from: documents of each side in which words were
    counted; null: in all of them. unit: who is independent; few_units: that they are few, or "".
    units: how many of them have texts on either side. largest: the topic whose counted shares differ
    most in these texts, whether by chance or not; null where no side has words of any. complement:
    whether the second side is all other documents.
    caution: why nothing can be concluded, or "". level: of all intervals, of `rows` that were judged together: all topics, or
    where a value of a field is compared with all others all topics of all its values. calibrated:
    "exchanged", by exchanges of units, or "t". same_speakers: the field whose values are held
    constant, so that shares of one side are theirs, or ""; speakers_vary: the field whose values
    differ between two times, where the overview compares texts of the same, or ""."""

    words_in_these_texts: list[list[WordDifference]]
    words_caution: str
    words_judged: bool
    words_not_held: str
    unsure: list[BriefDifference]
    unsure_count: int
    not_listed: list[int]
    further: list[list[BriefDifference]]
    words_from: list[int] | None
    unit: UnitAbout
    few_units: str
    units: list[int]
    largest: LargestInTexts | None
    complement: bool
    caution: str
    level: float
    rows: int
    calibrated: str
    same_speakers: str = ""
    speakers_vary: str = ""


@dataclass(frozen=True)
class PrintedTopics:
    """The topics of a comparison, each difference that of the set named `right` less that of the set
    named `left`: the second less the first, or the first less all others. The lists as Compared has
    them."""

    left: str
    right: str
    more: list[list[TopicDifference]]
    further: list[list[BriefDifference]]
    unsure: list[BriefDifference]


@dataclass(frozen=True)
class CategoryChoice:
    name: str
    values: list[ValueChoice]


@dataclass(frozen=True)
class SideForm:
    """What was typed into the form for one set. proposed: whether the page proposes its days, as
    nobody has typed any."""

    letter: str
    legend: str
    first: str
    last: str
    values: list[str]
    proposed: bool


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
    """problem: why nothing is compared. csv: the address of a file with all topics. keyness: the
    page of all words that differ; effects: that where other things are held constant, "" where
    there is none. printed: the topics with their differences as the page prints them. conclusion:
    the first sentences; without_larger: of each side, what is said where no topic is clearly larger;
    pinned: what a notebook keeps. most: the largest share."""

    problem: str
    csv: str
    keyness: str
    effects: str
    printed: PrintedTopics
    conclusion: list[str | TopicLink]
    without_larger: list[list[str | TopicLink]]
    pinned: PinnedChart
    orders: list[Offer]
    most: float
