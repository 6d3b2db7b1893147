"""What findings are made of: spans of time, groups, and answers, as they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from inference.answers import Answers
from webapp.core.documents.corpus_unit import Unit

Detail = Literal["", "less", "more"]
Ends = tuple[
    str, str
]  # of a range of numbers or dates, as webapp.core.documents.conditions.Range has them
ShareInterval = tuple[float, float, float]  # a share and the ends of its interval
Shape = Literal["line", "step", "window"]
Line = list[float | None]  # shares over time, null for a time without words


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

    @property
    def where_most(self) -> tuple[str, str]:
        """The first and the last period that have most of it, as addresses have them; "" for an
        open end. Of a line all times do, and of a window with less those on both sides of it."""
        if self.shape == "line" or (self.shape == "window" and not self.more):
            return "", ""
        if self.shape == "window":
            return self.first, self.last
        return (self.first, "") if self.more else ("", self.until)


@dataclass(frozen=True, kw_only=True)
class OfGroup:
    """A group of documents: those with a value of a field; bounds: of a field of numbers."""

    field: str
    value: str
    bounds: Ends | None = None

    def in_words(self, preposition: str) -> str:
        """Which documents, as a sentence goes on: "in Barack Obama"; of a field of numbers, whose
        values say nothing alone, "where age is 40 or more"."""
        if self.bounds:
            return f"where {self.field} is {self.value}"
        return f"{preposition} {self.value}"


@dataclass(frozen=True)
class StoredAnswer:
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


def stored_answer(answers: Answers, column: int, unit: Unit) -> StoredAnswer:
    """The answer in a column, as a finding stores it."""
    return StoredAnswer(
        difference=float(answers.difference[column]),
        difference_low=finite(answers.low[column]),
        difference_high=finite(answers.high[column]),
        p=finite(answers.p[column]),
        level=answers.level,
        rows=answers.rows,
        calibrated=answers.calibrated,
        unit=unit.name,
        units=answers.units,
        part_of_largest=finite(answers.part[column]),
    )


def share_with_ends(answers: Answers, column: int, side: int) -> ShareInterval:
    """The share of a side in a column, 0 for side A and 1 for side B, with the ends of its
    interval."""
    low, high = answers.ends(side)
    share = answers.b if side else answers.a
    return float(share[column]), float(low[column]), float(high[column])


def finite(number: float) -> float | None:
    """None for what is not."""
    return float(number) if np.isfinite(number) else None
