"""Whether what is concluded from topics' shares is true: planted effects and planted nulls, with
the true topics.

    .venv/bin/python -m benchmarks.conclusions [--quick] [--runs N]

Collections are drawn in which units (speakers) have mixtures of their own around their side's,
documents around their unit's, and words by their document's. Of each, inference.answers compares
the sides:
  coverage: parts of the 95% intervals, of differences and of ratios, that hold the expected
  difference and ratio; the width is the
    median, as a part of the share
  nulls: where the sides are alike, parts of all topics that Benjamini and Hochberg's procedure
  names; where some differ, of those
    named the parts that don't
  time: the same where the sides follow time, and topics do, too
Then how often a null is called robust by one test of several runs (inference.effects.joint; with
--robust over time, too, over_time). Then a large collection is estimated: documents x topics x
columns of a design. With --quick fewer runs and a smaller one. Last, how much of a run is found
with other seeds (benchmarks.stability), of the addresses of the example; with --quick of their
first 1,000 sections. The last line is `coverage: C nulls: P seconds: S stable: A against B`: the
lowest coverage, the false discoveries of all settings without effects together, seconds, and the
parts of topics that are found of a consensus of three runs, and of single ones.
"""

import resource
import time
from typing import NamedTuple

import numpy as np

from benchmarks import stability
from benchmarks.engines import corpora
from benchmarks.origin import options
from inference.answers import Answers, CountedTopics, answer, held, question
from inference.effects import joint, over_time, regression, time_curve, units
from inference.findings import sums

Q_VALUE = 0.05
LEVEL = 0.95
DOCUMENTS = 30  # of a unit, in the middle
TAIL = 0.5  # of the logarithm of their number
OWN, ALIKE = (
    2.0,
    0.2,
)  # concentration of units' mixtures around their side's, and of documents' around their unit's, for each topic
PLANTED = 0.2  # of the topics that differ, by half as much again or a third less
PERIODS = 40
READINGS = 5  # runs that a claim is looked at in
LENGTHS = (15, 60, 300)
TOPICS = (10, 100, 500)
SIDES = ((5, 5), (5, 40), (20, 20), (50, 50))


class Setting(NamedTuple):
    K: int
    words: int
    sides: tuple[int, int]
    effect: bool
    in_time: bool = False


ROBUST = tuple(
    Setting(40, 60, sides, False, time)
    for sides, time in (((20, 20), False), ((20, 20), True), ((5, 40), False))
)


class Outcome(NamedTuple):
    """held, told: bool[2, T], whether the interval of the difference, and of the ratio, holds the
    truth, and whether there is one; width: of the differences', in shares; false: whether any
    topic, or which part of those named, is named wrongly."""

    held: np.ndarray
    told: np.ndarray
    width: np.ndarray
    false: float


class Drawn(NamedTuple):
    """A collection: x: int[D, T], tokens; unit, side: of each document; u: float64[D], its time; a,
    b: what is expected of the sides at a's times."""

    x: np.ndarray
    unit: np.ndarray
    side: np.ndarray
    u: np.ndarray
    a: np.ndarray
    b: np.ndarray

    def data(self) -> regression.Data:
        held = np.nonzero(self.x)
        ptr = np.concatenate([[0], np.cumsum((self.x > 0).sum(axis=1))])
        lengths = self.x.sum(axis=1)
        cell = self.side * PERIODS + (self.u * PERIODS).astype(int)
        K = self.x.shape[1]
        return regression.Data.from_documents(
            units.by_code(self.unit), cell, (ptr, held[1], self.x[held], lengths), np.arange(K), K
        )


def drawn(chance: np.random.Generator, setting: Setting) -> Drawn:
    K = setting.K
    U = sum(setting.sides)
    side = np.repeat([0, 1], setting.sides)
    base, later = (chance.permutation(1 / np.arange(1, K + 1) ** 0.7) for _ in range(2))
    times = (
        np.where(chance.random(K) < PLANTED, chance.choice([1.5, 2 / 3], K), 1.0)
        if setting.effect
        else np.ones(K)
    )
    middle = (
        chance.uniform(0.2, 0.8, U) + np.where(side == 0, 0.15, -0.15)
        if setting.in_time
        else np.full(U, 0.5)
    )
    shares = [p / p.sum() for p in (base * times, base, later * times, later)]
    unit = np.repeat(
        np.arange(U), np.maximum(chance.lognormal(np.log(DOCUMENTS), TAIL, U), 2).astype(int)
    )
    u = (
        np.clip(middle[unit] + chance.normal(0, 0.15, len(unit)), 0, 0.999)
        if setting.in_time
        else np.zeros(len(unit))
    )
    own = [chance.dirichlet(OWN * K * shares[s + 2 * t]) for t in (0, 1) for s in side]
    own_first = np.array(own[:U])
    own_last = np.array(own[U:])
    mixture = (1 - u[:, None]) * own_first[unit] + u[:, None] * own_last[unit]
    theta = chance.standard_gamma(np.maximum(ALIKE * K * mixture, 1e-6)) + 1e-12
    theta /= theta.sum(axis=1, keepdims=True)
    lengths = np.maximum(chance.poisson(setting.words, len(unit)), 1)
    x = chance.multinomial(lengths, theta)
    weight = lengths * (side[unit] == 0)
    t = (weight * u).sum() / weight.sum()  # b is told at the times of a
    a, b = ((1 - t) * shares[s] + t * shares[s + 2] for s in (0, 1))
    return Drawn(x, unit, side[unit], u, a, b)


def answer_of_sides(collection: Drawn) -> Answers:
    """The sides compared as they are, with intervals of 95%."""
    data = collection.data()
    topics = data.doc_ptr, data.doc_topics, data.doc_tokens, data.lengths, data.into
    two_sides = question.of_two_sets(collection.side == 0, collection.side == 1, collection.unit)
    return answer(CountedTopics(*topics, data.T), two_sides, level=LEVEL)


def answer_in_time(collection: Drawn) -> Answers:
    """Side b told at the times of a, with intervals of 95%."""
    data = collection.data()
    side = np.repeat([0, 1], PERIODS)
    words = np.bincount(data.cell, weights=data.lengths, minlength=2 * PERIODS)
    trend = time_curve.spline(np.tile(np.arange(PERIODS), 2), words)
    mix = np.where(side == 0, words, 0.0)
    usual = mix @ trend / mix.sum()
    settings = held.Settings(
        rows=np.column_stack([trend, side == 0]).astype(float),
        compared=np.array([[*usual, 1.0], [*usual, 0.0]]),
        side=side,
        held=trend,
        time=collection.u,
    )
    return held.answer_held(data, settings, level=LEVEL)


def one(chance: np.random.Generator, setting: Setting) -> Outcome:
    """A collection drawn and its sides compared."""
    _, _, _, _, a, b = made = drawn(chance, setting)
    answers = answer_in_time(made) if setting.in_time else answer_of_sides(made)
    in_difference = (answers.low <= a - b) & (a - b <= answers.high)
    in_ratio = (answers.ratio_low <= a / b) & (a / b <= answers.ratio_high)
    holds = np.stack([in_difference, in_ratio])
    named = sums.accepted(np.where(np.isnan(answers.p), 1.0, answers.p), Q_VALUE)
    wrong = named & np.isclose(a, b) if setting.effect else named
    return Outcome(
        holds,
        np.isfinite(np.stack([answers.low, answers.ratio_low])),
        (answers.high - answers.low) / b,
        wrong.sum() / max(named.sum(), 1),
    )


def robust(setting: Setting, collections: int) -> None:
    """How often a null is called robust by joint.tested over READINGS runs, that read each word of
    the same texts anew: of a topic fixed beforehand, and of the clearest of all."""
    chance = np.random.default_rng([setting.K, *setting.sides, setting.in_time])
    fixed = 0
    picked = 0
    for _ in range(collections):
        made = drawn(chance, setting)
        lengths = made.x.sum(axis=1)
        exchange = joint.exchangeable(
            made.unit,
            made.side.astype(np.int8),
            lengths.astype(float),
            made.u if setting.in_time else None,
        )
        assert exchange is not None
        runs = []
        for _ in range(READINGS):
            data = made._replace(
                x=chance.multinomial(
                    lengths, (made.x + 0.1) / (made.x + 0.1).sum(axis=1, keepdims=True)
                )
            ).data()
            words = np.bincount(data.cell, weights=lengths, minlength=2 * PERIODS)
            period = np.tile(np.arange(PERIODS), 2)
            held = (
                time_curve.spline(period, words) if setting.in_time else np.ones((2 * PERIODS, 1))
            )
            runs.append(joint.sums(data, held, exchange))
        test = joint.tested(runs, exchange, chance)
        fixed = fixed + (test.p[0] <= 0.05)
        picked = picked + (test.selected.min() <= 0.05)
    print(
        f"robust nulls, {setting.K} topics, {setting.sides[0]} and {setting.sides[1]}"
        f" units{', in time' if setting.in_time else ''}: {fixed / collections:.1%} fixed,"
        f" {picked / collections:.1%} picked",
        flush=True,
    )


def robust_over_time(years: int, phi: float, collections: int) -> None:
    """The same of a straight line over years, whose topics are AR(1), spoken of by speakers who
    stay for some of them."""
    K = 40
    speakers = 5
    stay = 4
    words = 4_000
    chance = np.random.default_rng([years, int(10 * phi)])
    fixed = 0
    picked = 0
    x = np.arange(years) / years - (years - 1) / years / 2
    for _ in range(collections):
        course = chance.normal(size=(years, K))
        for t in range(1, years):
            course[t] = phi * course[t - 1] + np.sqrt(1 - phi**2) * course[t]
        own = chance.normal(size=(years // stay + 1, speakers, K))[np.arange(years) // stay]
        share = np.exp(0.3 * course[:, None] + 0.3 * own + np.log(1 / np.arange(1, K + 1) ** 0.7))
        share = (share / share.sum(axis=2, keepdims=True)).mean(axis=1)
        text = chance.multinomial(words, share) + 0.1
        readings = [
            chance.multinomial(words, text / text.sum(axis=1, keepdims=True))
            for _ in range(READINGS)
        ]
        runs = [
            joint.UnitSums(read.astype(float), np.full(years, float(words))) for read in readings
        ]
        test = over_time.tested(runs, x / (x @ x), chance)
        fixed = fixed + (test.p[0] <= 0.05)
        picked = picked + (test.selected.min() <= 0.05)
    print(
        f"robust nulls, {years} years, AR(1) {phi}: {fixed / collections:.1%} fixed,"
        f" {picked / collections:.1%} picked",
        flush=True,
    )


def told(setting: Setting, runs: int) -> tuple[float, float, float]:
    """(coverage, width, false discoveries) of a setting, printed."""
    chance = np.random.default_rng(
        [setting.K, setting.words, *setting.sides, setting.effect, setting.in_time]
    )
    outcomes = [one(chance, setting) for _ in range(runs)]
    given = np.stack([o.told for o in outcomes])
    coverage = (np.stack([o.held for o in outcomes]) & given).sum(axis=(0, 2)) / np.maximum(
        given.sum(axis=(0, 2)), 1
    )
    width = float(np.nanmedian(np.concatenate([o.width for o in outcomes])))
    false = float(np.mean([o.false for o in outcomes]))
    print(
        f"| {setting.K} | {setting.words} | {setting.sides[0]}, {setting.sides[1]} |"
        f" {'effects' if setting.effect else 'nulls'}{', in time' if setting.in_time else ''} |"
        f" {100 * given.mean():.0f} | {100 * coverage[0]:.1f} | {100 * coverage[1]:.1f} |"
        f" {width:.2f} | {100 * false:.1f} |",
        flush=True,
    )
    return float(coverage.min()) if given.any() else 1.0, float(coverage.max()), false


def large(D: int, K: int, columns: int) -> float:
    """Seconds of this process for every topic's effect of a column, documents as units and as those
    of 5,000 speakers."""
    chance = np.random.default_rng(5)
    ptr = np.concatenate([[0], np.cumsum(chance.integers(5, 15, D))])
    topics = chance.integers(0, K, ptr[-1]).astype(np.uint16)
    tokens = chance.integers(1, 20, ptr[-1]).astype(np.int32)
    documents = ptr, topics, tokens, np.add.reduceat(tokens, ptr[:-1]).astype(np.int64)
    design = chance.normal(size=(10_000, columns))
    cell = chance.integers(0, 10_000, D)
    design[:, 0] = 1
    most = 0.0
    for own in (units.documents(D), units.by_code(chance.integers(0, 5_000, D))):
        data = regression.Data.from_documents(own, cell, documents, np.arange(K), K)
        began = time.process_time()
        regression.fit(data, design, np.eye(columns)[1:2])
        most = max(most, time.process_time() - began)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(
        f"{D:,} documents x {K} topics x {columns} columns: {most:.1f} s, {memory:,} MB with the"
        " collection itself"
    )
    return most


def main() -> None:
    given = options(
        __doc__,
        {
            "--quick": {"action": "store_true"},
            "--runs": {
                "type": int,
                "help": "of each setting; less of those with many topics where it is not given",
            },
            "--robust": {
                "type": int,
                "help": "only how often a null is called robust, in so many collections",
            },
        },
    ).parse_args()
    if given.robust:
        for setting in ROBUST:
            robust(setting, given.robust)
        for years in (20, 60, 115):
            for phi in (0.5, 0.7):
                robust_over_time(years, phi, given.robust)
        return
    print("| topics | words | units | what | told % | difference % | ratio % | width | false % |")
    print("|---|---|---|---|---|---|---|---|---|")
    settings = [
        Setting(K, words, sides, effect)
        for K in TOPICS
        for words in LENGTHS
        for sides in SIDES
        for effect in (True, False)
    ]
    settings += [
        Setting(K, 60, sides, effect, True)
        for K in (10, 100)
        for sides in SIDES[2:]
        for effect in (True, False)
    ]
    if given.quick:
        settings = [s for s in settings if s.words != 300 and s.sides != (5, 5)]
    lowest = 1.0
    highest = 0.0
    false = dict[Setting, float]()
    for setting in settings:
        runs = given.runs or max(
            (400 if given.quick else 2_000) * 10 // setting.K, 20 if given.quick else 200
        )
        low, high, wrong = told(setting, runs)
        lowest = min(lowest, low)
        false[setting] = wrong
        highest = max(highest, high if min(setting.sides) >= 20 else 0.0)
    print(
        f"highest coverage from 20 units a side: {100 * highest:.1f}%, most false discoveries of a"
        f" setting: {100 * max(false.values()):.1f}%"
    )
    for setting in ROBUST:
        robust(setting, 100 if given.quick else 1_000)
    nulls = float(np.mean([wrong for setting, wrong in false.items() if not setting.effect]))
    seconds = large(100_000, 100, 20) if given.quick else large(1_000_000, 500, 20)
    most, K = (1_000, 20) if given.quick else (None, 40)
    stable = stability.compared(
        corpora.read_words(corpora.file("sotu"), most)[0], K, runs=3, halves=5
    )
    print(
        f"coverage: {100 * lowest:.1f}% nulls: {100 * nulls:.1f}% seconds: {seconds:.1f} stable:"
        f" {stable}"
    )


if __name__ == "__main__":
    main()
