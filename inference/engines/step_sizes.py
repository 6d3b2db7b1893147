"""Step sizes of engines whose statistics fade, and how what is stored fades by them."""

from typing import Protocol

# A step size from here on forgets everything before it
STEP_WHOLE = 1.0 - 1e-12
# Values are stored divided by a scale, pi, that falls with each step; below this it is reset to 1,
# so that they stay within float32's precision (Mimno, Hoffman and Blei 2012, Appendix A, last
# lines)
PI_LEAST = 1e-6


class Falling(Protocol):
    """By what step sizes fall: settings of an engine, or its own."""

    @property
    def kappa(self) -> float:
        """From 0 to 1."""

    @property
    def tau0(self) -> float:
        """At least 0."""


def rho(falling: Falling, t: int) -> float:
    """The step size of step t, counted from 1: (tau0 + t)^-kappa (SVI, eq. 26)."""
    return float(falling.tau0 + t) ** -falling.kappa


class Fading:
    """What a state with a scale `pi` can do, whose values are stored divided by it."""

    pi: float

    def fade(self, size: float) -> float:
        """Let what is stored count 1 - size as much. Returns the size; 1 where nothing is left."""
        if size < STEP_WHOLE:
            self.pi *= 1.0 - size
            return size
        self.clear()
        self.pi = 1.0
        return 1.0

    def clear(self) -> None:
        """Let nothing be stored."""
        raise NotImplementedError
