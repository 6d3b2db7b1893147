"""Corrected shares: against slow loops and regressions, and that they hold where plain counts
fail."""

import numpy as np
import pytest

from inference.codes.draw import draw, strata
from inference.codes.estimate import Bounds, cells, difference, more_needed
from inference.codes.predict import Prediction
from inference.effects import regression, unit_documents
from tests.inference.codes import naive


def planted(D: int, seed: int, groups: int = 3):
    """(y, g, cell, strata): codes of 0 and 1, a prediction that is mostly right but misses most in
    the first cell, and strata."""
    chance = np.random.default_rng(seed)
    cell = chance.integers(0, groups, D)
    y = (chance.random(D) < np.array([0.6, 0.35, 0.25, 0.1])[cell]).astype(float)
    seen = np.where(chance.random(D) < np.where(cell == 0, 0.5, 0.8), y, 0)
    g = 0.15 + 0.6 * seen + chance.normal(0, 0.05, D)
    share = np.where(chance.random(D) < 0.4, 0, np.clip(0.3 * y + chance.random(D), 0, 1))
    return y, g.astype(np.float32), cell, strata(share, cell)


def given(g: np.ndarray, documents: np.ndarray) -> Prediction:
    return Prediction(g[None], g[None, documents], float("nan"))


@pytest.mark.parametrize("seed", range(3))
def test_shares_are_those_of_the_twin(seed):
    y, g, cell, of = planted(300, seed)
    cell[:20] = -1
    made = draw(of, 90, 2, seed)
    outside = cell[made.documents] < 0
    found = cells(cell, of, made.documents, y[made.documents], made.pi, given(g, made.documents))
    kept = made.documents[~outside]
    twin = naive.corrected(cell, of, kept, y[kept], made.pi[~outside], g, 3)
    assert outside.any() and found.codes.sum() == len(kept)
    assert np.stack(found.coded).T == pytest.approx(twin[:, 0], rel=1e-6)
    # codes outside the cells tell of the predictions' weight, too; so those are compared without
    # them
    alone = cells(cell, of, kept, y[kept], made.pi[~outside], given(g, kept))
    assert np.stack(alone.corrected).T == pytest.approx(twin[:, 1], rel=1e-6)
    assert np.stack(alone.coded).T == pytest.approx(twin[:, 0], rel=1e-6)
    assert np.all(alone.corrected.low < alone.corrected.estimate)


def test_strata_without_codes_are_joined():
    y, g, cell, of = planted(300, 5)
    made = draw(of, 90, 1, 2)
    some = made.documents[:30]
    pi = made.pi[:30]
    assert len(np.unique(of[some])) < of.max() + 1 or np.bincount(of[some]).min() < 3
    found = cells(cell, of, some, y[some], pi, given(g, some))
    twin = naive.corrected(cell, of, some, y[some], pi, g, 3)
    assert np.stack(found.corrected).T == pytest.approx(twin[:, 1], rel=1e-6)


def test_what_models_say_of_documents_that_they_have_seen_does_not_count():
    y, g, cell, of = planted(300, 6)
    made = draw(of, 90, 1, 0)
    honest = given(g, made.documents)
    seen = g.copy()
    seen[made.documents] = y[made.documents]
    both = [
        cells(
            cell,
            of,
            made.documents,
            y[made.documents],
            made.pi,
            Prediction(each[None], honest.coded, 0.0),
        )
        for each in (g, seen)
    ]
    assert np.array_equal(np.stack(both[0].corrected), np.stack(both[1].corrected))


def test_of_one_stratum_it_is_ppi():
    """Angelopoulos, Duchi and Zrnic 2023: mean(y) + lambda (mean g of all - mean g of the coded),
    lambda = cov / var."""
    y, g, cell, _ = planted(5_000, 4)
    made = draw(np.zeros(5_000, int), 400, 0, 1)
    found = cells(
        cell * 0,
        np.zeros(5_000, int),
        made.documents,
        y[made.documents],
        made.pi,
        given(g, made.documents),
    )
    own_y = y[made.documents]
    own_g = g[made.documents].astype(float)
    lam = np.cov(own_y, own_g)[0, 1] / own_g.var(ddof=1)
    assert found.weight[0] == pytest.approx(min(lam, 1), abs=0.01)
    z = own_y - min(lam, 1) * (own_g - g.mean())
    assert found.corrected.estimate[0] == pytest.approx(z.mean(), abs=1e-3)
    assert found.corrected.variance[0] == pytest.approx(
        z.var(ddof=1) / 400 * (1 - 400 / 5_000), rel=0.02
    )


def test_of_all_weight_it_is_dsl():
    """Egami et al. 2023: the mean of g + R / pi (y - g). As good as the same where lambda is 1, at
    random."""
    chance = np.random.default_rng(0)
    g = chance.random(4_000).astype(np.float32)
    y = 1.2 * g + chance.normal(0, 0.1, 4_000)
    documents = chance.permutation(4_000)[:400]
    pi = np.full(400, 0.1)
    none = np.zeros(4_000, int)
    found = cells(none, none, documents, y[documents], pi, given(g, documents), scale=True)
    outcome = g.astype(float)
    outcome[documents] += (y[documents] - g[documents]) / pi
    assert found.weight[0] == 1
    assert found.corrected.estimate[0] == pytest.approx(outcome.mean(), abs=1e-6)
    assert found.corrected_beyond.variance[0] == pytest.approx(
        outcome.var(ddof=1) / 4_000, rel=0.01
    )


def test_where_all_is_coded_the_count_is_the_answer():
    y, g, cell, of = planted(200, 1)
    for prediction in (None, given(g, np.arange(200))):
        found = cells(cell, of, np.arange(200), y, np.ones(200), prediction, cell * 0 - 1)
        truth = np.bincount(cell, weights=y) / np.bincount(cell)
        for array in (found.coded.estimate, *found.corrected[:1], *found.corrected[2:]):
            assert array == pytest.approx(truth)
        assert np.all(found.corrected.variance == 0)
        assert np.all(found.corrected_beyond.low < truth) and np.all(
            truth < found.corrected_beyond.high
        )


def test_beyond_these_texts_variances_are_those_of_the_regression():
    """inference.effects: CR2 with Satterthwaite's degrees of freedom, of one topic with a token in
    each document that says yes."""
    y, _, cell, of = planted(600, 2)
    unit = np.random.default_rng(0).integers(-1, 25, 600)
    found = cells(cell, of, np.arange(600), y, np.ones(600), None, unit)
    ptr = np.concatenate([[0], np.cumsum(y)]).astype(np.int64)
    ones = np.ones(int(y.sum()), np.int32)
    data = regression.Data.from_documents(
        unit_documents.by_code(unit), cell, (ptr, 0 * ones, ones, np.ones(600)), np.zeros(1), 1
    )
    both = regression.fit(data, np.eye(3), np.array([[1.0, -1, 0], [0, 1, -1]]))
    apart, _ = difference(
        found.corrected_beyond, np.array([0, 1]), np.array([1, 2]), found.correlation
    )
    assert apart.estimate == pytest.approx(both.estimate[:, 0]) and apart.variance == pytest.approx(
        both.variance[:, 0]
    )
    for c in range(3):
        fit = regression.fit(
            data._replace(cell=np.where(cell == c, 0, -1).astype(np.int32)), np.eye(1), np.eye(1)
        )
        assert found.corrected_beyond.variance[c] == pytest.approx(fit.variance[0, 0])
        assert found.corrected_beyond.estimate[c] == pytest.approx(fit.estimate[0, 0])
        p = fit.estimate[0, 0]
        expected = naive.interval(p, 0, fit.df[0], fit.variance[0, 0] / p / (1 - p))
        assert (found.corrected_beyond.low[c], found.corrected_beyond.high[c]) == pytest.approx(
            expected
        )


def test_intervals_beyond_these_texts_hold_what_speakers_say_on_average():
    """20 speakers of shares that differ, 40 texts of each in the middle, drawn anew each time; all
    in both cells."""
    chance = np.random.default_rng(1)
    held = 0
    within = 0
    wide = []
    for seed in range(200):
        speaker = np.repeat(
            np.arange(20), np.maximum(chance.lognormal(np.log(40), 0.5, 20), 2).astype(int)
        )
        cell = chance.integers(0, 2, len(speaker))
        none = np.zeros(len(speaker), int)
        y = (chance.random(len(speaker)) < chance.beta(6, 9, 20)[speaker] + 0.1 * cell).astype(
            float
        )
        g = (0.5 * y + 0.3 * chance.random(len(y))).astype(np.float32)
        made = draw(none, 300, 1, seed)
        found = cells(
            cell,
            none,
            made.documents,
            y[made.documents],
            made.pi,
            given(g, made.documents),
            speaker,
        )
        apart, _ = difference(found.corrected_beyond, 1, 0, found.correlation)
        holding = [
            (each.low <= truth) & (truth <= each.high)
            for each, truth in (
                (found.corrected_beyond, np.array([0.4, 0.5])),
                (found.corrected, np.array([0.4, 0.5])),
                (apart, 0.1),
            )
        ]
        held = held + np.array([*holding[0], holding[2]])
        within = within + holding[1]
        alone, _ = difference(found.corrected_beyond, 1, 0)
        wide.append((apart.high - apart.low) / (alone.high - alone.low))
    assert np.all(held >= 180) and np.all(within < 140) and np.mean(wide) < 0.8


def test_few_units_say_nothing_beyond_these_texts():
    y, g, cell, of = planted(300, 3)
    made = draw(of, 100, 1, 0)
    few = cells(
        cell,
        of,
        made.documents,
        y[made.documents],
        made.pi,
        given(g, made.documents),
        np.arange(300) % 4,
    )
    assert few.units.tolist() == [4, 4, 4]
    assert np.isnan(few.corrected_beyond.low).all() and np.isfinite(few.corrected.low).all()


def test_plain_counts_fail_and_corrected_ones_hold():
    """150 draws of 200 codes of 3,000 documents."""
    y, g, cell, of = planted(3_000, 7)
    truth = np.bincount(cell, weights=y) / np.bincount(cell)
    held = 0
    only = 0
    width = []
    counted = []
    for seed in range(150):
        made = draw(of, 200, 1, seed)
        found = cells(
            cell, of, made.documents, y[made.documents], made.pi, given(g, made.documents)
        )
        held = held + ((found.corrected.low <= truth) & (truth <= found.corrected.high))
        only = only + ((found.coded.low <= truth) & (truth <= found.coded.high))
        width.append(
            (found.corrected.high - found.corrected.low) / (found.coded.high - found.coded.low)
        )
        counted.append(found.counted)
    assert np.all(held >= 134) and np.all(only >= 134)
    assert np.all(np.mean(width, axis=0) < [0.9, 0.75, 0.8])
    assert np.all(np.mean(counted, axis=0)[0] < truth[0] - 0.2)


def test_a_useless_prediction_widens_nothing():
    y, _, cell, of = planted(3_000, 8)
    noise = np.random.default_rng(0).random(3_000).astype(np.float32)
    ratio = []
    for seed in range(40):
        made = draw(of, 200, 1, seed)
        found = cells(
            cell, of, made.documents, y[made.documents], made.pi, given(noise, made.documents)
        )
        ratio.append(
            (found.corrected.high - found.corrected.low) / (found.coded.high - found.coded.low)
        )
    assert np.mean(ratio, axis=0).max() < 1.01


def test_a_beginning_of_the_draw_will_do():
    """Half of the drawn, of which some strata have none yet: no bias."""
    y, g, cell, of = planted(3_000, 9)
    errors = []
    held = 0
    truth = np.bincount(cell, weights=y) / np.bincount(cell)
    for seed in range(150):
        made = draw(of, 120, 6, seed)
        some = made.documents[:45]
        pi = made.pi[:45]
        found = cells(cell, of, some, y[some], pi, given(g, some))
        errors.append(found.corrected.estimate - truth)
        held = held + ((found.corrected.low <= truth) & (truth <= found.corrected.high))
    assert np.abs(np.mean(errors, axis=0)).max() < 3 * np.std(errors, axis=0).max() / np.sqrt(150)
    assert np.all(held >= 134)


def test_cells_without_codes_and_with_few():
    cell = np.repeat([0, 1, 2, -1], [50, 50, 3, 10])
    y = np.repeat([1.0, 0, 1, 0], [4, 46, 0, 63])
    documents = np.concatenate([np.arange(40), np.arange(50, 90)])
    found = cells(
        cell, np.zeros(113, int), documents, y[documents], np.full(80, 0.8), None, scale=False
    )
    assert found.documents.tolist() == [50, 50, 3] and found.codes.tolist() == [40, 40, 0]
    assert (
        found.few.all()
        and np.isnan(found.corrected.low[2])
        and np.isnan(found.coded.estimate[2])
        and np.isnan(found.counted).all()
    )
    assert found.coded.estimate[:2].tolist() == [0.1, 0]
    # A score interval: none of 40, of 50
    assert found.coded.low[1] == 0 < found.coded.high[1] < 0.1
    one = cells(cell, np.zeros(113, int), documents[:1], y[:1], np.ones(1))
    assert np.isnan(one.coded.low[0]) and one.coded.estimate[0] == 1


def test_mean_codes_and_scales():
    chance = np.random.default_rng(3)
    value = chance.normal(5, 2, 2_000)
    g = (value + chance.normal(0, 1, 2_000)).astype(np.float32)
    documents = np.arange(300)
    none = np.zeros(2_000, int)
    found = cells(
        none, none, documents, value[:300], np.full(300, 0.15), given(g, documents), scale=True
    )
    t = naive.student.ppf(0.975, 299) * np.sqrt(value[:300].var(ddof=1) / 300 * 0.85)
    assert found.coded.low[0] == pytest.approx(value[:300].mean() - t) and found.coded.high[
        0
    ] == pytest.approx(value[:300].mean() + t)
    assert found.corrected.high[0] - found.corrected.low[0] < 1.2 * t
    assert found.counted[0] == pytest.approx(g.mean(), rel=1e-5) and not found.few[0]


def test_differences_and_ratios():
    bounds = Bounds(
        *(
            np.array(x)
            for x in ([0.5, 0.2, 0.0], [0.01, 0.004, 0.0], [0.4, 0.15, 0.0], [0.62, 0.27, 0.05])
        )
    )
    apart, times = difference(bounds, 0, 1)
    assert apart.estimate == pytest.approx(0.3) and times.estimate == pytest.approx(2.5)
    assert apart.low == pytest.approx(0.3 - np.hypot(0.1, 0.07)) and apart.high == pytest.approx(
        0.3 + np.hypot(0.12, 0.05)
    )
    assert np.log(times.low) == pytest.approx(
        np.log(2.5) - np.hypot(np.log(0.5 / 0.4), np.log(0.27 / 0.2))
    )
    both, _ = difference(bounds, np.array([0, 1]), np.array([1, 0]))
    assert both.low[1] == pytest.approx(-both.high[0])
    _, none = difference(bounds, 0, 2)
    assert not np.isfinite(none.estimate) and not np.isfinite(none.high)


def test_intervals_of_differences_hold_where_strata_span_cells():
    y, g, cell, _ = planted(3_000, 10)
    of = strata(g - g.min(), None)
    truth = np.bincount(cell, weights=y) / np.bincount(cell)
    held = 0
    for seed in range(150):
        made = draw(of, 240, 1, seed)
        found = cells(
            cell, of, made.documents, y[made.documents], made.pi, given(g, made.documents)
        )
        apart, times = difference(found.corrected, 0, np.array([1, 2]))
        held = held + ((apart.low <= truth[0] - truth[1:]) & (truth[0] - truth[1:] <= apart.high))
        held = held + ((times.low <= truth[0] / truth[1:]) & (truth[0] / truth[1:] <= times.high))
    assert np.all(held >= 2 * 134)


def test_more_codes_give_the_wanted_width():
    y, g, cell, of = planted(6_000, 11)
    made = draw(of, 200, 1, 0)
    found = cells(
        cell * 0, of, made.documents, y[made.documents], made.pi, given(g, made.documents)
    )
    more = more_needed(found, 0.03)
    made = draw(of, 200 + int(more[0]), 1, 0)
    found = cells(
        cell * 0, of, made.documents, y[made.documents], made.pi, given(g, made.documents)
    )
    assert more[0] > 50 and (found.corrected.high - found.corrected.low)[0] / 2 == pytest.approx(
        0.03, rel=0.1
    )
    assert more_needed(found, 0.2)[0] == 0
    # Never more than there are
    assert 6_000 - len(made.documents) >= more_needed(found, 1e-4)[0] > 5_000


def test_where_all_documents_are_coded_no_more_codes_are_needed():
    y, g, cell, of = planted(60, 12)
    made = draw(of, 60, 1, 0)
    found = cells(
        cell * 0, of, made.documents, y[made.documents], made.pi, given(g, made.documents)
    )
    assert found.codes[0] == found.documents[0] == 60
    assert more_needed(found, 0.03)[0] == 0
