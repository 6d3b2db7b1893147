"""Which two values the page of effects compares where none are asked for."""

import numpy as np

from webapp.analysis.effects.opening import comparable_values

PERIODS_OF_VALUES = {0: range(10), 1: range(90, 100), 2: range(10), 3: range(10)}


def documents_of(
    unit_counts: dict[int, int], documents_of_value: dict[int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Values, words, units and periods of documents. unit_counts: how many units share the documents
    of each value."""
    rows = []
    for value, documents in documents_of_value.items():
        periods = list(PERIODS_OF_VALUES[value])
        for i in range(documents):
            unit = 1000 * value + i % unit_counts[value]
            rows.append((value, unit, periods[i // unit_counts[value] % len(periods)]))
    value, unit, period = np.array(rows).T
    return value, np.full(len(value), 100.0), unit, period


def test_values_of_other_times_are_not_compared():
    """The page opened with two suites of a distribution that hardly have texts of the same times."""
    value, words, unit, period = documents_of({0: 30, 1: 30, 2: 25}, {0: 900, 1: 600, 2: 500})
    assert comparable_values(value, words, unit, period, 3) == (0, 2)
    assert comparable_values(value, words, unit, None, 3) == (0, 1), "time is not held constant"


def test_values_of_many_units_are_compared():
    sizes = {0: 900, 2: 600, 3: 500}
    value, words, unit, period = documents_of({0: 30, 2: 3, 3: 25}, sizes)
    assert comparable_values(value, words, unit, period, 4) == (0, 3)
    assert comparable_values(value, words, None, period, 4) == (0, 2), "each document is a unit"


def test_values_of_few_units_are_compared_where_no_others_can_be():
    value, words, unit, period = documents_of({0: 30, 1: 30, 2: 6}, {0: 900, 1: 600, 2: 300})
    assert comparable_values(value, words, unit, period, 3) == (0, 2)
    value, words, unit, period = documents_of({0: 30, 1: 30, 2: 4}, {0: 900, 1: 600, 2: 400})
    assert comparable_values(value, words, unit, period, 3) is None


def test_what_does_not_count_is_left_out():
    value, words, unit, period = documents_of({0: 30, 2: 30, 3: 30}, {0: 900, 2: 600, 3: 500})
    words[value == 2] = 0.0
    period[(value == 3) & (np.arange(len(value)) % 2 == 0)] = -1
    value[value == 0] = 4
    assert comparable_values(value, words, unit, period, 4) is None, "4 is of other values"
    value[value == 4] = 0
    assert comparable_values(value, words, unit, period, 4) == (0, 3)
