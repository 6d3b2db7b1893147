"""Topics of runs in groups of partitions (webapp.storage.bulk says why), so that ten thousand runs are no burden.

A partition at a time moves, each in a transaction of its own: all at once take more locks than Postgres has. No row is
read or written: what a partition may hold is in a constraint of its own. After a kill it goes on where it was.
"""

from django.db import migrations, transaction
from psycopg import sql

GROUP = 1000


def make(apps, editor) -> None:
    connection = editor.connection
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('topic_word_flat') IS NOT NULL")
        begun = cursor.fetchone()[0]
        cursor.execute("SELECT partstrat = 'r' FROM pg_partitioned_table WHERE partrelid = 'topic_word'::regclass")
        made = cursor.fetchone()[0]
    if made and not begun:  # all of it, before a kill
        return
    if not begun:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("ALTER TABLE topic_word RENAME TO topic_word_flat")
            cursor.execute("ALTER INDEX topic_word_pkey RENAME TO topic_word_flat_pkey")
            cursor.execute("ALTER INDEX topic_word_word RENAME TO topic_word_flat_word")
            cursor.execute("CREATE TABLE topic_word (LIKE topic_word_flat INCLUDING DEFAULTS) PARTITION BY RANGE (snapshot_id)")
            cursor.execute("ALTER TABLE topic_word ADD PRIMARY KEY (snapshot_id, topic, rank)")
            cursor.execute("CREATE INDEX topic_word_word ON topic_word (snapshot_id, word, topic)")
    while _move(connection):
        pass
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE topic_word_flat")


def _move(connection) -> bool:
    """Move a partition; False where there is none left."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
            " WHERE i.inhparent = 'topic_word_flat'::regclass LIMIT 1"
        )
        row = cursor.fetchone()
        if row is None:
            return False
        key = int(row[0].rpartition("_")[2])
        first = key // GROUP * GROUP
        group, part = sql.Identifier(f"topic_word_from_{first}"), sql.Identifier(row[0])
        cursor.execute(sql.SQL("CREATE TABLE IF NOT EXISTS {} PARTITION OF topic_word FOR VALUES FROM ({}) TO ({})"
                               " PARTITION BY LIST (snapshot_id)").format(group, sql.Literal(first), sql.Literal(first + GROUP)))  # fmt: skip
        cursor.execute(sql.SQL("ALTER TABLE topic_word_flat DETACH PARTITION {}").format(part))
        cursor.execute(sql.SQL("ALTER TABLE {} ATTACH PARTITION {} FOR VALUES IN ({})").format(group, part, sql.Literal(key)))
    return True


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("webapp", "0038_work")]
    operations = [migrations.RunPython(make)]
