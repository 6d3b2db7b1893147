"""The files of a backup: those that the rows of its snapshot of the database point to.

They never change once they have their names, but those of a corpus that grow: of these the first bytes are taken, as
many as the corpus's row says. A file that is not ready yet is left out, and made again after restoring.
"""

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from django.conf import settings

from inference.index import Index
from inference.text import Stream
from webapp.models import Corpus, Version
from webapp.storage import files, sealed
from webapp.storage.copies import Stored

AT_WORK = ("queued", "running", "storing")  # statuses of runs that have checkpoints
TEMPORARY = (".new", ".new.npz")  # endings of files that are being written
DERIVED = ("sample", "shaping")  # folders of a corpus that are made again


class BackupFile(NamedTuple):
    """name: its path below files/. size: how many of its first bytes are taken; None: all. content: taken in place of
    the file's. reader: gives the file where it is not at `path`, but in the store."""

    name: str
    path: Path
    size: int | None = None
    content: bytes | None = None
    reader: Callable[[], BinaryIO] | None = None

    def open(self) -> BinaryIO:
        return self.reader() if self.reader else self.path.open("rb")


class Rows(NamedTuple):
    """What the snapshot says of files."""

    corpora: list[tuple]  # (id, status, the checkpoint of its token stream, sizes of growing files, documents)
    versions: list[tuple]  # (id,) of those that are ready
    runs: list[tuple]  # (id, status)
    stored: dict[tuple[str, int], list[Stored]]  # by folder and id, what is in the store


def rows(cursor) -> Rows:
    """Read by a cursor that sees the snapshot."""
    cursor.execute(
        "SELECT id, status, progress -> 'stream', progress -> 'sizes', coalesce((progress ->> 'documents')::bigint, 0)"
        " FROM webapp_corpus ORDER BY id"
    )
    corpora = [
        (pk, status, _json(stream), _json(sizes) or {}, documents)
        for pk, status, stream, sizes, documents in cursor.fetchall()
    ]
    cursor.execute("SELECT id FROM webapp_version WHERE status = %s ORDER BY id", [Version.Status.READY])
    versions = cursor.fetchall()
    cursor.execute("SELECT id, status FROM webapp_run ORDER BY id")
    return Rows(corpora, versions, cursor.fetchall(), sealed.on_record(cursor))


def _json(value):
    return json.loads(value) if isinstance(value, str) else value


def listed(rows: Rows, checkpoints: Path) -> Iterator[BackupFile]:
    """All files that the rows point to. checkpoints: a folder with those of runs at work, named by the runs'
    numbers."""
    for row in rows.corpora:
        yield from _corpus_files(*row)
    for (pk,) in rows.versions:
        yield from _all_and_stored(files.version_folder(pk), rows.stored.get(("versions", pk), []))
    for pk, status in rows.runs:
        checkpoint, stored = checkpoints / str(pk), rows.stored.get(("runs", pk), [])
        if status not in AT_WORK:
            yield from _all_and_stored(files.run_folder(pk), stored)
        elif checkpoint.exists():
            yield BackupFile(_below(files.run_folder(pk) / "checkpoint"), checkpoint)
        else:
            yield from chain.from_iterable(_stored(each) for each in stored if each.item.name == "checkpoint")


def _corpus_files(pk: int, status: str, stream: dict | None, sizes: dict, documents: int) -> Iterator[BackupFile]:
    """Of a corpus that is not ready only the files that it is read from."""
    folder = files.corpus_folder(pk)
    if status != Corpus.Status.READY:
        yield from _all(folder / "source")
        yield from _all(folder / "arriving")
        yield from _if_there(folder / "numbers.npy")
        yield from _if_there(folder / "truth.npz")
        return
    ends = sizes | (Stream.sizes(stream, "tokens/") if stream else {})
    indexed = Index.size(folder / "index") == documents  # else it covers more documents than the rows
    for path in _walk(folder):
        name = path.relative_to(folder).as_posix()
        # Documents have come since the snapshot
        if name == "tokens/checkpoint.json" and stream and json.loads(path.read_bytes()) != stream:
            yield BackupFile(_below(path), path, content=json.dumps(stream).encode())
        elif not name.startswith("index/") or indexed:
            yield BackupFile(_below(path), path, ends.get(name))


def _all_and_stored(folder: Path, stored: list[Stored]) -> Iterator[BackupFile]:
    """What is in the store is taken from there: a copy of it may go at any time."""
    names = {each.item.name for each in stored}
    for file in _all(folder):
        if file.path.relative_to(folder).parts[0] not in names:
            yield file
    for each in stored:
        yield from _stored(each)


def _stored(stored: Stored) -> Iterator[BackupFile]:
    for name, size, digest in stored.files:
        path = stored.item.path / name if name else stored.item.path
        yield BackupFile(_below(path), path, size, reader=partial(sealed.reader, stored, name, size, digest))


def _all(folder: Path) -> Iterator[BackupFile]:
    return (BackupFile(_below(path), path) for path in _walk(folder))


def _if_there(path: Path) -> Iterator[BackupFile]:
    if path.exists():
        yield BackupFile(_below(path), path)


def _below(path: Path) -> str:
    return path.relative_to(settings.FILES).as_posix()


def _walk(folder: Path) -> Iterator[Path]:
    """Files in a folder, in order, without temporary ones and those of a draft's preview."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.name.endswith(TEMPORARY) or entry.name in DERIVED:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path))
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
