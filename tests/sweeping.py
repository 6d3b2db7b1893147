"""Sweeps by a clock of the test's own: what takes half a minute takes none."""

from collections.abc import Callable

from webapp.platform.jobs import claims, sweep

STALE = claims.STALE.total_seconds()
FROZEN = claims.FROZEN.total_seconds()


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def sweep_for(seconds: float, between: Callable[[], object] = lambda: None) -> None:
    """Look on for so long, by one sweep; `between` two looks something may happen."""
    clock = Clock()
    look = sweep.Sweep(clock)
    while clock.now < 1000 + seconds:
        look()
        between()
        clock.now += sweep.INTERVAL
    look()
