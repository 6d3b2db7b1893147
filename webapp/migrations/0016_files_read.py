"""Which files are read: those that were uploaded later, or failed, can be read without the others."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0015_sections")]

    operations = [
        migrations.AddField("sourcefile", "read", models.BooleanField(default=False)),
        migrations.AddField("sourcefile", "items", models.BigIntegerField(default=0)),
        migrations.RunSQL(
            "UPDATE webapp_sourcefile SET read = true WHERE corpus_id IN (SELECT id FROM webapp_corpus WHERE status = 'ready')",
            migrations.RunSQL.noop,
        ),
    ]
