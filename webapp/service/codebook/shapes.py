"""What the pages of the codebook show: those that are also answered as JSON have their keys in this
order."""

import math
from dataclasses import dataclass
from urllib.parse import urlencode

from webapp.analysis.effects.variables import Offered
from webapp.core.documents.unit_sentences import UnitAbout
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results.links import TopicLink
from webapp.models import Coder, Concept, Definition, Draw


@dataclass(frozen=True)
class ConceptRow:
    """drawn, coded: documents."""

    id: int
    name: str
    definition: str
    drawn: int
    coded: int
    url: str


@dataclass(frozen=True)
class CodebookPage:
    concepts: list[ConceptRow]


@dataclass(frozen=True)
class CodebookHtml:
    """sent: what the form begins with. origin: the page that a concept would begin from."""

    sent: dict[str, str]
    origin: str


@dataclass(frozen=True)
class CoderRow:
    """url: where they code."""

    coder: Coder
    coded: int
    url: str


@dataclass(frozen=True)
class ChosenRow:
    """A document that a reader chose."""

    title: str
    url: str
    note: str
    by: str


@dataclass(frozen=True)
class CodeFileRow:
    """A file of codes that a worker takes in. waits: it is not taken in yet; done: how far, from 0
    to 1. said: what was taken in and left out; error: why nothing was; notice: what it waits for."""

    waits: bool
    done: float
    said: str
    error: str
    notice: str


@dataclass(frozen=True)
class OfConcept:
    """holds: its definition."""

    concept: Concept
    holds: Definition


@dataclass(frozen=True)
class ConceptPage(OfConcept):
    """sent: what the form of the definition begins with; nearest: the topic from which the concept
    began; yes_no: whether no other codes are possible. invitation: the address at which coders
    join. readings: how many are done, and how many there will be. fewest_drawn, most_drawn:
    documents that can be drawn at once."""

    versions: list[Definition]
    sent: dict[str, str]
    nearest: int | None
    yes_no: bool
    invitation: str
    coders: list[CoderRow]
    readings: tuple[int, int]
    draw: Draw | None
    drawn: int
    strata: int
    topic: TopicLink | None
    columns: list[str]
    topics: list[TopicLink]
    chosen: list[ChosenRow]
    file: CodeFileRow | None
    fewest_drawn: int
    most_drawn: int

    @property
    def twice(self) -> int:
        """How many documents two readers code."""
        return self.readings[1] - self.drawn

    @property
    def twice_beyond_asked(self) -> bool:
        """Whether these are more than the percentage that was asked for."""
        if self.draw is None or not self.draw.overlap:
            return False
        return self.twice > math.ceil(self.draw.overlap * self.drawn)


@dataclass(frozen=True)
class JoinPage(OfConcept):
    """The page of somebody who was invited to code."""

    name: str


@dataclass(frozen=True)
class ClosedPage:
    """Nobody codes at this address, or no longer."""


@dataclass(frozen=True)
class CodingPage(OfConcept):
    """A text to code; title, text, cut: of it, empty where there is none left. code, unsure,
    remark: what this coder said of it before. coded, left: readings by this coder, and that all
    still have to do. before: the address of the text that came before. concept_url: of the
    concept's page, "" for who may not see it."""

    coder: Coder
    item: int | None
    title: str
    date: str
    text: str
    cut: bool
    code: int | None
    unsure: bool
    remark: str
    coded: int
    left: int
    before: str
    concept_url: str


@dataclass(frozen=True)
class CodeOfCoder:
    """What a coder said of a text."""

    coder: str
    code: int
    label: str
    unsure: bool
    remark: str


@dataclass(frozen=True)
class Beginning:
    """How a document's text begins."""

    title: str
    url: str
    text: str


@dataclass(frozen=True)
class Disagreement(Beginning):
    """settled: the code on which they agreed, null before."""

    item: int
    document: int
    readings: list[CodeOfCoder]
    settled: int | None


@dataclass(frozen=True)
class Interval:
    """An estimate or a measure, with its 95% confidence interval; null where it can't be told."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PairOfCoders:
    """texts: that both coded. alpha: null of fewer than 60 texts."""

    coders: tuple[str, str]
    texts: int
    alpha: float | None


@dataclass(frozen=True)
class AgreementPage:
    """texts: that two coders or more coded. alpha: Krippendorff's; ac1: Gwet's; both weighted for
    how texts were drawn, null of fewer than 60 texts. unsettled: how many disagreements are not settled; disagreements: at most
    a page of them, those first. counting: from 0 to 1, how far a worker is that counts codes which
    came since; null where all are counted. has_failed: its last try came to nothing, and the next
    one waits."""

    concept: str
    codes: list[str]
    texts: int
    alpha: Interval
    ac1: Interval
    pairs: list[PairOfCoders]
    disagreements: list[Disagreement]
    unsettled: int
    counting: float | None
    has_failed: bool

    @property
    def is_waiting(self) -> bool:
        return self.counting is not None


@dataclass(frozen=True)
class AgreementNotYet:
    """A worker compares the coders. done: from 0 to 1. has_failed: the last try came to nothing, and
    the next one waits."""

    concept: str
    done: float
    has_failed: bool = False


@dataclass(frozen=True)
class Estimates:
    """Estimates of a code in some documents, of which `coded` are: corrected, in these texts and
    `beyond` them, in other texts like them; sample: by the coded documents alone; naive: what
    counting predictions gives."""

    documents: int
    coded: int
    corrected: Interval
    beyond: Interval
    sample: Interval
    naive: float | None


FEWEST_SHOWN = 5  # coded documents of a group whose estimate a page shows


@dataclass(frozen=True)
class Cell(Estimates):
    """A period or a group. positives: of the coded documents, with the code; of a scale the sum of
    the codes. few: whether too few with the code, or without it, were found to say more than that;
    of a scale: whether too few were coded. url: of its coded passages."""

    label: str
    positives: float
    few: bool
    url: str

    @property
    def without(self) -> float:
        """Coded documents without the code; nothing of a scale."""
        return self.coded - self.positives

    @property
    def few_without(self) -> bool:
        """Whether those without the code are the fewer."""
        return self.without < self.positives

    @property
    def has_estimate(self) -> bool:
        """Whether a page shows its estimate: of fewer documents its interval has nearly all shares."""
        ends_known = self.corrected.low is not None and self.corrected.high is not None
        return ends_known and self.coded >= FEWEST_SHOWN


@dataclass(frozen=True)
class CodedText(Beginning):
    """A coded document, with what each coder said."""

    codes: list[str]


@dataclass(frozen=True)
class EffectOfCode(Estimates):
    """How much more documents have the code at the second setting than at the first, where what is
    held is alike. left_out: documents of which something is not known; unit: for whom `beyond`
    holds."""

    formula: str
    settings: list[str]
    held: list[str]
    left_out: int
    unit: UnitAbout
    sentence: str


@dataclass(frozen=True)
class EstimatesPage:
    """code: whose share is estimated; of a scale the mean. all: of all documents. cells: of each
    period or group; of more than 60 the largest. difference: the last less the first of those in
    `compared`. sentence, method: what is found, and how, for a paper. unit: for whom `beyond`
    holds. r2: how much of the codes the prediction explains in texts that it did not see. more: how
    many more documents have to be coded for plus or minus two points. waiting: drawn documents that
    nobody has coded. effect: with other things held constant, if asked for; problem: why there is
    none. passages: coded documents, of `cell` where one is chosen."""

    concept: str
    code: str
    by: str
    all: Cell
    cells: list[Cell]
    difference: Interval | None
    compared: list[str]
    sentence: str
    method: str
    unit: UnitAbout
    r2: float | None
    more: int | None
    waiting: int
    effect: EffectOfCode | None
    problem: str
    cell: str | None
    passages: list[CodedText]


@dataclass(frozen=True)
class EstimatesHtml:
    """choices: (what it is called, address, whether it is here) of what the cells can be; codes:
    the same of codes. most: the largest that is drawn. counts: what the codes of a scale count;
    pinned: what a notebook keeps; asked: what a form sends along. effects, held: what menus of an
    effect offer, and whether it is chosen. more_needed: a sentence on `more`, or ""."""

    concept: Concept
    choices: list[tuple[str, str, bool]]
    codes: list[tuple[str, str, bool]]
    scale: bool
    most: float
    counts: str
    pinned: PinnedChart
    asked: list[tuple[str, str]]
    effects: list[tuple[Offered, bool]]
    held: list[tuple[Offered, bool]]
    more_needed: str

    @property
    def asked_as_query(self) -> str:
        return urlencode(self.asked)


@dataclass(frozen=True)
class NothingCoded:
    """Why nothing can be estimated yet."""

    concept: str
    problem: str
