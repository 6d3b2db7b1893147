"""What each package may still have beyond the limits, in tests/readable.toml: it may only fall."""

import tomllib
from collections import Counter

from tests.readable.limits import MEASURES
from tests.readable.packages import ROOT
from tests.readable.source import Source

FILE = ROOT / "tests" / "readable.toml"
CIRCLES = "circles"
HEAD = """\
# How far each package is beyond the limits of tests/readable/limits.py: how many more than its size
# allows. A package that is not here is within all of them, and so is a new one. `circles`: files
# that import each other. These numbers may only fall: `python -m tests.readable --write` lowers them.
"""

Excess = dict[str, dict[str, int]]


def total(sources: list[Source]) -> Counter:
    counts: Counter = Counter()
    for source in sources:
        counts += source.counts
    return counts


def excess(packages: dict[str, list[Source]], circles: list[list[str]]) -> Excess:
    """package -> measure -> how far it is beyond; only what is beyond."""
    numbers: Excess = {}
    for name, sources in packages.items():
        counts = total(sources)
        by_measure = {measure.name: measure.excess(counts) for measure in MEASURES}
        numbers[name] = {measure: number for measure, number in by_measure.items() if number > 0}
    numbers[CIRCLES] = {"files": sum(map(len, circles))}
    return numbers


def allowed() -> Excess:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def judged(now: Excess, allowed: Excess) -> list[str]:
    """A sentence for each number that is higher than it may be."""
    sentences = []
    for name, numbers in now.items():
        for measure, number in numbers.items():
            limit = allowed.get(name, {}).get(measure, 0)
            if number > limit:
                sentences.append(f"{name}: {measure} {number} beyond the limit, {limit} allowed.")
    return sentences


def lowered(now: Excess, allowed: Excess) -> Excess:
    """What is allowed from now on: never more than before."""
    numbers: Excess = {}
    for name, limits in allowed.items():
        current = now.get(name, {})
        numbers[name] = {key: min(limit, current.get(key, 0)) for key, limit in limits.items()}
    return numbers


def write(numbers: Excess) -> None:
    """Those above 0."""
    lines = []
    for name, by_measure in sorted(numbers.items()):
        values = [f"{measure} = {number}" for measure, number in by_measure.items() if number]
        if values:
            lines.append(f'"{name}" = {{ {", ".join(values)} }}\n')
    FILE.write_text(HEAD + "".join(lines), encoding="utf-8")
