"""Texts are searched by an index on disk (inference.index): Postgres's vectors of their words, and the index of them, go.

A corpus that was read before has no index: its search says that it must be read again.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("webapp", "0013_corpus_versions")]
    operations = [
        migrations.RunSQL(
            "DROP INDEX document_search; ALTER TABLE document DROP COLUMN search, DROP COLUMN config",
            state_operations=[migrations.RemoveField("document", name) for name in ("search", "config")],
        )
    ]
