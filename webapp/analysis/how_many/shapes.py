"""What the page "How many topics?" shows: each is rendered as HTML and answered as JSON, key by key
in this order."""

from dataclasses import dataclass
from typing import Literal

from django.utils.safestring import SafeString

from webapp.core.results.links import TopicShare

PARTS_LISTED = 4  # of a topic, the largest, on the page; the file has all
NAMING_WORDS = 3  # of a topic without a name
# Of a topic in a training with fewer topics: it is there; it is a part of one that is there; no
# topic there has most of its words
Kind = Literal["stays", "inside", "spread"]


@dataclass(frozen=True)
class Trained:
    """What was measured of a number of topics in short trainings with two seeds. held_out: log
    likelihood of a held-out word, in nats, the mean of the two, null where nothing is held out;
    held_out_by_seed: of each. found_again: how many of in_use topics of the first are in the
    second, too. mixed, general: of in_use, null where the texts are too short to tell. repeats: how
    many have nearly the same words as a larger one. url: of the form that trains so many."""

    topics: int
    in_use: int
    held_out: float | None
    held_out_by_seed: list[float | None]
    found_again: int
    mixed: int | None
    general: int | None
    repeats: int
    url: str


@dataclass(frozen=True)
class ShortTopic:
    """A topic of a short training; it has no page. words: its first ones. share: of all words of
    the texts. found_again: whether the other seed has it. repeats: whether a larger topic of the
    same training has nearly the same words."""

    number: int
    words: list[str]
    share: float
    found_again: bool
    mixed: bool
    repeats: bool

    @property
    def name(self) -> str:
        """How topics without a name are called."""
        return " · ".join(self.words[:NAMING_WORDS]) or "no words of its own"


@dataclass(frozen=True)
class Relative:
    """A topic of a short training that has words of a topic of the run. part: of the run's topic's
    words that it has. kind: of the run's topic where there are fewer topics; of this topic where
    there are more."""

    kind: Kind
    topic: ShortTopic
    part: float


@dataclass(frozen=True)
class BetweenTopic(TopicShare):
    """A topic of the run. parent: the topic that has most of it with fewer topics; null where it
    has no words. parts: topics that have most of their words from it, with more topics, the largest
    first; splits: whether two or more of them are real parts of it."""

    parent: Relative | None
    parts: list[Relative]
    splits: bool

    @property
    def listed_parts(self) -> list[Relative]:
        """The largest parts."""
        return self.parts[:PARTS_LISTED]

    @property
    def smaller_parts(self) -> int:
        """How many the page leaves to the file."""
        return max(0, len(self.parts) - PARTS_LISTED)


@dataclass(frozen=True)
class Counts:
    """What becomes of the run's topics. stay_fewer, inside, lost: with fewer topics; stay_seed:
    with as many and another seed, which is what chance alone changes; stay_more, split, blurred:
    with more; repeated, unsteady: of the topics with more, those that repeat a larger one, and
    those that the other seed has not."""

    stay_fewer: int
    inside: int
    lost: int
    stay_seed: int
    stay_more: int
    split: int
    blurred: int
    repeated: int
    unsteady: int


@dataclass(frozen=True)
class HowMany:
    """passes: of a short training. sample: a sentence, where they read a part of the documents, or
    "". trained: with fewer, as many and more topics. sentences: three
    on these. counts: what becomes of the topics; changes: that in sentences. topics: of the run,
    those near each other with fewer topics side by side. left_out: smaller ones that are not
    listed. csv: the address of the file."""

    passes: int
    sample: str
    trained: list[Trained]
    sentences: list[str]
    counts: Counts
    changes: list[str]
    topics: list[BetweenTopic]
    left_out: int
    csv: str


@dataclass(frozen=True)
class HowManyHtml:
    """picture: of the columns."""

    picture: SafeString


@dataclass(frozen=True)
class HowManyAsked:
    """The trainings are not there yet. ready of `trainings` are; to_come: wait or are at work.
    refused: why there can be none, or "". error: why one failed, or "". takes: how long all take,
    in words. sample: a sentence, where they read a part of the documents, or "". numbers: of
    topics."""

    ready: int
    trainings: int
    to_come: int
    refused: str
    error: str
    takes: str
    sample: str
    passes: int
    numbers: list[int]

    @property
    def is_waiting(self) -> bool:
        """Not before somebody has begun them."""
        return self.to_come > 0

    @property
    def state(self) -> str:
        """Changes when the page has something else to show."""
        return "training" if self.to_come else "idle"
