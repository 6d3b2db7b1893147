"""The kernels that a wheel carries: `python -m inference.shipping` compiles them, or copies
them where they are kept, into inference/runtime/shipped/, which `make wheel` packs.

They are those of the default engine and of exploring. On an x86-64 machine they are compiled for
x86-64-v3: as fast as for the machine's own processor, with the same bits
(tests/inference/test_processors.py); on a 64-bit ARM for every such processor, which was not
measured. Another processor, Python, numba or numpy compiles its own.

`python -m inference.shipping --add` keeps what the folder has already: where it was copied from
another machine, or made by another Python, one wheel then serves both.
"""

import os
import platform
import subprocess
import sys

from inference.runtime import jit, kernel_files

ADD = "--add"


def target() -> dict[str, str]:
    """The environment in which numba compiles for a wheel: it reads this when it is imported. Empty
    on a machine for which nothing is shipped."""
    family = jit.processor_family()
    if not family:
        return {}
    return {"NUMBA_CPU_NAME": jit.SHIPPED_FOR[family], "NUMBA_CPU_FEATURES": ""}


def main() -> int:
    """Compile the kernels and copy them, in a process with numba set for a wheel; returns the exit
    status."""
    compiled_for = target()
    if not compiled_for:
        print(f"No kernels are shipped for {platform.machine()}: each machine compiles its own.")
        return 0
    if not all(os.environ.get(name) == value for name, value in compiled_for.items()):
        return subprocess.run(
            [sys.executable, "-m", "inference.shipping", *sys.argv[1:]],
            env=os.environ | compiled_for,
        ).returncode
    from inference import compiling

    compiling.usual()
    compiling.rest()
    size = kernel_files.ship(kernel_files.used, add=ADD in sys.argv[1:])
    print(f"{len(kernel_files.used)} kernels, {size / 1e6:.1f} MB, in {kernel_files.SHIPPED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
