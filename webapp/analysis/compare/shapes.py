"""What the pages of several runs show: each is rendered as HTML and answered as JSON, key by key in
this order."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from inference.explore.matching import LEAST_SIMILARITY
from webapp.analysis.compare.fates import Fate, FateKind
from webapp.analysis.compare.picture import Picture
from webapp.analysis.compare.run_table import Measured
from webapp.core.results.links import TopicLink, TopicShare
from webapp.core.runs.series import Column, Series
from webapp.models import Run

Show = Literal["matched", "first", "second", "split", "merged"]


@dataclass(frozen=True)
class ComparedRun:
    """engine: as forms call it."""

    id: int
    url: str
    corpus: str
    corpus_url: str
    status: str
    engine: str
    K: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class MeasuredRun(Measured):
    """share: of its steps that are done. active: whether it waits, trains or is stored. best:
    measures in which it is the best of the runs that are done. url_against: this page with it as
    the reference."""

    url: str
    share: float
    active: bool
    best: list[str]
    url_against: str


@dataclass(frozen=True)
class Measures:
    """Runs side by side. reference: the run in whose topics the others' are looked for. progress:
    which runs are not done, in words, "" where all are. notes: what the measures say, in sentences.
    versions: whether they count the words of several versions. address: of the page of the measures
    alone. files: the same as JSON, and as CSV."""

    reference: int | None
    progress: str
    notes: list[str]
    rows: list[MeasuredRun]
    versions: bool
    address: str
    files: list[str]

    @property
    def done(self) -> int:
        return sum(row.done for row in self.rows)

    @property
    def active(self) -> bool:
        return any(row.active for row in self.rows)


@dataclass(frozen=True)
class MeasuresPage:
    runs: list[ComparedRun]
    measures: Measures


@dataclass(frozen=True)
class SettingRow:
    name: str
    label: str
    symbol: str
    values: list[str]


@dataclass(frozen=True)
class Differences:
    """Settings that are not the same in all runs, a value for each; and how many are the same."""

    rows: list[SettingRow]
    same: int


@dataclass(frozen=True)
class Matched:
    """Two topics that are partners. both, only_first, only_second: of their first words."""

    first: TopicShare
    second: TopicShare
    similarity: float
    both: list[str]
    only_first: list[str]
    only_second: list[str]


@dataclass(frozen=True)
class WithWords:
    """A topic and its first words."""

    topic: TopicShare
    words: list[str]


@dataclass(frozen=True)
class TopicWithSimilarity(WithWords):
    similarity: float


@dataclass(frozen=True)
class Lone(TopicWithSimilarity):
    """A topic without a partner. difference: whether every other seed of its run has it, so that
    not chance alone explains it; null where that is not known."""

    nearest: TopicLink
    nearest_words: list[str]
    difference: bool | None


@dataclass(frozen=True)
class Gathered(WithWords):
    """A topic that is the nearest of several of the other run. difference: whether other seeds keep
    it whole, and its parts as they are; null where that is not known."""

    parts: list[TopicWithSimilarity]
    difference: bool | None


@dataclass(frozen=True)
class Partner:
    run: int
    similarity: float
    topic: TopicLink | None


@dataclass(frozen=True)
class Steady(WithWords):
    """A topic and its partners. stability: the mean similarity to them."""

    stability: float
    partners: list[Partner]


@dataclass(frozen=True)
class ListLink:
    count: int
    url: str


@dataclass(frozen=True)
class RunLink:
    run: int
    url: str


@dataclass(frozen=True)
class FoundInRuns:
    """How many of the first run's topics have a partner in every other run, in some, in none."""

    every: int
    some: int
    none: int


@dataclass(frozen=True)
class ComparedTopics:
    """orders: of the rows -> address. pairs: the first run with each of the others."""

    orders: dict[str, str]
    runs: list[int]
    sort: str
    next: str | None
    pairs: list[RunLink]


@dataclass(frozen=True)
class SeedBand:
    """Whether the topics that another run lacks are lacking in trainings with other seeds, too.
    with_other_seeds: how many of its topics each training with another seed lacks, [] where there
    is none. differences: how many of without_partner every other seed has; null where that is not
    known. to_come: further trainings that wait; possible: whether there can be any; url: of where
    they begin."""

    run: int
    without_partner: int
    with_other_seeds: list[int]
    differences: int | None
    sentence: str
    to_come: int
    possible: bool
    url: str


@dataclass(frozen=True)
class Pairs(ComparedTopics):
    """Topics of two runs: one of five lists, and of what kind its topics are where the list has only
    those; null where it has all. fates: all topics of both, each in one of four kinds.
    alike: the mean similarity of partners, null where there are none. bands: what other seeds change
    in either run. csv: the address of a file with all topics of both."""

    fates: list[Fate]
    alike: float | None
    bands: list[SeedBand]
    csv: str
    kind: Show
    fate: FateKind | None
    lists: dict[Show, ListLink]
    rows: list[Matched] | list[Lone] | list[Gathered]


@dataclass(frozen=True)
class Stability(ComparedTopics):
    """How the topics of the first of several runs come back in the others."""

    kind: Literal["stability"]
    again: FoundInRuns
    rows: list[Steady]


@dataclass(frozen=True)
class Comparing:
    """Two runs that a worker compares, as that takes long, or is to, or could not. again: where a
    form asks for it again that failed."""

    run: int
    other: int
    status: Annotated[str, Field(description="queued, comparing or failed")]
    done: Annotated[float, Field(description="from 0 to 1")]
    error: Annotated[str, Field(description="why it failed, or empty")]
    notice: Annotated[str, Field(description="what it waits for, or empty")]
    again: Annotated[str | None, Field(description="where a form asks for it again, if it failed")]

    @property
    def has_failed(self) -> bool:
        return self.again is not None


@dataclass(frozen=True)
class ComparePage(MeasuresPage):
    """Until `comparing` is empty, `topics` and columns of `measures` may be missing."""

    notices: list[str]
    differences: Differences
    metrics: dict[str, dict[str, list[float | None]]]
    topics: Pairs | Stability | None
    comparing: list[Comparing]


@dataclass(frozen=True)
class PartnerTopics:
    """similarity: 1 − the Jensen-Shannon divergence in bits: 1 the same, 0 nothing in common."""

    topic: int
    other: int
    similarity: float


@dataclass(frozen=True)
class Comparison:
    """Topics of two runs, paired so that they are most alike in all; those without a partner are
    left out. bands: what other seeds change in either run."""

    run: int
    other: int
    pairs: list[PartnerTopics]
    bands: list[SeedBand]


@dataclass(frozen=True)
class PairPage(ComparePage):
    """The comparison of two runs; with more of them the rows say how stable topics are."""

    comparison: Comparison


@dataclass(frozen=True)
class FateSide:
    """Topics of a run of one kind. url: of the list that has them."""

    run: int
    topics: int
    share: float
    url: str


@dataclass(frozen=True)
class FateRow:
    kind: FateKind
    says: str
    sides: list[FateSide]


@dataclass(frozen=True)
class CompareHtml:
    """What the template alone needs. picture: of the topics of two runs, None of others, or where
    they are too many to draw; fates: the same in numbers; answer: the same in sentences. only_these:
    which topics of its list are shown, "" where all are. offered:
    runs to choose from, and their engines. notices: of the runs; of_topics: of their topics. most: runs at once. columns, measured: of the table of the
    curves. charts: those drawn by compare.js. waiting: whether a worker compares."""

    chosen: list[Run]
    offered: list[tuple[Run, str]]
    notices: list[str]
    of_topics: list[str]
    most: int
    columns: tuple[Column, ...]
    charts: tuple[Series, ...]
    waiting: bool
    measured: list[tuple[int, list[str]]]
    picture: Picture | None
    fates: list[FateRow]
    answer: list[str]
    only_these: str

    @property
    def least_alike(self) -> float:
        """How alike counterparts are at least."""
        return LEAST_SIMILARITY
