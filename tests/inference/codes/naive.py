"""Estimates as slow, obvious loops."""

from math import sqrt

import numpy as np
from scipy.stats import t as student

from inference.codes import estimate as module


def parts(cell, strata, documents, c):
    """Lists of strata that are counted together in a cell."""
    mine = [d for d in range(len(cell)) if cell[d] == c]
    codes = {
        h: sum(strata[d] == h and cell[d] == c for d in documents)
        for h in sorted({strata[d] for d in mine})
    }
    joined = []
    left = list(codes)
    for h in list(codes):
        rest = sum(codes[k] for k in left)
        full = joined and sum(codes[k] for k in joined[-1]) >= module.LEAST_CODES
        if not joined or (full and rest >= module.LEAST_CODES):
            joined.append([])
        joined[-1].append(h)
        left.remove(h)
    return joined


def pieces(cell, strata, documents, y, pi, g, C):
    """For each code: (cell, part, weight, y, g, mean g of its part, factor of its part's
    variance)."""
    out = {}
    for c in range(C):
        for p, hs in enumerate(parts(cell, strata, documents, c)):
            everyone = [d for d in range(len(cell)) if cell[d] == c and strata[d] in hs]
            some = [i for i, d in enumerate(documents) if cell[d] == c and strata[d] in hs]
            total = sum(1 / pi[i] for i in some)
            n = len(some)
            factor = 0.0 if n == len(everyone) else n / (n - 1) * (1 - n / len(everyone))
            mean_g = sum(g[d] for d in everyone) / len(everyone)
            for i in some:
                w = len(everyone) / total / pi[i]
                out[i] = (c, p, w, y[i], g[documents[i]], mean_g, factor)
    return out


def variance(made, c, z):
    """Of a total."""
    out = 0.0
    for p in {m[1] for m in made.values() if m[0] == c}:
        some = [i for i, m in made.items() if m[:2] == (c, p)]
        mean = sum(made[i][2] * z[i] for i in some) / sum(made[i][2] for i in some)
        out += made[some[0]][6] * sum((made[i][2] * (z[i] - mean)) ** 2 for i in some)
    return out


def lambdas(made):
    """For each code, as the others have it."""
    own = {}
    for i, (c, p, w, _, _, _, factor) in made.items():
        some = [m for m in made.values() if m[:2] == (c, p)]
        size = sum(m[2] for m in some)
        dy, dg = (made[i][k] - sum(m[2] * m[k] for m in some) / size for k in (3, 4))
        own[i] = factor * w * w * dy * dg, factor * w * w * dg * dg
    out = {}
    for i, m in made.items():
        others = [j for j in made if j != i]
        mine = [j for j in made if j != i and made[j][0] == m[0]]
        common, of_cell = (
            sum(own[j][0] for j in js) / sum(own[j][1] for j in js) for js in (others, mine)
        )
        n = len(mine) + 1
        out[i] = min(max(common + n / (n + module.OWN_LAMBDA_CODES) * (of_cell - common), 0), 1)
    return out


def interval(p, v, df, single):
    """Wilson's, on the effective n."""
    t = student.ppf(0.975, df)
    n = 1 / single
    middle = (p + t * t / 2 / n) / (1 + t * t / n)
    half = t * sqrt(p * (1 - p) / n + t * t / 4 / n / n) / (1 + t * t / n)
    return middle - half, middle + half


def corrected(cell, strata, documents, y, pi, g, C):
    """[(estimate, variance, low, high)] of shares in these texts, without and with the predictions,
    of each cell."""
    made = pieces(cell, strata, documents, y, pi, g, C)
    lam = lambdas(made)
    out = []
    for c in range(C):
        M = sum(cell == c)
        mine = [i for i in made if made[i][0] == c]
        row = []
        for weight in (dict.fromkeys(made, 0.0), lam):
            z = {i: made[i][3] - weight[i] * (made[i][4] - made[i][5]) for i in made}
            p = sum(made[i][2] * z[i] for i in mine) / M
            v = variance(made, c, z) / M**2
            if not row:
                kish = sum(made[i][2] ** 2 for i in mine) / M**2 * (1 - len(mine) / M)
                few = min(sum(y[i] for i in mine), len(mine) - sum(y[i] for i in mine))
                scale = p * (1 - p)
                lean = module.SURE_CODES / (few + module.SURE_CODES) * max(kish - v / scale, 0)
            df = len(mine) - len({made[i][1] for i in mine})
            row.append((p, v, *interval(p, v, df, v / scale + lean)))
        out.append(row)
    return np.array(out)
