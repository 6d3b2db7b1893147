"""Effects on shares: regressions equal their slow twin and published figures, intervals hold the
truth."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from inference.bow import Bow
from inference.effects import (
    corrected,
    design,
    joint,
    regression,
    shares,
    support,
    time_curve,
    unit_documents,
)
from inference.effects.regression import Data
from inference.errors import Invalid
from inference.topics import Topics
from tests.inference import naive_effects

K = 4


def collection(chance, D, U):
    """(x int[D, K], lengths, unit codes): documents of a unit are alike; one document is empty."""
    own = chance.dirichlet(np.full(K, 2.0), U)
    unit = chance.integers(0, U, D)
    lengths = chance.integers(1, 60, D)
    lengths[0] = 0
    return (
        np.array([chance.multinomial(n, own[u]) for n, u in zip(lengths, unit, strict=True)]),
        lengths,
        unit,
    )


def data_of(x, lengths, of_units, cell):
    held = [np.flatnonzero(row) for row in x]
    ptr = np.concatenate([[0], np.cumsum([len(row) for row in held])])
    topics = np.concatenate(held)
    tokens = np.concatenate([row[k] for row, k in zip(x, held, strict=True)])
    T = x.shape[1]
    return Data.from_documents(of_units, cell, (ptr, topics, tokens, lengths), np.arange(T), T)


def textbook(x, lengths, cell, design, unit, wanted, k):
    """(estimate, variance, df) of each contrast; documents of unit -1 are units of their own."""
    some = lengths > 0
    unit = np.where(unit < 0, 1000 + np.arange(len(unit)), unit)
    share = x[some, k] / lengths[some]
    return naive_effects.regression(
        share, lengths[some], design[cell[some]], unit[some].tolist(), wanted
    ).T


@pytest.mark.parametrize("block", [3, 1 << 13])
@pytest.mark.parametrize("alone", ["none", "some", "of one row", "all"])
def test_a_regression_equals_the_textbook(monkeypatch, block, alone):
    """Units of several documents, of one, and of several that are alike in all that the design
    knows."""
    monkeypatch.setattr(regression, "BLOCK", block)
    chance = np.random.default_rng(3)
    x, lengths, unit = collection(chance, 90, 11)
    cell = chance.integers(0, 7, 90)
    design = chance.normal(size=(7, 3))
    design[:, 0] = 1
    unit = {
        "none": unit,
        "some": np.where(unit < 6, unit, -1),
        "of one row": unit,
        "all": np.full(90, -1),
    }[alone]
    if alone == "of one row":
        cell = np.where(unit < 8, unit % 7, cell)
    wanted = np.array([[0, 1.0, 0], [1, 0.5, -2], [0, 0, 1]])
    fit = regression.fit(data_of(x, lengths, unit_documents.by_code(unit), cell), design, wanted)
    for k in range(K):
        estimate, variance, df = textbook(x, lengths, cell, design, unit, wanted, k)
        assert fit.estimate[:, k] == pytest.approx(estimate)
        assert fit.variance[:, k] == pytest.approx(variance)
        assert fit.df == pytest.approx(df)
    assert not fit.alone.any()


@pytest.mark.parametrize("documents", ["several", "one", "of one row"])
def test_a_unit_that_alone_decides_a_coefficient_says_nothing_of_its_variance(documents):
    chance = np.random.default_rng(4)
    x, lengths, unit = collection(chance, 60, 6)
    if documents == "one":
        unit = np.where(np.arange(60) == 7, 2, np.where(unit == 2, -1, unit))
    cell = (unit == 2).astype(int)
    if documents == "several":
        cell[np.flatnonzero(unit == 2)[:2]] = 2
    design = np.array([[1.0, 0], [1, 1], [1, 2]])
    wanted = np.array([[1.0, 0], [0, 1]])
    fit = regression.fit(data_of(x, lengths, unit_documents.by_code(unit), cell), design, wanted)
    twin = textbook(x, lengths, cell, design, unit, wanted, 1)
    assert np.stack([fit.estimate[:, 1], fit.variance[:, 1], fit.df]) == pytest.approx(twin)
    assert fit.alone.tolist() == [False, True]


def test_arrays_of_other_documents_are_refused_before_a_kernel_reads_them():
    chance = np.random.default_rng(20)
    x, lengths, unit = collection(chance, 60, 6)
    data = data_of(x, lengths, unit_documents.by_code(unit), np.arange(60) % 2)
    with pytest.raises(Invalid, match="60 documents"):
        data_of(x, lengths, unit_documents.by_code(unit), np.zeros(61))
    with pytest.raises(Invalid, match="60 documents"):
        data_of(x, lengths, unit_documents.documents(59), np.zeros(60))
    with pytest.raises(Invalid, match="2 cells"):
        regression.fit(data, np.ones((1, 1)), np.ones((1, 1)))
    exchange = joint.exchangeable(
        np.arange(50), (np.arange(50) % 2).astype(np.int8), np.ones(50), None
    )
    with pytest.raises(Invalid, match="50 documents"):
        joint.sums(data, np.ones((2, 1)), exchange)
    bow = Bow.from_csr(csr_matrix(x[:50]))
    with pytest.raises(Invalid, match="60 documents"):
        corrected.effect(
            data, bow, topics_of(np.full((K, K), 0.25), np.ones(K)), np.ones((2, 1)), np.ones(1)
        )


def test_standard_errors_equal_those_that_stata_prints():
    """`reg y x, vce(hc2)` on cos, tan and sin of whole numbers, as the tests of the R package
    dfadjust (Kolesár) have them. Shares between 0 and 1 are made of y by shifting and scaling, and
    counted in 10^6 tokens."""
    y = np.array([*map(math.cos, range(10)), *map(math.tan, range(1, 11))])
    at = np.array([*map(math.sin, range(1, 11)), *map(math.sin, range(2, 12))])
    low = y.min() - 1
    size = np.ptp(y) + 2
    n = 10**9
    tokens = np.round((y - low) / size * n).astype(np.int64)
    fit = regression.fit(
        data_of(
            np.stack([tokens, n - tokens], axis=1),
            np.full(20, n),
            unit_documents.documents(20),
            np.arange(20),
        ),
        np.stack([np.ones(20), at], axis=1),
        np.eye(2),
    )
    assert fit.estimate[0, 0] * size + low == pytest.approx(-0.4456202905, rel=1e-6)
    assert fit.estimate[1, 0] * size == pytest.approx(0.3241183110, rel=1e-6)
    assert np.sqrt(fit.variance[:, 0]) * size == pytest.approx(
        [0.4227339762, 0.4421048122], rel=1e-6
    )


def test_what_the_design_can_not_tell_is_not_told():
    x, lengths, unit = collection(np.random.default_rng(5), 40, 8)
    design = np.array([[1.0, 1, 0], [1, 1, 1]])  # the first two columns say the same
    data = data_of(x, lengths, unit_documents.by_code(unit), np.arange(40) % 2)
    fit = regression.fit(data, design, np.array([[0, 1.0, 0], [0, 0, 1]]))
    assert np.isnan(fit.estimate[0]).all()
    assert np.isfinite(fit.estimate[1]).all()
    empty = np.concatenate([design[:, 1:], np.zeros((2, 1))], axis=1)
    with np.errstate(over="raise"):
        fit = regression.fit(data, empty, np.array([[0, 1.0, 0], [0, 1, 1]]))
    assert np.isfinite(fit.estimate[0]).all()
    assert np.isnan(fit.estimate[1]).all()
    with pytest.raises(Invalid, match="At most 32 columns"):
        regression.fit(data, np.ones((2, 33)), np.ones((1, 33)))


def test_shares_of_groups_are_a_regression_on_the_groups():
    chance = np.random.default_rng(6)
    x, lengths, unit = collection(chance, 120, 15)
    unit[:5] = -1  # each a unit of its own
    group = chance.integers(-1, 3, 120)
    data = data_of(x, lengths, unit_documents.by_code(unit), group)
    of = shares.of_groups(data, 4)
    fit = regression.fit(data, np.eye(4), np.eye(4))
    assert of.share[:, :3] == pytest.approx(fit.estimate[:3].T)
    assert of.variance[:, :3] == pytest.approx(fit.variance[:3].T)
    assert of.df[:3] == pytest.approx(fit.df[:3])
    assert np.isnan(of.share[:, 3]).all()
    assert np.isnan(shares.intervals(of).low[:, 3]).all()
    codes = np.where(unit < 0, 1000 + np.arange(120), unit)
    there = [set(codes[(group == g) & (lengths > 0)]) for g in range(3)]
    assert of.units[:3].tolist() == list(map(len, there))
    assert of.holding[2, 1] == len(set(codes[(group == 1) & (x[:, 2] > 0)]))


def test_under_five_units_there_is_no_interval_and_an_absent_topic_has_an_upper_end():
    chance = np.random.default_rng(7)
    x, lengths, unit = collection(chance, 200, 10)
    group = (unit >= 4).astype(int)
    x[:, 0] += x[:, 3] * (group == 1)
    x[:, 3] *= group == 0
    of = shares.of_groups(data_of(x, lengths, unit_documents.by_code(unit), group), 2)
    interval = shares.intervals(of)
    assert of.units.tolist() == [4, 6]
    assert np.isnan(interval.low[:, 0]).all()
    assert interval.low[3, 1] == 0 == of.share[3, 1]
    assert 0 < interval.high[3, 1] < 1


def test_a_design_has_a_row_for_each_combination_and_its_settings():
    """Of a curve that may differ by three groups, with two fields held constant; documents without
    one of these, or words, are out."""
    chance = np.random.default_rng(22)
    D = 300
    line = np.arange(9.0)
    columns = [
        design.curve(line, np.ones(9)),
        design.levels(3),
        design.levels(4),
        design.line(np.array([0.0, 1, 5])),
    ]
    variables = [
        design.Variable(chance.integers(-1, len(c), D).astype(np.int32), c) for c in columns
    ]
    weight = chance.integers(0, 40, D).astype(float)
    effect, across, *held = variables
    made = design.make_design(effect, across, held, weight)
    kept = [d for d in range(D) if weight[d] and min(v.code[d] for v in variables) >= 0]
    assert np.flatnonzero(made.cell >= 0).tolist() == kept
    of = [[v.columns[v.code[d]] for v in variables] for d in kept]
    rows = np.stack([naive_effects.row(one[0], one[1], one[2:]) for one in of])
    assert made.rows[made.cell[kept]] == pytest.approx(rows)
    assert len(made.rows) == len({tuple(v.code[d] for v in variables) for d in kept})
    assert (made.effect[made.cell[kept]] == effect.code[kept]).all()
    assert (made.across[made.cell[kept]] == across.code[kept]).all()
    mean = [np.average([one[i] for one in of], axis=0, weights=weight[kept]) for i in (2, 3)]
    assert made.setting(7, 2) == pytest.approx(
        naive_effects.row(effect.columns[7], across.columns[2], mean)
    )
    assert made.held == pytest.approx(
        made.rows[:, [0, *range(made.rows.shape[1] - 4, made.rows.shape[1])]]
    )
    alone = design.make_design(effect, None, [], weight)
    assert alone.setting(7) == pytest.approx([1, *effect.columns[7]])
    assert alone.held.shape == (len(alone.rows), 1)


def test_a_design_of_too_many_columns_or_combinations_is_refused(monkeypatch):
    code = np.arange(40, dtype=np.int32)
    with pytest.raises(Invalid, match="needs 40 numbers"):
        design.make_design(design.Variable(code, design.levels(40)), None, [], np.ones(40))
    line = design.Variable(code, design.line(np.arange(40.0)))
    monkeypatch.setattr(design, "MOST_NUMBERS", 80)
    assert len(design.make_design(line, None, [], np.ones(40)).rows) == 40
    monkeypatch.setattr(design, "MOST_NUMBERS", 79)
    with pytest.raises(Invalid, match="too many different combinations"):
        design.make_design(line, None, [], np.ones(40))


def test_sides_that_hardly_speak_at_the_same_times_do_not_overlap():
    period = np.tile(np.arange(10), 2)
    side = np.repeat([0, 1], 10)
    everywhere = np.full(20, 100.0)
    assert time_curve.overlap(everywhere, side, period)
    one_after_the_other = np.where((period < 5) == (side == 0), 100.0, 0.0)
    assert not time_curve.overlap(one_after_the_other, side, period)
    hardly = np.where(one_after_the_other > 0, 100.0, 1.0)
    assert not time_curve.overlap(hardly, side, period)


def test_a_curve_over_periods_has_as_many_words_between_its_bends():
    period = np.arange(12)
    curve = time_curve.spline(period, np.ones(12))
    assert curve[:, 0].tolist() == [1] * 12
    assert curve[:, 1] == pytest.approx(period / 11)
    bends = [int((column > 0).sum()) for column in curve[:, 2:].T]
    assert bends == [10, 8, 6, 4, 2]
    assert time_curve.spline(np.zeros(4), np.ones(4)).tolist() == [[1]] * 4


def speakers(chance, effect, U=40, K=6, time=False):
    """Documents of U speakers on two sides: (data of one run, code, side, weight, time). effect:
    what is added to topic 0 of side 1."""
    own = chance.dirichlet(np.full(K, 1.5), U)
    side_of = np.repeat([0, 1], U // 2)
    own[side_of == 1, 0] += effect
    own /= own.sum(axis=1, keepdims=True)
    unit = np.repeat(np.arange(U), 10)
    x = np.array([chance.multinomial(40, own[u]) for u in unit])
    return x, unit, side_of[unit].astype(np.int8)


def test_exchanges_name_a_null_in_five_of_a_hundred_and_an_effect_nearly_always():
    chance = np.random.default_rng(12)
    nulls = []
    picked = []
    found = []
    for i in range(120):
        effect = 0.5 if i % 6 == 0 else 0.0
        x, unit, side = speakers(chance, effect)
        lengths = x.sum(axis=1)
        exchange = joint.exchangeable(unit, side, lengths.astype(float), None)
        runs = []
        for _ in range(3):  # runs that read the documents a little differently
            read = np.array(
                [
                    chance.multinomial(n, (row + 0.5) / (row + 0.5).sum())
                    for n, row in zip(lengths, x, strict=True)
                ]
            )
            data = data_of(
                read, read.sum(axis=1), unit_documents.by_code(unit), np.zeros(len(unit), np.int32)
            )
            runs.append(joint.sums(data, np.ones((1, 1)), exchange))
        test = joint.tested(runs, exchange)
        if effect:
            found.append(test.p_of_clearest[0] <= 0.05)
            assert test.median[0] > 0
        else:
            nulls.append(test.p[0] <= 0.05)
            picked.append(test.p_of_clearest.min() <= 0.05)
        assert (test.p_of_clearest >= test.p).all()
    assert np.mean(nulls) <= 0.12
    assert np.mean(picked) <= 0.12
    assert np.mean(found) >= 0.9


def test_a_topic_that_most_runs_have_not_is_no_difference():
    chance = np.random.default_rng(13)
    x, unit, side = speakers(chance, 1.0)
    exchange = joint.exchangeable(unit, side, x.sum(axis=1).astype(float), None)
    data = data_of(x, x.sum(axis=1), unit_documents.by_code(unit), np.zeros(len(unit), np.int32))
    one = joint.sums(data, np.ones((1, 1)), exchange)
    without = one._replace(residual=np.full_like(one.residual, np.nan))
    assert joint.tested([one, one, without], exchange).p[0] <= 0.01
    assert joint.tested([one, without, without], exchange).p[0] == 1


def test_sums_of_units_are_residuals_of_a_regression():
    chance = np.random.default_rng(14)
    x, unit, side = speakers(chance, 0.3)
    cell = chance.integers(0, 5, len(unit))
    held = np.stack([np.ones(5), np.arange(5.0)], axis=1)
    exchange = joint.exchangeable(unit, side, x.sum(axis=1).astype(float), None)
    found = joint.sums(
        data_of(x, x.sum(axis=1), unit_documents.by_code(unit), cell), held, exchange
    )
    X = held[cell]
    n = x.sum(axis=1)
    beta = np.linalg.solve((X * n[:, None]).T @ X, X.T @ x)
    residual = x - n[:, None] * (X @ beta)
    assert found.residual == pytest.approx(
        np.stack([residual[unit == u].sum(axis=0) for u in range(40)])
    )
    assert found.words == pytest.approx(np.bincount(unit, weights=n))


def test_many_units_are_put_together_and_units_on_both_sides_can_not_be_exchanged():
    chance = np.random.default_rng(15)
    side = chance.integers(0, 2, 3000).astype(np.int8)
    time = chance.random(3000)
    found = joint.exchangeable(np.full(3000, -1), side, np.ones(3000), time, 100)
    assert len(found.side) <= 104
    assert (found.side[found.unit] == side).all()
    assert np.bincount(found.stratum).min() > 15
    assert joint.exchangeable(np.arange(3000) // 30, side, np.ones(3000), None) is None


def test_units_are_of_the_time_of_their_texts_with_a_date():
    unit = np.repeat(np.arange(40), 2)
    side = (unit % 2).astype(np.int8)
    time = 100.0 + unit
    time[1::4] = np.nan  # one of two texts of every second unit
    found = joint.exchangeable(unit, side, np.ones(80), time)
    assert found.stratum.tolist() == np.repeat(np.arange(4), 10).tolist()
    time[unit == 3] = np.nan
    found = joint.exchangeable(unit, side, np.ones(80), time)
    assert np.flatnonzero(found.stratum == joint.STRATA).tolist() == [3]


def test_exchanges_stay_within_strata(monkeypatch):
    """Each has as many units of either side as the texts have, and each unit is on either side now
    and then."""
    chance = np.random.default_rng(23)
    seen = []
    x, unit, side = speakers(chance, 0.3)
    # Sides speak at other times, more or less
    time = side * 5.0 + unit % 10 + chance.random(len(unit))
    lengths = x.sum(axis=1)
    exchange = joint.exchangeable(unit, side, lengths.astype(float), time)
    strata = [exchange.stratum == s for s in range(joint.STRATA)]
    assert len({exchange.side[some].mean() for some in strata}) > 1
    plain = joint.median_differences
    monkeypatch.setattr(
        joint,
        "median_differences",
        lambda runs, sides: (seen.append(sides.copy()), plain(runs, sides))[1],
    )
    data = data_of(x, lengths, unit_documents.by_code(unit), np.zeros(len(unit), np.int32))
    joint.tested([joint.sums(data, np.ones((1, 1)), exchange)], exchange)
    drawn = np.concatenate(seen[1:])
    assert len(drawn) == joint.EXCHANGES
    for some in strata:
        assert (drawn[:, some].sum(axis=1) == exchange.side[some].sum()).all()
        if 0 < exchange.side[some].mean() < 1:
            assert (np.ptp(drawn[:, some], axis=0) == 1).all()


def topics_of(beta, share):
    """Rows of which the words below 1/V are left to the floor."""
    K, V = beta.shape
    listed = [np.argsort(-row)[: int((row > 1 / V).sum())] for row in beta]
    indptr = np.cumsum([0, *map(len, listed)])
    weights = np.concatenate([row[some] for row, some in zip(beta, listed, strict=True)]).astype(
        np.float32
    )
    return Topics.of_listed(indptr, np.concatenate(listed).astype(np.int32), weights, share, V)


def test_a_corrected_effect_is_the_planted_one_where_the_assigned_one_is_too_small():
    chance = np.random.default_rng(16)
    K = 8
    V = 300
    D = 4000
    topics = topics_of(chance.dirichlet(np.full(V, 0.1), K), np.full(K, 1.0))
    beta = np.stack([np.full(V, f) for f in topics.floor])
    for k in range(K):
        some = slice(topics.indptr[k], topics.indptr[k + 1])
        beta[k, topics.words[some]] = topics.weights[some]
    beta /= beta.sum(axis=1, keepdims=True)
    side = (np.arange(D) % 2).astype(np.int32)
    theta = chance.dirichlet(np.full(K, 0.5), D)
    theta[side == 1] = 0.9 * theta[side == 1] + 0.1 * np.eye(K)[2]
    lengths = np.full(D, 15)
    x = np.array([chance.multinomial(15, row) for row in theta @ beta])
    # Each word to the topic that is likeliest where all are as frequent as everywhere: what reading
    # loses
    assigned = np.array(
        [
            np.bincount(np.repeat(beta[:, row > 0].argmax(axis=0), row[row > 0]), minlength=K)
            for row in x
        ]
    )
    data = data_of(assigned, lengths, unit_documents.documents(D), side)
    rows = np.array([[1.0, 0], [1, 1]])
    contrast = np.array([0, 1.0])
    truth = theta[side == 1].mean(axis=0) - theta[side == 0].mean(axis=0)
    counted = regression.fit(data, rows, contrast[None]).estimate[0]
    made = corrected.effect(data, Bow.from_csr(csr_matrix(x)), topics, rows, contrast)
    assert made == pytest.approx(truth, abs=0.012)
    assert counted[2] < 0.85 * truth[2]
    assert made[2] > 0.9 * truth[2]
    W = np.linalg.solve((beta / (topics.share @ beta)) @ beta.T, beta / (topics.share @ beta))
    assert made == pytest.approx(
        ((x[side == 1] @ W.T).mean(axis=0) - (x[side == 0] @ W.T).mean(axis=0)) / 15, abs=1e-6
    )


def test_documents_corrected_for_reading_give_the_corrected_effect_an_interval():
    """The same estimate; and the interval of what single documents say, the noise of their few
    words included."""
    chance = np.random.default_rng(18)
    K = 5
    V = 80
    D = 600
    beta = chance.dirichlet(np.full(V, 0.2), K)
    topics = topics_of(beta, np.ones(K))
    side = (np.arange(D) % 2).astype(np.int32)
    beta = topics.above.toarray() + topics.floor[:, None]
    unit = unit_documents.by_code(np.arange(D) // 10)
    lengths = chance.integers(5, 40, D)
    x = np.array(
        [
            chance.multinomial(n, row @ beta)
            for n, row in zip(lengths, chance.dirichlet(np.full(K, 0.4), D), strict=True)
        ]
    )
    data = data_of(chance.multinomial(lengths, np.full(K, 1 / K)), lengths, unit, side)._replace(
        column_of_topic=np.array([0, 1, -1, 1, 2], np.int32), T=3
    )
    bow = Bow.from_csr(csr_matrix(x))
    rows = np.array([[1.0, 0], [1, 1]])
    contrast = np.array([0, 1.0])
    fit = regression.fit(corrected.documents(data, bow, topics), rows, contrast[None])
    assert fit.estimate[0] == pytest.approx(
        corrected.effect(data, bow, topics, rows, contrast), abs=1e-4
    )
    p = topics.share @ beta
    tokens = x @ np.linalg.solve((beta / p) @ beta.T, beta / p).T
    merged = np.stack([tokens[:, 0], tokens[:, 1] + tokens[:, 3], tokens[:, 4]], axis=1)
    for t in range(3):
        _, variance, df = textbook(
            merged, lengths, side, rows, np.arange(D) // 10, contrast[None], t
        )
        assert (fit.variance[0, t], fit.df[0]) == pytest.approx((variance[0], df[0]), rel=1e-3)


def test_topics_of_the_same_words_have_no_corrected_effect():
    chance = np.random.default_rng(17)
    beta = chance.dirichlet(np.full(60, 0.3), 3)
    beta = np.stack([*beta, 0.999 * beta[2] + 0.001 * beta[0]])
    x = np.array([chance.multinomial(20, beta[d % 4]) for d in range(200)])
    assigned = np.eye(4, dtype=int)[np.arange(200) % 4] * 20
    data = data_of(assigned, np.full(200, 20), unit_documents.documents(200), np.arange(200) // 100)
    made = corrected.effect(
        data,
        Bow.from_csr(csr_matrix(x)),
        topics_of(beta, np.ones(4)),
        np.array([[1.0, 0], [1, 1]]),
        np.array([0, 1.0]),
    )
    assert np.isnan(made).tolist() == [False, False, True, True]


def test_a_group_has_support_where_it_has_documents():
    """Of five groups: everywhere; in the first of twenty parts; in the first half; a trace
    everywhere and the rest in one part; a few documents all over."""
    part = np.repeat(np.arange(20), 5)
    group = np.tile(np.arange(5), 20)
    words = np.full(100, 10.0)
    words[(group == 1) & (part > 0)] = 0
    words[(group == 2) & (part >= 10)] = 0
    words[group == 3] = np.where(part[group == 3] == 0, 1e4, 1e-3)
    words[(group == 4) & (part % 5 > 0)] = 0
    in_each_part = np.bincount(part, weights=words) / words.sum()
    support_of = support.support_of_groups(group, part, words, 5)
    assert support_of[0] == pytest.approx(1)
    assert support_of[1] == pytest.approx(in_each_part[0])
    assert support_of[2] == pytest.approx(in_each_part[:10].sum())
    assert support_of[3] == pytest.approx(in_each_part[0])
    assert support_of[4] == pytest.approx(in_each_part[::5].sum())


def test_parts_of_a_line_have_equally_many_words():
    words = np.random.default_rng(0).random(1000)
    part = support.parts_of_line(words)
    assert (np.diff(part) >= 0).all()
    words_of_parts = np.bincount(part, weights=words)
    assert len(words_of_parts) == support.PARTS_OF_LINE
    np.testing.assert_allclose(words_of_parts, words.sum() / support.PARTS_OF_LINE, rtol=0.05)
