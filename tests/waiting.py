"""Waiting for what another process does."""

import time
from collections.abc import Callable


def until(
    condition: Callable[[], object],
    seconds: float = 150,
    told: Callable[[], str] = lambda: "it did not come so far in time",
    look: float = 0.05,
) -> None:
    """told: what a failure says. look: seconds between two looks: each that asks for a page costs
    the system that is waited for as much as a person's."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, told()
        time.sleep(look)
