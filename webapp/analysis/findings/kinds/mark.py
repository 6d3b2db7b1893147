"""Topics that a group of documents has more or less of than all others: values of a category, the
lower and the upper third of a number, a chosen set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Self

import numpy as np

from inference.answers import Answers, Verdict
from inference.findings.divergence import divergence, log_ratio
from inference.findings.sums import Sums
from webapp.analysis.answers import set_answers
from webapp.analysis.answers.set_answers import FieldAnswers, TwoSetAnswers
from webapp.analysis.findings import sentence_thresholds, sentences
from webapp.analysis.findings.claim import Claim
from webapp.analysis.findings.document_set import DocumentSet
from webapp.analysis.findings.finding import EarlierFindings, OnPage, PageFindings, RatioFinding
from webapp.analysis.findings.group_fields import GroupField
from webapp.analysis.findings.interval_shapes import RatioBetween, ShareBetween
from webapp.analysis.findings.phrasing import fill
from webapp.analysis.findings.ratios import (
    TimesAsMuch,
    times_as_much,
    with_caution,
    with_interval,
)
from webapp.analysis.findings.sentence_writer import Sentence, SentenceWriter
from webapp.analysis.findings.spans_and_groups import Ends, OfGroup
from webapp.analysis.findings.stored_answers import (
    ShareInterval,
    StoredAnswer,
    finite,
    share_with_ends,
    stored_answer,
)
from webapp.core.documents.selection import RunSelection
from webapp.core.results.links import TopicLink

OF_GROUP = "{topic}: {here} of the words {group}, {rest} elsewhere"
OF_SET = "{topic}: {here} of the words here, {rest} in all other documents"

LEAST_TOKENS = 20  # of a topic on the side that has more
HOLDING = 8  # documents that have it there
# of a topic's words, that one group may have where it is said that another has less
ONE_GROUP = 0.5
FEW_GROUPS = 3  # up to which that may be: of two or three groups one often has most of a topic

# Of a chosen set
SET_WORDS = 50  # tokens of a topic, on the side where a set has more
SET_HOLDING = 10  # documents with the topic there
SET_RATIO = 1.5  # that the nearer end of its interval must reach
# topics of which a set has less than all other documents that are named: most are of other times
SET_LESS = 2
LESS_WEIGHT = 0.5  # by which the score of such a topic is taken


@dataclass(frozen=True, kw_only=True)
class Mark(OfGroup, RatioFinding):
    """A topic that a group has more or less of than all other documents; of a chosen set field and
    value are empty. here, rest: shares of the words; estimate: here ÷ rest, with intervals of the
    answer's level."""

    ON_PAGE = OnPage("Particular to a group", 300, {"less": 4, "": 12, "more": 80})  # groups
    SUBJECTS = ("topic",)

    kind: Literal["mark"] = "mark"
    topic: int
    above_all: list[str] = field(default_factory=list)
    more: bool
    here: ShareInterval
    rest: float
    answer: StoredAnswer

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
        """That of the answer."""
        return self.answer.level

    @classmethod
    def find(cls, document_set: DocumentSet, earlier: EarlierFindings) -> list[Mark]:
        """What tells each group of each field from other documents, and a chosen set from all
        others; [] without documents."""
        if not document_set.documents:
            return []
        rows: list[Mark] = []
        for group_field in document_set.group_fields:
            rows += _of_field(document_set, group_field)
        return rows + _of_set(document_set)

    @classmethod
    def arrange(cls, findings: Sequence[Self], page: PageFindings) -> list[Self]:
        """The clearest topic of each group, then all others; more before less, values before
        numbers."""
        marks = sorted(
            findings, key=lambda mark: (not mark.more, mark.bounds is not None, -mark.score)
        )
        first: dict[tuple[str, str], Self] = {}
        for mark in marks:
            first.setdefault((mark.field, mark.value), mark)
        clearest = list(first.values())
        return [*clearest, *(mark for mark in marks if mark not in clearest)]

    def say(self, writer: SentenceWriter) -> Sentence:
        """A topic of a group, or of a set beside all other documents."""
        parts = fill(
            OF_GROUP if self.field else OF_SET,
            topic=writer.topic_above_all(self.topic, self.above_all),
            here=sentences.briefly_or_none(self.here[0]),
            rest=sentences.briefly_or_none(self.rest),
            group=self.in_words("in"),
        )
        documents = writer.within_group(self) if self.field else writer.selection
        url = writer.documents_with(self.topic, documents)
        certainty = with_caution(with_interval(self.times), self.answer)
        return Sentence(parts, url, self.topic, certainty)

    def claims(self, writer: SentenceWriter) -> list[Claim]:
        """That the group has so much of the topic."""
        name, parts = writer.name_of_claim(self.topic)
        return [
            Claim(
                name=name,
                parts=parts,
                above_all=self.above_all,
                more=self.more,
                steady=False,
                ratio=self.ratio_claimed,
                field=self.field,
                value=self.value,
                bounds=self.bounds,
                topic=self.topic,
                answer=self.answer,
            )
        ]

    def items(self, writer: SentenceWriter) -> list[MarkItem]:
        """Its shares and their ratio."""
        return [
            MarkItem(
                kind="mark",
                field=self.field,
                value=self.value,
                bounds=self.bounds,
                topic=writer.topic(self.topic),
                more=self.more,
                here=ShareBetween(*self.here),
                rest=self.rest,
                times=self.ratio_between,
                above_all=self.above_all,
            )
        ]


@dataclass(frozen=True)
class MarkItem:
    """A topic's shares in a group and elsewhere; field and value are empty for a chosen set."""

    kind: Literal["mark"]
    field: str
    value: str
    bounds: Ends | None
    topic: TopicLink
    more: bool
    here: ShareBetween
    rest: float
    times: RatioBetween
    above_all: list[str]


def _of_field(document_set: DocumentSet, group_field: GroupField) -> list[Mark]:
    field_answers = group_field.field_answers
    group_sums = document_set.sums(field_answers.field.group, field_answers.field.groups)
    rows: list[Mark] = []
    for group_of_value, answers in field_answers.answers.items():
        if group_of_value in group_field.told_elsewhere:
            continue
        for column in np.flatnonzero(answers.accepted).tolist():
            mark = _of_group(document_set, field_answers, group_of_value, column, group_sums)
            if mark is not None:
                rows.append(mark)
    return rows


def _of_group(
    document_set: DocumentSet,
    field_answers: FieldAnswers,
    group_of_value: int,
    column: int,
    group_sums: Sums,
) -> Mark | None:
    """An accepted difference as it is stored; None where it is too small to be told, where a unit
    alone makes it, or no word of the topic moves so."""
    answers = field_answers.answers[group_of_value]
    topic = field_answers.topics[column]
    share_here = float(answers.a[column])
    share_elsewhere = float(answers.b[column])
    is_more = share_here > share_elsewhere
    groups = field_answers.field
    if not document_set.subjects[topic] or not worth_telling(answers, column):
        return None
    inside = np.arange(groups.groups) == group_of_value
    with_more = inside if is_more else ~inside
    if group_sums.topic_tokens[with_more, topic].sum() < LEAST_TOKENS:
        return None
    if group_sums.holding[with_more, topic].sum() < HOLDING:
        return None
    in_groups = group_sums.topic_tokens[:, topic] / max(group_sums.topic_tokens[:, topic].sum(), 1)
    of_one_group = np.delete(in_groups, group_of_value).max() > ONE_GROUP
    if not is_more and groups.groups > FEW_GROUPS and of_one_group:
        return None
    moved = log_ratio(share_here, share_elsewhere)
    name_check = document_set.name_counts.check_name(topic, groups.group, inside, ~inside, moved)
    if not name_check.is_told:
        return None
    part = float(group_sums.tokens[group_of_value] / group_sums.tokens.sum())
    return Mark(
        field=groups.name,
        value=groups.labels[group_of_value],
        bounds=groups.bounds[group_of_value] if groups.bounds else None,
        score=math.sqrt(divergence(share_here, share_elsewhere, part))
        * sentence_thresholds.certainty(answers, column),
        estimate=finite(answers.ratio[column]),
        low=finite(answers.ratio_low[column]),
        high=finite(answers.ratio_high[column]),
        topic=topic,
        above_all=name_check.above_all,
        more=is_more,
        here=share_with_ends(answers, column, 0),
        rest=share_elsewhere,
        answer=stored_answer(answers, column, field_answers.unit),
    )


def worth_telling(answers: Answers, column: int) -> bool:
    """Whether an accepted difference is large enough for a sentence, with and without the unit that
    has most of it."""
    share_here = float(answers.a[column])
    share_elsewhere = float(answers.b[column])
    is_sure = answers.verdict_of(column) is Verdict.BEYOND_CHANCE
    if not is_sure or max(share_here, share_elsewhere) < sentence_thresholds.LEAST_SHARE:
        return False
    if not sentence_thresholds.is_large(share_here, share_elsewhere):
        return False
    without = float(answers.ratio_without[column])
    if share_here < share_elsewhere:
        without = 1 / max(without, 1e-300)
    return without >= sentence_thresholds.LEAST_RATIO


def _of_set(document_set: DocumentSet) -> list[Mark]:
    """Topics that a set has much more of than all other documents of the run, or much less."""
    mask = document_set.mask
    if mask is None or mask.all() or document_set.documents < 2 * SET_HOLDING:
        return []
    base = RunSelection.all(document_set.view)
    two_set_answers = set_answers.of_sides(base, document_set.selection, None, (mask, ~mask))
    side_sums = document_set.sums(np.where(mask, 0, 1).astype(np.int32), 2)
    rows: list[Mark] = []
    for column in np.flatnonzero(two_set_answers.answers.accepted).tolist():
        mark = _beside_others(document_set, two_set_answers, column, side_sums)
        if mark is not None:
            rows.append(mark)
    rows.sort(key=lambda mark: (not mark.more, -mark.score))
    less = sum(not mark.more for mark in rows)
    return rows[: len(rows) - max(0, less - SET_LESS)]


def _beside_others(
    document_set: DocumentSet, two_set_answers: TwoSetAnswers, column: int, side_sums: Sums
) -> Mark | None:
    """A topic of a set as it is stored; None where the difference is too small to be told.
    side_sums: of the set, and of all other documents."""
    topic = two_set_answers.topics[column]
    answers = two_set_answers.answers
    share_here = float(answers.a[column])
    share_elsewhere = float(answers.b[column])
    is_more = share_here > share_elsewhere
    side = 0 if is_more else 1
    low = finite(answers.ratio_low[column])
    high = finite(answers.ratio_high[column])
    nearer = low or 0.0
    if not is_more:
        nearer = 1 / max(high or np.inf, 1e-9)
    if not document_set.subjects[topic] or not worth_telling(answers, column):
        return None
    if nearer < SET_RATIO or side_sums.topic_tokens[side, topic] < SET_WORDS:
        return None
    if side_sums.holding[side, topic] < SET_HOLDING:
        return None
    size = (
        abs(share_here - share_elsewhere)
        * float(side_sums.tokens[0] / side_sums.tokens.sum()) ** 0.5
    )
    return Mark(
        score=size * math.log(nearer) * (1.0 if is_more else LESS_WEIGHT),
        estimate=finite(answers.ratio[column]),
        low=low,
        high=high,
        field="",
        value="",
        topic=topic,
        more=is_more,
        here=share_with_ends(answers, column, 0),
        rest=share_elsewhere,
        answer=stored_answer(answers, column, two_set_answers.unit),
    )
