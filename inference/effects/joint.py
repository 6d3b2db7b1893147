"""A claim in several runs at once: is the median of its estimates more than chance gives?

Units are exchanged between two sides, the same exchange in every run, within strata (units of like
times); the statistic is the median over runs of the difference of both sides' residuals, in its
standard deviation under exchange (Simonsohn, Simmons and Nelson 2020, section 4; for the largest of
several topics Westfall and Young 1993). Residuals are of the documents' shares on what is held
constant (Freedman and Lane 1983). A run in which the topic is not found counts as no difference.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inference.effects import regression
from inference.errors import Invalid
from inference.kernels import rng
from inference.runtime.arrays import ABOVE_ZERO
from inference.runtime.jit import njit

EXCHANGES = 999
MOST_UNITS = 4_000  # of more, those of one side and stratum are put together
STRATA = 4  # of time
ROUNDING = 1e-12  # by which differences that are the same may differ, in standard deviations
_AT_ONCE = 37  # exchanges


class Exchangeable(NamedTuple):
    """unit: int32[D], of each document, -1 for one on neither side; side: int8[U], 0 or 1; stratum:
    int32[U]."""

    unit: np.ndarray
    side: np.ndarray
    stratum: np.ndarray


class UnitResiduals(NamedTuple):
    """residual: float64[U, T], tokens of each topic above those expected; words: float64[U]."""

    residual: np.ndarray
    words: np.ndarray


class Joint(NamedTuple):
    """What all runs together say of each topic. median: float64[T], of the differences (side 1 less
    side 0); p: where the topic was fixed beforehand; p_of_clearest: where it was picked as the
    clearest of all."""

    median: np.ndarray
    p: np.ndarray
    p_of_clearest: np.ndarray


def exchangeable(
    code: np.ndarray,
    side: np.ndarray,
    weight: np.ndarray,
    time: np.ndarray | None,
    most_units: int = MOST_UNITS,
) -> Exchangeable | None:
    """code: int[D], each document's unit, below 0 for one of its own; side: int8[D], 0, 1 or -1;
    weight: float64[D], words; time: float64[D], by whose quarters units are alike, NaN for none:
    units that have it nowhere are alike; most_units: units. None where most units are on both
    sides, and nothing can be exchanged."""
    code = np.array(code, np.int64)
    is_compared = (side >= 0) & (weight > 0)
    is_own_unit = code < 0
    code[is_own_unit] = code.max(initial=0) + 1 + np.arange(int(is_own_unit.sum()))
    _, unit = np.unique(code[is_compared], return_inverse=True)
    U = int(unit.max(initial=-1)) + 1
    words = np.stack(
        [
            np.bincount(unit, weights=weight[is_compared] * (side[is_compared] == s), minlength=U)
            for s in (0, 1)
        ]
    )
    side_of_unit = words.argmax(axis=0).astype(np.int8)
    if U == 0 or (words.min(axis=0) > 0).mean() > 0.5:
        return None
    stratum = np.zeros(U, np.int32)
    if time is not None:
        stratum = _strata(unit, weight[is_compared], time[is_compared], U)
    most_units = min(most_units, MOST_UNITS)
    if U > most_units:
        group = 2 * stratum + side_of_unit
        rank = np.empty(U, np.int64)
        for g in np.unique(group):
            units_of_group = np.flatnonzero(group == g)
            rank[units_of_group] = np.arange(len(units_of_group)) % max(
                most_units * len(units_of_group) // U, 1
            )
        _, first, merged_unit = np.unique(
            group * most_units + rank, return_index=True, return_inverse=True
        )
        unit = merged_unit[unit]
        side_of_unit = side_of_unit[first]
        stratum = stratum[first]
    of_document = np.full(len(side), -1, np.int32)
    of_document[is_compared] = np.where(side[is_compared] == side_of_unit[unit], unit, -1)
    return Exchangeable(of_document, side_of_unit, stratum)


def _strata(unit: np.ndarray, weight: np.ndarray, time: np.ndarray, U: int) -> np.ndarray:
    """int32[U]: by the mean time of each unit's words, of those that have one; units without any
    are in one of their own. unit, weight, time: of documents, as `exchangeable` has them."""
    has_time = np.isfinite(time)
    words = np.bincount(unit, weights=np.where(has_time, weight, 0.0), minlength=U)
    sums_of_times = np.bincount(unit, weights=np.where(has_time, time * weight, 0.0), minlength=U)
    stratum = np.full(U, STRATA, np.int32)
    is_timed = words > 0
    if is_timed.any():
        mean = sums_of_times[is_timed] / words[is_timed]
        ends = np.quantile(mean, np.arange(1, STRATA) / STRATA)
        stratum[is_timed] = np.searchsorted(ends, mean)
    return stratum


def sums(data: regression.Data, held_columns: np.ndarray, units: Exchangeable) -> UnitResiduals:
    """The residuals of units in one run. held_columns: float64[C, P], the columns of data's cells
    that are held constant, with the constant. Raises Invalid for other documents than the
    units'."""
    if len(units.unit) != len(data.cell):
        raise Invalid(
            "documents", f"{len(units.unit):,} documents were expected, got {len(data.cell):,}."
        )
    held_columns = np.ascontiguousarray(held_columns, np.float64)
    tokens, moved, words = _unit_sums(data, units.unit, len(units.side), held_columns)
    return UnitResiduals(tokens - moved @ regression.coefficients(data, held_columns), words)


def tested(runs: Sequence[UnitResiduals], units: Exchangeable) -> Joint:
    """Whether all runs together show a difference: units change sides EXCHANGES times, within
    strata, the same in every run. runs: of each the sums of the same T topics; NaN of one that it
    has not. The same runs and units give the same numbers."""
    observed = median_differences(runs, units.side[None])[0]
    differences: list[np.ndarray] = []
    for done in range(0, EXCHANGES, _AT_ONCE):
        draws = range(done, min(done + _AT_ONCE, EXCHANGES))
        states = rng.streams(rng.JOINT_SIDES, draws)
        sides = rng.exchanged_within(units.side, units.stratum, states)
        differences.append(median_differences(runs, sides))
    null = np.abs(np.concatenate(differences))
    scale = np.maximum(np.sqrt((null**2).mean(axis=0)), ABOVE_ZERO)
    size = np.abs(observed) / scale
    largest = (null / scale).max(axis=1)
    p = (1 + (null / scale >= size - ROUNDING).sum(axis=0)) / (1 + EXCHANGES)
    p_of_clearest = (1 + (largest[:, None] >= size - ROUNDING).sum(axis=0)) / (1 + EXCHANGES)
    return Joint(observed, p, p_of_clearest)


def median_differences(runs: Sequence[UnitResiduals], sides: np.ndarray) -> np.ndarray:
    """float64[n, T]: of n exchanges and each topic the median, over the runs, of the difference of
    the two sides. sides: int8[n, U], each unit's."""
    second = sides.astype(float)
    differences = []
    for run in runs:
        residual = np.nan_to_num(run.residual)
        words = run.words
        residual_b = second @ residual
        in_there = (second @ words)[:, None]
        residual_a = residual.sum(axis=0) - residual_b
        in_here = words.sum() - in_there
        differences.append(
            residual_b / np.maximum(in_there, ABOVE_ZERO)
            - residual_a / np.maximum(in_here, ABOVE_ZERO)
        )
    return np.median(differences, axis=0)


@njit(cache=True, nogil=True)
def _unit_sums(data, unit, U, held_columns):
    """float64[U, T], tokens; float64[U, P], the words times the rows of `held_columns`; float64[U],
    words.

    data: regression.Data. unit: Exchangeable.unit, of U units. held_columns: float64[C, P]."""
    tokens = np.zeros((U, data.T))
    moved = np.zeros((U, held_columns.shape[1]))
    words = np.zeros(U)
    for d in range(len(data.cell)):
        u = unit[d]
        c = data.cell[d]
        if u < 0 or c < 0:
            continue
        words[u] += data.lengths[d]
        for p in range(held_columns.shape[1]):
            moved[u, p] += data.lengths[d] * held_columns[c, p]
        for j in range(data.doc_ptr[d], data.doc_ptr[d + 1]):
            t = data.column_of_topic[data.doc_topics[j]]
            if t >= 0:
                tokens[u, t] += data.doc_tokens[j]
    return tokens, moved, words
