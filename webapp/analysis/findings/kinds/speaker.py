"""Who speaks when: whose documents most are in a span, what else would be told as a change of
subject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csc_matrix

from inference.answers.outcome import AmountTable
from webapp.analysis.answers import spans as answers_over_time
from webapp.analysis.findings import over_time, sentences, time_sentences
from webapp.analysis.findings.document_set import DocumentSet
from webapp.analysis.findings.finding import BaseFinding, EarlierFindings, OnPage
from webapp.analysis.findings.over_time import SpanAsker
from webapp.analysis.findings.phrasing import fill
from webapp.analysis.findings.sentence_writer import Sentence, SentenceWriter
from webapp.analysis.findings.spans_and_groups import OfGroup, Shaped
from webapp.core.documents import corpus_unit, fields
from webapp.intake.metadata import ValueField
from webapp.models import Version

SENTENCE = "{value} is the {field} of most documents {span}: {here}, {rest} {outside}"
SINCE = "since {first}"

SPEAKERS = 40  # values of the unit of which it is told when they speak
MOST_DOCUMENTS_SHARE = 0.5  # of the documents of a span, that are of one who speaks


@dataclass(frozen=True, kw_only=True)
class Speaker(OfGroup, Shaped, BaseFinding):
    """Whose documents most are in a span. here, rest: shares of the documents within and
    outside."""

    ON_PAGE = OnPage("Who speaks when", 6, {"less": 1, "": 2, "more": 6})

    kind: Literal["speaker"] = "speaker"
    here: float
    rest: float

    @classmethod
    def find(cls, document_set: DocumentSet, earlier: EarlierFindings) -> list[Speaker]:
        """Spans in which one has most of the documents; [] where no field says who speaks, or has
        too many values."""
        category = _who_speaks(document_set.run.version) if document_set.periods else None
        if category is None:
            return []
        outcome = _documents_by(document_set, category)
        spans_of_set = answers_over_time.of_documents(document_set.selection, outcome)
        if spans_of_set is None:
            return []
        asker = SpanAsker(spans_of_set, document_set.unit_name)
        rows: list[Speaker] = []
        for column, value in enumerate(category.values):
            for span in asker.accepted(column, one_topic_only=False):
                if span.shape == "line" or not span.more or span.here < MOST_DOCUMENTS_SHARE:
                    continue
                speaker = Speaker(
                    **vars(over_time.shape_of(document_set, span)),
                    field=category.name,
                    value=value,
                    score=(span.here - span.rest) * span.certainty,
                    estimate=span.here,
                    here=span.here,
                    rest=span.rest,
                )
                rows.append(speaker)
                break
        return rows

    def say(self, writer: SentenceWriter) -> Sentence:
        """Who it is, when, and both shares."""
        span = sentences.spanned(self)
        outside = time_sentences.outside(self, writer.span)
        if self.shape == "step":
            span = SINCE.format(first=sentences.period(self.first))
            outside = time_sentences.BEFORE
        if not self.rest:
            outside = time_sentences.without_any(outside)
        parts = fill(
            SENTENCE,
            span=span,
            value=self.value,
            field=self.field,
            here=sentences.briefly(self.here),
            rest=sentences.briefly_or_none(self.rest),
            outside=outside,
        )
        theirs = writer.selection.with_value(self.field, self.value)
        return Sentence(parts, writer.documents_of(theirs))


def _who_speaks(version: Version) -> ValueField | None:
    """The category that is the unit; None where there is none, or it has too many values."""
    field = corpus_unit.unit_of(version).field
    if field is None:
        return None
    for category in fields.categories(version):
        if category.name in field.names:
            return category if len(category.values) <= SPEAKERS else None
    return None


def _documents_by(document_set: DocumentSet, category: ValueField) -> AmountTable:
    """Which documents with words are of which value."""
    codes = fields.values(document_set.run.version, category)
    is_counted = (codes >= 0) & (document_set.evidence.lengths > 0)
    documents = np.flatnonzero(is_counted)
    amounts = csc_matrix(
        (np.ones(len(documents)), (documents, codes[documents])),
        shape=(len(codes), len(category.values)),
    )
    return AmountTable(amounts, is_counted.astype(float))
