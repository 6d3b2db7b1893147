"""One estimator: number, interval, ratio and verdict say the same, and equal their slow twins."""

import sys

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.special import stdtr

from inference.answers import (
    AmountTable,
    CountedTopics,
    Obstacle,
    Question,
    QuestionFamily,
    Verdict,
    answer,
    answer_question_family,
    exchanges,
    question,
    sides,
    unit_sums,
)
from inference.answers.acceptance import accept
from inference.answers.ratio import fieller
from inference.errors import Invalid
from tests.inference import naive_answers

answer_module = sys.modules[answer.__module__]  # its name in the package is the function
TOPICS = 6
OF_THEIR_OWN = range(8, 13)  # genres that have a subject that others hardly have


def collection(chance, documents, units, differ=0.0, topics=TOPICS):
    """(outcome, group, unit): documents of a unit are alike; units of group 0 have more of the
    first topic; one document is empty."""
    group_of_unit = np.arange(units) % 3
    mean = np.full(topics, 1 / topics)
    own = chance.dirichlet(mean * 3 * topics, units)
    own[group_of_unit == 0, 0] += differ
    own /= own.sum(axis=1, keepdims=True)
    unit = np.concatenate([np.arange(units), chance.integers(0, units, documents - units)])
    sizes = chance.integers(5, 60, documents)
    sizes[0] = 0
    amounts = np.array([chance.multinomial(n, own[u]) for n, u in zip(sizes, unit, strict=True)])
    outcome = AmountTable(csr_matrix(amounts.astype(float)), sizes.astype(float))
    return outcome, group_of_unit[unit], unit


@pytest.mark.parametrize("crossing", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_shares_errors_and_freedom_are_the_textbooks(seed, crossing):
    chance = np.random.default_rng(seed)
    outcome, group, unit = collection(chance, 90, 14, differ=0.3)
    if crossing:
        group = chance.integers(0, 3, len(group))
    asked = question.of_values(group, 3, unit)
    some = outcome.sizes > 0
    amounts = outcome.amounts.toarray()[some]
    for place, found in enumerate(answer_question_family(outcome, asked)):
        on_a = (group[some] == place).astype(int)
        for topic in range(TOPICS):
            a, b, robust, df, pooled = naive_answers.difference(
                amounts[:, topic], outcome.sizes[some], on_a, unit[some]
            )
            assert found.a[topic] == pytest.approx(a)
            assert found.b[topic] == pytest.approx(b)
            assert found.difference[topic] == pytest.approx(a - b)
            assert found.df == pytest.approx(df)
            if not crossing:
                assert found.error[topic] == pytest.approx(np.sqrt(max(robust, pooled)))
            assert found.error[topic] ** 2 >= robust * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("all_are_made", [True, False])
def test_exchanges_give_the_p_of_all_exchanges(seed, all_are_made, monkeypatch):
    """To the last digit where all are made, else nearly."""
    chance = np.random.default_rng(seed)
    sizes = chance.integers(50, 500, 9).astype(float)
    amounts = np.array([chance.multinomial(int(n), [0.2, 0.8]) for n in sizes]).astype(float)
    on_a = np.arange(9) < 4
    every = naive_answers.every_exchange(amounts[:, 0], sizes, on_a.astype(int))
    apart, error = naive_answers.error(amounts[:, 0], sizes, on_a.astype(int))
    exact = (every >= abs(apart) / error - 1e-9).mean()
    prepared = sides.prepare(amounts, sizes)
    seen = sides.of_nested(prepared, on_a[None])
    if not all_are_made:
        monkeypatch.setattr(exchanges, "MOST_DIVISIONS", 0)
    exchanged = exchanges.exchange(prepared, 4, np.abs(seen.difference) / seen.error)
    assert exchanged.complete is all_are_made
    p = exchanged.p(exchanged.reached[0])[0]
    assert p == pytest.approx(exact, abs=1e-12 if all_are_made else 0.03)
    critical, beyond = exchanged.critical(0.95)
    assert not beyond
    assert (every > critical[0] + 1e-9).mean() <= (0.05 if all_are_made else 0.06)


def test_the_clearest_of_all_divisions_is_beyond_chance():
    """Of six units against twelve no other division is as clear, and of 180 rows one is accepted,
    whatever would have been drawn: among 4,999 draws the sides as they are come again in one of
    four collections."""
    sizes = np.full(18, 1_000.0)
    for seed in range(12):
        chance = np.random.default_rng(seed)
        side = chance.permutation(18) < 6
        amounts = chance.multinomial(1_000, np.full(180, 1 / 180), 18).astype(float)
        amounts[:, 0] = np.where(side, 400, 10) + chance.integers(0, 9, 18)
        asked = question.of_two_sets(side, ~side, None)
        found = answer(AmountTable(csr_matrix(amounts), sizes), asked)
        assert found.p[0] == pytest.approx(1 / 18_564)
        assert found.accepted[0]


def genres(chance) -> tuple[AmountTable, np.ndarray]:
    """500 documents of 13 genres, each with most of its words on few of 40 subjects; a third of the
    documents of each of the last five genres is about a subject of the genre's own, which some other
    documents have, too."""
    group = np.repeat(np.arange(13), [80, 75, 48, 44, 36, 30, 50, 29, 29, 27, 18, 17, 17])
    shares = chance.dirichlet(np.full(40, 0.03), 500)
    for genre in OF_THEIR_OWN:
        of_genre = np.flatnonzero(group == genre)
        about_it = of_genre[: len(of_genre) * 2 // 5]
        shares[group != genre, genre] *= 0.5
        shares[about_it] = 0.05 / 39
        shares[about_it, genre] = 0.95
    sizes = chance.integers(600, 1_000, 500).astype(float)
    return AmountTable(csr_matrix(np.round(shares * sizes[:, None])), sizes), group


def test_a_small_group_of_many_documents_is_judged_by_exchanges():
    """Church had 37% of the words of religion, 1.5% elsewhere, in 500 documents, and was said to be
    chance: t of 17 documents expects the one that all have and nobody of these has."""
    outcome, group = genres(np.random.default_rng(4))
    asked = question.of_values(group, 13, None)
    rows = answer_question_family(outcome, asked)
    by_t: list[float] = []
    for genre in OF_THEIR_OWN:
        found = rows[genre]
        assert found.calibrated == "exchanged"
        assert found.accepted[genre] and found.difference[genre] > 0.2
        errors = abs(found.difference[genre]) / found.error[genre]
        by_t.append(2 * stdtr(found.df, -errors))
    assert max(by_t) > 1 - rows[0].level, "by t not all of them could be accepted"


def test_exchanges_of_some_topics_are_those_of_all(monkeypatch):
    outcome, group = genres(np.random.default_rng(4))
    asked = question.of_values(group, 13, None)
    some = answer_question_family(outcome, asked)
    monkeypatch.setattr(answer_module, "FEW_UNITS", 500)
    every = answer_question_family(outcome, asked)
    for of_some, of_every in zip(some, every, strict=True):
        by_t = 2 * stdtr(of_some.df, -np.abs(of_some.difference) / of_some.error)
        found_by_t = by_t <= 0.05
        assert (of_some.p[found_by_t] == of_every.p[found_by_t]).all()
        assert (of_some.accepted == of_every.accepted).all()
        assert (of_some.low[found_by_t] == of_every.low[found_by_t]).all()


def test_where_exchanges_take_too_long_t_decides(monkeypatch):
    monkeypatch.setattr(answer_module, "MOST_CELLS_OF_SMALL_SIDES", 0)
    outcome, group = genres(np.random.default_rng(4))
    found = answer_question_family(outcome, question.of_values(group, 13, None))
    assert {row.calibrated for row in found} == {"t"}


def test_of_genres_that_are_shuffled_few_differ():
    """As many shuffles as one in twenty may err, in the middle: of 40 two."""
    outcome, group = genres(np.random.default_rng(4))
    false = 0
    for seed in range(40):
        shuffled = np.random.default_rng((9, seed)).permutation(group)
        rows = answer_question_family(outcome, question.of_values(shuffled, 13, None))
        false += any(row.accepted.any() for row in rows)
    assert false <= 4


# units; documents for each; how much the groups differ: exchanged, by t, and where units cross
@pytest.mark.parametrize(
    ("units", "documents", "differ", "crossing"),
    [(16, 60, 0.0, False), (30, 90, 0.2, False), (60, 200, 0.4, False), (240, 500, 0.3, False)]
    + [(30, 300, 0.0, True), (60, 400, 0.0, True)],
)
@pytest.mark.parametrize("seed", range(5))
def test_a_row_is_accepted_where_both_intervals_exclude_no_difference(
    units, documents, differ, crossing, seed
):
    chance = np.random.default_rng((seed, units))
    outcome, group, unit = collection(chance, documents, units, differ)
    if crossing:
        group = (group + (chance.random(len(group)) < 0.3)) % 3
    accepted = 0
    for found in answer_question_family(outcome, question.of_values(group, 3, unit)):
        told = ~np.isnan(found.p)
        outside = (found.low > 0) | (found.high < 0)
        ratio_outside = (found.ratio_low > 1) | (found.ratio_high < 1)
        small = found.p <= (1 - found.level) * (1 + 1e-9)
        assert (found.accepted == outside).all()
        assert (found.accepted[told] == ratio_outside[told]).all()
        assert (found.accepted[told] == small[told]).all()
        inside = (found.ratio_low <= found.ratio) & (found.ratio <= found.ratio_high)
        assert inside[told].all()
        accepted += int(found.accepted.sum())
    assert accepted if differ >= 0.3 else True


@pytest.mark.parametrize("seed", range(40))
def test_the_ratios_interval_is_what_passes_the_test(seed):
    chance = np.random.default_rng(seed)
    a, b = chance.random(2) * chance.choice([0.01, 1.0], 2)
    spread = chance.random(2) * chance.choice([0.05, 0.5, 2.0])
    correlation = chance.uniform(-0.9, 0.95)
    variance_a, variance_b = spread**2 * [a, b] ** np.array(2.0)
    covariance = correlation * np.sqrt(variance_a * variance_b)
    critical = chance.uniform(1, 5)
    given = a, b, variance_a, variance_b, covariance, critical
    low, high = (float(end[0]) for end in fieller(*(np.array([value]) for value in given)))
    assert low <= a / b <= high
    # From a / b outwards, the first ratio that fails is beyond the end
    for values, end in (
        (np.linspace(a / b, 0, 4_000), low),
        (a / b * np.geomspace(1, 1e5, 4_000), high),
    ):
        passed = [naive_answers.in_ratio(r, *given) for r in values]
        failed = [i for i, good in enumerate(passed) if not good]
        last = values[failed[0] - 1] if failed else values[-1]
        first = values[failed[0]] if failed else (0.0 if values[-1] == 0 else np.inf)
        assert min(last, first) * (1 - 1e-6) - 1e-12 <= end <= max(last, first) * (1 + 1e-6)


def test_of_two_parts_the_interval_is_the_one_that_holds_the_ratio():
    """Where both shares may be nothing and go together: a larger share a does not mean that the
    ratio lies in the farther part."""
    numbers = (0.0333, 0.0195, 5e-5, 1.495e-5, 2.7e-5, 5.0565)
    low, high = (float(end[0]) for end in fieller(*(np.array([value]) for value in numbers)))
    assert low == 0 and 0.0333 / 0.0195 < high < np.inf
    assert naive_answers.in_ratio(high * 0.999, *numbers)
    assert not naive_answers.in_ratio(high * 1.001, *numbers)
    assert naive_answers.in_ratio(high * 100, *numbers)


@pytest.mark.parametrize("seed", range(10))
def test_one_is_outside_exactly_where_the_difference_is_sure(seed):
    """Also where the interval has two parts, or no end."""
    chance = np.random.default_rng(seed)
    n = 2_000
    share_a, share_b = chance.random((2, n)) * chance.choice([0.01, 1.0], (2, n))
    spread_a, spread_b = chance.random((2, n))
    variance_a = (spread_a * share_a) ** 2
    variance_b = (spread_b * share_b) ** 2
    covariance = chance.uniform(-0.99, 0.999, n) * np.sqrt(variance_a * variance_b)
    critical = chance.uniform(1, 6, n)
    low, high = fieller(share_a, share_b, variance_a, variance_b, covariance, critical)
    error = np.sqrt(variance_a + variance_b - 2 * covariance)
    is_sure = np.abs(share_a - share_b) > critical * error
    assert (((low > 1) | (high < 1)) == is_sure).all()
    ratio = share_a / share_b
    assert ((low <= ratio * (1 + 1e-9)) & (ratio <= high * (1 + 1e-9))).all()


def test_of_nothing_elsewhere_the_ratio_is_at_least_something():
    outcome, group, unit = collection(np.random.default_rng(8), 400, 60, differ=0.8)
    amounts = outcome.amounts.toarray()
    amounts[group != 0, 0] = 0
    outcome = AmountTable(csr_matrix(amounts), amounts.sum(axis=1))
    found = answer(outcome, question.of_values(group, 3, unit))
    assert found.accepted[0]
    assert found.ratio[0] == found.ratio_high[0] == np.inf
    assert 1 < found.ratio_low[0] < np.inf
    given = (np.array([value]) for value in (0.4, 0.0, 1e-4, 0.0, 0.0, 3.0))
    assert np.array(fieller(*given)).ravel().tolist() == [np.inf, np.inf]


def test_of_two_units_a_ratio_may_be_anything():
    """Their critical value is beyond all numbers; warnings are errors here."""
    given = (np.array([value]) for value in (0.4, 0.2, 1e-4, 1e-4, 0.0, 1e200))
    assert np.array(fieller(*given)).ravel().tolist() == [0.0, np.inf]


def test_all_rows_of_a_family_share_one_level():
    outcome, group, unit = collection(np.random.default_rng(1), 400, 60, differ=0.5)
    found = answer_question_family(outcome, question.of_values(group, 3, unit))
    accepted = sum(int(row.accepted.sum()) for row in found)
    assert accepted > 1
    assert {row.level for row in found} == {1 - 0.05 * accepted / (3 * TOPICS)}
    assert {row.rows for row in found} == {3 * TOPICS}


@pytest.mark.parametrize(
    ("p", "rows", "accepted", "level"),
    [
        ([0.001, 0.02, 0.9, np.nan], 3, 2, 1 - 0.05 * 2 / 3),
        ([0.4, 0.9], 2, 0, 1 - 0.05 / 2),
        ([np.nan], 0, 0, 0.95),
        ([0.03, 0.04, 0.05], 3, 3, 0.95),
    ],
)
def test_the_level_follows_what_is_accepted(p, rows, accepted, level):
    found = accept(np.array(p))
    assert (found.rows, found.accepted) == (rows, accepted)
    assert found.level == pytest.approx(level)


def test_of_few_units_nothing_is_said():
    outcome, group, unit = collection(np.random.default_rng(2), 60, 12)
    found = answer(outcome, question.of_values(group, 3, unit))
    assert found.units == (4, 8)
    assert found.obstacle == found.verdict_of(0) == "few units"
    assert np.isnan(found.low).all()
    assert np.isnan(found.ratio_high).all()
    assert not found.accepted.any()


def test_a_topic_that_few_units_have_is_not_told():
    outcome, group, unit = collection(np.random.default_rng(3), 200, 30)
    amounts = outcome.amounts.toarray()
    amounts[unit >= 4, 1] = 0
    found = answer(
        AmountTable(csr_matrix(amounts), outcome.sizes), question.of_values(group, 3, unit)
    )
    assert found.holding[1] == 4
    assert found.verdict_of(1) is Verdict.FEW_UNITS_HAVE_IT
    assert found.verdict_of(0) is not Verdict.FEW_UNITS_HAVE_IT


def test_one_units_doing_is_told_as_its_own():
    chance = np.random.default_rng(4)
    units = 60
    unit = np.repeat(np.arange(units), 5)
    group = np.array([0, 1, 1])[unit % 3]
    amounts = np.stack([chance.poisson(2, len(unit)), np.full(len(unit), 20)], axis=1).astype(float)
    amounts[group == 0, 0] += (
        10  # units of group 0 differ, and nearly all of the third topic is 3's
    )
    third = np.where(unit == 3, 40.0, 0.5 * (group == 0))
    amounts = np.column_stack([amounts, third])
    outcome = AmountTable(csr_matrix(amounts), amounts.sum(axis=1))
    found = answer(outcome, question.of_values(group, 2, unit))
    assert found.accepted[0]
    assert found.verdict_of(0) is Verdict.BEYOND_CHANCE
    assert found.part[0] < 0.2
    assert found.without[0] == pytest.approx(found.difference[0], rel=0.1)
    if found.accepted[2]:
        assert (found.largest[2], found.verdict_of(2)) == (3, "one unit")
        assert found.part[2] > 0.5
    assert np.isnan(found.part[~found.accepted]).all()


def test_counted_topics_sum_as_a_table_does():
    chance = np.random.default_rng(5)
    outcome, group, unit = collection(chance, 120, 20)
    amounts = outcome.amounts
    counted = CountedTopics(
        amounts.indptr.astype(np.int64),
        amounts.indices.astype(np.uint16),
        amounts.data.astype(np.int32),
        outcome.sizes.astype(np.int64),
        np.array([0, 1, 2, -1, 3, 1], np.int32),
        4,
    )
    into = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0] * 4, [0, 0, 0, 1], [0, 1, 0, 0]])
    assert counted.summed(group, 3) == pytest.approx(outcome.summed(group, 3) @ into)
    found = answer(counted, question.of_values(group, 3, unit))
    assert found.a[0] == answer(outcome, question.of_values(group, 3, unit)).a[0]


def test_units_that_are_added_up_change_no_share(monkeypatch):
    chance = np.random.default_rng(6)
    outcome, group, _ = collection(chance, 3_000, 2_999, differ=0.3)
    asked = question.of_values(group, 3, None)
    alone = answer_question_family(outcome, asked)
    monkeypatch.setattr(unit_sums, "MOST_UNITS", 300)
    for whole, added_up in zip(alone, answer_question_family(outcome, asked), strict=True):
        assert added_up.difference == pytest.approx(whole.difference)
        assert added_up.error == pytest.approx(whole.error, rel=0.2)
        assert added_up.units == whole.units
        assert (added_up.largest == -1).all()
        assert 200 < added_up.df < whole.df


def test_a_field_of_two_values_is_asked_once():
    group = np.array([0, 1, 0, 1, -1])
    assert question.of_values(group, 2, None).asked_groups.tolist() == [0]
    assert question.of_values(np.array([0, 1, 2]), 3, None).asked_groups.tolist() == [0, 1, 2]
    assert question.of_values(
        np.array([0, 1, 2]), 3, None, np.array([1])
    ).asked_groups.tolist() == [1]


def test_two_sets_may_not_share_documents():
    side_a = np.array([True, True, False])
    side_b = np.array([False, True, True])
    with pytest.raises(Invalid, match="got 1 that are in both"):
        question.of_two_sets(side_a, side_b, None)
    asked = question.of_two_sets(side_a, np.array([False, False, True]), None)
    assert (asked.group.tolist(), asked.family) == ([0, 0, 1], QuestionFamily.CHOSEN)


@pytest.mark.parametrize("crossing", [False, True])
def test_sides_may_be_turned_to_the_last_digit(crossing):
    outcome, group, unit = collection(np.random.default_rng(9), 300, 40, differ=0.5)
    if crossing:
        unit = unit // 2
    sides_asked = group == 0, group == 1
    found = answer(outcome, question.of_two_sets(*sides_asked, unit))
    turned = answer(outcome, question.of_two_sets(*sides_asked[::-1], unit))
    assert found.accepted.any()
    for name in ("a", "b", "difference", "low", "high", "p", "accepted", "part", "without"):
        assert np.array_equal(getattr(found.turned, name), getattr(turned, name), equal_nan=True)
    for name in ("ratio", "ratio_low", "ratio_high", "ratio_without"):
        assert getattr(found.turned, name) == pytest.approx(getattr(turned, name), nan_ok=True)
    assert found.turned.units == turned.units


def test_a_side_without_documents_has_no_answer():
    outcome, group, unit = collection(np.random.default_rng(7), 60, 12)
    asked = Question(np.where(group == 1, -1, group), 3, np.array([1]), unit, QuestionFamily.VALUE)
    found = answer(outcome, asked)
    assert found.obstacle is Obstacle.FEW_UNITS
    assert np.isnan(found.difference).all()


def test_where_no_document_is_asked_about_there_is_no_answer_and_no_warning():
    outcome, group, unit = collection(np.random.default_rng(7), 60, 12)
    for of_each in (unit, None):
        asked = Question(np.full_like(group, -1), 3, np.arange(3), of_each, QuestionFamily.VALUE)
        for found in answer_question_family(outcome, asked):
            assert found.obstacle is Obstacle.FEW_UNITS
            assert np.isnan(found.difference).all()


def test_shuffled_units_are_hardly_ever_told_apart():
    """Of 20 collections without a difference, with 8 to 30 units a side, few may have an accepted
    row: 5% are expected."""
    wrong = 0
    for seed in range(20):
        chance = np.random.default_rng(100 + seed)
        outcome, group, unit = collection(chance, 240, int(chance.integers(24, 90)))
        found = answer_question_family(outcome, question.of_values(group, 3, unit))
        wrong += any(row.accepted.any() for row in found)
    assert wrong <= 3


@pytest.mark.parametrize("level", [None, 0.95])
def test_of_very_few_units_rounding_decides_nothing(level):
    """Of five units against five an exchange may be the very sides: the largest that chance makes is
    then what was seen, and neither interval may exclude "no difference"."""
    for seed in range(60):
        chance = np.random.default_rng(seed)
        sizes = chance.integers(500, 5_000, 10).astype(float)
        shares = chance.dirichlet(np.full(30, 0.2), 10)
        amounts = chance.multinomial(sizes.astype(int), shares).astype(float)
        side = np.repeat([0, 1], 5)
        outcome = AmountTable(csr_matrix(amounts), sizes)
        asked = question.of_two_sets(side == 0, side == 1, None)
        found = answer(outcome, asked, level=level)
        known = ~np.isnan(found.p)
        outside = (found.low > 0) | (found.high < 0)
        ratio_outside = (found.ratio_low > 1) | (found.ratio_high < 1)
        assert (found.accepted == outside)[known].all(), seed
        assert (found.accepted == ratio_outside)[known].all(), seed
        assert (found.accepted == (found.p <= 1 - found.level + 1e-9))[known].all(), seed


@pytest.mark.parametrize("largest", [5, 300, 1 << 40])
def test_codes_are_numbered_as_sorting_them_would(largest):
    from inference.answers import unit_sums

    codes = np.random.default_rng(largest).integers(0, largest, 200)
    different, place = unit_sums.number_codes(codes)
    expected, inverse = np.unique(codes, return_inverse=True)
    assert different.tolist() == expected.tolist()
    assert place.tolist() == inverse.tolist()


def test_an_obstacle_is_the_verdict_of_every_topic():
    for obstacle in Obstacle:
        assert Verdict(obstacle) == obstacle.value
    of_their_own = {Verdict.BEYOND_CHANCE, Verdict.CHANCE, Verdict.FEW_UNITS_HAVE_IT}
    assert set(Verdict) - {Verdict(obstacle) for obstacle in Obstacle} == {
        *of_their_own,
        Verdict.ONE_UNIT,
    }
