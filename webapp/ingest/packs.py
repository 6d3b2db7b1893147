"""Packs: tar files that the page makes of many small files, so that they travel together."""

import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from inference.errors import Invalid
from webapp.ingest.file_names import clean


class PackedFile(NamedTuple):
    number: int  # among the pack's files, from 1
    name: str
    bytes: bytes


def packed_files(path: Path, done: int = 0) -> Iterator[PackedFile]:
    """The files of a pack behind the first `done`. Their names are data, so nothing of them becomes a path; links and
    devices are no files.

    Raises Invalid where it can't be opened.
    """
    try:
        with tarfile.open(path, "r:") as pack:
            number = 0
            while member := pack.next():
                pack.members.clear()  # or it keeps them all
                if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or member.issparse():
                    continue
                number += 1
                if number > done:
                    yield PackedFile(number, clean(member.name), pack.extractfile(member).read())
    except tarfile.TarError as error:
        raise Invalid(
            "files", f"A pack of small files could not be opened ({error}). Choose the files again."
        ) from error
