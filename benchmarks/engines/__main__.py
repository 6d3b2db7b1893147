"""Our engine against its peers: held-out completion and coherence by seconds of training.

    python3 -m venv .venv.benchmarks && .venv.benchmarks/bin/pip install --require-hashes -r
    requirements/benchmarks.lock .venv.benchmarks/bin/python -m benchmarks.engines --corpus reuters
    --topics 100 --seconds 60 .venv.benchmarks/bin/python -m benchmarks.engines --corpus reuters
    --topics 100 --one-pass .venv.benchmarks/bin/python -m benchmarks.engines --corpus reuters
    --topics 100 --ours all --peers sklearn,gensim,topica-cvb0 .venv.benchmarks/bin/python -m
    benchmarks.engines --quick

--corpus: reuters, arxiv, sotu, synthetic, a saved bag of words (a folder), or a sparse matrix of
documents by words (.npz, as scipy's save_npz writes it). Everybody trains on the same documents, in
a new process, one after another, on as many cores as
--threads says; only training is timed. A peer with several settings is run with each of them.
Results go to benchmarks/results/, the chart to docs/measurements/engines/ (or all to --out; with
--quick only then).

--ours: our engines beside the default one, which the ratio is of, each with its own defaults.

The last line is `ratio: R`: our seconds to the best held-out completion that a peer reached within
--seconds, divided by the seconds in which that peer reached it; the largest of all peers, inf if we
never do. The line before has the same with what a run of ours spends on measuring its topics, the
column "with judging" of the table. With --one-pass: our seconds for one pass by those of the
fastest peer, inf if a peer's completion is better. --quick compares at K = 100 and, with the
samplers and CVB0 alone, at K = 1000; CVB0 then has ten times the seconds of the others, and so have
we; its last lines are `ratio: R`, `ratio1000: R` and `pass: A B`, a pass's time over that of an
earlier commit (passes.py) at both.
"""

import argparse
import json
import math
import multiprocessing
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np

from benchmarks.engines import chart, corpora, passes, peers
from benchmarks.engines.judge import Curve, Judge, one_pass_ratio, ratio, split_ours
from benchmarks.origin import RESULTS, ROOT, commit, machine, options
from inference import Invalid
from inference.engines import DEFAULT, ENGINES
from inference.runtime import compiling

QUICK = {
    100: "tomotopy,topica-sparse,topica-warplda,topica-cvb0,sklearn,vw",
    1000: "tomotopy,topica-warplda,topica-cvb0",
}
LATE = {
    "topica-cvb0": 10.0
}  # times as many seconds as the others have with --quick: it begins late, and ends best
PATIENCE = 4.0  # times --seconds: an engine that shows nothing for so long is given up
BUSY = 0.1  # of the time of an engine: from there on the figures are not to be trusted
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
)
LINE = "{:<28} {:>9} {:>13} {:>9} {:>10} {:>8}"


def run(variant: peers.Variant, task: peers.Task, judge: Judge) -> Curve:
    """An engine in a process of its own, which waits while what it shows is judged."""
    curve = Curve(variant)
    context = multiprocessing.get_context("spawn")
    pipe, its_end = context.Pipe()
    child = context.Process(target=peers.run, args=(task, its_end), daemon=True)
    with mock.patch.dict(os.environ, dict.fromkeys(THREADS, str(task.threads))):
        child.start()
    its_end.close()
    patience = 60.0 + PATIENCE * task.seconds  # a minute for imports, reading and compiling
    try:
        while pipe.poll(patience):
            kind, *message = pipe.recv()
            if kind != "topics":
                if kind == "problem":
                    curve.problem = message[0]
                    print(message[1], file=sys.stderr)
                break
            seconds, other, judged, passes, path = message
            curve.points.append(judge(seconds, passes, np.load(path), other, judged))
            tell(curve)
            pipe.send("go on")
        else:
            curve.problem = f"It showed nothing for {patience:.0f} s and was ended."
    except EOFError:
        child.join()
        curve.problem = f"Its process ended by itself (code {child.exitcode})."
    except ValueError as error:
        curve.problem = str(error)
    finally:
        child.terminate()
        child.join()
        pipe.close()
    if curve.problem:
        print(f"{variant.label}: {curve.problem}", flush=True)
    return curve


def tell(curve: Curve) -> None:
    point = curve.points[-1]
    times = (f"{number:.2f}" for number in (point.seconds, point.whole, point.passes))
    print(
        LINE.format(curve.variant.label, *times, f"{point.held_out:.4f}", f"{point.npmi:.4f}"),
        flush=True,
    )


def summary(curves: list[Curve], seconds: float, one_pass: bool) -> None:
    """A row for each engine: its best, and how long ours took to be as good."""
    ours, _ = split_ours(curves)
    print(
        f"\n| engine | best held-out{'' if one_pass else f' in {seconds:g} s'} | at, s | passes |"
        " NPMI there | ours as good after, s | ratio | with judging, s | ratio |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for curve in sorted(
        curves, key=lambda c: -(p.held_out if (p := c.best(seconds)) else -math.inf)
    ):
        if (best := curve.best(seconds)) is None:
            print(f"| {curve.variant.label} | {curve.problem or 'nothing in time'} | | | | | | | |")
            continue
        row = (
            f"| {curve.variant.label} | {best.held_out:.4f} | {best.seconds:.2f} |"
            f" {best.passes:.2f} | {best.npmi:.4f} |"
        )
        as_good = (
            [ours.reached(best.held_out, judged) for judged in (False, True)]
            if ours and curve is not ours
            else []
        )
        print(
            row + ("".join(f" {s:.2f} | {s / best.seconds:.3f} |" for s in as_good) or " | | | |")
        )


def busy(curves: list[Curve]) -> float:
    """The largest share of an engine's wall time that it did not run."""
    return max(
        (1 - c.points[-1].other / c.points[-1].seconds for c in curves if c.points), default=0.0
    )


def arguments() -> argparse.Namespace:
    names = ", ".join(peer for peer in peers.ADAPTERS if peer != peers.OURS)
    parser = options(
        __doc__,
        {
            "--corpus": {"help": "a name or a path, see above; with --quick: sotu"},
            "--topics": {"type": int, "help": "default 100; with --quick 100 and 1000"},
            "--seconds": {
                "type": float,
                "help": "of training, for each engine; default 60; with --quick 1.5",
            },
            "--peers": {
                "metavar": "NAME,...",
                "help": (
                    f"of {names}; or all, or none; default all, with --quick five, and two at 1000"
                ),
            },
            "--ours": {
                "default": "",
                "metavar": "NAME,...",
                "help": f"of {', '.join(list(ENGINES)[1:])}; or all: run them, too",
            },
            "--threads": {"type": int, "default": 1},
            "--seed": {"type": int, "default": 1},
            "--set": {
                "type": corpora.setting,
                "action": "append",
                "default": [],
                "metavar": "NAME=VALUE",
                "help": "a setting of ours",
            },
            "--every-setting": {
                "action": "store_true",
                "help": "settings of peers, too, that were worse wherever they were tried",
            },
            "--one-pass": {"action": "store_true", "help": "exactly one pass"},
            "--cpu": {
                "action": "store_true",
                "help": (
                    "count the processor's seconds, not the clock's: where other things run, too"
                ),
            },
            "--quick": {"action": "store_true", "help": "small and short: some minutes in all"},
            "--out": {"type": Path, "metavar": "DIR", "help": "where results and chart go"},
        },
    )
    given = parser.parse_args()
    given.compared = [given.topics] if given.topics else [*QUICK] if given.quick else [100]
    given.seconds = given.seconds or (1.5 if given.quick else 60.0)
    given.corpus = given.corpus or ("sotu" if corpora.FILES["sotu"].exists() else "synthetic")
    every = {"all": list(peers.ADAPTERS), "none": []}
    chosen = {
        K: given.peers or (QUICK[1000 if K > 200 else 100] if given.quick else "all")
        for K in given.compared
    }
    given.peers = {K: every.get(names, names.split(",")) for K, names in chosen.items()}
    if unknown := {name for names in given.peers.values() for name in names} - set(peers.ADAPTERS):
        parser.error(f"There is no peer {', '.join(sorted(unknown))}.")
    given.ours = [
        name
        for name in (ENGINES if given.ours == "all" else filter(None, given.ours.split(",")))
        if name != DEFAULT
    ]
    if unknown := set(given.ours) - set(ENGINES):
        parser.error(f"There is no engine {', '.join(sorted(unknown))} of ours.")
    try:
        given.name, given.bow, given.truth = corpora.load(given.corpus, given.quick)
    except Invalid as error:
        parser.error(error.message)
    return given


def engines(given: argparse.Namespace) -> tuple[list[peers.Variant], dict[str, str]]:
    """What is run, ours first, and the version of each; those that are not installed are named."""
    ours = [peers.Variant(peers.OURS, {"engine": name}, name) for name in given.ours]
    found = [peers.Variant(peers.OURS, dict(given.set)), *ours]
    versions = {peers.OURS: "this commit"}
    for engine in dict.fromkeys(given.peers[given.topics]):
        if engine == peers.OURS:
            continue
        if (version := peers.version(engine)) is None:
            print(f"{engine} is not installed: pip install -r requirements/benchmarks.lock")
            continue
        versions[engine] = version
        found += [
            v for v in peers.variants(engine, given.topics) if given.every_setting or not v.extra
        ]
    return found, versions


def write(given: argparse.Namespace, result: dict, curves: list[Curve]) -> None:
    if given.quick and not given.out:
        return
    name = f"{given.name}-{given.topics}"
    results, charts = (
        (given.out, given.out)
        if given.out
        else (RESULTS, ROOT / "docs" / "measurements" / "engines")
    )
    for folder in (results, charts):
        folder.mkdir(parents=True, exist_ok=True)
    kind = "-one-pass" if given.one_pass else ""
    (results / f"engines-{name}{kind}.json").write_text(json.dumps(result, indent=1) + "\n")
    if given.one_pass or not any(curve.best(given.seconds) for curve in curves):
        return
    (charts / f"curves-{name}.svg").write_text(
        chart.svg(
            curves, given.seconds, f"{given.name}: {given.bow.D:,} documents, {given.topics} topics"
        )
    )


def compare(given: argparse.Namespace) -> float:
    """Run everybody at given.topics, print and write what came; returns the ratio."""
    held_out, train = corpora.split(given.bow, given.seed)
    judge = Judge(given.bow, held_out, train, given.topics)
    print(
        f"{given.name}: {train.D:,} documents to train on, {train.tokens:,} tokens, {train.V:,}"
        f" words; {given.topics} topics; {judge.completion.tokens:,} held-out tokens scored, alpha"
        f" {judge.alpha}\n"
    )
    print(LINE.format("engine", "seconds", "with judging", "passes", "held-out", "NPMI"))
    chosen, versions = engines(given)
    late = {name: times for name, times in LATE.items() if given.quick and name in versions}
    curves = []
    if given.truth is not None:
        truth = judge(0.0, 0.0, given.truth)
        print(
            LINE.format(
                "(the true topics)", "", "", "", f"{truth.held_out:.4f}", f"{truth.npmi:.4f}"
            )
        )
    with tempfile.TemporaryDirectory() as folder:
        whole = str(Path(folder) / "whole")
        rest = str(Path(folder) / "train")
        given.bow.save(Path(whole))
        train.save(Path(rest))
        task = peers.Task(
            "",
            {},
            whole,
            rest,
            given.topics,
            given.seconds,
            given.seed,
            given.threads,
            given.one_pass,
            given.cpu,
        )
        for variant in chosen:
            seconds = given.seconds * (
                max(late.values(), default=1.0)
                if variant is chosen[0]
                else late.get(variant.engine, 1.0)
            )
            own = replace(task, engine=variant.engine, settings=variant.settings, seconds=seconds)
            curves.append(run(variant, own, judge))
    limit = math.inf if given.one_pass else given.seconds
    if not given.cpu and (share := busy(curves)) > BUSY:
        print(
            f"\nBeware: {share:.0%} of the time this machine did other things. Run it on an idle"
            " one, or with --cpu."
        )
    reached = one_pass_ratio(curves) if given.one_pass else ratio(curves, limit, late=late)
    judged = math.nan if given.one_pass else ratio(curves, limit, True, late)
    summary(curves, limit * max(late.values(), default=1.0), given.one_pass)
    result = {
        "corpus": {
            "name": given.name,
            "documents": given.bow.D,
            "words": given.bow.V,
            "tokens": given.bow.tokens,
            "held_out": len(held_out),
        },
        "clock": "processor" if given.cpu else "wall",
        "topics": given.topics,
        "seconds": None if given.one_pass else given.seconds,
        "one_pass": given.one_pass,
        "seed": given.seed,
        "threads": given.threads,
        "judge": {"split": "half", "alpha": judge.alpha},
        "ratio": reached if math.isfinite(reached) else str(reached),
        "ratio_with_judging": judged if math.isfinite(judged) else str(judged),
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit(),
        "versions": versions,
        "engines": [curve.json() for curve in curves],
    }
    write(given, result, curves)
    if not given.one_pass:
        print(f"with judging: {judged:.3f}")
    return reached


def main() -> None:
    given = arguments()
    compiling.warm_up()
    ratios: dict[str, float] = {}
    for K in given.compared:
        given.topics = K
        ratios["ratio1000" if ratios else "ratio"] = compare(given)
    for name, reached in ratios.items():
        print(f"{name}: {reached:.3f}")
    if given.quick:
        by_K = [passes.ratio(given.bow, K) for K in given.compared]
        print(
            f"pass: {' '.join(f'{one:.3f}' for one in by_K)}"
            if None not in by_K
            else f"{passes.PEER} is not in this checkout: no pass"
        )


if __name__ == "__main__":
    main()
