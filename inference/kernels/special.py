"""What Dirichlet parameters and divergences need: digamma in several forms, a logarithm for loops,
and sums."""

import math

from inference.kernels.bits import bits_of, of_bits
from inference.runtime.jit import njit

_ROOT_HALF = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)


@njit(cache=True, inline="always")
def _rise(x):
    """(above, below) with psi(x + 10) - psi(x) = (2 x + 9) above / below, the sum of 1 / (x + i), i
    < 10: by pairs (i, 9 - i) a polynomial of u = x (x + 9) over another."""
    u = x * (x + 9.0)
    above = 40320.0 + u * (24352.0 + u * (3924.0 + u * (240.0 + u * 5.0)))
    return above, u * (40320.0 + u * (12176.0 + u * (1308.0 + u * (60.0 + u))))


@njit(cache=True)
def exp_digamma(x):
    """exp(psi(x)) for x > 0, to a relative 2e-12; 0 where it underflows (below x of about 0.0014).

    Asymptotic series about z = x - 1/2: z + 1/(24 z) - 37/(5760 z^3) + 10313/(2903040 z^5) -
    5509121/(1393459200 z^7). A small x is moved up by psi(x) = psi(x + 10) - sum of 1 / (x + i), i
    < 10 (`_rise`): one division.
    """
    z = x - 0.5
    shift = 0.0
    if x < 12.0:
        z += 10.0
        above, below = _rise(x)
        shift = (2.0 * x + 9.0) * above / below
    r = 1.0 / (z * z)
    value = z + (1.0 / z) * (
        1.0 / 24.0
        + r * (-37.0 / 5760.0 + r * (10313.0 / 2903040.0 - r * (5509121.0 / 1393459200.0)))
    )
    return value * math.exp(-shift) if x < 12.0 else value


@njit(cache=True, inline="always")
def digamma_parts(x):
    """(v, s) with exp(psi(x)) = v exp(-s), for x > 0, to a relative 2e-12: the two factors of
    `exp_digamma`.

    Without a branch, so that a loop over it becomes vector instructions; and s may be as large as
    it likes: exp(-s) of differences does not underflow.
    """
    small = x < 12.0
    z = x + 9.5 if small else x - 0.5
    above, below = _rise(x)
    shift = (2.0 * x + 9.0) * above / below if small else 0.0
    inverse = 1.0 / z
    r = inverse * inverse
    value = z + inverse * (
        1.0 / 24.0
        + r * (-37.0 / 5760.0 + r * (10313.0 / 2903040.0 - r * (5509121.0 / 1393459200.0)))
    )
    return value, shift


@njit(cache=True, inline="always")
def exp_minus(s):
    """exp(-s) for s >= 0, to a relative 1e-11 up to s = 500, and exp(-700) beyond 700: (exp(-s /
    1024))^1024.

    Of products and sums alone, without a branch, so that a loop over it becomes vector
    instructions.
    """
    r = min(s, 700.0) * (-1.0 / 1024.0)
    p = 1.0
    for i in range(12, 0, -1):  # Taylor's series; both loops are unrolled
        p = 1.0 + r * (1.0 / i) * p
    for _ in range(10):
        p *= p
    return p


@njit(cache=True)
def coarse_digamma(x):
    """psi(x) for x > 0, to an absolute 3e-12, or a relative 1e-15 where it is large: fewer digits
    than `digamma`, in as much time. `vb` and `hdp` keep it: with the other one the same data would
    give other topics in their last bits."""
    value, shift = digamma_parts(x)
    return math.log(value) - shift


@njit(cache=True)
def digamma(x):
    """psi(x) for x > 0, to an absolute 1e-14 times max(1, |psi(x)|).

    The asymptotic series ln y - 1/(2 y) - 1/(12 y^2) + 1/(120 y^4) - ... of y = x, or of y = x + 10
    below 12, less the sum of 1 / (x + i), i < 10 (`_rise`).
    """
    y = x
    shift = 0.0
    if x < 12.0:
        y += 10.0
        above, below = _rise(x)
        shift = (2.0 * x + 9.0) * above / below
    r = 1.0 / (y * y)
    tail = r * (
        1 / 12
        - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12)))))
    )
    return math.log(y) - 0.5 / y - tail - shift


@njit(cache=True)
def digamma_rise(x, n):
    """psi(x + n) - psi(x) for n >= 0, whole or not, to a relative 1e-10 (of a part of a unit, to an
    absolute 1e-13): the sum of 1 / (x + i) for i < n, the tail by its series.
    """
    total = 0.0
    i = 0.0
    while i + 1.0 <= n and x + i < 20.0:
        total += 1.0 / (x + i)
        i += 1.0
    if i < n:
        a = x + i
        b = x + n
        if a < 20.0:  # a part of a unit is left, and the series needs larger numbers
            return total + digamma(b) - digamma(a)
        r = 1.0 / (a * a)
        s = 1.0 / (b * b)
        total += math.log(b / a) - 0.5 * (1.0 / b - 1.0 / a)
        total -= s * (1.0 / 12.0 - s * (1.0 / 120.0 - s / 252.0)) - r * (
            1.0 / 12.0 - r * (1.0 / 120.0 - r / 252.0)
        )
    return total


@njit(cache=True)
def sum_in_order(values):
    """The sum of values, one added after the other. In a parallel function numba makes np.sum
    parallel, too, and its last bit depends on the number of threads."""
    value = 0.0
    for i in range(len(values)):
        value += values[i]
    return value


@njit(cache=True)
def add_in_order(parts, sums):
    """Add the rows of parts to sums, one after the other: the last bit does not depend on the
    number of threads."""
    for part in range(len(parts)):
        for k in range(len(sums)):
            sums[k] += parts[part, k]


@njit(cache=True, inline="always", error_model="numpy")
def log_in_loop(x):
    """log(x) of a normal x > 0, to a unit in the last place; at 0 some number, so that 0 times it
    is 0.

    Without a branch or a call, so that a loop over it becomes vector instructions, which np.log in
    a loop does not. x = 2^e m with m from sqrt(1/2) to sqrt(2); log m by fdlibm's series in s = (m
    - 1) / (m + 1) (Sun Microsystems 1993, e_log.c).
    """
    pattern = bits_of(x)
    exponent = (pattern - _ROOT_HALF) >> 52
    f = of_bits(pattern - (exponent << 52)) - 1.0
    s = f / (2.0 + f)
    z = s * s
    r = 1.818357216161805012e-01 + z * (1.531383769920937332e-01 + z * 1.479819860511658591e-01)
    r = 2.857142874366239149e-01 + z * (2.222219843214978396e-01 + z * r)
    r = z * (6.666666666666735130e-01 + z * (3.999999999940941908e-01 + z * r))
    half = 0.5 * f * f
    e = float(exponent)
    return e * 6.93147180369123816490e-01 - (
        (half - (s * (half + r) + e * 1.90821492927058770002e-10)) - f
    )
