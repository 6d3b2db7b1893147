"""What of the files is in an S3-compatible store."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0036_minibatch_after")]

    operations = [
        migrations.CreateModel(
            name="Sealed",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=10)),
                ("key", models.BigIntegerField()),
                ("name", models.CharField(max_length=40)),
                ("generation", models.CharField(db_index=True, max_length=16)),
                ("size", models.BigIntegerField()),
                ("files", models.JSONField()),
                ("stored_at", models.DateTimeField(auto_now=True)),
            ],
            options={"constraints": [models.UniqueConstraint(fields=["kind", "key", "name"], name="sealed_once")]},
        )
    ]
