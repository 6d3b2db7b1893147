"""The spans of time and the groups that findings are about, as they are stored."""

from __future__ import annotations

from dataclasses import dataclass

from inference.answers.spans import SpanKind

# Of a range of numbers or dates, as webapp.core.documents.conditions.Range has them
Ends = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Span:
    """When a finding lasts, both included, as addresses have it: "1945", "1945-03", "1945-03-09",
    "1940s"."""

    first: str
    last: str


@dataclass(frozen=True, kw_only=True)
class Shaped(Span):
    """A span, and how a share changes there. until: of a step, the last period before it. turn,
    early: of a line, where its last third begins, and its first third ends. counted_shares: the shares
    within the span and outside of it as they were counted in all texts, which a sentence says and
    a picture shows; None of findings that an older program stored. same: the field whose values the
    shares of the answer have alike, as who speaks changed between them; "" where these are nearly
    the counted ones."""

    shape: SpanKind
    more: bool
    until: str = ""
    turn: str = ""
    early: str = ""
    counted_shares: tuple[float, float] | None = None
    same: str = ""

    def shares_said(self, of_answer: tuple[float, float]) -> tuple[float, float]:
        """The shares within and outside that a sentence says and a picture shows: the counted ones,
        of_answer where an older program stored none."""
        return self.counted_shares or of_answer

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
