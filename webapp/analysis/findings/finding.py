"""What every kind of finding is: numbers that are stored, how they are found, and how they are
said.

A kind is one file, senses.py for an example: its type, `find`, its sentences, `say`, what it
claims. kinds.py lists it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

if TYPE_CHECKING:
    from webapp.analysis.findings.compute import Context
    from webapp.analysis.findings.writer import Sentence, Writer

Detail = Literal["", "less", "more"]
Ends = tuple[str, str]  # of a range of numbers or dates, as webapp.core.documents.ranges has them
ShareInterval = tuple[float, float, float]  # a share and the ends of its 95% interval
Shape = Literal["line", "step", "window"]
Line = list[float | None]  # shares over time, null for a time without words
What = Literal["general", "mixed", "one_document", "unstable"]  # topics that a caution is about


class OnPage(NamedTuple):
    """How a kind is listed. title: its heading. kept: so many are stored, those of the highest
    score. shown: so many are shown."""

    title: str
    kept: int
    shown: dict[Detail, int]


@dataclass(frozen=True, kw_only=True)
class BaseFinding:
    """What all kinds have. score: size times certainty, comparable within a kind. estimate, low,
    high: with the ends of its 95% interval; null for what is not finite, or not known. line: of its
    share over time, empty where it has none.

    SUBJECTS: fields that name the topics that it is about.
    """

    SUBJECTS: ClassVar[tuple[str, ...]] = ()
    ON_PAGE: ClassVar[OnPage]

    kind: str
    score: float
    estimate: float | None
    low: float | None = None
    high: float | None = None
    line: Line = field(default_factory=list)

    @property
    def subjects(self) -> Sequence[int]:
        """Topics of which none may be hidden where it is shown."""
        return [getattr(self, name) for name in self.SUBJECTS]

    # A kind that stands in a file of its own says the rest itself; the others are still said in
    # compute.py and writer.py

    @classmethod
    def find(cls, context: Context) -> Sequence[BaseFinding]:
        """All of this kind in a set of documents."""
        return []

    def say(self, writer: Writer) -> Sentence:
        """The finding in words, with the address of its passages. Raises NotImplementedError for a
        kind whose sentence is in writer.py."""
        raise NotImplementedError(self.kind)

    @property
    def claimed(self) -> Sequence[int]:
        """Topics of which it says something that another seed may turn."""
        return ()


@dataclass(frozen=True, kw_only=True)
class Span:
    """When a finding lasts, both included, as addresses have it: "1945", "1945-03", "1945-03-09",
    "1940s"."""

    first: str
    last: str


@dataclass(frozen=True, kw_only=True)
class Shaped(Span):
    """A span, and how a share changes there. until: of a step, the last period before it. turn,
    early: of a line, where its last third begins, and its first third ends."""

    shape: Shape
    more: bool
    until: str = ""
    turn: str = ""
    early: str = ""


@dataclass(frozen=True, kw_only=True)
class OfGroup:
    """A group of documents: those with a value of a field; bounds: of a field of numbers."""

    field: str
    value: str
    bounds: Ends | None = None


@dataclass(frozen=True)
class Answer:
    """The answer to a finding's question, as webapp.analysis.answers gives it to every page.

    difference, difference_low, difference_high: of the two shares; p: of no difference. level: of
    all intervals of the `rows` that were judged together. calibrated: "exchanged" or "t". unit: the
    field that says whose documents depend on each other, "" where documents are independent; units:
    how many there are on both sides. part_of_largest: what one unit has of the topic's words on the
    side that has more. null: not known, or not finite.
    """

    difference: float
    difference_low: float | None
    difference_high: float | None
    p: float | None
    level: float
    rows: int
    calibrated: Literal["exchanged", "t"]
    unit: str
    units: tuple[int, int]
    part_of_largest: float | None
