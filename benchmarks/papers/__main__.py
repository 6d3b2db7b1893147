"""The tables and figures of the papers, again, on corpora that can be had.

    python -m benchmarks.papers                 all papers, in full: hours
    python -m benchmarks.papers 001 003         some of them
    python -m benchmarks.papers 001 --only "Figure 2"
    python -m benchmarks.papers --quick         a small form of each, ten minutes in all

Each experiment says what the paper claims, what came out here, and whether the claim holds, by a rule in its code.
Results go to benchmarks/results/paper-ID.json, pages and charts to docs/papers/ (or all to --out; with --quick or
--only nowhere else). A corpus or an engine that is missing is named, and its experiment left out. One thread.
The last line is `reproduced: N of M`: claims that hold, of those that were tried.
"""

import argparse
import importlib
import os
import time
from datetime import date
from pathlib import Path

if __name__ == "__main__":  # before numba and numpy are imported
    for _name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(_name, "1")

from benchmarks.engines.__main__ import ROOT, commit, machine
from benchmarks.papers.bench import Bench, Outcome, Paper
from benchmarks.papers.report import reproduced, write
from inference import Invalid

IDS = ("000", "001", "002", "003", "004")


def load(id: str) -> Paper:
    return importlib.import_module(f"benchmarks.papers.p{id}").PAPER


def run(paper: Paper, bench: Bench, only: str | None = None) -> dict[str, Outcome]:
    """Outcomes by the names of experiments; each is told as it comes."""
    outcomes: dict[str, Outcome] = {}
    for experiment in paper.experiments:
        if only and experiment.name != only:
            continue
        began = time.perf_counter()
        try:
            outcome = experiment.run(bench)
        except Invalid as error:
            print(f"{paper.id} {experiment.name}: left out. {error.message}", flush=True)
            continue
        outcomes[experiment.name] = outcome
        seconds = time.perf_counter() - began
        print(f"{paper.id} {experiment.name}: {outcome.verdict} ({seconds:.0f} s). {outcome.why}", flush=True)
    return outcomes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", nargs="*", metavar="ID", help=f"of {', '.join(IDS)}; all where none is named")
    parser.add_argument("--only", metavar="NAME", help='one experiment, such as "Figure 3"')
    parser.add_argument("--quick", action="store_true", help="small corpora, one seed: ten minutes in all")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where results, pages and charts go")
    given = parser.parse_args()
    if unknown := set(given.papers) - set(IDS):
        parser.error(f"There is no paper {', '.join(sorted(unknown))}; there are {', '.join(IDS)}.")
    holds = tried = 0
    bench = Bench(given.quick)
    for id in given.papers or IDS:
        paper, began = load(id), time.perf_counter()
        outcomes = run(paper, bench, given.only)
        about = {
            "machine": machine(), "commit": commit(), "date": date.today().isoformat(), "quick": given.quick,
            "seconds": time.perf_counter() - began,
        }  # fmt: skip
        if given.out:
            write(paper, outcomes, about, given.out, given.out)
        elif not (given.quick or given.only):
            write(paper, outcomes, about, ROOT / "benchmarks" / "results", ROOT / "docs" / "papers")
        holds, tried = holds + reproduced(outcomes), tried + len(outcomes)
    print(f"reproduced: {holds} of {tried}")


if __name__ == "__main__":
    main()
