"""Two sides of units: shares, their difference and its error.

The error is the larger of two (Angrist and Pischke 2009, section 8.1). CR2: units vary on each side
as they do there (Bell and McCaffrey 2002; Pustejovsky and Tipton 2018). Pooled: all units vary
alike, which holds where few units of one side have a topic.
"""

from typing import NamedTuple

import numpy as np

from inference.answers.unit_sums import UnitSums
from inference.effects.leverage import inverse_of_gap
from inference.runtime.arrays import ABOVE_ZERO

LARGEST_TABLE = 1 << 22  # words of a unit up to which units of a size are counted in a table: 32 MB


class Difference(NamedTuple):
    """The shares on two sides, in R divisions and T columns. share_a, share_b; variance_a,
    variance_b, covariance: of both shares, such that variance_a + variance_b - 2 covariance is the
    square of the error: float64[R, T]. df: float64[R], Bell and McCaffrey's degrees of freedom.
    units_a, units_b: int64[R], that have words on each side."""

    share_a: np.ndarray
    share_b: np.ndarray
    variance_a: np.ndarray
    variance_b: np.ndarray
    covariance: np.ndarray
    df: np.ndarray
    units_a: np.ndarray
    units_b: np.ndarray

    @property
    def difference(self) -> np.ndarray:
        """float64[R, T]: share_a - share_b."""
        return self.share_a - self.share_b

    @property
    def error(self) -> np.ndarray:
        """float64[R, T]: the standard error of the difference."""
        square = self.variance_a + self.variance_b - 2 * self.covariance
        return np.sqrt(np.maximum(square, ABOVE_ZERO))


class Prepared(NamedTuple):
    """amounts: float64[U, T]; sizes: float64[U]; mean: float64[T], the share in all. squares: of
    the amounts above what sizes let expect; products: of these and the sizes: float64[U, T]."""

    amounts: np.ndarray
    squares: np.ndarray
    products: np.ndarray
    sizes: np.ndarray
    mean: np.ndarray


def prepare(amounts: np.ndarray, sizes: np.ndarray) -> Prepared:
    """amounts: float64[U, T]; sizes: float64[U], above 0."""
    mean = amounts.sum(axis=0) / sizes.sum()
    residual = amounts - sizes[:, None] * mean
    return Prepared(
        amounts=amounts,
        squares=residual**2,
        products=residual * sizes[:, None],
        sizes=sizes,
        mean=mean,
    )


def of_nested(units: Prepared, on_a: np.ndarray) -> Difference:
    """Where every unit is on one side. on_a: bool[R, U], of each division whether a unit is on side
    A; else it is on B."""
    a = _one_side(units, on_a.astype(float))
    b = _one_side(units, (~on_a).astype(float))
    variance_a, variance_b = larger_of_nested(
        a.variance, b.variance, a.words[:, None], b.words[:, None]
    )
    return Difference(
        share_a=a.share,
        share_b=b.share,
        variance_a=variance_a,
        variance_b=variance_b,
        covariance=np.zeros_like(variance_a),
        df=_freedom(a.trace + b.trace, a.squares + b.squares + a.product**2 + b.product**2),
        units_a=on_a.sum(axis=1),
        units_b=(~on_a).sum(axis=1),
    )


def larger_of_nested(
    variance_a: np.ndarray, variance_b: np.ndarray, words_a: np.ndarray, words_b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Both sides' variances: CR2's, or, where that makes the larger error, the pooled ones.
    variance_a, variance_b: float64, CR2's, of one shape, as is what comes back; words_a, words_b:
    the words of each side, numbers or float64[R, 1]."""
    spread = (variance_a * words_a**2 + variance_b * words_b**2) / (words_a + words_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        pooled_a = spread / words_a
        pooled_b = spread / words_b
    larger = pooled_a + pooled_b > variance_a + variance_b
    return np.where(larger, pooled_a, variance_a), np.where(larger, pooled_b, variance_b)


class _ComparedSide(NamedTuple):
    """words: float64[R]; share: float64[R, T]; variance: float64[R, T], CR2; trace, squares,
    product: float64[R], of Satterthwaite's approximation."""

    words: np.ndarray
    share: np.ndarray
    variance: np.ndarray
    trace: np.ndarray
    squares: np.ndarray
    product: np.ndarray


def _one_side(units: Prepared, member: np.ndarray) -> _ComparedSide:
    """member: float64[R, U], 1 for a unit of the side."""
    sizes = units.sizes
    words = member @ sizes
    leverage = member * sizes / np.maximum(words, ABOVE_ZERO)[:, None]
    inverse = inverse_of_gap(1 - leverage)
    weight = member * inverse
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (member @ units.amounts) / words[:, None]
        above_mean = share - units.mean
        sum_of_squares = (
            weight @ units.squares
            - 2 * above_mean * (weight @ units.products)
            + above_mean**2 * (weight @ sizes**2)[:, None]
        )
        variance = np.maximum(sum_of_squares, 0.0) / words[:, None] ** 2
        diagonal = leverage * inverse / words[:, None]
    outer = diagonal * leverage
    return _ComparedSide(
        words=words,
        share=share,
        variance=variance,
        trace=(diagonal - outer).sum(axis=1),
        squares=(diagonal**2 - 2 * diagonal * outer).sum(axis=1),
        product=outer.sum(axis=1),
    )


class UnitsBySize(NamedTuple):
    """Units of one side, by their sizes. sizes: float64[n], whole numbers above 0, ascending;
    units: int64[n], how many have each."""

    sizes: np.ndarray
    units: np.ndarray

    @classmethod
    def of(cls, sizes: np.ndarray) -> "UnitsBySize":
        """sizes: float64[U], whole numbers; 0 for a unit of the other side."""
        whole = sizes.astype(np.int64)
        if whole.max(initial=0) >= LARGEST_TABLE:
            counted_sizes, units = np.unique(whole[whole > 0], return_counts=True)
            return cls(counted_sizes.astype(float), units)
        units_of_size = np.bincount(whole)
        units_of_size[:1] = 0
        counted_sizes = np.flatnonzero(units_of_size)
        return cls(counted_sizes.astype(float), units_of_size[counted_sizes])

    @property
    def words(self) -> float:
        """Words of all units."""
        return float(self.sizes @ self.units)

    @property
    def weighted_squares(self) -> float:
        """Sum over units of their squared sizes, by `unit_weights`."""
        return float((self.units * weights_of(self.sizes, self.words) * self.sizes**2).sum())


def freedom_by_size(by_size: list[UnitsBySize]) -> np.ndarray:
    """float64[1]: the degrees of freedom of `of_nested`, of two sides."""
    trace = squares = 0.0
    for side in by_size:
        leverage = side.sizes / max(side.words, ABOVE_ZERO)
        diagonal = leverage * inverse_of_gap(1 - leverage) / max(side.words, ABOVE_ZERO)
        outer = diagonal * leverage
        trace += float((side.units * (diagonal - outer)).sum())
        squares += float((side.units * (diagonal**2 - 2 * diagonal * outer)).sum())
        squares += float((side.units * outer).sum()) ** 2
    return _freedom(np.array([trace]), np.array([squares]))


def of_added_up(sums: UnitSums, group: int) -> Difference:
    """Where units were added up, whatever group they are in, but each of them is on one side only:
    what a sum has on either side is independent of the other. Side A is one group; R is 1."""
    (amounts_a, words_a), (amounts_b, words_b) = sums.of_sides(group)
    amounts = np.concatenate([amounts_a[words_a > 0], amounts_b[words_b > 0]])
    words = np.concatenate([words_a[words_a > 0], words_b[words_b > 0]])
    on_a = np.arange(len(words)) < np.count_nonzero(words_a)
    units_a = sums.of_group[[group]]
    test_of_sides = of_nested(prepare(amounts, words), on_a[None])
    return test_of_sides._replace(units_a=units_a, units_b=sums.independent - units_a)


def of_crossing(sums: UnitSums, group: int) -> Difference:
    """Where units are on both sides: their covariance counts, too. The pooled error is that of each
    side's variance, at least as large as if all units varied alike, with the same correlation. Side
    A is one group; R is 1."""
    (amounts_a, words_a), (amounts_b, words_b) = sums.of_sides(group)
    share_a = _share(amounts_a, words_a)
    share_b = _share(amounts_b, words_b)
    score_a, diagonal_a, outer_a = _scores(share_a, words_a, amounts_a)
    score_b, diagonal_b, outer_b = _scores(share_b, words_b, amounts_b)
    variance_a = (score_a**2).sum(axis=0)
    variance_b = (score_b**2).sum(axis=0)
    covariance = (score_a * score_b).sum(axis=0)
    larger_a, larger_b, larger_covariance = larger_of_crossing(
        variance_a, variance_b, covariance, float(words_a.sum()), float(words_b.sum())
    )

    outer = outer_a**2 + outer_b**2
    diagonal = diagonal_a + diagonal_b
    trace = float((diagonal - outer).sum())
    moment = np.array([[(outer_a**2).sum(), (outer_a * outer_b).sum()], [0.0, (outer_b**2).sum()]])
    moment[1, 0] = moment[0, 1]
    squares = float((diagonal**2 - 2 * diagonal * outer).sum() + (moment**2).sum())
    return Difference(
        share_a=share_a[None],
        share_b=share_b[None],
        variance_a=larger_a[None],
        variance_b=larger_b[None],
        covariance=larger_covariance[None],
        df=_freedom(np.array([trace]), np.array([squares])),
        units_a=np.array([np.count_nonzero(words_a)]),
        units_b=np.array([np.count_nonzero(words_b)]),
    )


def larger_of_crossing(
    variance_a: np.ndarray,
    variance_b: np.ndarray,
    covariance: np.ndarray,
    words_a: float,
    words_b: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both sides' variances and their covariance: CR2's, or, where that makes the larger error,
    those of sides that vary at least as if all units varied alike. variance_a, variance_b,
    covariance: float64, CR2's, of one shape, as is what comes back; words_a, words_b: the words of
    each side."""
    spread = (variance_a * words_a**2 + variance_b * words_b**2) / (words_a + words_b)
    floored_a = np.maximum(variance_a, spread / words_a)
    floored_b = np.maximum(variance_b, spread / words_b)
    geometric_mean = np.sqrt(np.maximum(variance_a * variance_b, ABOVE_ZERO))
    correlation = np.clip(covariance / geometric_mean, -1.0, 1.0)
    floored_covariance = correlation * np.sqrt(floored_a * floored_b)
    robust = variance_a + variance_b - 2 * covariance
    larger = floored_a + floored_b - 2 * floored_covariance > robust
    return (
        np.where(larger, floored_a, variance_a),
        np.where(larger, floored_b, variance_b),
        np.where(larger, floored_covariance, covariance),
    )


def _share(amounts: np.ndarray, words: np.ndarray) -> np.ndarray:
    return amounts.sum(axis=0) / max(words.sum(), ABOVE_ZERO)


def _scores(
    share: np.ndarray, words: np.ndarray, amounts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What each unit moves the share by, adjusted: float64[U, T]; and of Satterthwaite's
    approximation the diagonal and the vector whose outer product is taken off: float64[U]."""
    total = max(words.sum(), ABOVE_ZERO)
    leverage = words / total
    inverse = inverse_of_gap(1 - leverage)
    score = (amounts - words[:, None] * share) / total * np.sqrt(inverse)[:, None]
    return score, leverage * inverse / total, leverage * np.sqrt(inverse / total)


def unit_weights(sizes: np.ndarray) -> np.ndarray:
    """float64[U, 2]: 1 / (1 - leverage) of each unit on either side, 0 of one that alone is a side.
    sizes: float64[U, 2]."""
    return weights_of(sizes, words_of_sides(sizes))


def words_of_sides(sizes: np.ndarray) -> np.ndarray:
    """float64[2], of all units. sizes: float64[U, 2], whole numbers. A column at a time, which is
    ten times as quick as rows of two numbers, and has the same bits, as the numbers are whole."""
    return np.array([sizes[:, 0].sum(), sizes[:, 1].sum()])


def weights_of(sizes: np.ndarray, words: np.ndarray | float) -> np.ndarray:
    """1 / (1 - leverage) of units on either side, 0 of one that alone is a side: float64[n, 2], or
    [n] of one side. sizes: float64[n, 2], or [n, 1] for both sides, or [n]; words: float64[2], of
    each side, or a number."""
    return inverse_of_gap(1 - sizes / np.maximum(words, 1.0))


def _freedom(trace: np.ndarray, squares: np.ndarray) -> np.ndarray:
    return np.where(squares > 0, trace**2 / np.maximum(squares, ABOVE_ZERO), 0.0)
