"""Changes over time: number, interval and verdict say the same, equal their slow twins, and chance
alone is no change."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from inference.answers import Obstacle, Verdict, span_chance, spans
from inference.answers.outcome import AmountTable
from inference.kernels import rng, spans as kernels
from tests.inference import naive_spans

TOPICS = 12
PERIODS = 40


def collection(seed, *, units=0, documents=900, rise=1.0, since=25, until=PERIODS):
    """(outcome, place, unit): documents of units that are alike, where there are any; the first
    topic is `rise` times as likely in a span."""
    chance = np.random.default_rng(seed)
    place = np.sort(chance.integers(0, PERIODS, documents))
    unit = chance.integers(0, max(units, 1), documents)
    usual = chance.dirichlet(np.full(TOPICS, 2.0)) * 12
    own = chance.dirichlet(usual, max(units, 1)) * 12 if units else usual[None]
    weights = own[unit]
    weights[(place >= since) & (place < until), 0] *= rise
    shares = np.array([chance.dirichlet(row + 1e-3) for row in weights])
    sizes = chance.integers(30, 120, documents)
    amounts = [chance.multinomial(n, share) for n, share in zip(sizes, shares, strict=True)]
    return AmountTable(csr_matrix(np.array(amounts, float)), sizes.astype(float)), place, unit


def looked(seed, units=0, **made):
    outcome, place, unit = collection(seed, units=units, **made)
    speakers = spans.Speakers(unit, 0.1) if units else None
    return spans.look_through(outcome, spans.Periods(place, place + 1), speakers)


def told(found):
    """{topic: the first span that is beyond chance}."""
    accepted = {}
    for topic in range(TOPICS):
        for candidate in found.candidates(topic):
            on_b = None if candidate.shape != "line" else candidate.outside
            answers = found.answer(candidate.inside, on_b)
            if answers.accepted[topic] and answers.verdict_of(topic) is Verdict.BEYOND_CHANCE:
                accepted[topic] = candidate
                break
    return accepted


@pytest.mark.parametrize("seed", range(4))
def test_the_largest_excess_is_that_of_a_loop(seed):
    chance = np.random.default_rng(seed)
    weight = chance.dirichlet(np.ones(17))
    sums = chance.standard_normal((17, 3))
    sums -= weight[:, None] * sums.sum(axis=0)
    kinds = span_chance.kinds_of(weight, 1 / 3, 0.1)
    found = span_chance.largest_excess(sums, weight, kinds)
    for column in range(3):
        twin = naive_spans.largest(sums[:, column], weight, *kinds)
        assert found[:, :, column].T == pytest.approx(np.array(twin), rel=1e-5, abs=1e-6)


def test_cells_change_places_with_those_of_their_pool_alone():
    period = np.arange(12)
    placed = np.empty_like(period)
    starts = np.array([0, 3, 3, 12])
    seen = set()
    for number in range(60):
        kernels.exchange(period, starts, rng.stream(rng.PERIODS_OF_CELLS, number), placed)
        assert sorted(placed[:3]) == [0, 1, 2] and sorted(placed[3:]) == list(range(3, 12))
        seen.add(tuple(placed[:3]))
    assert len(seen) == 6


def test_shares_of_documents_are_as_they_were_counted():
    found = looked(1)
    amounts = found.outcome.amounts.toarray()
    inside = (found.position >= 7) & (found.position < 12)
    answers = found.answer(inside)
    words = found.outcome.sizes
    a = amounts[inside].sum(axis=0) / words[inside].sum()
    b = amounts[~inside].sum(axis=0) / words[~inside].sum()
    assert answers.a == pytest.approx(a) and answers.b == pytest.approx(b)
    assert answers.difference == pytest.approx(a - b)


def test_what_units_always_say_is_held_constant_as_a_loop_does():
    found = looked(2, units=15)
    outcome, _, unit = collection(2, units=15)
    inside = (found.position >= 7) & (found.position < 12)
    answers = found.answer(inside)
    for topic in range(3):
        x = outcome.amounts[:, [topic]].toarray()[:, 0]
        twin = naive_spans.difference_with_mix_held(x, outcome.sizes, unit, inside, 0.1)
        assert answers.difference[topic] == pytest.approx(twin, rel=1e-5)


@pytest.mark.parametrize("units", [0, 15])
@pytest.mark.parametrize("seed", range(3))
def test_a_span_is_accepted_exactly_where_its_interval_excludes_no_difference(seed, units):
    found = looked(seed, units, rise=3.0)
    chance = np.random.default_rng(seed)
    accepted = 0
    for _ in range(40):
        first, end = np.sort(chance.choice(PERIODS + 1, 2, replace=False))
        answers = found.answer((found.position >= first) & (found.position < end))
        known = ~np.isnan(answers.p)
        outside = (answers.low > 0) | (answers.high < 0)
        of_ratio = (answers.ratio_low > 1) | (answers.ratio_high < 1)
        assert np.array_equal(answers.accepted[known], outside[known])
        assert np.array_equal(answers.accepted[known], of_ratio[known])
        accepted += int(answers.accepted.sum())
    assert accepted


def test_a_span_and_all_other_time_are_one_question():
    found = looked(3, rise=3.0)
    for first, end in ((0, 9), (25, PERIODS), (38, PERIODS), (0, 39)):
        inside = (found.position >= first) & (found.position < end)
        there = found.answer(inside)
        back = found.answer(~inside)
        for name in ("difference", "p", "accepted"):
            turned = -1 if name == "difference" else 1
            assert np.array_equal(getattr(there, name), turned * getattr(back, name))
        assert np.array_equal(there.low, -back.high)


@pytest.mark.parametrize("units", [0, 15])
def test_a_topic_alone_has_the_same_answer(units):
    found = looked(4, units, rise=3.0)
    inside = found.position >= 25
    whole = found.answer(inside)
    alone = found.of_column(0).answer(inside)
    for name in ("a", "difference", "low", "high", "p"):
        assert getattr(alone, name)[0] == pytest.approx(getattr(whole, name)[0], rel=1e-9)


@pytest.mark.parametrize("units", [0, 15])
@pytest.mark.parametrize(
    ("since", "until", "shape"), [(25, PERIODS, "step"), (14, 19, "window"), (20, 21, "window")]
)
def test_a_change_is_found_with_its_time(units, since, until, shape):
    times = 4.0 if until - since > 1 else 12.0
    for seed in range(3):
        found = told(looked(seed, units, rise=times, since=since, until=until))[0]
        assert found.more and found.shape == shape
        places = np.flatnonzero(found.inside)
        outcome, place, _ = collection(seed, units=units, rise=times, since=since, until=until)
        first = place[places].min()
        last = place[places].max()
        assert abs(first - since) <= 2 and abs(last - (until - 1)) <= 2


def test_what_grows_all_along_is_a_line():
    chance = np.random.default_rng(3)
    place = np.sort(chance.integers(0, PERIODS, 800))
    weights = np.ones((800, TOPICS))
    weights[:, 4] = 0.2 + place / 12
    weights /= weights.sum(axis=1, keepdims=True)
    amounts = np.array([chance.multinomial(80, row) for row in weights], float)
    outcome = AmountTable(csr_matrix(amounts), amounts.sum(axis=1))
    found = spans.look_through(outcome, spans.Periods(place, place + 1))
    change = told(found)[4]
    assert change.shape == "line" and change.more
    late, early = found.thirds()
    assert np.array_equal(late, change.inside) and np.array_equal(early, change.outside)


@pytest.mark.parametrize("units", [0, 15])
def test_chance_alone_is_no_change(units):
    """Of 20 collections at most two tell one, at a level at which one in twenty may."""
    false = sum(bool(told(looked(100 + seed, units, documents=400))) for seed in range(20))
    assert false <= 2


def test_a_change_of_who_speaks_is_no_change_of_subject():
    """Two speakers with subjects of their own, of whom one says ever more."""
    chance = np.random.default_rng(5)
    place = np.sort(chance.integers(0, PERIODS, 1_200))
    unit = (chance.random(1_200) < np.where(place < 20, 0.2, 0.8)).astype(np.int64)
    usual = np.full((2, TOPICS), 0.05)
    usual[0, 0] = usual[1, 1] = 0.5
    usual /= usual.sum(axis=1, keepdims=True)
    amounts = np.array([chance.multinomial(80, usual[code]) for code in unit], float)
    outcome = AmountTable(csr_matrix(amounts), amounts.sum(axis=1))
    periods = spans.Periods(place, place + 1)
    assert {0, 1} <= told(spans.look_through(outcome, periods)).keys()
    held = spans.look_through(outcome, periods, spans.Speakers(unit, 0.3))
    assert not {0, 1} & told(held).keys()


def test_where_hardly_anybody_speaks_on_both_sides_nothing_is_said():
    """Half of the units speak up to the twentieth period, the others since then."""
    outcome, place, _ = collection(6)
    chance = np.random.default_rng(6)
    unit = chance.integers(0, 8, len(place)) + 8 * (place >= 20)
    found = spans.look_through(outcome, spans.Periods(place, 1 + place), spans.Speakers(unit, 0.1))
    assert found.mix is not None
    answers = found.answer(place >= 20)
    assert answers.obstacle is Obstacle.WHO_SPEAKS
    assert not answers.accepted.any() and np.isnan(answers.low).all()


def test_one_units_doing_is_told_as_that_units():
    """One of fifteen has a subject in some periods that nobody else ever has more of."""
    outcome, place, unit = collection(7, units=15, documents=1_500)
    amounts = outcome.amounts.toarray()
    its = (unit == 4) & (place >= 10) & (place < 18)
    amounts[:, 3] //= 4
    amounts[its] = 0
    amounts[its, 3] = outcome.sizes[its]
    found = spans.look_through(
        AmountTable(csr_matrix(amounts), outcome.sizes),
        spans.Periods(place, place + 1),
        spans.Speakers(unit, 0.1),
    )
    answers = found.answer((place >= 10) & (place < 18))
    assert answers.largest[3] == 4 and answers.part[3] > 0.5
    assert answers.verdict_of(3) is Verdict.ONE_UNIT


def test_units_that_follow_one_another_change_places():
    """Of presidents documents say little: a subject of one of twenty is no change of the time."""
    chance = np.random.default_rng(8)
    unit = np.repeat(np.arange(20), 30)
    days = 1 + unit * 400 + np.tile(np.arange(30), 20)
    own = chance.dirichlet(np.ones(TOPICS), 20)
    amounts = np.array([chance.multinomial(60, own[code]) for code in unit], float)
    outcome = AmountTable(csr_matrix(amounts), amounts.sum(axis=1))
    periods = spans.Periods(days // 400, days)
    assert told(spans.look_through(outcome, periods))
    found = spans.look_through(outcome, periods, spans.Speakers(unit, 0.3))
    assert found.in_order and not told(found)
    assert found.too_few_in_order == 20
    assert spans.look_through(outcome, periods).too_few_in_order == 0


def test_p_falls_as_scores_rise_and_passes_where_the_score_is_critical():
    found = looked(9)
    chance = found.chance
    scores = np.linspace(-1, 9, 300)
    p = np.array([chance.p(np.full((2, TOPICS), score)) for score in scores])
    assert (np.diff(p, axis=0) <= 1e-12).all()
    for level in (0.95, 0.99, 0.9999):
        critical = chance.critical(level)
        assert (chance.p(critical + 1e-4) <= 1 - level + 1e-9).all()
        assert (chance.p(critical - 1e-4) > 1 - level).all()


def test_chance_of_no_column_says_nothing():
    """A run whose topics have no words was compared at two times, and the page answered 500."""
    weight = np.full(12, 1 / 12)
    kinds = span_chance.kinds_of(weight, longest=0.5, edge=0.1)
    sums = np.zeros((12, 0))
    seen = span_chance.largest_excess(sums, weight, kinds)
    chance = span_chance.of_periods(sums, weight, seen, kinds, np.ones(kinds.rows, bool))
    assert chance.scores(seen).shape == (2, kinds.rows, 0)
    assert chance.critical(0.95).shape == (2, 0)
