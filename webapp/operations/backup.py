"""A consistent copy of everything, made while the system runs: operations.archive is its file, operations.restore takes it up.

What it rests on, in this order:
1. A lock (bulk.REMOVING) that keeps partitions and files from being taken away until it is done.
2. Checkpoints of runs that are at work get a second name (a hard link), before:
3. One snapshot of the database, from which every table is copied. So no checkpoint is ahead of its run's rows.
4. The files that those rows point to. They never change once they have their names, but those of a corpus that grow: of these the
   first bytes are taken, as many as the corpus's row says. Whatever of them is not ready yet is left out, and made again.
Not in it: the queue (it only carries news), uploads that are still arriving, logs, and the secret key.
"""

import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from django.conf import settings
from django.db import connection
from django.utils import timezone

from inference.errors import Invalid
from inference.index import Index
from inference.text import Stream
from inference.versions import topograph
from webapp.models import Corpus, Run, Version
from webapp.operations import archive
from webapp.storage import bulk, files

CHUNK = 16 << 20  # bytes of a table's rows in one member, and so in memory
PATIENCE = 120.0  # seconds for tidying that is going on to end
TEMPORARY = (".new", ".new.npz")  # how names end while a file is written
DERIVED = ("sample", "shaping")  # folders of a corpus that are made again
ALONE = (bulk.REMOVING[0], 2)  # an advisory lock: one backup at a time
AT_WORK = ("queued", "running", "storing")  # of runs
LATER = "Try again in a minute; what can’t be copied now is about to change."


class Told(NamedTuple):
    """How far it is: bytes of `of` that are in the file, rows and files."""

    bytes: int
    of: int
    rows: int
    files: int


def name() -> str:
    """Of a backup that is made now."""
    return f"topograph-{timezone.now():%Y%m%d-%H%M%S}.tar.zst"


def make(
    path: Path, tell: Callable[[Told], None] = lambda told: None, snapshot: Callable[[str], None] = lambda name: None
) -> Told:
    """Write a backup to `path`, which appears when it is whole. Raises Invalid where that can't be done now.

    tell is called some times a second. snapshot: with the name of the database's snapshot, as long as it can be looked at.
    """
    partial = path.with_name(f".{path.name}.partial")
    with _lock(), _checkpoints() as checkpoints:
        try:
            with (
                os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file,
                ExitStack() as ended,
            ):
                copying = _Copying(file, tell, ended)
                with _snapshot() as shown:
                    snapshot(shown)
                    rows = copying.database(shown)
                copying.files(_pointed(rows, checkpoints))
                copying.writer.close()
            archive.sync(partial)
            partial.replace(path)
            archive.sync(path)
            return copying.told
        except archive.Changed as error:
            raise Invalid("file", f"A file changed while it was copied ({error}). {LATER}") from None
        finally:
            partial.unlink(missing_ok=True)


@contextmanager
def _other() -> Iterator:
    """A connection of its own: a lock and a snapshot last as long as theirs."""
    other = connection.copy()
    try:
        yield other
    finally:
        other.close()


@contextmanager
def _lock() -> Iterator[None]:
    with _other() as other, other.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", ALONE)
        if not cursor.fetchone()[0]:
            raise Invalid("file", "Another backup is being made. Wait until it is done.")
        deadline = time.monotonic() + PATIENCE
        while True:
            cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", bulk.REMOVING)
            if cursor.fetchone()[0]:
                break
            if time.monotonic() > deadline:
                raise Invalid("file", f"Something is being deleted for more than {PATIENCE:.0f} s. Try again later.")
            time.sleep(0.1)
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock_all()")


@contextmanager
def _checkpoints() -> Iterator[Path]:
    """A folder with the present checkpoints of runs that are at work, by their numbers."""
    folder = (
        settings.FILE_UPLOAD_TEMP_DIR / f"backup-{secrets.token_hex(8)}"
    )  # where ingest.uploads tidies up after a kill
    folder.mkdir()
    try:
        for pk in Run.everything.filter(status__in=AT_WORK).values_list("pk", flat=True).iterator():
            with suppress(FileNotFoundError):
                _linked(files.run_folder(pk) / "checkpoint", folder / str(pk))
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _linked(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except PermissionError:  # a file system without hard links
        shutil.copyfile(source, target)


@contextmanager
def _snapshot() -> Iterator[str]:
    with _other() as other, other.cursor() as cursor:
        cursor.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        yield cursor.fetchone()[0]
        cursor.execute("COMMIT")


@contextmanager
def _looking(other, shown: str) -> Iterator:
    """A cursor that sees the snapshot. A transaction for each table: it lets go of the table's lock."""
    with other.cursor() as cursor:
        cursor.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute(f"SET TRANSACTION SNAPSHOT '{shown}'")
        yield cursor
        cursor.execute("COMMIT")


class _Copying:
    def __init__(self, file: BinaryIO, tell: Callable[[Told], None], ended: ExitStack):
        self.file, self.tell, self.ended, self.told_at = file, tell, ended, 0.0
        self.told = Told(0, 0, 0, 0)
        self.writer: archive.Writer  # closed by `ended`

    def _progress(self, **more) -> None:
        self.told = self.told._replace(**{name: getattr(self.told, name) + value for name, value in more.items()})
        if time.monotonic() - self.told_at > 0.25:
            self.told_at = time.monotonic()
            self.tell(self.told)

    def database(self, shown: str) -> "Rows":
        with _other() as other:
            with _looking(other, shown) as cursor:
                tables, rows = bulk.tables(cursor), _rows(cursor)
                self._progress(of=_size(cursor))
                self.writer = self.ended.enter_context(archive.Writer(self.file, _head(cursor, tables)))
            for table in tables:
                with _looking(other, shown) as cursor:
                    self._table(cursor, table)
        return rows

    def _table(self, cursor, table: bulk.Table) -> None:
        """Its rows, some megabytes a member; a table without rows has none."""
        rows, part, waiting, size = 0, 0, [], 0
        with closing(bulk.rows_out(cursor, table)) as blocks:
            for block in blocks:
                waiting.append(block)
                size += len(block)
                rows += block.count(b"\n")  # in a value it is written \\n
                if size >= CHUNK:
                    self._part(table, part, waiting)
                    part, waiting, size = part + 1, [], 0
        if waiting:
            self._part(table, part, waiting)
        self.writer.table(table.name, rows)
        self._progress(rows=rows)

    def _part(self, table: bulk.Table, part: int, blocks: list[bytes]) -> None:
        content = b"".join(blocks)
        self.writer.add_bytes(f"rows/{table.name}/{part:06d}", content)
        self._progress(bytes=len(content))

    def files(self, pointed: Iterator["Pointed"]) -> None:
        for file in pointed:
            try:
                content = file.path.open("rb") if file.content is None else None
            except FileNotFoundError:
                if "/index/" in file.name:  # it was made anew meanwhile: restoring makes it, too
                    continue
                raise Invalid("file", f"{file.name} is missing, which the database points to. {LATER}") from None
            if content is None:
                self.writer.add_bytes(f"files/{file.name}", file.content)
            else:
                with content:
                    size = os.fstat(content.fileno()).st_size if file.size is None else file.size
                    self.writer.add(f"files/{file.name}", size, content)
                    self._progress(bytes=size)
            self._progress(files=1)


def _size(cursor) -> int:
    """About how many bytes it will be, uncompressed."""
    cursor.execute(
        "SELECT coalesce(sum(pg_table_size(oid)), 0) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
    )
    size = int(cursor.fetchone()[0])
    for folder, _, names in os.walk(settings.FILES):
        for each in names:
            with suppress(OSError):
                size += os.stat(os.path.join(folder, each)).st_size
    return size


def _head(cursor, tables: list[bulk.Table]) -> dict:
    cursor.execute("SELECT app, name FROM django_migrations ORDER BY id")
    migrations = [list(row) for row in cursor.fetchall()]
    cursor.execute(
        "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL"
    )
    sequences = dict(cursor.fetchall())  # of now, not of the snapshot: no number is given twice
    cursor.execute("SHOW server_version")
    partitions: dict[str, dict] = {}
    for table in tables:
        if table.parent:
            found = partitions.setdefault(table.parent, {"columns": table.columns, "keys": []})
            found["keys"].append(int(table.name.removeprefix(f"{table.parent}_")))
    return {
        "made": timezone.now().isoformat(),
        "topograph": topograph(),
        "postgres": cursor.fetchone()[0],
        "migrations": migrations,
        "sequences": sequences,
        "tables": {table.name: table.columns for table in tables if not table.parent},
        "partitions": partitions,
    }


# The files that rows point to -----------------------------------------------------------------------------------------------------------


class Pointed(NamedTuple):
    """name: below files/. size: of its first bytes, or None for all. content: instead of the file's."""

    name: str
    path: Path
    size: int | None = None
    content: bytes | None = None


class Rows(NamedTuple):
    """Of the snapshot, what says which files there are. corpora: id, status, and of its mark the stream, sizes and documents."""

    corpora: list[tuple]
    versions: list[tuple]
    runs: list[tuple]


def _rows(cursor) -> Rows:
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
    return Rows(corpora, versions, cursor.fetchall())


def _json(value):
    return json.loads(value) if isinstance(value, str) else value


def _pointed(rows: Rows, checkpoints: Path) -> Iterator[Pointed]:
    for row in rows.corpora:
        yield from _of_corpus(*row)
    for (pk,) in rows.versions:
        yield from _all(files.version_folder(pk))
    for pk, status in rows.runs:
        checkpoint = checkpoints / str(pk)
        if status not in AT_WORK:
            yield from _all(files.run_folder(pk))
        elif checkpoint.exists():
            yield Pointed(_below(files.run_folder(pk) / "checkpoint"), checkpoint)


def _of_corpus(pk: int, status: str, stream: dict | None, sizes: dict, documents: int) -> Iterator[Pointed]:
    """Of one that is not ready only what it is read from."""
    folder = files.corpus_folder(pk)
    if status != Corpus.Status.READY:
        yield from _all(folder / "source")
        yield from _all(folder / "arriving")
        yield from _here(folder / "numbers.npy")
        return
    ends = sizes | (Stream.sizes(stream, "tokens/") if stream else {})
    indexed = Index.size(folder / "index") == documents  # else it is of more documents than the rows
    for path in _walked(folder):
        name = path.relative_to(folder).as_posix()
        if (
            name == "tokens/checkpoint.json" and stream and json.loads(path.read_bytes()) != stream
        ):  # documents came since
            yield Pointed(_below(path), path, content=json.dumps(stream).encode())
        elif not name.startswith("index/") or indexed:
            yield Pointed(_below(path), path, ends.get(name))


def _all(folder: Path) -> Iterator[Pointed]:
    return (Pointed(_below(path), path) for path in _walked(folder))


def _here(path: Path) -> Iterator[Pointed]:
    if path.exists():
        yield Pointed(_below(path), path)


def _below(path: Path) -> str:
    return path.relative_to(settings.FILES).as_posix()


def _walked(folder: Path) -> Iterator[Path]:
    """Files in a folder, in order, but what is temporary, or of a draft's preview."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.name.endswith(TEMPORARY) or entry.name in DERIVED:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walked(Path(entry.path))
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
