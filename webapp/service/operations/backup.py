"""Backup: a consistent copy of everything, made while the system runs. operations.backup_file
writes its file, operations.restore reads it.

It is made in this order:
1. A lock (bulk.REMOVING_LOCK) keeps partitions and files from being removed until the backup is
   done.
2. Checkpoints of runs at work get a second name (a hard link). So none of them is newer than its
   run's rows in the snapshot.
3. All tables are copied from one snapshot of the database.
4. The files that those rows point to are copied (`listed`).
Not included: the queue, whose messages are sent again, uploads that are still arriving, logs, and
the secret key.
"""

import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from django.conf import settings
from django.db import connection
from django.utils import timezone

from inference import Invalid
from inference.index import Index
from inference.runtime import durable
from inference.runtime.versions import topograph
from inference.text import Stream
from webapp.models import Corpus, Run, Version
from webapp.platform.jobs import kinds
from webapp.platform.storage import bulk, copies, disk, files, sealed
from webapp.platform.storage.s3 import StoreAway
from webapp.service.operations import backup_file

CHUNK = 16 << 20  # bytes of a table's rows in one member, and so in memory
PATIENCE = 120.0  # seconds to wait for a removal that is going on
ONE_BACKUP = (bulk.REMOVING_LOCK[0], 2)  # an advisory lock: one backup at a time
LATER = "Try again in a minute; what can’t be copied now is about to change."


# The files of a backup: those that the rows of its snapshot of the database point to. They never
# change once they have their names, but those of a corpus that grow: of these the first bytes are
# taken, as many as the corpus's row says. A file that is not ready yet is left out, and made again
# after restoring.
AT_WORK = kinds.TRAIN.unfinished_statuses  # of runs that have checkpoints


class BackupFile(NamedTuple):
    """name: its path below files/. size: how many of its first bytes are taken; None: all. content:
    taken in place of the file's. open_stored: gives the file where it is not at `path`, but in the
    store."""

    name: str
    path: Path
    size: int | None = None
    content: bytes | None = None
    open_stored: Callable[[], BinaryIO] | None = None

    def open(self) -> BinaryIO:
        return self.open_stored() if self.open_stored else self.path.open("rb")


class Rows(NamedTuple):
    """What the snapshot says of files."""

    # (id, status, the checkpoint of its token stream, sizes of growing files, documents)
    corpora: list[tuple]
    versions: list[tuple]  # (id,) of those that are ready
    runs: list[tuple]  # (id, status)
    stored: dict[tuple[str, int], list[copies.Stored]]  # by folder and id, what is in the store


def on_record(cursor) -> Rows:
    """Read by a cursor that sees the snapshot."""
    corpora = cursor.execute(
        "SELECT id, status, coalesce(progress -> 'stream', 'null'), coalesce(nullif(progress ->"
        " 'sizes', 'null'), '{}'), coalesce((progress ->> 'documents')::bigint, 0) FROM"
        " webapp_corpus ORDER BY id"
    ).fetchall()
    return Rows(
        [(pk, status, *map(json.loads, progress), n) for pk, status, *progress, n in corpora],
        cursor.execute(
            f"SELECT id FROM webapp_version WHERE status = '{Version.Status.READY}' ORDER BY id"
        ).fetchall(),
        cursor.execute("SELECT id, status FROM webapp_run ORDER BY id").fetchall(),
        sealed.on_record(cursor),
    )


def list_files(rows: Rows, checkpoints: Path) -> Iterator[BackupFile]:
    """All files that the rows point to. checkpoints: a folder with those of runs at work, named by
    the runs' numbers."""
    for row in rows.corpora:
        yield from _corpus_files(*row)
    for (pk,) in rows.versions:
        yield from _all_and_stored(files.version_folder(pk), rows.stored.get(("versions", pk), []))
    for pk, status in rows.runs:
        checkpoint = checkpoints / str(pk)
        stored = rows.stored.get(("runs", pk), [])
        if status not in AT_WORK:
            yield from _all_and_stored(files.run_folder(pk), stored)
        elif checkpoint.exists():
            yield BackupFile(_below(files.run_folder(pk) / "checkpoint"), checkpoint)
        else:
            yield from chain.from_iterable(
                _stored_files(stored_item)
                for stored_item in stored
                if stored_item.item.name == "checkpoint"
            )


def _corpus_files(
    pk: int, status: str, stream: dict | None, sizes: dict, documents: int
) -> Iterator[BackupFile]:
    """The files of a corpus; of one that is not ready only those that it is read from."""
    folder = files.corpus_folder(pk)
    if status != Corpus.Status.READY:
        yield from _all(folder / "source")
        yield from _all(folder / "arriving")
        yield from (
            BackupFile(_below(path), path)
            for path in (folder / "numbers.npy", folder / "truth.npz")
            if path.exists()
        )
        return
    ends = sizes | (Stream.sizes(stream, "tokens/") if stream else {})
    indexed = (
        Index.size(folder / "index") == documents
    )  # else it covers more documents than the rows
    for path in _walk(folder):
        name = path.relative_to(folder).as_posix()
        # Documents have come since the snapshot
        if name == "tokens/checkpoint.json" and stream and json.loads(path.read_bytes()) != stream:
            yield BackupFile(_below(path), path, content=json.dumps(stream).encode())
        elif not name.startswith("index/") or indexed:
            yield BackupFile(_below(path), path, ends.get(name))


def _all_and_stored(folder: Path, stored: list[copies.Stored]) -> Iterator[BackupFile]:
    """What is in the store is taken from there: a copy of it may go at any time."""
    names = {stored_item.item.name for stored_item in stored}
    yield from (
        file for file in _all(folder) if file.path.relative_to(folder).parts[0] not in names
    )
    yield from chain.from_iterable(map(_stored_files, stored))


def _stored_files(stored: copies.Stored) -> Iterator[BackupFile]:
    for name, size, digest in stored.files:
        path = stored.item.path / name if name else stored.item.path
        yield BackupFile(
            _below(path),
            path,
            size,
            open_stored=partial(sealed.open_stored, stored, name, size, digest),
        )


def _all(folder: Path) -> Iterator[BackupFile]:
    return (BackupFile(_below(path), path) for path in _walk(folder))


def _below(path: Path) -> str:
    return path.relative_to(settings.FILES).as_posix()


def _walk(folder: Path) -> Iterator[Path]:
    """Files in a folder, in order, without temporary ones and those of a draft's preview."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    for entry in entries:
        # Files that are being written, and folders of a corpus that are made again
        if entry.name.endswith((".new", ".new.npz")) or entry.name in ("sample", "shaping"):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path))
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path)


class Progress(NamedTuple):
    """What is in the backup so far; `of`: the bytes that are expected, uncompressed."""

    bytes: int
    of: int
    rows: int
    files: int


def name() -> str:
    """The file name of a backup that is made now."""
    return f"topograph-{timezone.now():%Y%m%d-%H%M%S}.tar.zst"


def make(
    path: Path,
    tell: Callable[[Progress], None] = lambda progress: None,
    snapshot: Callable[[str], None] = lambda name: None,
) -> Progress:
    """Write a backup to `path`, which appears when it is complete. Raises Invalid where that can't
    be done now.

    tell: called some times a second. snapshot: called with the name of the database's snapshot,
    while that can be read.
    """
    if not settings.SOURCES:
        raise Invalid(
            "file",
            "This machine does not see the uploaded files (TOPOGRAPH_SOURCES=0). Make the backup on"
            " one that does.",
        )
    partial = path.with_name(f".{path.name}.partial")
    with _lock(), _checkpoints() as checkpoints:
        try:
            with (
                os.fdopen(
                    os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb"
                ) as file,
                ExitStack() as ended,
            ):
                copying = _Copying(file, tell, ended)
                with _snapshot() as snapshot_name:
                    snapshot(snapshot_name)
                    rows = copying.database(snapshot_name)
                copying.files(list_files(rows, checkpoints))
                copying.writer.close()
            durable.sync(partial)
            partial.replace(path)
            durable.sync(path.parent)
            return copying.progress
        except backup_file.Changed as error:
            raise Invalid(
                "file", f"A file changed while it was copied ({error}). {LATER}"
            ) from None
        except StoreAway as error:
            raise Invalid(
                "file", f"A file could not be read from {settings.STORE}: {error}"
            ) from None
        finally:
            partial.unlink(missing_ok=True)


@contextmanager
def _lock() -> Iterator[None]:
    """It lasts as long as its connection, as does `_snapshot`."""
    with closing(connection.copy()) as second_connection, second_connection.cursor() as cursor:
        if not cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", ONE_BACKUP).fetchone()[0]:
            raise Invalid("file", "Another backup is being made. Wait until it is done.")
        deadline = time.monotonic() + PATIENCE
        while not cursor.execute(
            "SELECT pg_try_advisory_lock(%s, %s)", bulk.REMOVING_LOCK
        ).fetchone()[0]:
            if time.monotonic() > deadline:
                raise Invalid(
                    "file",
                    f"Something is being deleted for more than {PATIENCE:.0f} s. Try again later.",
                )
            time.sleep(0.1)
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock_all()")


@contextmanager
def _checkpoints() -> Iterator[Path]:
    """A folder with the present checkpoints of runs at work, named by the runs' numbers."""
    # ingest.uploads tidies up there after a kill.
    folder = settings.FILE_UPLOAD_TEMP_DIR / f"backup-{secrets.token_hex(8)}"
    folder.mkdir()
    try:
        for pk in Run.everything.filter(status__in=AT_WORK).values_list("pk", flat=True).iterator():
            with suppress(FileNotFoundError):
                _link(files.run_folder(pk) / "checkpoint", folder / str(pk))
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except PermissionError:  # a file system without hard links
        shutil.copyfile(source, target)


@contextmanager
def _snapshot() -> Iterator[str]:
    with closing(connection.copy()) as second_connection, second_connection.cursor() as cursor:
        cursor.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield cursor.execute("SELECT pg_export_snapshot()").fetchone()[0]
        cursor.execute("COMMIT")


@contextmanager
def _cursor_on_snapshot(other, snapshot: str) -> Iterator:
    """A cursor that sees the snapshot. Each table gets a transaction of its own, which releases the
    table's lock."""
    with other.cursor() as cursor:
        cursor.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
        yield cursor
        cursor.execute("COMMIT")


class _Copying:
    """Copies the database, then files, into an archive. closing: closes the archive's writer."""

    def __init__(self, file: BinaryIO, tell: Callable[[Progress], None], closing: ExitStack):
        self.file = file
        self.tell = tell
        self.closing = closing
        self.told_at = 0.0
        self.progress = Progress(0, 0, 0, 0)
        self.writer: backup_file.Writer

    def _add(self, **more) -> None:
        """Add to the progress, and tell it now and then."""
        self.progress = self.progress._replace(
            **{name: getattr(self.progress, name) + value for name, value in more.items()}
        )
        if time.monotonic() - self.told_at > 0.25:
            self.told_at = time.monotonic()
            self.tell(self.progress)

    def database(self, snapshot: str) -> Rows:
        with closing(connection.copy()) as second_connection:
            with _cursor_on_snapshot(second_connection, snapshot) as cursor:
                tables = bulk.tables(cursor)
                rows = on_record(cursor)
                self._add(of=_size(cursor))
                self.writer = self.closing.enter_context(
                    backup_file.Writer(self.file, _head(cursor, tables))
                )
            for table in tables:
                with _cursor_on_snapshot(second_connection, snapshot) as cursor:
                    self._table(cursor, table)
        return rows

    def _table(self, cursor, table: bulk.DatabaseTable) -> None:
        """Copy a table's rows, some megabytes a member; a table without rows has no member."""
        rows = 0
        part = 0
        waiting = []
        size = 0
        with closing(bulk.rows_out(cursor, table)) as blocks:
            for block in blocks:
                waiting.append(block)
                size += len(block)
                rows += block.count(b"\n")  # in a value it is written \\n
                if size >= CHUNK:
                    self._part(table, part, waiting)
                    part = part + 1
                    waiting = []
                    size = 0
        if waiting:
            self._part(table, part, waiting)
        self.writer.table(table.name, rows)
        self._add(rows=rows)

    def _part(self, table: bulk.DatabaseTable, part: int, blocks: list[bytes]) -> None:
        content = b"".join(blocks)
        self.writer.add_bytes(f"rows/{table.name}/{part:06d}", content)
        self._add(bytes=len(content))

    def files(self, files: Iterator[BackupFile]) -> None:
        for file in files:
            if file.content is not None:
                self.writer.add_bytes(f"files/{file.name}", file.content)
                self._add(files=1)
                continue
            try:
                content = file.open()
            except FileNotFoundError:
                if "/index/" in file.name:  # it is being made anew; restoring makes it, too
                    continue
                raise Invalid(
                    "file", f"{file.name} is missing, which the database points to. {LATER}"
                ) from None
            with content:
                size = os.fstat(content.fileno()).st_size if file.size is None else file.size
                self.writer.add(f"files/{file.name}", size, content)
                self._add(bytes=size)
            self._add(files=1)


def _size(cursor) -> int:
    """About how many bytes the backup has, uncompressed."""
    (tables,) = cursor.execute(
        "SELECT coalesce(sum(pg_table_size(oid)), 0) FROM pg_class WHERE relkind = 'r' AND"
        " relnamespace = 'public'::regnamespace"
    ).fetchone()
    (stored,) = cursor.execute(
        "SELECT coalesce(sum(size), 0) FROM webapp_sealed WHERE kind <> 'corpora'"
    ).fetchone()
    bytes_of_files = sum(file.st_size for file in disk.files_below(settings.FILES))
    return int(tables) + int(stored) - copies.bytes_kept() + bytes_of_files


def _head(cursor, tables: list[bulk.DatabaseTable]) -> dict:
    migrations = cursor.execute("SELECT app, name FROM django_migrations ORDER BY id").fetchall()
    sequences = cursor.execute(  # of now, not of the snapshot, so that no number is used twice
        "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public' AND"
        " last_value IS NOT NULL"
    ).fetchall()
    partitions: dict[str, dict] = {}
    for table in tables:
        if table.parent:
            partition = partitions.setdefault(table.parent, {"columns": table.columns, "keys": []})
            partition["keys"].append(int(table.name.removeprefix(f"{table.parent}_")))
    return {
        "made": timezone.now().isoformat(),
        "topograph": topograph(),
        "postgres": cursor.execute("SHOW server_version").fetchone()[0],
        "migrations": [list(row) for row in migrations],
        "sequences": dict(sequences),
        "tables": {table.name: table.columns for table in tables if not table.parent},
        "partitions": partitions,
    }
