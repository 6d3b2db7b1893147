"""The large tables: one partition per corpus, version or snapshot, filled by COPY. The only module
that copies.

A partition is filled as a table of its own, and attached at the end of the transaction that fills
it or indexes it: readers are never blocked, never see a part of it, and the indexes are built once,
from all rows, before it is attached, so that partitions of others never wait for it. Dropping it is
instant.

What leads readers to a partition (a run's snapshot, a corpus's version) is written in a later
transaction. Postgres makes a commit visible before it tells other connections that a table has a
partition more, so that who follows a pointer of the same transaction may find no rows
(CommitTransaction in its xact.c: ProcArrayEndTransaction comes before AtEOXact_Inval).
"""

import re
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import psycopg
from django.db import OperationalError, connection, transaction
from psycopg import sql

from webapp.platform.storage.sql import tuples

KEYS = {"document": "corpus_id", "word": "version_id", "topic_word": "snapshot_id"}
# In backups of earlier versions: restored as it was, then migrated away
FORMER = {"document_topic": "snapshot_id"}
# snapshots whose partitions are in one group, by their numbers (migrations/0038_groups.py)
GROUP = 1000
GROUPED = "topic_word"  # the table whose partitions are in groups
COLUMNS = {
    "document": (
        "corpus_id number source_id file place title date_text date metadata text digest words part"
        " parts whole"
    ),
    "word": "version_id number word tokens documents",
    "topic_word": "snapshot_id topic word rank weight tokens documents",
}
# PostgreSQL, "Binary Format" of COPY: signature, flags, length of the header's extension; at the
# end a field count of -1.
_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_INDEXES = """
    SELECT pg_get_constraintdef(c.oid), pg_get_indexdef(i.indexrelid)
    FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid
    WHERE i.indrelid = %s::regclass ORDER BY i.indexrelid
"""
_DEFINITION = re.compile(r"CREATE (UNIQUE )?INDEX \S+ ON ONLY \S+ (USING .*)", re.S)
_DTYPES = {"int4": ">i4", "int8": ">i8", "float4": ">f4", "float8": ">f8"}
_BLOCK = 200_000  # rows packed at a time: bounds the memory of a COPY to some 10 MB


@contextmanager
def copying(cursor, statement: sql.Composed) -> Iterator[psycopg.Copy]:
    """A COPY. Its errors are Django's, as those of every other statement: Django passes on what
    psycopg raises in a COPY, and who waits for Postgres to come back would not know it."""
    with connection.wrap_database_errors, cursor.copy(statement) as copy:
        yield copy


class Partition:
    """The partition of `table` for `key`, while it is filled. Rows that are written leave out the
    key column."""

    def __init__(self, table: str, key: int):
        self.table = table
        self.key = key
        self.name = f"{table}_{key:d}"
        self.columns = COLUMNS.get(table, "").split()
        self.indexed = False

    def _execute(self, template: str, **names) -> None:
        names |= {"part": self.name, "table": self.table, "key": (KEYS | FORMER)[self.table]}
        identifiers = {k: sql.Identifier(v) for k, v in names.items()}
        with connection.cursor() as cursor:
            cursor.execute(sql.SQL(template).format(value=sql.Literal(self.key), **identifiers))

    def create(self) -> None:
        """In the place of one that was never attached; `drop_left` comes before where one may have
        been."""
        self._execute("DROP TABLE IF EXISTS {part}")
        # The check lets ATTACH skip a scan of the rows.
        self._execute(
            "CREATE TABLE {part} (LIKE {table} INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING"
            " STORAGE, CHECK ({key} = {value}))"
        )

    def index(self) -> None:
        """Build the indexes that the table has. Nobody waits for that: it locks the partition
        alone."""
        with connection.cursor() as cursor:
            cursor.execute(_INDEXES, [self.table])
            for constraint, index in cursor.fetchall():
                if constraint is not None:  # such as PRIMARY KEY (corpus_id, number)
                    self._execute(f"ALTER TABLE {{part}} ADD {constraint}")
                else:  # such as CREATE INDEX word_plain ON ONLY public.word USING btree (…)
                    self._execute(_DEFINITION.sub(r"CREATE \1INDEX ON {part} \2", index))
        self._execute("ANALYZE {part}")
        self.indexed = True

    def attach(self) -> None:
        """Make it the table's. From here to the end of the transaction, other partitions of the
        table wait to be attached."""
        if not self.indexed:
            self.index()
        parent = _group(self.key) if self.table == GROUPED else self.table
        self._execute(
            "ALTER TABLE {parent} ATTACH PARTITION {part} FOR VALUES IN ({value})", parent=parent
        )

    def is_attached(self) -> bool:
        """Whether it is there, and the table's."""
        rows = tuples(
            "SELECT relispartition FROM pg_class WHERE oid = to_regclass(%s)", [self.name]
        )
        return any(is_partition for (is_partition,) in rows)

    def _copy(self, options: str) -> sql.Composed:
        return _fill_names(f"COPY {{}} ({{}}) FROM STDIN {options}", self.name, self.columns)

    @contextmanager
    def writer(self) -> Iterator:
        """A function that takes one row (without the key); for rows that hold text."""
        with connection.cursor() as cursor, copying(cursor, self._copy("")) as copy:
            yield lambda *row: copy.write_row((self.key, *row))

    def write_arrays(self, blocks: Iterable[tuple[np.ndarray, ...]]) -> int:
        """COPY blocks of columns (int or float arrays of one length, the key left out); returns the
        number of rows."""
        rows = 0
        with connection.cursor() as cursor:
            types = self._types(cursor)
            with copying(cursor, self._copy("(FORMAT binary)")) as copy:
                copy.write(_HEADER)
                for columns in blocks:
                    for i in range(0, len(columns[0]), _BLOCK):
                        copy.write(self._pack([c[i : i + _BLOCK] for c in columns], types))
                    rows += len(columns[0])
                copy.write(b"\xff\xff")  # the trailer
        return rows

    def _types(self, cursor) -> list[np.dtype]:
        types = dict(
            cursor.execute(
                "SELECT a.attname, t.typname FROM pg_attribute a JOIN pg_type t ON t.oid ="
                " a.atttypid WHERE a.attrelid = %s::regclass",
                [self.name],
            ).fetchall()
        )
        return [np.dtype(_DTYPES[types[column]]) for column in self.columns]

    def _pack(self, columns: list[np.ndarray], types: list[np.dtype]) -> bytes:
        """Rows in the binary format of COPY: the number of fields, then the size and the value of
        each."""
        layout: list[tuple[str, Any]] = [("n", ">i2")]
        for i, dtype in enumerate(types):
            layout += [(f"size{i}", ">i4"), (f"value{i}", dtype)]
        rows = np.empty(len(columns[0]), np.dtype(layout))
        rows["n"] = len(types)
        values = [self.key, *columns]
        for i, dtype in enumerate(types):
            rows[f"size{i}"] = dtype.itemsize
            rows[f"value{i}"] = values[i]
        return rows.tobytes()


def _group(key: int) -> str:
    """The table that a partition of GROUPED is attached to: its group, which is made where it is
    the first there."""
    [(has_groups,)] = tuples(
        "SELECT partstrat = 'r' FROM pg_partitioned_table WHERE partrelid = %s::regclass", [GROUPED]
    )
    # Else a backup of an earlier version is being restored: a migration makes the groups
    if not has_groups:
        return GROUPED
    first = key // GROUP * GROUP
    name = f"{GROUPED}_from_{first:d}"
    if not _exists(name):
        tuples("SELECT pg_advisory_xact_lock(%s, %s)", MAKING_LOCK)  # two runs may need it at once
        if not _exists(name):
            # Not PARTITION OF, which would keep readers out of the whole table until the
            # transaction ends.
            statement = sql.SQL(
                "CREATE TABLE {group} (LIKE {table} INCLUDING DEFAULTS) PARTITION BY LIST ({key});"
                " ALTER TABLE {table} ATTACH PARTITION {group} FOR VALUES FROM ({first}) TO ({end})"
            ).format(
                group=sql.Identifier(name),
                table=sql.Identifier(GROUPED),
                key=sql.Identifier(KEYS[GROUPED]),
                first=sql.Literal(first),
                end=sql.Literal(first + GROUP),
            )
            with connection.cursor() as cursor:
                cursor.execute(statement)
    return name


def _exists(name: str) -> bool:
    return tuples("SELECT to_regclass(%s) IS NOT NULL", [name])[0][0]


def drop_empty_groups(below: int) -> None:
    """Drop the groups without a partition, of snapshots with smaller numbers than that of `below`;
    one that a reader holds waits for the next time."""
    empty = tuples(
        "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
        " WHERE i.inhparent = %s::regclass AND c.relkind = 'p'"
        " AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = c.oid)",
        [GROUPED],
    )
    for (name,) in empty:
        if int(name.rpartition("_")[2]) + GROUP <= below:
            _drop(name)


def count_files(
    corpus_id: int,
    counts: dict[int, list[int]],
    spans: dict[int, tuple[int, int]],
    encodings: dict[int, str],
) -> None:
    """Add documents and problems to a corpus's files, by their positions, and say in which
    encodings they are.

    spans: the first and the last of these documents. As long as a file's documents follow each
    other, the file knows its first one.
    """
    with connection.cursor() as cursor:
        if counts:
            rows = (
                (position, *n, *spans.get(position, (None, None))) for position, n in counts.items()
            )
            cursor.execute(
                "UPDATE webapp_sourcefile AS file SET documents = file.documents + new.documents,"
                " problems = file.problems + new.problems, first = CASE WHEN new.documents = 0 THEN"
                " file.first WHEN new.last - new.first + 1 <> new.documents THEN NULL WHEN"
                " file.documents = 0 THEN new.first WHEN file.first + file.documents = new.first"
                " THEN file.first END FROM unnest(%s::int[], %s::bigint[], %s::bigint[],"
                " %s::bigint[], %s::bigint[]) AS new (position, documents, problems, first, last)"
                " WHERE file.corpus_id = %s AND file.position = new.position",
                [*map(list, zip(*rows, strict=True)), corpus_id],
            )
        if encodings:
            cursor.execute(
                "UPDATE webapp_sourcefile AS file SET encoding = new.encoding FROM"
                " unnest(%s::int[], %s::text[]) AS new (position, encoding) WHERE file.corpus_id ="
                " %s AND file.position = new.position",
                [list(encodings), list(encodings.values()), corpus_id],
            )


def repeated_ids(corpus_id: int, limit: int = 5) -> tuple[int, list[str]]:
    """How many of the users' ids occur on several documents of a corpus, and the first of them.
    Sections of one document count once."""
    statement = sql.SQL(
        "SELECT count(*), (array_agg(source_id ORDER BY source_id))[:%s] FROM (SELECT source_id"
        " FROM {} WHERE source_id <> '' AND part = 1 GROUP BY source_id HAVING count(*) > 1) AS"
        " repeated"
    ).format(sql.Identifier(f"document_{corpus_id:d}"))
    [(count, first)] = tuples(statement, [limit])
    return count, first or []


# An advisory lock of Postgres: whoever removes partitions or files shares it, a backup holds it
# alone.
REMOVING_LOCK = (0x746F706F, 1)
# Likewise: whoever makes a group holds it alone (2: webapp.service.operations.backup)
MAKING_LOCK = (0x746F706F, 3)


@contextmanager
def removing() -> Iterator[bool]:
    """Yields whether partitions and files may be removed now: not while a backup is made."""
    with connection.cursor() as cursor:
        (may,) = cursor.execute(
            "SELECT pg_try_advisory_lock_shared(%s, %s)", REMOVING_LOCK
        ).fetchone()
        try:
            yield may
        finally:
            if may and connection.is_usable():
                cursor.execute("SELECT pg_advisory_unlock_shared(%s, %s)", REMOVING_LOCK)


def drop(table: str, key: int) -> bool:
    """Drop a partition; False where a reader held it for longer than a moment, or a backup is being
    made: the next sweep drops it."""
    return _drop(f"{table}_{key:d}")


DROP_TRIES = 60  # of dropping what an attempt left
DROP_PAUSE = 1.0  # seconds between two of them


def drop_left(table: str, key: int) -> None:
    """Drop the partition that an attempt left which was killed after it had attached it; wait for
    readers that hold it. Raises OperationalError where they hold it for long, or a backup is
    made."""
    for _ in range(DROP_TRIES):
        if drop(table, key):
            return
        time.sleep(DROP_PAUSE)
    raise OperationalError(f"{table}_{key:d} is held by readers, or by a backup.")


def _drop(name: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            if not cursor.execute(
                "SELECT pg_try_advisory_xact_lock_shared(%s, %s)", REMOVING_LOCK
            ).fetchone()[0]:
                return False
            # Waiting for this lock makes every later reader wait behind us: give up soon instead.
            cursor.execute("SET LOCAL lock_timeout = '300ms'")
            cursor.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(name)))
    except OperationalError as error:
        if error.__cause__.__class__.__name__ != "LockNotAvailable":
            raise
        return False
    return True


def orphans() -> list[tuple[str, int]]:
    """Partitions whose corpus, version or snapshot is gone: (table, key)."""
    return tuples(
        """
        WITH part AS (  -- attached or not: a reading that ended early leaves its own unattached
            SELECT substring(relname from '^(.*)_[0-9]+$') AS parent, substring(relname from '[0-9]+$')::bigint AS key
            FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
              AND substring(relname from '^(.*)_[0-9]+$') = ANY(%s))
        SELECT parent, key FROM part
        WHERE (parent = 'document' AND NOT EXISTS (SELECT FROM webapp_corpus WHERE id = key))
           OR (parent = 'word' AND NOT EXISTS (SELECT FROM webapp_version WHERE id = key))
           OR (parent = 'topic_word' AND NOT EXISTS (SELECT FROM webapp_snapshot WHERE id = key))
        """,
        [list(KEYS)],
    )


# Whole tables, for backups
# -------------------------------------------------------------------------------------------


class DatabaseTable(NamedTuple):
    """A table with rows of its own. parent: of which it is an attached partition. columns: those
    that are not computed."""

    name: str
    parent: str | None
    columns: list[str]


def tables(cursor) -> list[DatabaseTable]:
    """All tables but Django's record of migrations: those with few rows first, then partitions."""
    cursor.execute(
        """
        SELECT c.relname, p.relname, array_agg(a.attname::text ORDER BY a.attnum)
        FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        LEFT JOIN pg_class p ON c.relispartition AND p.oid = pg_partition_root(c.oid)
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'django_migrations'
          AND (c.relispartition OR NOT coalesce(substring(c.relname from '^(.*)_[0-9]+$') = ANY(%s), false))  -- none that is being filled
        GROUP BY c.oid, c.relname, p.relname ORDER BY p.relname IS NOT NULL, c.relname
        """,
        [list(KEYS)],
    )
    return [DatabaseTable(*row) for row in cursor.fetchall()]


def _fill_names(template: str, table: str, columns: list[str]) -> sql.Composed:
    return sql.SQL(template).format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )


def rows_out(cursor, table: DatabaseTable) -> Generator[bytes, None, None]:
    """The table's rows as COPY writes them, a line each."""
    with copying(cursor, _fill_names("COPY {} ({}) TO STDOUT", table.name, table.columns)) as copy:
        yield from map(bytes, copy)


def rows_in(cursor, table: DatabaseTable, blocks: Iterable[bytes]) -> int:
    """Insert rows as `rows_out` gave them. Returns how many."""
    with copying(cursor, _fill_names("COPY {} ({}) FROM STDIN", table.name, table.columns)) as copy:
        for block in blocks:
            copy.write(block)
    return cursor.rowcount
