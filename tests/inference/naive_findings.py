"""Slow twins of inference.findings, in plain Python, one document after another."""

import math


def sums(mixtures, lengths, units, groups, G, T):
    """mixtures: of each document {topic: tokens}; units: of each document a key, or None; groups:
    key -> group."""
    names = (
        "holding",
        "of_holding",
        "topic_tokens",
        "topic_squares",
        "topic_products",
        "unit_topic_squares",
        "unit_topic_products",
    )
    out = {name: [[0.0] * T for _ in range(G)] for name in names}
    out |= {name: [0.0] * G for name in ("documents", "tokens", "squares", "units", "unit_squares")}
    of_unit = {}
    for mixture, length, unit in zip(mixtures, lengths, units, strict=True):
        if unit is None or length == 0:
            continue
        g = groups[unit]
        out["documents"][g] += 1
        out["tokens"][g] += length
        out["squares"][g] += length**2
        total, parts = of_unit.setdefault(unit, [0, {}])
        of_unit[unit][0] = total + length
        for t, n in mixture.items():
            out["holding"][g][t] += 1
            out["of_holding"][g][t] += length
            out["topic_tokens"][g][t] += n
            out["topic_squares"][g][t] += n * n
            out["topic_products"][g][t] += n * length
            parts[t] = parts.get(t, 0) + n
    for unit, (total, parts) in of_unit.items():
        g = groups[unit]
        out["units"][g] += 1
        out["unit_squares"][g] += total**2
        for t, n in parts.items():
            out["unit_topic_squares"][g][t] += n * n
            out["unit_topic_products"][g][t] += n * total
    return out


def error(shares_of_documents):
    """Standard error of a ratio of tokens, documents as the units: [(tokens of the topic,
    length)]."""
    n = len(shares_of_documents)
    x = sum(a for a, _ in shares_of_documents)
    length = sum(b for _, b in shares_of_documents)
    share = x / length
    return (
        math.sqrt(n / (n - 1) * sum((a - share * b) ** 2 for a, b in shares_of_documents)) / length
    )


def accepted(p, q):
    """Benjamini and Hochberg's step-up procedure."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    last = max((i + 1 for i in range(len(p)) if p[order[i]] <= q * (i + 1) / len(p)), default=0)
    return [i in order[:last] for i in range(len(p))]


def overlap(a, b):
    """sum_k min(p_k, q_k) of two mixtures {topic: tokens}."""
    A = sum(a.values())
    B = sum(b.values())
    return sum(min(n / A, b.get(k, 0) / B) for k, n in a.items())


def families(topics, joins, size, number, given, beside):
    """Sets of topics: a tree's top is taken apart until there are `number` of them with the
    groups."""
    leaves = [{k} for k in topics]
    for a, b in joins:
        leaves.append(leaves[a] | leaves[b])
    groups = {}
    homes = {}
    for k in range(len(size)):
        known = given[beside[k]] >= 0 or beside[k] in topics
        home = beside[k] if given[k] < 0 and known else k
        if size[k] > 0 and given[home] >= 0:
            groups.setdefault(given[home], set()).add(k)
        elif size[k] > 0 and home in topics:
            homes[k] = home
    parts = [set(homes)] if homes else []
    for a, b in reversed(joins):
        left, right = ({k for k, home in homes.items() if home in leaves[node]} for node in (a, b))
        if left and right and len(parts) + len(groups) < number:
            parts.remove(left | right)
            parts += [left, right]
    return parts + list(groups.values())
