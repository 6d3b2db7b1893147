"""Whether what is concluded from topics' shares is true: planted effects and planted nulls, with
the true topics.

    .venv/bin/python -m benchmarks.conclusions [--quick] [--runs N]

Collections are drawn in which units (speakers) have mixtures of their own around their side's,
documents around their unit's, and words by their document's. Of each, inference.answers compares
the sides:
  coverage: parts of the 95% intervals, of differences and of ratios, that hold the expected
            difference and ratio; the width is the median, as a part of the share
  nulls: where the sides are alike, parts of all topics that Benjamini and Hochberg's procedure
         names; where some differ, of those named the parts that don't
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
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks import stability
from benchmarks.engines import corpora
from benchmarks.origin import options
from benchmarks.time_held import settings_of_two_sides
from inference.answers import Answers, CountedTopics, answer, held, question
from inference.answers.acceptance import are_accepted
from inference.effects import joint, over_time, regression, time_curve, unit_documents
from inference.runtime.arrays import offsets_of_parts
from inference.share_intervals import USUAL_LEVEL

Q_VALUE = 0.05
DOCUMENTS = 30  # of a unit, in the middle
TAIL = 0.5  # of the logarithm of their number
# Concentration for each topic: of units' mixtures around their side's, and of documents' around
# their unit's
OWN = 2.0
ALIKE = 0.2
LEAST_ALPHA = 1e-6  # of a gamma distribution
LEAST_WEIGHT = 1e-12  # of a topic in a document
FALL_OF_SHARES = 0.7  # the power of its rank by which a topic has less than the first
PLANTED = 0.2  # of the topics that differ
FACTORS = (1.5, 2 / 3)  # by which they do
PERIODS = 40
# Where the sides follow time: from 0 to 1, the middles of units' times, by how much those of one
# side are later, and how far documents lie around them
MIDDLES = (0.2, 0.8)
LATER = 0.15
AROUND = 0.15
LAST_MOMENT = 0.999
SMOOTHING = 0.1  # of a token, added to each topic where texts are read anew
LEVEL_OF_ROBUST = 0.05
# Of robust_over_time
TOPICS_OVER_TIME = 40
SPEAKERS = 5
YEARS_OF_SPEAKER = 4
WORDS_OF_YEAR = 4_000
DEVIATION = 0.3  # of the logarithm of a share, by year and by speaker
ROBUST_YEARS = (20, 60, 115)
ROBUST_PHI = (0.5, 0.7)
READINGS = 5  # runs that a claim is looked at in
LENGTHS = (15, 60, 300)
TOPICS = (10, 100, 500)
SIDES = ((5, 5), (5, 40), (20, 20), (50, 50))
LARGE_SIDES = SIDES[2:]
TOPICS_IN_TIME = (10, 100)
WORDS_IN_TIME = 60
ENOUGH_UNITS = 20  # of the smaller side, from which on coverage should not be too high
SEED_OF_LARGE = 5
CELLS_OF_LARGE = 10_000
SPEAKERS_OF_LARGE = 5_000


class Setting(NamedTuple):
    """K: topics; words: of a document; sides: units of each; effect: whether any topic differs;
    in_time: whether the sides follow time."""

    K: int
    words: int
    sides: tuple[int, int]
    effect: bool
    in_time: bool = False


ROBUST = (
    Setting(40, 60, (20, 20), effect=False, in_time=False),
    Setting(40, 60, (20, 20), effect=False, in_time=True),
    Setting(40, 60, (5, 40), effect=False, in_time=False),
)


class Outcome(NamedTuple):
    """holds, exists: bool[2, T], whether the interval of the difference, and of the ratio, holds
    the truth, and whether there is one; width: of the differences', in shares; false: whether any
    topic, or which part of those named, is named wrongly."""

    holds: np.ndarray
    exists: np.ndarray
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
        present = np.nonzero(self.x)
        ends = np.cumsum((self.x > 0).sum(axis=1))
        counts = (np.append(0, ends), present[1], self.x[present], self.x.sum(axis=1))
        cell = self.side * PERIODS + (self.u * PERIODS).astype(int)
        K = self.x.shape[1]
        speakers = unit_documents.by_code(self.unit)
        return regression.Data.from_documents(speakers, cell, counts, np.arange(K), K)


def drawn(chance: np.random.Generator, setting: Setting) -> Drawn:
    """A collection at random."""
    K = setting.K
    U = sum(setting.sides)
    side = np.repeat([0, 1], setting.sides)
    shares_at_first, shares_at_last = _shares_of_sides(chance, setting)
    middle = np.full(U, 0.5)
    if setting.in_time:
        middle = chance.uniform(*MIDDLES, U) + np.where(side == 0, LATER, -LATER)
    documents = np.maximum(chance.lognormal(np.log(DOCUMENTS), TAIL, U), 2).astype(int)
    unit = np.repeat(np.arange(U), documents)
    u = np.zeros(len(unit))
    if setting.in_time:
        u = np.clip(middle[unit] + chance.normal(0, AROUND, len(unit)), 0, LAST_MOMENT)
    concentration = OWN * K
    first = np.array([chance.dirichlet(concentration * shares_at_first[s]) for s in side])
    last = np.array([chance.dirichlet(concentration * shares_at_last[s]) for s in side])
    mixture = (1 - u[:, None]) * first[unit] + u[:, None] * last[unit]
    alpha = np.maximum(ALIKE * K * mixture, LEAST_ALPHA)
    theta = chance.standard_gamma(alpha) + LEAST_WEIGHT
    theta /= theta.sum(axis=1, keepdims=True)
    lengths = np.maximum(chance.poisson(setting.words, len(unit)), 1)
    x = chance.multinomial(lengths, theta)
    weight = lengths * (side[unit] == 0)
    t = (weight * u).sum() / weight.sum()  # b is told at the times of a
    a = (1 - t) * shares_at_first[0] + t * shares_at_last[0]
    b = (1 - t) * shares_at_first[1] + t * shares_at_last[1]
    return Drawn(x, unit, side[unit], u, a, b)


def _shares_of_sides(
    chance: np.random.Generator, setting: Setting
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """float64[K] of both sides, at the first moment and at the last."""
    falling = 1 / np.arange(1, setting.K + 1) ** FALL_OF_SHARES
    at_first = chance.permutation(falling)
    at_last = chance.permutation(falling)
    times = np.ones(setting.K)
    if setting.effect:
        differs = chance.random(setting.K) < PLANTED
        times = np.where(differs, chance.choice(FACTORS, setting.K), 1.0)
    first = [_as_shares(at_first * times), _as_shares(at_first)]
    last = [_as_shares(at_last * times), _as_shares(at_last)]
    return first, last


def _as_shares(weights: np.ndarray) -> np.ndarray:
    return weights / weights.sum()


def answer_of_sides(collection: Drawn) -> Answers:
    """The sides compared as they are, with intervals of 95%."""
    data = collection.data()
    topics = data.doc_ptr, data.doc_topics, data.doc_tokens, data.lengths, data.column_of_topic
    two_sides = question.of_two_sets(collection.side == 0, collection.side == 1, collection.unit)
    return answer(CountedTopics(*topics, data.T), two_sides, level=USUAL_LEVEL)


def answer_in_time(collection: Drawn) -> Answers:
    """Side b told at the times of a, with intervals of 95%."""
    data = collection.data()
    side = np.repeat([0, 1], PERIODS)
    words = np.bincount(data.cell, weights=data.lengths, minlength=2 * PERIODS)
    settings = settings_of_two_sides(side, words, collection.u)
    return held.answer_held(data, settings, level=USUAL_LEVEL)


def compare(chance: np.random.Generator, setting: Setting) -> Outcome:
    """A collection drawn and its sides compared."""
    collection = drawn(chance, setting)
    a = collection.a
    b = collection.b
    answers = answer_in_time(collection) if setting.in_time else answer_of_sides(collection)
    in_difference = (answers.low <= a - b) & (a - b <= answers.high)
    in_ratio = (answers.ratio_low <= a / b) & (a / b <= answers.ratio_high)
    p = np.where(np.isnan(answers.p), 1.0, answers.p)
    accepted = are_accepted(p, Q_VALUE)
    wrong = accepted & np.isclose(a, b) if setting.effect else accepted
    return Outcome(
        holds=np.stack([in_difference, in_ratio]),
        exists=np.isfinite(np.stack([answers.low, answers.ratio_low])),
        width=(answers.high - answers.low) / b,
        false=wrong.sum() / max(accepted.sum(), 1),
    )


def robust(setting: Setting, collections: int) -> None:
    """How often a null is called robust by joint.tested over READINGS runs, that read each word of
    the same texts anew: of a topic fixed beforehand, and of the clearest of all."""
    chance = np.random.default_rng([setting.K, *setting.sides, setting.in_time])
    fixed = 0
    picked = 0
    for _ in range(collections):
        collection = drawn(chance, setting)
        side = collection.side.astype(np.int8)
        lengths = collection.x.sum(axis=1).astype(float)
        time_of_document = collection.u if setting.in_time else None
        exchange = joint.exchangeable(collection.unit, side, lengths, time_of_document)
        assert exchange is not None
        runs = []
        for _ in range(READINGS):
            data = _read_anew(collection, chance).data()
            runs.append(joint.sums(data, _held_constant(data, setting.in_time), exchange))
        test = joint.tested(runs, exchange)
        fixed += test.p[0] <= LEVEL_OF_ROBUST
        picked += test.p_of_clearest.min() <= LEVEL_OF_ROBUST
    a, b = setting.sides
    in_time = ", in time" if setting.in_time else ""
    print(
        f"robust nulls, {setting.K} topics, {a} and {b} units{in_time}:"
        f" {fixed / collections:.1%} fixed, {picked / collections:.1%} picked",
        flush=True,
    )


def _read_anew(collection: Drawn, chance: np.random.Generator) -> Drawn:
    """With other topics of the same words, as another run would have them."""
    weights = collection.x + SMOOTHING
    shares = weights / weights.sum(axis=1, keepdims=True)
    return collection._replace(x=chance.multinomial(collection.x.sum(axis=1), shares))


def _held_constant(data: regression.Data, in_time: bool) -> np.ndarray:
    """float64[2 PERIODS, P]: columns of time, or a constant alone."""
    if not in_time:
        return np.ones((2 * PERIODS, 1))
    words = np.bincount(data.cell, weights=data.lengths, minlength=2 * PERIODS)
    period = np.tile(np.arange(PERIODS), 2)
    return time_curve.spline(period, words)


def robust_over_time(years: int, phi: float, collections: int) -> None:
    """False findings of a straight line over years, whose topics are AR(1), spoken of by speakers
    who stay for some of them."""
    chance = np.random.default_rng([years, int(10 * phi)])
    fixed = 0
    picked = 0
    x = np.arange(years) / years - (years - 1) / years / 2
    for _ in range(collections):
        text = chance.multinomial(WORDS_OF_YEAR, _shares_by_year(chance, years, phi)) + SMOOTHING
        shares = text / text.sum(axis=1, keepdims=True)
        readings = [chance.multinomial(WORDS_OF_YEAR, shares) for _ in range(READINGS)]
        words = np.full(years, float(WORDS_OF_YEAR))
        runs = [joint.UnitResiduals(reading.astype(float), words) for reading in readings]
        test = over_time.tested(runs, x / (x @ x))
        fixed += test.p[0] <= LEVEL_OF_ROBUST
        picked += test.p_of_clearest.min() <= LEVEL_OF_ROBUST
    print(
        f"robust nulls, {years} years, AR(1) {phi}: {fixed / collections:.1%} fixed,"
        f" {picked / collections:.1%} picked",
        flush=True,
    )


def _shares_by_year(chance: np.random.Generator, years: int, phi: float) -> np.ndarray:
    """float64[years, TOPICS_OVER_TIME]: means over the speakers of a year."""
    K = TOPICS_OVER_TIME
    course = chance.normal(size=(years, K))
    for t in range(1, years):
        course[t] = phi * course[t - 1] + np.sqrt(1 - phi**2) * course[t]
    terms = years // YEARS_OF_SPEAKER + 1
    of_terms = chance.normal(size=(terms, SPEAKERS, K))
    of_speakers = of_terms[np.arange(years) // YEARS_OF_SPEAKER]
    usual = np.log(1 / np.arange(1, K + 1) ** FALL_OF_SHARES)
    weights = np.exp(DEVIATION * course[:, None] + DEVIATION * of_speakers + usual)
    shares = weights / weights.sum(axis=2, keepdims=True)
    return shares.mean(axis=1)


def print_setting(setting: Setting, runs: int) -> tuple[float, float, float]:
    """(the lower coverage, the higher, false discoveries) of a setting, printed."""
    seed = [setting.K, setting.words, *setting.sides, setting.effect, setting.in_time]
    chance = np.random.default_rng(seed)
    outcomes = [compare(chance, setting) for _ in range(runs)]
    exists = np.stack([outcome.exists for outcome in outcomes])
    holds = np.stack([outcome.holds for outcome in outcomes]) & exists
    intervals = exists.sum(axis=(0, 2))
    coverage = holds.sum(axis=(0, 2)) / np.maximum(intervals, 1)
    width = float(np.nanmedian(np.concatenate([outcome.width for outcome in outcomes])))
    false = float(np.mean([outcome.false for outcome in outcomes]))
    a, b = setting.sides
    kind = "effects" if setting.effect else "nulls"
    if setting.in_time:
        kind += ", in time"
    cells = [
        f"{setting.K}",
        f"{setting.words}",
        f"{a}, {b}",
        kind,
        f"{100 * exists.mean():.0f}",
        f"{100 * coverage[0]:.1f}",
        f"{100 * coverage[1]:.1f}",
        f"{width:.2f}",
        f"{100 * false:.1f}",
    ]
    print(f"| {' | '.join(cells)} |", flush=True)
    lowest = float(coverage.min()) if exists.any() else 1.0
    return lowest, float(coverage.max()), false


def large(D: int, K: int, columns: int) -> float:
    """Seconds of this process for every topic's effect of a column, documents as units and as those
    of 5,000 speakers."""
    chance = np.random.default_rng(SEED_OF_LARGE)
    topics_of_documents = chance.integers(5, 15, D)
    ptr = offsets_of_parts(topics_of_documents)
    topics = chance.integers(0, K, ptr[-1]).astype(np.uint16)
    tokens = chance.integers(1, 20, ptr[-1]).astype(np.int32)
    lengths = np.add.reduceat(tokens, ptr[:-1]).astype(np.int64)
    documents = ptr, topics, tokens, lengths
    design = chance.normal(size=(CELLS_OF_LARGE, columns))
    cell = chance.integers(0, CELLS_OF_LARGE, D)
    design[:, 0] = 1
    speakers = unit_documents.by_code(chance.integers(0, SPEAKERS_OF_LARGE, D))
    slowest = 0.0
    for unit in (unit_documents.documents(D), speakers):
        data = regression.Data.from_documents(unit, cell, documents, np.arange(K), K)
        began = time.process_time()
        regression.fit(data, design, np.eye(columns)[1:2])
        slowest = max(slowest, time.process_time() - began)
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{D:,} documents x {K} topics x {columns} columns: {slowest:.1f} s,"
        f" {kilobytes >> 10:,} MB with the collection itself"
    )
    return slowest


class Size(NamedTuple):
    """How much is drawn. runs: of a setting with ten topics; fewest: of any other. large:
    documents, topics and columns. documents, topics: of the addresses that `stable` is of, None for
    all."""

    runs: int
    fewest: int
    robust: int
    large: tuple[int, int, int]
    documents: int | None
    topics: int


FULL = Size(
    runs=2_000,
    fewest=200,
    robust=1_000,
    large=(1_000_000, 500, 20),
    documents=None,
    topics=40,
)
QUICK = Size(
    runs=400,
    fewest=20,
    robust=100,
    large=(100_000, 100, 20),
    documents=1_000,
    topics=20,
)
OPTIONS: dict[str, dict[str, Any]] = {
    "--quick": {"action": "store_true"},
    "--runs": {
        "type": int,
        "help": "of each setting; less of those with many topics where it is not given",
    },
    "--robust": {
        "type": int,
        "help": "only how often a null is called robust, in so many collections",
    },
}


def all_settings() -> Iterator[Setting]:
    for K in TOPICS:
        for words in LENGTHS:
            for sides in SIDES:
                yield Setting(K, words, sides, effect=True)
                yield Setting(K, words, sides, effect=False)
    for K in TOPICS_IN_TIME:
        for sides in LARGE_SIDES:
            yield Setting(K, WORDS_IN_TIME, sides, effect=True, in_time=True)
            yield Setting(K, WORDS_IN_TIME, sides, effect=False, in_time=True)


def is_quick(setting: Setting) -> bool:
    return setting.words != max(LENGTHS) and setting.sides != min(SIDES)


def print_robust(collections: int) -> None:
    """Only how often a null is called robust."""
    for setting in ROBUST:
        robust(setting, collections)
    for years in ROBUST_YEARS:
        for phi in ROBUST_PHI:
            robust_over_time(years, phi, collections)


def print_settings(settings: list[Setting], size: Size, runs: int | None) -> tuple[float, float]:
    """A table. Returns the lowest coverage, and false discoveries of settings without effects.
    runs: of each setting, where they are given."""
    print("| topics | words | units | what | told % | difference % | ratio % | width | false % |")
    print("|---|---|---|---|---|---|---|---|---|")
    lowest = 1.0
    highest = 0.0
    false = []
    of_nulls = []
    for setting in settings:
        usual = max(size.runs * min(TOPICS) // setting.K, size.fewest)
        low, high, wrong = print_setting(setting, runs or usual)
        lowest = min(lowest, low)
        if min(setting.sides) >= ENOUGH_UNITS:
            highest = max(highest, high)
        false.append(wrong)
        if not setting.effect:
            of_nulls.append(wrong)
    print(
        f"highest coverage from 20 units a side: {100 * highest:.1f}%, most false discoveries of a"
        f" setting: {100 * max(false):.1f}%"
    )
    return lowest, float(np.mean(of_nulls))


def main() -> None:
    arguments = options(__doc__, OPTIONS).parse_args()
    if arguments.robust:
        print_robust(arguments.robust)
        return
    size = QUICK if arguments.quick else FULL
    settings = list(all_settings())
    if arguments.quick:
        settings = list(filter(is_quick, settings))
    lowest, nulls = print_settings(settings, size, arguments.runs)
    for setting in ROBUST:
        robust(setting, size.robust)
    seconds = large(*size.large)
    addresses, _ = corpora.read_words(corpora.file("sotu"), size.documents)
    stable = stability.compared(addresses, size.topics, runs=3, halves=5)
    print(
        f"coverage: {100 * lowest:.1f}% nulls: {100 * nulls:.1f}% seconds: {seconds:.1f} stable:"
        f" {stable}"
    )


if __name__ == "__main__":
    main()
