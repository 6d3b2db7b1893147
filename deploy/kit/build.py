"""One archive with which Topograph starts on a machine without a network:

    .venv/bin/python -m deploy.kit.build [FOLDER]

It holds the wheel that lies in dist/ (`make wheel`), every locked package as a wheel for this
system and this Python, uv, and the launcher `topograph`. It is written to FOLDER (dist/) as
topograph-VERSION-SYSTEM-MACHINE-pyVERSION.tar.
"""

import json
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ROOT / "requirements"
BESIDE = ("topograph", "begin.py")  # what the kit has of this folder
# A kit is made by one Python 3.11 and used by others: Debian 12 has 3.11.2, which needs a package
# that 3.11.3 has by itself
OF_SMALL_VERSIONS = re.compile(r" ; python_full_version < '[\d.]+'(?= \\$)", re.MULTILINE)
NO_WHEEL = "There is no wheel in {folder}. Build it first: make wheel."
NO_PACKAGES = (
    "The locked packages could not be fetched: see the lines above. A kit is built where a package"
    " index can be reached, and used where none can."
)


def kit_name(version: str) -> str:
    system = {"darwin": "macos"}.get(sys.platform, sys.platform)
    python = "py{}{}".format(*sys.version_info[:2])
    return f"topograph-{version}-{system}-{platform.machine()}-{python}"


def newest_wheel(folder: Path) -> Path:
    """The project's own, built last. Ends the process where there is none."""
    wheels = sorted(folder.glob("topograph-*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        sys.exit(NO_WHEEL.format(folder=folder))
    return wheels[-1]


def fetch(wheels: Path) -> None:
    """Every locked package and uv, as pip finds them for this system."""
    lock = wheels.parent / "runtime.lock"
    for_all = wheels.parent / "fetched.lock"
    for_all.write_text(
        OF_SMALL_VERSIONS.sub("", lock.read_text(encoding="utf-8")), encoding="utf-8"
    )
    call = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "download"]
    call += ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-d", str(wheels)]
    for listed in (for_all, LOCKS / "installer.lock"):
        if subprocess.run([*call, "-r", str(listed)]).returncode:
            sys.exit(NO_PACKAGES)
    for_all.unlink()


def build(wheel: Path, target: Path) -> Path:
    """The archive around a wheel of ours, in the folder `target`."""
    version = wheel.name.split("-")[1]
    name = kit_name(version)
    target.mkdir(parents=True, exist_ok=True)
    archive = target / f"{name}.tar"
    with tempfile.TemporaryDirectory() as place:
        kit = Path(place, name)
        wheels = kit / "wheels"
        wheels.mkdir(parents=True)
        for file in BESIDE:
            shutil.copy(Path(__file__).with_name(file), kit)
        for file in ("LICENSE", "NOTICE", "requirements/runtime.lock"):
            shutil.copy(ROOT / file, kit)
        fetch(wheels)
        shutil.copy(wheel, wheels)
        about = {"system": f"{sys.platform} {platform.machine()}", "wheel": wheel.name}
        (kit / "kit.json").write_text(json.dumps(about) + "\n", encoding="utf-8")
        python = "{}.{}\n".format(*sys.version_info[:2])
        (kit / "python-version").write_text(python, encoding="utf-8")
        unfinished = archive.with_suffix(".new")
        # The wheels are compressed already
        with tarfile.open(unfinished, "w") as packed:
            packed.add(kit, name, filter=without_owner)
        unfinished.replace(archive)
    return archive


def without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def main(arguments: list[str]) -> None:
    target = Path(arguments[0]) if arguments else ROOT / "dist"
    archive = build(newest_wheel(ROOT / "dist"), target)
    print(f"{archive} ({archive.stat().st_size / 1e6:.0f} MB)")


if __name__ == "__main__":
    main(sys.argv[1:])
