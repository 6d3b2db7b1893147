"""What is known of documents as a design of a regression: levels, lines and curves, products of
two, and rows for settings."""

import math
from typing import NamedTuple

import numpy as np

from inference.effects.regression import MOST_COLUMNS
from inference.effects.time_curve import spline
from inference.errors import Invalid
from inference.runtime.arrays import ABOVE_ZERO

MOST_NUMBERS = 1 << 22  # of rows, one for each combination of what documents have


class Variable(NamedTuple):
    """code: int32[D], the level of each document, -1 for none; columns: float64[L, P], of each
    level."""

    code: np.ndarray
    columns: np.ndarray


class Design(NamedTuple):
    """cell: int32[D], the row of `rows` of each document, -1 where something is not known of it;
    rows: float64[C, P]; effect, across: int32[C], the level that a row has of what is looked at,
    and of what it may depend on (0 without); base: float64[R], the rest of a row, at the average of
    what is held constant. effect_columns, across_columns: float64[L, P] of their levels."""

    cell: np.ndarray
    rows: np.ndarray
    effect: np.ndarray
    across: np.ndarray
    base: np.ndarray
    effect_columns: np.ndarray
    across_columns: np.ndarray

    @property
    def held(self) -> np.ndarray:
        """float64[C, 1 + R]: the constant and what is held constant."""
        return np.delete(self.rows, np.s_[1 : self.rows.shape[1] - len(self.base)], axis=1)

    def setting(self, effect: int, across: int = 0) -> np.ndarray:
        """float64[P]: a row for two levels."""
        return _row(self.effect_columns[[effect]], self.across_columns[[across]], self.base[None])[
            0
        ]


def make_design(
    effect: Variable, across: Variable | None, held_variables: list[Variable], weight: np.ndarray
) -> Design:
    """weight: float64[D], of each document, 0 for one that is left out. Raises Invalid for no
    document of which all is known, for more than MOST_COLUMNS columns, and for too many
    combinations of values."""
    across = across or Variable(np.zeros(len(effect.code), np.int32), np.zeros((1, 0)))
    variables = [effect, across, *held_variables]
    columns_held = sum(variable.columns.shape[1] for variable in held_variables)
    P = (1 + effect.columns.shape[1]) * (1 + across.columns.shape[1]) + columns_held
    if P > MOST_COLUMNS:
        raise Invalid(
            "formula",
            f"This formula needs {P:,} numbers for each topic, at most {MOST_COLUMNS} are computed."
            " Take a field out, or use decades for years.",
        )
    has_values = np.logical_and.reduce([v.code >= 0 for v in variables]) & (weight > 0)
    if not has_values.any():
        raise Invalid(
            "formula",
            "Of no document with words all of these fields are known. Take one out, or choose other"
            " documents.",
        )
    sizes = [len(v.columns) for v in variables]
    if math.prod(sizes) >= 1 << 62:
        raise Invalid("formula", _TOO_MANY_COLUMNS)
    cells, cell_of_document = np.unique(
        np.ravel_multi_index([v.code[has_values] for v in variables], sizes), return_inverse=True
    )
    if len(cells) * P > MOST_NUMBERS:
        raise Invalid("formula", _TOO_MANY_COLUMNS)
    cell = np.full(len(has_values), -1, np.int32)
    cell[has_values] = cell_of_document
    levels = np.unravel_index(cells, sizes)
    level_of_effect, level_across, *levels_held = levels
    columns_of_held = [np.zeros((len(level_of_effect), 0))]
    for variable, level in zip(held_variables, levels_held, strict=True):
        columns_of_held.append(variable.columns[level])
    held_columns = np.concatenate(columns_of_held, axis=1)
    words = np.bincount(
        cell_of_document, weights=weight[has_values], minlength=len(level_of_effect)
    )
    base = words @ held_columns / max(words.sum(), ABOVE_ZERO)
    rows = _row(effect.columns[level_of_effect], across.columns[level_across], held_columns)
    return Design(
        cell=cell,
        rows=rows,
        effect=level_of_effect,
        across=level_across,
        base=base,
        effect_columns=effect.columns,
        across_columns=across.columns,
    )


_TOO_MANY_COLUMNS = (
    "These fields have too many different combinations of values. Take one of them out of the"
    " formula."
)


def _row(effect: np.ndarray, across: np.ndarray, held_columns: np.ndarray) -> np.ndarray:
    """float64[n, P]: 1, the effect, what it depends on, their products, and the rest."""
    products = (effect[:, :, None] * across[:, None, :]).reshape(len(effect), -1)
    return np.concatenate(
        [np.ones((len(effect), 1)), effect, across, products, held_columns], axis=1
    )


def levels(n: int) -> np.ndarray:
    """float64[n, n - 1]: each level against the first."""
    return np.eye(n)[:, 1:]


def line(values: np.ndarray) -> np.ndarray:
    """float64[L, 1]: from 0 to 1. values: float64[L], ascending."""
    return ((values - values[0]) / max(values[-1] - values[0], ABOVE_ZERO))[:, None]


def curve(values: np.ndarray, words: np.ndarray) -> np.ndarray:
    """float64[L, n]: a linear spline, that bends where equal parts of the words have been passed.
    values, words: float64[L], the words of the documents of each value."""
    return spline(values, words)[:, 1:]
