"""Sweeps by a clock of the test's own: what takes half a minute takes none."""

from collections.abc import Callable

from webapp.jobs import claims

EVERY = 5.0  # seconds, as tasks.worker_heartbeat does
STALE = claims.STALE.total_seconds()


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def sweep_for(seconds: float, between: Callable[[], object] = lambda: None) -> None:
    """Look on for so long, by one sweep; `between` two looks something may happen."""
    clock = Clock()
    sweep = claims.Sweep(clock)
    while clock.now < 1000 + seconds:
        sweep()
        between()
        clock.now += EVERY
    sweep()
