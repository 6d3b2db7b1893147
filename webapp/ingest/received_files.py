"""The files of an upload that have come to this machine: in the corpus's folder `arriving/`, until each has a row
(source_files).

`link` takes a moment, whatever their number and size: every file gets a second name there, and a line in
`arriving/list.jsonl`.
"""

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from inference.errors import Invalid
from webapp import readers
from webapp.models import Corpus
from webapp.storage import bulk, files

# What can be stored while somebody waits for the answer, a second at most: uploads, bytes of packs, bytes that are
# still to be hashed.
FEW, FEW_PACKED, FEW_UNHASHED = 500, 4 << 20, 128 << 20


class ReceivedFile(NamedTuple):
    """A file that has come to this machine: its name as the user knows it, and where it is now."""

    name: str
    path: Path
    sha256: str = ""  # where it is known
    pack: bool = False  # a tar file of many small ones
    stays: bool = False  # where it is, beside the name that it gets in a corpus; else it is moved


class Unusable(Invalid):
    """Files that came, and of which nothing can be made."""

    def __init__(self, sentence: str):
        super().__init__("files", sentence)


def check_not_empty(first: str | None, size: int | None) -> None:
    """Raises Unusable where no file came (`first`, a name, is None), or all that came are empty. size: bytes of them
    together."""
    if first is None:
        raise Unusable(f"No file arrived. Choose at least one. {readers.formats.sentence()}")
    if not size:
        raise Unusable(f"{first} is empty (0 bytes). Choose a file that has text in it.")


def link(corpus: Corpus, received: Iterable[ReceivedFile]) -> None:
    """Give a new corpus the received files, in the transaction that makes its row."""
    arriving = folder(corpus)
    arriving.mkdir(parents=True)
    with (arriving / "list.jsonl").open("w", encoding="utf-8") as notes:
        for i, file in enumerate(received):
            path = f"{arriving}/{i}"
            if file.stays:
                os.link(file.path, path)
            else:
                _move(file.path, path)
            os.chmod(path, 0o600)
            notes.write(json.dumps([file.name, file.sha256, file.pack]) + "\n")


def _move(path: Path, to: str) -> None:
    try:
        os.rename(path, to)
    except OSError:  # from another disk
        shutil.move(path, to)


def takes_long(received: list[ReceivedFile]) -> bool:
    """Whether storing them is nothing to wait for."""
    packed = sum(u.path.stat().st_size for u in received if u.pack)
    unhashed = sum(u.path.stat().st_size for u in received if not u.pack and not u.sha256)
    return len(received) > FEW or packed > FEW_PACKED or unhashed > FEW_UNHASHED


def folder(corpus: Corpus) -> Path:
    return files.corpus_folder(corpus.pk) / "arriving"


def remove(corpus: Corpus) -> None:
    """Remove the received files once all are stored; a backup that is made meanwhile may need it."""
    with bulk.removing() as may:
        if may:
            shutil.rmtree(folder(corpus), ignore_errors=True)


def remove_stored(corpus: Corpus, first: int, end: int) -> None:
    """Received files that are stored, but while a backup is made: its rows may not say so yet."""
    if first < end:
        with bulk.removing() as may:
            for i in range(first, end) if may else ():
                (folder(corpus) / str(i)).unlink(missing_ok=True)
