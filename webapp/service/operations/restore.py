"""Restore a backup (operations.backup), elsewhere or after a loss. All of it is verified first, and
nothing else runs meanwhile.

The rows of the small tables stay in one transaction until everything else is there, so that a
restore that breaks off leaves no corpus without files. Migrations make the tables as they were when
the backup was made, and then bring them up to date.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain, groupby
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models import Q
from django.db.models.functions import Now
from psycopg import sql

from inference.errors import Invalid
from inference.index import Index
from inference.text import Stream
from webapp.models import Corpus, Export, Run, Sealed, Upload, Version
from webapp.platform.jobs import roster
from webapp.platform.local import migrations
from webapp.platform.storage import bulk, files
from webapp.platform.storage.sql import tuples
from webapp.service.operations import backup_file

FOLDERS = ("corpora", "versions", "runs")  # folders of files/ that a backup has
# Those that it has not. What is there goes, too: it would be that of rows of the backup, which have
# the same numbers
MADE_AGAIN = ("comparisons", "exports", "replicates", "codes")


def check(path: Path, tell: Callable[[int], None] = lambda count: None) -> dict:
    """Read all of a backup. Returns what it holds. Raises Invalid, saying what is wrong with it."""
    backup = backup_file.head(path)
    _check_migrations(backup)
    rows = backup_file.verify(path, tell)
    parts = {
        f"{parent}_{key}" for parent, its in backup["partitions"].items() for key in its["keys"]
    }
    if wrong := rows.keys() ^ {*backup["tables"], *parts}:
        raise Invalid(
            "file",
            f"{path.name} is damaged: it should have, or not have, the tables"
            f" {', '.join(sorted(wrong)[:5])}.",
        )
    return backup | {
        "rows": sum(rows.values()),
        "corpora": rows.get("webapp_corpus", 0),
        "runs": rows.get("webapp_run", 0),
        "counts": rows,
    }


def _check_migrations(backup: dict) -> None:
    """Raise Invalid where this version of Topograph does not know the backup's migrations, or only
    some of those that are one here."""
    had = {tuple(migration) for migration in backup["migrations"]}
    ours = MigrationLoader(None).disk_migrations
    replaced_sets = [set(migration.replaces) for migration in ours.values()]
    if unknown := sorted(had.difference(ours, *replaced_sets)):
        raise Invalid(
            "file",
            f"The backup is of a newer Topograph ({backup['topograph']}): it has"
            f" {'.'.join(unknown[0])}, which this one does not know. Update first.",
        )
    if any(had & replaced and not replaced <= had for replaced in replaced_sets):
        raise Invalid("file", f"The backup {migrations.IS_BETWEEN_RELEASES}")


def restore(
    path: Path, *, overwrite: bool = False, tell: Callable[[int], None] = lambda count: None
) -> dict:
    """Restore a backup. Raises Invalid where it can't be read, or would overwrite something without
    `overwrite`."""
    backup = check(path, tell)
    if alive := roster.count_workers():
        raise Invalid(
            "system",
            f"{alive} worker{'s are' if alive > 1 else ' is'} running on this system. Stop"
            " Topograph first, web server and workers.",
        )
    if strange := _foreign_table():
        raise Invalid(
            "system",
            f"The database holds tables of another program (“{strange}”), which restoring would"
            " delete. Make a database for Topograph alone, and name it in DATABASE_URL.",
        )
    if (existing := _existing()) and not overwrite:
        raise Invalid(
            "system",
            f"There is {existing} here already. Restore elsewhere, or use --overwrite, which deletes"
            " what is here.",
        )
    _clear()
    _migrate(backup["migrations"])
    with closing(connection.copy()) as second_connection, second_connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(
            sql.SQL("TRUNCATE {}").format(sql.SQL(", ").join(map(sql.Identifier, backup["tables"])))
        )
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        counts = _write_members(path, backup, cursor, tell)
        if counts != backup["counts"]:
            wrong = next(
                name for name in backup["counts"] if counts.get(name) != backup["counts"][name]
            )
            raise Invalid(
                "file",
                f"The table {wrong} should have {backup['counts'][wrong]:,} rows and has"
                f" {counts.get(wrong, 0):,}.",
            )
        for name, last in backup["sequences"].items():
            cursor.execute("SELECT setval(%s::regclass, %s)", [name, last])
        cursor.execute("COMMIT")
    call_command("migrate", verbosity=0)
    # all files are here now; operations.upkeep puts them into the store, where there is one
    Sealed.objects.all().delete()
    _requeue()
    return backup


def _foreign_table() -> str:
    """A table, or a Django app, that does not belong to Topograph; "" where there is none."""
    if tuples("SELECT to_regclass('django_migrations')")[0][0]:
        ours = {app for app, _ in MigrationExecutor(connection).loader.disk_migrations}
        tables_found = tuples(
            "SELECT app FROM django_migrations WHERE app <> ALL(%s) LIMIT 1", [list(ours)]
        )
    else:
        tables_found = tuples(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace ="
            " 'public'::regnamespace ORDER BY relname LIMIT 1"
        )
    return tables_found[0][0] if tables_found else ""


def _existing() -> str:
    """What would be lost, in words; "" where there is nothing."""
    counted_tables = (
        ("webapp_corpus", "true", "a corpus", "corpora"),
        ("webapp_notebook", "true", "a notebook", "notebooks"),
        ("webapp_user", "email IS NOT NULL", "an account", "accounts"),
    )
    for table, condition, singular, plural in counted_tables:
        if tuples("SELECT to_regclass(%s)", [table])[0][0] and (
            count := tuples(f"SELECT count(*) FROM {table} WHERE {condition}")[0][0]
        ):
            return singular if count == 1 else f"{plural} ({count:,})"
    for kind in FOLDERS:
        if (settings.FILES / kind).is_dir() and any((settings.FILES / kind).iterdir()):
            return f"something in the folder {settings.FILES / kind}"
    return ""


def _clear() -> None:
    """Drop all tables, one by one, as Postgres has no room for so many locks at once; and delete
    the files."""
    with connection.cursor() as cursor:
        for (name,) in cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace ="
            " 'public'::regnamespace ORDER BY relispartition DESC, relkind DESC"
        ).fetchall():
            cursor.execute(sql.SQL("DROP TABLE IF EXISTS {} CASCADE").format(sql.Identifier(name)))
    clear_files()


def clear_files() -> None:
    """Delete what is on disk of the rows that were here; uploads that are arriving stay."""
    for kind in (*FOLDERS, *MADE_AGAIN, settings.COPIES.name):
        shutil.rmtree(settings.FILES / kind, ignore_errors=True)


def _migrate(applied: list[list[str]]) -> None:
    """Make the tables as they were, by the migrations in their order; several that are one here,
    where the last was."""
    executor = MigrationExecutor(connection)
    our_migrations = {
        name: key
        for key, migration in executor.loader.disk_migrations.items()
        for name in migration.replaces or [key]
    }
    backwards = dict.fromkeys(
        our_migrations[name] for name in map(tuple, reversed(applied)) if name in our_migrations
    )
    executor.migrate([*reversed(backwards)])


def _whole_name(member: backup_file.Member) -> str:
    """Rows of a table come in several members, rows/TABLE/NUMBER: all are of rows/TABLE."""
    if member.name.startswith("rows/"):
        return member.name.rpartition("/")[0]
    return member.name


def _write_members(path: Path, backup: dict, cursor, tell: Callable[[int], None]) -> dict[str, int]:
    """Write every member where it belongs. Returns the number of rows of each table."""
    counts = dict.fromkeys(backup["counts"], 0)
    partitions = {
        f"{parent}_{key}": (parent, key, its["columns"])
        for parent, its in backup["partitions"].items()
        for key in its["keys"]
    }
    empty = dict(partitions)  # partitions without a member
    for name, parts in groupby(backup_file.members(path, tell), _whole_name):
        kind, _, member_name = name.partition("/")
        if kind == "files":
            write_file(member_name, next(parts))
        elif member_name in partitions:
            parent, key, columns = partitions[member_name]
            empty.pop(member_name, None)
            counts[member_name] += _write_partition(parent, key, columns, parts)
        elif kind == "rows" and member_name in backup["tables"]:
            for part in parts:
                counts[member_name] += bulk.rows_in(
                    cursor,
                    bulk.DatabaseTable(member_name, None, backup["tables"][member_name]),
                    part.blocks(),
                )
        else:
            raise Invalid(
                "file", f"{path.name} holds “{name[:100]}”, which no backup of Topograph has."
            )
    for parent, key, columns in empty.values():
        _write_partition(parent, key, columns, iter(()))
    return counts


def _write_partition(
    parent: str, key: int, columns: list[str], parts: Iterator[backup_file.Member]
) -> int:
    with transaction.atomic():
        partition = bulk.Partition(parent, key)
        partition.create()
        with connection.cursor() as cursor:
            rows = bulk.rows_in(
                cursor,
                bulk.DatabaseTable(partition.name, parent, columns),
                chain.from_iterable(part.blocks() for part in parts),
            )
        partition.attach()
    return rows


def write_file(name: str, member: backup_file.Member) -> None:
    """Write a file below files/. The archive has checked that its name does not lead elsewhere."""
    if name.split("/")[0] not in FOLDERS:
        raise Invalid(
            "file", f"The backup holds “files/{name[:100]}”, which no backup of Topograph has."
        )
    path = settings.FILES / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.writelines(member.blocks())


def _requeue() -> None:
    """Prepare the jobs that were at work when the backup was made: the first sweep queues them
    again."""
    # Of a clock that was ahead: nobody is at work here
    for model in (
        Upload,
        Corpus,
        Version,
        Run,
    ):
        model.everything.filter(heartbeat_at__gt=Now()).update(heartbeat_at=Now())
    Export.objects.all().delete()  # their files are not in a backup
    unread = Corpus.everything.filter(~Q(status=Corpus.Status.READY), ~Q(progress={}))
    for (
        corpus
    ) in unread.iterator():  # its chunks are not in the backup, so it is read from its files again
        corpus.files.update(read=False, error="", items=0, documents=0, problems=0, encoding="")
    unread.update(progress={}, bytes_read=0, documents_read=0)
    for corpus in (
        Corpus.everything.filter(status=Corpus.Status.READY).exclude(progress={}).iterator()
    ):
        folder = files.corpus_folder(corpus.pk)
        if Index.size(folder / "index") != corpus.progress["documents"]:
            shutil.rmtree(folder / "index", ignore_errors=True)
            stream = Stream.open(folder / "tokens")
            Index.write(folder / "index", stream, stream.language)
