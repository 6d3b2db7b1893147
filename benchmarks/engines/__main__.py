"""Our engine against its peers: held-out completion and coherence by seconds of training.

    python3 -m venv .venv.benchmarks
    P=.venv.benchmarks/bin/python
    $P -m pip install --require-hashes -r requirements/benchmarks.lock
    $P -m benchmarks.engines --corpus reuters --topics 100 --seconds 60
    $P -m benchmarks.engines --corpus reuters --topics 100 --one-pass
    $P -m benchmarks.engines --corpus reuters --topics 100 --ours all --peers sklearn,topica-cvb0
    $P -m benchmarks.engines --quick

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
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.engines import chart, corpora, passes, peers
from benchmarks.engines.judge import Curve, Judge, one_pass_ratio, ratio, split_ours
from benchmarks.origin import RESULTS, ROOT, commit, machine, options
from inference import Bow, Invalid, compiling
from inference.engines import DEFAULT, ENGINES

QUICK = {
    100: "tomotopy,topica-sparse,topica-warplda,topica-cvb0,sklearn,vw",
    1000: "tomotopy,topica-warplda,topica-cvb0",
}
# Times as many seconds as the others have with --quick: it begins late, and ends best
LATE = {"topica-cvb0": 10.0}
SMALL_K = 200  # up to which --quick has the peers of K = 100
TOPICS = 100
SECONDS = 60.0
QUICK_SECONDS = 1.5
STARTING = 60.0  # seconds for imports, reading and compiling
CHARTS = ROOT / "docs" / "measurements" / "engines"
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
    patience = STARTING + PATIENCE * task.seconds
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
            print_last_point(curve)
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


def print_last_point(curve: Curve) -> None:
    point = curve.points[-1]
    times = [f"{number:.2f}" for number in (point.seconds, point.whole, point.passes)]
    print(
        LINE.format(curve.variant.label, *times, f"{point.held_out:.4f}", f"{point.npmi:.4f}"),
        flush=True,
    )


def summary(curves: list[Curve], seconds: float, one_pass: bool) -> None:
    """A row for each engine: its best, and how long ours took to be as good."""
    ours, _ = split_ours(curves)
    when = "" if one_pass else f" in {seconds:g} s"
    print(
        f"\n| engine | best held-out{when} | at, s | passes |"
        " NPMI there | ours as good after, s | ratio | with judging, s | ratio |"
    )
    print("|---|---|---|---|---|---|---|---|---|")

    def quality(curve: Curve) -> float:
        best = curve.best(seconds)
        return best.held_out if best else -math.inf

    for curve in sorted(curves, key=quality, reverse=True):
        print(summary_row(curve, ours, seconds))


def summary_row(curve: Curve, ours: Curve | None, seconds: float) -> str:
    """A row of `summary`. seconds: within which its best counts."""
    best = curve.best(seconds)
    if best is None:
        return f"| {curve.variant.label} | {curve.problem or 'nothing in time'} | | | | | | | |"
    cells = [
        curve.variant.label,
        f"{best.held_out:.4f}",
        f"{best.seconds:.2f}",
        f"{best.passes:.2f}",
        f"{best.npmi:.4f}",
    ]
    if ours is None or curve is ours:
        return f"| {' | '.join(cells)} | | | | |"
    for with_judging in (False, True):
        as_good_after = ours.reached(best.held_out, with_judging)
        cells += [f"{as_good_after:.2f}", f"{as_good_after / best.seconds:.3f}"]
    return f"| {' | '.join(cells)} |"


def busy(curves: list[Curve]) -> float:
    """The largest share of an engine's wall time that it did not run."""
    ends = [curve.points[-1] for curve in curves if curve.points]
    return max((1 - end.other / end.seconds for end in ends), default=0.0)


NAMES_OF_PEERS = ", ".join(peer for peer in peers.ADAPTERS if peer != peers.OURS)
OPTIONS: dict[str, dict[str, Any]] = {
    "--corpus": {"help": "a name or a path, see above; with --quick: sotu"},
    "--topics": {"type": int, "help": "default 100; with --quick 100 and 1000"},
    "--seconds": {
        "type": float,
        "help": "of training, for each engine; default 60; with --quick 1.5",
    },
    "--peers": {
        "metavar": "NAME,...",
        "help": f"of {NAMES_OF_PEERS}; or all, or none; default all, with --quick five, and two at"
        " 1000",
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
        "help": "count the processor's seconds, not the clock's: where other things run, too",
    },
    "--quick": {"action": "store_true", "help": "small and short: some minutes in all"},
    "--out": {"type": Path, "metavar": "DIR", "help": "where results and chart go"},
}


def read_arguments() -> argparse.Namespace:
    """Those of the command, with what stands for those that are missing. compared: the numbers of
    topics; peers: their names, by number of topics; ours: names of engines; name, bow, truth: of
    the corpus."""
    parser = options(__doc__, OPTIONS)
    arguments = parser.parse_args()
    if arguments.topics:
        arguments.compared = [arguments.topics]
    else:
        arguments.compared = list(QUICK) if arguments.quick else [TOPICS]
    arguments.seconds = arguments.seconds or (QUICK_SECONDS if arguments.quick else SECONDS)
    if not arguments.corpus:
        arguments.corpus = "sotu" if corpora.FILES["sotu"].exists() else "synthetic"
    arguments.peers = {K: _peers(K, arguments.peers, arguments.quick) for K in arguments.compared}
    all_names: set[str] = set()
    all_names.update(*arguments.peers.values())
    unknown = all_names - set(peers.ADAPTERS)
    if unknown:
        parser.error(f"There is no peer {', '.join(sorted(unknown))}.")
    names = list(ENGINES) if arguments.ours == "all" else arguments.ours.split(",")
    arguments.ours = [name for name in names if name not in ("", DEFAULT)]
    unknown = set(arguments.ours) - set(ENGINES)
    if unknown:
        parser.error(f"There is no engine {', '.join(sorted(unknown))} of ours.")
    try:
        corpus = corpora.load(arguments.corpus, arguments.quick)
    except Invalid as error:
        parser.error(error.message)
    arguments.name, arguments.bow, arguments.truth = corpus
    return arguments


def _peers(K: int, names: str | None, quick: bool) -> list[str]:
    """The peers to run at K topics. names: as the command has them."""
    if not names:
        names = "all"
        if quick:
            of_small, of_large = QUICK.values()
            names = of_large if K > SMALL_K else of_small
    if names == "all":
        return list(peers.ADAPTERS)
    return [] if names == "none" else names.split(",")


def variants(arguments: argparse.Namespace) -> tuple[list[peers.Variant], dict[str, str]]:
    """What is run, ours first, and the version of each; those that are not installed are named."""
    all_variants = [peers.Variant(peers.OURS, dict(arguments.set))]
    for name in arguments.ours:
        all_variants.append(peers.Variant(peers.OURS, {"engine": name}, name))
    versions = {peers.OURS: "this commit"}
    for engine in dict.fromkeys(arguments.peers[arguments.topics]):
        if engine == peers.OURS:
            continue
        version = peers.version(engine)
        if version is None:
            print(f"{engine} is not installed: pip install -r requirements/benchmarks.lock")
            continue
        versions[engine] = version
        for variant in peers.variants(engine, arguments.topics):
            if arguments.every_setting or not variant.extra:
                all_variants.append(variant)
    return all_variants, versions


def write(arguments: argparse.Namespace, result: dict, curves: list[Curve]) -> None:
    """The result as JSON, and the chart, where --quick does not say that nothing stays."""
    if arguments.quick and not arguments.out:
        return
    name = f"{arguments.name}-{arguments.topics}"
    results = arguments.out or RESULTS
    charts = arguments.out or CHARTS
    for folder in (results, charts):
        folder.mkdir(parents=True, exist_ok=True)
    kind = "-one-pass" if arguments.one_pass else ""
    (results / f"engines-{name}{kind}.json").write_text(json.dumps(result, indent=1) + "\n")
    if arguments.one_pass or not any(curve.best(arguments.seconds) for curve in curves):
        return
    title = f"{arguments.name}: {arguments.bow.D:,} documents, {arguments.topics} topics"
    drawing = chart.svg(curves, arguments.seconds, title)
    (charts / f"curves-{name}.svg").write_text(drawing)


def compare(arguments: argparse.Namespace) -> float:
    """Run everybody at arguments.topics, print and write what came; returns the ratio."""
    held_out, train = corpora.split(arguments.bow, arguments.seed)
    judge = Judge(arguments.bow, held_out, train, arguments.topics)
    print_head(arguments, train, judge)
    all_variants, versions = variants(arguments)
    late: dict[str, float] = {}
    if arguments.quick:
        late = {name: times for name, times in LATE.items() if name in versions}
    curves = run_all(arguments, all_variants, train, judge, late)
    limit = math.inf if arguments.one_pass else arguments.seconds
    share = 0.0 if arguments.cpu else busy(curves)
    if share > BUSY:
        print(
            f"\nBeware: {share:.0%} of the time this machine did other things. Run it on an idle"
            " one, or with --cpu."
        )
    if arguments.one_pass:
        reached = one_pass_ratio(curves)
        with_judging = math.nan
    else:
        reached = ratio(curves, limit, late=late)
        with_judging = ratio(curves, limit, True, late)
    summary(curves, limit * max(late.values(), default=1.0), arguments.one_pass)
    result = {
        "corpus": {
            "name": arguments.name,
            "documents": arguments.bow.D,
            "words": arguments.bow.V,
            "tokens": arguments.bow.tokens,
            "held_out": len(held_out),
        },
        "clock": "processor" if arguments.cpu else "wall",
        "topics": arguments.topics,
        "seconds": None if arguments.one_pass else arguments.seconds,
        "one_pass": arguments.one_pass,
        "seed": arguments.seed,
        "threads": arguments.threads,
        "judge": {"split": "half", "alpha": judge.alpha},
        "ratio": as_json(reached),
        "ratio_with_judging": as_json(with_judging),
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit(),
        "versions": versions,
        "engines": [curve.json() for curve in curves],
    }
    write(arguments, result, curves)
    if not arguments.one_pass:
        print(f"with judging: {with_judging:.3f}")
    return reached


def as_json(number: float) -> float | str:
    """JSON has neither inf nor NaN."""
    return number if math.isfinite(number) else str(number)


def print_head(arguments: argparse.Namespace, train: Bow, judge: Judge) -> None:
    print(
        f"{arguments.name}: {train.D:,} documents to train on, {train.tokens:,} tokens,"
        f" {train.V:,} words; {arguments.topics} topics; {judge.completion.tokens:,} held-out"
        f" tokens scored, alpha {judge.alpha}\n"
    )
    print(LINE.format("engine", "seconds", "with judging", "passes", "held-out", "NPMI"))
    if arguments.truth is not None:
        truth = judge(0.0, 0.0, arguments.truth)
        quality = (f"{truth.held_out:.4f}", f"{truth.npmi:.4f}")
        print(LINE.format("(the true topics)", "", "", "", *quality))


def run_all(
    arguments: argparse.Namespace,
    all_variants: list[peers.Variant],
    train: Bow,
    judge: Judge,
    late: dict[str, float],
) -> list[Curve]:
    """A curve for each variant, of which the first is ours. late: peers that have so many times
    the seconds; we have as many as any of them."""
    curves = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments.bow.save(folder / "whole")
        train.save(folder / "train")
        for number, variant in enumerate(all_variants):
            times = late.get(variant.engine, 1.0)
            if number == 0:
                times = max(late.values(), default=1.0)
            task = peers.Task(
                engine=variant.engine,
                settings=variant.settings,
                whole=str(folder / "whole"),
                train=str(folder / "train"),
                topics=arguments.topics,
                seconds=arguments.seconds * times,
                seed=arguments.seed,
                threads=arguments.threads,
                one_pass=arguments.one_pass,
                cpu=arguments.cpu,
            )
            curves.append(run(variant, task, judge))
    return curves


def main() -> None:
    arguments = read_arguments()
    compiling.warm_up()
    ratios: dict[str, float] = {}
    for K in arguments.compared:
        arguments.topics = K
        ratios["ratio1000" if ratios else "ratio"] = compare(arguments)
    for name, reached in ratios.items():
        print(f"{name}: {reached:.3f}")
    if arguments.quick:
        print(line_of_passes([passes.ratio(arguments.bow, K) for K in arguments.compared]))


def line_of_passes(by_K: list[float | None]) -> str:
    """A pass's time over that of an earlier commit, None where this checkout has not got it."""
    numbers = []
    for reached in by_K:
        if reached is None:
            return f"{passes.PEER} is not in this checkout: no pass"
        numbers.append(f"{reached:.3f}")
    return f"pass: {' '.join(numbers)}"


if __name__ == "__main__":
    main()
