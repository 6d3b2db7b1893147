"""What stands for inference.compiling in tests of the start."""

import time


def done() -> None:
    pass


def failing() -> None:
    raise RuntimeError("no compiler here")


def slow() -> None:
    time.sleep(0.6)
