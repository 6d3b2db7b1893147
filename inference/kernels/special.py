"""exp(digamma(x)), which turns Dirichlet parameters into exp E[log beta] (SSI, eq. 9)."""

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
