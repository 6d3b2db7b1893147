"""Whether shares of a concept, estimated from a few hundred codes, hold the truth where all codes
are known.

    .venv/bin/python -m benchmarks.codebook [--quick] [--draws N] [--data FOLDER]

18,263 sentences of British party manifestos, each coded by experts (Benoit, Conway, Lauderdale,
Laver and Mikhaylov
2016), are uploaded, read and trained as the pages preset it. Two concepts: `common` is economic for
three experts or more, `rare` for seven. 300 codes are drawn, in strata of the topic that fits best
and of manifestos, the others hidden; N times (2,000, with --quick 300) shares are estimated,
overall, by year and by party. A line of each cell:
  codes, few: how many codes it has on average, and in which part of the draws fewer than FEW of
  either kind
  count, coded: by how much the plain count of predictions, and of codes, is wrong on average
  alone, held: the part of 95% intervals "in these texts" that hold the truth, of codes alone, and
  corrected
  told: the same of the corrected, of draws that are not few alone; it is low where only lucky draws
  are not
  width: of corrected intervals to those of the codes alone, on average

Then effects of the regression of codes on year and party: of Labour against the Conservatives in
the same years, and from the first year to the last in the same parties; the truth is the regression
of all codes. A line of each, with the same columns; `count` is the effect on counted predictions,
`beyond` the part of intervals "beyond these texts", documents independent, that hold it.

`planted` has the codes of `common` and a prediction with R2 = 0.45. Intervals beyond these texts
are tested in tests/inference/codes/test_estimate.py. The last line is `coverage: C narrower: R
seconds: S`: the least `held`, and `told` of cells that are few in half of the draws or less; the
width of `common` overall; and seconds for the prediction from 5,000 codes.
"""

import time
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.collection_files import csv_rows
from benchmarks.engines.corpora import SHARED
from benchmarks.origin import options, started
from inference.codes.draw import draw, strata
from inference.codes.effect import Effect, effect
from inference.codes.estimate import Bounds, CellEstimates, cells
from inference.codes.predict import Prediction, predict
from inference.evidence import Evidence

FILE = SHARED / "manifestos.csv.gz"
BY = ("year", "party", "manifesto")
DRAWS = 2_000
QUICK_DRAWS = 300
CODES = 300  # of a draw
FLOOR = 1  # of a stratum, at the least
COMMON = 3  # experts who say that a sentence is economic, at the least
RARE = 7
EFFECTS = ("Labour, year held constant", "1987 to 2010, party held constant")
R2 = 0.45  # planted
TIMED = 5_000  # codes of the prediction whose time is measured
SELDOM_FEW = 0.5  # of the draws: `told` of a cell that is few more often says nothing
TINY = 1e-9  # a share that is divided by
SHARE_HEAD = "concept cell truth codes few% count coded alone% held% told% width".split()
EFFECT_HEAD = "concept effect truth count alone% held% beyond% width".split()


class Grouping(NamedTuple):
    """labels: of its cells. cell: int[D], of each document."""

    labels: list[str]
    cell: np.ndarray


class Design(NamedTuple):
    """row: int[D], of each document. rows: float64[C, P]: the constant, years from 0 to 1, parties
    but the first. contrasts: float64[len(EFFECTS), P]."""

    row: np.ndarray
    rows: np.ndarray
    contrasts: np.ndarray


class Result(NamedTuple):
    """What came out for a concept. coverage: the least. width: of its overall interval, to that of
    codes alone."""

    coverage: float
    width: float


def main() -> None:
    declared: dict[str, dict[str, Any]] = {
        "--quick": {"action": "store_true"},
        "--draws": {"type": int, "help": "2,000 where it is not given, with --quick 300"},
        "--data": {"type": Path, "help": "a state folder that stays, with what was trained in it"},
    }
    arguments = options(__doc__, declared).parse_args()
    if not FILE.is_file():
        print(f"Nothing is measured: {FILE} is missing.")
        return
    draws = arguments.draws or (QUICK_DRAWS if arguments.quick else DRAWS)
    with started(arguments.data):
        measure(draws)


def measure(draws: int) -> None:
    from benchmarks.insight import collections, runs
    from webapp.core.results import evidence

    rows = csv_rows(FILE)
    columns = itemgetter("id", *BY, "text")
    texts = [dict(zip(("id", *BY, "text"), columns(row), strict=True)) for row in rows]
    collection = collections.collection_of_rows("manifestos", texts, "year")
    tokens = evidence.of(runs.trained(collection, False, 0))
    years = _grouped(rows, "year")
    parties = _grouped(rows, "party")
    manifestos = _grouped(rows, "manifesto")
    experts = np.array([int(row["economic_experts"]) for row in rows])
    common = (experts >= COMMON).astype(float)
    rare = (experts >= RARE).astype(float)
    random = np.random.default_rng(0)
    planted = plant_prediction(common, random)
    groupings = [Grouping(["all"], np.zeros(len(rows), int)), years, parties]
    unit = manifestos.cell
    print(f"{draws:,} draws of {CODES} of {len(rows):,} documents, {tokens.K} topics")
    print(_row(SHARE_HEAD) + _row(["---"] * len(SHARE_HEAD)), end="")
    results = [
        measure_concept("common", common, tokens, unit, groupings, draws),
        measure_concept("rare", rare, tokens, unit, groupings, draws),
        measure_concept("planted", common, tokens, unit, groupings, draws, planted),
    ]
    timed = random.permutation(len(rows))[:TIMED]
    began = time.process_time()
    predict(tokens.document_bow, tokens, timed, common[timed], 0)
    seconds = time.process_time() - began
    coverage = 100 * min(result.coverage for result in results)
    print(f"coverage: {coverage:.1f}% narrower: {results[0].width:.3f} seconds: {seconds:.2f}")


def _grouped(rows: list[dict], column: str) -> Grouping:
    labels, cell = np.unique([row[column] for row in rows], return_inverse=True)
    return Grouping(labels.tolist(), cell)


def plant_prediction(y: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """float32[D]: a prediction of y that explains R2 of its variance."""
    noise = np.sqrt(R2 * (1 - R2) * y.var())
    return random.normal(R2 * y + (1 - R2) * y.mean(), noise).astype(np.float32)


def measure_concept(
    name: str,
    y: np.ndarray,
    tokens: Evidence,
    unit: np.ndarray,
    groupings: list[Grouping],
    draws: int,
    planted: np.ndarray | None = None,
) -> Result:
    """Prints its lines. groupings: all documents, by year, by party. planted: float32[D], a
    prediction; None for one from the codes. y: float[D], the concept's codes, 0 or 1; unit: int[D],
    whose each document is."""
    stratum = strata(_best_share(y, tokens), unit)
    design = design_of_groups(*groupings[1:])
    of_cells: list[list[CellEstimates]] = [[] for _ in groupings]
    of_effects: list[list[Effect]] = [[] for _ in EFFECTS]
    r2 = np.empty(draws)
    for seed in range(draws):
        documents, pi, _ = draw(stratum, CODES, FLOOR, seed)
        codes = y[documents]
        if planted is None:
            prediction = predict(tokens.document_bow, tokens, documents, codes, seed)
        else:
            prediction = Prediction(planted[None], planted[None, documents], R2)
        r2[seed] = prediction.r2
        for estimates, grouping in zip(of_cells, groupings, strict=True):
            estimates.append(cells(grouping.cell, stratum, documents, codes, pi, prediction))
        for effects, contrast in zip(of_effects, design.contrasts, strict=True):
            effects.append(
                effect(design.row, design.rows, contrast, stratum, documents, codes, pi, prediction)
            )
    results = [
        _print_cells(name, y, grouping, estimates)
        for grouping, estimates in zip(groupings, of_cells, strict=True)
    ]
    _print_effects(name, y, design, of_effects)
    root = 1.05 * np.sqrt(1 - r2.mean())
    print(f"{name}: R2 out of fold {r2.mean():.2f}, 1.05 times the root of 1 - R2 is {root:.3f}")
    return Result(min(result.coverage for result in results), results[0].width)


def _best_share(y: np.ndarray, tokens: Evidence) -> np.ndarray:
    """float64[D]: of the topic whose shares fit the codes best."""
    lengths = np.maximum(tokens.lengths, 1)
    shares = [tokens.mixtures.tokens_held([k]) / lengths for k in range(tokens.K)]
    fits = [np.corrcoef(y, share)[0, 1] if share.any() else -1 for share in shares]
    return shares[int(np.argmax(fits))]


def _print_cells(
    name: str, y: np.ndarray, grouping: Grouping, draws: list[CellEstimates]
) -> Result:
    """A line of each cell; the Result of the first one's width."""
    truth = np.bincount(grouping.cell, y) / np.bincount(grouping.cell)
    few = np.array([cells.few for cells in draws])
    alone = np.array([_holds(cells.coded, truth) for cells in draws])
    held = np.array([_holds(cells.corrected, truth) for cells in draws])
    share_few = few.mean(axis=0)
    told = (held * ~few).mean(axis=0) / np.maximum(1 - share_few, TINY)
    width = _mean_width([cells.corrected for cells in draws])
    width /= _mean_width([cells.coded for cells in draws])
    columns = [
        truth,
        np.mean([cells.codes for cells in draws], axis=0) / 100,  # printed as a number, not in %
        share_few,
        np.mean([cells.counted for cells in draws], axis=0) - truth,
        np.mean([cells.coded.estimate for cells in draws], axis=0) - truth,
        alone.mean(axis=0),
        held.mean(axis=0),
        told,
    ]
    for c, label in enumerate(grouping.labels):
        numbers = [f"{100 * column[c]:.1f}" for column in columns]
        print(_row([name, label, *numbers, f"{width[c]:.3f}"]), end="", flush=True)
    least = min([*held.mean(axis=0), *told[share_few <= SELDOM_FEW]])
    return Result(float(least), float(width[0]))


def _print_effects(
    name: str, y: np.ndarray, design: Design, of_effects: list[list[Effect]]
) -> None:
    beta, *_ = np.linalg.lstsq(design.rows[design.row], y, rcond=None)
    truths = design.contrasts @ beta
    print("\n" + _row(EFFECT_HEAD) + _row(["---"] * len(EFFECT_HEAD)), end="")
    for label, truth, draws in zip(EFFECTS, truths, of_effects, strict=True):
        intervals = [
            [draw.coded for draw in draws],
            [draw.corrected for draw in draws],
            [draw.beyond for draw in draws],
        ]
        held = [_part_that_holds(bounds, truth) for bounds in intervals]
        coded, corrected, _ = (_mean_width(kind) for kind in intervals)
        wrong = np.mean([draw.counted for draw in draws]) - truth
        numbers = [f"{100 * number:.1f}" for number in (truth, wrong, *held)]
        print(_row([name, label, *numbers, f"{corrected / coded:.3f}"]), end="", flush=True)


def _holds(bounds: Bounds, truth: np.ndarray | float) -> np.ndarray:
    return (bounds.low <= truth) & (truth <= bounds.high)


def _part_that_holds(draws: list[Bounds], truth: float) -> float:
    return float(np.mean([_holds(bounds, truth) for bounds in draws]))


def _mean_width(draws: list[Bounds]) -> np.ndarray:
    return np.mean([bounds.high - bounds.low for bounds in draws], axis=0)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def design_of_groups(years: Grouping, parties: Grouping) -> Design:
    """A row for each year and party: the constant, time from 0 to 1, and each party but the first.
    Contrasts: of Labour with the first party, and of time."""
    year = np.array(years.labels, float)
    time_of_year = (year - year[0]) / (year[-1] - year[0])
    rows = []
    for moment in time_of_year:
        for party in range(len(parties.labels)):
            rows.append([1, moment, *(party == other for other in range(1, len(parties.labels)))])
    identity = np.eye(1 + len(parties.labels))
    contrasts = identity[[1 + parties.labels.index("Labour"), 1]]
    row = years.cell * len(parties.labels) + parties.cell
    return Design(row, np.array(rows, float), contrasts)


if __name__ == "__main__":
    main()
