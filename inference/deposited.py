"""Whether the files of a deposit are as they were deposited: `python3 verify.py [FOLDER]`, by
default the folder of this file. It needs Python's standard library alone: every deposit has a copy
of it."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

# of a deposit: sha256 and path of each other file, as sha256sum writes and checks them
LIST = "manifest-sha256.txt"
CHUNK = 1 << 20  # bytes read at a time: files may be larger than memory


def sha256(path: Path) -> str:
    """The hash of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(CHUNK), b""):
            digest.update(block)
    return digest.hexdigest()


def compared(folder: Path) -> tuple[int, list[str], list[str]]:
    """How many files are listed; what is wrong, in sentences; files that are not listed. Raises
    OSError without a list."""
    lines = (folder / LIST).read_text("utf-8").splitlines()
    expected: dict[str, str] = {}  # the digest of each file
    for line in lines:
        digest, _, name = line.partition("  ")
        expected[name] = digest
    paths = [path for path in folder.rglob("*") if path.is_file()]
    present = {path.relative_to(folder).as_posix() for path in paths}
    wrong = [f"MISSING  {name}" for name in sorted(expected.keys() - present)]
    for name in sorted(expected.keys() & present):
        digest = sha256(folder / name)
        if digest != expected[name]:
            wrong.append(f"CHANGED  {name}: its sha256 was {expected[name]} and is now {digest}")
    return len(expected), wrong, sorted(present - expected.keys() - {LIST})


def main(folder: Path) -> int:
    """Says what holds; 0 where every file is as it was."""
    try:
        count, wrong, unlisted = compared(folder)
    except OSError as error:
        print(f"This folder is no deposit, or its list of files can't be read: {error}.")
        return 2
    verdict = (
        f"The deposit is NOT as it was made. Files that changed or are missing: {len(wrong)} of"
        f" {count}."
    )
    if count and not wrong:
        verdict = (
            f"All {count} files are as they were when the deposit was made.\nWho changes a file can"
            f" change the list of files, too. Its sha256 is {sha256(folder / LIST)}:\ncompare that"
            " with the one that was published, where there is one."
        )
    print(
        "\n".join(
            [*wrong, *(f"Note: {name} is not a part of the deposit." for name in unlisted), verdict]
        )
    )
    return int(bool(wrong) or not count)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent))
