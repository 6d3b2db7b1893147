"""Versions of a corpus's vocabulary. What was read before becomes version 1 of its corpus, under the corpus's own number."""

import shutil

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# A version takes the number of its corpus, so the partitions of words keep their names and their rows.
FORWARD = """
ALTER TABLE word RENAME COLUMN corpus_id TO version_id;
INSERT INTO webapp_version (id, corpus_id, number, status, settings, report, error, documents, tokens, vocabulary, created_at, attempt)
SELECT id, id, 1, 'ready', settings - 'options', report, '', documents, tokens, vocabulary, created_at, 0
FROM webapp_corpus WHERE status = 'ready';
SELECT setval(pg_get_serial_sequence('webapp_version', 'id'), (SELECT greatest(max(id), 1) FROM webapp_corpus));
UPDATE webapp_corpus SET version_id = id WHERE status = 'ready';
UPDATE webapp_run SET version_id = corpus_id;
"""


def move_files(apps, schema_editor):
    for version in apps.get_model("webapp", "Version").objects.all():
        corpus, new = (settings.FILES / kind / str(version.pk) for kind in ("corpora", "versions"))
        for name in ("bow", "columns"):
            if (corpus / name).exists():
                new.mkdir(parents=True, exist_ok=True)
                shutil.move(corpus / name, new / name)


class Migration(migrations.Migration):
    dependencies = [("webapp", "0012_without")]

    operations = [
        migrations.CreateModel(
            name="Version",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.IntegerField()),
                ("status", models.CharField(
                    choices=[("queued", "Queued"), ("choosing", "Choosing"), ("ready", "Ready"), ("failed", "Failed")],
                    default="queued", max_length=10,
                )),
                ("settings", models.JSONField(default=dict)),
                ("report", models.JSONField(default=dict)),
                ("error", models.TextField(default="")),
                ("documents", models.BigIntegerField(default=0)),
                ("tokens", models.BigIntegerField(default=0)),
                ("vocabulary", models.BigIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("attempt", models.IntegerField(default=0)),
                ("heartbeat_at", models.DateTimeField(null=True)),
                ("corpus", models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="webapp.corpus",
                )),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=["corpus", "number"], name="one_version_per_number")],
                "indexes": [models.Index(fields=["status", "heartbeat_at"], name="version_status")],
            },
        ),
        migrations.AddField("corpus", "version", models.OneToOneField(
            null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="webapp.version",
        )),
        migrations.AddField("corpus", "progress", models.JSONField(default=dict)),
        migrations.AddField("sourcefile", "error", models.TextField(default="")),
        migrations.AddField("run", "version", models.ForeignKey(
            null=True, on_delete=django.db.models.deletion.RESTRICT, related_name="runs", to="webapp.version",
        )),
        migrations.RunSQL(FORWARD, migrations.RunSQL.noop),
        migrations.RunPython(move_files, migrations.RunPython.noop),
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AlterField("run", "version", models.ForeignKey(
            on_delete=django.db.models.deletion.RESTRICT, related_name="runs", to="webapp.version",
        )),
        *(migrations.RemoveField("corpus", name) for name in ("documents", "tokens", "vocabulary")),
    ]
