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
from pathlib import Path

import numpy as np

from benchmarks.engines.corpora import SHARED
from benchmarks.origin import options, started
from inference.codes.draw import draw, strata
from inference.codes.effect import effect
from inference.codes.estimate import cells
from inference.codes.predict import Prediction, predict

FILE = SHARED / "manifestos.csv.gz"
BY = ("year", "party", "manifesto")
CODES, FLOOR = 300, 1
EFFECTS = "Labour, year held constant", "1987 to 2010, party held constant"
R2 = 0.45  # planted


def main() -> None:
    given = options(
        __doc__,
        {
            "--quick": {"action": "store_true"},
            "--draws": {"type": int, "help": "2,000 where it is not given, with --quick 300"},
            "--data": {
                "type": Path,
                "help": "a state folder that stays, with what was trained in it",
            },
        },
    ).parse_args()
    if not FILE.is_file():
        print(f"Nothing is measured: {FILE} is missing.")
        return
    with started(given.data):
        measured(given.draws or (300 if given.quick else 2_000))


def measured(draws: int) -> None:
    from benchmarks.insight import collections, runs
    from webapp.core.results import evidence

    rows = collections._rows(FILE)
    texts = [{name: row[name] for name in ("id", *BY, "text")} for row in rows]
    tokens = evidence.of(runs.trained(collections._table("manifestos", texts, "year"), False, 0))
    names, codes = zip(
        *(np.unique([row[by] for row in rows], return_inverse=True) for by in BY), strict=True
    )
    sets = [(["all"], np.zeros(len(rows), int)), *zip(names[:2], codes[:2], strict=True)]
    experts, chance = (
        np.array([int(row["economic_experts"]) for row in rows]),
        np.random.default_rng(0),
    )
    common, rare = (experts >= 3).astype(float), (experts >= 7).astype(float)
    noise = np.sqrt(R2 * (1 - R2) * common.var())
    planted = chance.normal(R2 * common + (1 - R2) * common.mean(), noise).astype(np.float32)
    print(f"{draws:,} draws of {CODES} of {len(rows):,} documents, {tokens.K} topics")
    print(
        "| concept | cell | truth | codes | few % | count | coded | alone % | held % | told % |"
        " width |\n|" + "---|" * 11
    )
    outcomes = [
        concept(name, y, tokens, codes[2], sets, draws, g)
        for name, y, g in (
            ("common", common, None),
            ("rare", rare, None),
            ("planted", common, planted),
        )
    ]
    some, began = chance.permutation(len(rows))[:5_000], time.process_time()
    predict(tokens.bow, tokens, some, common[some], 0)
    print(
        f"coverage: {100 * min(outcomes)[0]:.1f}% narrower: {outcomes[0][1]:.3f} seconds:"
        f" {time.process_time() - began:.2f}"
    )


def concept(
    name: str, y: np.ndarray, tokens, unit: np.ndarray, sets: list, draws: int, g: np.ndarray | None
) -> tuple[float, float]:
    """(least coverage, width overall), printed. g: a prediction that is given, None for one from
    the codes."""
    share = [tokens.held([k]) / np.maximum(tokens.lengths, 1) for k in range(tokens.K)]
    of = strata(max(share, key=lambda s: np.corrcoef(y, s)[0, 1] if s.any() else -1), unit)
    r2, outcomes = np.empty(draws), [list[tuple]() for _ in sets]
    row, design, contrasts = _design(sets)
    truths, effects = (
        np.linalg.lstsq(design[row], y, rcond=None)[0] @ contrasts.T,
        [list[tuple]() for _ in contrasts],
    )
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
                (
                    e.codes,
                    e.few,
                    e.counted,
                    e.raw,
                    e.coded.low,
                    e.coded.high,
                    e.corrected.low,
                    e.corrected.high,
                )
            )
        for listed, contrast in zip(effects, contrasts, strict=True):
            e = effect(row, design, contrast, of, documents, y[documents], pi, given)
            listed.append(
                (e.counted, *(x for b in (e.coded, e.corrected, e.beyond) for x in (b.low, b.high)))
            )
    least, widths = 1.0, []
    for rows, (labels, cell) in zip(outcomes, sets, strict=True):
        arrays = np.array(rows, float)
        truth = np.bincount(cell, y) / np.bincount(cell)
        n, few, count, raw, low, high, least_of, most_of = arrays.mean(axis=0)
        alone, held = ((arrays[:, i] <= truth) & (truth <= arrays[:, i + 1]) for i in (4, 6))
        told = (held * (1 - arrays[:, 1])).mean(axis=0) / np.maximum(1 - few, 1e-9)
        widths.append((most_of - least_of) / (high - low))
        columns = (
            truth,
            n / 100,
            few,
            count - truth,
            raw - truth,
            alone.mean(axis=0),
            held.mean(axis=0),
            told,
        )
        for label, numbers, width in zip(labels, np.transpose(columns), widths[-1], strict=True):
            print(
                f"| {name} | {label} | "
                + " | ".join(f"{100 * x:.1f}" for x in numbers)
                + f" | {width:.3f} |",
                flush=True,
            )
        least = min([least, *held.mean(axis=0), *told[few <= 0.5]])
    print(
        "\n| concept | effect | truth | count | alone % | held % | beyond % | width |\n"
        + "|---" * 8
        + "|"
    )
    _told_of_effects(name, truths, effects)
    print(
        f"{name}: R2 out of fold {r2.mean():.2f}, 1.05 times the root of 1 - R2 is"
        f" {1.05 * np.sqrt(1 - r2.mean()):.3f}",
        flush=True,
    )
    return float(least), float(widths[0][0])


def _design(sets: list) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(int[D], each document's row; rows: the constant, years from 0 to 1, parties but the first;
    contrasts of EFFECTS)."""
    (_, _), (years, year), (parties, party) = sets
    time = (years.astype(float) - float(years[0])) / (float(years[-1]) - float(years[0]))
    rows = [
        [1, t, *(p == q for q in range(1, len(parties)))] for t in time for p in range(len(parties))
    ]
    contrasts = np.eye(1 + len(parties))[[1 + int(np.flatnonzero(parties == "Labour")[0]), 1]]
    return year * len(parties) + party, np.array(rows, float), contrasts


def _told_of_effects(name: str, truths: np.ndarray, effects: list) -> None:
    for label, truth, listed in zip(EFFECTS, truths, effects, strict=True):
        count, *ends = np.array(listed).T
        held = [
            100 * ((low <= truth) & (truth <= high)).mean()
            for low, high in zip(ends[::2], ends[1::2], strict=True)
        ]
        width = (ends[3] - ends[2]).mean() / (ends[1] - ends[0]).mean()
        print(
            f"| {name} | {label} | {100 * truth:.1f} | {100 * (count - truth).mean():.1f} | "
            + " | ".join(f"{x:.1f}" for x in held)
            + f" | {width:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
