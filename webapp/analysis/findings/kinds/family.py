"""Families: topics that use similar words. They are parts of one whole, a tree that is cut where a
reader likes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, Self

import numpy as np

from inference.findings import sums
from inference.findings.families import Node
from webapp.analysis.families.family_address import topics_address
from webapp.analysis.families.family_names import FamilyName
from webapp.analysis.findings import sentences
from webapp.analysis.findings.document_set import DocumentSet
from webapp.analysis.findings.finding import (
    BaseFinding,
    EarlierFindings,
    OnPage,
    PageFindings,
    ShareLine,
)
from webapp.analysis.findings.phrasing import SentencePart, fill
from webapp.analysis.findings.sentence_writer import (
    MOST_NAMED,
    TOPICS,
    Sentence,
    SentenceWriter,
)
from webapp.analysis.findings.sentences import Plural, join_parts
from webapp.core.results import family_tree
from webapp.core.results.family_tree import CUTS
from webapp.platform.drawing.numbers import USUAL_LEVEL, percent

FAMILY = "{share} of the words: {topics}"
NAMED_FAMILY = "{name}, {share} of the words"
NAMED_FAMILY_WITH_OTHERS = "{name}, {share} of the words; also {topics}"
MORE_TOPICS = Plural("{count} more topic", "{count} more topics")
CERTAINTY = Plural(
    "interval {low} to {high}, in {count} document",
    "interval {low} to {high}, in {count} documents",
)


@dataclass(frozen=True, kw_only=True)
class Family(BaseFinding):
    """Topics that use similar words and occur in the same documents of the run, in the order of
    their words there. estimate: of all together; documents: that have any. name: of a reader's
    group. first, last: the numbers of families at which it is one."""

    ON_PAGE = OnPage("What it is about", 200, {"less": 200, "": 200, "more": 200})
    SURE_FIRST = False

    kind: Literal["family"] = "family"
    estimate: float
    low: float
    high: float
    topics: list[int]
    name: str = ""
    documents: int = 0
    first: int = 0
    last: int = 1_000

    @property
    def claimed(self) -> Sequence[int]:
        """Those that its sentence names."""
        return self.topics[:MOST_NAMED]

    @property
    def interval_level(self) -> float:
        """A share has the usual one."""
        return USUAL_LEVEL

    @classmethod
    def find(cls, document_set: DocumentSet, earlier: EarlierFindings) -> list[Family]:
        """All nodes of the tree that have words in the set; [] for a set without words."""
        if not document_set.tokens:
            return []
        rows: list[Family] = []
        nodes = family_tree.nodes(document_set.run, document_set.view.labels)
        for _, nodes_of_one_cut in groupby(nodes, key=lambda node: node.first):
            rows += _measure_families(document_set, list(nodes_of_one_cut))
        return rows

    @classmethod
    def arrange(cls, findings: Sequence[Self], page: PageFindings) -> list[Self]:
        """Parts of one whole: the largest in the set is read first."""
        return sorted(findings, key=lambda family: -family.estimate)

    def say(self, writer: SentenceWriter) -> Sentence:
        """Its name and part of the words, and as many of its other topics as can be read aloud."""
        share, low, high = told_apart(self.estimate, self.low, self.high)
        name = writer.families.get(tuple(self.topics), FamilyName(self.name, []))
        further_topics = [k for k in self.topics if k not in name.topics]
        if further_topics:
            parts = self._fill_with_topics(writer, name.text, share, further_topics)
        else:
            parts = fill(NAMED_FAMILY, share=share, name=name.text)
        families = max(self.first, CUTS[0])
        url = topics_address(writer.selection, self.topics, families)
        certainty = CERTAINTY.pattern(self.documents).format(
            low=low, high=high, count=f"{self.documents:,}"
        )
        return Sentence(parts, url, self.topics[0], certainty, opens=TOPICS)

    def _fill_with_topics(
        self, writer: SentenceWriter, name: str, share: str, topics: Sequence[int]
    ) -> list[SentencePart]:
        """With as many of some topics as can be read aloud."""
        pattern = NAMED_FAMILY_WITH_OTHERS if name else FAMILY
        parts: list[SentencePart] = []
        for count in range(MOST_NAMED, 0, -1):
            first_topics = self._first_topics(writer, topics, count)
            parts = fill(pattern, share=share, name=name, topics=first_topics)
            if not sentences.is_long(parts):
                break
        return parts

    def _first_topics(
        self, writer: SentenceWriter, topics: Sequence[int], count: int
    ) -> list[SentencePart]:
        """So many at most, and how many more there are."""
        first_topics = [[writer.topic(k)] for k in topics[:count]]
        left = len(topics) - len(first_topics)
        left_in_words = MORE_TOPICS.pattern(left).format(count=f"{left:,}") if left else ""
        return join_parts(first_topics, left_in_words)


def _measure_families(document_set: DocumentSet, nodes: list[Node]) -> list[Family]:
    """Nodes that share no topic."""
    family_of_topic = np.full(document_set.K, -1, np.int32)
    for row, node in enumerate(nodes):
        family_of_topic[node.topics] = row
    counted_as = family_of_topic[document_set.into]
    totals = document_set.sums(document_set.as_one_group, 1, counted_as, len(nodes))
    shares = sums.shares(totals, sums.typical(totals))
    rows = []
    for row in np.flatnonzero(totals.topic_tokens[0]).tolist():
        node = nodes[row]
        family = Family(
            score=float(totals.topic_tokens[0, row]),
            estimate=float(shares.share[0, row]),
            low=float(shares.low[0, row]),
            high=float(shares.high[0, row]),
            line=_line_of(document_set, node.topics),
            name=document_set.view.labels.group(node.topics[0]) if node.given >= 0 else "",
            topics=node.topics,
            documents=int(totals.holding[0, row]),
            first=node.first,
            last=node.last,
        )
        rows.append(family)
    return rows


def _line_of(document_set: DocumentSet, topics: list[int]) -> ShareLine:
    """The share of some topics together over time; empty without periods."""
    sums_by_period = document_set.by_period
    if sums_by_period is None:
        return []
    tokens = sums_by_period.topic_tokens[:, topics].sum(axis=1)
    return document_set.times.line(tokens, sums_by_period.tokens)


def told_apart(*shares: float) -> list[str]:
    """An estimate and the ends of its interval, all with a decimal where one of the ends would be
    written as the estimate."""
    estimate, *ends = [percent(share).replace(".0%", "%") for share in shares]
    return [percent(x) if estimate not in ends or x < 0.1 else f"{100 * x:.1f}%" for x in shares]
