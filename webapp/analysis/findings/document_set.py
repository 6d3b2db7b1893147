"""A set of a run's documents as arrays: what every kind of finding is found in."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inference import Evidence
from inference.findings import sums
from inference.findings.sums import Sums
from webapp.analysis.answers import set_answers, spans
from webapp.analysis.answers.set_answers import SpanAnswers
from webapp.analysis.findings import group_fields, quotations, trivial_words, word_samples
from webapp.analysis.findings.group_fields import GroupField
from webapp.analysis.findings.name_counts import NameCounts
from webapp.analysis.findings.periods import Periods, divide
from webapp.core.documents import corpus_unit, document_days
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence as evidence_of_runs
from webapp.core.results.view import RunView
from webapp.models import Run


@dataclass(frozen=True)
class DocumentSet:
    """The documents of a set, and the topics that may be spoken of.

    evidence: tokens of topics in the documents of the run. as_one_group: int32[D], 0 for each document
    of the set, -1 for all others. totals: their sums over the set. subjects:
    bool[K], topics that may be spoken of. unit: int64[D], who speaks, -1 for none; None where
    documents are independent of each other. dates: int[D], date.toordinal(), 0 for none. periods:
    None where no two have documents with words that count. repeated: bool[D], documents that repeat
    an earlier one. name_counts: of the words of topics' names.
    """

    selection: RunSelection
    evidence: Evidence
    as_one_group: np.ndarray
    totals: Sums
    subjects: np.ndarray
    unit: np.ndarray | None
    dates: np.ndarray
    periods: Periods | None
    repeated: np.ndarray
    name_counts: NameCounts

    @property
    def view(self) -> RunView:
        """The run, as this reader sees it."""
        return self.selection.view

    @property
    def run(self) -> Run:
        """The run whose topics are spoken of."""
        return self.view.run

    @property
    def K(self) -> int:
        """How many topics the run has."""
        return self.run.topics

    @property
    def into(self) -> np.ndarray:
        """int32[K]: what each topic is counted as: the one that it was merged into, or itself."""
        return self.view.labels.into

    @property
    def mask(self) -> np.ndarray | None:
        """bool[D], the documents of the set; None: all."""
        return self.selection.mask

    @property
    def documents(self) -> int:
        """How many of the set's documents have words."""
        return int(self.totals.documents[0])

    @property
    def tokens(self) -> int:
        """How many words these have."""
        return int(self.totals.tokens[0])

    @property
    def times(self) -> Periods:
        """The periods, of a set that has them."""
        assert self.periods is not None, "the documents have no two dates"
        return self.periods

    @cached_property
    def by_period(self) -> Sums | None:
        """Sums with a group for each period; None without periods."""
        if self.periods is None:
            return None
        return self.sums(self.periods.group, self.periods.G)

    @cached_property
    def spans(self) -> SpanAnswers | None:
        """All spans of time, as every page asks for them."""
        return set_answers.over_time(self.selection)

    @cached_property
    def group_fields(self) -> list[GroupField]:
        """Fields that divide the documents into groups, with the answers for each group."""
        return group_fields.answer_fields(self.selection)

    @cached_property
    def signatures(self) -> set[int]:
        """Words that stand on nearly all documents of one who speaks, by their numbers: the same for
        all fields."""
        words = self.name_counts.telling
        sample = word_samples.even_sample(self.evidence.lengths, self.as_one_group)
        if self.unit is None or not words or not len(sample):
            return set()
        present = word_samples.present(self.evidence.document_bow, sample, words)
        unit = self.unit[sample]
        columns = trivial_words.of_who_speaks(present, unit, self.dates[sample])
        return {words[column] for column in columns}

    def unit_name(self, code: int) -> str:
        """What documents say of one who speaks; "" where no field of values names it."""
        return corpus_unit.name_of(self.run.version, code)

    def sums(
        self, group: np.ndarray, G: int, counted_as: np.ndarray | None = None, T: int | None = None
    ) -> Sums:
        """Sums of topics' tokens over groups of the set's documents, [G] and [G, T]; zeros for a
        group without documents. group: int32[D], -1 for none. counted_as: int32[K], what each topic
        is counted as, by default its merged topic; T: how many of these there are, by default K."""
        if counted_as is None:
            counted_as = self.into
        return _sums(self.evidence, group, G, counted_as, self.K if T is None else T)


def collect(selection: RunSelection) -> DocumentSet:
    """A set of documents. Raises Invalid for a run without evidence."""
    view = selection.view
    run = view.run
    evidence = evidence_of_runs.of(run)
    as_one_group = selection.group(np.zeros(run.version.documents, np.int32))
    totals = _sums(evidence, as_one_group, 1, view.labels.into, run.topics)
    subjects = _subjects(view, totals)
    dates = document_days.read_days(run.version)
    return DocumentSet(
        selection=selection,
        evidence=evidence,
        as_one_group=as_one_group,
        totals=totals,
        subjects=subjects,
        unit=set_answers.unit_of(run.version)[1],
        dates=dates,
        periods=_periods(dates, selection.mask, evidence.lengths),
        repeated=quotations.repeating(selection),
        name_counts=NameCounts(run, view.labels, evidence, subjects),
    )


def _sums(evidence: Evidence, group: np.ndarray, G: int, counted_as: np.ndarray, T: int) -> Sums:
    return sums.sums(
        sums.by_group(group, G),
        G,
        evidence.mixtures.doc_ptr,
        evidence.mixtures.doc_topics,
        evidence.mixtures.doc_tokens,
        evidence.lengths,
        counted_as,
        T,
    )


def _subjects(view: RunView, totals: Sums) -> np.ndarray:
    """bool[K]: topics in use, neither merged into others nor hidden, no general talk. Where general
    talk is most of the words it is what the documents are about."""
    labels = view.labels
    topics = range(view.run.topics)
    hidden = np.array([labels.is_hidden(k) for k in topics])
    background = np.array([labels.is_background(k) for k in topics])
    in_use = view.used & labels.unmerged
    tokens = totals.topic_tokens[0]
    mostly_talk = 2 * tokens[in_use & ~background].sum() <= tokens[in_use].sum()
    if mostly_talk:
        return in_use & ~hidden
    return in_use & ~background & ~hidden


def _periods(dates: np.ndarray, mask: np.ndarray | None, lengths: np.ndarray) -> Periods | None:
    """None where no two periods have documents with words that count."""
    calendar = spans.calendar_of(dates, mask)
    if calendar is None:
        return None
    with_words = calendar.group[(calendar.group >= 0) & (lengths > 0)]
    if len(np.unique(with_words)) < 2:
        return None
    return divide(calendar)
