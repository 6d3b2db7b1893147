"""The page of the words that tend to occur near a word."""

from dataclasses import dataclass
from typing import Literal

from webapp.results.links import TopicLink
from webapp.words.shapes import WordHeader

Order = Literal["log_dice", "g2", "t"]
Which = Literal["content", "all"]


@dataclass(frozen=True)
class Collocate:
    """A word near another. tokens, documents: near it; expected: tokens, were they spread evenly; everywhere: tokens in
    all chosen documents. log_dice, g2, t: of inference.explore.association. url: documents that have both words."""

    word: str
    tokens: int
    documents: int
    expected: float
    everywhere: int
    log_dice: float
    g2: float
    t: float
    url: str

    @property
    def strength(self) -> float:
        """logDice as a part of the most that it can be, 14 (Rychlý 2008)."""
        return self.log_dice / 14


@dataclass(frozen=True)
class Collocations:
    """What is near a word in the chosen documents, in one topic or in all (null).

    found: tokens of the word. window: words near these. total: words of the chosen documents without the word itself.
    left, right: words of a window before and behind the word. least: documents that a listed word has near it, at
    least. which: without the stop words of the corpus's language, or with them. more: how many others there are.
    """

    word: WordHeader
    documents_chosen: str
    topic: TopicLink | None
    found: int
    window: int
    total: int
    left: int
    right: int
    least: int
    order: Order
    which: Which
    words: list[Collocate]
    more: int


@dataclass(frozen=True)
class NoCollocations:
    """problem: why there are none. text: the word that was asked for."""

    text: str
    problem: str


@dataclass(frozen=True)
class Offer:
    """label: what it is called. here: whether it is the present choice."""

    label: str
    url: str
    here: bool


@dataclass(frozen=True)
class SenseOffer:
    """tokens: of the word that are assigned to the topic."""

    topic: TopicLink
    tokens: int
    url: str


@dataclass(frozen=True)
class CollocationsHtml:
    """What else the page can show: words of a window, its sides, orders, words, least documents; senses of the word,
    and all of them. lines: of the word in this topic. embargo: a sentence, or ""."""

    windows: list[Offer]
    sides: list[Offer]
    orders: list[Offer]
    words: list[Offer]
    leasts: list[Offer]
    senses: list[SenseOffer]
    every: str
    lines: str
    csv: str
    embargo: str
