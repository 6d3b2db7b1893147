"""Verify a deposit on another machine: one with another processor, kernel and Python, and neither
packages nor a network.

    .venv/bin/python -m tests.elsewhere DEPOSIT.zip

It is an ARM machine that QEMU emulates, with the kernel, Python and busybox of Debian (60 MB,
fetched from its mirror and compared with the hashes of its list). It verifies the deposit as it is,
then with one byte changed in one file; the last line is `failed: N`. It needs qemu-system-aarch64,
dpkg-deb and cpio (packages qemu-system-arm, dpkg and cpio of Debian).
"""

import hashlib
import lzma
import re
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from pathlib import Path

MIRROR = "http://deb.debian.org/debian/"
RELEASE = "trixie"
KERNEL = "linux-image-cloud-arm64"
PACKAGES = "python3-minimal libpython3-stdlib busybox-static".split()
LIMIT = 300  # seconds
INIT = """#!/bin/busybox sh
export PATH=/usr/bin PYTHONDONTWRITEBYTECODE=1
/bin/busybox mount -t proc proc /proc
/bin/busybox uname -a
python3 --version
python3 /deposit/verify.py; echo "as it was made: exit code $?"
echo x >> /deposit/index.html
python3 /deposit/verify.py; echo "with a byte more: exit code $?"
/bin/busybox poweroff -f
"""


def packages() -> dict[str, dict[str, str]]:
    """Those of the release, by name."""
    with urllib.request.urlopen(f"{MIRROR}dists/{RELEASE}/main/binary-arm64/Packages.xz") as answer:
        listed = lzma.decompress(answer.read()).decode().split("\n\n")
    fields = (dict(re.findall(r"^([A-Z][\w-]*): (.*)$", package, re.M)) for package in listed)
    return {package["Package"]: package for package in fields if package}


def needed(names: list[str], listed: dict[str, dict[str, str]]) -> set[str]:
    """Those packages and all that they depend on; of alternatives the first."""
    found = set[str]()
    left = list(names)
    while left:
        name = left.pop()
        if name in listed and name not in found:
            found.add(name)
            depends = f"{listed[name].get('Depends', '')}, {listed[name].get('Pre-Depends', '')}"
            left += [
                re.split(r"[ |:(]", one.strip())[0] for one in depends.split(",") if one.strip()
            ]
    return found


def unpack(package: dict[str, str], folder: Path) -> None:
    with urllib.request.urlopen(MIRROR + package["Filename"]) as answer:
        content = answer.read()
    if hashlib.sha256(content).hexdigest() != package["SHA256"]:
        raise SystemExit(f"{package['Filename']} is not what the mirror's list says.")
    with tempfile.NamedTemporaryFile(suffix=".deb") as file:
        file.write(content)
        file.flush()
        subprocess.run(["dpkg-deb", "-x", file.name, folder], check=True)


def main(deposit: Path) -> int:
    listed = packages()
    with tempfile.TemporaryDirectory() as made:
        root = Path(made, "root")
        boot = Path(made, "boot")
        (root / "usr/bin").mkdir(parents=True)
        for name in ("bin", "sbin", "lib"):
            (root / "usr" / name).mkdir(exist_ok=True)
            (root / name).symlink_to(f"usr/{name}")
        for name in ("proc", "dev", "deposit"):
            (root / name).mkdir()
        for name in needed(PACKAGES, listed):
            unpack(listed[name], root)
        kernel = listed[KERNEL]["Depends"].split(" ")[0]
        unpack(listed[kernel], boot)
        with zipfile.ZipFile(deposit) as archive:
            archive.extractall(root / "deposit")
        (root / "init").write_text(INIT)
        (root / "init").chmod(0o755)
        files = "".join(f"{path.relative_to(root)}\n" for path in sorted(root.rglob("*")))
        with Path(made, "initrd").open("wb") as file:
            subprocess.run(
                ["cpio", "-o", "-H", "newc", "--quiet"],
                cwd=root,
                input=files.encode(),
                stdout=file,
                check=True,
            )
        command = "qemu-system-aarch64 -M virt -cpu cortex-a72 -m 2G -nographic -nic none -no-reboot".split()
        command += ["-kernel", str(next(boot.glob("boot/vmlinuz-*"))), "-initrd", f"{made}/initrd"]
        command += ["-append", "console=ttyAMA0 quiet panic=-1"]
        said = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT
        ).stdout
    print(said)
    expected = [
        "as it was made: exit code 0",
        "with a byte more: exit code 1",
        "CHANGED  index.html",
    ]
    failed = sum(sentence not in said for sentence in expected)
    print(f"failed: {failed}")
    return failed


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
