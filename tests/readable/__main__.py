"""The command: python -m tests.readable --help."""

import argparse
import sys
from collections import Counter
from itertools import chain
from pathlib import Path

import tests.readable
from tests.readable import packages, ratchet
from tests.readable.limits import MEASURES
from tests.readable.source import Passage, Source

WORST = 10  # passages


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.readable",
        description=tests.readable.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--since", metavar="COMMIT")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--whole", metavar="FOLDER", type=Path)
    options = parser.parse_args()
    if options.whole:
        print_head()
        print_row(options.whole.name, ratchet.total(packages.of_program(options.whole)))
        return 0
    if options.since:
        return print_since(options.since)
    if options.paths:
        print_passages(options.paths)
        return 0
    return print_packages(options.all, options.write)


def print_head() -> None:
    names = [f"{measure.name:>9} " for measure in MEASURES]
    ranges = [f"{measure.range:>9} " for measure in MEASURES]
    limits = [f"{measure.limit:>9} " for measure in MEASURES]
    print(f"{'':32}{'stmts':>7}", *names, sep="")
    print(f"{'eight programs':39}", *ranges, sep="")
    print(f"{'limit':39}", *limits, sep="")


def print_row(name: str, counts: Counter) -> None:
    row = f"{name:32}{counts['statements']:7}"
    for measure in MEASURES:
        mark = "*" if measure.is_beyond(counts) else " "
        row += f"{measure.rate(counts):>9}{mark}"
    print(row)


def print_packages(with_all: bool, write: bool) -> int:
    """Those beyond a limit, the worst first; and what the ratchet says."""
    sources = packages.by_package()
    circles = packages.circles(chain.from_iterable(sources.values()))
    print_head()
    counts_of_package = {name: ratchet.total(files) for name, files in sources.items()}
    for name, counts in sorted(counts_of_package.items(), key=by_heaviness):
        if with_all or any(measure.is_beyond(counts) for measure in MEASURES):
            print_row(name, counts)
    for circle in circles:
        print(f"\nCircle of {len(circle)} files: {', '.join(circle)}")
    now = ratchet.excess(sources, circles)
    if write and ratchet.FILE.exists():
        ratchet.write(ratchet.lowered(now, ratchet.allowed()))
    elif write:
        ratchet.write(now)
    sentences = ratchet.judged(now, ratchet.allowed())
    print("\n" + "\n".join(sentences or ["No package is further beyond than it may be."]))
    return int(bool(sentences))


def by_heaviness(row: tuple[str, Counter]) -> float:
    heavy = MEASURES[0]
    return -heavy.rate(row[1])


def print_passages(paths: list[str]) -> None:
    passages: list[Passage] = []
    print_head()
    for name, sources in packages.by_package(paths).items():
        print_row(name, ratchet.total(sources))
        for source in sources:
            print_row(f"    {Path(source.path).name}", source.counts)
            passages += source.passages
    print("\nThe worst passages")
    for passage in sorted(passages, key=lambda passage: -passage.weight)[:WORST]:
        print(f"    {passage}")


def print_since(reference: str) -> int:
    """What came with the changes since a commit, passage by passage."""
    passages: list[Passage] = []
    for path in packages.changed_since(reference):
        passages += new_passages(packages.of_commit(reference, path), packages.source(path))
    for passage in passages:
        print(passage)
    print(f"{len(passages)} passages came since {reference}.")
    return int(bool(passages))


def new_passages(before: Source | None, now: Source) -> list[Passage]:
    """Those of lines that were not there, or had fewer of them."""
    old: Counter = Counter()
    if before:
        old.update(passage.key for passage in before.passages)
    new = []
    for passage in now.passages:
        if old[passage.key]:
            old[passage.key] -= 1
        else:
            new.append(passage)
    return new


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader, such as head, has enough
        sys.exit(1)
