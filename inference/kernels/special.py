"""Digamma, in the forms that Dirichlet parameters need."""

import math

from numba import njit


@njit(cache=True)
def exp_digamma(x):
    """exp(psi(x)) for x > 0, to a relative 1e-12; 0 where it underflows (below x of about 0.0014).

    Asymptotic series about z = x - 1/2: z + 1/(24 z) - 37/(5760 z^3) + 10313/(2903040 z^5) - 5509121/(1393459200 z^7);
    small x are shifted up by psi(x) = psi(x + 1) - 1/x.
    """
    shift = 0.0
    while x < 12.0:
        shift -= 1.0 / x
        x += 1.0
    z = x - 0.5
    r = 1.0 / (z * z)
    value = z + (1.0 / z) * (1.0 / 24.0 + r * (-37.0 / 5760.0 + r * (10313.0 / 2903040.0 - r * (5509121.0 / 1393459200.0))))
    return value * math.exp(shift) if shift else value


@njit(cache=True)
def digamma_rise(x, n):
    """psi(x + n) - psi(x) for a whole number n >= 0, to a relative 1e-10: sum of 1 / (x + i) for i < n, the tail by its series."""
    total = 0.0
    i = 0.0
    while i < n and x + i < 20.0:
        total += 1.0 / (x + i)
        i += 1.0
    if i < n:
        a, b = x + i, x + n
        r, s = 1.0 / (a * a), 1.0 / (b * b)
        total += math.log(b / a) - 0.5 * (1.0 / b - 1.0 / a)
        total -= s * (1.0 / 12.0 - s * (1.0 / 120.0 - s / 252.0)) - r * (1.0 / 12.0 - r * (1.0 / 120.0 - r / 252.0))
    return total
