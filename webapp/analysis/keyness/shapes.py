"""The page of the words that set two sets of documents apart."""

from dataclasses import dataclass

from inference.answers import MOST_OF_ONE
from webapp.analysis.two_sets.shapes import Side
from webapp.analysis.two_sets.word_shapes import Counts, Order, Which
from webapp.core.documents.unit_sentences import UnitAbout
from webapp.core.results.links import TopicLink

MOSTLY_ONE = "mostly from one text or speaker"
MOSTLY_FROM = "mostly from {name}"
DEPENDS_ON = "depends on {name}"


@dataclass(frozen=True)
class KeyWord:
    """times: how many times as frequent as on the other side, null where that has none. low, high:
    its interval, of the level that all words of the page share, null where nothing can be said,
    and where the other side surely has none; high also where nothing bounds it. p: of no difference. tokens: its occurrences, none where documents are counted. rates: in
    10,000 words, or in 100 documents where these are counted. These two and documents: of its own
    side first. burst: one unit carries it. urls: the documents of either side that have it."""

    word: str
    times: float | None
    low: float | None
    high: float | None
    p: float | None
    g2: float
    tokens: list[int]
    documents: list[int]
    rates: list[float]
    burst: bool
    urls: list[str]


@dataclass(frozen=True)
class SpreadWord(KeyWord):
    """dp: how unevenly it is spread over the parts that were asked for within its own side
    (inference.index.two_sets.dispersion); null where none were. largest_user: who carries a word that
    one unit carries, "" where that is a document; part_of_largest: of its uses on its own side, null
    where it was not counted."""

    dp: float | None
    largest_user: str = ""
    part_of_largest: float | None = None

    @property
    def carried_by(self) -> str:
        """Whose the word is, in words, where one unit carries it: "mostly from Ann Lee"."""
        if not self.burst:
            return ""
        if not self.largest_user:
            return MOSTLY_ONE
        is_most = self.part_of_largest is not None and self.part_of_largest > MOST_OF_ONE
        return (MOSTLY_FROM if is_most else DEPENDS_ON).format(name=self.largest_user)


@dataclass(frozen=True)
class Keyness:
    """words: of either side. over: of what the parts are: a period or a field; "" for none. more:
    how many others differ. tried: words that at least five documents have. which: without the stop
    words of the corpus's language, or with them. counts: what is counted of each word: each of its
    occurrences, or each document that has it, once. level: of all intervals, of `rows` words that were
    judged together; calibrated: "exchanged", by exchanges of units, or "t". unit: who is
    independent; units: of either side; not_held: the field of those who speak, where two times are
    compared as they are, whoever speaks then; else ""; few_units: that they are few, or ""; caution: why nothing can be
    said, or ""."""

    sides: list[Side]
    words: list[list[SpreadWord]]
    more: list[int]
    tried: int
    order: Order
    which: Which
    counts: Counts
    selection: str
    over: str
    level: float
    rows: int
    calibrated: str
    unit: UnitAbout
    units: list[int]
    not_held: str
    few_units: str
    caution: str


@dataclass(frozen=True)
class WordPart:
    """A word of a topic. rates: its tokens in the topic in 10,000 counted words of either side;
    apart: the difference of the two, its part of the topic's; part: its size, as a part of the
    largest. times: how many times as frequent it is on the first side, in all its uses; null where
    that may be chance, and where one side alone has it (one_sided). urls: the documents of either side that have it and the topic."""

    word: str
    apart: float
    part: float
    rates: list[float]
    tokens: list[int]
    times: float | None
    one_sided: bool
    urls: list[str]


@dataclass(frozen=True)
class TopicSplit:
    """A topic's share in two sets, in 10,000 counted words (rates). words: those of which the first
    side has more, and less, the largest parts first. more, rest: how many others there are of
    either, and the sum of their parts: all parts add up to the difference of the rates."""

    topic: TopicLink
    sides: list[Side]
    rates: list[float]
    words: list[list[WordPart]]
    more: list[int]
    rest: list[float]

    @property
    def apart(self) -> float:
        """The difference of both rates, below 0 where the second side has more."""
        return self.rates[0] - self.rates[1]


@dataclass(frozen=True)
class NothingCompared:
    """problem: why; compare: the page on which two sets are chosen."""

    problem: str
    compare: str


@dataclass(frozen=True)
class TopicSplitHtml:
    """words_named: words that make up half of the difference, or the first of these; gap_named:
    what they make up."""

    words_named: list[WordPart]
    gap_named: float
    compare: str
    keyness: str


@dataclass(frozen=True)
class KeynessHtml:
    """orders, words, counts, overs: (what it is called, its address, whether it is the present one). most:
    the largest times that is drawn. has_phrases: whether phrases were counted beside words."""

    orders: list[tuple[str, str, bool]]
    words: list[tuple[str, str, bool]]
    counts: list[tuple[str, str, bool]]
    overs: list[tuple[str, str, bool]]
    most: float
    csv: str
    compare: str
    has_phrases: bool
