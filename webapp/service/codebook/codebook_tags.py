"""{% load codebook %}: how estimates are written and drawn."""

from django import template

from webapp.platform.drawing.numbers import NONE, percent
from webapp.service.codebook.shapes import Cell

register = template.Library()
WIDTH = 200  # of the line, in units of its viewBox


@register.filter
def of_codes(value: float | None, scale: bool) -> str:
    """A share, or the mean of a scale."""
    if value is None:
        return NONE
    return f"{value:.2f}" if scale else percent(value)


@register.filter
def few_codes(cell: Cell, scale: bool) -> str:
    """On how few codes an estimate rests: "only 1 of 20 has the code". A document that half of its
    coders say yes of counts half."""
    coded = f"{cell.coded:,}"
    if scale:
        return f"only {coded} coded"
    if cell.few_without:
        few_documents = _write_documents(cell.without)
        if few_documents == "0":
            return f"all {coded} have the code"
        verb = "does" if few_documents == "1" else "do"
        return f"only {few_documents} of {coded} {verb} not have the code"
    few_documents = _write_documents(cell.positives)
    if few_documents == "0":
        return f"none of {coded} has the code"
    verb = "has" if few_documents == "1" else "have"
    return f"only {few_documents} of {coded} {verb} the code"


def _write_documents(documents: float) -> str:
    return f"{documents:,.1f}".removesuffix(".0")


@register.simple_tag
def interval_line(cell: Cell, largest: float) -> dict | None:
    """An estimate with its interval, and that of the coded documents alone, on a line from 0 to
    `largest`; None where there is none."""
    value = cell.corrected.value
    low = cell.corrected.low
    high = cell.corrected.high
    if value is None or low is None or high is None:
        return None

    def x(value: float) -> float:
        return WIDTH * min(max(value, 0.0), largest) / largest

    ends_of_sample = None
    if cell.sample.low is not None and cell.sample.high is not None:
        ends_of_sample = (x(cell.sample.low), x(cell.sample.high))
    return {"x": x(value), "low": x(low), "high": x(high), "sample": ends_of_sample}
