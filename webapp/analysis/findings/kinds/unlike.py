"""Documents whose mix of topics is unlike that of all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from inference.findings import unlike
from webapp.analysis.findings.document_set import DocumentSet
from webapp.analysis.findings.finding import BaseFinding, EarlierFindings, OnPage
from webapp.analysis.findings.phrasing import SentencePart, fill
from webapp.analysis.findings.sentence_writer import DOCUMENT, Sentence, SentenceWriter
from webapp.analysis.findings.sentences import join_parts
from webapp.core.results import links
from webapp.platform.drawing.numbers import document_name, percent

UNLIKE_ALL = "“{title}” resembles no other document: {topics}"
UNLIKE_COMPARED = "“{title}” resembles none of the documents it was compared to: {topics}"
FIRST_PART = "{topic}, {share} of its words"
FURTHER_PART = "{topic}, {share}"

SHORT_DOCUMENT_WORDS = 40  # words below which a document is not called unlike the rest
MOST_NAMED_TOPICS = 2  # topics of a document that are named
LEAST_OVERLAP = 0.5  # of its mix with another document's, from which on it is not unlike that


@dataclass(frozen=True, kw_only=True)
class Unlike(BaseFinding):
    """A document that shares at most `estimate` of its mix of topics with any of the `compared`;
    all: with any at all. topics, parts: its largest two."""

    ON_PAGE = OnPage("Documents unlike the rest", 8, {"less": 1, "": 3, "more": 8})

    kind: Literal["unlike"] = "unlike"
    estimate: float
    document: int
    nearest: int
    compared: int
    all: bool
    topics: list[int]
    parts: list[float]

    @property
    def titled(self) -> Sequence[int]:
        """The document."""
        return [self.document]

    @classmethod
    def find(cls, document_set: DocumentSet, earlier: EarlierFindings) -> list[Unlike]:
        """The documents with the smallest overlap, of those that are neither short nor repeats."""
        evidence = document_set.evidence
        lengths = evidence.lengths
        has_words = lengths > 0
        if document_set.mask is not None:
            has_words &= document_set.mask
        allowed = has_words & (lengths >= SHORT_DOCUMENT_WORDS) & ~document_set.repeated
        doc_ptr, doc_topics, doc_tokens = evidence.mixtures.folded(document_set.into)
        documents, overlap, nearest, compared = unlike.unlike(
            doc_ptr, doc_topics, doc_tokens, lengths, document_set.K, allowed
        )
        first = overlap[: cls.ON_PAGE.kept]
        rows: list[Unlike] = []
        for document, part, next_mixture in zip(
            documents.tolist(),
            first[first < LEAST_OVERLAP].tolist(),
            nearest.tolist(),
            strict=False,
        ):
            entries_of_document = slice(doc_ptr[document], doc_ptr[document + 1])
            largest = np.argsort(-doc_tokens[entries_of_document], kind="stable")[
                :MOST_NAMED_TOPICS
            ]
            row = Unlike(
                score=1 - part,
                estimate=part,
                low=part,
                high=part,
                document=document,
                nearest=next_mixture,
                compared=compared,
                all=compared == int(np.count_nonzero(has_words)),
                topics=doc_topics[entries_of_document][largest].tolist(),
                parts=(doc_tokens[entries_of_document][largest] / lengths[document]).tolist(),
            )
            rows.append(row)
        return rows

    def say(self, writer: SentenceWriter) -> Sentence:
        """Its title and its largest topics."""
        title = document_name(writer.titles.get(self.document, ""), self.document)
        largest: list[list[SentencePart]] = []
        for part, k in zip(self.parts, self.topics, strict=False):
            pattern = FURTHER_PART if largest else FIRST_PART
            largest.append(fill(pattern, share=percent(part), topic=writer.topic(k)))
        parts = fill(
            UNLIKE_ALL if self.all else UNLIKE_COMPARED, title=title, topics=join_parts(largest)
        )
        url = links.document_url(writer.run, self.document, f"?topic={self.topics[0]}")
        return Sentence(parts, writer.view.go.with_set(url), opens=DOCUMENT)
