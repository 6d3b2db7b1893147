"""Slow twins of inference.answers.spans: loops over spans, units and documents."""

import numpy as np


def largest(sums, weight, lengths, cuts, thirds):
    """Of one column the largest excess of each kind of span, of more and of less."""
    periods = len(weight)

    def excess(inside):
        part = sum(weight[g] for g in inside)
        return sum(sums[g] for g in inside) / (part * (1 - part)) ** 0.5

    found = []
    for length in lengths:
        tried = [
            excess(range(first, first + length))
            for first in range(periods + 1 - length)
            if length < periods
        ]
        found.append((max(tried), -min(tried)))
    steps = [excess(range(cut, periods)) for cut in range(cuts[0], cuts[1] + 1)]
    found.append((max(steps), -min(steps)) if steps else (-np.inf, -np.inf))
    if thirds[0] == thirds[1]:
        return [*found, (-np.inf, -np.inf)]
    early = range(thirds[0])
    late = range(thirds[1], periods)
    words = [sum(weight[g] for g in several) for several in (late, early)]
    means = [
        sum(sums[g] for g in several) / total
        for several, total in zip((late, early), words, strict=True)
    ]
    line = (means[0] - means[1]) * (words[0] * words[1] / (words[0] + words[1])) ** 0.5
    return [*found, (line, -line)]


def difference_with_mix_held(x, n, unit, on_a, correlation):
    """Of one topic: what units say in a span beyond what they always say, by how much a word of the
    span counts. x, n, unit, on_a: of each document."""
    total = sum(x)
    words = sum(n)
    typical = sum(length**2 for length in n) / words
    unlike = typical * (1 - correlation) / max(correlation, 1e-3)
    own = {}
    trust = {}
    part = {}
    in_all = sum(length for length, on in zip(n, on_a, strict=True) if on) / words
    for code in set(unit):
        mine = [d for d in range(len(unit)) if unit[d] == code]
        said = sum(n[d] for d in mine)
        trust[code] = said / (said + unlike)
        share = sum(x[d] for d in mine) / said
        own[code] = trust[code] * share + (1 - trust[code]) * total / words
        part[code] = sum(n[d] for d in mine if on_a[d]) / said
    mean = sum(x[d] - n[d] * own[unit[d]] for d in range(len(unit))) / words
    above = sum(x[d] - n[d] * (own[unit[d]] + mean) for d in range(len(unit)) if on_a[d])
    reach = sum(
        n[d] * (1 - trust[unit[d]] * part[unit[d]] - (1 - trust[unit[d]]) * in_all)
        for d in range(len(unit))
        if on_a[d]
    )
    return above / reach
