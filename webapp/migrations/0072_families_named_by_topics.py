"""Families are called by their topics: what else they could be called by is no longer kept."""

from django.db import migrations

# Rows of stored results with the names of the families of a run
DELETE_NAMES = "DELETE FROM webapp_findings WHERE key = 'names'"


class Migration(migrations.Migration):
    dependencies = [("webapp", "0071_corpus_fields")]
    operations = [
        migrations.RunSQL(DELETE_NAMES, migrations.RunSQL.noop),
        migrations.RemoveField("topic", "family_terms"),
    ]
