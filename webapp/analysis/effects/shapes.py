"""What the page of effects shows: it is rendered as HTML and answered as JSON, key by key in this
order."""

from dataclasses import dataclass

from webapp.analysis.effects.variables import Offered
from webapp.analysis.time.shapes import Course
from webapp.core.documents.unit_sentences import UnitAbout
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results.links import TopicLink, TopicWithWords
from webapp.platform.pages.page_query import Offer


@dataclass(frozen=True)
class Estimate:
    """share, low, high: at the first and at the second setting, with what is held constant at its
    average; null of one that has hardly any documents there; where the effect may differ by group,
    how the share changes in either.
    difference: the second less the first; corrected: for what reading loses, null where it can't be
    told. ratio: the second share over the first, null where that is nothing; ratio_high: null where
    nothing bounds it. verdict: "" beyond chance; "one unit" where that is mostly one unit's doing;
    else why nothing can be said. p: of no difference. named: whether it differs beyond chance, among all topics that were
    tried; then its intervals are wider, of `level`."""

    share: list[float | None]
    low: list[float | None]
    high: list[float | None]
    difference: float
    difference_low: float | None
    difference_high: float | None
    corrected: float | None
    corrected_low: float | None
    corrected_high: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    verdict: str
    p: float
    named: bool


@dataclass(frozen=True)
class TopicEffect(Estimate, TopicWithWords):
    """documents: of either setting with the topic, or, along a line of numbers, of all with it."""

    documents: list[str]


@dataclass(frozen=True)
class Together(Estimate):
    """Several topics as one, chosen before looking."""

    topics: list[TopicLink]


@dataclass(frozen=True)
class Level:
    """A value of the effect, or a point along it. thin: whether no text is there."""

    label: str
    tokens: int
    thin: bool


@dataclass(frozen=True)
class GroupAlong(Course):
    """What is expected in one group, or everywhere, of each level."""

    label: str

    @property
    def with_label(self) -> str:
        """What a chart says that it shows, as of a topic."""
        return self.label


@dataclass(frozen=True)
class AlongEffect:
    """One topic, or several together, along the effect: topic is the only one, or the first.
    in_time: whether along a line."""

    topic: TopicLink
    by: str
    in_time: bool
    bins: list[Level]
    topics: list[GroupAlong]
    together: Together | None


@dataclass(frozen=True)
class Wider:
    """A field whose values may be what is independent: intervals are then so many times as wide as
    of documents, in the middle of topics."""

    name: str
    times: float


@dataclass(frozen=True)
class AboutEffect:
    """formula: as it can be written in the address, "" of two sets of documents. settings: the two that are compared; groups:
    those by which the effect may differ. unit: who is independent; few_units: that they are few, or "".
    level: of all intervals, of topics that were judged together; calibrated: "exchanged", by
    exchanges of units, or "t". wider: where nobody has said who speaks. conclusion: what may be
    concluded, and what not."""

    formula: str
    settings: list[str]
    groups: list[str]
    selection: str
    unit: UnitAbout
    few_units: str
    level: float
    calibrated: str
    wider: Wider | None
    conclusion: str


@dataclass(frozen=True)
class EffectsPage(AboutEffect):
    """estimate: of what was counted, or as stm. held: what is held constant. documents, units: that
    the estimates rest on; left_out: documents of which something is not known. tried, named:
    topics. misfit: topics of which a negative share is expected. no_share_of: values whose shares
    are not told, as they have hardly any documents at the usual values of what is held constant.
    caution: why nothing can be
    concluded, or ""; the conclusion is of what is shown along the effect, else of the first
    topic."""

    estimate: str
    effect: str
    across: str
    held: list[str]
    documents: int
    left_out: int
    units: int
    caution: str
    tried: int
    named: int
    misfit: int
    no_share_of: list[str]
    order: str
    topics: list[TopicEffect]
    next: str | None
    one: AlongEffect | None


@dataclass(frozen=True)
class NoEffects:
    """Nothing is known of the documents, or the run is still trained. problem: what the address
    asks for and can't be had."""

    problem: str


@dataclass(frozen=True)
class Setting:
    """A field of the form that says what is compared. values: to choose from; empty where a number
    or a date is typed."""

    letter: str
    legend: str
    here: str
    values: list[str]


@dataclass(frozen=True)
class EffectsHtml:
    """What the template alone needs. effects, across, held, ways: what the menus offer, with what
    is chosen; own: the address of this program's own estimate. taken_out: what is held constant,
    in a sentence, or ""; without_share: why some values have no share, or "". settings: the fields of what is
    compared. clearest: each of the two with the topics that it clearly has more of, the largest differences
    first. rows: each topic that differs beyond chance, its sides (what they are called, the share, and
    the address of their documents, "" where they are not theirs alone), and its course; unsure_rows: the
    other topics. all: back from one topic; claim: that topic in other runs."""

    effects: list[tuple[Offered, bool]]
    across: list[tuple[Offered, bool]]
    held: list[tuple[Offered, bool]]
    ways: list[tuple[Offered, bool]]
    own: str
    taken_out: str
    without_share: str
    settings: list[Setting]
    orders: list[Offer]
    clearest: list[tuple[str, list[TopicEffect]]]
    rows: list[tuple[TopicEffect, list[tuple[str, float | None, str]], str]]
    unsure_rows: list[tuple[TopicEffect, list[tuple[str, float | None, str]], str]]
    csv: str
    all: str
    claim: str
    pinned: PinnedChart


# A claim in other runs


@dataclass(frozen=True)
class ClaimedDifference:
    """A difference with its interval; null where the topic is not found."""

    difference: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ClaimInRun(ClaimedDifference):
    """K, engine, seed, words: the run's choices; words: the number of their version in the corpus. topic: there; null where it
    is not found, and `nearest` is most like it. holds: whether the difference has the same sign,
    and an interval without 0. problem: why it can't be told, or ""."""

    run: int
    K: int
    engine: str
    seed: int
    words: int
    topic: TopicLink | None
    nearest: TopicLink | None
    similarity: float
    holds: bool
    problem: str


@dataclass(frozen=True)
class Choice:
    """A choice in which the runs differ. values: of each, in how many of how many runs the claim
    holds."""

    name: str
    values: list[tuple[str, int, int]]


@dataclass(frozen=True)
class OtherTexts(ClaimedDifference):
    """The claim learned from other texts: `drawn` anew with the run's topics and differences, or
    `half` of the documents, measured on the other half. status: "" where nobody asked for it.
    topics: that were found again; times: as large as in the run their differences are."""

    texts: str
    status: str
    topics: int
    documents: int
    times: float | None


@dataclass(frozen=True)
class ClaimPage(AboutEffect):
    """A difference of a topic between two settings, in the run and in others of its corpus, largest
    first. holds: in how many of `runs`, this one among them. median: of the runs that have the
    topic, null where fewer than two have it. p: of one test of all runs, of a topic that was
    picked as the clearest; p_fixed: of one that was chosen beforehand; null before all is made, or
    for the reason that `untested` says. merged: topics that were merged into this one, which are
    not looked for in other runs. waiting: runs whose topics are compared first, or which come next;
    training: that are not done."""

    topic: TopicEffect
    merged: int
    holds: int
    median: float | None
    p: float | None
    p_fixed: float | None
    untested: str
    waiting: int
    training: int
    runs: list[ClaimInRun]
    choices: list[Choice]
    other_texts: list[OtherTexts]


@dataclass(frozen=True)
class ClaimHtml:
    """What the template alone needs. ends: of the scale of the chart. rows: this run first, each with
    the same question there, what is changed in it, and why the claim does not hold there, or "". effects: the
    question in this run; back: the name of its page. finding: in how many other runs it holds, "" before
    others are examined; found_elsewhere: whether another run has the topic; reason: the rest of the conclusion, as it follows. said: the difference in a sentence. train: what further trainings would
    be, and for about how long; "" where there can be none. null: what the test of all runs asks
    against. learning: whether other texts are being learned from."""

    ends: tuple[float, float]
    rows: list[tuple[ClaimInRun, str, str, str]]
    effects: str
    back: str
    train: str
    pinned: PinnedChart
    finding: str
    found_elsewhere: bool
    reason: str
    said: str
    null: str
    learning: bool
