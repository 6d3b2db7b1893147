"""Estimates of a concept: how many of all documents have it, in all, by period or by group, from
the documents that were drawn and coded and from predictions of all others
(inference.codes.estimate)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inference.codes import estimate
from inference.codes.predict import Prediction, predict
from inference.errors import Invalid
from webapp.core.documents import corpus_unit, document_groups
from webapp.core.results import evidence
from webapp.intake.metadata.groups import NO_VALUE, Groups
from webapp.models import Coding, Concept, Draw, Run, Version
from webapp.platform.storage.cache import BoundedCache
from webapp.service.codebook import coding, concepts

FEWEST_CODED = 10  # documents, below which nothing is estimated
MOST_CELLS = 60  # of a page: those with the most documents
CACHE_BYTES = 256 << 20
_cache = BoundedCache(CACHE_BYTES)


@dataclass(frozen=True, kw_only=True)
class CodedDocuments:
    """The documents of a draw that are coded. numbers: int64[n]; y: float64[n], 1 where the code
    was given, the mean over coders, or the value of a scale; pi: float64[n], with which each was
    drawn; readings: of each document; waiting: how many drawn documents nobody has coded."""

    numbers: np.ndarray
    y: np.ndarray
    pi: np.ndarray
    readings: dict[int, list[Coding]]
    waiting: int

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True, kw_only=True)
class EstimatedCode:
    """What is estimated: one code of a concept, or the mean of a scale. run: whose topics predict
    the codes of other documents. codes: all that the concept has; code: the number of this one."""

    concept: Concept
    drawn: Draw
    run: Run
    codes: list[str]
    code: int
    coded: CodedDocuments

    @property
    def is_scale(self) -> bool:
        return self.concept.kind == Concept.Kind.SCALE

    @property
    def name(self) -> str:
        if self.concept.kind == Concept.Kind.ONE_OF:
            return f"{self.concept.name}: {self.codes[self.code]}"
        return self.concept.name

    @property
    def code_values(self) -> list[float]:
        """What each code of a scale counts."""
        return concepts.values(self.codes)


@dataclass(frozen=True, kw_only=True)
class EstimatedCells:
    """The periods or groups that have an estimate each. labels: C of them; cell_of_document:
    int32[D], NO_VALUE where a document is in no cell; in_time: whether they follow each other."""

    labels: list[str]
    in_time: bool
    cell_of_document: np.ndarray
    estimates: estimate.CellEstimates


@dataclass(frozen=True, kw_only=True)
class ConceptEstimates:
    """by: the field that makes the cells, "" where nothing groups the documents. unit: for whom
    intervals beyond these texts hold. r2: how much of the codes the prediction explains in texts
    that it did not see. whole: one cell of all documents."""

    subject: EstimatedCode
    by: str
    unit: corpus_unit.Unit
    r2: float
    whole: estimate.CellEstimates
    cells: EstimatedCells | None


def estimate_concept(run: Run, concept: Concept, by: str, code: int) -> ConceptEstimates:
    """by: a field, or a period; "" the usual one. Raises Invalid, with a sentence for the reader,
    while nothing can be said."""
    subject = _subject(run, concept, code)
    version = subject.run.version
    by = by or _usual_column(version, subject.drawn)
    groups = document_groups.read_groups(version, by) if by else None
    unit = corpus_unit.unit_of(version, by)

    def compute() -> tuple[float, estimate.CellEstimates, EstimatedCells | None]:
        return _estimate(subject, groups, unit)

    r2, whole, cells = _cache.get_or_set((*_prediction_key(subject, unit), by), compute)
    return ConceptEstimates(subject=subject, by=by, unit=unit, r2=r2, whole=whole, cells=cells)


def _subject(run: Run, concept: Concept, code: int) -> EstimatedCode:
    """run: by which others are predicted where the draw has none. Raises Invalid."""
    drawn = (
        Draw.objects.filter(concept=concept)
        .select_related("run__version__corpus", "run__snapshot")
        .first()
    )
    if drawn is None:
        raise Invalid("draw", "No documents have been drawn for this concept yet.")
    holds, base = concepts.defined(concept)
    code = _code_of(concept, holds.codes, code)
    coded = _coded_documents(concept, drawn, base, _values_of(concept, holds.codes, code))
    if len(coded) < FEWEST_CODED:
        anew = " Codings by earlier definitions don't count for this one." if base > 1 else ""
        raise Invalid(
            "codes",
            f"{len(coded)} documents are coded; from {FEWEST_CODED} on there are estimates.{anew}",
        )
    predicting_run = drawn.run if drawn.run and drawn.run.final else run
    if predicting_run.version.documents < drawn.documents:
        raise Invalid(
            "run",
            "This run knows fewer documents than were drawn from. Open the concept in a newer run.",
        )
    return EstimatedCode(
        concept=concept, drawn=drawn, run=predicting_run, codes=holds.codes, code=code, coded=coded
    )


def _code_of(concept: Concept, codes: list[str], asked: int) -> int:
    """The number of the code that is estimated; a yes-or-no concept is asked for its yes."""
    if concept.kind == Concept.Kind.YES_NO:
        return concepts.YES
    return min(max(asked, 0), len(codes) - 1)


def _values_of(concept: Concept, codes: list[str], code: int) -> list[float]:
    """What each code counts: a scale's values, or 1 the one whose share is asked for."""
    if concept.kind == Concept.Kind.SCALE:
        return concepts.values(codes)
    return [float(number == code) for number in range(len(codes))]


def _coded_documents(
    concept: Concept, drawn: Draw, base: int, values: list[float]
) -> CodedDocuments:
    """Settled codes count once all disagreements are settled, else the mean over coders. Documents
    that were added to the corpus since the draw began don't count: there was a time when codes of
    them were taken in. base: the number of the definition from which codings count. values: what
    each code counts."""
    readings_by_text = [
        readings
        for readings in coding.by_text(concept, base)
        if readings[0].item.document < drawn.documents
    ]
    settled = coding.settled(concept, base)
    in_dispute = filter(coding.differ, readings_by_text)
    all_settled = all(readings[0].item_id in settled for readings in in_dispute)

    def value_of(readings: list[Coding]) -> float:
        item = readings[0].item_id
        if all_settled and item in settled:
            return values[settled[item]]
        return float(np.mean([values[reading.code] for reading in readings]))

    numbers = [readings[0].item.document for readings in readings_by_text]
    return CodedDocuments(
        numbers=np.array(numbers, np.int64),
        y=np.array([value_of(readings) for readings in readings_by_text]),
        pi=np.array([readings[0].item.pi for readings in readings_by_text]),
        readings=dict(zip(numbers, readings_by_text, strict=True)),
        waiting=drawn.items.filter(document__lt=drawn.documents).count() - len(readings_by_text),
    )


def _usual_column(version: Version, drawn: Draw) -> str:
    """What estimates are grouped by when no address asks: the first column that was ticked when
    documents were drawn, else the usual one; "" where nothing groups the documents."""
    offered = document_groups.possible_groupings(version)
    ticked = [column for column in drawn.columns or [] if column in offered]
    return ticked[0] if ticked else document_groups.usual_grouping(version) or ""


def _estimate(
    subject: EstimatedCode, groups: Groups | None, unit: corpus_unit.Unit
) -> tuple[float, estimate.CellEstimates, EstimatedCells | None]:
    """(r2 of the prediction, the estimate of all documents, those of the cells)."""
    predicted = predict_codes(subject, unit)
    coded = subject.coded

    def estimates_of(cell_of_document: np.ndarray) -> estimate.CellEstimates:
        return estimate.cells(
            cell_of_document,
            predicted.strata,
            coded.numbers,
            coded.y,
            coded.pi,
            predicted.prediction,
            predicted.unit_of_document,
            subject.is_scale,
        )

    D = subject.drawn.documents
    whole = estimates_of(np.zeros(D, np.int32))
    cells = None
    if groups is not None:
        largest_groups, cell_of_document = _largest_cells(groups, D)
        if len(largest_groups):
            cells = EstimatedCells(
                labels=[groups.labels[place] for place in largest_groups],
                in_time=groups.in_time,
                cell_of_document=cell_of_document,
                estimates=estimates_of(cell_of_document),
            )
    return predicted.prediction.r2, whole, cells


def _largest_cells(groups: Groups, D: int) -> tuple[np.ndarray, np.ndarray]:
    """The places of the largest groups, in their order; and int32[D], which of these each document
    is in."""
    group_of_document = groups.group[:D]
    sizes = np.bincount(
        group_of_document[group_of_document != NO_VALUE], minlength=len(groups.labels)
    )
    largest = np.sort(np.argsort(-sizes, kind="stable")[:MOST_CELLS])
    largest = largest[sizes[largest] > 0]
    # The last entry is that of documents in no group: NO_VALUE is -1
    cell_of_group = np.full(len(sizes) + 1, NO_VALUE, np.int32)
    cell_of_group[largest] = np.arange(len(largest))
    return largest, cell_of_group[group_of_document]


# What documents are expected to be coded as


class PredictedCodes(NamedTuple):
    """What D documents are expected to be coded as. strata: int32[D], in which they were drawn;
    unit_of_document: int32[D], None where each document is a unit of its own."""

    strata: np.ndarray
    prediction: Prediction
    unit_of_document: np.ndarray | None


def predict_codes(subject: EstimatedCode, unit: corpus_unit.Unit) -> PredictedCodes:
    """Kept in memory: pages of other groups, and the effects, need the same."""

    def compute() -> PredictedCodes:
        return _predict(subject, unit)

    return _cache.get_or_set(_prediction_key(subject, unit), compute)


def _prediction_key(subject: EstimatedCode, unit: corpus_unit.Unit) -> tuple:
    """All that a prediction depends on."""
    coded = subject.coded
    arrays = (coded.numbers, coded.y, coded.pi)
    return (
        subject.drawn.pk,
        subject.run.pk,
        *(array.tobytes() for array in arrays),
        unit.key,
    )


def _predict(subject: EstimatedCode, unit: corpus_unit.Unit) -> PredictedCodes:
    drawn = subject.drawn
    coded = subject.coded
    D = drawn.documents
    unit_of_document = None
    unit_of_coded = None
    if unit.field is not None:
        unit_of_document = corpus_unit.codes(subject.run.version, unit.field)[:D]
        unit_of_coded = unit_of_document[coded.numbers]
    # Codes that were made elsewhere have no run that made strata
    strata = concepts.strata_of(drawn) if drawn.run else np.zeros(D, np.int32)
    run_evidence = evidence.of(subject.run)
    prediction = predict(
        run_evidence.document_bow,
        run_evidence,
        coded.numbers,
        coded.y,
        drawn.seed,
        units=unit_of_coded,
    )
    of_drawn = prediction._replace(g=prediction.g[:, :D])  # the run may know more documents
    return PredictedCodes(strata, of_drawn, unit_of_document)
