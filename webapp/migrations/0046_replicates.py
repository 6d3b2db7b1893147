"""Runs that are trained with other seeds. Comparisons are made again: what could be two topics is not the same any more."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0045_readers_together")]

    operations = [
        migrations.AddField("snapshot", "replicates", models.IntegerField(null=True)),
        migrations.CreateModel(
            "Replicate",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("attempt", models.IntegerField(default=0)),
                ("tries", models.IntegerField(default=0)),
                ("heartbeat_at", models.DateTimeField(null=True)),
                ("error", models.TextField(default="")),
                ("seed", models.BigIntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[(name, name.title()) for name in ("queued", "training", "ready", "failed")],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("topics", models.BinaryField(null=True)),
                ("elsewhere", models.JSONField(default=list)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("run", models.ForeignKey("webapp.run", django.db.models.deletion.CASCADE, related_name="replicates")),
            ],
            options={
                "indexes": [models.Index(fields=["status", "heartbeat_at"], name="replicate_status")],
                "constraints": [models.UniqueConstraint(fields=("run", "seed"), name="one_replicate")],
            },
        ),
        migrations.RunSQL("DELETE FROM webapp_comparison", migrations.RunSQL.noop),
    ]
