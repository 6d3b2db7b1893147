"""Findings of a set of a run's documents, as numbers; webapp.analysis.findings.writer says them.
Bounded: one pass over the documents for each field, samples of the words' documents, and arrays of
groups x topics."""

from collections.abc import Sequence
from functools import partial
from typing import cast

from webapp.analysis.findings import families, quotations
from webapp.analysis.findings.collection import Collection, collect
from webapp.analysis.findings.finding import BaseFinding, EarlierFindings
from webapp.analysis.findings.guarded import Guard
from webapp.analysis.findings.kinds import KINDS, Change, Family, Finding
from webapp.analysis.findings.quotations import Quote
from webapp.analysis.findings.set_findings import SetFindings
from webapp.core.documents import units
from webapp.core.documents.selection import RunSelection

METHOD = 13  # findings of an earlier method are computed anew
QUOTED = 3  # passages
FAMILY_TOPICS = 3  # of a family, from which passages are taken in turn


def findings(selection: RunSelection) -> SetFindings:
    """All that is stored. A kind that can't be computed is named, and the others are there."""
    collection = collect(selection)
    guard = Guard(collection.run.pk)
    earlier = EarlierFindings()
    clearest: list[BaseFinding] = []
    for name, kind in KINDS.items():
        rows = guard.listed(name, partial(kind.find, collection, earlier))
        earlier.add(kind, None if name in guard.failed else rows)
        clearest += sorted(rows, key=lambda row: -row.score)[: kind.ON_PAGE.kept]
    quotes = guard.listed("family", lambda: _quotes(collection, earlier.of(Family) or []))
    times = collection.periods
    return SetFindings(
        documents=collection.documents,
        tokens=collection.tokens,
        unit=times.unit if times else "",
        span=[times.said[0], times.said[-1]] if times else [],
        bins=times.bins if times else [],
        quotes=quotes,
        findings=cast(list[Finding], clearest),
        failed=guard.failed,
        ends=[times.names[0], times.names[-1]] if times else [],
        independent=units.unit_of(collection.run.version).name,
        too_few_in_order=_too_few_in_order(collection, earlier),
    )


def _too_few_in_order(collection: Collection, earlier: EarlierFindings) -> int:
    """See SetFindings."""
    if earlier.of(Change) is None or collection.spans is None:
        return 0
    return collection.spans.spans.looked.too_few_in_order


def _quotes(collection: Collection, rows: Sequence[Family]) -> list[Quote]:
    """One of each of the largest families at the usual cut, then of their second topics, until
    there are enough."""
    if collection.evidence.bow.offsets is None:
        return []
    usual = families.cut(collection.view, None).number
    at_usual_cut = [row for row in rows if row.first <= usual <= row.last]
    largest = sorted(at_usual_cut, key=lambda family: -family.score)
    tokens = collection.totals.x[0]
    topics_of_families = [
        sorted(filter(collection.subjects.item, family.topics), key=lambda k: -tokens[k])
        for family in largest
    ]
    in_turn = [
        topics[rank]
        for rank in range(FAMILY_TOPICS)
        for topics in topics_of_families
        if rank < len(topics)
    ]
    return quotations.quote_topics(
        collection.selection, in_turn[: FAMILY_TOPICS * QUOTED], QUOTED, collection.repeated
    )
