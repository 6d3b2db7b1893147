"""What a run's overview says: the findings of its documents, and of sets of them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0030_names")]

    operations = [
        migrations.CreateModel(
            name="Findings",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(blank=True, max_length=64)),
                ("method", models.IntegerField()),
                ("data", models.JSONField()),
                ("made_at", models.DateTimeField(auto_now=True)),
                (
                    "snapshot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="findings", to="webapp.snapshot"
                    ),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("snapshot", "key"), name="one_findings")]},
        )
    ]
