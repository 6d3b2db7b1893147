"""Of the kit: makes its environment from the wheels beside this file, once, and runs the command in
it. The standard library alone; no network, no package index.

The launcher `topograph` calls it with the Python that the kit is made for.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
WHEELS = FOLDER / "wheels"
VENV = FOLDER / "environment"
READY = VENV / "ready"  # written last: an environment that was interrupted is made anew

OTHER_SYSTEM = (
    "This kit of Topograph is for {wanted}; this machine is {found}. Take the kit for it, or build"
    " one there from a clone: make kit."
)
MOVE_KIT = "Move the kit"
NOT_INSTALLED = (
    "The kit's packages could not be installed; the lines above say why. A kit that was copied in"
    " part is the usual reason: compare it with SHA256SUMS, and unpack it again."
)


def main() -> None:
    about = json.loads((FOLDER / "kit.json").read_text(encoding="utf-8"))
    found = f"{sys.platform} {platform.machine()}"
    if found != about["system"]:
        sys.exit(OTHER_SYSTEM.format(wanted=about["system"], found=found))
    # What the program itself asks and says, out of its wheel
    sys.path.insert(0, str(WHEELS / about["wheel"]))
    from webapp.platform import system
    from webapp.platform.local import needs

    refusal = system.refusal(packages_are_installed=True)
    if refusal is not None:
        sys.exit(refusal)
    if not is_ready():
        refusal = needs.refusal_of_packages(FOLDER, MOVE_KIT)
        if refusal is not None:
            sys.exit(refusal)
        install(about["wheel"])
    command = VENV / "bin" / "topograph"
    os.execv(command, [str(command), *sys.argv[1:]])


def identity() -> str:
    """What an environment is made for: it can't be moved, nor run by another Python."""
    return f"{VENV}\n{sys.version}"


def is_ready() -> bool:
    try:
        return READY.read_text(encoding="utf-8") == identity()
    except OSError:
        return False


def install(wheel: str) -> None:
    """Make the environment. Ends the process with a sentence where it can't be made."""
    print(f"Installing Topograph in {VENV} (once, from this kit) …", file=sys.stderr, flush=True)
    try:
        shutil.rmtree(VENV, ignore_errors=True)
        VENV.mkdir()
        python = getattr(sys, "_base_executable", sys.executable)
        # Without pip, as Debian's Python brings it in a package of its own
        subprocess.run([python, "-m", "venv", "--without-pip", str(VENV)], check=True)
        installer = unpack_installer()
        options = ["--offline", "--no-index", "--no-cache", "-q", "-p", str(VENV / "bin/python")]
        locked = [
            "--require-hashes",
            "--find-links",
            str(WHEELS),
            "-r",
            str(FOLDER / "runtime.lock"),
        ]
        call = [str(installer), "pip", "install", *options]
        subprocess.run([*call, "--compile-bytecode", *locked], check=True)
        subprocess.run([*call, "--no-deps", str(WHEELS / wheel)], check=True)
        READY.write_text(identity(), encoding="utf-8")
    except subprocess.CalledProcessError:
        sys.exit(NOT_INSTALLED)
    except OSError as error:
        sys.exit(f"{error}. {NOT_INSTALLED}")


def unpack_installer() -> Path:
    """uv's program, out of its wheel."""
    (packed,) = WHEELS.glob("uv-*.whl")
    program = VENV / "bin" / "uv"
    with zipfile.ZipFile(packed) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/scripts/uv"))
        program.write_bytes(archive.read(name))
    program.chmod(0o755)
    return program


if __name__ == "__main__":
    main()
