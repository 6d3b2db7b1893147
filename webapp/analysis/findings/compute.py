"""Findings of a set of a run's documents, as numbers; webapp.analysis.findings.writer says them.
Bounded: one pass over the documents for each field, samples of the words' documents, and arrays of
groups x topics."""

import math
from functools import cached_property, partial
from itertools import groupby
from typing import cast

import numpy as np

from inference.findings import sums, unlike
from inference.findings.sums import Sums
from webapp.analysis.answers import asked, spans
from webapp.analysis.answers.asked import Answered, AnsweredSpans
from webapp.analysis.findings import (
    by_group,
    cautions,
    families,
    keywords,
    over_time,
    periods,
    quotations,
)
from webapp.analysis.findings.called import Names
from webapp.analysis.findings.guarded import Guard
from webapp.analysis.findings.keywords import finite, stored
from webapp.analysis.findings.kinds import KINDS, Family, Finding, Mark, Quote, SetFindings, Unlike
from webapp.core.documents import fields, units
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, families as core_families

METHOD = 13  # findings of an earlier method are computed anew
WORDS = 50  # tokens of a topic, on the side where a set has more, below which nothing is said of it
HOLDING = 10  # documents with the topic there
# that the nearer end of a set's interval must reach, so that a difference is worth a sentence
MARKED_RATIO = 1.5
# topics of which a set has less than all other documents that are named: most are of other times
LESS = 2
QUOTED = 3
SHORT = 40  # words below which a document is not called unlike the rest


class Context:
    """What every kind needs of a set: arrays of its documents, topics that may be spoken of."""

    def __init__(self, selection: RunSelection):
        self.selection = selection
        self.view = selection.run_view
        self.run = selection.run_view.run
        self.counted = evidence.of(self.run)
        self.K = self.run.topics
        self.into = self.view.labels.into
        self.mask = selection.mask
        self.arrays = (
            self.counted.doc_ptr,
            self.counted.doc_topics,
            self.counted.doc_tokens,
            self.counted.lengths,
        )
        self.everyone_group = selection.group(np.zeros(self.run.version.documents, np.int32))
        self.everyone = sums.by_group(self.everyone_group, 1)
        self.whole = self.sums(self.everyone, 1)
        self.typical = sums.typical(self.whole)
        self.subjects = self._subjects(self.whole) & np.array(
            [not self.view.labels.hidden(k) for k in range(self.K)]
        )
        self.documents, self.tokens = int(self.whole.documents[0]), int(self.whole.tokens[0])
        self.unit = asked.unit_of(self.run.version)[1]  # int[D], or None: documents
        self.dates = fields.dates(self.run.version)
        self.periods = self._periods()
        self.names = Names(self)
        self.repeated = quotations.repeating(selection)

    def _subjects(self, whole: Sums) -> np.ndarray:
        """bool[K]: topics in use, not merged, no general talk. Where general talk is most of the
        words it is what the documents are about."""
        is_subject = self.view.used & (self.into == np.arange(self.K))
        subjects = is_subject & np.array(
            [not self.view.labels.background(k) for k in range(self.K)]
        )
        return (
            subjects
            if 2 * whole.x[0, subjects].sum() > whole.x[0, is_subject].sum()
            else is_subject
        )

    def _periods(self) -> periods.Periods | None:
        """None where no two periods have documents with words that count."""
        calendar = spans.calendar_of(self.dates, self.mask)
        if calendar is None:
            return None
        group = calendar.group
        with_words = group[(group >= 0) & (self.counted.lengths > 0)]
        return periods.divide(calendar) if len(np.unique(with_words)) > 1 else None

    @property
    def times(self) -> periods.Periods:
        """The periods, of a set that has them."""
        assert self.periods is not None, "the documents have no two dates"
        return self.periods

    @cached_property
    def by_period(self) -> Sums | None:
        """A group for each period."""
        times = self.periods
        if times is None:
            return None
        return self.sums(sums.by_group(times.group, times.G), times.G)

    @cached_property
    def spans(self) -> AnsweredSpans | None:
        """All spans of time, as every page asks for them."""
        return asked.over_time(self.selection)

    @cached_property
    def signatures(self) -> set[int]:
        """Words that stand on nearly all documents of one who speaks: the same for all fields."""
        return keywords.signatures(self)

    def unit_name(self, code: int) -> str:
        """What documents say of one who speaks; "" where no field of values names it."""
        return units.name_of(self.run.version, code)

    def sums(
        self,
        units: sums.Units,
        G: int,
        into: np.ndarray | None = None,
        T: int = 0,
    ) -> Sums:
        """Sums of topics' tokens over the set's documents, [G] and [G, T]; zeros for a group
        without documents. into: int[K], what each topic is counted as, by default its merged topic;
        T: how many of these there are, by default K."""
        return sums.sums(units, G, *self.arrays, self.into if into is None else into, T or self.K)


def findings(selection: RunSelection) -> SetFindings:
    """All that is stored. A kind that can't be computed is named, and the others are there."""
    context = Context(selection)
    guard = Guard(context.run.pk)
    largest = guard.listed("family", lambda: _families(context))
    rows: list[Finding] = [*largest]
    quotes = guard.listed("family", lambda: _quotes(context, largest))
    if context.periods:
        changed = guard.listed("change", lambda: over_time.changed(context))
        told_changes = {(change.topic, change.more) for change in changed}
        rows += changed
        rows += guard.listed("event", lambda: over_time.events(context, told_changes))
        rows += guard.listed("speaker", lambda: over_time.who_speaks(context))
    if context.documents:
        rows += guard.listed("mark", lambda: by_group.particular(context))
        rows += guard.listed("mark", lambda: _of_set(context))
        rows += guard.listed("caution", lambda: cautions.cautions(context))
    rows += guard.listed("unlike", lambda: _unlike(context))
    for name, kind in KINDS.items():
        rows += cast(list[Finding], guard.listed(name, partial(kind.find, context)))
    rows.sort(key=lambda row: -row.score)
    rows_kept = [
        row
        for name, kind in KINDS.items()
        for row in [row_of_kind for row_of_kind in rows if row_of_kind.kind == name][
            : kind.ON_PAGE.kept
        ]
    ]
    times = context.periods
    return SetFindings(
        documents=context.documents,
        tokens=context.tokens,
        unit=times.unit if times else "",
        span=[times.said[0], times.said[-1]] if times else [],
        bins=times.bins if times else [],
        quotes=quotes,
        findings=rows_kept,
        failed=guard.failed,
        ends=[times.names[0], times.names[-1]] if times else [],
        independent=units.unit_of(context.run.version).name,
        too_few_in_order=_too_few_in_order(context, guard),
    )


def _too_few_in_order(context: Context, guard: Guard) -> int:
    """See SetFindings."""
    if "change" in guard.failed or context.spans is None:
        return 0
    return context.spans.spans.looked.too_few_in_order


# What it is about


def _families(context: Context) -> list[Family]:
    if not context.tokens:
        return []
    rows = []
    for _, nodes_of_family in groupby(
        core_families.nodes(context.run, context.view.labels), key=lambda node: node.first
    ):
        nodes = list(nodes_of_family)
        family_of_topic = np.full(context.K, -1, np.int32)
        for f, node in enumerate(nodes):
            family_of_topic[node.topics] = f
        sums_of_families = context.sums(
            context.everyone, 1, family_of_topic[context.into], len(nodes)
        )
        share = sums.shares(sums_of_families, sums.typical(sums_of_families))
        for f in np.flatnonzero(sums_of_families.x[0]).tolist():
            rows.append(
                Family(
                    score=float(sums_of_families.x[0, f]),
                    estimate=float(share.share[0, f]),
                    low=float(share.low[0, f]),
                    high=float(share.high[0, f]),
                    line=_line_of(context, nodes[f].topics),
                    name=context.view.labels.group(nodes[f].topics[0])
                    if nodes[f].given >= 0
                    else "",
                    topics=nodes[f].topics,
                    documents=int(sums_of_families.holding[0, f]),
                    first=nodes[f].first,
                    last=nodes[f].last,
                )
            )
    return rows


def _line_of(context: Context, topics: list[int]) -> list[float | None]:
    """Of some topics together; empty without periods."""
    sums_by_period = context.by_period
    if sums_by_period is None:
        return []
    return context.times.line(sums_by_period.x[:, topics].sum(axis=1), sums_by_period.tokens)


def _quotes(context: Context, rows: list[Family]) -> list[Quote]:
    """One of each of the largest families at the usual cut, then of their second topics, until
    there are enough."""
    if context.counted.bow.offsets is None:
        return []
    usual = families.cut(context.view, None).number
    largest = sorted(
        (row for row in rows if row.first <= usual <= row.last), key=lambda family: -family.score
    )
    shown = [
        sorted(filter(context.subjects.item, one.topics), key=lambda k: -context.whole.x[0, k])
        for one in largest
    ]
    topics = [own[i] for i in range(3) for own in shown if i < len(own)]
    return quotations.quote_topics(
        context.selection, topics[: 3 * QUOTED], QUOTED, context.repeated
    )


# A set beside all other documents


def _of_set(context: Context) -> list[Mark]:
    """Topics that a set has much more of than all other documents of the run, or much less."""
    if context.mask is None or context.mask.all() or context.documents < 2 * HOLDING:
        return []
    selection = context.selection
    base = RunSelection.all(selection.view)
    answered = asked.of_sides(base, selection, None, (context.mask, ~context.mask))
    side = np.where(context.mask, 0, 1).astype(np.int32)
    sums_of_sides = context.sums(sums.by_group(side, 2), 2)
    rows = list[Mark]()
    for column in np.flatnonzero(answered.found.accepted).tolist():
        row = _apart_from_others(context, answered, column, sums_of_sides)
        if row is not None:
            rows.append(row)
    rows.sort(key=lambda row: (not row.more, -row.score))
    less = sum(not row.more for row in rows)
    return rows[: len(rows) - max(0, less - LESS)]


def _apart_from_others(
    context: Context, answered: Answered, column: int, counted: Sums
) -> Mark | None:
    topic = answered.topics[column]
    found = answered.found
    here = float(found.a[column])
    rest = float(found.b[column])
    more = here > rest
    side = 0 if more else 1
    low = finite(found.ratio_low[column])
    high = finite(found.ratio_high[column])
    nearer = (low or 0.0) if more else 1 / max(high or np.inf, 1e-9)
    if not context.subjects[topic] or not by_group.worth_telling(found, column):
        return None
    if nearer < MARKED_RATIO or counted.x[side, topic] < WORDS:
        return None
    if counted.holding[side, topic] < HOLDING:
        return None
    size = abs(here - rest) * float(counted.tokens[0] / counted.tokens.sum()) ** 0.5
    return Mark(
        score=size * math.log(nearer) * (1.0 if more else 0.5),
        estimate=finite(found.ratio[column]),
        low=low,
        high=high,
        field="",
        value="",
        topic=topic,
        more=more,
        here=by_group.share_between(found, column),
        rest=rest,
        answer=stored(found, column, answered.unit),
    )


# Documents unlike the rest


def _unlike(context: Context) -> list[Unlike]:
    lengths = context.counted.lengths
    has_words = (lengths > 0) if context.mask is None else (lengths > 0) & context.mask
    allowed = has_words & (lengths >= SHORT) & ~context.repeated
    doc_ptr, doc_topics, doc_tokens = context.counted.folded(context.into)
    numbers, overlap, nearest, compared = unlike.unlike(
        doc_ptr, doc_topics, doc_tokens, lengths, context.K, allowed
    )
    rows: list[Unlike] = []
    first = overlap[: Unlike.ON_PAGE.kept]
    for d, part, other in zip(
        numbers.tolist(), first[first < 0.5].tolist(), nearest.tolist(), strict=False
    ):
        span = slice(doc_ptr[d], doc_ptr[d + 1])
        order = np.argsort(-doc_tokens[span], kind="stable")[:2]
        rows.append(
            Unlike(
                score=1 - part,
                estimate=part,
                low=part,
                high=part,
                document=d,
                nearest=other,
                compared=compared,
                all=compared == int(np.count_nonzero(has_words)),
                topics=doc_topics[span][order].tolist(),
                parts=(doc_tokens[span][order] / lengths[d]).tolist(),
            )
        )
    return rows
