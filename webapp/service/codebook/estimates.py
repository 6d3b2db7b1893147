"""Estimates of a concept: how many of all documents have it, in all, by period or by group, from
the documents that were drawn and coded and from predictions of all others
(inference.codes.estimate)."""

from typing import NamedTuple

import numpy as np

from inference.codes import estimate
from inference.codes.effect import effect
from inference.codes.predict import Prediction, predict
from inference.errors import Invalid
from webapp.analysis.effects.estimates import EffectQuestion, regression_of
from webapp.analysis.effects.formula import Formula
from webapp.core.documents import fields, unit_sentences, units
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, links
from webapp.core.results.view import RunView
from webapp.intake.metadata.groups import NONE, Groups
from webapp.models import Coding, Concept, Draw, Run, Version
from webapp.platform.accounts import embargo
from webapp.platform.drawing.excerpts import cut_at_word
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.tables import json_text
from webapp.platform.pages.page_query import PageQuery
from webapp.platform.storage import csv_cells
from webapp.platform.storage.cache import BoundedCache
from webapp.platform.storage.nulls import number_or_none
from webapp.service.codebook import coding, concepts
from webapp.service.codebook.shapes import Cell, CodedText, EffectOfCode, EstimatesPage, Interval

LEAST = 10  # coded documents, below which nothing is estimated
CELLS = 60  # on a page: the largest
# coded documents of a cell, and of all
PASSAGES = 50
FIRST = 10
OPENING = 300  # characters of each
HALF_WIDTH = 0.02  # for which a page says how many more documents are to be coded
_kept = BoundedCache(256 << 20)


class Coded(NamedTuple):
    """The documents that are coded. y: float64[n], 1 where a code was given, the mean over coders,
    or the value of a scale; waiting: how many drawn documents nobody has coded. readings: of each
    document."""

    documents: np.ndarray
    y: np.ndarray
    pi: np.ndarray
    waiting: int
    readings: dict[int, list[Coding]]


def coded(concept: Concept, drawn: Draw, base: int, counts: list[float]) -> Coded:
    """counts: what each code counts: a scale's values, or 1 the one whose share is asked for.
    Settled codes count once all disagreements are settled."""
    readings = coding.by_text(concept, base)
    agreed = coding.settled(concept, base)
    settled = all(
        one_reading[0].item_id in agreed for one_reading in filter(coding.differ, readings)
    )

    def value(codings: list[Coding]) -> float:
        if settled and codings[0].item_id in agreed:
            return counts[agreed[codings[0].item_id]]
        return float(np.mean([counts[one_reading.code] for one_reading in codings]))

    documents = [codings[0].item.document for codings in readings]

    return Coded(
        documents=np.array(documents, np.int64),
        y=np.array([value(codings) for codings in readings]),
        pi=np.array([codings[0].item.pi for codings in readings]),
        waiting=drawn.items.count() - len(readings),
        readings=dict(zip(documents, readings, strict=True)),
    )


class Estimated(NamedTuple):
    """What is known of a concept. groups: by which cells are made, None where nothing groups the
    documents; kept: int64[C], the places of these cells in it; whole: of all documents; cells: None
    without groups."""

    concept: Concept
    drawn: Draw
    source: Run
    codes: list[str]
    code: int
    scale: bool
    data: Coded
    unit: units.Unit
    r2: float
    groups: Groups | None
    kept: np.ndarray
    cell: np.ndarray
    whole: estimate.Cells
    cells: estimate.Cells | None


def estimated(run: Run, concept: Concept, by: str, code: int) -> Estimated:
    """by: a field, or a period; "" the usual one. Raises Invalid, with a sentence for the reader,
    while nothing can be said."""
    drawn = (
        Draw.objects.filter(concept=concept)
        .select_related("run__version__corpus", "run__snapshot")
        .first()
    )
    if drawn is None:
        raise Invalid("draw", "No documents have been drawn for this concept yet.")
    holds, base = concepts.defined(concept)
    scale = concept.kind == Concept.Kind.SCALE
    code = 1 if concept.kind == Concept.Kind.YES_NO else min(max(code, 0), len(holds.codes) - 1)
    counts = (
        concepts.values(holds.codes)
        if scale
        else [float(i == code) for i in range(len(holds.codes))]
    )
    data = coded(concept, drawn, base, counts)
    if len(data.y) < LEAST:
        anew = " Codings by earlier definitions don't count for this one." if base > 1 else ""
        raise Invalid(
            "codes",
            f"{len(data.y)} documents are coded; from {LEAST} on there are estimates.{anew}",
        )
    source = drawn.run if drawn.run and drawn.run.final else run
    version = source.version
    D = drawn.documents
    if version.documents < D:
        raise Invalid(
            "run",
            "This run knows fewer documents than were drawn from. Open the concept in a newer run.",
        )
    by = by or _usual_column(version, drawn)
    groups = fields.groups(version, by) if by else None
    unit = units.unit_of(version, by)

    def make() -> tuple[np.ndarray, np.ndarray, estimate.Cells, estimate.Cells | None, float]:
        strata, prediction, of_unit = _predicted(source, drawn, data, unit)
        cells_kept, cell = _cells(groups, D)
        sample_data = (data.documents, data.y, data.pi, prediction, of_unit, scale)
        return (
            cells_kept,
            cell,
            estimate.cells(np.zeros(D, np.int32), strata, *sample_data),
            estimate.cells(cell, strata, *sample_data) if len(cells_kept) else None,
            prediction.r2,
        )

    cells_kept, cell, all_documents, cells, explained = _kept.get_or_set(
        (*_state(source, drawn, data, unit), by), make
    )
    return Estimated(
        concept,
        drawn,
        source,
        holds.codes,
        code,
        scale,
        data,
        unit,
        explained,
        groups,
        cells_kept,
        cell,
        all_documents,
        cells,
    )


def _state(source: Run, drawn: Draw, data: Coded, unit: units.Unit) -> tuple:
    """All that a prediction depends on."""
    return (
        drawn.pk,
        source.pk,
        *(array.tobytes() for array in (data.documents, data.y, data.pi)),
        unit.key,
    )


def _predicted(
    source: Run, drawn: Draw, data: Coded, unit: units.Unit
) -> tuple[np.ndarray, Prediction, np.ndarray | None]:
    """The strata, what each document is expected to be coded as, and of whom it is."""

    def make() -> tuple[np.ndarray, Prediction, np.ndarray | None]:
        of_unit = (
            None
            if unit.field is None
            else units.codes(source.version, unit.field)[: drawn.documents]
        )
        strata = concepts.strata_of(drawn) if drawn.run else np.zeros(drawn.documents, np.int32)
        run_evidence = evidence.of(source)
        prediction = predict(
            run_evidence.bow,
            run_evidence,
            data.documents,
            data.y,
            drawn.seed,
            units=None if of_unit is None else of_unit[data.documents],
        )
        return strata, prediction._replace(g=prediction.g[:, : drawn.documents]), of_unit

    return _kept.get_or_set(_state(source, drawn, data, unit), make)


def effect_of(estimated_code: Estimated, formula: Formula, first: str, second: str) -> EffectOfCode:
    """first, second: the settings that are compared, "" for the usual ones. Raises Invalid for what
    documents don't have."""
    # By stm-fixed each document counts the same
    regression = EffectQuestion(formula, first, second, estimate="stm-fixed")
    fitted_regression = regression_of(RunSelection.all(RunView(estimated_code.source)), regression)
    data = estimated_code.data
    strata, prediction, of_unit = _predicted(
        estimated_code.source, estimated_code.drawn, data, fitted_regression.unit
    )
    cell = fitted_regression.design.cell[: estimated_code.drawn.documents]
    rows = fitted_regression.design.rows
    fitted = effect(
        cell,
        rows,
        fitted_regression.contrast,
        strata,
        data.documents,
        data.y,
        data.pi,
        prediction,
        of_unit,
        estimated_code.scale,
    )
    if np.isnan(fitted.corrected.estimate):
        raise Invalid(
            "effect",
            "The effect can’t be separated from what is held constant. Hold less constant.",
        )
    name = formula.effect.name
    terms_held = [term.name for term in formula.held]
    ends = [fitted_regression.effect.labels[i] for i in fitted_regression.settings]
    interval = _interval(fitted.corrected)
    alike = f", where documents are alike in {', '.join(terms_held)}" if terms_held else ""
    return EffectOfCode(
        formula=str(formula),
        settings=ends,
        held=terms_held,
        documents=int(np.count_nonzero(cell >= 0)),
        left_out=fitted_regression.left_out,
        coded=fitted.codes,
        unit=unit_sentences.about(estimated_code.source.version, fitted_regression.unit),
        corrected=interval,
        beyond=_interval(fitted.beyond),
        sample=_interval(fitted.coded),
        naive=number_or_none(fitted.counted),
        sentence=(
            f"From “{ends[0]}” to “{ends[1]}” of {name}, “{_what(estimated_code)}” changes by"
            f" {_points(interval, estimated_code.scale)}{alike}."
        ),
    )


def _usual_column(version: Version, drawn: Draw) -> str:
    """What estimates are grouped by when no address asks: the first column that was ticked when
    documents were drawn, else the usual one; "" where nothing groups the documents."""
    offered = fields.choices(version)
    ticked = [column for column in drawn.columns or [] if column in offered]
    return ticked[0] if ticked else fields.usual(version) or ""


def _cells(groups: Groups | None, D: int) -> tuple[np.ndarray, np.ndarray]:
    """The largest groups, in their order; and int32[D], which of these each document is in."""
    if groups is None:
        return np.zeros(0, np.int64), np.full(D, NONE, np.int32)
    group_of_document = groups.group[:D]
    sizes = np.bincount(group_of_document[group_of_document != NONE], minlength=len(groups.labels))
    largest_groups = np.sort(np.argsort(-sizes, kind="stable")[:CELLS])
    largest_groups = largest_groups[sizes[largest_groups] > 0]
    number = np.full(len(sizes) + 1, NONE, np.int32)
    number[largest_groups] = np.arange(len(largest_groups))
    return largest_groups, number[group_of_document]


# Shown
# ---------------------------------------------------------------------------------------------------------------


def page(
    run: Run,
    page_query: PageQuery,
    estimated_code: Estimated,
    cell: int | None,
    a: int | None,
    b: int | None,
    shown: bool,
    effect: EffectOfCode | None = None,
    problem: str = "",
) -> EstimatesPage:
    """effect, problem: with other things held constant, or why there is none. cell: whose coded
    passages are shown, too. a, b: cells that are compared, by default the first and the last, or
    the two largest groups. shown: whether codes of single texts are: coders are blind to others'
    until all is coded."""
    labels = (
        [estimated_code.groups.labels[k] for k in estimated_code.kept]
        if estimated_code.groups
        else []
    )
    rows = (
        [
            _cell(estimated_code.cells, i, label, page_query.url(cell=i))
            for i, label in enumerate(labels)
        ]
        if estimated_code.cells
        else []
    )
    ends = [i for i, row in enumerate(rows) if row.coded]
    usual = (
        (ends[0], ends[-1] if estimated_code.groups and estimated_code.groups.in_time else ends[1])
        if len(ends) > 1
        else ()
    )
    compared = tuple(
        i if i in ends else usual_end for i, usual_end in zip((a, b), usual, strict=False)
    )
    difference = None
    if estimated_code.cells and len(set(compared)) > 1:
        difference = _interval(
            estimate.difference(estimated_code.cells.corrected, compared[1], compared[0])[0]
        )
    width = np.ptp(concepts.values(estimated_code.codes)) if estimated_code.scale else 1.0
    more_needed = float(estimate.more_needed(estimated_code.whole, HALF_WIDTH * width)[0])
    cell = cell if cell is not None and 0 <= cell < len(labels) else None
    chosen_cell = (
        estimated_code.data.documents
        if cell is None
        else estimated_code.data.documents[
            estimated_code.cell[estimated_code.data.documents] == cell
        ]
    )
    all_documents = _cell(estimated_code.whole, 0, "all documents", page_query.url(cell=None))
    return EstimatesPage(
        concept=estimated_code.concept.name,
        code=estimated_code.codes[estimated_code.code],
        by=estimated_code.groups.by if estimated_code.groups else "",
        all=all_documents,
        cells=rows,
        difference=difference,
        compared=[labels[i] for i in compared],
        sentence=_sentence(estimated_code, all_documents, difference, [rows[i] for i in compared]),
        method=_method(estimated_code, all_documents),
        unit=unit_sentences.about(estimated_code.source.version, estimated_code.unit),
        r2=None
        if (explained := number_or_none(estimated_code.r2)) is None
        else max(explained, 0.0),
        more=None if np.isnan(more_needed) else int(more_needed),
        waiting=estimated_code.data.waiting,
        effect=effect,
        problem=problem,
        cell=None if cell is None else labels[cell],
        passages=_passages(
            run, estimated_code, chosen_cell[: FIRST if cell is None else PASSAGES], shown
        ),
    )


def _interval(bounds: estimate.Bounds, at: int | tuple = ()) -> Interval:
    return Interval(
        *(number_or_none(array[at]) for array in (bounds.estimate, bounds.low, bounds.high))
    )


def _cell(cells: estimate.Cells, i: int, label: str, url: str) -> Cell:
    return Cell(
        label=label,
        documents=int(cells.documents[i]),
        coded=int(cells.codes[i]),
        positives=float(cells.positive[i]),
        corrected=_interval(cells.corrected, i),
        beyond=_interval(cells.corrected_beyond, i),
        sample=_interval(cells.coded, i),
        naive=number_or_none(cells.counted[i]),
        few=bool(cells.few[i]),
        url=url,
    )


def _passages(
    run: Run, estimated_code: Estimated, documents: np.ndarray, shown: bool
) -> list[CodedText]:
    """Coded documents, in the order in which they were drawn. shown: whether their codes are."""
    texts = embargo.beginnings(run.corpus, documents.tolist(), OPENING)
    titles = embargo.about(run.corpus, documents.tolist(), "title", "date_text")
    return [
        CodedText(
            title=", ".join(
                filter(None, [titles[d]["title"] or f"Document {d}", titles[d]["date_text"]])
            ),
            url=links.document_url(run, d),
            text=cut_at_word(texts[d], OPENING),
            codes=(
                [row.definition.codes[row.code] for row in estimated_code.data.readings[d]]
                if shown
                else []
            ),
        )
        for d in documents.tolist()
        if d in titles
    ]


def _sentence(
    estimated_code: Estimated,
    all_documents: Cell,
    difference: Interval | None,
    compared: list[Cell],
) -> str:
    """What is estimated_code: how many of all documents, and by how much the last differ from the
    first."""
    estimate = _written(all_documents.corrected, estimated_code.scale)
    subject = (
        f"The mean of “{_what(estimated_code)}” is {estimate} over"
        if estimated_code.scale
        else f"“{_what(estimated_code)}” applies to {estimate} of"
    )
    few_codes = (
        f" Only {all_documents.positives:,.0f} of {all_documents.coded:,} coded documents have it."
        if all_documents.few
        else ""
    )
    text = f"{subject} {all_documents.documents:,} documents.{few_codes}"
    if difference and difference.low is not None:
        ends = "; ".join(
            f"{cell.label}: {_written(cell.corrected, estimated_code.scale)}" for cell in compared
        )
        text += f" {ends}; a difference of {_points(difference, estimated_code.scale)}."
    return text


def _method(estimated_code: Estimated, all_documents: Cell) -> str:
    """For a paper: from what, and how it was estimated."""
    strata = (
        " within strata"
        if estimated_code.drawn.topic is not None or estimated_code.drawn.columns
        else ""
    )
    coders = len(
        {row.coder_id for readings in estimated_code.data.readings.values() for row in readings}
    )
    how = (
        "whose codes were made elsewhere"
        if estimated_code.drawn.elsewhere
        else f"drawn at random{strata}"
    )
    return (
        f"{all_documents.coded:,} of {all_documents.documents:,} documents, {how}, were coded by {coders}"
        f" reader{'' if coders == 1 else 's'}; predictions of all documents were corrected by these"
        " codes (design-based supervised learning, Egami, Hinck, Stewart and Wei 2023), with 95%"
        " confidence intervals for the texts of this collection."
    )


def _what(estimated_code: Estimated) -> str:
    return (
        f"{estimated_code.concept.name}: {estimated_code.codes[estimated_code.code]}"
        if estimated_code.concept.kind == Concept.Kind.ONE_OF
        else estimated_code.concept.name
    )


def _written(interval: Interval, scale: bool) -> str:
    number = (lambda x: f"{x:.2f}") if scale else percent
    if interval.low is None or interval.high is None:
        return number(interval.value)
    return f"{number(interval.value)} (95% CI {number(interval.low)} to {number(interval.high)})"


def _points(difference: Interval, scale: bool) -> str:
    value, low, high = (
        f"{(1 if scale else 100) * (x or 0):+.{2 if scale else 0}f}".replace("-", "−")
        for x in (difference.value, difference.low, difference.high)
    )
    return f"{value}{'' if scale else ' points'} (95% CI {low} to {high})"


def counts(estimated_code: Estimated) -> str:
    """What the codes of a scale count, in words."""
    return ", ".join(
        f"“{name}” {value:g}"
        for name, value in zip(
            estimated_code.codes, concepts.values(estimated_code.codes), strict=True
        )
    )


def pinned(page: EstimatesPage, scale: bool) -> str:
    """The table as a notebook keeps it; only cells of which something is known. scale: whether the
    estimates are means of a scale, which are no shares."""

    def kept(value: float | None) -> float | str | None:
        return f"{value:.2f}" if scale and value is not None else value

    rows = [
        [
            cell.label,
            kept(cell.corrected.value),
            kept(cell.corrected.low),
            kept(cell.corrected.high),
            cell.coded,
            cell.documents,
        ]
        for cell in (page.all, *page.cells)
        if cell.corrected.low is not None
    ]
    return json_text(
        {
            "columns": [page.by or "documents", "estimate", "low", "high", "coded", "of documents"],
            "rows": rows,
        }
    )


COLUMNS = (
    "corpus concept code unit unit_chosen_by by cell documents coded with_code corrected low high beyond_low"
    " beyond_high sample sample_low sample_high counted".split()
)


def table(run: Run, page: EstimatesPage) -> bytes:
    """All documents and each cell as CSV."""
    rows: list[list] = [COLUMNS]
    for cell in (page.all, *page.cells):
        c = cell.corrected
        b = cell.beyond
        s = cell.sample
        figures = [c.value, c.low, c.high, b.low, b.high, s.value, s.low, s.high, cell.naive]
        rows.append(
            [
                *(run.corpus.name, page.concept, page.code),
                *(page.unit.column, page.unit.chosen_by, page.by),
                *(cell.label, cell.documents, cell.coded, cell.positives),
                *("" if x is None else round(x, 6) for x in figures),
            ]
        )
    return csv_cells.lines(rows)
