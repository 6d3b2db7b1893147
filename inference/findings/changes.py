"""When a topic's or a word's share changed: a line, a step or a window, whichever describes it
best; tested by permuting units.

Units are weeks, months or years. Shares are raw, units count by their words up to MOST_WEIGHT
medians. A unit without words is a gap: it is in no test, and a window may reach over it.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import numpy as np

from inference.kernels import windows

MOST_WEIGHT = 4.0
FIRST, MORE = 199, 1_800  # permutations of all columns, and further ones of those that might pass
MAY_PASS = 0.1  # p of the first permutations up to which a column gets further ones
EDGE = 0.1  # of the weight that lies on either side of a step
LONGEST = 1 / 3  # of the units, that a window covers at most
LEAST_UNITS, FEWEST_OF_LINE = 8, 3  # that are permuted; above which a line is tried
STAYS = 1 / 3  # of a step's difference, that each half of either side must show
BLOCK = 256  # columns that are tested at once: 30 MB of permuted windows
_SEED = 20
Shape = Literal["line", "step", "window"]
Permuted = tuple[
    np.ndarray, np.ndarray, np.ndarray
]  # Z, weight, and the order in which they are read


class Units(NamedTuple):
    """numbers: int64[G], ascending, of the units that have words, as the calendar counts them;
    share: float64[G, T]; weight: float64[G], sums to 1."""

    numbers: np.ndarray
    share: np.ndarray
    weight: np.ndarray


class Change(NamedTuple):
    """shape: "line", "step" or "window". first, last: the places in Units, both included, that have
    more (or, of a step that falls, less) than the others. inside, outside: bool[G], what is
    compared: of a line its last and first third. more: whether there is more inside. fit: part of
    the weighted squares that it explains."""

    shape: Shape
    first: int
    last: int
    inside: np.ndarray
    outside: np.ndarray
    more: bool
    fit: float


def in_units(x: np.ndarray, n: np.ndarray) -> Units:
    """x: float64[G, T], tokens of each topic in each unit; n: float64[G], all tokens."""
    some = np.flatnonzero(n > 0)
    weight = np.minimum(n[some], MOST_WEIGHT * np.median(n[some])) if len(some) else np.zeros(0)
    return Units(some, x[some] / n[some, None], weight / max(weight.sum(), 1e-300))


def held_constant(units: Units, tokens: np.ndarray, own: np.ndarray) -> Units:
    """The same, less what follows from who speaks when: each unit's share minus what its mix of
    groups would give if each group had its own share always, plus the mean. tokens: float64[G, C],
    of each group in each unit that has words; own: float64[C, T], the share of each topic in each
    group."""
    mix = tokens / np.maximum(tokens.sum(axis=1, keepdims=True), 1)
    usual = tokens.sum(axis=0) / max(tokens.sum(), 1)
    return units._replace(share=units.share - (mix - usual) @ own)


def tested(
    units: Units, longest: float = LONGEST
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(p of no trend, p of no window, the window's first place, its end): [T] each, by permuting
    the units. longest: part of the units that a window covers at most."""
    G, T = units.share.shape
    if G < LEAST_UNITS or not T:
        return np.ones(T), np.ones(T), np.zeros(T, np.int64), np.zeros(T, np.int64)
    chance = np.random.default_rng(_SEED)
    orders = [chance.permutation(G) for _ in range(FIRST + MORE)]
    parts = [
        _tested(units.numbers, units.weight, units.share[:, a : a + BLOCK], orders, longest)
        for a in range(0, T, BLOCK)
    ]
    p_trend, p_window, first, end = (np.concatenate(part) for part in zip(*parts, strict=True))
    return p_trend, p_window, first, end


def _tested(
    numbers: np.ndarray,
    weight: np.ndarray,
    share: np.ndarray,
    orders: list[np.ndarray],
    longest: float,
):
    Z = np.ascontiguousarray(_standard(share, weight))
    shapes, lengths = _shapes(numbers), lengths_of_windows(len(weight), longest)
    trend, scan, place = _seen(Z, weight, shapes, lengths)
    drawn = [(Z, weight, order) for order in orders[:FIRST]]
    p_trend, p_window, length = _p(drawn, FIRST, shapes, lengths, trend, scan)
    again = np.flatnonzero(np.minimum(p_trend, p_window) <= MAY_PASS)
    if len(again):
        Z = np.ascontiguousarray(Z[:, again])
        drawn = [(Z, weight, order) for order in orders]
        p_trend[again], p_window[again], length[again] = _p(
            drawn, len(drawn), shapes, lengths, trend[again], scan[:, again]
        )
    first = place[length, np.arange(len(length))]
    return p_trend, p_window, first, first + lengths[length]


def tested_in_cells(
    x: np.ndarray, n: np.ndarray
) -> tuple[Units, tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Where periods are too few to be permuted: each has several cells of documents (those of a
    speaker, or a part of all), and each speaker's, or part's, are permuted among their periods. x:
    float64[C, G, T], tokens of each topic; n: float64[C, G], all tokens. The units, each cell's
    share less that of its speaker, and what `tested` gives."""
    numbers = np.flatnonzero(n.sum(axis=0) > 0)
    x, n = x[:, numbers], n[:, numbers]
    apart = x - n[:, :, None] * (x.sum(axis=1) / np.maximum(n.sum(axis=1), 1)[:, None])[:, None]
    straight, chance = np.arange(len(numbers)), np.random.default_rng(_SEED)
    order = np.tile(straight, (len(n), 1))

    def series() -> Permuted:
        of_period = np.take_along_axis(n, order, 1).sum(axis=0)
        share = (
            np.take_along_axis(apart, order[:, :, None], 1).sum(axis=0)
            / np.maximum(of_period, 1)[:, None]
        )
        return share, of_period / of_period.sum(), straight

    def drawn() -> Iterator[Permuted]:
        for _ in range(FIRST + MORE):
            for c, cells in enumerate(n):
                order[c, cells > 0] = chance.permutation(straight[cells > 0])
            share, weight, _ = series()
            yield share / scale, weight, straight

    share, weight, _ = series()
    units = Units(numbers, share + x.sum(axis=(0, 1)) / n.sum(), weight)
    # The same scale for all: how large differences are is what tells
    scale = np.sqrt((weight[:, None] * share**2).sum(axis=0) + 1e-15)
    shapes, lengths = _shapes(numbers), lengths_of_windows(len(numbers), LONGEST)
    trend, scan, place = _seen(share / scale, weight, shapes, lengths)
    p_trend, p_window, length = _p(drawn(), FIRST + MORE, shapes, lengths, trend, scan)
    first = place[length, np.arange(len(length))]
    return units, (p_trend, p_window, first, first + lengths[length])


def _seen(Z, weight, shapes, lengths) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The largest correlation with a shape, the largest excess of a window of each length, and
    where it begins."""
    scan, place = (
        np.empty((len(lengths), Z.shape[1])),
        np.empty((len(lengths), Z.shape[1]), np.int64),
    )
    passed, sums = (
        np.concatenate([0 * each[:1], each.cumsum(axis=0)])
        for each in (weight, weight[:, None] * Z)
    )
    for j, n in enumerate(lengths.tolist()):
        part = np.clip(passed[n:] - passed[:-n], 1e-9, 1 - 1e-9)
        excess = (sums[n:] - sums[:-n]) * (1 / np.sqrt(part * (1 - part)))[:, None]
        scan[j], place[j] = excess.max(axis=0), excess.argmax(axis=0)
    return _trend(Z, weight, shapes, np.arange(len(weight))), scan, place


def _p(drawn: Iterable[Permuted], n: int, shapes, lengths, trend, scan):
    """p of the trend, of the largest standardised window, and which length it has. n: how many are
    drawn."""
    beyond = np.ones(len(trend))
    scans = np.empty((n, *scan.shape), np.float32)
    for permuted, (Z, weight, order) in zip(scans, drawn, strict=True):
        beyond += _trend(Z, weight, shapes, order) >= trend - 1e-12
        windows.largest(Z, weight, lengths, order, permuted)
    mean, spread = scans.mean(axis=0), scans.std(axis=0) + 1e-12
    seen = (scan - mean) / spread
    scans -= mean
    scans /= spread
    over = 1 + (scans.max(axis=1) >= seen.max(axis=0) - 1e-6).sum(axis=0)
    return beyond / (n + 1), over / (n + 1), seen.argmax(axis=0)


def _standard(Y: np.ndarray, w: np.ndarray) -> np.ndarray:
    Z = Y - (w[:, None] * Y).sum(axis=0)
    return Z / np.sqrt((w[:, None] * Z * Z).sum(axis=0) + 1e-15)


def _shapes(numbers: np.ndarray) -> np.ndarray:
    """A line, a late and an early change: float64[G, 3]."""
    u = (numbers - numbers[0]) / max(np.ptp(numbers), 1)
    return np.stack([u, u**3, -((1 - u) ** 3)], axis=1)


def _trend(Z: np.ndarray, w: np.ndarray, shapes: np.ndarray, order: np.ndarray) -> np.ndarray:
    W, weighted = w[order], np.empty_like(shapes)
    weighted[order] = _standard(shapes, W) * W[:, None]
    return np.abs(weighted.T @ Z).max(axis=0)


def lengths_of_windows(G: int, longest: float) -> np.ndarray:
    """Of windows, from one unit on: int64[L], ascending."""
    return np.unique([min(max(int(G * longest), 1), round(1.3**i)) for i in range(30)])


def describe(units: Units, k: int, trend: bool, window: tuple[int, int] | None) -> Change | None:
    """The shape that describes column k best, by the Bayesian information criterion: a line (2
    parameters), a step (3) or a window (4). trend: whether a trend was accepted; window: places of
    an accepted one."""
    y, w, G = units.share[:, k], units.weight, len(units.weight)
    mean = (w * y).sum()
    total = (w * (y - mean) ** 2).sum() + 1e-15
    place, tried = np.arange(G), []

    def fit(inside: np.ndarray) -> float:
        f = w[inside].sum()
        return f * (1 - f) * (_mean(y, w, inside) - _mean(y, w, ~inside)) ** 2 / total

    def add(
        shape: Shape, parameters: int, first: int, last: int, inside, outside, explained: float
    ) -> None:
        penalty = G * np.log(max(1 - explained, 1e-9)) + parameters * np.log(G)
        more = bool(_mean(y, w, inside) > _mean(y, w, outside))
        tried.append((penalty, Change(shape, first, last, inside, outside, more, float(explained))))

    if trend:
        if G > FEWEST_OF_LINE:
            t, part = units.numbers - (w * units.numbers).sum(), np.cumsum(w)
            line = (w * t * (y - mean)).sum() ** 2 / max((w * t * t).sum(), 1e-15) / total
            add("line", 2, 0, G - 1, part > 2 / 3, part <= max(1 / 3, part[0]), line)
        if (best := _step(y, w)) is not None:
            add("step", 3, best, G - 1, place >= best, place < best, fit(place >= best))
    if window is not None:
        inside = (place >= window[0]) & (place < window[1])
        add("window", 4, window[0], window[1] - 1, inside, ~inside, fit(inside))
    return _open(min(tried, key=lambda one: one[0])[1], G) if tried else None


def _step(y: np.ndarray, w: np.ndarray) -> int | None:
    """The first place after the step that explains most, of those whose difference both halves of
    either side show, by STAYS of it (else it came and went), and that have EDGE of the weight on
    either side."""
    weight, sums = (np.concatenate([[0.0], np.cumsum(each)]) for each in (w, w * y))
    cut, start, end = (
        np.arange(1, len(w)),
        np.zeros(len(w) - 1, np.int64),
        np.full(len(w) - 1, len(w)),
    )
    before, after = (
        (sums[b] - sums[a]) / (weight[b] - weight[a]) for a, b in ((start, cut), (cut, end))
    )
    apart = np.where(after == before, 1e-15, after - before)
    good = (weight[cut] >= EDGE) & (weight[cut] <= 1 - EDGE)
    for a, b, other, sign in ((start, cut, after, 1), (cut, end, before, -1)):
        middle = np.searchsorted(weight[1:], (weight[a + 1] + weight[b]) / 2, side="right")
        for c, d in ((a, middle), (middle, b)):
            level = (sums[d] - sums[c]) / np.maximum(weight[d] - weight[c], 1e-15)
            good &= (c == d) | (sign * (other - level) / apart >= STAYS)
    explained = np.where(good, weight[cut] * (1 - weight[cut]) * apart**2, -1.0)
    return int(cut[explained.argmax()]) if good.any() else None


def _open(change: Change, G: int) -> Change:
    """A window that ends with the last unit, or begins with the first, is a step: "since", "until";
    what is of the last unit alone is a window."""
    if change.first == change.last == G - 1 and change.more:
        return change._replace(shape="window")
    if change.shape != "window" or (change.last < G - 1 and change.first > 0):
        return change
    if change.last == G - 1:
        return change._replace(shape="step")
    return change._replace(
        shape="step",
        first=change.last + 1,
        last=G - 1,
        inside=change.outside,
        outside=change.inside,
        more=not change.more,
    )


def _mean(y: np.ndarray, w: np.ndarray, inside: np.ndarray) -> float:
    return float((w[inside] * y[inside]).sum() / max(w[inside].sum(), 1e-15))
