"""How often the intervals of inference.answers hold the truth, and how often anything is called
different where nothing is.

    .venv/bin/python -m benchmarks.coverage [--quick]

Units (speakers) are drawn whose shares of 40 topics vary around their side's, as they do in real
collections: a few topics have most of the words, and many are nearly absent in most units. Sizes of
units vary by a factor of ten. For 5 against 5 up to 300 against 300 units, of units that vary as
those of a parliament and of units of which each has subjects of its own, a line each:
  truth: of topics with 0.5% or more of the words, the parts of 95% intervals of the difference, and
  of the ratio, that hold it; by CR2 alone the same
  nulls: of collections whose sides are alike, the part in which any topic is accepted
With --quick a tenth of the collections. The last line is `coverage: C ratio: R nulls: N
disagreements: D seconds: S`: the lowest of both, the highest part of nulls, and rows that are
accepted though an interval holds "no difference", or the other way round.
"""

import time
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import stdtrit

from benchmarks.origin import options
from inference.answers import Answers, Table, answer, question

COLLECTIONS = 200
SIDES = ((5, 5), (5, 30), (7, 7), (12, 20), (30, 70), (60, 300), (300, 300))
TOPICS = 40
USUAL = 0.95
# Concentration of units' shares around their side's: the lower, the less alike. With the second one
# unit has most of many topics
VARY = {"alike": 12.0, "of their own": 1.5}
TOLD = 0.005  # share from which on a topic is looked at
# words of a unit, in the middle, and the deviation of their logarithm
SIZE = 3_000
SPREAD = 0.8


class Counted(NamedTuple):
    """Of one collection with a difference: parts of the intervals that hold the truth."""

    difference: float
    ratio: float
    robust: float


def mean_shares(chance: np.random.Generator) -> np.ndarray:
    """float64[TOPICS]: a few topics have most of the words."""
    shares = 1 / np.arange(1, TOPICS + 1)
    return chance.permutation(shares / shares.sum())


def other_side(chance: np.random.Generator, shares: np.ndarray) -> np.ndarray:
    """The same topics, of which a third differ by half as much again or a third less."""
    changed = shares * np.where(chance.random(TOPICS) < 1 / 3, chance.choice([1.5, 2 / 3]), 1.0)
    return changed / changed.sum()


def draw(
    chance: np.random.Generator,
    sides: tuple[np.ndarray, np.ndarray],
    units: tuple[int, int],
    vary: float,
) -> tuple[Table, np.ndarray]:
    """A document for each unit, and which side it is on."""
    side = np.repeat([0, 1], units)
    sizes = np.maximum(SIZE * np.exp(SPREAD * chance.standard_normal(len(side))), 200).astype(int)
    own = [chance.dirichlet(np.maximum(vary * sides[s], 1e-3)) for s in side]
    amounts = np.array(
        [chance.multinomial(n, shares) for n, shares in zip(sizes, own, strict=True)]
    )
    return Table(csr_matrix(amounts.astype(float)), sizes.astype(float)), side


def asked(outcome: Table, side: np.ndarray, level: float | None) -> Answers:
    """With every document a unit. level: None for that of the family."""
    return answer(outcome, question.of_two_sets(side == 0, side == 1, None), level=level)


def disagreements(found: Answers) -> int:
    """Rows whose acceptance is not what both intervals say."""
    told = ~np.isnan(found.p)
    outside = (found.low > 0) | (found.high < 0)
    ratio_outside = (found.ratio_low > 1) | (found.ratio_high < 1)
    differ = (found.accepted != outside) | (found.accepted != ratio_outside)
    return int(np.count_nonzero(told & differ))


def held(found: Answers, sides: tuple[np.ndarray, np.ndarray]) -> Counted:
    """found: of a question that was asked for intervals of 95%."""
    truth = sides[0] - sides[1]
    told = ~np.isnan(found.p) & (np.maximum(*sides) >= TOLD)
    reach = found.critical * found.error
    robust = stdtrit(found.df, 0.975) * found.error
    apart = np.abs(found.difference - truth)
    ratio = sides[0] / sides[1]
    if not told.any():
        return Counted(np.nan, np.nan, np.nan)
    in_ratio = (found.ratio_low <= ratio) & (ratio <= found.ratio_high)
    return Counted(
        float((apart <= reach)[told].mean()),
        float(in_ratio[told].mean()),
        float((apart <= robust)[told].mean()),
    )


def main(quick: bool) -> None:
    """Prints the lines."""
    began = time.perf_counter()
    collections = COLLECTIONS // 10 if quick else COLLECTIONS
    lines = [
        measured(name, vary, units, collections) for name, vary in VARY.items() for units in SIDES
    ]
    worst = min(line.difference for line in lines)
    worst_ratio = min(line.ratio for line in lines)
    most_nulls = max(line.nulls for line in lines)
    differing = sum(line.disagreements for line in lines)
    print(
        f"coverage: {worst:.3f} ratio: {worst_ratio:.3f} nulls: {most_nulls:.3f}"
        f" disagreements: {differing} seconds: {time.perf_counter() - began:.0f}"
    )


class Line(NamedTuple):
    """Parts of the intervals of differences and of ratios that hold the truth; of the collections
    without a difference those in which something is accepted; rows at odds with their interval."""

    difference: float
    ratio: float
    nulls: float
    disagreements: int


def measured(name: str, vary: float, units: tuple[int, int], collections: int) -> Line:
    """Prints a line."""
    chance = np.random.default_rng(units)
    rows = list[Counted]()
    called = 0
    differing = 0
    for _ in range(collections):
        shares = mean_shares(chance)
        sides = shares, other_side(chance, shares)
        found = asked(*draw(chance, sides, units, vary), USUAL)
        rows.append(held(found, sides))
        differing += disagreements(found)
        null = asked(*draw(chance, (shares, shares), units, vary), None)
        called += bool(null.accepted.any())
        differing += disagreements(null)
    difference, ratio, robust = np.nanmean(rows, axis=0)
    print(
        f"{units[0]:3d} against {units[1]:3d} units {name}: truth held by {difference:.3f} of the"
        f" intervals of differences, {ratio:.3f} of ratios, {robust:.3f} by Student's t alone;"
        f" any topic called where none differs: {called / collections:.3f}",
        flush=True,
    )
    return Line(float(difference), float(ratio), called / collections, differing)


if __name__ == "__main__":
    declared = {"--quick": {"action": "store_true", "help": "a tenth of the collections"}}
    main(options(__doc__, declared).parse_args().quick)
