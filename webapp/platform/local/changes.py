"""Whether something was done already by the same code: a start skips then what it would do in
vain."""

import sysconfig
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from webapp.platform.local.package import ROOT


def digest(sources: Iterable[Path], *further: object) -> str:
    """A hash of some files of ours, of the names and versions of all installed packages, and of
    other values."""
    digest_of_others = sha256(repr(further).encode())
    for path in sorted(sources):
        digest_of_others.update(f"\n{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    packages = Path(sysconfig.get_path("purelib")).glob("*.dist-info")
    digest_of_others.update("\n".join(sorted(path.name for path in packages)).encode())
    return digest_of_others.hexdigest()
