"""Packs: tar files that the page makes of many small files, so that they travel together."""

import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from webapp.ingest.file_names import clean
from webapp.ingest.received_files import Unusable
from webapp.readers import tars


class PackedFile(NamedTuple):
    number: int  # among the pack's files, from 1
    name: str
    bytes: bytes


def packed_files(path: Path, done: int = 0) -> Iterator[PackedFile]:
    """The files of a pack behind the first `done`. Their names are data, so nothing of them becomes a path; links and
    devices are no files.

    Raises Unusable where it can't be opened.
    """
    number = 0
    try:
        with path.open("rb") as file:
            for tar, info in tars.members(file, path.stat().st_size):
                if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or info.issparse():
                    continue
                number += 1
                if number > done:
                    yield PackedFile(number, clean(info.name), tar.extractfile(info).read())
    except tarfile.TarError as error:
        raise Unusable(f"A pack of small files could not be opened ({error}). Choose the files again.") from error
