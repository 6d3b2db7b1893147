"""What the numbers of findings share, as the overview's JSON has them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ShareBetween:
    """A share and the ends of its interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class RatioBetween:
    """How many times as much; null where that is not finite, or not known."""

    ratio: float | None
    low: float | None
    high: float | None
