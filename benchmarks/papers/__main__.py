"""The tables and figures of the papers, again, on corpora that can be had.

    python -m benchmarks.papers                 all papers, in full: hours
    python -m benchmarks.papers 001 003         some of them
    python -m benchmarks.papers 001 --only "Figure 2"
                                                one experiment; the paper's others stay as they were
    python -m benchmarks.papers 000 --corpus arxiv-long
                                                the first on another corpus, with a page of its own
    python -m benchmarks.papers --quick         a small form of each, ten minutes in all

Each experiment says what the paper claims, what came out here, and whether the claim holds, by a
rule in its code. After each one its result goes to benchmarks/results/paper-ID.json, with its
machine, commit, seconds and how busy the machine was, and the page and charts of
docs/measurements/papers/ follow (all to --out, where given; with --quick nowhere else). A corpus or
an engine that is missing is named, and its experiment left out. One thread. The last line is
`reproduced: N of M`: claims that hold, of those that were tried.
"""

import importlib
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # before numba and numpy are imported
    for _name in (
        "NUMBA_NUM_THREADS",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
    ):
        os.environ.setdefault(_name, "1")

from benchmarks.origin import RESULTS, ROOT, commit, machine, options
from benchmarks.papers.bench import HOLDS, Bench, Outcome, Paper
from benchmarks.papers.report import keep
from inference import Invalid

IDS = ("000", "001", "002", "003", "004")
WITH_OTHER_CORPORA = "000"
PAGES = ROOT / "docs" / "measurements" / "papers"
OPTIONS: dict[str, dict[str, Any]] = {
    "papers": {
        "nargs": "*",
        "metavar": "ID",
        "help": f"of {', '.join(IDS)}; all where none is named",
    },
    "--only": {
        "metavar": "NAME",
        "action": "append",
        "help": 'an experiment, such as "Figure 3"; may be repeated',
    },
    "--corpus": {
        "choices": ("arxiv", "arxiv-long"),
        "help": "for paper 000, in the place of Reuters-21578",
    },
    "--quick": {
        "action": "store_true",
        "help": "small corpora, one seed: ten minutes in all",
    },
    "--out": {"type": Path, "metavar": "DIR", "help": "where results, pages and charts go"},
}


def run(
    paper: Paper, bench: Bench, only: list[str] | None = None
) -> Iterator[tuple[str, Outcome, dict]]:
    """Name, outcome and circumstances of each experiment, printed as they come."""
    for experiment in paper.experiments:
        if only and experiment.name not in only:
            continue
        began = time.perf_counter()
        about = {
            "machine": machine(),
            "commit": commit(),
            "date": date.today().isoformat(),
            "load": os.getloadavg()[0],
        }
        try:
            outcome = experiment.run(bench)
        except Invalid as error:
            print(f"{paper.id} {experiment.name}: left out. {error.message}", flush=True)
            continue
        seconds = time.perf_counter() - began
        print(
            f"{paper.id} {experiment.name}: {outcome.verdict} ({seconds:.0f} s). {outcome.why}",
            flush=True,
        )
        yield experiment.name, outcome, about | {"seconds": seconds}


def main() -> None:
    parser = options(__doc__, OPTIONS)
    arguments = parser.parse_args()
    unknown = set(arguments.papers) - set(IDS)
    if unknown:
        parser.error(f"There is no paper {', '.join(sorted(unknown))}; there are {', '.join(IDS)}.")
    ids = arguments.papers or IDS
    if arguments.corpus:
        ids = (WITH_OTHER_CORPORA,)
    results = arguments.out or RESULTS
    pages = arguments.out or PAGES
    is_stored = bool(arguments.out) or not arguments.quick
    bench = Bench(arguments.quick, arguments.corpus or "reuters")
    verdicts = []
    for id in ids:
        paper: Paper = importlib.import_module(f"benchmarks.papers.p{id}").PAPER
        if arguments.corpus:  # a page of its own
            paper = replace(paper, id=f"{id}-{arguments.corpus}")
        for name, outcome, about in run(paper, bench, arguments.only):
            if is_stored:
                about["quick"] = arguments.quick
                keep(paper, name, outcome, about, results, pages)
            verdicts.append(outcome.verdict)
    print(f"reproduced: {verdicts.count(HOLDS)} of {len(verdicts)}")


if __name__ == "__main__":
    main()
