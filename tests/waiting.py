"""Waiting for what another process does."""

import time
from collections.abc import Callable


def until(
    condition: Callable[[], object],
    seconds: float = 150,
    told: Callable[[], str] = lambda: "it did not come so far in time",
) -> None:
    """told: what a failure says."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, told()
        time.sleep(0.05)
