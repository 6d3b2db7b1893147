"""How many times as large one share is as another."""

from typing import NamedTuple

import numpy as np


class Ratio(NamedTuple):
    """float64[T]: a / b, and the ends of its interval, NaN where none is told."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def with_ends(
    share_a: np.ndarray,
    share_b: np.ndarray,
    variance_a: np.ndarray,
    variance_b: np.ndarray,
    covariance: np.ndarray,
    critical: np.ndarray,
    tellable: np.ndarray,
) -> Ratio:
    """a / b and its interval. tellable: bool[T], whether there is one; the rest as in `fieller`."""
    low, high = fieller(share_a, share_b, variance_a, variance_b, covariance, critical)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = share_a / share_b
    return Ratio(value, np.where(tellable, low, np.nan), np.where(tellable, high, np.nan))


def fieller(
    share_a: np.ndarray,
    share_b: np.ndarray,
    variance_a: np.ndarray,
    variance_b: np.ndarray,
    covariance: np.ndarray,
    critical: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """(low, high): the values r of 0 or more with (a - r b)^2 <= c^2 var(a - r b) (Fieller 1954).

    1 is outside exactly where 0 is outside of a - b -+ c error, of the same error and c. high is
    inf where b may be nothing, and low, too, where b is surely nothing. Where the values r fall
    into two parts, it is the part that holds a / b, and all of 0 to inf where the other one holds
    1. NaN of a share b that is expected to be below 0: there is no ratio then. share_a, share_b: a
    and b; variance_a, variance_b, covariance: of both; critical: c, in errors: float64[T] each, and
    so are low and high."""
    with np.errstate(all="ignore"):  # of two units the critical value may be beyond all numbers
        square = critical**2
        first = share_b**2 - square * variance_b
        middle = share_a * share_b - square * covariance
        last = share_a**2 - square * variance_a
        inside = middle**2 - first * last
        root = np.sqrt(np.maximum(inside, 0.0))
        upper = (middle + root) / first
        lower = np.where(middle + root > 0, last / (middle + root), (middle - root) / first)
        # Where they fall into two parts, one ends at the nearer root, the other begins at the farther
        nearer = last / (middle - root)
        farther = (middle - root) / first
        is_in_farther_part = share_a >= farther * share_b
    bounded = first > 0
    numerator_is_sure = ~bounded & (last > 0)
    in_two_parts = ~bounded & ~numerator_is_sure & (middle < 0) & (inside > 0)
    one_is_in_the_other = np.where(is_in_farther_part, nearer >= 1, farther <= 1)
    in_one_of_two = in_two_parts & ~one_is_in_the_other
    low = np.select(
        [bounded, numerator_is_sure, in_one_of_two & is_in_farther_part],
        [lower, lower, farther],
        default=0.0,
    )
    high = np.select(
        [bounded, in_one_of_two & ~is_in_farther_part], [upper, nearer], default=np.inf
    )
    b_is_nothing = numerator_is_sure & (first == 0) & (middle + root <= 0)
    low = np.where(b_is_nothing, np.inf, low)
    none = ~(share_b >= 0)
    low = np.where(none, np.nan, np.maximum(low, 0.0))
    return low, np.where(none, np.nan, np.maximum(high, 0.0))
