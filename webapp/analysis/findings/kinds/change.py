"""Topics whose share changed over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from inference.answers.spans import SpanKind
from inference.findings.divergence import divergence, log_ratio
from webapp.analysis.answers.spans import SpansOfSet
from webapp.analysis.findings import over_time, sentence_thresholds, sentences, time_sentences
from webapp.analysis.findings.claim import Claim
from webapp.analysis.findings.document_set import DocumentSet
from webapp.analysis.findings.finding import EarlierFindings, OnPage, RatioFinding
from webapp.analysis.findings.interval_shapes import RatioBetween, ShareBetween
from webapp.analysis.findings.over_time import AcceptedSpan, SpanAsker
from webapp.analysis.findings.ratios import TimesAsMuch, times_as_much, with_interval
from webapp.analysis.findings.sentence_writer import Sentence, SentenceWriter
from webapp.analysis.findings.spans_and_groups import Shaped
from webapp.analysis.findings.stored_answers import (
    ShareInterval,
    StoredAnswer,
    finite,
    share_with_ends,
    stored_answer,
)
from webapp.core.results.links import TopicLink
from webapp.platform.drawing.numbers import USUAL_LEVEL

# tokens of a topic, and documents that have it, on the side that has more
LEAST_TOKENS = 50
HOLDING = 10


@dataclass(frozen=True, kw_only=True)
class Change(Shaped, RatioFinding):
    """A topic whose share changed. above_all: words of it that changed so, where those of its name
    did not. here, rest: its shares within and outside, as the answer has them: where texts of the
    same speakers are compared, one of them is what these would have; estimate: here ÷ rest. answer:
    what every page says to the same question. whose: the unit that has most of it, "" where it is not one
    unit's."""

    ON_PAGE = OnPage("What changed", 60, {"less": 5, "": 14, "more": 60})
    SUBJECTS = ("topic",)

    kind: Literal["change"] = "change"
    topic: int
    above_all: list[str] = field(default_factory=list)
    here: ShareInterval
    rest: ShareInterval
    answer: StoredAnswer | None = None
    whose: str = ""

    @property
    def claimed(self) -> Sequence[int]:
        """Its topic."""
        return self.subjects

    @property
    def times(self) -> TimesAsMuch:
        """How many times as large one of its shares is as the other."""
        return times_as_much(self.estimate, self.low, self.high)

    @property
    def interval_level(self) -> float:
        """That of the answer, or the usual one of findings that an older program stored."""
        return self.answer.level if self.answer else USUAL_LEVEL

    @property
    def years(self) -> tuple[float, float]:
        """When it begins and ends."""
        return sentences.years_of_span(self.first, self.last)

    @classmethod
    def find(cls, document_set: DocumentSet, earlier: EarlierFindings) -> list[Change]:
        """Topics whose share changed, as far as that is not a change of who speaks."""
        span_answers = document_set.spans if document_set.periods else None
        if span_answers is None:
            return []
        asker = SpanAsker(span_answers.spans, document_set.unit_name)
        rows: list[Change] = []
        for column, topic in enumerate(span_answers.topics):
            if not document_set.subjects[topic]:
                continue
            for span in asker.accepted(column, one_topic_only=False):
                change = _change(document_set, span_answers.spans, topic, span)
                if change is not None:
                    rows.append(change)
                    break
        return rows

    def say(self, writer: SentenceWriter) -> Sentence:
        """Both shares, and when; topic and Time pages say it by the same words."""
        parts = time_sentences.changed(
            self,
            writer.topic_above_all(self.topic, self.above_all),
            (self.here[0], self.rest[0]),
            time_sentences.WORDS,
            self.whose,
            writer.span,
            self.line,
        )
        url = writer.documents_with(self.topic, writer.selection_with_most(self))
        return Sentence(parts, url, self.topic, with_interval(self.times))

    def claims(self, writer: SentenceWriter) -> list[Claim]:
        """That the topic changed so."""
        name, parts = writer.name_of_claim(self.topic)
        return [
            Claim(
                name=name,
                parts=parts,
                above_all=self.above_all,
                more=self.more,
                steady=self.shape == "line",
                ratio=self.ratio_claimed,
                first=self.turn or self.first,
                last=self.last if self.shape == "window" else "",
                early=self.early,
                topic=self.topic,
                answer=self.answer,
            )
        ]

    def items(self, writer: SentenceWriter) -> list[ChangeItem]:
        """Its shares and their ratio."""
        return [
            ChangeItem(
                kind="change",
                topic=writer.topic(self.topic),
                shape=self.shape,
                more=self.more,
                first=self.first,
                last=self.last,
                until=self.until,
                here=ShareBetween(*self.here),
                rest=ShareBetween(*self.rest),
                counted_shares=self.shares_said((self.here[0], self.rest[0])),
                times=self.ratio_between,
                above_all=self.above_all,
            )
        ]


@dataclass(frozen=True)
class ChangeItem:
    """A topic's shares within and outside a span. first, last: as addresses have them; until: of a
    step, the last period before it. here, rest: of the answer, and so is `times`; counted_shares: the
    shares within and outside that its sentence says, and its picture marks, counted in all
    texts."""

    kind: Literal["change"]
    topic: TopicLink
    shape: SpanKind
    more: bool
    first: str
    last: str
    until: str
    here: ShareBetween
    rest: ShareBetween
    counted_shares: tuple[float, float]
    times: RatioBetween
    above_all: list[str]


def _change(
    document_set: DocumentSet, spans_of_set: SpansOfSet, topic: int, span: AcceptedSpan
) -> Change | None:
    """A change as it is stored; None where it is too small, comes again every year, or where no
    word of the topic moves so."""
    by_period = document_set.by_period
    assert by_period is not None, "the documents have periods"
    times = document_set.times
    inside, outside = span.periods_of_sides(times.group, times.G)
    with_more = span.periods_with_more(times.group, times.G)
    if (
        by_period.topic_tokens[with_more, topic].sum() < LEAST_TOKENS
        or max(span.here, span.rest) < sentence_thresholds.LEAST_SHARE
    ):
        return None
    if by_period.holding[with_more, topic].sum() < HOLDING:
        return None
    if over_time.comes_again(spans_of_set, span, span.column):
        return None
    moved = log_ratio(span.here, span.rest)
    name_check = document_set.name_counts.check_name(topic, times.group, inside, outside, moved)
    if not name_check.is_told:
        return None
    tokens = by_period.tokens
    part = float(tokens[inside].sum() / max(tokens[inside | outside].sum(), 1))
    return Change(
        **vars(over_time.shape_of(document_set, span)),
        score=math.sqrt(divergence(span.here, span.rest, part)) * span.certainty,
        estimate=finite(span.answers.ratio[span.column]),
        low=finite(span.answers.ratio_low[span.column]),
        high=finite(span.answers.ratio_high[span.column]),
        line=times.line(by_period.topic_tokens[:, topic], tokens),
        topic=topic,
        above_all=name_check.above_all,
        here=share_with_ends(span.answers, span.column, 0),
        rest=share_with_ends(span.answers, span.column, 1),
        answer=stored_answer(span.answers, span.column, spans_of_set.unit),
        whose=span.whose,
    )
