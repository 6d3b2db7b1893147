"""What is deleted can be brought back for a while. A column without a default rewrites no row."""

from django.db import migrations, models


def deleted(name):
    return models.Index(fields=["-deleted_at", "-id"], name=name, condition=models.Q(deleted_at__isnull=False))


class Migration(migrations.Migration):
    dependencies = [("webapp", "0019_file_counts")]

    operations = [
        *(migrations.AddField(model, "deleted_at", models.DateTimeField(null=True)) for model in ("corpus", "version", "run")),
        migrations.AddIndex("corpus", deleted("corpus_deleted")),
        migrations.AddIndex("run", deleted("run_deleted")),
    ]
