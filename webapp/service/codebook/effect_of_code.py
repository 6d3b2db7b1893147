"""How the share of documents with a code depends on a field, where other fields are held constant
(inference.codes.effect)."""

from typing import Final

import numpy as np

from inference.codes.effect import effect
from inference.errors import Invalid
from webapp.analysis.effects.estimates import regression_of
from webapp.analysis.effects.formula import Formula
from webapp.analysis.effects.model import EffectQuestion
from webapp.core.documents import unit_sentences
from webapp.core.documents.selection import RunSelection
from webapp.core.results.view import RunView
from webapp.platform.storage.nulls import number_or_none
from webapp.service.codebook.estimates import EstimatedCode, predict_codes
from webapp.service.codebook.shapes import EffectOfCode, Interval
from webapp.service.codebook.written_intervals import interval_of, write_difference

WEIGHTING: Final = "stm-fixed"  # each document counts the same, however long it is


def effect_of_code(
    subject: EstimatedCode, formula: Formula, first: str, second: str
) -> EffectOfCode:
    """first, second: the settings that are compared, "" for the usual ones. Raises Invalid for what
    documents don't have."""
    question = EffectQuestion(formula, first, second, estimate=WEIGHTING)
    regression = regression_of(RunSelection.all(RunView(subject.run)), question)
    predicted = predict_codes(subject, regression.unit)
    coded = subject.coded
    cell_of_document = regression.design.cell[: subject.drawn.documents]
    fitted = effect(
        cell_of_document,
        regression.design.rows,
        regression.contrast,
        predicted.strata,
        coded.numbers,
        coded.y,
        coded.pi,
        predicted.prediction,
        predicted.unit_of_document,
        subject.is_scale,
    )
    if np.isnan(fitted.corrected.estimate):
        raise Invalid(
            "effect",
            "The effect can’t be separated from what is held constant. Hold less constant.",
        )
    held_names = [term.name for term in formula.held]
    settings = [regression.effect.labels[setting] for setting in regression.settings]
    corrected = interval_of(fitted.corrected)
    return EffectOfCode(
        formula=str(formula),
        settings=settings,
        held=held_names,
        documents=int(np.count_nonzero(cell_of_document >= 0)),
        left_out=regression.left_out,
        coded=fitted.codes,
        unit=unit_sentences.about(subject.run.version, regression.unit),
        corrected=corrected,
        beyond=interval_of(fitted.beyond),
        sample=interval_of(fitted.coded),
        naive=number_or_none(fitted.counted),
        sentence=_sentence(subject, formula.effect.name, settings, held_names, corrected),
    )


def _sentence(
    subject: EstimatedCode,
    field: str,
    settings: list[str],
    held_names: list[str],
    corrected: Interval,
) -> str:
    first, second = settings
    change = write_difference(corrected, subject.is_scale)
    held_constant = f", with {', '.join(held_names)} held constant" if held_names else ""
    return (
        f"“{subject.name}” differs by {change} where {field} is “{second}”, compared with"
        f" “{first}”{held_constant}."
    )
