"""Whether shares of a concept, estimated from a few hundred codes, hold the truth where all codes are known.

    .venv/bin/python -m benchmarks.codebook [--quick] [--draws N] [--data FOLDER]

18,263 sentences of British party manifestos, each coded by experts (Benoit, Conway, Lauderdale, Laver and Mikhaylov
2016), are uploaded, read and trained as the pages preset it. Two concepts: `common` is economic for three experts or
more, `rare` for seven. 300 codes are drawn, in strata of the topic that fits best and of manifestos, the others hidden;
N times (2,000, with --quick 300) shares are estimated, overall, by year and by party. A line of each cell:
  codes, few: how many codes it has on average, and in which part of the draws fewer than FEW of either kind
  count, coded: by how much the plain count of predictions, and of codes, is wrong on average
  alone, held: the part of 95% intervals "in these texts" that hold the truth, of codes alone, and corrected
  told: the same of the corrected, of draws that are not few alone; it is low where only lucky draws are not
  width: of corrected intervals to those of the codes alone, on average

`planted` has the codes of `common` and a prediction with R2 = 0.45. Intervals beyond these texts are tested in
tests/inference/codes/test_estimate.py. The last line is `coverage: C narrower: R seconds: S`: the least `held`, and `told` of cells that are few in half of the
draws or less; the width of `common` overall; and seconds for the prediction from 5,000 codes.
"""

import time
from pathlib import Path

import numpy as np

from benchmarks.engines.corpora import SHARED
from benchmarks.origin import options, started
from inference.codes.draw import draw, strata
from inference.codes.estimate import cells
from inference.codes.predict import Prediction, predict

FILE = SHARED / "manifestos.csv.gz"
BY = ("year", "party", "manifesto")
CODES, FLOOR = 300, 1
R2 = 0.45  # planted


def main() -> None:
    given = options(
        __doc__,
        {
            "--quick": {"action": "store_true"},
            "--draws": {"type": int, "help": "2,000 where it is not given, with --quick 300"},
            "--data": {"type": Path, "help": "a state folder that stays, with what was trained in it"},
        },
    ).parse_args()
    if not FILE.is_file():
        print(f"Nothing is measured: {FILE} is missing.")
        return
    with started(given.data):
        measured(given.draws or (300 if given.quick else 2_000))


def measured(draws: int) -> None:
    from benchmarks.insight import collections, runs
    from webapp.results import evidence

    rows = collections._rows(FILE)
    texts = [{name: row[name] for name in ("id", *BY, "text")} for row in rows]
    tokens = evidence.of(runs.trained(collections._table("manifestos", texts, "year"), False, 0))
    names, codes = zip(*(np.unique([row[by] for row in rows], return_inverse=True) for by in BY), strict=True)
    sets = [(["all"], np.zeros(len(rows), int)), *zip(names[:2], codes[:2], strict=True)]
    experts, chance = np.array([int(row["economic_experts"]) for row in rows]), np.random.default_rng(0)
    common, rare = (experts >= 3).astype(float), (experts >= 7).astype(float)
    noise = np.sqrt(R2 * (1 - R2) * common.var())
    planted = chance.normal(R2 * common + (1 - R2) * common.mean(), noise).astype(np.float32)
    print(f"{draws:,} draws of {CODES} of {len(rows):,} documents, {tokens.K} topics")
    print(
        "| concept | cell | truth | codes | few % | count | coded | alone % | held % | told % | width |\n|"
        + "---|" * 11
    )
    outcomes = [
        concept(name, y, tokens, codes[2], sets, draws, g)
        for name, y, g in (("common", common, None), ("rare", rare, None), ("planted", common, planted))
    ]
    some, began = chance.permutation(len(rows))[:5_000], time.process_time()
    predict(tokens.bow, tokens, some, common[some], 0)
    seconds = time.process_time() - began
    print(f"coverage: {100 * min(outcomes)[0]:.1f}% narrower: {outcomes[0][1]:.3f} seconds: {seconds:.2f}")


def concept(
    name: str, y: np.ndarray, tokens, unit: np.ndarray, sets: list, draws: int, g: np.ndarray | None
) -> tuple[float, float]:
    """(least coverage, width overall), printed. g: a prediction that is given, None for one from the codes."""
    share = [tokens.held([k]) / np.maximum(tokens.lengths, 1) for k in range(tokens.K)]
    of = strata(max(share, key=lambda s: np.corrcoef(y, s)[0, 1] if s.any() else -1), unit)
    r2, outcomes = np.empty(draws), [list[tuple]() for _ in sets]
    for seed in range(draws):
        documents, pi, _ = draw(of, CODES, FLOOR, seed)
        given = (
            Prediction(g[None], g[None, documents], R2)
            if g is not None
            else predict(tokens.bow, tokens, documents, y[documents], seed)
        )
        r2[seed] = given.r2
        for rows, (_, cell) in zip(outcomes, sets, strict=True):
            e = cells(cell, of, documents, y[documents], pi, given)
            rows.append(
                (e.codes, e.few, e.counted, e.raw, e.coded.low, e.coded.high, e.corrected.low, e.corrected.high)
            )
    least, widths = 1.0, []
    for rows, (labels, cell) in zip(outcomes, sets, strict=True):
        arrays = np.array(rows, float)
        truth = np.bincount(cell, y) / np.bincount(cell)
        n, few, count, raw, low, high, least_of, most_of = arrays.mean(axis=0)
        alone, held = ((arrays[:, i] <= truth) & (truth <= arrays[:, i + 1]) for i in (4, 6))
        told = (held * (1 - arrays[:, 1])).mean(axis=0) / np.maximum(1 - few, 1e-9)
        widths.append((most_of - least_of) / (high - low))
        columns = truth, n / 100, few, count - truth, raw - truth, alone.mean(axis=0), held.mean(axis=0), told
        for label, numbers, width in zip(labels, np.transpose(columns), widths[-1], strict=True):
            print(
                f"| {name} | {label} | " + " | ".join(f"{100 * x:.1f}" for x in numbers) + f" | {width:.3f} |",
                flush=True,
            )
        least = min([least, *held.mean(axis=0), *told[few <= 0.5]])
    print(
        f"{name}: R2 out of fold {r2.mean():.2f}, 1.05 times the root of 1 - R2 is {1.05 * np.sqrt(1 - r2.mean()):.3f}",
        flush=True,
    )
    return float(least), float(widths[0][0])


if __name__ == "__main__":
    main()
