"""What stands for inference.compiling in tests of the start."""

import os

from inference.runtime import kernel_files


def usual() -> None:
    if os.environ.get("TOPOGRAPH_TEST_FAILS"):
        raise RuntimeError("no compiler here")
    kernel_files.write("kernel", b"")


def rest() -> None:
    kernel_files.write("another", b"")
