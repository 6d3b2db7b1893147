"""What the pages of simulated texts show: that of true and found topics is also answered as JSON,
key by key in this order."""

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.results.links import TopicLink
from webapp.core.simulate.forms import MadeForm
from webapp.core.simulate.truth import MadeSettings


@dataclass(frozen=True)
class MakePage:
    form: MadeForm


@dataclass(frozen=True)
class Errors:
    """uniform_…: the errors of a topic in which all words have the same weight."""

    total_variation: float | None
    relative_error: float | None
    uniform_variation: float
    uniform_error: float


@dataclass(frozen=True)
class TrueTopic(Errors):
    """A true topic and its partner, the run's topic that is most like it in the best one-to-one
    matching.

    Null, or empty, where it has no partner: what is known of that and the errors. share: of all
    tokens, those expected of it. found_words: of the partner, and whether each is among the first
    words of both. recovered: the relative error is small.
    """

    true: int
    share: float
    words: list[str]
    partner: int | None
    found_share: float | None
    found_words: list[tuple[str, bool]]
    recovered: bool


@dataclass(frozen=True)
class MadeTopic(TrueTopic):
    """topic: the partner."""

    topic: TopicLink | None


@dataclass(frozen=True)
class UnmatchedTopic:
    """A topic of the run that is no true topic's partner."""

    number: int
    share: float
    words: list[str]


@dataclass(frozen=True)
class ExtraTopic(UnmatchedTopic):
    """A topic that is no true topic's partner, with its link."""

    topic: TopicLink


@dataclass(frozen=True)
class MadeSummary(Errors):
    """Mean errors, null of no topics. alone: true topics without a partner. worse: topics that are
    no nearer to the truth than the uniform topic."""

    true: int
    alone: int
    recovered: int
    worse: int
    median_error: float | None


@dataclass(frozen=True)
class MadeAlphaRow:
    """alpha of a true topic, and as the run has it for the partner. relative: divided by their
    sum."""

    true: int
    alpha: float
    relative: float
    partner: int | None
    found: float | None
    found_relative: float | None


@dataclass(frozen=True)
class MadeAlpha:
    """same: the run has one alpha for all topics. error: relative error of the alphas divided by
    their sum, null where no topic has a partner; uniform_error: what it would be if all were the
    same."""

    same: bool
    sum: float
    found_sum: float
    error: float | None
    uniform_error: float
    rows: list[MadeAlphaRow]


@dataclass(frozen=True)
class Measured:
    """A run's topics compared with the true ones. topics: the most frequent first. extra: the
    largest first."""

    settings: MadeSettings
    topics: Sequence[TrueTopic]
    summary: MadeSummary
    alpha: MadeAlpha
    extra: Sequence[UnmatchedTopic]


@dataclass(frozen=True)
class Beside(Measured):
    """What was measured, with links to the run's topics."""

    topics: Sequence[MadeTopic]
    extra: Sequence[ExtraTopic]


@dataclass(frozen=True)
class TruthPage:
    """beside: null before the run has topics."""

    beside: Beside | None
