"""Answers to the questions of findings, as they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from inference.answers import Answers
from webapp.core.documents.corpus_unit import Unit

ShareInterval = tuple[float, float, float]  # a share and the ends of its interval


@dataclass(frozen=True)
class StoredAnswer:
    """The answer to a finding's question, as webapp.analysis.answers gives it to every page.

    difference, difference_low, difference_high: of the two shares; p: of no difference. level: of
    all intervals of the `rows` that were judged together. calibrated: "exchanged" or "t". unit: the
    field that says whose documents depend on each other, "" where documents are independent; units:
    how many there are on both sides. part_of_largest: what one unit has of the topic's words on the
    side that has more. null: not known, or not finite.
    """

    difference: float
    difference_low: float | None
    difference_high: float | None
    p: float | None
    level: float
    rows: int
    calibrated: Literal["exchanged", "t"]
    unit: str
    units: tuple[int, int]
    part_of_largest: float | None


def stored_answer(answers: Answers, column: int, unit: Unit) -> StoredAnswer:
    """The answer in a column, as a finding stores it."""
    return StoredAnswer(
        difference=float(answers.difference[column]),
        difference_low=finite(answers.low[column]),
        difference_high=finite(answers.high[column]),
        p=finite(answers.p[column]),
        level=answers.level,
        rows=answers.rows,
        calibrated=answers.calibrated,
        unit=unit.name,
        units=answers.units,
        part_of_largest=finite(answers.part[column]),
    )


def share_with_ends(answers: Answers, column: int, side: int) -> ShareInterval:
    """The share of a side in a column, 0 for side A and 1 for side B, with the ends of its
    interval."""
    low, high = answers.ends(side)
    share = answers.b if side else answers.a
    return float(share[column]), float(low[column]), float(high[column])


def finite(number: float) -> float | None:
    """None for what is not."""
    return float(number) if np.isfinite(number) else None
