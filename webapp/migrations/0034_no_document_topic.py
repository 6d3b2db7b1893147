"""The topics of documents are in a run's files alone (inference.evidence): their table goes.

A partition at a time, each in a transaction of its own: to drop thousands at once takes more locks than Postgres has.
"""

from django.db import migrations
from psycopg import sql


def drop(apps, editor) -> None:
    with editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            " AND relname ~ '^document_topic_[0-9]+$'"
        )
        for (name,) in cursor.fetchall():
            cursor.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(name)))
        cursor.execute("DROP TABLE document_topic")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("webapp", "0027_first")]
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel("DocumentTopic")],
            database_operations=[migrations.RunPython(drop)],
        )
    ]
