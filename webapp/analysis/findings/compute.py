"""Findings of a set of a run's documents, as numbers; webapp.analysis.findings.sentence_writer says
them. Bounded: one pass over the documents for each field, samples of the words' documents, and
arrays of groups x topics."""

from collections.abc import Sequence
from functools import partial
from typing import cast

from webapp.analysis.families import family_cuts
from webapp.analysis.findings import quotations
from webapp.analysis.findings.document_set import DocumentSet, collect
from webapp.analysis.findings.failing_kinds import Guard
from webapp.analysis.findings.finding import BaseFinding, EarlierFindings
from webapp.analysis.findings.kinds import KINDS, Change, Family, Finding
from webapp.analysis.findings.quotations import Quote
from webapp.analysis.findings.set_findings import SetFindings
from webapp.core.documents import corpus_unit
from webapp.core.documents.selection import RunSelection

METHOD = 23  # findings of an earlier method are computed anew
QUOTED = 3  # passages
FAMILY_TOPICS = 3  # of a family, from which passages are taken in turn


def findings(selection: RunSelection) -> SetFindings:
    """All that is stored. A kind that can't be computed is named, and the others are there."""
    document_set = collect(selection)
    guard = Guard(document_set.run.pk)
    earlier = EarlierFindings()
    clearest: list[BaseFinding] = []
    for name, kind in KINDS.items():
        rows = guard.listed(name, partial(kind.find, document_set, earlier))
        earlier.add(kind, None if name in guard.failed else rows)
        clearest += sorted(rows, key=lambda row: -row.score)[: kind.ON_PAGE.kept]
    quotes = guard.listed("family", lambda: quote_families(document_set, earlier.of(Family) or []))
    times = document_set.periods
    return SetFindings(
        documents=document_set.documents,
        tokens=document_set.tokens,
        unit=times.length if times else "",
        span=[times.said[0], times.said[-1]] if times else [],
        bins=times.bins if times else [],
        quotes=quotes,
        findings=cast(list[Finding], clearest),
        failed=guard.failed,
        ends=[times.names[0], times.names[-1]] if times else [],
        independent=corpus_unit.unit_of(document_set.run.version).name,
        too_few_in_order=_too_few_in_order(document_set, earlier),
    )


def _too_few_in_order(document_set: DocumentSet, earlier: EarlierFindings) -> int:
    """As SetFindings has it; 0 also where changes could not be computed, or there are no spans of
    time."""
    if earlier.of(Change) is None or document_set.spans is None:
        return 0
    return document_set.spans.too_few_in_order


def quote_families(document_set: DocumentSet, rows: Sequence[Family]) -> list[Quote]:
    """Passages: one of each of the largest families at the usual cut, then of their second topics,
    until there are enough. rows: findings about families."""
    if document_set.evidence.document_bow.offsets is None:
        return []
    usual = family_cuts.cut(document_set.view, None).number_of_families
    at_usual_cut = [row for row in rows if row.first <= usual <= row.last]
    largest = sorted(at_usual_cut, key=lambda family: -family.score)
    tokens = document_set.totals.topic_tokens[0]
    topics_of_families = [
        sorted(filter(document_set.subjects.item, family.topics), key=lambda k: -tokens[k])
        for family in largest
    ]
    in_turn = [
        topics[rank]
        for rank in range(FAMILY_TOPICS)
        for topics in topics_of_families
        if rank < len(topics)
    ]
    return quotations.quote_topics(
        document_set.selection, in_turn[: FAMILY_TOPICS * QUOTED], QUOTED, document_set.repeated
    )
