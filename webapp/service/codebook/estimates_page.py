"""The page of estimates: a row for each period or group, the difference of two of them, a sentence,
how it was estimated, and coded passages; and the same as a notebook and a CSV file have it."""

from dataclasses import dataclass
from itertools import chain

import numpy as np

from inference.codes import estimate
from webapp.core.documents import unit_sentences
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results import links
from webapp.models import Run
from webapp.platform.accounts import embargo
from webapp.platform.drawing import tables
from webapp.platform.drawing.excerpts import cut_at_word
from webapp.platform.drawing.numbers import document_name
from webapp.platform.pages.page_query import PageQuery
from webapp.platform.storage.csv_table import CsvTable
from webapp.platform.storage.nulls import number_or_none
from webapp.service.codebook.estimates import ConceptEstimates, EstimatedCells, EstimatedCode
from webapp.service.codebook.shapes import Cell, CodedText, EffectOfCode, EstimatesPage, Interval
from webapp.service.codebook.written_intervals import (
    interval_of,
    write_difference,
    write_interval,
)

# Coded documents that a page shows
PASSAGES_OF_CELL = 50
PASSAGES_OF_ALL = 10
OPENING = 300  # characters of each
HALF_WIDTH = 0.02  # for which a page says how many more documents are to be coded
DECIMALS = 6  # of numbers in a CSV file


@dataclass(frozen=True, kw_only=True)
class EstimatesAsked:
    """What the address of the page asks for. cell: whose coded passages are shown, too. first,
    second: the cells that are compared; None for the usual ones. with_codes: whether the codes of
    single texts are shown: coders are blind to others' until all is coded."""

    page_query: PageQuery
    cell: int | None = None
    first: int | None = None
    second: int | None = None
    with_codes: bool = False


def make_page(
    run: Run,
    estimates: ConceptEstimates,
    asked: EstimatesAsked,
    effect: EffectOfCode | None = None,
    problem: str = "",
) -> EstimatesPage:
    """run: whose pages of documents are linked. effect, problem: with other things held constant,
    or why there is none."""
    subject = estimates.subject
    cells = estimates.cells
    all_documents = _cell(estimates.whole, 0, "all documents", asked.page_query.url(cell=None))
    rows = _rows(cells, asked.page_query)
    compared = _compared_cells(cells, rows, asked)
    difference = None
    if cells is not None and len(set(compared)) > 1:
        first, second = compared
        bounds = estimate.difference(cells.estimates.corrected, second, first)[0]
        difference = interval_of(bounds)
    compared_rows = [rows[number] for number in compared]
    shown_cell = asked.cell
    if shown_cell is not None and not 0 <= shown_cell < len(rows):
        shown_cell = None
    r2 = number_or_none(estimates.r2)
    return EstimatesPage(
        concept=subject.concept.name,
        code=subject.codes[subject.code],
        by=estimates.by,
        all=all_documents,
        cells=rows,
        difference=difference,
        compared=[row.label for row in compared_rows],
        sentence=_sentence(subject, all_documents, difference, compared_rows),
        method=_method(subject, all_documents),
        unit=unit_sentences.about(subject.run.version, estimates.unit),
        r2=None if r2 is None else max(r2, 0.0),
        more=_more_documents_needed(estimates),
        waiting=subject.coded.waiting,
        effect=effect,
        problem=problem,
        cell=None if shown_cell is None else rows[shown_cell].label,
        passages=_passages(run, subject, _passages_shown(estimates, shown_cell), asked.with_codes),
    )


# Rows


def _rows(cells: EstimatedCells | None, page_query: PageQuery) -> list[Cell]:
    if cells is None:
        return []
    return [
        _cell(cells.estimates, number, label, page_query.url(cell=number))
        for number, label in enumerate(cells.labels)
    ]


def _cell(cells: estimate.CellEstimates, number: int, label: str, url: str) -> Cell:
    return Cell(
        label=label,
        documents=int(cells.documents[number]),
        coded=int(cells.codes[number]),
        positives=float(cells.positive[number]),
        corrected=interval_of(cells.corrected, number),
        beyond=interval_of(cells.corrected_beyond, number),
        sample=interval_of(cells.coded, number),
        naive=number_or_none(cells.counted[number]),
        few=bool(cells.few[number]),
        url=url,
    )


def _compared_cells(
    cells: EstimatedCells | None, rows: list[Cell], asked: EstimatesAsked
) -> tuple[int, ...]:
    """Two: those that the address names, where these have coded documents; else the first and the
    last of a time, or the first two groups. Empty where there are no two."""
    with_codes = [number for number, row in enumerate(rows) if row.coded]
    if cells is None or len(with_codes) < 2:
        return ()
    first = with_codes[0]
    second = with_codes[-1] if cells.in_time else with_codes[1]
    if asked.first in with_codes:
        first = asked.first
    if asked.second in with_codes:
        second = asked.second
    return first, second


def _more_documents_needed(estimates: ConceptEstimates) -> int | None:
    """To be coded, until the interval of all documents is HALF_WIDTH of the values wide on either
    side."""
    subject = estimates.subject
    width = np.ptp(subject.code_values) if subject.is_scale else 1.0
    more = float(estimate.more_needed(estimates.whole, HALF_WIDTH * width)[0])
    return None if np.isnan(more) else int(more)


# Sentences


def _sentence(
    subject: EstimatedCode,
    all_documents: Cell,
    difference: Interval | None,
    compared: list[Cell],
) -> str:
    """What is estimated: how many of all documents, and by how much the last of those that are
    compared differs from the first."""
    sentences = [_sentence_of_all(subject, all_documents)]
    if all_documents.few:
        sentences.append(say_few_codes(subject, all_documents))
    if difference and difference.low is not None:
        ends = "; ".join(
            f"{cell.label}: {write_interval(cell.corrected, subject.is_scale)}" for cell in compared
        )
        by_how_much = write_difference(difference, subject.is_scale)
        sentences.append(f"{ends}; a difference of {by_how_much}.")
    return " ".join(sentences)


def write_more_needed(subject: EstimatedCode, more: int | None) -> str:
    """How many more documents are to be coded, and for what; "" for none."""
    if not more:
        return ""
    documents = f"{more:,} more coded document{'' if more == 1 else 's'}"
    beginning = f"Judged by the codes so far, with {documents}"
    if not subject.is_scale:
        points = f"{100 * HALF_WIDTH:g} percentage points"
        return f"{beginning} the share of all would be known to within {points}."
    values = subject.code_values
    within = (
        f"{HALF_WIDTH * np.ptp(values):.2g}, on the scale from {min(values):g} to {max(values):g}"
    )
    return f"{beginning} the mean of all would be known to within {within}."


def say_few_codes(subject: EstimatedCode, all_documents: Cell) -> str:
    """That an estimate rests on few codes: of a scale on few documents, else on few with the code,
    or without it, or on none."""
    coded = f"{all_documents.coded:,}"
    if subject.is_scale:
        verb = "document is" if coded == "1" else "documents are"
        return f"Only {coded} {verb} coded."
    if all_documents.few_without:
        few = _write_documents(all_documents.without)
        if few == "0":
            return f"All of the {coded} coded documents have it."
        verb = "does" if few == "1" else "do"
        return f"Only {few} of {coded} coded documents {verb} not have it."
    few = _write_documents(all_documents.positives)
    if few == "0":
        return f"None of the {coded} coded documents has it."
    verb = "has" if few == "1" else "have"
    return f"Only {few} of {coded} coded documents {verb} it."


def _write_documents(documents: float) -> str:
    """A document that half of its coders say yes of counts half."""
    return f"{documents:,.1f}".removesuffix(".0")


def _sentence_of_all(subject: EstimatedCode, all_documents: Cell) -> str:
    estimated = write_interval(all_documents.corrected, subject.is_scale)
    documents = f"{all_documents.documents:,} documents"
    if subject.is_scale:
        return f"The mean of “{subject.name}” is {estimated} over {documents}."
    return f"“{subject.name}” applies to {estimated} of {documents}."


def _method(subject: EstimatedCode, all_documents: Cell) -> str:
    """For a paper: from what, and how it was estimated."""
    readings = chain.from_iterable(subject.coded.readings.values())
    coders = len({reading.coder_id for reading in readings})
    return (
        f"{all_documents.coded:,} of {all_documents.documents:,} documents,"
        f" {_how_drawn(subject)}, were coded by {coders} reader{'' if coders == 1 else 's'};"
        " predictions of all documents were corrected by these codes (design-based supervised"
        " learning, Egami, Hinck, Stewart and Wei 2023), with 95% confidence intervals for the"
        " texts of this collection."
    )


def _how_drawn(subject: EstimatedCode) -> str:
    drawn = subject.drawn
    if drawn.elsewhere:
        return "whose codes were made elsewhere"
    if drawn.topic is not None or drawn.columns:
        return "drawn at random within strata"
    return "drawn at random"


# Passages


def _passages_shown(estimates: ConceptEstimates, cell: int | None) -> list[int]:
    """Coded documents, in the order in which they were drawn: of a cell, or of all."""
    numbers = estimates.subject.coded.numbers
    if cell is None or estimates.cells is None:
        return numbers[:PASSAGES_OF_ALL].tolist()
    in_cell = estimates.cells.cell_of_document[numbers] == cell
    return numbers[in_cell][:PASSAGES_OF_CELL].tolist()


def _passages(
    run: Run, subject: EstimatedCode, documents: list[int], with_codes: bool
) -> list[CodedText]:
    texts = embargo.beginnings(run.corpus, documents, OPENING)
    about = embargo.about(run.corpus, documents, "title", "date_text")
    passages = []
    for document in documents:
        if document not in about:
            continue
        title = document_name(about[document]["title"], document)
        date = about[document]["date_text"]
        codes = []
        if with_codes:
            readings = subject.coded.readings[document]
            codes = [reading.definition.codes[reading.code] for reading in readings]
        passage = CodedText(
            title=f"{title}, {date}" if date else title,
            url=links.document_url(run, document),
            text=cut_at_word(texts[document], OPENING),
            codes=codes,
        )
        passages.append(passage)
    return passages


# Elsewhere


def write_code_values(subject: EstimatedCode) -> str:
    """What the codes of a scale count, in words."""
    values = zip(subject.codes, subject.code_values, strict=True)
    return ", ".join(f"“{name}” {value:g}" for name, value in values)


def pin_estimates(page: EstimatesPage, is_scale: bool) -> PinnedChart:
    """The sentences of the page, and of its table the cells of which something is known. Means of a
    scale are texts, as numbers would be shown in percent."""

    def kept(value: float | None) -> float | str | None:
        if is_scale and value is not None:
            return f"{value:.2f}"
        return value

    rows: list[list[tables.Cell]] = [
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
    columns: list[tables.Cell] = [page.by or "documents", "estimate", "low", "high", "coded"]
    columns.append("of documents")
    table = tables.KeptTable(columns=columns, rows=rows)
    return PinnedChart(page.concept, f"{page.sentence} {page.method}", table)


COLUMNS = (
    "corpus concept code unit unit_chosen_by by cell documents coded with_code corrected low high"
    " beyond_low beyond_high sample sample_low sample_high counted".split()
)


def csv_table(run: Run, page: EstimatesPage) -> CsvTable:
    """All documents and each cell."""
    about_page = [
        run.corpus.name,
        page.concept,
        page.code,
        page.unit.column,
        page.unit.chosen_by,
        page.by,
    ]
    rows = []
    for cell in (page.all, *page.cells):
        figures = [
            cell.corrected.value,
            cell.corrected.low,
            cell.corrected.high,
            cell.beyond.low,
            cell.beyond.high,
            cell.sample.value,
            cell.sample.low,
            cell.sample.high,
            cell.naive,
        ]
        rounded = [None if figure is None else round(figure, DECIMALS) for figure in figures]
        rows.append([*about_page, cell.label, cell.documents, cell.coded, cell.positives, *rounded])
    return CsvTable(COLUMNS, rows)
