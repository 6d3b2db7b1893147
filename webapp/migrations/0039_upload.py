"""Uploads have a table: how far storing, joining and looking into files are were four shapes of Corpus.arriving.

Every corpus that is no part of another gets a row.
"""

import django.db.models.deletion
from django.db import migrations, models

# A corpus of which files were being stored, or looked into, was queued, at work or failed; that is its upload's status
# from now on, and the corpus is a draft until it is read. What was at work is queued: nobody works during a migration.
CARRY_OVER = """
INSERT INTO webapp_upload (corpus_id, status, named, checkpoint, question, position, error, created_at, attempt, tries,
    heartbeat_at, deleted_at)
SELECT id,
    CASE WHEN arriving = '{}' THEN 'stored' WHEN arriving ? 'first' THEN 'joining' WHEN status = 'failed' THEN 'failed' ELSE 'queued' END,
    coalesce((arriving ->> 'named')::boolean, true),
    CASE WHEN arriving ? 'first' THEN arriving -> 'mark' WHEN arriving ? 'looking' THEN '{}' ELSE arriving END - 'of' - 'named',
    arriving -> 'looking',
    (arriving ->> 'first')::integer,
    CASE WHEN arriving = '{}' THEN '' ELSE error END,
    created_at, attempt, CASE WHEN arriving = '{}' THEN 0 ELSE tries END, heartbeat_at, deleted_at
FROM webapp_corpus WHERE provenance = '{}';
UPDATE webapp_corpus SET status = 'draft', error = '', tries = 0, bytes_read = 0 WHERE arriving <> '{}';
"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0038_groups")]

    operations = [
        migrations.CreateModel(
            name="Upload",
            fields=[
                (
                    "corpus",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="upload",
                        serialize=False,
                        to="webapp.corpus",
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("storing", "Storing"),
                            ("stored", "Stored"),
                            ("joining", "Joining"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("named", models.BooleanField(default=True)),
                ("checkpoint", models.JSONField(default=dict, null=True)),
                ("question", models.JSONField(null=True)),
                ("position", models.IntegerField(null=True)),
                ("error", models.TextField(default="")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("attempt", models.IntegerField(default=0)),
                ("tries", models.IntegerField(default=0)),
                ("heartbeat_at", models.DateTimeField(null=True)),
                ("deleted_at", models.DateTimeField(null=True)),
            ],
            options={"indexes": [models.Index(fields=["status", "heartbeat_at"], name="upload_status")]},
        ),
        migrations.RunSQL(CARRY_OVER, migrations.RunSQL.noop),
        migrations.RemoveField("corpus", "arriving"),
    ]
