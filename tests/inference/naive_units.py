"""Naive twins of inference.answers.collection_unit, in plain Python."""

from collections import Counter, defaultdict
from statistics import median


def naive_design_effect(
    rows: list[list[float]], lengths: list[float], values: list[int]
) -> tuple[float, float]:
    """By the definition: of each direction the squared sums over values, divided by the sum of
    squares of documents; the median of these."""
    effects = []
    whole = sum(lengths)
    for direction in range(len(rows[0])):
        mean = sum(row[direction] for row in rows) / whole
        away = [row[direction] - n * mean for row, n in zip(rows, lengths, strict=True)]
        sums: dict[int, float] = defaultdict(float)
        for value, distance in zip(values, away, strict=True):
            sums[value] += distance
        alone = sum(distance**2 for distance in away)
        effects.append(sum(total**2 for total in sums.values()) / alone)
    words: dict[int, float] = defaultdict(float)
    for value, n in zip(values, lengths, strict=True):
        words[value] += n
    size = sum(n**2 for n in words.values()) / sum(n**2 for n in lengths)
    effect = median(effects)
    return effect, min(max((effect - 1) / (size - 1), 0.0), 1.0)


def naive_main_value_part(finer: list[int], coarser: list[int]) -> float:
    pairs: dict[int, Counter] = defaultdict(Counter)
    for a, b in zip(finer, coarser, strict=True):
        if a >= 0 and b >= 0:
            pairs[a][b] += 1
    known = sum(counts.total() for counts in pairs.values())
    return sum(max(counts.values()) for counts in pairs.values()) / known
