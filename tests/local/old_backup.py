"""Run by test_backup.py with a database and a state folder of its own: data as the first version
had them, migrated to what the first release with backups had, and backed up there; then every later
migration. Prints JSON: each table's rows."""

import json
import sys
from pathlib import Path

import django

from tests.local.old_database import FIRST

WITH_BACKUPS = ("webapp", "0002_to_0027")
SEALED = (
    "CREATE TABLE webapp_sealed (kind text, key bigint, name text, generation int, files jsonb,"
    " size bigint)"
)


def rows() -> dict[str, list[str]]:
    from django.db import connection

    from webapp.platform.storage import bulk

    found = {}
    with connection.cursor() as cursor:
        for name in sorted(
            {table.parent or table.name for table in bulk.tables(cursor)}
            - {"django_content_type", "auth_permission"}
        ):
            cursor.execute(f'SELECT to_jsonb(t)::text FROM "{name}" t ORDER BY 1')
            found[name] = [row for (row,) in cursor.fetchall()]
    return found


def main(file: Path) -> None:
    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor
    from scipy.sparse import csr_matrix

    from inference import Bow
    from webapp.service.operations import backup

    for corpus in (5, 6):
        (settings.FILES / "corpora" / str(corpus) / "source").mkdir(parents=True)
        (settings.FILES / "corpora" / str(corpus) / "source" / "000000").write_bytes(
            b"text\nsomething"
        )
    Bow.from_csr(csr_matrix([[2, 0, 0], [1, 1, 0], [0, 1, 1]])).save(
        settings.FILES / "corpora" / "5" / "bow"
    )
    MigrationExecutor(connection).migrate([("webapp", "0001_initial")])
    with connection.cursor() as cursor:
        cursor.execute(FIRST)
    MigrationExecutor(connection).migrate([WITH_BACKUPS])
    # A table that backups read since: they find it beside that version's own
    with connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA AUTHORIZATION CURRENT_USER")
        cursor.execute(SEALED)
    backup.make(file)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE webapp_sealed")
        cursor.execute("DO $$ BEGIN EXECUTE format('DROP SCHEMA %I', current_user); END $$")
    call_command("migrate", verbosity=0)
    print(json.dumps(rows()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
