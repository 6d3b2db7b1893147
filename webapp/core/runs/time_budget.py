"""How often a training may do something beside training."""

import time


class TimeBudget:
    """Bounds how often something is done, so that it takes at most `share` of the time. `with` it
    measures each time."""

    def __init__(self, share: float):
        self.share = share
        self.ended = time.monotonic()
        self.seconds = 0.0

    def allows(self) -> bool:
        return time.monotonic() - self.ended >= self.seconds / self.share

    def __enter__(self):
        self.began = time.monotonic()

    def __exit__(self, *_):
        self.ended = time.monotonic()
        self.seconds = self.ended - self.began
