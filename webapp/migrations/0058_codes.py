"""Agreement of coders is kept, and large files of codes are taken in by a worker."""

from django.db import migrations, models
from django.db.models import CASCADE

STATUSES = [
    ("queued", "Queued"),
    ("reading", "Reading"),
    ("ready", "Ready"),
    ("failed", "Failed"),
]


def _key():
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


class Migration(migrations.Migration):
    dependencies = [("webapp", "0057_leaving")]
    operations = [
        migrations.CreateModel(
            name="Agreement",
            fields=[
                ("id", _key()),
                ("key", models.CharField(max_length=64)),
                ("data", models.JSONField()),
                (
                    "concept",
                    models.OneToOneField("webapp.concept", CASCADE, related_name="agreement"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CodeFile",
            fields=[
                ("id", _key()),
                ("attempt", models.IntegerField(default=0)),
                ("tries", models.IntegerField(default=0)),
                ("heartbeat_at", models.DateTimeField(null=True)),
                ("error", models.TextField(default="")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("by", models.CharField(max_length=60)),
                ("content", models.BinaryField()),
                ("size", models.IntegerField()),
                (
                    "status",
                    models.CharField(choices=STATUSES, default="queued", max_length=10),
                ),
                ("said", models.TextField(default="")),
                (
                    "concept",
                    models.OneToOneField("webapp.concept", CASCADE, related_name="code_file"),
                ),
                ("run", models.ForeignKey("webapp.run", CASCADE, related_name="+")),
            ],
            options={
                "abstract": False,
                "indexes": [
                    models.Index(fields=["status", "heartbeat_at"], name="codefile_status")
                ],
            },
        ),
    ]
