"""How often the intervals of inference.answers hold the truth, and how often anything is called
different where nothing is.

    .venv/bin/python -m benchmarks.coverage [--quick] [--drawn]

Units (speakers) are drawn whose shares of 40 topics vary around their side's, as they do in real
collections: a few topics have most of the words, and many are nearly absent in most units. Sizes of
units vary by a factor of ten. For 5 against 5 up to 300 against 300 units, of units that vary as
those of a parliament and of units of which each has subjects of its own, a line each:
  truth: of topics with 0.5% or more of the words, the parts of 95% intervals of the difference, and
  of the ratio, that hold it; by CR2 alone the same
  nulls: of collections whose sides are alike, the part in which any topic is accepted
With --drawn units are drawn, with replacement, from those of two collections beside the project
(presidents of two parties, authors of two kinds of proposals), with their most frequent words in
place of topics; the truth is what all of them have. With --quick a tenth of the collections. The last line is `coverage: C ratio: R nulls: N
disagreements: D seconds: S`: the lowest of both, the highest part of nulls, and rows that are
accepted though an interval holds "no difference", or the other way round.
"""

import time
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import stdtrit

from benchmarks.collection_files import csv_rows
from benchmarks.engines.corpora import SHARED, read
from benchmarks.origin import options
from inference.answers import AmountTable, Answers, answer, question

COLLECTIONS = 200
SIDES = ((5, 5), (5, 30), (7, 7), (12, 20), (30, 70), (60, 300), (300, 300))
TOPICS = 40
USUAL = 0.95
# Concentration of units' shares around their side's: the lower, the less alike. With the second one
# unit has most of many topics
VARY = {"alike": 12.0, "of their own": 1.5}
COLUMNS = 60  # words in place of topics, of --drawn
POPULATIONS = {
    "presidents": ("state_of_the_union.csv.gz", "president", "party", "Republican"),
    "authors": ("peps.csv.gz", "author", "type", "Standards Track"),
}
LEAST_SHARE = 0.005  # share from which on a topic is looked at
# words of a unit, in the middle, and the deviation of their logarithm
SIZE = 3_000
SPREAD = 0.8


class Counted(NamedTuple):
    """What part of the intervals hold the truth, in one collection with a difference."""

    difference: float
    ratio: float
    robust: float


def mean_shares(chance: np.random.Generator) -> np.ndarray:
    """float64[TOPICS]: a few topics have most of the words."""
    shares = 1 / np.arange(1, TOPICS + 1)
    return chance.permutation(shares / shares.sum())


def other_side(chance: np.random.Generator, shares: np.ndarray) -> np.ndarray:
    """float64[TOPICS]: shares of the topics on the other side: a third of them differ by half as
    much again or a third less. shares: float64[TOPICS]."""
    changed = shares * np.where(chance.random(TOPICS) < 1 / 3, chance.choice([1.5, 2 / 3]), 1.0)
    return changed / changed.sum()


def draw(
    chance: np.random.Generator,
    sides: tuple[np.ndarray, np.ndarray],
    units: tuple[int, int],
    vary: float,
) -> tuple[AmountTable, np.ndarray]:
    """A document for each unit, and which side it is on, int[n]. sides: float64[TOPICS] twice, the
    shares of each side's topics; units: how many each has; vary: the sum of the Dirichlet prior by
    which units vary, less for more."""
    side = np.repeat([0, 1], units)
    sizes = np.maximum(SIZE * np.exp(SPREAD * chance.standard_normal(len(side))), 200).astype(int)
    own = [chance.dirichlet(np.maximum(vary * sides[s], 1e-3)) for s in side]
    amounts = np.array(
        [chance.multinomial(n, shares) for n, shares in zip(sizes, own, strict=True)]
    )
    return AmountTable(csr_matrix(amounts.astype(float)), sizes.astype(float)), side


class Population(NamedTuple):
    """Units to draw from. amounts: float64[U, COLUMNS]; sizes: float64[U]; side: int[U], 0 or 1."""

    amounts: np.ndarray
    sizes: np.ndarray
    side: np.ndarray

    def shares(self, side: int) -> np.ndarray:
        """float64[COLUMNS]: of all units of a side."""
        own = self.side == side
        return self.amounts[own].sum(axis=0) / self.sizes[own].sum()

    def draw(
        self, chance: np.random.Generator, units: tuple[int, int], differ: bool
    ) -> tuple[AmountTable, np.ndarray]:
        """So many of either side, and the side of each, int[n]; of both together where they are not
        to differ."""
        side = np.repeat([0, 1], units)
        chosen = [
            chance.choice(np.flatnonzero((self.side == number) | (not differ)), count)
            for number, count in enumerate(units)
        ]
        unit = np.concatenate(chosen)
        return AmountTable(csr_matrix(self.amounts[unit]), self.sizes[unit]), side


def population(file: str, unit: str, field: str, first: str) -> Population:
    """The units of a collection beside the project: those that say a value of a field, and all
    others."""
    path = SHARED / file
    bow = read(path)
    rows = csv_rows(path)
    codes = np.unique([row[unit] for row in rows], return_inverse=True)[1]
    documents = csr_matrix((bow.counts, bow.words, bow.indptr), shape=(bow.D, bow.V))
    member = csr_matrix((np.ones(bow.D), (codes, np.arange(bow.D))))
    of_units = (member @ documents).toarray()
    frequent = np.argsort(-of_units.sum(axis=0))[:COLUMNS]
    says_first = member @ np.array([float(row[field] == first) for row in rows])
    side = np.where(2 * says_first > np.asarray(member.sum(axis=1)).ravel(), 0, 1)
    sizes = of_units.sum(axis=1)
    has_words = sizes > 0
    return Population(
        of_units[has_words][:, frequent].astype(float), sizes[has_words], side[has_words]
    )


def asked(outcome: AmountTable, side: np.ndarray, level: float | None) -> Answers:
    """With every document a unit. level: None for that of the family."""
    return answer(outcome, question.of_two_sets(side == 0, side == 1, None), level=level)


def rows_at_odds(answers: Answers) -> int:
    """Rows whose acceptance is not what both intervals say; only that of the difference where there
    is no ratio."""
    has_p = ~np.isnan(answers.p)
    outside = (answers.low > 0) | (answers.high < 0)
    has_ratio = ~np.isnan(answers.ratio_low)
    ratio_outside = (answers.ratio_low > 1) | (answers.ratio_high < 1)
    differ = answers.accepted != outside
    differ |= has_ratio & (answers.accepted != ratio_outside)
    return int(np.count_nonzero(has_p & differ))


def held(
    answers: Answers, sides: tuple[np.ndarray, np.ndarray], least_share: float = LEAST_SHARE
) -> Counted:
    """answers: of a question that was asked for intervals of 95%."""
    truth = sides[0] - sides[1]
    is_known = ~np.isnan(answers.p) & (np.maximum(*sides) >= least_share)
    reach = answers.critical * answers.error
    robust = stdtrit(answers.df, 0.975) * answers.error
    apart = np.abs(answers.difference - truth)
    ratio = sides[0] / sides[1]
    if not is_known.any():
        return Counted(np.nan, np.nan, np.nan)
    in_ratio = (answers.ratio_low <= ratio) & (ratio <= answers.ratio_high)
    return Counted(
        float((apart <= reach)[is_known].mean()),
        float(in_ratio[is_known].mean()),
        float((apart <= robust)[is_known].mean()),
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


def main_drawn(quick: bool) -> None:
    """Prints the lines of --drawn."""
    collections = COLLECTIONS // 10 if quick else COLLECTIONS
    for name, asked_of in POPULATIONS.items():
        units_of = population(*asked_of)
        for units in SIDES:
            chance = np.random.default_rng(units)
            truth = (units_of.shares(0), units_of.shares(1))
            rows: list[Counted] = []
            called = 0
            for _ in range(collections):
                outcome, side = units_of.draw(chance, units, differ=True)
                rows.append(held(asked(outcome, side, USUAL), truth, least_share=0.0))
                outcome, side = units_of.draw(chance, units, differ=False)
                called += bool(asked(outcome, side, None).accepted.any())
            parts = np.nanmean(rows, axis=0)
            print(line_of(units, name, parts, called / collections), flush=True)


def line_of(units: tuple[int, int], name: str, parts: np.ndarray, called: float) -> str:
    """A line. parts: as Counted has them, the means."""
    difference, ratio, robust = parts
    sides = f"{units[0]:3d} against {units[1]:3d} {name}"
    intervals = f"{difference:.3f} of the intervals of differences, {ratio:.3f} of ratios"
    alone = f"{robust:.3f} by Student's t alone"
    return (
        f"{sides}: truth held by {intervals}, {alone}; any called where none differs: {called:.3f}"
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
    rows: list[Counted] = []
    called = 0
    differing = 0
    for _ in range(collections):
        shares = mean_shares(chance)
        sides = shares, other_side(chance, shares)
        found = asked(*draw(chance, sides, units, vary), USUAL)
        rows.append(held(found, sides))
        differing += rows_at_odds(found)
        null = asked(*draw(chance, (shares, shares), units, vary), None)
        called += bool(null.accepted.any())
        differing += rows_at_odds(null)
    parts = np.nanmean(rows, axis=0)
    print(line_of(units, f"units {name}", parts, called / collections), flush=True)
    difference, ratio, _ = parts
    return Line(float(difference), float(ratio), called / collections, differing)


if __name__ == "__main__":
    declared: dict[str, dict[str, Any]] = {
        "--quick": {"action": "store_true", "help": "a tenth of the collections"},
        "--drawn": {"action": "store_true", "help": "units of collections beside the project"},
    }
    arguments = options(__doc__, declared).parse_args()
    if arguments.drawn:
        main_drawn(arguments.quick)
    else:
        main(arguments.quick)
