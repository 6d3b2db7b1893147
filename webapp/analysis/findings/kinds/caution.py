"""What a reader should not rely on: topics of unlike words, of one document, of general talk; thin
times; repeats; words outside the vocabulary. Counts of what there is, not estimates: their
intervals are points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from django.urls import reverse
from pydantic import Field

from inference import engines
from inference.errors import number_of
from inference.explore import bands
from webapp.analysis.families.family_address import MEMBERS
from webapp.analysis.findings import sentences
from webapp.analysis.findings.document_set import DocumentSet
from webapp.analysis.findings.finding import BaseFinding, EarlierFindings, OnPage
from webapp.analysis.findings.phrasing import SentencePart, fill
from webapp.analysis.findings.sentence_writer import SEE, Sentence, SentenceWriter
from webapp.analysis.findings.sentences import Plural, join_parts
from webapp.core.documents.conditions import Only
from webapp.core.results import measures, topic_kinds
from webapp.core.results.view import RunView
from webapp.intake.ingest.words_outside import words_outside
from webapp.platform.drawing.numbers import count, percent

What = Literal["general", "mixed", "one_document", "unstable"]  # topics that a caution is about

OF_TOPICS: dict[What, Plural] = {
    "general": Plural(
        "General talk: {count} topic, {share} of the words, which the findings leave out",
        "General talk: {count} topics, {share} of the words, which the findings leave out",
    ),
    "mixed": Plural(
        "Mixed: {count} topic has words that rarely occur together: {topics}",
        "Mixed: {count} topics have words that rarely occur together: {topics}",
    ),
    "unstable": Plural(
        "Unstable: {count} topic was found again in fewer than half of the full trainings from"
        " other seeds: {topics}",
        "Unstable: {count} topics were found again in fewer than half of the full trainings from"
        " other seeds: {topics}",
    ),
    "one_document": Plural(
        "One document: {count} topic has a fifth or more of its words from one document: {topics}",
        "One document: {count} topics have a fifth or more of their words from one document:"
        " {topics}",
    ),
}
THIN = Plural(
    "Few documents: {count} of {all} {units} has fewer than 10",
    "Few documents: {count} of {all} {units} have fewer than 10",
)
# Where some between the first and the last have none: a reader who subtracts would count these
THIN_OF_THOSE_COVERED = Plural(
    "Few documents: {count} of the {all} {units} covered has fewer than 10",
    "Few documents: {count} of the {all} {units} covered have fewer than 10",
)
REPEATED = Plural(
    "Repeated: {count} document ({share}) repeats an earlier one; each copy is counted",
    "Repeated: {count} documents ({share}) repeat an earlier one; each copy is counted",
)
FEW = "Small corpus: only a few broad topics can be learned from {texts}"
OUTSIDE = "In no topic, besides stop words: {share} of the words, too rare or too frequent"

ONE_DOCUMENT = 0.2  # part of a topic's words that one document may hold
SMALL_TOPIC_SHARE = 0.002  # share of the words of a topic below which nothing is said of it
MOST_NAMED = 5  # topics, or periods, that are named
# share of the documents, or of the words, from which on a caution is worth a sentence
NOTICED = 0.01
THIN_UNITS = ("year", "decade", "month")  # of shorter ones few documents are nothing unusual
# By which the share of thin periods, and of words outside, counts beside that of topics' words
THIN_WEIGHT = 1 / 4
OUTSIDE_WEIGHT = 1 / 2


@dataclass(frozen=True, kw_only=True)
class Caution(BaseFinding):
    """What a reader should not rely on. It is counted: the ends of the interval are the estimate
    itself."""

    ON_PAGE = OnPage("What not to rely on", 8, {"less": 2, "": 6, "more": 8})
    SURE_FIRST = False  # it may be about the very topics that are doubtful

    kind: Literal["caution"] = "caution"
    estimate: float
    count: int

    @classmethod
    def find(cls, document_set: DocumentSet, earlier: EarlierFindings) -> list[Caution]:
        """The cautions of a set of documents, one type after the other; [] where there is nothing
        to warn of."""
        if not document_set.documents:
            return []
        return [
            *_topics(document_set),
            *_thin(document_set),
            *_find_repeated(document_set),
            *_outside(document_set),
            *_few(document_set),
        ]


@dataclass(frozen=True, kw_only=True)
class TopicsCaution(Caution):
    """Topics of a kind, with most words first, of which an older program stored the first
    MOST_NAMED; count: of all of them; estimate: their share of the words."""

    what: What
    topics: list[int]

    def say(self, writer: SentenceWriter) -> Sentence:
        """What they are, how many, and as many of the first as can be read aloud."""
        topics_named = min(len(self.topics), MOST_NAMED)
        parts = self._naming(writer, topics_named)
        while topics_named > 1 and sentences.is_long(parts):
            topics_named -= 1
            parts = self._naming(writer, topics_named)
        return Sentence(parts, self._address(writer.view), opens=SEE)

    def _address(self, view: RunView) -> str:
        """All of them; where these would make too long an address, the first MEMBERS, which have
        most words."""
        return view.go("run_topics", topics=",".join(map(str, self.topics[:MEMBERS])))

    def _naming(self, writer: SentenceWriter, topics_named: int) -> list[SentencePart]:
        """What is said where so many of its topics are named."""
        further_topics = self.count - topics_named
        return fill(
            OF_TOPICS[self.what].pattern(self.count),
            count=f"{self.count:,}",
            share=percent(self.estimate),
            topics=join_parts(
                [[writer.topic(k)] for k in self.topics[:topics_named]],
                sentences.MORE.format(count=further_topics) if further_topics else "",
            ),
        )


@dataclass(frozen=True, kw_only=True)
class ThinTimes(Caution):
    """Periods of too few documents. count of `of` periods with documents, the estimate; `empty`
    more have none."""

    what: Literal["thin"] = "thin"
    of: int
    empty: int = 0
    unit: str
    periods: list[str]

    def say(self, writer: SentenceWriter) -> Sentence:
        """How many periods."""
        sentence = THIN_OF_THOSE_COVERED if self.empty else THIN
        parts = fill(
            sentence.pattern(self.count),
            count=count(self.count),
            all=count(self.of),
            units=sentences.UNITS[self.unit].pattern(self.of),
        )
        by_period = writer.selection.address(by=self.unit)
        return Sentence(parts, writer.view.go("run_time", asked=by_period) + "#thin", opens=SEE)


@dataclass(frozen=True, kw_only=True)
class Repeated(Caution):
    """Documents that repeat an earlier one; estimate: their share."""

    what: Literal["repeated"] = "repeated"

    def say(self, writer: SentenceWriter) -> Sentence:
        """How many."""
        parts = fill(
            REPEATED.pattern(self.count), count=count(self.count), share=percent(self.estimate)
        )
        url = writer.documents_of(writer.selection.with_conditions(Only("repeated")))
        return Sentence(parts, url, opens=SEE)


@dataclass(frozen=True, kw_only=True)
class OutsideVocabulary(Caution):
    """Words that are no stop words and in no topic; estimate: their share."""

    what: Literal["outside"] = "outside"

    def say(self, writer: SentenceWriter) -> Sentence:
        """Their share; the page of the corpus says by which reasons, of the newest choice of words,
        and the page of the run's methods of older ones."""
        corpus = writer.run.corpus
        url = writer.view.go("run_methods")
        if writer.run.version_id == corpus.version_id:
            url = reverse("corpus", args=[corpus.pk]) + "#report"
        return Sentence(fill(OUTSIDE, share=percent(self.estimate)), url, opens=SEE)


@dataclass(frozen=True, kw_only=True)
class FewDocuments(Caution):
    """The whole corpus has too few documents for more than a few broad topics; count: how many, or
    of their sections; estimate: beside the least that are enough."""

    what: Literal["few"] = "few"
    sections: bool

    def say(self, writer: SentenceWriter) -> Sentence:
        """How many there are; the list of topics shows what was learned."""
        texts = number_of(self.count, "section" if self.sections else "document")
        parts = fill(FEW, texts=texts)
        return Sentence(parts, writer.view.go("run_topics"), opens=SEE)


AnyCaution = Annotated[
    TopicsCaution | ThinTimes | Repeated | OutsideVocabulary | FewDocuments,
    Field(discriminator="what"),
]


def _topics(document_set: DocumentSet) -> list[TopicsCaution]:
    """Cautions about topics of general talk, of several subjects, and of which one document holds
    much: these are about the topics, not about the document_set."""
    labels = document_set.view.labels
    tokens = document_set.totals.topic_tokens[0]
    large = document_set.subjects & (tokens >= SMALL_TOPIC_SHARE * document_set.tokens)
    kinds_by_words = topic_kinds.by_words(document_set.run, labels)
    mixed = np.array([kind == "mixed" for kind in kinds_by_words], bool)
    of_one_document = _largest_document(document_set) >= ONE_DOCUMENT * tokens
    topics_of_caution: dict[What, list[int]] = {
        "general": [
            k
            for k in document_set.view.topics
            if labels.is_background(k) and not document_set.subjects[k] and not labels.is_merged(k)
        ],
        "mixed": np.flatnonzero(large & mixed).tolist(),
        "one_document": np.flatnonzero(large & of_one_document).tolist(),
    }
    rows = []
    for reason, topics in topics_of_caution.items():
        if not topics:
            continue
        share = float(tokens[topics].sum() / max(document_set.tokens, 1))
        caution = TopicsCaution(
            score=share,
            estimate=share,
            low=share,
            high=share,
            count=len(topics),
            what=reason,
            topics=sorted(topics, key=lambda k: -tokens[k]),
        )
        rows.append(caution)
    return rows


def _largest_document(document_set: DocumentSet) -> np.ndarray:
    """float64[K]: of each topic, without what was merged into others, the tokens in the document of
    the set that has most of it."""
    evidence = document_set.evidence
    is_in_set: slice | np.ndarray = slice(None)
    if document_set.mask is not None:
        is_in_set = np.repeat(document_set.mask, np.diff(evidence.mixtures.doc_ptr))
    largest = np.zeros(document_set.K)
    topics = document_set.into[evidence.mixtures.doc_topics[is_in_set]]
    np.maximum.at(largest, topics, evidence.mixtures.doc_tokens[is_in_set])
    return largest


def unstable(view: RunView, doubtful: set[int]) -> list[TopicsCaution]:
    """Topics that most trainings with other seeds did not find again. Those trainings follow a run
    while its machine is idle, so this is known later than what is stored, and not stored."""
    tokens = np.nan_to_num(measures.of(view.run)["tokens"])
    labels = view.labels
    unstable_topics = [k for k in doubtful if tokens[k] > 0 and labels.is_visible(k)]
    if not unstable_topics:
        return []
    share = float(tokens[unstable_topics].sum() / tokens.sum())
    return [
        TopicsCaution(
            score=1.0,  # the first of the cautions
            estimate=share,
            low=share,
            high=share,
            count=len(unstable_topics),
            what="unstable",
            topics=sorted(unstable_topics, key=lambda k: -tokens[k]),
        )
    ]


def _thin(document_set: DocumentSet) -> list[ThinTimes]:
    times = document_set.periods
    if times is None or times.length not in THIN_UNITS:
        return []
    # As pages of time count them: documents with words
    is_counted = (times.group >= 0) & (document_set.evidence.lengths > 0)
    documents = np.bincount(times.group[is_counted], minlength=times.G)
    with_documents = int(np.count_nonzero(documents))
    thin = np.flatnonzero((documents > 0) & (documents < bands.THIN))
    if not len(thin):
        return []
    share = len(thin) / with_documents
    return [
        ThinTimes(
            score=share * THIN_WEIGHT,
            estimate=share,
            low=share,
            high=share,
            count=len(thin),
            of=with_documents,
            empty=times.empty,
            unit=times.length,
            periods=[times.said[period] for period in thin[:MOST_NAMED]],
        )
    ]


def _find_repeated(document_set: DocumentSet) -> list[Repeated]:
    repeated = document_set.repeated
    if document_set.mask is not None:
        repeated = repeated & document_set.mask
    documents = int(np.count_nonzero(repeated))
    share = documents / max(document_set.documents, 1)
    if share < NOTICED:
        return []
    return [Repeated(score=share, estimate=share, low=share, high=share, count=documents)]


def _outside(document_set: DocumentSet) -> list[OutsideVocabulary]:
    """How many of the words of the whole corpus that are no stop words no topic counts, as they are
    too rare or too frequent; [] where these are less than NOTICED of all."""
    outside = words_outside(document_set.run.version)
    share = outside.share
    if share < NOTICED:
        return []
    return [
        OutsideVocabulary(
            score=share * OUTSIDE_WEIGHT,
            estimate=share,
            low=share,
            high=share,
            count=outside.tokens,
        )
    ]


def _few(document_set: DocumentSet) -> list[FewDocuments]:
    """Of the whole corpus, as the topics were learned from all of it."""
    version = document_set.run.version
    if version.rows >= engines.FEW_DOCUMENTS:
        return []
    share = version.rows / engines.FEW_DOCUMENTS
    return [
        FewDocuments(
            score=1.0,  # the first of those that are stored
            estimate=share,
            low=share,
            high=share,
            count=version.rows,
            sections=version.rows > version.documents,
        )
    ]
