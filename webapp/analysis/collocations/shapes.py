"""The page of the words that tend to occur near a word."""

from dataclasses import dataclass
from typing import Literal

from webapp.analysis.keyness.shapes import KeyWord
from webapp.analysis.two_sets.shapes import SetsForm
from webapp.analysis.words.shapes import WordHeader
from webapp.core.documents.unit_sentences import UnitAbout
from webapp.core.results.links import TopicLink
from webapp.platform.pages.page_query import Offer

Order = Literal["log_dice", "g2", "t"]
Which = Literal["content", "all"]
Within = Literal["words", "sentence"]
LARGEST_LOG_DICE = 14
FIRST_PAIRS = 3
NAMED_ONLY = 5  # words of a side that the other has none of, in the first sentence


@dataclass(frozen=True)
class Collocate:
    """A word near another. tokens, documents: near it; expected: tokens, were they spread evenly;
    everywhere: tokens in all chosen documents. log_dice, g2, t: of inference.explore.association.
    url: documents, lines: all lines, in which both are near each other."""

    word: str
    tokens: int
    documents: int
    expected: float
    everywhere: int
    log_dice: float
    g2: float
    t: float
    url: str
    lines: str

    @property
    def strength(self) -> float:
        """logDice as a part of the most that it can be, 14 (Rychlý 2008)."""
        return self.log_dice / LARGEST_LOG_DICE


@dataclass(frozen=True)
class NearPage:
    """What is near a word in the chosen documents. left, right: words of a window before and behind
    the word; within a sentence 0 where a side is left out. least:
    documents that a listed word has near it, at least. which: without the stop words of the
    corpus's language, or with them."""

    word: WordHeader
    documents_chosen: str
    left: int
    right: int
    least: int
    which: Which
    within: Within


@dataclass(frozen=True)
class Collocations(NearPage):
    """In one topic or in all (null). found: tokens of the word. window: words near these. total:
    words of the chosen documents without the word itself. more: how many others there are."""

    topic: TopicLink | None
    found: int
    window: int
    total: int
    order: Order
    words: list[Collocate]
    more: int


@dataclass(frozen=True)
class NetworkPair:
    """Two words in one window more often than if they came there independently. windows: that have
    both; expected: so many would; g2: of the four cells. documents: with such a window. url, lines:
    these documents and windows."""

    words: list[str]
    windows: int
    expected: float
    documents: int
    g2: float
    url: str
    lines: str


@dataclass(frozen=True)
class CollocationNetwork(Collocations):
    """Which of the words are in the same windows of `found`, one for each token of the word.
    groups: words that are linked, also through others, next to those they are linked with; a word
    alone is linked with none. pairs: the largest G2 first."""

    groups: list[list[Collocate]]
    pairs: list[NetworkPair]

    @property
    def first_pairs(self) -> list[NetworkPair]:
        """At most FIRST_PAIRS, of words that no pair before them has."""
        first = []
        words: set[str] = set()
        for pair in self.pairs:
            if words.isdisjoint(pair.words):
                first.append(pair)
            words.update(pair.words)
        return first[:FIRST_PAIRS]


@dataclass(frozen=True)
class WordSide:
    """One of two sides of a word. found, window: as Collocations has them. lines: of the word
    there."""

    name: str
    found: int
    window: int
    lines: str


@dataclass(frozen=True)
class NearWord(KeyWord):
    """A word near another on two sides, the first side's figures first. times, low, high, g2,
    burst: of its frequency among the words near, the side where it is larger against the other.
    rates: in 10,000 words near it. urls: lines. association: G2 on either side, as a Collocate has
    it. clear: whether the two frequencies differ beyond chance: exactly where the interval excludes
    that they are the same."""

    association: list[float]
    clear: bool


@dataclass(frozen=True)
class ComparedCollocations(NearPage):
    """On two sides. words: collocations of the first side, of the second, of both; one is in both
    if it is a collocation of either and the frequencies do not clearly differ. more: how many
    others each has. tried: words that were compared. level, rows, calibrated, unit, units, few_units,
    caution: as keyness has them."""

    sides: list[WordSide]
    words: list[list[NearWord]]
    more: list[int]
    tried: int
    level: float
    rows: int
    calibrated: str
    unit: UnitAbout
    units: list[int]
    few_units: str
    caution: str

    @property
    def only_on_one_side(self) -> list[tuple[str, list[tuple[str, int]]]]:
        """Each side's name, and words with their tokens that are never near the word on the other
        side, the most frequent first: a fact about these texts, whatever can be said of others."""
        words_of_sides = []
        for s, side in enumerate(self.sides):
            only_here = [
                (near.word, near.tokens[s]) for near in self.words[s] if not near.tokens[1 - s]
            ]
            only_here.sort(key=lambda word_and_tokens: -word_and_tokens[1])
            if only_here:
                words_of_sides.append((side.name, only_here[:NAMED_ONLY]))
        return words_of_sides


@dataclass(frozen=True)
class NoCollocations:
    """problem: why there are none. text: the word that was asked for; is_word: whether it is one of
    the run's, so that another question about it may have an answer."""

    text: str
    problem: str
    is_word: bool


@dataclass(frozen=True)
class SenseOffer:
    """tokens: of the word that are assigned to the topic."""

    topic: TopicLink
    tokens: int


@dataclass(frozen=True)
class CollocationsHtml(SetsForm):
    """What else the page can show: words of a window, a sentence as window, its sides, orders,
    words, least documents; senses of the word. embargo: a sentence, or ""."""

    windows: list[Offer]
    sentence: Offer
    sides: list[Offer]
    orders: list[Offer]
    words: list[Offer]
    leasts: list[Offer]
    senses: list[SenseOffer]
    embargo: str
