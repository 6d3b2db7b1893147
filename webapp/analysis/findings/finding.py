"""What every kind of finding is: numbers that are stored, how they are found, and how they are
said.

A kind is one file of webapp.analysis.findings.kinds; unlike.py is a short example. It has the type
with its numbers, `find`, its sentence, `say`, and what it claims.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, Self, TypeVar

from webapp.analysis.findings.claim import Claim, claimed_ratio
from webapp.analysis.findings.document_set import DocumentSet
from webapp.analysis.findings.interval_shapes import RatioBetween
from webapp.analysis.findings.ratios import TimesAsMuch, holds_no_difference
from webapp.analysis.findings.sentence_writer import Sentence, SentenceWriter

Detail = Literal["", "less", "more"]  # how many findings a page shows
ShareLine = list[float | None]  # shares over time, null for a time without words


class OnPage(NamedTuple):
    """How a kind is listed. title: its heading. kept: so many are stored, those of the highest
    score. shown: so many are shown."""

    title: str
    kept: int
    shown: dict[Detail, int]


@dataclass(frozen=True, kw_only=True)
class BaseFinding(ABC):
    """What all kinds have. score: size times certainty, comparable within a kind. estimate, low,
    high: with the ends of its interval; null for what is not finite, or not known. line: of its
    share over time, empty where it has none.

    SUBJECTS: fields that name the topics that it is about. SURE_FIRST: whether those of topics that
    other seeds found again are listed first.
    """

    SUBJECTS: ClassVar[tuple[str, ...]] = ()
    SURE_FIRST: ClassVar[bool] = True
    ON_PAGE: ClassVar[OnPage]

    kind: str
    score: float
    estimate: float | None
    low: float | None = None
    high: float | None = None
    line: ShareLine = field(default_factory=list)

    @classmethod
    @abstractmethod
    def find(cls, document_set: DocumentSet, earlier: EarlierFindings) -> Sequence[BaseFinding]:
        """All of this kind in a set of documents, in any order. earlier: what the kinds before it
        found."""

    @abstractmethod
    def say(self, writer: SentenceWriter) -> Sentence:
        """The finding in words, with the address of its passages."""

    @property
    def subjects(self) -> Sequence[int]:
        """Topics of which none may be hidden where it is shown."""
        return [getattr(self, name) for name in self.SUBJECTS]

    @property
    def claimed(self) -> Sequence[int]:
        """Topics of which it says something that another seed may turn; what is counted in the texts
        alone is of none."""
        return ()

    @property
    def holds_no_difference(self) -> bool:
        """Whether it is no difference by its own interval: then it is not told."""
        return False

    @property
    def titled(self) -> Sequence[int]:
        """Documents whose titles its sentence says."""
        return ()

    @property
    def searched(self) -> Sequence[str]:
        """Words of the vocabulary that the address of its passages searches for."""
        return ()

    @property
    def times(self) -> TimesAsMuch:
        """How many times as much, in words, beside its sentence."""
        return TimesAsMuch()

    @property
    def interval_level(self) -> float | None:
        """The level of the interval that its sentence says, 0.95 of 95%; None where it says none."""
        return None

    @property
    def years(self) -> tuple[float, float] | None:
        """When it begins and ends, as years with fractions, of a kind whose findings are listed in
        the order of time."""
        return None

    @classmethod
    def arrange(cls, findings: Sequence[Self], page: PageFindings) -> Sequence[Self]:
        """Findings of this kind, the highest score first, in the order in which they are shown where
        not all can be."""
        return findings

    def claims(self, writer: SentenceWriter) -> Sequence[Claim]:
        """What raw counts can contradict."""
        return ()

    def items(self, writer: SentenceWriter) -> Sequence[object]:
        """Its numbers in the overview's JSON, of a type that webapp.analysis.findings.kinds names in
        Item; none of a kind that has only its estimate."""
        return ()


@dataclass(frozen=True, kw_only=True)
class RatioFinding(BaseFinding):
    """A finding whose estimate says how many times one share is another."""

    @property
    def holds_no_difference(self) -> bool:
        """Whether the interval of the ratio holds "as much"."""
        return holds_no_difference(self.low, self.high)

    @property
    def ratio_claimed(self) -> float:
        """Finite and above 0."""
        return claimed_ratio(self.estimate, self.low, self.high)

    @property
    def ratio_between(self) -> RatioBetween:
        """The ratio and its ends, with the names that the JSON has."""
        return RatioBetween(self.estimate, self.low, self.high)


Kind = TypeVar("Kind", bound=BaseFinding)


class PageFindings(NamedTuple):
    """What a page may show of a set. ends: the first and the last period, as addresses have them;
    nothing without periods."""

    findings: Sequence[BaseFinding]
    ends: Sequence[str]

    def of(self, kind: type[Kind]) -> list[Kind]:
        """Those of a kind."""
        return [finding for finding in self.findings if isinstance(finding, kind)]


class EarlierFindings:
    """Findings of a set so far, kind by kind."""

    def __init__(self) -> None:
        self._of_kinds: dict[type[BaseFinding], Sequence[BaseFinding] | None] = {}

    def add(self, kind: type[BaseFinding], findings: Sequence[BaseFinding] | None) -> None:
        """findings: None where the kind could not be computed."""
        self._of_kinds[kind] = findings

    def of(self, kind: type[Kind]) -> list[Kind] | None:
        """Those of a kind that was looked for before; None where it could not be computed."""
        findings = self._of_kinds[kind]
        if findings is None:
            return None
        return [finding for finding in findings if isinstance(finding, kind)]
