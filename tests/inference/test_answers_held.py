"""Differences with other things held constant: the same as without where nothing is, an error that
covers both, and units exchanged within what is held constant."""

import numpy as np
import pytest

from inference.answers import CountedTopics, answer, question
from inference.answers.held import ComparedSettings, answer_held
from inference.effects import regression, time_curve, unit_documents
from tests.inference import naive_effects
from tests.inference.test_answers import TOPICS, collection


def counted(outcome):
    """The same as a run's evidence has it: arrays, and which column each topic is."""
    amounts = outcome.amounts
    arrays = (
        amounts.indptr.astype(np.int64),
        amounts.indices.astype(np.uint16),
        amounts.data.astype(np.int32),
        outcome.sizes.astype(np.int64),
    )
    return arrays, np.arange(TOPICS, dtype=np.int32)


def data_of(outcome, unit, cell):
    arrays, into = counted(outcome)
    return regression.Data.from_documents(unit_documents.by_code(unit), cell, arrays, into, TOPICS)


@pytest.mark.parametrize("units_drawn", [20, 60])
def test_with_nothing_held_it_is_the_answer_of_two_sets(units_drawn):
    outcome, group, unit = collection(np.random.default_rng(1), 300, units_drawn, differ=0.3)
    side = np.where(group == 0, 0, 1)
    settings = ComparedSettings(
        rows=np.array([[1.0, 1.0], [1.0, 0.0]]),
        compared=np.array([[1.0, 1.0], [1.0, 0.0]]),
        side=np.array([0, 1]),
        held=np.ones((2, 1)),
    )
    found = answer_held(data_of(outcome, unit, side), settings)
    arrays, into = counted(outcome)
    plain = answer(
        CountedTopics(*arrays, into, TOPICS), question.of_two_sets(side == 0, side == 1, unit)
    )
    assert found.a == pytest.approx(plain.a)
    assert found.difference == pytest.approx(plain.difference)
    assert found.df == pytest.approx(plain.df)
    assert found.units == plain.units
    # The pooled errors differ by what each divides by: 1 - leverage in all words, or in the side's
    assert found.error == pytest.approx(plain.error, rel=0.15)
    assert found.calibrated == plain.calibrated == "exchanged"


@pytest.mark.parametrize("seed", range(3))
def test_the_error_is_the_larger_of_the_textbooks(seed):
    chance = np.random.default_rng(seed)
    outcome, group, unit = collection(chance, 120, 15)
    period = chance.integers(0, 4, len(group))
    side = np.where(group == 0, 0, 1)
    cell = 4 * side + period
    design = np.array([[1.0, t, s == 0] for s in (0, 1) for t in range(4)])
    settings = ComparedSettings(
        rows=design,
        compared=np.array([[1.0, 1.5, 1.0], [1.0, 1.5, 0.0]]),
        side=np.repeat([0, 1], 4),
        held=design[:, :2],
        time=period.astype(float),
    )
    found = answer_held(data_of(outcome, unit, cell), settings)
    some = outcome.sizes > 0
    sizes = outcome.sizes[some]
    amounts = outcome.amounts.toarray()[some]
    rows = design[cell[some]]
    for topic in range(TOPICS):
        share = amounts[:, topic] / sizes
        textbook = naive_effects.regression(share, sizes, rows, unit[some], [[0, 0, 1.0]])
        estimate, robust, df = textbook[0]
        inverse = np.linalg.inv(rows.T @ (sizes[:, None] * rows))
        beta = inverse @ rows.T @ amounts[:, topic]
        spread = 0.0
        for code in set(unit[some]):
            own = unit[some] == code
            residual = (
                amounts[own, topic].sum() - (sizes[own, None] * rows[own] @ beta[:, None]).sum()
            )
            spread += residual**2 / (1 - sizes[own].sum() / sizes.sum())
        pooled = spread / sizes.sum() * inverse[2, 2]
        assert found.difference[topic] == pytest.approx(estimate)
        assert found.df == pytest.approx(df)
        assert found.error[topic] == pytest.approx(np.sqrt(max(robust, pooled)))


def followed(chance):
    """Sides that follow time, and topics that do, too, and nothing else: (data, settings)."""
    own_units = 60
    time_of_unit = np.sort(chance.random(own_units))
    side_of_unit = (chance.random(own_units) < time_of_unit).astype(int)
    unit = np.repeat(np.arange(own_units), 4)
    period = np.minimum((time_of_unit[unit] * 8).astype(int), 7)
    share = 0.1 + 0.5 * time_of_unit[unit]
    sizes = chance.integers(20, 60, len(unit))
    first = chance.binomial(sizes, np.clip(share + 0.05 * chance.standard_normal(len(unit)), 0, 1))
    amounts = np.stack([first, sizes - first], axis=1)
    side = side_of_unit[unit]
    cell = (8 * side + period).astype(np.int32)
    words = np.bincount(cell, weights=sizes, minlength=16)
    trend = time_curve.spline(np.tile(np.arange(8), 2), words)
    of_side = np.repeat([0, 1], 8)
    arrays = (
        np.arange(0, 2 * len(unit) + 1, 2),
        np.tile([0, 1], len(unit)),
        amounts.ravel(),
        sizes,
    )
    data = regression.Data.from_documents(
        unit_documents.by_code(unit), cell, arrays, np.arange(2), 2
    )
    base = trend.mean(axis=0)
    settings = ComparedSettings(
        rows=np.column_stack([trend, of_side == 0]).astype(float),
        compared=np.array([[*base, 1.0], [*base, 0.0]]),
        side=of_side,
        held=trend,
        time=period.astype(float),
    )
    return data, settings, side


def test_what_follows_time_is_not_told_of_the_sides():
    """Of 20 collections whose sides differ by their times only, few are called different with time
    held constant, and nearly all without."""
    held = plain = 0
    for seed in range(20):
        data, settings, side = followed(np.random.default_rng(seed))
        found = answer_held(data, settings)
        assert found.calibrated == "exchanged"
        outside = (found.low > 0) | (found.high < 0)
        assert (found.accepted == outside).all()
        held += found.accepted.any()
        alone = settings._replace(
            rows=settings.rows[:, [0, -1]],
            compared=np.array([[1.0, 1.0], [1.0, 0.0]]),
            held=settings.held[:, :1],
            time=None,
        )
        plain += answer_held(data, alone).accepted.any()
    assert held <= 3
    assert plain >= 15


LEVELS = 51  # of a number
MANY_TOPICS = 20


def along_a_number(chance, own_units: int, within: float = 0.0):
    """Units that differ in what they say and in a number, and of which the one says nothing of the
    other. within: how much the number varies within units. (data, settings)"""
    number = chance.standard_normal(own_units)
    unit = np.repeat(np.arange(own_units), chance.integers(1, 12, own_units))
    number = number[unit] + within * chance.standard_normal(len(unit))
    level = np.rint((number - number.min()) / np.ptp(number) * (LEVELS - 1)).astype(np.int32)
    shares = 1 / np.arange(1, MANY_TOPICS + 1)
    of_unit = chance.dirichlet(6 * shares / shares.sum() + 1e-3, own_units)
    sizes = np.maximum(400 * np.exp(0.8 * chance.standard_normal(len(unit))), 30).astype(int)
    amounts = chance.multinomial(sizes, of_unit[unit])
    arrays = (
        np.arange(0, amounts.size + 1, MANY_TOPICS),
        np.tile(np.arange(MANY_TOPICS), len(unit)),
        amounts.ravel(),
        sizes,
    )
    topics = np.arange(MANY_TOPICS)
    data = regression.Data.from_documents(
        unit_documents.by_code(unit), level, arrays, topics, MANY_TOPICS
    )
    settings = ComparedSettings(
        rows=np.column_stack([np.ones(LEVELS), np.arange(LEVELS) / LEVELS]),
        compared=np.array([[1.0, 0.9], [1.0, 0.1]]),
        side=None,
        held=np.ones((LEVELS, 1)),
    )
    return data, settings


def test_a_slope_is_judged_by_exchanges_where_the_number_is_the_units_own():
    """Nothing is true: of 40 collections at most five percent are called, as far as chance goes; a
    row is accepted exactly where its interval excludes none."""
    called = 0
    for seed in range(40):
        found = answer_held(*along_a_number(np.random.default_rng(seed), 14 + seed))
        assert found.calibrated == "exchanged"
        outside = (found.low > 0) | (found.high < 0)
        assert (found.accepted == outside).all()
        called += found.accepted.any()
    assert called <= 4
    changing = answer_held(*along_a_number(np.random.default_rng(0), 20, within=1.0))
    assert changing.calibrated == "t"


def test_exchanges_of_a_slope_have_its_own_statistic(monkeypatch):
    """Without an exchange they give the difference in errors that the regression itself does."""
    from inference.answers import held

    data, settings = along_a_number(np.random.default_rng(3), 30)
    rows = []
    monkeypatch.setattr(held.rng, "uniforms", in_their_order)
    monkeypatch.setattr(
        held, "with_exchanges", lambda row, reached, exchanged: rows.append((row, exchanged)) or row
    )
    answer_held(data, settings)
    row, exchanged = rows[0]
    # CR2 weighs a unit's documents one by one, exchanges the unit as a whole
    assert exchanged.largest[-1] == pytest.approx(row.size, rel=0.05)


def in_their_order(streams, n):
    """Draws that leave all units where they are."""
    return np.broadcast_to(np.linspace(0, 0.5, n), (len(streams), n))
