"""The kernels that a wheel carries: `python -m inference.shipping` compiles them, or copies
them where they are kept, into inference/runtime/shipped/, which `make wheel` packs.

They are those of the default engine and of exploring, compiled for x86-64-v3: as fast as for the
machine's own processor, with the same bits (tests/inference/test_processors.py). Another processor,
Python, numba or numpy compiles its own.
"""

import os
import subprocess
import sys
import warnings

from numba.core.errors import NumbaPerformanceWarning

from inference.runtime import jit, kernel_files

# Which numba reads when it is imported
TARGET = {
    "NUMBA_CPU_NAME": jit.SHIPPED_FOR,
    "NUMBA_CPU_FEATURES": "",
}


def main() -> int:
    if not all(os.environ.get(name) == value for name, value in TARGET.items()):
        return subprocess.run(
            [sys.executable, "-m", "inference.shipping"], env=os.environ | TARGET
        ).returncode
    from inference import compiling

    # Of kernels that one thread is meant to run: who builds a release has nothing to do about it
    warnings.simplefilter("ignore", NumbaPerformanceWarning)
    compiling.usual()
    compiling.rest()
    size = kernel_files.ship(kernel_files.used)
    print(f"{len(kernel_files.used)} kernels, {size / 1e6:.1f} MB, in {kernel_files.SHIPPED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
